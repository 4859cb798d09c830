"""Drafting in trouble: interruptions, models that die or dawdle, budgets, and a program that is killed."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from doubles.drafters import Office, writes
from doubles.llm import Answer, Answerer, Failure, Reply, RequestSeen, ScriptedEndpoint, data
from doubles.llm.scenarios import RightSteps, plan

from assistant.bootstrap import model_calls, open_assistant
from assistant.facade import Assistant, Turn
from assistant.pipeline.state import FlowState
from config.drafting import DraftingSettings
from config.settings import LlmSettings, Settings
from risk.versions import Written
from storage import flows

from .conftest import NOW

COMPLAINT = "draft a reply to the complaint from Emily Hart, think hard"
STYLES = ("brief", "warm", "thorough")
DOWN = Failure(503, "The model is down.", type="server_error")
Opened = Callable[..., AbstractAsyncContextManager[Assistant]]


def text_of(style: str) -> str:
    return f"Dear Emily,\n\nI am sorry, in a {style} way.\n\nAlex"


@pytest.fixture
def office(monkeypatch: pytest.MonkeyPatch) -> Office:
    right = RightSteps()
    right.hear(monkeypatch.setattr)
    return Office(right, {style: writes(text_of(style), 1, "it is the second") for style in STYLES})


@pytest.fixture
def endpoint(office: Office) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(office) as endpoint:
        yield endpoint
        assert not endpoint.complaints


@pytest.fixture
def opened(tmp_path: Path, endpoint: ScriptedEndpoint) -> Opened:
    @asynccontextmanager
    async def enter(llm: dict[str, Any] | None = None, **drafting: Any) -> AsyncIterator[Assistant]:
        asked = {"base_url": endpoint.url, "api_key": endpoint.key, "model": "scripted", "retries": 0}
        settings = Settings(home=tmp_path, llm=LlmSettings(**asked, **(llm or {})), drafting=DraftingSettings(**drafting))
        async with open_assistant(settings=settings, clock=lambda: NOW, zone="Europe/Berlin") as a:
            yield a

    return enter


def written_of(turn: Turn) -> Written:
    written = turn.previews[0].items[0].written
    assert written is not None
    return written


def once(script: Answerer, then: Reply) -> Answerer:
    """By its script the first time, and from then on so."""
    asked: list[RequestSeen] = []

    def answer(seen: RequestSeen) -> Reply:
        asked.append(seen)
        return script(seen) if len(asked) == 1 else then

    return answer


class Gate:
    """Answers when it is opened; `asked` is set as soon as somebody waits."""

    def __init__(self, script: Answerer) -> None:
        self.script, self.asked, self.open = script, threading.Event(), threading.Event()

    def __call__(self, seen: RequestSeen) -> Reply:
        self.asked.set()
        self.open.wait(20)
        return self.script(seen)


@pytest.fixture
def gate(office: Office) -> Iterator[Gate]:
    """The thorough one's."""
    gate = Gate(office.drafters["thorough"])
    office.drafters["thorough"] = gate
    yield gate
    gate.open.set()


async def begun(a: Assistant, gate: Gate) -> "asyncio.Future[Turn]":
    """Under way, with two answers there and the third to come."""
    saying = asyncio.ensure_future(a.say("c", COMPLAINT))
    await asyncio.to_thread(gate.asked.wait, 10)
    return saying


# --- interruptions


async def test_ctrl_c_in_the_middle_suspends_it_and_going_on_drafts_again(opened: Opened, gate: Gate) -> None:
    heard: list[int] = []
    async with opened() as a:

        async def listen() -> None:
            async for event in a.events("c"):
                heard.append(event.seq)

        listening = asyncio.ensure_future(listen())
        saying = await begun(a, gate)
        await a.suspend("c")
        suspended = await saying
        assert (suspended.status, suspended.previews) == ("suspended", ())
        gate.open.set()
        turn = await a.resume(suspended.flow)
        listening.cancel()
        stored = [event async for event in a.events("c", flow=suspended.flow)]
    assert len(written_of(turn).versions) == 3
    assert heard == [event.seq for event in stored] == list(range(1, len(stored) + 1))
    assert any("brief is working" in event.text for event in stored), "what was told before is part of the record"


