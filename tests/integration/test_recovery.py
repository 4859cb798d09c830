"""What a crash leaves behind is found out, told and, where it was never begun, done: once."""

import asyncio
from datetime import timedelta
from io import StringIO

import pytest
from doubles.cluster import until
from doubles.crashes import ARCHIVE, MAIL, Died, archived, doing, dying, event, killed, only_flow, sent, shown
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step
from rich.console import Console

from assistant.bootstrap import open_assistant
from assistant.cli.resuming import resumed
from assistant.errors import FlowError
from assistant.pipeline.execute import Executor
from assistant.pipeline.master import Master
from assistant.pipeline.propose import Proposer
from assistant.running import recovery, runner
from assistant.running.courses import Courses
from assistant.running.journal import FlowJournal
from assistant.running.lease import LEASE

IN_THE_MIDDLE = "The program ended in the middle of this"


# --- writes that were approved


async def test_an_approved_mail_that_was_never_begun_waits_for_its_folder_and_is_sent_once(scripted, account, inbox, monkeypatch):
    await shown(scripted, doing(MAIL, "mail Anna"))
    revive = dying(monkeypatch, Executor, "_send")
    await killed(scripted, doing(MAIL), "approve")
    revive()
    away = account.mail.rename(account.mail.with_name("away"))
    async with scripted(*doing(MAIL)) as a:
        assert [(o.status, o.says) for o in a.recovered] == [("pending", "mail Anna")]
        assert "… Waiting: mail Anna." in (await only_flow(a, "approve")).reply
    away.rename(account.mail)
    async with scripted(*doing(MAIL)) as a:
        assert [(o.status, o.says) for o in a.recovered] == [("done", "mail Anna")]
    async with scripted(*doing(MAIL)) as a:
        assert a.recovered == ()
    assert len(sent(account)) == 1


async def test_a_write_that_was_begun_and_cannot_be_asked_about_is_unknown_and_told(scripted, account, inbox, monkeypatch):
    await shown(scripted, doing(MAIL, "mail Anna"))
    revive = dying(monkeypatch, Executor, "_write")
    await killed(scripted, doing(MAIL), "approve")
    revive()
    account.mail.rename(account.mail.with_name("away"))
    async with scripted(*doing(MAIL)) as a:
        assert [o.status for o in a.recovered] == ["unknown"]
        assert "? Uncertain: mail Anna." in (await only_flow(a, "approve")).reply


@pytest.mark.parametrize(("where", "after"), [("_write", False), ("_write", True), ("_finish", False), ("_finish", True)])
async def test_a_crash_in_an_approval_is_told_in_the_flow_and_done_once(scripted, account, inbox, monkeypatch, where, after):
    await shown(scripted, doing(MAIL, "mail Anna"))
    revive = dying(monkeypatch, Executor, where, after=after)
    await killed(scripted, doing(MAIL), "approve")
    revive()
    async with scripted(*doing(MAIL)) as a:
        turn = await only_flow(a, "approve")
    assert (turn.status, [o.status for o in turn.outcomes]) == ("done", ["done"])
    assert turn.reply.startswith("✓ Done: mail Anna.") and IN_THE_MIDDLE in turn.reply
    assert len(sent(account)) == 1


async def test_what_was_approved_before_a_crash_can_be_undone(scripted, account, clock, monkeypatch):
    thinking = doing(event(clock), "enter the dentist")
    preview = None
    async with scripted(*thinking) as a:
        preview = (await a.say("c", "go")).previews[0]
    revive = dying(monkeypatch, Executor, "_finish")
    await killed(scripted, thinking, "approve")
    revive()
    async with scripted(*thinking) as a:
        assert (await a.preview(preview.id)).status == "approved" and list(account.calendars.rglob("*.ics"))
        assert [o.status for o in (await a.undo("c")).outcomes] == ["done"]
    assert not list(account.calendars.rglob("*.ics"))


async def test_an_approval_that_ended_before_it_wrote_is_carried_out_once(scripted, account, monkeypatch):
    preview = await shown(scripted, doing(MAIL, "mail Anna"))
    revive = dying(monkeypatch, Executor, "carry_out")
    await killed(scripted, doing(MAIL), "approve")
    revive()
    async with scripted(*doing(MAIL)) as a:
        assert [(o.status, o.says) for o in a.recovered] == [("done", "mail Anna")]
        turn = await only_flow(a, "approve")
        assert turn.status == "done" and (await a.preview(preview.id)).status == "approved"
    async with scripted(*doing(MAIL)) as a:
        assert a.recovered == ()
    assert len(sent(account)) == 1


async def test_an_approval_that_ended_before_it_wrote_stays_open_where_it_can_not_be_carried_out(
    scripted, account, inbox, monkeypatch
):
    preview = await shown(scripted, doing(MAIL))
    revive = dying(monkeypatch, Executor, "carry_out")
    await killed(scripted, doing(MAIL), "approve")
    revive()
    away = account.mail.rename(account.mail.with_name("away"))
    async with scripted(*doing(MAIL)) as a:
        turn = await only_flow(a, "approve")
        assert turn.status == "failed" and [p.id for p in turn.previews] == [preview.id]
        away.rename(account.mail)
        assert [o.status for o in (await a.say("c", "approve")).outcomes] == ["done"]
    assert len(sent(account)) == 1


