"""Results by mail to the user's own address: through the outbox, once, and to nobody else."""

import json
from collections.abc import Awaitable, Callable
from email import message_from_string
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from doubles.crashes import Died, dying, sent
from doubles.delivering import DAILY, Days, delivered, reminded

from assistant.bootstrap import LocalAccount
from assistant.pipeline.execute import Executor
from assistant.scheduling.delivery import deliveries as making
from assistant.scheduling.values import Delivery
from assistant.timetable.rules import Ask, GiveBriefing, Remind
from integrations.errors import ReadOnly, Unavailable
from integrations.local.mail_writer import LocalMailWriter
from storage import forgetting, restored, settings
from storage.tables import OutboxRow

IN_OUTBOX = "Put into the Outbox; this account has no outgoing server, so your mail program sends it."
Mails = Callable[[], list[EmailMessage]]


@pytest.fixture
def days(tmp_path: Path, account: LocalAccount) -> Days:
    return Days(tmp_path / "home", account)


@pytest.fixture
def mails(account: LocalAccount) -> Mails:
    def found() -> list[EmailMessage]:
        return [message_from_string(text, policy=default) for text in sent(account)]  # type: ignore[arg-type]

    return found


def body(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())


async def failing(*given: object) -> object:
    raise Unavailable("The connection was lost.")


async def not_made(self: object, *given: object) -> None:
    """The process has ended before."""


async def test_a_result_is_sent_to_oneself_as_text_and_as_html(days: Days, mails: Mails) -> None:
    async with days() as assistant:
        schedule = await reminded(assistant, "mail")
        assert await delivered(assistant, schedule) == (Delivery(target="mail", status="done", error=IN_OUTBOX, attempts=1),)
    (mail,) = mails()
    assert (mail["From"], mail["To"], mail["Subject"]) == ("me@example.org", "me@example.org", "Reminder: call Tom")
    assert mail["Auto-Submitted"] == "auto-generated" and mail.get_content_type() == "multipart/alternative"
    assert body(mail, "plain").strip() == "Reminder: call Tom" and "<h1" in body(mail, "html")


async def test_a_briefing_is_its_text_and_its_page(days: Days, mails: Mails) -> None:
    async with days() as assistant:
        schedule = await assistant.schedules.add("Morning", GiveBriefing(), DAILY, targets=("mail",))
        slot = await assistant.schedules.run(schedule.id)
        briefing = (await assistant.flow(slot.flow)).briefing
    (mail,) = mails()
    assert briefing and mail["Subject"] == briefing.title
    assert briefing.title in body(mail, "plain") and briefing.title in body(mail, "html")


async def test_one_that_comes_late_says_so(days: Days, mails: Mails) -> None:
    async with days() as assistant:
        await assistant.schedules.add("Morning", GiveBriefing(), DAILY, targets=("mail",))
        days.passes(hours=4)
        await assistant.schedules.due()
    (mail,) = mails()
    assert "This was due on Monday 23 November at 08:00" in body(mail, "plain")
    assert "This was due on Monday 23 November at 08:00" in body(mail, "html")


async def test_what_awaits_approval_is_told_and_nothing_of_it_is_done(days: Days, mails: Mails) -> None:
    async with days() as assistant:
        greeting = Ask(text="send a mail to anna@example.org saying hello")
        schedule = await assistant.schedules.add("Greeting", greeting, DAILY, targets=("mail",))
        flow = (await assistant.schedules.run(schedule.id)).flow
        assert (await assistant.flow(flow)).status == "parked"
        (mail,) = mails()
        assert mail["Subject"] == "Greeting: waits for your approval" and mail["To"] == "me@example.org"
        assert "It would reach: anna@example.org." in body(mail, "plain")
        (preview,) = await assistant.open_previews()
        await assistant.approve(preview.id, preview.fingerprint)
    assert sorted(mail["To"] for mail in mails()) == ["anna@example.org", "me@example.org"]


async def test_it_goes_out_at_once_and_is_not_held(days: Days, mails: Mails) -> None:
    async with days() as assistant:
        await reminded(assistant, "mail")
        assert len(mails()) == 1 and await assistant.outbox() == ()


async def test_the_list_of_recipients_does_not_stand_in_its_way(days: Days, mails: Mails) -> None:
    async with days() as assistant:
        await assistant.database.write(lambda s: settings.put(s, "recipients", json.dumps(["anna@example.org"])))
        await reminded(assistant, "mail")
    assert len(mails()) == 1


