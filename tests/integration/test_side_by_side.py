"""Several processes on the same data: a conversation has one running flow at a time, whoever takes the message."""

import asyncio
from collections import Counter

import pytest
from doubles.cluster import until
from doubles.crashes import MAIL, Died, doing, dying, event, only_flow, sent
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step

from assistant.bootstrap import open_assistant
from assistant.errors import FlowError
from assistant.running import elsewhere, runner
from assistant.running.lease import LEASE
from assistant.values import Data, Success


def looking(*words: str) -> tuple[ScriptedReasoner, ScriptedAgent]:
    return ScriptedReasoner({said: plan(step(1, f"look at {said}")) for said in words}), ScriptedAgent("email", {})


async def begun(agent: ScriptedAgent) -> None:
    async def has_begun() -> bool:
        return bool(agent.given)

    await until(has_begun)


async def test_a_message_interrupts_the_flow_that_another_process_runs(scripted):
    slow, agent = looking("slow", "quick")
    agent.gates["look at slow"] = asyncio.Event()
    async with scripted(slow, agent) as one, scripted(*looking("slow", "quick")) as other:
        first = asyncio.create_task(one.say("c", "slow"))
        await begun(agent)
        second = await asyncio.wait_for(other.say("c", "quick"), 20)
        interrupted = await first
        assert (interrupted.status, second.status) == ("suspended", "done")
        assert any('Previous task: "do it" was in progress.' in note for note in second.context.notes)
        assert (await other.resume(interrupted.flow)).status == "done"
        with pytest.raises(FlowError, match="nothing to resume"):
            await one.resume(interrupted.flow)


async def test_a_flow_stops_at_the_save_that_finds_the_flag(scripted, monkeypatch):
    monkeypatch.setattr(runner, "LOOK", 60)
    reasoner = ScriptedReasoner({"slow": plan(step(1, "first"), step(2, "second", needs=(1,)))})
    agent = ScriptedAgent("email", {})
    agent.gates = {"first": asyncio.Event(), "second": asyncio.Event()}
    async with scripted(reasoner, agent) as one, scripted(*looking("quick")) as other:
        first = asyncio.create_task(one.say("c", "slow"))
        await begun(agent)
        second = asyncio.create_task(other.say("c", "quick"))

        async def flagged() -> bool:
            return any(head.interrupt for head in await other.flows())

        await until(flagged)
        agent.gates["first"].set()
        interrupted = await asyncio.wait_for(first, 20)
        assert (interrupted.status, list(interrupted.reports), (await second).status) == ("suspended", [1], "done")


async def test_ctrl_c_reaches_a_flow_that_another_process_runs(scripted):
    slow, agent = looking("slow")
    agent.gates["look at slow"] = asyncio.Event()
    async with scripted(slow, agent) as one, scripted(*looking("slow")) as other:
        first = asyncio.create_task(one.say("c", "slow"))
        await begun(agent)
        suspended = await asyncio.wait_for(other.suspend("c"), 20)
        assert suspended and suspended.status == (await first).status == "suspended"


async def test_conversations_of_two_processes_do_not_interrupt_each_other(scripted):
    slow, agent = looking("slow")
    agent.gates["look at slow"] = asyncio.Event()
    async with scripted(slow, agent) as one, scripted(*looking("quick")) as other:
        first = asyncio.create_task(one.say("c", "slow"))
        await begun(agent)
        assert (await other.say("d", "quick")).status == "done"
        agent.gates["look at slow"].set()
        assert (await first).status == "done"