# --- undo, cancel and writes that need no approval


async def test_an_undo_that_a_crash_cut_short_is_ended_and_not_done_to_something_else(scripted, account, clock, monkeypatch):
    thinking = doing(event(clock))
    for _ in range(2):
        async with scripted(*thinking) as a:
            await a.say("c", "go")
            await a.say("c", "approve")
    revive = dying(monkeypatch, Executor, "_finish")
    with pytest.raises(Died):
        async with scripted(*thinking) as a:
            await a.undo("c")
    revive()
    async with scripted(*thinking) as a:
        turn = await only_flow(a, "undo")
        assert turn.status == "done" and turn.outcomes[0].status == "done" and IN_THE_MIDDLE in turn.reply
        with pytest.raises(FlowError, match="nothing to resume"):
            await a.resume(turn.flow)
    assert len(list(account.calendars.rglob("*.ics"))) == 1


async def test_a_cancellation_that_took_effect_before_the_crash_is_told_as_done(scripted, monkeypatch):
    preview = await shown(scripted, doing(MAIL, "mail Anna"))
    revive = dying(monkeypatch, FlowJournal, "save")
    await killed(scripted, doing(MAIL), "cancel")
    revive()
    async with scripted(*doing(MAIL)) as a:
        turn = await only_flow(a, "cancel")
        assert (turn.status, (await a.preview(preview.id)).status) == ("done", "cancelled")
    assert turn.reply == 'Cancelled: mail Anna: "Hi". Nothing was done.'


async def test_an_undo_that_had_not_begun_is_done_once_and_takes_back_what_it_was_about(scripted, account, clock, monkeypatch):
    thinking = doing(event(clock))
    for _ in range(2):
        async with scripted(*thinking) as a:
            await a.say("c", "go")
            await a.say("c", "approve")
    revive = dying(monkeypatch, Courses, "run")
    with pytest.raises(Died):
        async with scripted(*thinking) as a:
            await a.undo("c")
    revive()
    for _ in range(2):
        async with scripted(*thinking) as a:
            assert (await only_flow(a, "undo")).status == "done"
            assert len(list(account.calendars.rglob("*.ics"))) == 1


@pytest.mark.parametrize("where", [(Executor, "_send"), (Executor, "_write"), (Executor, "_finish"), (Proposer, "offer")])
async def test_a_crash_in_a_low_write_is_told_and_can_be_undone(scripted, account, inbox, monkeypatch, where):
    thinking = doing(ARCHIVE, "archive it", "archive it")
    revive = dying(monkeypatch, *where)
    await killed(scripted, thinking, "archive it")
    revive()
    async with scripted(*thinking) as a:
        turn = await only_flow(a, "archive it")
        assert turn.status == "done" and turn.reply.startswith("✓ Done: archive it.") and IN_THE_MIDDLE in turn.reply
        assert len(archived(account)) == 1
        await a.undo("c")
    assert not archived(account)


async def test_a_flow_whose_low_write_was_begun_resumes_without_writing_again(scripted, account, inbox, monkeypatch):
    thinking = doing(ARCHIVE, "archive it", "archive it")
    revive = dying(monkeypatch, Executor, "_finish")
    await killed(scripted, thinking, "archive it")
    revive()

    async def fails(*_) -> None:
        raise ValueError

    with monkeypatch.context() as broken:
        broken.setattr(Master, "conclude", fails)
        async with scripted(*thinking) as a:
            turn = await only_flow(a, "archive it")
            assert turn.status == "suspended"
    async with scripted(*thinking) as a:
        resumed = await a.resume(turn.flow)
    assert resumed.status == "done" and [o.status for o in resumed.outcomes] == ["done"] and len(archived(account)) == 1


async def test_a_preview_stored_just_before_a_crash_is_shown_and_no_second_one(scripted, monkeypatch):
    revive = dying(monkeypatch, Proposer, "keep", after=True)
    await killed(scripted, doing(MAIL, "mail Anna"), "go")
    revive()
    async with scripted(*doing(MAIL)) as a:
        turn = await only_flow(a, "go")
        assert turn.status == "done" and [p.items[0].says for p in await a.open_previews()] == ["mail Anna"]
        assert [p.id for p in turn.previews] == [p.id for p in await a.open_previews()]


async def test_a_flow_that_had_written_nothing_rests_and_can_be_gone_on_with(scripted, monkeypatch):
    revive = dying(monkeypatch, ScriptedAgent, "run")
    await killed(scripted, doing(MAIL), "go")
    revive()
    async with scripted(*doing(MAIL)) as a:
        turn = await only_flow(a, "go")
        assert turn.status == "suspended"
        assert (await a.resume(turn.flow)).previews


def two_steps() -> tuple[ScriptedReasoner, ScriptedAgent]:
    return ScriptedReasoner({"go": plan(step(1, "first"), step(2, "second", needs=(1,)))}), ScriptedAgent("email", {})


