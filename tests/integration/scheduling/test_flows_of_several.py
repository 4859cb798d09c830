"""Runs of schedules where several processes share the data: in a file, and on a server."""

import asyncio

import pytest
from doubles.crashes import MAIL, doing, sent
from doubles.scheduled import due, ran
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step

from assistant.errors import AssistantError
from assistant.running.elsewhere import PAUSE


@pytest.fixture(params=["file", "server"])
def database_url(request: pytest.FixtureRequest) -> str:
    return "" if request.param == "file" else request.getfixturevalue("postgres_url")


def asking() -> tuple[ScriptedReasoner, ScriptedAgent]:
    return ScriptedReasoner({"hello": plan(step(1, "look")), "look": plan(step(1, "see"))}), ScriptedAgent("email", {})


async def test_it_waits_for_what_runs_in_another_process(scripted):
    busy, free = asking(), asking()
    began, may_end = asyncio.Event(), asyncio.Event()
    busy[1].gates["look"], busy[1].on_start = may_end, lambda _: began.set()
    async with scripted(*busy) as a, scripted(*free) as b:
        talking = asyncio.create_task(a.say("c", "hello"))
        await began.wait()
        running = asyncio.create_task(ran(b, due("look")))
        await asyncio.sleep(3 * PAUSE)
        assert not running.done() and free[1].given == []
        may_end.set()
        assert ((await talking).status, (await running).status) == ("done", "done")
        assert [m.role for m in (await a.said("c")).messages] == ["user", "assistant", "schedule", "assistant"]


async def test_words_said_to_another_process_interrupt_it_and_it_goes_on_behind_them(scripted):
    busy, other = asking(), asking()
    began = asyncio.Event()
    busy[1].gates["see"], busy[1].on_start = asyncio.Event(), lambda _: began.set()
    async with scripted(*busy) as a, scripted(*other) as b:
        running = asyncio.create_task(ran(a, due("look")))
        await began.wait()
        busy[1].gates.clear()
        said = await b.say("c", "hello")
        state = await running
    assert (said.status, state.status) == ("done", "done")


async def test_approved_here_and_dropped_there_it_is_either_done_or_not(scripted, inbox, account):
    async with scripted(*doing(MAIL)) as a, scripted(*doing(MAIL)) as b:
        state = await ran(a, due("go"))
        (preview,) = await a.open_previews()
        both = await asyncio.gather(a.approve(preview.id, preview.fingerprint), b.cancel(state.id), return_exceptions=True)
        assert all(isinstance(one, AssistantError) for one in both if isinstance(one, BaseException))
        stands = (await a.preview(preview.id)).status, (await a.flow(state.id)).status, len(sent(account))
    assert stands in {("approved", "done", 1), ("cancelled", "cancelled", 0)}
