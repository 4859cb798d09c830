"""What goes wrong while the program runs: one sentence, nothing twice, and no text lost."""

import asyncio
import errno
import os

import pytest
from doubles.crashes import ARCHIVE, MAIL, REPLY, archived, doing, only_flow, sent, shown

from assistant.bootstrap import open_assistant
from assistant.errors import FlowError
from assistant.pipeline.execute import Executor
from assistant.pipeline.propose import Proposer
from assistant.running.journal import FlowJournal
from assistant.running.lease import Presence
from integrations.errors import Unavailable
from integrations.local import maildir


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), ValueError("odd")])
async def test_an_unexpected_fault_of_a_writer_is_settled_by_asking(scripted, account, monkeypatch, fault):
    preview = await shown(scripted, doing(MAIL, "mail Anna"))

    async def fails(*_):
        raise fault

    monkeypatch.setattr(Executor, "_write", fails)
    async with scripted(*doing(MAIL)) as a:
        turn = await a.approve(preview.id, preview.fingerprint)
        assert turn.outcomes[0].status == "failed" and str(fault) in turn.outcomes[0].note
    async with scripted(*doing(MAIL)) as a:
        assert a.recovered == ()


async def test_a_fault_in_a_flow_ends_it_with_one_sentence(scripted, monkeypatch):
    async with scripted(*doing(MAIL)) as a:
        with pytest.raises(Exception, match="unexpected went wrong") as raised:
            await a.say("c", "what the reasoner has no plan for")
        turn = await only_flow(a, "what the reasoner has no plan for")
    assert turn.status == "failed" and turn.reply == str(raised.value) and "\n" not in turn.reply


async def test_a_fault_after_a_low_write_never_hides_what_was_done(scripted, account, inbox, monkeypatch):
    async def fails(*_) -> None:
        raise ValueError("odd")

    thinking = doing(ARCHIVE, "archive it", "archive it")
    monkeypatch.setattr(Proposer, "offer", fails)
    async with scripted(*thinking) as a:
        turn = await a.say("c", "archive it")
        assert turn.reply.startswith("✓ Done: archive it.") and "unexpected went wrong" in turn.reply
        await a.undo("c")
    assert not archived(account)


async def test_an_account_out_of_reach_leaves_the_approved_preview_open(scripted, account, inbox):
    preview = await shown(scripted, doing(MAIL))
    away = account.mail.rename(account.mail.with_name("away"))
    async with scripted(*doing(MAIL)) as a:
        with pytest.raises(Unavailable) as raised:
            await a.approve(preview.id, preview.fingerprint)
        turn = await only_flow(a, "approve")
        assert (turn.status, turn.reply) == ("failed", str(raised.value))
        away.rename(account.mail)
        assert [o.status for o in (await a.say("c", "approve")).outcomes] == ["done"]
    assert len(sent(account)) == 1


# --- an approval that can't be done keeps its text


async def test_a_full_disk_loses_no_text_and_leaves_no_half_file(scripted, account, inbox, monkeypatch):
    preview = await shown(scripted, doing(MAIL, "mail Anna"))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with scripted(*doing(MAIL)) as a:
        with monkeypatch.context() as disk:
            disk.setattr(maildir.os, "fsync", full)
            turn = await a.approve(preview.id, preview.fingerprint)
        assert turn.status == "failed" and turn.reply.startswith("✗ Not done: mail Anna.")
        assert [p.actions for p in turn.previews] == [(MAIL,)] and turn.previews[0].id != preview.id
        assert not list((account.mail / ".Outbox" / "tmp").iterdir())
        assert [o.status for o in (await a.say("c", "approve")).outcomes] == ["done"]
    assert len(sent(account)) == 1


