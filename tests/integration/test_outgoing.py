"""Mails that are held: for as long as they can be taken back, or until their time has come. They go out once, or not at all."""

import asyncio
import sqlite3
from contextlib import asynccontextmanager, closing, suppress
from datetime import datetime, timedelta

import pytest
from doubles.crashes import MAIL, Died, doing, dying, only_flow, sent

from assistant.bootstrap import open_assistant
from assistant.errors import FlowError, UserError
from assistant.pipeline.execute import Executor
from config.settings import Settings
from integrations.actions import CreateEvent, DeleteDraft, MoveMail, SendMail
from integrations.errors import Conflict, Unavailable
from integrations.local.provider import FolderAccount
from integrations.types import Address, MailRef
from storage import outbox
from storage.database import Database
from storage.errors import StorageError

WINDOW = timedelta(seconds=10)


class Time:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, span: timedelta) -> None:
        self.now += span


@pytest.fixture
def time(clock) -> Time:
    return Time(clock())


@pytest.fixture
def leaves(monkeypatch, taken_at_once) -> None:
    """The account's Outbox counts as one from which mail leaves."""
    monkeypatch.setattr(FolderAccount, "sends", True)


@pytest.fixture
def opened(tmp_path, time, account):
    @asynccontextmanager
    async def enter(action=MAIL, *, resident: bool = True, says: str = "mail Anna", **more):
        reasoner, agent = doing(action, says)
        agents = {"email": agent, "calendar": agent, "contacts": agent}
        common = {"clock": time, "zone": "Europe/Berlin", "accounts": [account], "agents": agents, "reasoner": reasoner}
        async with open_assistant(tmp_path / "home", resident=resident, **common, **more) as a:
            yield a

    return enter


async def approved(a):
    await a.say("c", "go")
    return await a.say("c", "approve")


def at(time: Time, **later: float) -> SendMail:
    return MAIL.model_copy(update={"send_at": time() + timedelta(**later)})


# --- the undo window


async def test_a_mail_that_leaves_is_held_and_the_turn_says_how_to_stop_it(opened, leaves, account):
    async with opened() as a:
        turn = await approved(a)
        assert [o.status for o in turn.outcomes] == ["held"] and turn.status == "done"
        assert 'It goes out in 10 seconds; say "undo" to stop it.' in turn.reply and not sent(account)


async def test_when_the_window_is_over_it_goes_out_once_and_the_task_knows(opened, leaves, account, time):
    async with opened() as a:
        turn = await approved(a)
        assert await a.release() == ()
        time.pass_by(WINDOW)
        assert [news.outcome.status for news in await a.release()] == ["done"]
        assert await a.release() == () and len(sent(account)) == 1
        assert [o.status for o in (await a.flow(turn.flow)).outcomes] == ["done"] and await a.outbox() == ()


async def test_undo_within_the_window_takes_it_back_and_shows_it_again(opened, leaves, account, time):
    async with opened() as a:
        first = await approved(a)
        turn = await a.say("c", "undo")
        assert [o.status for o in turn.outcomes] == ["taken_back"] and turn.status == "done"
        assert "Taken back before it went out: mail Anna. Nothing has left." in turn.reply
        time.pass_by(WINDOW)
        assert await a.release() == () and not sent(account)
        assert [o.status for o in (await a.flow(first.flow)).outcomes] == ["taken_back"]
        assert [p.actions for p in turn.previews] == [(MAIL,)]
        await a.say("c", "approve")
        time.pass_by(WINDOW)
        assert [news.outcome.status for news in await a.release()] == ["done"]
    assert len(sent(account)) == 1


@pytest.mark.parametrize("words", ["stop", "no, don't send it", "cancel it", "take it back"])
async def test_just_after_the_approval_stopping_it_is_undo_and_asks_nobody(opened, leaves, words):
    async with opened() as a:
        await approved(a)
        assert [o.status for o in (await a.say("c", words)).outcomes] == ["taken_back"]
        assert (await a.say("c", "cancel")).reply.startswith("Cancelled: mail Anna")


async def test_later_stopping_means_nothing_that_was_approved(opened, leaves, account, time):
    async with opened() as a:
        await approved(a)
        time.pass_by(WINDOW)
        await a.release()
        assert (await a.say("c", "stop")).reply == "There is nothing open to cancel."