async def test_a_new_message_in_the_middle_comes_first(opened: Opened, gate: Gate) -> None:
    async with opened() as a:
        saying = await begun(a, gate)
        other = await a.say("c", "what's on my calendar tomorrow?")
        assert (await saying).status == "suspended"
        assert "I've paused" in other.reply and not other.previews
        gate.open.set()
        assert len(written_of(await a.say("c", "continue")).versions) == 3


async def test_a_mail_that_was_written_before_the_interruption_is_not_written_again(opened: Opened, office: Office) -> None:
    """Emily's is weighed by three, Tom's is written at once."""
    gate = Gate(writes(text_of("thorough")))
    office.drafters["thorough"] = gate
    async with opened() as a:
        asked = "draft a reply to the last mail from Tom and draft a reply to the last mail from Emily Hart"
        saying = asyncio.ensure_future(a.say("c", asked))
        await asyncio.to_thread(gate.asked.wait, 10)
        await asyncio.sleep(0.5)
        await a.suspend("c")
        flow = (await saying).flow
        gate.open.set()
        turn = await a.resume(flow)
    assert [item.written.strategy for item in turn.previews[0].items if item.written] == ["single", "coordination"]
    calls = [call for call in await model_calls(a.home, NOW.replace(year=2000)) if call.role == "draft" and not call.trouble]
    assert len(calls) <= 2 + 8 + 1, "the two of before, the eight of one coordination, and Tom's once"


async def test_a_program_that_is_killed_in_the_middle_goes_on_when_it_is_started_again(
    opened: Opened, office: Office, gate: Gate, tmp_path: Path, endpoint: ScriptedEndpoint
) -> None:
    write = {"instruction": "Draft a reply to the complaint from Emily Hart", "expects": "proposal"}
    office.steps = lambda seen: data(plan(write, request="write"))
    named = {"base_url": endpoint.url, "api_key": endpoint.key, "model": "scripted", "retries": "0"}
    variables = {f"ASSISTANT_LLM__{name.upper()}": value for name, value in named.items()}
    command = (sys.executable, "-c", KILLED, str(tmp_path), COMPLAINT)
    running = await asyncio.create_subprocess_exec(*command, env=os.environ | variables)
    assert await asyncio.to_thread(gate.asked.wait, 60)
    running.kill()
    await running.wait()
    gate.open.set()
    async with opened() as a:
        (head,) = [head for head in await a.flows() if head.status != "done"]
        assert head.status == "suspended" and not await a.open_previews()
        turn = await a.resume(head.id)
        assert len(written_of(turn).versions) == 3
        numbers = [event.seq async for event in a.events("c", flow=head.id)]
    assert numbers == list(range(1, len(numbers) + 1))


KILLED = """
import asyncio, sys
from datetime import datetime
from zoneinfo import ZoneInfo
from assistant.bootstrap import open_assistant

async def main():
    clock = lambda: datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    async with open_assistant(sys.argv[1], clock=clock, zone="Europe/Berlin") as a:
        await a.say("c", sys.argv[2])

asyncio.run(main())
"""


# --- models that fail


async def test_what_the_living_come_to_stands_and_it_is_told_who_is_out(opened: Opened, office: Office) -> None:
    office.drafters["brief"] = DOWN
    async with opened() as a:
        turn = await a.say("c", COMPLAINT)
        assert [version.by for version in written_of(turn).versions] == ["warm", "thorough"]
        assert "brief is out: " in (await a.say("c", "why this one?")).said


async def test_the_one_that_is_left_is_no_choice_and_it_is_told_why(opened: Opened, office: Office) -> None:
    office.drafters |= {"brief": DOWN, "warm": DOWN}
    async with opened() as a:
        turn = await a.say("c", COMPLAINT)
        assert [version.by for version in written_of(turn).versions] == ["thorough"]
        why = (await a.say("c", "why this one?")).said
        assert "There is only draft 1 (thorough)" in why and "brief is out: " in why and "warm is out: " in why


async def test_answers_stand_where_all_die_before_they_vote(opened: Opened, office: Office) -> None:
    office.drafters |= {style: once(office.drafters[style], DOWN) for style in STYLES}
    async with opened() as a:
        turn = await a.say("c", COMPLAINT)
        assert len(written_of(turn).versions) == 3 and not written_of(turn).votes
        assert "Nobody voted; this is draft 1 (brief)." in (await a.say("c", "show me the votes")).said


