"""Who acts in which round of the blackboard, and whose answer ends it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from doubles.blackboard import WAITS, Line, Play, choose, played, writes
from doubles.llm import misbehaving, says


@pytest.fixture
async def play() -> AsyncIterator[Play]:
    with played() as one:
        yield one
        await one.close()


@pytest.mark.spec("blackboard 5.5")
async def test_the_chosen_act_in_order_and_each_sees_what_was_posted_before(play: Play):
    await play(
        {"control_unit": choose("baker", "cook", "decider"), "cook": writes("a"), "baker": writes("b"), "decider": "boxed[yes]"}
    )
    assert play.cast.order == ["agent_generation", "control_unit", "baker", "cook", "decider"]
    assert play.board("cook") == "Round 1:\n1. [ANALYSIS] baker: b"


@pytest.mark.spec("blackboard 5.5")
async def test_a_decision_ends_it_before_the_others_act(play: Play):
    done = await play({"control_unit": choose("decider", "cook", "baker"), "decider": "boxed[yes]"})
    assert done.text == "yes" and "cook" not in play.cast.order


@pytest.mark.spec("blackboard 5.5", "blackboard 5.9")
async def test_there_are_four_rounds_at_most(play: Play):
    done = await play({"control_unit": choose("cook"), "cook": [writes(str(n)) for n in range(9)]})
    assert play.cast.order.count("control_unit") == play.cast.order.count("cook") == 4
    assert (done.text, done.winner) == ("3", "cook")


@pytest.mark.spec("blackboard 5.5")
async def test_unknown_names_are_dropped_and_each_acts_once(play: Play):
    chosen = choose("manager", "COOK", "cook", "control_unit", "agent_generation", "decider", "cook apart")
    await play({"control_unit": chosen, "cook": writes("a"), "decider": "boxed[yes]"})
    assert play.cast.order[2:] == ["cook", "decider"]


@pytest.mark.spec("blackboard 5.5")
@pytest.mark.parametrize("reply", [choose("manager"), choose(), "Everybody!", '{"chosen agents"', says("")])
async def test_where_nobody_known_is_left_planner_decider_and_critic_act(play: Play, reply: Line):
    await play({"control_unit": reply, "decider": [WAITS, "boxed[yes]"]})
    assert play.cast.order[2:5] == ["planner", "decider", "critic"]


@pytest.mark.spec("blackboard 5.5")
async def test_without_a_control_unit_the_usual_ones_act(play: Play):
    done = await play({"control_unit": misbehaving.SERVER_ERROR, "decider": "boxed[yes]"})
    assert play.cast.order[2:] == ["planner", "decider"] and done.text == "yes"
    assert play.kinds("failed") == [("failed", "control_unit")]


@pytest.mark.spec("blackboard 5.4")
@pytest.mark.parametrize("reply", [misbehaving.SERVER_ERROR, says("I know nobody."), misbehaving.REFUSAL])
async def test_without_experts_one_solves_any_problem(play: Play, reply: Line):
    await play({"agent_generation": reply, "control_unit": choose("problem_solver", "decider"), "decider": "boxed[yes]"})
    assert play.cast.order[2:] == ["problem_solver", "decider"]


@pytest.mark.spec("blackboard 5.3")
async def test_only_the_deciders_box_ends_it(play: Play):
    lines = {"control_unit": [choose("cook"), choose("decider")], "cook": writes("boxed[soup]"), "decider": "boxed[bread]"}
    assert (await play(lines)).text == "bread"


@pytest.mark.spec("blackboard 5.3")
async def test_the_prompts_own_example_decides_nothing(play: Play):
    done = await play({"control_unit": choose("decider"), "decider": ['{"the final answer is boxed[answer]"}', "boxed[bread]"]})
    assert done.text == "bread" and play.cast.order.count("decider") == 2


# without a decision


@pytest.mark.spec("blackboard 5.9")
async def test_without_a_decision_the_answer_that_agrees_most_stands(play: Play):
    experts = {"cook": "", "baker": "", "butcher": ""}
    lines: dict[str, Any] = {
        "agent_generation": experts,
        "control_unit": choose("cook", "baker", "butcher", "decider"),
        "cook": writes("Monday at nine"),
        "baker": writes("Tuesday at ten"),
        "butcher": writes("Tuesday at noon"),
        "decider": WAITS,
    }
    done = await play(lines)
    assert (done.winner, done.text) == ("baker", "Tuesday at ten")
    assert [one.agent for one in done.answers] == ["cook", "baker", "butcher"]
    assert play.kinds("decided", "exhausted") == [("exhausted", "")] and "agrees most" in done.notes[0]


@pytest.mark.spec("blackboard 5.9")
async def test_a_tie_goes_to_the_first_agent(play: Play):
    done = await play({"control_unit": choose("baker", "cook"), "cook": writes("soup"), "baker": writes("bread")})
    assert done.winner == "cook"