async def test_what_was_taken_back_is_not_what_the_next_undo_is_about(opened, leaves, account):
    async with opened() as a:
        await approved(a)
        await a.undo("c")
        await a.say("c", "cancel")
        assert (await a.undo("c")).reply == "There is nothing to undo here."


async def test_after_the_window_it_cannot_be_taken_back(opened, leaves, account, time):
    async with opened() as a:
        await approved(a)
        time.pass_by(WINDOW)
        await a.release()
        assert (await a.undo("c")).reply == "This can't be taken back: mail Anna."
    assert len(sent(account)) == 1


async def test_nothing_is_held_for_an_outbox_nothing_leaves_from(opened, account):
    async with opened() as a:
        assert [o.status for o in (await approved(a)).outcomes] == ["done"]


async def test_nothing_is_held_where_the_assistant_does_not_stay(opened, leaves, account):
    async with opened(resident=False) as a:
        assert [o.status for o in (await approved(a)).outcomes] == ["done"]


async def test_a_mail_to_oneself_is_not_held(opened, leaves):
    async with opened(MAIL.model_copy(update={"to": (Address(email="me@example.org"),)})) as a:
        assert [o.status for o in (await approved(a)).outcomes] == ["done"]


async def test_the_window_is_a_setting(opened, leaves, tmp_path):
    async with opened(settings=Settings(home=tmp_path / "home", undo_window=0)) as a:
        assert [o.status for o in (await approved(a)).outcomes] == ["done"]


async def test_leaving_sends_at_once_what_is_held_only_to_be_taken_back(opened, leaves, account, time):
    async with opened() as a:
        await approved(a)
        await a.propose("c", [at(time, hours=3)], ["mail Anna later"])
        await a.say("c", "approve")
        assert [news.outcome.says for news in await a.release(hurry=True)] == ["mail Anna"]
        assert [o.says for o in await a.outbox()] == ["mail Anna later"]
    assert len(sent(account)) == 1


async def test_who_leaves_sends_nothing_that_another_could_still_take_back(opened, leaves, account):
    async with opened() as a, opened() as b:
        await approved(a)
        assert await b.release(hurry=True) == () and [o.status for o in await b.outbox()] == ["held"]
    assert not sent(account)


# --- the clock


async def test_the_clock_sends_what_is_due_by_itself_and_tells(opened, leaves, account, time):
    async with opened() as a:
        with a.went_out() as news:
            await approved(a)
            time.pass_by(WINDOW)
            a.outgoing.wake()
            assert (await asyncio.wait_for(news.get(), 10)).outcome.status == "done"
    assert len(sent(account)) == 1


async def test_of_several_assistants_one_sends_it(opened, leaves, account, time):
    async with opened() as a, opened() as b, opened() as c:
        await approved(a)
        time.pass_by(WINDOW)
        found = await asyncio.gather(a.release(), b.release(), c.release())
    assert sum(len(news) for news in found) == 1 and len(sent(account)) == 1


async def test_an_account_out_of_reach_is_tried_again_and_told_once(opened, leaves, account, inbox, time):
    async with opened() as a:
        await approved(a)
        time.pass_by(WINDOW)
        away = account.mail.rename(account.mail.with_name("away"))
        assert [news.outcome.status for news in await a.release()] == ["pending"]
        assert await a.release() == ()
        away.rename(account.mail)
        assert [news.outcome.status for news in await a.release()] == ["done"]
    assert len(sent(account)) == 1


async def test_what_fails_when_its_time_has_come_is_shown_again(opened, leaves, account, time, monkeypatch):
    async def refuses(*_):
        raise Conflict("The server refuses it.")

    async with opened() as a:
        await approved(a)
        time.pass_by(WINDOW)
        with monkeypatch.context() as broken:
            broken.setattr(Executor, "_write", refuses)
            (news,) = await a.release()
        turn = await a.flow(news.flow)
        assert news.outcome.status == "failed" and turn.status == "failed"
        assert turn.reply.startswith("✗ Not done: mail Anna. The server refuses it.")
        assert [p.actions for p in turn.previews] == [(MAIL,)]
        await a.say("c", "yes, send it")
        time.pass_by(WINDOW)
        assert [one.outcome.status for one in await a.release()] == ["done"]
    assert len(sent(account)) == 1