async def test_a_refusal_shows_the_proposal_again_even_where_nothing_can_be_read(scripted, account, monkeypatch):
    preview = await shown(scripted, doing(MAIL, "mail Anna"))

    async def refuses(*_):
        raise PermissionError("no")

    async def out_of_reach(*_, **__):
        raise Unavailable("out of reach")

    async with scripted(*doing(MAIL)) as a:
        with monkeypatch.context() as broken:
            broken.setattr(Executor, "_write", refuses)
            broken.setattr(Proposer, "preview", out_of_reach)
            turn = await a.approve(preview.id, preview.fingerprint)
        (again,) = turn.previews
        assert (again.actions, again.fingerprint) == (preview.actions, preview.fingerprint)
        with pytest.raises(FlowError, match="approved already"):
            await a.approve(preview.id, preview.fingerprint)
        assert [o.status for o in (await a.approve(again.id, again.fingerprint)).outcomes] == ["done"]
    assert len(sent(account)) == 1


async def test_only_what_failed_of_several_is_shown_again(scripted, account, monkeypatch):
    other = MAIL.model_copy(update={"subject": "Second"})
    write = Executor._write

    async def refuses_the_second(self, action, key):
        if action == other:
            raise PermissionError("no")
        return await write(self, action, key)

    async with scripted(*doing(MAIL)) as a:
        preview = (await a.propose("c", [MAIL, other], ["the first", "the second"])).previews[0]
        with monkeypatch.context() as broken:
            broken.setattr(Executor, "_write", refuses_the_second)
            turn = await a.approve(preview.id, preview.fingerprint)
        assert turn.status == "done" and [p.actions for p in turn.previews] == [(other,)]


async def test_a_reply_whose_original_is_gone_is_shown_as_a_new_mail_with_its_words(scripted, account, inbox):
    preview = await shown(scripted, doing(REPLY, "reply to x"))
    (inbox / "cur" / "1.a.host:2,S").unlink()
    async with scripted(*doing(REPLY)) as a:
        turn = await a.approve(preview.id, preview.fingerprint)
        assert not turn.outcomes and "it would go out as a new mail" in turn.reply
        assert [p.actions for p in turn.previews] == [(MAIL,)]
        await a.say("c", "approve")
    assert len(sent(account)) == 1


async def test_a_forward_whose_original_is_gone_keeps_only_words_of_ones_own(scripted, account, inbox):
    bare = REPLY.model_copy(update={"reply_to": None, "forward_of": REPLY.reply_to, "body": ""})
    preview = await shown(scripted, doing(bare))
    (inbox / "cur" / "1.a.host:2,S").unlink()
    async with scripted(*doing(bare)) as a:
        turn = await a.approve(preview.id, preview.fingerprint)
    assert turn.status == "failed" and not turn.previews and "not there any more" in turn.reply


# --- cancelled callers, and several at once


@pytest.mark.parametrize("act", ["say", "approve"])
async def test_a_caller_that_is_cancelled_leaves_no_flow_that_runs(scripted, account, monkeypatch, act):
    preview = await shown(scripted, doing(MAIL))
    create = FlowJournal.create
    created = asyncio.Event()

    async def slowly(self, state):
        stored = await create(self, state)
        created.set()
        await asyncio.sleep(0.05)
        return stored

    monkeypatch.setattr(FlowJournal, "create", slowly)
    async with scripted(*doing(MAIL)) as a:
        calling = asyncio.create_task(a.say("d", "go") if act == "say" else a.approve(preview.id, preview.fingerprint))
        await created.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        heads = await a.flows()
        assert heads and not [head for head in heads if head.status == "running"]
        for head in heads:
            if head.status == "suspended":
                assert (await a.resume(head.id)).previews


async def test_two_assistants_open_one_home_at_the_same_moment(tmp_path, account, clock):
    async def opened() -> int:
        async with open_assistant(tmp_path / "home", clock=clock, zone="Europe/Berlin", accounts=[account]) as a:
            return len(await a.flows())

    assert await asyncio.wait_for(asyncio.gather(opened(), opened(), opened()), 10) == [0, 0, 0]


async def test_where_files_cannot_be_locked_nobody_counts_as_alone_and_nobody_waits(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuses(*_) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuses)
    presence = Presence(tmp_path)
    assert not presence.enter()
    await asyncio.wait_for(presence.settle(), 1)
