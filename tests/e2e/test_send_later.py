"""Mails that go out at a time of their own, in plain words, with either reasoner."""

import mailbox
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant import open_assistant

pytestmark = pytest.mark.usefixtures("thinker")

ZONE = ZoneInfo("Europe/Berlin")
WEDNESDAY = datetime(2026, 11, 18, 10, 0, tzinfo=ZONE)
THURSDAY_AT_8 = datetime(2026, 11, 19, 8, 0, tzinfo=ZONE)


@pytest.fixture
def sample_at(home):
    """Opens the assistant on the sample account at a time."""

    @asynccontextmanager
    async def opened(now: datetime = WEDNESDAY):
        async with open_assistant(home, clock=lambda: now, zone="Europe/Berlin") as assistant:
            yield assistant

    return opened


def in_outbox(home: Path) -> list[mailbox.MaildirMessage]:
    folder = home / "sample" / "mail" / ".Outbox"
    return list(mailbox.Maildir(folder, create=False)) if folder.exists() else []


async def shown(a, words: str):
    """The one action that is proposed."""
    turn = await a.say("c", words)
    (preview,) = turn.previews
    (action,) = preview.actions
    return action, preview


@pytest.mark.parametrize(
    ("words", "when"),
    [
        ("send Sarah a mail tomorrow at 8 saying the photos are ready", THURSDAY_AT_8),
        ("tomorrow at 8, send Sarah a mail saying the photos are ready", THURSDAY_AT_8),
        ("email Sarah on Monday at 9:30 that the photos are ready", datetime(2026, 11, 23, 9, 30, tzinfo=ZONE)),
        ("send a mail to Sarah on Monday morning saying the photos are ready", datetime(2026, 11, 23, 9, 0, tzinfo=ZONE)),
        ("schedule a mail to Sarah for tomorrow at 8 saying the photos are ready", THURSDAY_AT_8),
        ("send Sarah a mail in two hours saying the photos are ready", WEDNESDAY + timedelta(hours=2)),
    ],
)
async def test_a_mail_is_scheduled_in_words(sample_at, words, when):
    async with sample_at() as a:
        action, preview = await shown(a, words)
    assert action.send_at == when and action.body.lower().startswith("the photos are ready")
    assert f"to go out {when:%a} {when.day} {when:%b}, {when:%H:%M}" in preview.items[0].says


async def test_a_reply_is_scheduled_in_words(sample_at):
    async with sample_at() as a:
        action, _ = await shown(a, "reply to Anna's last mail on Friday at 9: Tuesday suits me")
    assert action.send_at == datetime(2026, 11, 20, 9, 0, tzinfo=ZONE)
    assert action.reply_to is not None and action.body == "Tuesday suits me"


async def test_it_goes_out_at_its_time_once_and_not_before(sample_at, home):
    async with sample_at() as a:
        await shown(a, "send Sarah a mail tomorrow at 8 saying the photos are ready")
        turn = await a.say("c", "approve")
        assert [o.status for o in turn.outcomes] == ["held"] and "Thu 19 Nov, 08:00" in turn.reply
    async with sample_at(THURSDAY_AT_8 - timedelta(minutes=1)) as a:
        assert a.released == () and not in_outbox(home)
    async with sample_at(THURSDAY_AT_8 + timedelta(hours=5)) as a:
        assert [o.status for o in a.released] == ["done"]
    async with sample_at(THURSDAY_AT_8 + timedelta(days=5)) as a:
        assert a.released == ()
    assert len(in_outbox(home)) == 1


async def test_a_preview_is_scheduled_rescheduled_and_sent_at_once_after_all(sample_at, home):
    async with sample_at() as a:
        action, _ = await shown(a, "send Sarah a mail saying the photos are ready")
        assert action.send_at is None
        action, _ = await shown(a, "send it tomorrow at 8 instead")
        assert action.send_at == THURSDAY_AT_8
        action, _ = await shown(a, "make it 9")
        assert action.send_at == THURSDAY_AT_8 + timedelta(hours=1)
        action, preview = await shown(a, "send it now")
        assert action.send_at is None and "to go out" not in preview.items[0].says
        assert [o.status for o in (await a.say("c", "send it now")).outcomes] == ["done"]
    assert len(in_outbox(home)) == 1


async def test_what_is_scheduled_is_told_and_cancelled_in_words(sample_at, home):
    async with sample_at() as a:
        assert (await a.say("c", "what is scheduled to go out?")).reply == "Nothing is scheduled, and nothing else waits to go out."
        await shown(a, "send Sarah a mail tomorrow at 8 saying the photos are ready")
        await a.say("c", "approve")
        await shown(a, "send Anna a mail tomorrow at 9 saying the boat is ready")
        await a.say("c", "approve")
        told = (await a.say("c", "what is scheduled to go out?")).reply
        assert "Sarah Lindqvist" in told and "Anna Kowalski" in told and "Thu 19 Nov, 08:00" in told
        assert "Several are scheduled, so nothing was taken back." in (await a.say("c", "cancel the scheduled mail")).reply
        turn = await a.say("c", "cancel the scheduled mail to Sarah")
        assert turn.reply.startswith("✓ Taken back:") and "Sarah Lindqvist" in turn.reply
        assert [o.action.to[0].name for o in await a.outbox()] == ["Anna Kowalski"]
    async with sample_at(THURSDAY_AT_8 + timedelta(hours=5)) as a:
        assert len(a.released) == len(in_outbox(home)) == 1


async def test_undo_takes_the_scheduled_mail_back(sample_at, home):
    async with sample_at() as a:
        await shown(a, "send Sarah a mail tomorrow at 8 saying the photos are ready")
        await a.say("c", "approve")
        turn = await a.say("c", "undo that")
        assert [o.status for o in turn.outcomes] == ["taken_back"] and turn.previews
    async with sample_at(THURSDAY_AT_8 + timedelta(hours=5)) as a:
        assert a.released == () and not in_outbox(home)


async def test_what_is_no_time_sends_nothing(sample_at):
    async with sample_at() as a:
        turn = await a.say("c", "send Sarah a mail half an hour before the stand-up saying hello")
    assert not turn.previews and not turn.outcomes


async def test_a_revision_into_the_past_is_refused_and_the_preview_stays(sample_at):
    async with sample_at() as a:
        await shown(a, "send Sarah a mail tomorrow at 8 saying the photos are ready")
        turn = await a.say("c", "send it today at 9am")
        assert "has passed" in turn.reply and len(await a.open_previews("c")) == 1