async def test_the_audit_journal_says_that_it_was_sent_to_oneself(days: Days) -> None:
    async with days() as assistant:
        await reminded(assistant, "mail")
        (story,) = await assistant.audit()
        assert story.result == "done" and story.approval == "Approval was not needed: you had set it up so."
        assert story.says == "send “Reminder: call Tom” to yourself, at me@example.org"
        assert "<h1" not in "".join(map(str, await assistant.audit()))
        assert not (await assistant.verify_audit()).wrong


async def test_a_stranger_can_not_put_a_header_into_it(days: Days, mails: Mails) -> None:
    async with days() as assistant:
        await reminded(assistant, "mail", text="call\r\nBcc: eve@evil.org\r\n\r\n<img src=x>")
    (mail,) = mails()
    assert mail["Bcc"] is None and mail["Subject"] == "Reminder: call Bcc: eve@evil.org <img src=x>"
    assert "<img" not in body(mail, "html") and "&lt;img" in body(mail, "html")


async def test_what_the_account_refuses_is_sent_again_once_it_takes_it(
    days: Days, mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refusing(*given: object) -> object:
        raise ReadOnly("The account takes nothing now.")

    async with days() as assistant:
        monkeypatch.setattr(LocalMailWriter, "execute", refusing)
        schedule = await reminded(assistant, "mail")
        assert await delivered(assistant, schedule) == (
            Delivery(target="mail", status="pending", error="The account takes nothing now.", attempts=1),
        )
        monkeypatch.undo()
        await assistant.release()
        (conversation,) = {(await assistant.schedules.get(schedule)).conversation}
        assert len(await assistant.flows(conversation)) == 1, "it is not shown again in the chat"
        days.passes(minutes=1)
        await assistant.schedules.deliveries.retry()
        (delivery,) = await delivered(assistant, schedule)
        assert (delivery.status, delivery.attempts) == ("done", 2) and len(mails()) == 1


WRITTEN = LocalMailWriter.execute


async def done_but_lost(self: LocalMailWriter, *given: object) -> object:
    await WRITTEN(self, *given)  # type: ignore[arg-type]
    raise Unavailable("The connection was lost.")


async def test_after_a_lost_reply_it_is_found_and_not_sent_again(days: Days, mails: Mails, monkeypatch: pytest.MonkeyPatch) -> None:
    async with days() as assistant:
        monkeypatch.setattr(LocalMailWriter, "execute", done_but_lost)
        schedule = await reminded(assistant, "mail")
        (delivery,) = await delivered(assistant, schedule)
        assert delivery.status == "done" and len(mails()) == 1


async def test_what_is_unknown_becomes_done_when_it_is_found(days: Days, mails: Mails, monkeypatch: pytest.MonkeyPatch) -> None:
    async with days() as assistant:
        monkeypatch.setattr(LocalMailWriter, "execute", done_but_lost)
        monkeypatch.setattr(LocalMailWriter, "find", failing)
        schedule = await reminded(assistant, "mail")
        days.passes(hours=1)
        await assistant.schedules.deliveries.retry()
        (delivery,) = await delivered(assistant, schedule)
        assert delivery.status == "unknown" and "The connection was lost" in delivery.error
        (notice,) = await assistant.schedules.deliveries.notices(schedule)
        assert notice.startswith("It is not certain whether the result of Mon 23 Nov, 07:30 reached you by mail")
        monkeypatch.undo()
        await assistant.check_outbox()
        await assistant.schedules.deliveries.retry()
        (delivery,) = await delivered(assistant, schedule)
        assert delivery.status == "done" and len(mails()) == 1
        assert await assistant.schedules.deliveries.notices(schedule) == ()


@pytest.mark.parametrize("after", [False, True])
async def test_who_dies_while_sending_has_sent_it_once(
    days: Days, mails: Mails, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    async with days() as assistant:
        monkeypatch.setattr(making.Deliveries, "make", not_made)
        schedule = await reminded(assistant, "mail")
        monkeypatch.undo()
        revive = dying(monkeypatch, LocalMailWriter, "execute", after=after)
        with pytest.raises(Died):
            await assistant.schedules.deliveries.retry()
        revive()
    days.passes(minutes=10)
    async with days() as assistant:
        await assistant.schedules.deliveries.retry()
        (delivery,) = await delivered(assistant, schedule)
        assert (delivery.status, delivery.attempts) == ("done", 1) and len(mails()) == 1


async def test_a_result_of_two_processes_is_sent_by_one(days: Days, mails: Mails, monkeypatch: pytest.MonkeyPatch) -> None:
    async with days() as one, days() as other:
        monkeypatch.setattr(making.Deliveries, "make", not_made)
        schedule = await one.schedules.add("Calls", Remind(text="call Tom"), DAILY, targets=("mail",))
        slot = (await one.schedules.run(schedule.id)).slot
        monkeypatch.undo()
        (row,) = await one.database.read(lambda s: making.deliveries.of_slot(s, schedule.id, slot))
        for assistant in (one, other):  # each has read it before the other began it
            await assistant.schedules.deliveries._see_to(row)
    assert len(mails()) == 1


async def test_taken_back_before_it_was_begun_it_is_given_up(days: Days, mails: Mails, monkeypatch: pytest.MonkeyPatch) -> None:
    async with days() as assistant:
        monkeypatch.setattr(Executor, "_send", _left_pending)
        schedule = await reminded(assistant, "mail")
        monkeypatch.undo()
        (waiting,) = await assistant.outbox()
        await assistant.withdraw(waiting.key)
        await assistant.schedules.deliveries.retry()
        (delivery,) = await delivered(assistant, schedule)
        assert (delivery.status, delivery.error) == ("failed", "You took it back.") and mails() == []


async def _left_pending(self: Executor, row: object, action: object) -> object:
    return await self.outcome(row)  # type: ignore[arg-type]


async def test_one_that_came_back_into_the_inbox_asks_for_nothing(days: Days, account: LocalAccount) -> None:
    async with days() as assistant:
        await reminded(assistant, "mail", text="can you please answer Tom by tomorrow?")
    assert account.mail is not None
    (written,) = (account.mail / ".Outbox" / "cur").iterdir()
    for name in ("cur", "new", "tmp"):
        (account.mail / name).mkdir(exist_ok=True)
    written.rename(account.mail / "cur" / written.name.replace(":2,S", ":2,"))
    days.passes(minutes=10)
    async with days() as assistant:
        briefing = await assistant.briefing(("inbox",))
        assert not [line for section in briefing.sections for line in section.lines]


async def test_without_an_account_that_holds_mail_it_is_said(tmp_path: Path, account: LocalAccount) -> None:
    async with Days(tmp_path / "home", account.model_copy(update={"mail": None}))() as assistant:
        schedule = await reminded(assistant, "mail")
        (delivery,) = await delivered(assistant, schedule)
        assert delivery == Delivery(
            target="mail", status="pending", error="There is no account that can send mail; connect one.", attempts=1
        )


# --- after a restore, and after forgetting


@pytest.mark.parametrize("sent_before", [False, True])
async def test_after_a_restore_the_account_is_asked_first(
    days: Days, mails: Mails, account: LocalAccount, monkeypatch: pytest.MonkeyPatch, sent_before: bool
) -> None:
    """The backup knew that it was due, and not whether it had been sent."""
    async with days() as assistant:
        await assistant.targets.add("phone", "json://127.0.0.1:1/")
        monkeypatch.setattr(making.Deliveries, "make", not_made)
        schedule = await reminded(assistant, "mail", "phone")
        monkeypatch.undo()
    backup = {path: path.read_bytes() for path in days.home.iterdir() if path.name.startswith("assistant.sqlite")}
    if sent_before:
        async with days() as assistant:
            await assistant.schedules.deliveries.retry()
    for path, content in backup.items():
        path.write_bytes(content)
    days.passes(hours=1)
    async with days() as assistant:
        await assistant.database.write(lambda s: restored.note(s, days.at))
        await assistant.schedules.deliveries.retry()
        mail, phone = sorted(await delivered(assistant, schedule), key=lambda one: one.target)
        assert mail.status == "done" and len(mails()) == 1
        assert (phone.status, phone.error) == ("unknown", making.MAYBE_BEFORE), "who can't be asked"


async def test_only_of_runs_that_were_due_before_the_restore_it_is_asked_first(
    days: Days, mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    for name in ("find", "execute"):
        monkeypatch.setattr(LocalMailWriter, name, _noting(asked, name, getattr(LocalMailWriter, name)))
    async with days() as assistant:
        await assistant.database.write(lambda s: restored.note(s, days.at))
        await reminded(assistant, "mail")
        days.passes(minutes=1)
        await reminded(assistant, "mail")
    assert asked == ["find", "execute", "execute"] and len(mails()) == 2


def _noting(asked: list[str], name: str, original: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    async def noting(*given: object) -> object:
        asked.append(name)
        return await original(*given)

    return noting


async def test_what_is_forgotten_with_its_conversation_is_not_kept_as_a_mail(days: Days) -> None:
    async with days() as assistant:
        schedule = await reminded(assistant, "mail", text="call the clinic")
        conversation = (await assistant.schedules.get(schedule)).conversation
        await assistant.forget(conversation=conversation, really=True)
        assert "clinic" not in "".join(map(str, await assistant.audit()))
        assert await assistant.database.read(lambda s: forgetting.page(s, OutboxRow, 0, 10)) == ()