async def test_where_all_are_dead_the_request_is_kept_and_tried_again(opened: Opened, office: Office) -> None:
    scripts, office.drafters = office.drafters, dict.fromkeys(STYLES, DOWN)
    async with opened() as a:
        kept = await a.say("c", COMPLAINT)
        assert kept.status == "waiting" and kept.question is not None and not kept.previews
        assert kept.reply.count("The model is down.") == 1 and "brief, warm, thorough: " in kept.reply
        office.drafters = scripts
        turn = await a.say("c", "try again")
        assert turn.flow == kept.flow and len(written_of(turn).votes) == 3


async def test_where_all_are_dead_rules_draft_when_the_user_says_so(opened: Opened, office: Office) -> None:
    office.drafters = dict.fromkeys(STYLES, DOWN)
    async with opened() as a:
        await a.say("c", COMPLAINT)
        turn = await a.say("c", "go on offline")
    assert written_of(turn).rules and len(written_of(turn).versions) == 3 and turn.reasoner == "offline reasoner"


async def test_where_all_are_dead_the_user_may_stop(opened: Opened, office: Office) -> None:
    office.drafters = dict.fromkeys(STYLES, DOWN)
    async with opened() as a:
        await a.say("c", COMPLAINT)
        assert (await a.say("c", "3")).status == "cancelled" and not await a.open_previews()


async def test_nobody_waits_for_one_who_dawdles(opened: Opened, office: Office) -> None:
    office.drafters["warm"] = lambda seen: Answer(text="too late", delay=20)
    began = time.monotonic()
    async with opened(agent_timeout=1.0) as a:
        turn = await a.say("c", COMPLAINT)
        assert [version.by for version in written_of(turn).versions] == ["brief", "thorough"]
        assert "warm is out: no answer within 1 seconds." in (await a.say("c", "why this one?")).said
    assert time.monotonic() - began < 19


@pytest.mark.parametrize("tokens", [2500, 4000, 5500])
async def test_where_the_budget_ends_in_the_middle_what_is_there_stands(opened: Opened, tokens: int) -> None:
    async with opened(llm={"budget": {"flow": {"tokens": tokens}}}) as a:
        turn = await a.say("c", COMPLAINT)
        assert turn.status == "done" and written_of(turn).versions
        assert "budget" in (await a.say("c", "why this one?")).said


async def test_where_the_budget_ends_before_the_first_word_the_request_is_kept(opened: Opened) -> None:
    async with opened(llm={"budget": {"flow": {"tokens": 1900}}}) as a:
        kept = await a.say("c", COMPLAINT)
        assert kept.status == "waiting" and "The budget of 1,900 tokens for one task is used up" in kept.reply
        assert written_of(await a.say("c", "go on offline")).rules


# --- what it costs


async def test_each_call_is_on_record_under_the_flow_as_a_draft_and_the_preview_tells_the_same(opened: Opened) -> None:
    async with opened() as a:
        turn = await a.say("c", COMPLAINT)
    drafting = [call for call in await model_calls(a.home, NOW.replace(year=2000)) if call.role == "draft"]
    assert {call.flow_id for call in drafting} == {turn.flow} and len(drafting) == 8
    assert sum(call.prompt + call.completion for call in drafting) == written_of(turn).tokens


# --- what was stored before


async def test_a_preview_and_a_flow_without_a_word_on_how_they_were_written_are_read(opened: Opened) -> None:
    async with opened() as a:
        turn = await a.say("c", "draft a reply to the last mail from Tom")
        row = turn.previews[0].model_dump(mode="json")
        del row["items"][0]["written"]
        old = type(turn.previews[0]).model_validate(row)
        assert old.items[0].written is None and old.fingerprint == turn.previews[0].fingerprint
        snapshot = (await a.database.read(lambda s: flows.get(s, turn.flow))).snapshot
    assert '"written"' in snapshot
    state = FlowState.model_validate_json(snapshot)
    bare = state.model_dump(mode="json")
    for report in bare["reports"].values():
        for proposal in report["data"]["proposals"]:
            del proposal["written"]
        for field in ("decide", "chosen"):
            report["data"].pop(field, None)
    assert FlowState.model_validate(bare).proposals[0].written is None
