"""What bounds the blackboard, what becomes of it where models fail, and what it tells and counts."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from doubles.blackboard import COOK_AND_BAKER, QUESTION, WAITS, Line, Play, choose, played, writes
from doubles.llm import Answer, Counted, Failure, Reply, RequestSeen, misbehaving, says

from assistant.drafting.base import Spent
from assistant.drafting.blackboard import Blackboard, Limits, Mind
from assistant.errors import DraftingError
from assistant.llm.messages import Usage


@pytest.fixture
async def play() -> AsyncIterator[Play]:
    with played() as one:
        yield one
        await one.close()


@pytest.mark.parametrize("trouble", [misbehaving.SERVER_ERROR, misbehaving.RESET, misbehaving.REFUSAL, misbehaving.FILTERED])
async def test_an_agent_that_fails_falls_out_and_the_others_go_on(play: Play, trouble: Line):
    lines = {
        "control_unit": choose("cook", "baker", "decider"),
        "cook": trouble,
        "baker": writes("b"),
        "decider": [WAITS, "boxed[x]"],
    }
    done = await play(lines)
    assert done.text == "x" and [*done.out] == ["cook"] and play.cast.order.count("cook") == 1
    assert play.kinds("failed") == [("failed", "cook")]


async def test_where_everybody_fails_there_is_a_typed_error(play: Play):
    play.endpoint.play(misbehaving.SERVER_ERROR)
    with pytest.raises(DraftingError, match="Nobody at the blackboard came to an answer"):
        await Blackboard([Mind(play.client())]).run(QUESTION, play.told.append)
    assert len(play.endpoint.requests) == 1 + 2 + 6  # experts, the control unit in two rounds, and each agent once


async def test_where_nobody_says_anything_there_is_a_typed_error(play: Play):
    with pytest.raises(DraftingError, match="4 rounds were not enough"):
        await play({"control_unit": choose("planner", "decider"), "decider": says("")})


async def test_when_the_time_is_over_the_best_so_far_is_presented(play: Play):
    lines = {
        "control_unit": choose("cook", "baker", "decider"),
        "cook": writes("soup"),
        "baker": writes("soup too"),
        "decider": Answer(text="boxed[late]", delay=60),
    }
    client = play.client()
    await client.models()  # connected and loaded, so that the time goes to the one who is late
    done = await play(lines, minds=[Mind(client)], limits=Limits(timeout=2.0))
    assert (done.text, done.winner) == ("soup", "cook")
    assert play.kinds("timed_out") == [("timed_out", "")] and "2 seconds" in done.notes[0]


async def test_when_the_time_is_over_before_any_answer_there_is_a_typed_error(play: Play):
    with pytest.raises(DraftingError):
        await play({"agent_generation": Answer(text="{}", delay=60)}, limits=Limits(timeout=0.1))


async def test_when_the_tokens_are_used_up_the_best_so_far_is_presented(play: Play):
    cook = Answer(text=json.dumps(writes("soup")), usage=Counted(5000, 5000))
    done = await play({"control_unit": choose("cook", "decider"), "cook": cook}, limits=Limits(tokens=9000))
    assert (done.text, play.cast.order[-1]) == ("soup", "cook") and "9,000 tokens" in done.notes[0]


async def test_a_round_makes_no_more_calls_than_it_may(play: Play):
    conflicts = {"conflicts": [{"description": "d", "agents_involved": ["cook", "baker"]}] * 50}
    lines = {
        "control_unit": choose("conflict_resolver", "decider"),
        "conflict_resolver": conflicts,
        "cook apart": "c",
        "baker apart": "b",
    }
    await play(lines, limits=Limits(rounds=1, calls=7))
    assert len(play.cast.order) == 1 + 7 and play.kinds("ignored") == [("ignored", "baker"), ("ignored", "decider")]


async def test_a_long_board_is_shown_shortened(play: Play):
    long = [writes(f"{n} " + "x" * 500) for n in range(4)]
    lines = {"control_unit": choose("cook"), "cook": long}
    await play(lines, limits=Limits(board=500, post=300))
    assert play.board("cook").startswith("(2 earlier messages are not shown.)\nRound 3:\n3. [ANALYSIS] cook: 2 xxx")
    assert "(… 202 characters more)" in play.board("cook")


async def test_usage_is_counted_by_agent_as_the_endpoint_reports_it(play: Play):
    def counted(text: str, prompt: int, completion: int) -> Answer:
        return Answer(text=text, usage=Counted(prompt, completion))

    lines: dict[str, Any] = {
        "agent_generation": counted(json.dumps(COOK_AND_BAKER), 10, 1),
        "control_unit": counted(json.dumps(choose("cook", "decider", "baker")), 20, 2),
        "cook": counted(json.dumps(writes("soup")), 30, 3),
        "decider": [counted(WAITS, 40, 4), counted("boxed[x]", 50, 5)],
        "baker": Failure(500, "no", headers={"x-should-retry": "false"}),
    }
    done = await play(lines, price=lambda model, usage: usage.prompt / 100)
    assert done.spent == (
        Spent(agent="agent_generation", attempt=1, calls=1, usage=Usage(prompt=10, completion=1), cost=0.1),
        Spent(agent="control_unit", attempt=1, calls=2, usage=Usage(prompt=40, completion=4), cost=0.4),
        Spent(agent="cook", attempt=1, calls=2, usage=Usage(prompt=60, completion=6), cost=0.6),
        Spent(agent="decider", attempt=1, calls=2, usage=Usage(prompt=90, completion=9), cost=0.9),
        Spent(agent="baker", attempt=1, calls=1, usage=Usage(), cost=0.0),
    )


async def test_what_is_told_can_be_stored_and_says_what_happens(play: Play):
    await play({"control_unit": choose("cook", "decider"), "cook": writes("soup\n" * 99), "decider": "boxed[x]"})
    assert [one.text for one in play.told if one.kind in ("started", "selected", "working")] == [
        "At the blackboard: planner, decider, critic, cleaner, conflict_resolver, cook, baker",
        "Round 1: cook, decider",
        "cook looks at the blackboard",
        "decider looks at the blackboard",
    ]
    assert all("\n" not in one.text and len(one.text) < 200 and one.model_dump_json() for one in play.told)


# answers that code refuses


def names_a_price(text: str) -> Sequence[str]:
    return ["It names a price that nobody gave."] if "€" in text else []


@pytest.mark.spec("blackboard 5.3", "blackboard 5.5")
async def test_a_decision_with_problems_is_none_and_the_others_read_why(play: Play):
    decider = ["boxed[It costs 9 €.]", "boxed[I will ask for the price.]"]
    done = await play({"control_unit": choose("decider", "cook"), "decider": decider}, problems=names_a_price)
    assert done.text == "I will ask for the price."
    assert play.board("cook") == (
        "Round 1:\n1. [CRITIQUE] check: This answer cannot stand: It costs 9 €.\n    | It names a price that nobody gave."
    )
    assert play.kinds("rejected", "decided") == [("rejected", "decider"), ("decided", "decider")]


@pytest.mark.spec("blackboard 5.9")
async def test_without_a_decision_an_answer_with_problems_stands_only_where_there_is_no_other(play: Play):
    lines = {"control_unit": choose("cook", "baker"), "cook": writes("9 €"), "baker": writes("I will ask")}
    assert (await play(lines, problems=names_a_price)).text == "I will ask"
    done = await play({**lines, "baker": writes("8 €")}, problems=names_a_price)
    assert done.text == "9 €" and done.notes[-1] == "It names a price that nobody gave."


async def test_a_model_of_one_temperature_is_asked_without(play: Play):
    refused = Failure(400, "Unsupported value: temperature does not support 0.3 with this model.", param="temperature")

    def picky(seen: RequestSeen) -> Reply:
        return refused if "temperature" in seen.body else says("boxed[x]")

    done = await play({"control_unit": choose("decider"), "decider": picky}, minds=[Mind(play.client(), temperature=0.3)])
    assert (done.text, done.out) == ("x", {})
