"""An approval's own writes don't stand in one another's way; somebody else's change still does."""

from assistant.pipeline.rebase import as_left
from integrations.actions import MarkMail, MoveMail, Receipt, SendMail, UpdateEvent
from integrations.types import Address, EventRef, MailRef


def mail(etag: str, id: str = "m1") -> MailRef:
    return MailRef(account="work", id=id, etag=etag)


def flag(etag: str) -> MarkMail:
    return MarkMail(account="work", mail=mail(etag), flagged=True)


def archive(etag: str) -> MoveMail:
    return MoveMail(account="work", mail=mail(etag), folder="Archive")


def told(etag: str = "", id: str = "m1", changed: tuple[MailRef, ...] = ()) -> Receipt:
    return Receipt(action="", account="work", key="k", id=id, etag=etag, changed=changed)


def test_a_second_write_goes_by_what_the_first_has_left():
    assert as_left(archive("a"), [(flag("a"), told("b"))]) == archive("b")


def test_a_third_write_goes_by_what_the_second_has_left():
    done = [(flag("a"), told("b")), (flag("a"), told("c"))]
    assert as_left(archive("a"), done) == archive("c")


def test_a_mail_that_was_answered_has_changed_along_the_way():
    reply = SendMail(account="work", to=(Address(email="tom@x.example"),), subject="s", body="b", reply_to=mail("a"))
    assert as_left(archive("a"), [(reply, told("z", id="sent", changed=(mail("b"),)))]) == archive("b")


def test_what_was_read_at_another_time_stays_a_conflict():
    assert as_left(archive("old"), [(flag("a"), told("b"))]) == archive("old")


def test_another_mail_keeps_its_own():
    other = MoveMail(account="work", mail=mail("a", id="m2"), folder="Archive")
    assert as_left(other, [(flag("a"), told("b"))]) == other


def test_a_write_that_told_no_etag_changes_nothing():
    assert as_left(archive("a"), [(flag("a"), told())]) == archive("a")


def test_the_instances_of_a_series_share_their_etag():
    def rename(etag: str, title: str) -> UpdateEvent:
        return UpdateEvent(account="work", event=EventRef(account="work", calendar="c", id="e", etag=etag), title=title)

    assert as_left(rename("a", "two"), [(rename("a", "one"), told("b", id="e"))]) == rename("b", "two")
