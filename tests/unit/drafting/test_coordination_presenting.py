"""What the winner is asked at the end, what everything cost, and which agents there are."""

import pytest
from doubles.drafting import coordinates, presenting, texts, user
from doubles.llm import Call, calls, first, says
from doubles.llm.misbehaving import EMPTY, SERVER_ERROR, truncated

from assistant.drafting.model import Agent
from assistant.errors import UserError
from assistant.llm.messages import Usage

# --- 2.11 the presentation


@pytest.mark.spec("mass 2.11")
@pytest.mark.parametrize(
    ("profile", "own", "other", "reason"),
    [
        ("mass", "- Agent B (your answer, selected): B's.", "- Agent A: A's.", "- Agent A: Warm."),
        (
            "massgen",
            "<agent2> (your answer, selected) B's. <end of agent2>",
            "<agent1> A's. <end of agent1>",
            "- agent1: Warm.",
        ),
    ],
)
async def test_the_winner_presents_with_the_task_its_votes_and_all_answers(table, profile, own, other, reason):
    t = table({"ann": coordinates("A's.", vote=1, reason="Warm."), "bob": coordinates("B's.", vote=1)})
    result = await t.deliberate("ann", "bob", task="Say it.", profile=profile)
    asked = t.asked()[-1]
    assert asked.model == "bob" and not asked.tools
    lines = user(asked).splitlines()
    assert "Say it." in user(asked) and own in lines and other in lines and reason in lines
    assert result.text == "Presented: B's."


@pytest.mark.spec("mass 2.11")
@pytest.mark.parametrize(
    "presented", [EMPTY, says("  \n"), SERVER_ERROR, calls(Call("vote", {})), truncated(says("Dear Ms Weber"), 4)]
)
async def test_an_empty_presentation_is_the_stored_answer(table, presented):
    plays = coordinates("A's.")
    t = table({"ann": lambda seen: presented if presenting(seen) else plays(seen)})
    assert (await t.deliberate("ann")).text == "A's."


async def test_a_better_model_may_decide_and_present(table):
    t = table({"ann": coordinates("A's."), "bob": coordinates("B's.", vote=0), "chief": says("As the chief puts it.")})
    result = await t.deliberate("ann", "bob", presenter=t.seat("chief"))
    assert result.winner == "ann" and result.text == "As the chief puts it."
    assert len(t.asked("chief")) == 2
    assert "- Agent A (selected): A's." in user(t.asked("chief")[-1])


async def test_a_presentation_with_problems_is_not_used(table):
    t = table({"ann": coordinates("A's.")})
    result = await t.deliberate("ann", problems=lambda text: ["It says too much."] if "Presented" in text else [])
    assert result.text == "A's." and "It says too much." in result.notes[0]


@pytest.mark.spec("mass 2.11", "ids 0.1")
async def test_people_read_real_ids_in_the_reasons_of_votes_and_models_do_not(table):
    reason = "agent2 is warmer than agent1, agent10 is nobody."
    t = table({"ann": coordinates(vote=1, reason=reason), "bob": coordinates(vote=1, reason=reason)})
    result = await t.deliberate("ann", "bob", profile="massgen")
    assert {vote.reason for vote in result.votes} == {"bob is warmer than ann, agent10 is nobody."}
    told = next(one for one in t.told if one.kind == "voted" and one.agent == "ann")
    assert (told.text, told.data["reason"]) == (f"ann voted for bob: {result.votes[0].reason}", result.votes[0].reason)
    assert f"- agent1: {reason}" in user(t.asked()[-1])


# --- 2.12 the accounting


@pytest.mark.spec("mass 2.12")
async def test_what_was_used_is_what_the_endpoint_counted_by_agent_and_attempt(table):
    t = table({"ann": first(says("Hm."), then=coordinates("A's.")), "bob": coordinates("B's.")})
    result = await t.deliberate("ann", "bob", price=lambda model, usage: usage.completion / 1000)
    counted = t.endpoint.counters
    assert sum((one.usage for one in result.spent), Usage()) == Usage(
        prompt=counted.prompt, cached=counted.cached, completion=counted.completion
    )
    by_agent = {one.agent: one for one in result.spent}
    assert {name: one.calls for name, one in by_agent.items()} == {name: len(t.asked(name)) for name in ("ann", "bob")}
    assert by_agent["ann"].cost == pytest.approx(by_agent["ann"].usage.completion / 1000)
    assert {one.attempt for one in result.spent} == {1}


@pytest.mark.spec("mass 2.12")
async def test_a_call_that_came_to_nothing_counts_as_a_call_and_an_unknown_price_as_unknown(table):
    t = table({"ann": SERVER_ERROR, "bob": coordinates()})
    result = await t.deliberate("ann", "bob")
    failed = next(one for one in result.spent if one.agent == "ann")
    assert (failed.calls, failed.usage, failed.cost) == (1, Usage(), None)


# --- agents


async def test_each_agent_has_its_model_and_its_temperature(table):
    t = table({"ann": coordinates(), "bob": coordinates()})
    await t.deliberate(Agent(id="ann", temperature=0.9), "bob")
    assert {seen.body.get("temperature") for seen in t.asked("ann")} == {0.9}
    assert {seen.body.get("temperature") for seen in t.asked("bob")} == {None}


async def test_a_model_with_one_temperature_only_is_asked_without(table):
    t = table({"ann": coordinates("A's.")}, lacks=("temperature",))
    result = await t.deliberate(Agent(id="ann", temperature=0.9))
    assert texts(result) == {"ann": "A's."}
    assert [("temperature" in seen.body) for seen in t.asked()] == [True, *[False] * (len(t.asked()) - 1)]


async def test_no_agent_ever_holds_a_tool_but_those_of_the_deliberation(table):
    t = table({"ann": coordinates(), "bob": coordinates()})
    await t.deliberate("ann", "bob")
    held = {name for seen in t.asked() for name in seen.tools}
    assert held == {"update_answer", "vote", "submit", "restart_orchestration"}


async def test_two_agents_of_one_name_are_refused(table):
    t = table({"ann": coordinates()})
    with pytest.raises(UserError, match="same name"):
        await t.deliberate("ann", "ann")
