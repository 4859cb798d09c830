"""Writes that fail when their flow has long ended: what they were to do is shown again, once, whatever happens meanwhile."""

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from doubles.crashes import MAIL, Died, doing, dying
from doubles.virtual_time import Time

from assistant.bootstrap import open_assistant
from assistant.pipeline.execute import Executor
from assistant.pipeline.master import Master
from assistant.pipeline.propose import Proposer
from assistant.running.courses import Courses
from assistant.running.late import Late
from assistant.running.recall import Recall
from integrations.actions import DeleteDraft
from integrations.errors import Conflict
from integrations.types import MailRef
from storage import outbox
from storage.errors import StorageError

DAY = timedelta(days=1)


@pytest.fixture
def time(clock) -> Time:
    return Time(clock())


@pytest.fixture
def opened(tmp_path, time, account):
    @asynccontextmanager
    async def enter(*, resident: bool = True):
        reasoner, agent = doing(MAIL)
        agents = {"email": agent, "calendar": agent, "contacts": agent}
        common = {"clock": time, "zone": "Europe/Berlin", "accounts": [account], "agents": agents, "reasoner": reasoner}
        async with open_assistant(tmp_path / "home", resident=resident, **common) as a:
            yield a

    return enter


@pytest.fixture
def refused(monkeypatch) -> None:
    async def refuses(*_):
        raise Conflict("The server refuses it.")

    monkeypatch.setattr(Executor, "_write", refuses)


async def scheduled(a, *more, conversation: str = "c"):
    """A mail, and what goes with it, approved for tomorrow."""
    actions = (MAIL.model_copy(update={"send_at": a.clock() + DAY}), *more)
    preview = (await a.propose(conversation, actions)).previews[0]
    turn = await a.approve(preview.id, preview.fingerprint)
    assert {o.status for o in turn.outcomes} == {"held"}


async def shown(a, conversation: str = "c") -> list[str]:
    return [action.kind for preview in await a.open_previews(conversation) for action in preview.actions]


async def none_unshown(a) -> bool:
    return await a.database.read(outbox.unshown) == ()


CRASHES = [
    (Late, "shown_again", False),
    (Recall, "origin", True),
    (Courses, "_late", False),
    (Proposer, "keep", True),
    (Master, "late", True),
]


@pytest.mark.parametrize(("where", "name", "after"), CRASHES)
async def test_a_crash_before_it_is_shown_leaves_it_to_the_next_start(opened, time, monkeypatch, refused, where, name, after):
    async with opened() as a:
        await scheduled(a)
    time.now += 2 * DAY
    revive = dying(monkeypatch, where, name, after=after)
    with pytest.raises(Died):
        async with opened():
            pass
    revive()
    async with opened() as a:
        assert await shown(a) == ["send_mail"] and await none_unshown(a)
    async with opened() as a:
        assert await shown(a) == ["send_mail"] and a.released == ()


async def test_the_start_that_shows_what_failed_before_also_tells_of_it(opened, time, monkeypatch, refused):
    async with opened() as a:
        await scheduled(a)
    time.now += 2 * DAY
    revive = dying(monkeypatch, Late, "shown_again")
    with pytest.raises(Died):
        async with opened():
            pass
    revive()
    async with opened(resident=False) as a:
        assert [(o.status, o.note) for o in a.released] == [("failed", "The server refuses it.")]


async def test_what_fails_in_a_busy_conversation_is_shown_after_a_restart_and_others_at_once(opened, time, refused):
    async with opened() as a:
        await scheduled(a)
        await scheduled(a, conversation="d")
        time.now += 2 * DAY
        await a.dispatch.begin.undo("c", "")
        assert [(n.outcome.status, bool(n.flow)) for n in await a.release()] == [("failed", False), ("failed", True)]
        assert (await shown(a), await shown(a, "d")) == ([], ["send_mail"])
    async with opened() as a:
        assert (await shown(a), await shown(a, "d")) == (["send_mail"], ["send_mail"]) and await none_unshown(a)