async def test_what_fails_while_its_conversation_is_busy_is_shown_when_that_is_over(opened, leaves, time, monkeypatch):
    async def refuses(*_):
        raise Conflict("The server refuses it.")

    async with opened() as a:
        await approved(a)
        time.pass_by(WINDOW)
        running = await a.dispatch.begin.undo("c", "")
        with monkeypatch.context() as broken:
            broken.setattr(Executor, "_write", refuses)
            (news,) = await a.release()
        assert (news.outcome.status, news.flow) == ("failed", "") and not await a.open_previews("c")
        await a.dispatch.turns.runner.start(running)
        with a.went_out() as heard:
            (shown,) = await a.release()
            assert heard.get_nowait() == shown
        assert [p.actions for p in (await a.flow(shown.flow)).previews] == [(MAIL,)]


# --- restarts


async def test_what_fell_due_while_nothing_ran_goes_out_at_the_next_start_and_is_told(opened, leaves, account, time):
    async with opened() as a:
        await approved(a)
    time.pass_by(timedelta(hours=1))
    async with opened(resident=False) as a:
        assert [(o.status, o.says) for o in a.released] == [("done", "mail Anna")] and a.recovered == ()
    async with opened() as a:
        assert a.released == ()
    assert len(sent(account)) == 1


async def test_with_an_older_database_put_back_it_does_not_go_out_again(opened, leaves, account, time, tmp_path, monkeypatch):
    async with opened() as a:
        await approved(a)
        with closing(sqlite3.connect(tmp_path / "older")) as older, closing(sqlite3.connect(a.database.path)) as now:
            now.backup(older)
        time.pass_by(WINDOW)
        await a.release()
    for file in (tmp_path / "home").glob("assistant.sqlite*"):
        file.unlink()
    (tmp_path / "older").rename(tmp_path / "home" / "assistant.sqlite")
    begun: list[str] = []

    async def noted(self, action, key):
        begun.append(key)
        raise Unavailable("It is out of reach.")

    monkeypatch.setattr(Executor, "_write", noted)
    async with opened() as a:
        assert [o.status for o in a.released] == ["done"]
    assert not begun and len(sent(account)) == 1


async def test_what_is_not_due_yet_survives_a_restart(opened, leaves, account, time):
    async with opened() as a:
        await approved(a)
    async with opened() as a:
        assert a.released == () and [o.status for o in await a.outbox()] == ["held"]
        time.pass_by(WINDOW)
        await a.release()
    assert len(sent(account)) == 1


@pytest.mark.parametrize("where", ["_settle", "_send", "_write", "_finish"])
@pytest.mark.parametrize("after", [False, True])
async def test_a_crash_while_it_goes_out_sends_it_once(opened, leaves, account, time, monkeypatch, where, after):
    async with opened() as a:
        await approved(a)
    time.pass_by(WINDOW)
    revive = dying(monkeypatch, Executor, where, after=after)
    with pytest.raises(Died):
        async with opened() as a:
            pass
    revive()
    async with opened():
        pass
    async with opened() as a:
        assert await a.outbox() == ()
    assert len(sent(account)) == 1


@pytest.mark.parametrize("where", ["take_back", "inverse", "as_known"])
async def test_an_undo_that_a_crash_cut_short_is_brought_to_its_end(opened, leaves, account, time, monkeypatch, where):
    async with opened() as a:
        await approved(a)
    revive = dying(monkeypatch, Executor, where, after=True)
    with pytest.raises(Died):
        async with opened() as a:
            await a.undo("c")
    revive()
    async with opened() as a:
        turn = await only_flow(a, "undo")
        assert "Taken back before it went out: mail Anna." in turn.reply and len(turn.previews) == 1
        time.pass_by(WINDOW)
        assert await a.release() == ()
    assert not sent(account)


# --- send later


async def test_a_mail_with_a_time_waits_for_it_wherever_it_was_approved(opened, account, time):
    async with opened(at(time, hours=22), resident=False) as a:
        turn = await approved(a)
        assert "It goes out on Thu 19 Nov, 08:00, by an assistant that is running then" in turn.reply
        (waiting,) = await a.outbox()
        assert (waiting.status, waiting.says, waiting.goes_out) == ("held", "mail Anna", time() + timedelta(hours=22))
        time.pass_by(timedelta(hours=22))
        assert [news.outcome.status for news in await a.release()] == ["done"]
    assert len(sent(account)) == 1