async def test_messages_to_many_processes_at_once_run_one_after_the_other(scripted, monkeypatch):
    monkeypatch.setattr(elsewhere, "PAUSE", 0.005)
    running, most = 0, 0

    class Counting(ScriptedAgent):
        async def run(self, instruction, desk):
            nonlocal running, most
            running += 1
            most = max(most, running)
            try:
                await asyncio.sleep(0.02)
                return Success(data=Data(kind="text", text="found"))
            finally:
                running -= 1

    def thinking() -> tuple[ScriptedReasoner, ScriptedAgent]:
        return looking("now")[0], Counting("email", {})

    async with scripted(*thinking()) as one, scripted(*thinking()) as two, scripted(*thinking()) as three:
        turns = await asyncio.wait_for(asyncio.gather(*(a.say("c", "now") for a in (one, two, three) * 3)), 60)
        statuses = Counter(head.status for head in await one.flows("c"))
    assert most == 1
    assert {turn.status for turn in turns} <= {"done", "suspended"} and set(statuses) <= {"done", "suspended"}
    assert statuses.total() == 9


async def test_one_flow_is_resumed_by_one_of_two_processes(scripted):
    slow, agent = looking("slow")
    agent.gates["look at slow"] = asyncio.Event()
    async with scripted(slow, agent) as one:
        first = asyncio.create_task(one.say("c", "slow"))
        await begun(agent)
        await one.suspend("c")
        flow = (await first).flow
    resuming = [looking("slow"), looking("slow")]
    async with scripted(*resuming[0]) as one, scripted(*resuming[1]) as two:
        found = await asyncio.gather(one.resume(flow), two.resume(flow), return_exceptions=True)
    assert sum(len(agent.given) for _, agent in resuming) == 1
    assert sorted(isinstance(one, FlowError) for one in found) == [False, True]


async def test_what_one_process_showed_is_approved_in_another(scripted, account):
    async with scripted(*doing(MAIL, "mail Anna")) as one, scripted(*doing(MAIL, "mail Anna")) as other:
        await other.say("c", "approve")  # it has seen the conversation before
        (preview,) = (await one.say("c", "go")).previews
        assert [outcome.status for outcome in (await other.say("c", "yes, send it")).outcomes] == ["done"]
        with pytest.raises(FlowError, match="approved already"):
            await one.approve(preview.id, preview.fingerprint)
    assert len(sent(account)) == 1


async def test_what_one_process_found_is_meant_by_it_in_another(scripted, account, clock):
    """What was shown last is read anew where another process has answered since."""
    mine, yours = doing(event(clock), words="book it"), doing(event(clock), words="book it")
    async with scripted(*mine) as one, scripted(*yours) as other:
        await other.say("c", "cancel")
        await one.say("c", "book it")
        await one.say("c", "approve")
        await other.say("c", "book it")
    assert [shown.data.kind for shown in yours[0].requests[-1].shown] == ["events"]


async def test_a_dead_processs_flow_does_not_stand_in_the_way_for_longer_than_its_lease(
    scripted, account, tmp_path, clock, monkeypatch
):
    revive = dying(monkeypatch, ScriptedAgent, "run")
    late = lambda: clock() + 2 * LEASE  # noqa: E731
    reasoner, agent = looking("slow", "quick")
    async with scripted(*looking("slow", "quick")):  # so that nobody is alone
        with pytest.raises(Died):
            async with scripted(*looking("slow", "quick")) as dead:
                await dead.say("c", "slow")
        revive()
        agents = {"email": agent, "calendar": agent, "contacts": agent}
        common = {"zone": "Europe/Berlin", "accounts": [account], "agents": agents, "reasoner": reasoner, "recover": False}
        async with open_assistant(tmp_path / "home", clock=late, **common) as a:
            turn = await asyncio.wait_for(a.say("c", "quick"), 20)
            assert turn.status == "done" and (await only_flow(a, "slow")).status == "suspended"


async def test_beside_a_living_lease_a_message_gives_up_in_the_end(scripted, monkeypatch):
    monkeypatch.setattr(elsewhere, "PATIENCE", 0.05)
    revive = dying(monkeypatch, ScriptedAgent, "run")
    async with scripted(*looking("slow", "quick")) as a:
        with pytest.raises(Died):
            async with scripted(*looking("slow", "quick")) as dead:
                await dead.say("c", "slow")
        revive()
        with pytest.raises(FlowError, match="does not come to an end"):
            await a.say("c", "quick")
