"""The user's list of who may be written to, held against what is proposed, shown, approved, held and taken back."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from doubles.crashes import dying, sent

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.facade import Assistant
from assistant.pipeline.execute import Executor
from integrations.actions import Action, AnswerInvitation, CreateEvent, MoveMail, SaveDraft, SendMail, UpdateEvent
from integrations.types import Address, EventQuery, MailQuery
from storage import settings

ANNA, EVE = Address(email="anna@example.org"), Address(email="eve@evil.org")
REFUSED = "eve@evil.org is not on your list of recipients (setting recipients), so nothing was done."
Opened = Callable[[], AbstractAsyncContextManager[Assistant]]


class Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def moving(clock: Callable[[], datetime]) -> Clock:
    return Clock(clock())


@pytest.fixture
def opened(tmp_path: Path, account: LocalAccount, inbox: Path, moving: Clock) -> Opened:
    return lambda: open_assistant(tmp_path / "home", clock=moving, zone="Europe/Berlin", accounts=[account])


@pytest.fixture
async def a(opened: Opened) -> AsyncIterator[Assistant]:
    async with opened() as assistant:
        yield assistant


async def lists(a: Assistant, *entries: str, text: str | None = None) -> None:
    value = json.dumps(entries) if text is None else text
    await a.database.write(lambda s: settings.put(s, "recipients", value))


def mail(*to: Address, **more: object) -> SendMail:
    return SendMail(account="local", to=to, subject="Plans", body="hello", **more)


def meeting(clock: Clock, *others: Address) -> CreateEvent:
    start = clock() + timedelta(days=1)
    return CreateEvent(account="local", title="Review", start=start, end=start + timedelta(hours=1), attendees=others)


async def shown(a: Assistant, *actions: Action):
    (preview,) = (await a.propose("c", actions)).previews
    return preview


async def done(a: Assistant, *actions: Action):
    preview = await shown(a, *actions)
    turn = await a.approve(preview.id, preview.fingerprint)
    assert {outcome.status for outcome in turn.outcomes} == {"done"}
    return turn


async def test_without_a_list_anybody_may_be_written_to(a: Assistant, account: LocalAccount) -> None:
    await done(a, mail(EVE))
    await lists(a, text="null")
    await done(a, mail(EVE))
    assert len(sent(account)) == 2


@pytest.mark.parametrize("line", ["to", "cc", "bcc"])
async def test_a_mail_to_somebody_outside_the_list_is_not_even_shown(a: Assistant, line: str) -> None:
    await lists(a, "@example.org")
    turn = await a.propose("c", [SendMail(account="local", subject="Plans", body="hello", **{line: (ANNA, EVE)})])
    assert (turn.status, turn.reply, turn.previews) == ("failed", REFUSED, ())
    assert await a.open_previews() == ()


async def test_one_outside_holds_back_everything_that_was_proposed_with_it(a: Assistant) -> None:
    await lists(a, "@example.org")
    turn = await a.propose("c", [mail(ANNA), mail(EVE)])
    assert (turn.reply, turn.previews) == (REFUSED, ())


async def test_who_is_on_the_list_is_written_to(a: Assistant, account: LocalAccount) -> None:
    await lists(a, "@example.org")
    await done(a, mail(ANNA))
    assert len(sent(account)) == 1


async def test_a_request_in_words_meets_the_list_too(a: Assistant) -> None:
    await lists(a, "@example.org")
    turn = await a.say("c", 'send an email to eve@evil.org with the subject "Plans" saying "hello"')
    assert REFUSED in turn.reply
    assert turn.previews == ()


async def test_a_draft_to_anybody_can_be_saved(a: Assistant) -> None:
    await lists(a)
    await done(a, SaveDraft(account="local", to=(EVE,), subject="Plans", body="hello"))


async def test_a_draft_to_somebody_outside_is_not_put_where_mail_is_sent_from(a: Assistant, account: LocalAccount) -> None:
    drafts = {}
    for person in (ANNA, EVE):
        await done(a, SaveDraft(account="local", to=(person,), subject=f"For {person.email}", body="hello"))
        (drafts[person],) = (await a.look(MailQuery(folders=("Drafts",), words=(person.email,)))).items
    await lists(a, "@example.org")
    for folder in ("Outbox", "outbox"):
        turn = await a.propose("c", [MoveMail(account="local", mail=drafts[EVE].ref, folder=folder)])
        assert (turn.reply, turn.previews) == (REFUSED, ())
    await done(a, MoveMail(account="local", mail=drafts[EVE].ref, folder="Archive"))
    await done(a, MoveMail(account="local", mail=drafts[ANNA].ref, folder="Outbox"))
    assert len(sent(account)) == 1


async def test_a_mail_that_was_taken_out_of_the_outbox_does_not_come_back_there(a: Assistant, account: LocalAccount) -> None:
    mailed = await done(a, mail(EVE))
    back = await a.undo("c", mailed.flow)
    assert sent(account) == []
    await lists(a, "@example.org")
    turn = await a.undo("c", back.flow)
    assert (turn.reply, sent(account)) == (REFUSED, [])


async def test_a_damaged_list_lets_nobody_be_written_to(a: Assistant) -> None:
    await lists(a, text='{"not": "a list"')
    assert "anna@example.org is not on your list" in (await a.propose("c", [mail(ANNA)])).reply
    for damaged in ('["anna@example.org", "*"]', "[" * 100_000):
        await lists(a, text=damaged)
        assert "anna@example.org is not on your list" in (await a.propose("c", [mail(ANNA)])).reply


async def test_a_revised_preview_meets_it_and_stays_as_it_was(a: Assistant) -> None:
    await lists(a, "@example.org")
    before = await shown(a, mail(ANNA))
    turn = await a.revise(before.id, actions=[mail(ANNA, EVE)])
    assert REFUSED in turn.reply
    assert [preview.fingerprint for preview in await a.open_previews()] == [before.fingerprint]


async def test_what_was_shown_before_the_list_was_tightened_is_not_approved_and_stays_open(
    a: Assistant, account: LocalAccount
) -> None:
    preview = await shown(a, mail(EVE))
    await lists(a, "@example.org")
    turn = await a.approve(preview.id, preview.fingerprint)
    assert (turn.reply, turn.outcomes) == (REFUSED, ())
    assert [one.id for one in await a.open_previews()] == [preview.id]
    await lists(a, "@example.org", "eve@evil.org")
    assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
    assert len(sent(account)) == 1


async def test_a_mail_that_was_held_is_not_sent_and_its_text_is_shown_again(
    a: Assistant, account: LocalAccount, moving: Clock
) -> None:
    preview = await shown(a, mail(EVE, send_at=moving() + timedelta(hours=1)))
    assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["held"]
    await lists(a, "@example.org")
    moving.now += timedelta(hours=2)
    (news,) = await a.release()
    assert (news.outcome.status, news.outcome.note) == ("failed", REFUSED)
    assert sent(account) == []
    assert [one.actions[0].body for one in await a.open_previews()] == ["hello"]


async def test_an_approval_that_a_restart_goes_on_with_is_checked_once_more(
    opened: Opened, account: LocalAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as a:
        preview = await shown(a, mail(EVE))
        revive = dying(monkeypatch, Executor, "_sent")
        with pytest.raises(BaseException):  # noqa: B017  # the program ends here
            await a.approve(preview.id, preview.fingerprint)
        await lists(a, "@example.org")
    revive()
    async with opened() as a:
        assert [(outcome.status, outcome.note) for outcome in a.recovered] == [("failed", REFUSED)]
        assert sent(account) == []


async def test_people_in_an_event_are_not_told_of_a_change_and_it_is_not_made(a: Assistant, moving: Clock) -> None:
    await done(a, meeting(moving, EVE))
    await lists(a, "@example.org")
    (event,) = (await a.look(EventQuery(start=moving(), end=moving() + timedelta(days=3)))).items
    assert REFUSED in (await a.propose("c", [UpdateEvent(account="local", event=event.ref, title="Secret")])).reply
    assert (await a.propose("c", [UpdateEvent(account="local", event=event.ref, remove_attendees=(EVE.email,))])).previews


async def test_an_undo_that_would_tell_somebody_outside_is_refused(a: Assistant, moving: Clock) -> None:
    await done(a, meeting(moving, EVE))
    (event,) = (await a.look(EventQuery(start=moving(), end=moving() + timedelta(days=3)))).items
    changed = await done(a, UpdateEvent(account="local", event=event.ref, title="Other"))
    await lists(a, "@example.org")
    turn = await a.undo("c", changed.flow)
    assert (turn.status, turn.reply, turn.previews) == ("failed", REFUSED, ())


async def test_an_invitation_by_somebody_outside_can_be_declined(a: Assistant, account: LocalAccount, moving: Clock) -> None:
    lines = (
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//x//EN", "BEGIN:VEVENT", "UID:i1", "DTSTAMP:20261101T000000Z",
        "DTSTART:20261119T090000Z", "DTEND:20261119T100000Z", "SUMMARY:Talk", "ORGANIZER:mailto:eve@evil.org",
        "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:me@example.org", "END:VEVENT", "END:VCALENDAR", "",
    )  # fmt: skip
    folder = account.calendars / "personal"
    folder.mkdir(exist_ok=True)
    (folder / "i1.ics").write_text("\r\n".join(lines), newline="")
    await lists(a, "@example.org")
    (event,) = (await a.look(EventQuery(start=moving(), end=moving() + timedelta(days=3)))).items
    accepted = AnswerInvitation(account="local", event=event.ref, answer="accepted")
    assert REFUSED in (await a.propose("c", [accepted])).reply
    assert (await a.propose("c", [accepted.model_copy(update={"answer": "declined"})])).previews