def staying(scripted_home, account, clock, reasoner, agent):
    """An assistant that stays open, as a chat and a service do."""
    agents = {"email": agent, "calendar": agent, "contacts": agent}
    common = {"clock": clock, "zone": "Europe/Berlin", "accounts": [account], "reasoner": reasoner, "agents": agents}
    return open_assistant(scripted_home, resident=True, **common)


async def test_one_that_stays_open_goes_on_and_repeats_no_finished_step(scripted, account, tmp_path, clock, monkeypatch):
    revive = dying(monkeypatch, ScriptedAgent, "run", nth=2)
    await killed(scripted, two_steps(), "go")
    revive()
    reasoner, agent = two_steps()
    async with staying(tmp_path / "home", account, clock, reasoner, agent) as a:
        (turn,) = [turn async for turn in a.resumed()]
        assert turn.status == "done" and not await a.flows(resting=True)
    assert agent.given == ["second"] and reasoner.asked == ["reply"]


async def test_a_chat_tells_what_came_of_what_it_goes_on_with(scripted, account, tmp_path, clock, monkeypatch):
    revive = dying(monkeypatch, ScriptedAgent, "run", nth=2)
    await killed(scripted, two_steps(), "go")
    revive()
    out = Console(file=StringIO(), width=200)

    async def told() -> bool:
        return "second: done" in out.file.getvalue()

    async with staying(tmp_path / "home", account, clock, *two_steps()) as a, resumed(a, out):
        await asyncio.wait_for(until(told), 20)
    assert "Going on with 1 task that the program's end had cut short." in out.file.getvalue()


async def test_what_goes_on_after_a_crash_is_interrupted_as_any_other(scripted, account, tmp_path, clock, monkeypatch):
    revive = dying(monkeypatch, ScriptedAgent, "run", nth=2)
    await killed(scripted, two_steps(), "go")
    revive()
    reasoner, agent = two_steps()
    reasoner.plans["other"] = plan(step(1, "other"))
    agent.gates["second"] = asyncio.Event()
    async with staying(tmp_path / "home", account, clock, reasoner, agent) as a:
        assert (await a.say("c", "other")).status == "done"
        assert (await only_flow(a, "go")).status == "suspended"


async def test_what_ends_the_program_each_time_rests_in_the_end(scripted, account, tmp_path, clock, monkeypatch):
    revive = dying(monkeypatch, ScriptedAgent, "run")
    await killed(scripted, two_steps(), "go")
    for _ in range(recovery.MOST):
        async with staying(tmp_path / "home", account, clock, *two_steps()) as a:
            await asyncio.wait(a.going_on.values())
    revive()
    async with staying(tmp_path / "home", account, clock, *two_steps()) as a:
        assert not a.going_on and (await only_flow(a, "go")).status == "suspended"


async def test_recovery_never_stops_the_start(scripted, account, inbox, monkeypatch):
    await shown(scripted, doing(MAIL))
    revive = dying(monkeypatch, Executor, "_write")
    await killed(scripted, doing(MAIL), "approve")
    revive()

    async def fails(*_):
        raise ValueError("odd")

    with monkeypatch.context() as broken:
        broken.setattr(Executor, "_finish", fails)
        async with scripted(*doing(MAIL)) as a:
            assert a.recovered == ()
    async with scripted(*doing(MAIL)) as a:
        assert [o.status for o in a.recovered] == ["done"]
    assert len(sent(account)) == 1


# --- beside others


async def test_beside_others_only_what_nobody_looks_after_any_more_is_taken_up(
    scripted, account, inbox, tmp_path, clock, monkeypatch
):
    await shown(scripted, doing(MAIL, "mail Anna"))

    async def recovered(later: timedelta) -> list[str]:
        now = lambda: clock() + later  # noqa: E731
        async with open_assistant(tmp_path / "home", clock=now, zone="Europe/Berlin", accounts=[account]) as a:
            return [outcome.status for outcome in a.recovered]

    async with scripted(*doing(MAIL)):
        revive = dying(monkeypatch, Executor, "_send")
        await killed(scripted, doing(MAIL), "approve")
        revive()
        assert await recovered(LEASE / 2) == []
        assert await recovered(LEASE * 2) == ["done"]
        assert await recovered(LEASE * 4) == []
    assert len(sent(account)) == 1


async def test_a_flow_that_takes_long_keeps_its_lease(scripted, monkeypatch):
    monkeypatch.setattr(runner, "BEAT", timedelta(milliseconds=10))
    monkeypatch.setattr(runner, "LOOK", 0.01)
    prolonged = asyncio.Event()
    original = FlowJournal.prolong

    async def prolong(self, flows) -> tuple[str, ...]:
        lost = await original(self, flows)
        prolonged.set()
        return lost

    monkeypatch.setattr(FlowJournal, "prolong", prolong)
    reasoner, agent = doing(MAIL)
    agent.gates["do"] = prolonged
    async with scripted(reasoner, agent) as a:
        assert (await asyncio.wait_for(a.say("c", "go"), 5)).previews