async def test_a_time_that_has_passed_by_the_approval_sends_nothing(opened, account, time):
    async with opened(at(time, hours=1)) as a:
        await a.say("c", "go")
        time.pass_by(timedelta(hours=2))
        turn = await a.say("c", "approve")
        assert turn.reply.startswith("The time at which this was to go out has passed") and len(turn.previews) == 1
    assert not sent(account)


async def test_a_time_of_sending_is_part_of_what_is_approved(opened, time):
    async with opened() as a:
        now = (await a.propose("c", [MAIL])).previews[0]
        later = (await a.propose("c", [at(time, hours=1)])).previews[0]
        later_still = (await a.propose("c", [at(time, hours=2)])).previews[0]
    assert len({now.fingerprint, later.fingerprint, later_still.fingerprint}) == 3


async def test_what_is_scheduled_can_be_withdrawn(opened, account, time):
    async with opened(at(time, hours=1)) as a:
        await approved(a)
        (waiting,) = await a.outbox()
        assert [(o.status, o.says) for o in await a.withdraw(waiting.key)] == [("taken_back", "mail Anna")]
        time.pass_by(timedelta(hours=1))
        assert await a.release() == () and await a.outbox() == ()
        with pytest.raises(UserError, match="Nothing in the outbox"):
            await a.withdraw(waiting.key)
    assert not sent(account)


async def test_what_has_begun_cannot_be_withdrawn(opened, account, time):
    async with opened(at(time, hours=1)) as a:
        await approved(a)
        (waiting,) = await a.outbox()
        (row,) = await a.outgoing.outbox.rows()
        await a.database.write(lambda s: outbox.advance(s, row.id, expect=("held",), to="started", at=time()))
        with pytest.raises(FlowError, match="has begun already"):
            await a.withdraw(waiting.key)


async def test_a_draft_is_deleted_only_when_what_was_written_from_it_has_gone_out(opened, leaves, account, time):
    draft = account.mail / ".Drafts" / "cur"
    draft.mkdir(parents=True)
    (draft / "1.d.host:2,D").write_text("From: me@example.org\nMessage-ID: <d1@example.org>\nSubject: Hi\n\nhello\n")
    delete = DeleteDraft(account="local", mail=MailRef(account="local", id="1.d.host", etag="Drafts:D"))
    async with opened() as a:
        preview = (await a.propose("c", [MAIL, delete], ["mail Anna", "delete the draft"])).previews[0]
        turn = await a.approve(preview.id, preview.fingerprint)
        assert [o.status for o in turn.outcomes] == ["held", "held"]
        await a.undo("c")
        time.pass_by(WINDOW)
        assert await a.release() == () and list(draft.iterdir())


# --- several actions, of which one fails


def refusing(monkeypatch, *refused):
    write = Executor._write

    async def selective(self, action, key):
        if action in refused:
            raise Conflict("It was changed.")
        return await write(self, action, key)

    monkeypatch.setattr(Executor, "_write", selective)


async def carried_out(a, actions):
    preview = (await a.propose("c", actions)).previews[0]
    return await a.approve(preview.id, preview.fingerprint)


async def test_what_is_independent_of_a_failure_goes_on(opened, account, monkeypatch, time):
    other = MAIL.model_copy(update={"subject": "Second"})
    refusing(monkeypatch, MAIL)
    async with opened() as a:
        turn = await carried_out(a, [MAIL, other])
    assert [o.status for o in turn.outcomes] == ["failed", "done"] and [p.actions for p in turn.previews] == [(MAIL,)]


async def test_a_mail_does_not_tell_of_a_change_of_the_calendar_that_failed(opened, account, monkeypatch, time):
    start = time() + timedelta(days=1)
    event = CreateEvent(account="local", title="Dentist", start=start, end=start + timedelta(hours=1))
    refusing(monkeypatch, event)
    async with opened() as a:
        turn = await carried_out(a, [event, MAIL])
        assert [o.status for o in turn.outcomes] == ["failed", "failed"] and not sent(account)
        assert "It was not begun, because what comes before it was not done." in turn.reply
        (again,) = turn.previews
        assert again.actions == (event, MAIL)
        monkeypatch.undo()
        assert [o.status for o in (await a.approve(again.id, again.fingerprint)).outcomes] == ["done", "done"]
    assert len(sent(account)) == 1