async def test_of_several_assistants_one_shows_it(opened, time, monkeypatch, refused):
    async with opened() as a, opened() as b, opened() as c:
        await scheduled(a)
        time.now += 2 * DAY
        with monkeypatch.context() as broken:
            broken.setattr(Recall, "origin", _unreadable)
            await a.release()
            assert await shown(a) == []
        found = await asyncio.gather(a.release(), b.release(), c.release())
        assert sum(len(news) for news in found) == 1 and await shown(a) == ["send_mail"]


async def _unreadable(*_):
    raise StorageError("The database can't be read.")


async def test_what_can_not_be_shown_now_does_not_keep_others_from_going_out(opened, time, monkeypatch):
    async with opened() as a:
        await scheduled(a)
        time.now += 2 * DAY
        monkeypatch.setattr(Late, "unshown", _unreadable)
        assert [n.outcome.status for n in await a.release()] == ["done"]


async def test_what_can_not_be_shown_is_tried_once_by_each_program(opened, time, monkeypatch, refused):
    async def broken_off(*_):
        raise StorageError("The disk is full.")

    async with opened() as a:
        await scheduled(a)
        time.now += 2 * DAY
        with monkeypatch.context() as broken:
            broken.setattr(Master, "late", broken_off)
            assert [(n.outcome.status, n.flow) for n in await a.release()] == [("failed", "")]
            before = await a.flows("c")
            assert await a.release() == () and await a.flows("c") == before
    async with opened() as a:
        assert await shown(a) == ["send_mail"] and await none_unshown(a)


async def test_what_fails_while_its_flow_runs_is_shown_by_that_alone(opened, refused):
    async with opened() as a:
        await a.say("c", "go")
        turn = await a.say("c", "approve")
        assert [o.status for o in turn.outcomes] == ["failed"] and await none_unshown(a)
    async with opened() as a:
        assert await shown(a) == ["send_mail"]


async def test_what_was_taken_back_is_not_shown_as_failed(opened, time):
    async with opened() as a:
        await scheduled(a)
        (held,) = await a.outbox()
        await a.withdraw(held.key)
        assert await none_unshown(a)
        time.now += 2 * DAY
        assert await a.release() == () and await shown(a) == []


async def test_what_is_forgotten_is_not_shown(opened, time, monkeypatch, refused):
    async with opened() as a:
        await scheduled(a)
        time.now += 2 * DAY
        with monkeypatch.context() as broken:
            broken.setattr(Recall, "origin", _unreadable)
            await a.release()
        assert not await none_unshown(a)
        await a.forget(person="anna@example.org", really=True)
        assert await none_unshown(a)
        assert await a.release() == () and await shown(a) == []


# --- what waits for a mail


@pytest.fixture
def draft(account, inbox):
    """Its file, and what deletes it."""
    for folder in ("cur", "new", "tmp"):
        (account.mail / ".Drafts" / folder).mkdir(parents=True, exist_ok=True)
    file = account.mail / ".Drafts" / "cur" / "1.d.host:2,D"
    file.write_text("From: me@example.org\nMessage-ID: <d1@example.org>\nSubject: Hi\n\nhello\n")
    return file, DeleteDraft(account="local", mail=MailRef(account="local", id="1.d.host", etag="Drafts:D"))


async def test_leaving_keeps_the_draft_of_a_mail_that_has_its_own_time(opened, time, draft):
    file, delete = draft
    async with opened() as a:
        await scheduled(a, delete)
        assert await a.release(hurry=True) == () and [o.status for o in await a.outbox()] == ["held", "held"]
        time.now += DAY
        assert [n.outcome.status for n in await a.release()] == ["done", "done"]
    assert not file.exists()


async def test_a_draft_is_never_deleted_while_the_mail_written_from_it_is_held(opened, time, draft):
    file, delete = draft
    async with opened() as a:
        await scheduled(a, delete)
        _, row = await a.outgoing.outbox.rows()
        await a.database.write(lambda s: outbox.advance(s, row.id, expect=("held",), to="pending", at=time()))
    async with opened() as a:
        assert [o.status for o in a.recovered] == ["pending"] and file.exists()
        time.now += DAY
        await a.release()
    async with opened():
        assert not file.exists()
