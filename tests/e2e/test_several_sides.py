"""Decisions with several sides, in a chat: how to answer a mail, and which of the times shown to take."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from doubles.blackboard import Cast, Line, who
from doubles.llm import Answer, Answerer, Failure, Reply, RequestSeen, ScriptedEndpoint, data
from doubles.llm.answers import replied
from doubles.llm.scenarios import RightSteps, plan, question_of

from assistant.bootstrap import model_calls
from assistant.facade import Turn
from integrations.actions import SaveDraft
from integrations.types import EventQuery

HOW = "How should I answer the last mail from Emily?"
FREE = "when am I free for an hour on Friday?"
MAIL = "Subject: Re: Third wrong trail in a month\n\nDear Emily,\n\nI am sorry. Shall we talk on [time]?\n\nAlex"
EXPERTS = {"mediator": "calms people down", "lawyer": "knows what is owed"}
CHOSEN = {"chosen agents": ["mediator", "lawyer", "critic", "decider"]}
LETTER: dict[str, Line | list[Line]] = {
    "agent_generation": EXPERTS,
    "control_unit": CHOSEN,
    "mediator": {"output": MAIL.replace("I am sorry.", "I am so very sorry.")},
    "lawyer": {"output": "Promise no refund before the facts are known."},
    "critic": {"critic list": [{"wrong message": "I am so very sorry.", "explanation": "It sounds guilty."}]},
    "decider": {"the final answer is": f"boxed[{MAIL}]"},
}
TIME: dict[str, Line | list[Line]] = {
    **LETTER,
    "mediator": {"output": "2\n- not the first thing in the morning"},
    "decider": {"the final answer is": "boxed[2\n- there is time to prepare]"},
}


class Model:
    """At the blackboard as its script says, else as one that takes the right step."""

    def __init__(self) -> None:
        self.steps = RightSteps()
        self.board: Answerer = Cast(LETTER)
        self.asked: list[str] = []
        self.instead: Mapping[str, Reply | Answerer] = {}

    def __call__(self, seen: RequestSeen) -> Reply:
        try:
            who(seen)
            self.asked.append(seen.last)
        except ValueError:
            found = self.instead.get(question_of(seen), self.steps)
            return found(seen) if callable(found) else found
        return replied(self.board, seen)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    thinking = Model()
    thinking.steps.hear(monkeypatch.setattr)
    with ScriptedEndpoint(thinking) as endpoint:
        monkeypatch.setenv("ASSISTANT_LLM__BASE_URL", endpoint.url)
        monkeypatch.setenv("ASSISTANT_LLM__API_KEY", endpoint.key)
        monkeypatch.setenv("ASSISTANT_LLM__MODEL", endpoint.models[0])
        monkeypatch.setenv("ASSISTANT_LLM__RETRIES", "0")
        yield thinking
        assert not endpoint.complaints


def draft_of(turn: Turn) -> SaveDraft:
    (item,) = turn.previews[0].items
    assert isinstance(item.action, SaveDraft)
    return item.action


async def test_how_to_answer_is_a_suggestion_that_nothing_is_done_with(sample) -> None:
    async with sample() as a:
        turn = await a.say("c", HOW)
        assert [one.email for one in draft_of(turn).to] and draft_of(turn).subject.startswith("Re: ") and not turn.outcomes
        assert "this suggestion is what you want to answer" in turn.reply
        why = await a.say("c", "why this one?")
        assert "it is a decision with several sides" in why.reply and "no language model" in why.reply
        other = await a.say("c", "use draft 1")
        assert draft_of(other).body != draft_of(turn).body
        done = await a.say("c", "approve")
    assert [outcome.status for outcome in done.outcomes] == ["done"]


async def test_with_a_model_it_is_weighed_on_a_blackboard(sample, model: Model) -> None:
    async with sample() as a:
        turn = await a.say("c", HOW)
        assert "Shall we talk on [time]?" in draft_of(turn).body and not turn.outcomes
        written = turn.previews[0].items[0].written
        why = await a.say("c", "why this one?")
        others = await a.say("c", "show the others")
        other = await a.say("c", "use the other one")
    assert f"THE USER ASKS\n{HOW}" in model.asked[0]
    assert written is not None and written.strategy == "blackboard" and not written.rules and written.tokens > 0
    assert [version.by for version in written.versions] == ["mediator", "decider"]
    assert "Several weighed it on a blackboard because it is a decision with several sides" in why.reply
    assert "- lawyer (" in why.reply and "Promise no refund" in why.reply and "- critic (critique): " in why.reply
    assert "I am so very sorry." in others.reply and "I am so very sorry." in draft_of(other).body


async def test_what_a_model_plans_as_a_plain_draft_is_still_what_the_user_asked(sample, model: Model) -> None:
    drafts = {"agent": "email", "instruction": "Draft a reply to the last mail from Emily", "expects": "proposal"}
    model.instead = {"analyse": data(plan(drafts, request="write", output="draft_proposal"))}
    async with sample() as a:
        turn = await a.say("c", HOW)
    written = turn.previews[0].items[0].written
    assert written is not None and written.strategy == "blackboard" and "this suggestion" in turn.reply


async def test_a_draft_that_was_simply_asked_for_is_none(sample, model: Model) -> None:
    async with sample() as a:
        turn = await a.say("c", "draft a reply to the last mail from Sarah saying that I agree")
    assert [outcome.status for outcome in turn.outcomes] == ["done"] and "suggestion" not in turn.reply


async def test_which_of_the_times_is_best_is_told_with_reasons_and_booked_when_the_user_says_so(sample) -> None:
    async with sample() as a:
        shown = await a.say("c", FREE)
        slots = shown.reports[1].data.slots
        turn = await a.say("c", "which of these should I take?")
        assert turn.status == "done" and not turn.previews and not turn.outcomes
        assert "I would take Friday 20 Nov" in turn.reply and "- within working hours" in turn.reply and "Rules chose" in turn.reply
        await a.say("c", "book it")
        found = await a.look(EventQuery(start=slots[0].start, end=slots[-1].end))
    chosen = turn.reports[1].data.chosen
    assert chosen is not None and any((one.start, one.end) == (slots[chosen].start, slots[chosen].end) for one in found.items)


async def test_another_of_the_times_can_be_taken_instead(sample) -> None:
    async with sample() as a:
        slots = (await a.say("c", FREE)).reports[1].data.slots
        await a.say("c", "pick one for me")
        turn = await a.say("c", "take the third")
    (item,) = turn.previews[0].items
    assert (item.action.start, item.action.end) == (slots[2].start, slots[2].end)


async def test_with_a_model_the_times_are_weighed_on_a_blackboard(sample, model: Model) -> None:
    model.board = Cast(TIME)
    async with sample() as a:
        slots = (await a.say("c", FREE)).reports[1].data.slots
        turn = await a.say("c", "which of these leaves me time to prepare, which is best?")
        events = [event async for event in a.events("c", flow=turn.flow)]
        booked = await a.say("c", "book it")
    assert "- there is time to prepare" in turn.reply and "decider decided" in turn.reply and not turn.outcomes
    assert {"started", "posted", "decided"} <= {event.data.get("kind") for event in events if event.data.get("drafting")}
    (item,) = booked.previews[0].items  # what a model chose is not done unasked
    assert item.action.start == slots[1].start and not booked.outcomes


async def test_where_the_model_fails_the_request_is_kept_and_goes_on_by_rules(sample, model: Model) -> None:
    model.board = lambda seen: Failure(500, "out of order", type="server_error")
    async with sample() as a:
        await a.say("c", FREE)
        turn = await a.say("c", "which of these should I take?")
        assert turn.status == "waiting" and turn.question is not None, turn.reply
        offline = next(choice for choice in turn.question.choices if "offline" in choice.label.lower())
        turn = await a.answer(turn.question.id, offline.id)
    assert "I would take Friday 20 Nov" in turn.reply and "Rules chose" in turn.reply


async def test_a_new_message_interrupts_those_who_choose_and_the_choice_can_be_gone_on_with(sample, model: Model) -> None:
    asked = threading.Event()

    def never(seen: RequestSeen) -> Reply:
        asked.set()
        return Answer(text="too late", delay=60)

    model.board = never
    async with sample() as a:
        await a.say("c", FREE)
        choosing = asyncio.create_task(a.say("c", "which of these should I take?"))
        assert await asyncio.to_thread(asked.wait, 60)
        other = await a.say("c", "what's on my calendar tomorrow?")
        assert (await choosing).status == "suspended" and "can resume it later" in other.reply
        model.board = Cast(TIME)
        resumed = await a.say("c", "continue")
    assert "- there is time to prepare" in resumed.reply


async def test_what_choosing_costs_is_recorded_with_all_other_calls(sample, model: Model, home: Path) -> None:
    model.board = Cast(TIME)
    async with sample() as a:
        await a.say("c", FREE)
        await a.say("c", "which of these should I take?")
    made = await model_calls(home, datetime(2026, 1, 1, tzinfo=UTC))
    assert sum(call.role == "draft" for call in made) == len(model.asked) > 3