async def test_a_second_change_of_the_same_thing_is_not_begun_when_the_first_failed(opened, account, inbox, monkeypatch):
    ref = MailRef(account="local", id="1.a.host", etag="INBOX:S")
    archive, back = (MoveMail(account="local", mail=ref, folder=folder) for folder in ("Archive", "Projects"))
    refusing(monkeypatch, archive)
    async with opened() as a:
        turn = await carried_out(a, [archive, back])
    assert [o.status for o in turn.outcomes] == ["failed", "failed"]


# --- what is uncertain


async def uncertain(a, monkeypatch, *, effect: bool):
    """A mail whose reply was lost and that can't be asked about now, having taken effect or not."""
    write, find = Executor._write, Executor._find
    found = []

    async def lost(self, action, key):
        if effect:
            await write(self, action, key)
        found.append(key)
        raise Unavailable("The connection was lost.")

    async def cut(self, action, key):
        if found:
            raise Unavailable("The connection is lost.")
        return await find(self, action, key)

    with monkeypatch.context() as broken:
        broken.setattr(Executor, "_write", lost)
        broken.setattr(Executor, "_find", cut)
        return await approved(a)


async def test_what_is_uncertain_says_what_to_check_and_is_not_shown_again(opened, account, monkeypatch):
    async with opened() as a:
        turn = await uncertain(a, monkeypatch, effect=True)
        assert [o.status for o in turn.outcomes] == ["unknown"] and not turn.previews
        assert "Look for “Hi” in Sent of local; if it isn't there, it may have been sent all the same" in turn.reply
        assert "so ask the recipient before doing it again." in turn.reply
        assert [o.status for o in await a.outbox()] == ["unknown"]


async def test_asking_again_finds_what_has_happened(opened, account, monkeypatch):
    async with opened() as a:
        await uncertain(a, monkeypatch, effect=True)
        assert [news.outcome.status for news in await a.check_outbox()] == ["done"]
        assert await a.outbox() == () and len(sent(account)) == 1


async def test_asking_again_shows_once_more_what_certainly_did_not_happen(opened, account, monkeypatch):
    async with opened() as a:
        await uncertain(a, monkeypatch, effect=False)
        (news,) = await a.check_outbox()
        assert news.outcome.status == "failed" and not sent(account)
        assert [p.actions for p in (await a.flow(news.flow)).previews] == [(MAIL,)]


async def test_the_next_start_asks_again_and_sends_nothing_by_itself(opened, account, monkeypatch):
    async with opened() as a:
        await uncertain(a, monkeypatch, effect=False)
    async with opened() as a:
        assert [o.status for o in a.recovered] == ["failed"] and not sent(account)
        assert [p.actions for p in await a.open_previews("c")] == [(MAIL,)]


async def test_what_still_cannot_be_told_stays_uncertain(opened, account, monkeypatch):
    async def cut(*_):
        raise Unavailable("The connection is lost.")

    async with opened() as a:
        await uncertain(a, monkeypatch, effect=True)
        monkeypatch.setattr(Executor, "_find", cut)
        assert [news.outcome.status for news in await a.check_outbox()] == ["unknown"]
        assert [o.status for o in await a.outbox()] == ["unknown"]


# --- storage that fails between the steps


def failing(monkeypatch, nth: int) -> None:
    """The nth synced write and all after it fail."""
    write, calls = Database.write_synced, 0

    async def full(self, work):
        nonlocal calls
        calls += 1
        if calls >= nth:
            raise StorageError("The disk is full.")
        return await write(self, work)

    monkeypatch.setattr(Database, "write_synced", full)


@pytest.mark.parametrize("nth", [1, 2, 3])
@pytest.mark.parametrize("held", [False, True])
async def test_storage_that_fails_between_the_steps_loses_nothing_and_doubles_nothing(
    opened, account, time, monkeypatch, nth, held
):
    monkeypatch.setattr(FolderAccount, "sends", held)
    async with opened() as a:
        preview = (await a.say("c", "go")).previews[0]
        with monkeypatch.context() as broken:
            failing(broken, nth)
            with suppress(StorageError):
                await a.approve(preview.id, preview.fingerprint)
                time.pass_by(WINDOW)
                await a.release()
    time.pass_by(timedelta(hours=1))
    async with opened() as a:
        if nth == 1:  # nothing was laid down, so it is still to be approved
            assert (await a.preview(preview.id)).status == "open" and not sent(account)
            await a.approve(preview.id, preview.fingerprint)
            time.pass_by(WINDOW)
            await a.release()
        assert await a.outbox() == ()
    assert len(sent(account)) == 1
