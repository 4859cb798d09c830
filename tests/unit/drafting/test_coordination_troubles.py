"""Agents that fail, hang or are late: the others go on, and no answer is lost."""

import asyncio

import pytest
from doubles.drafting import Thinking, Turn, answers, coordinates, texts, think
from doubles.llm import first
from doubles.llm.misbehaving import UNAUTHORIZED
from doubles.virtual_time import run

from assistant.drafting.base import Decision, Restart, Task
from assistant.drafting.options import Options
from assistant.drafting.restart import Orchestration
from assistant.errors import DraftingError


def hurry(seconds: float) -> None:
    """The clock of the loop goes on so far at once."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + seconds


@pytest.mark.spec("mass 2.10")
async def test_when_the_time_is_up_models_best_answer_so_far_is_presented(table):
    async def hangs(prompt, completion):
        await t.until(lambda: "voted" in t.kinds("ann"))
        hurry(400)
        await asyncio.Event().wait()

    t = table({"ann": coordinates("A's."), "bob": coordinates("B's.")})
    result = await t.deliberate("ann", "bob", held={"bob": hangs}, patient=False, timeout=300, agent_timeout=3000)
    assert (result.winner, result.text) == ("ann", "Presented: A's.")
    assert not result.out and [vote.voter for vote in result.votes] == ["ann"]


@pytest.mark.spec("mass 2.8")
async def test_a_model_whose_time_is_up_is_out_and_is_asked_nothing_more(table):
    async def hangs(prompt, completion):
        await t.until(lambda: "answered" in t.kinds("ann"))
        hurry(200)
        await asyncio.Event().wait()

    t = table({"ann": coordinates("A's."), "bob": coordinates("B's.")})
    result = await t.deliberate("ann", "bob", held={"bob": hangs}, timeout=3000, agent_timeout=100)
    assert result.out == {"bob": "no answer within 100 seconds"} and result.text == "Presented: A's."
    assert len(t.asked("bob")) == 1


# --- 2.8 out


@pytest.mark.spec("mass 2.8")
async def test_a_failed_agent_counts_as_done_is_not_asked_again_and_its_answer_stands(table):
    """Ann answers and then can't be reached; she wins by the others' votes, and is asked nothing more."""
    t = table({"ann": first(answers("A's."), then=UNAUTHORIZED), "bob": coordinates("B's.", vote=0)})
    result = await t.deliberate("ann", "bob")
    assert result.winner == "ann" and result.text == "A's."
    assert len(t.asked("ann")) == 2
    assert "key" in result.out["ann"]
    assert [vote.voter for vote in result.votes] == ["bob"]


@pytest.mark.spec("mass 2.8")
def test_an_agent_whose_time_is_up_is_out_and_the_others_go_on():
    slow = Thinking("slow", [Turn("answer", 1000)])
    result = think(slow, Thinking("quick", [Turn("answer", 1), Turn("vote", 1)]), agent_timeout=10)
    assert result.winner == "quick" and result.out == {"slow": "no answer within 10 seconds"}
    assert len(slow.views) == 1


async def test_an_agent_that_breaks_does_not_break_the_others(table):
    async def broken(prompt, completion):
        raise RuntimeError("a bug")

    t = table({"ann": coordinates(), "bob": coordinates()})
    result = await t.deliberate("ann", "bob", held={"ann": broken})
    assert result.winner == "bob" and "a bug" in result.out["ann"]


# --- 2.10 the time of all


@pytest.mark.spec("mass 2.10")
def test_when_the_time_is_up_the_best_so_far_of_the_living_is_presented():
    undecided = [Turn("answer", 1), Turn("vote", 1000)]
    fails = Thinking("a", [Turn("answer", 1), Turn("fail", 1)])
    result = think(fails, Thinking("b", undecided), Thinking("c", undecided), timeout=60)
    assert result.winner == "b" and list(result.out) == ["a"]
    assert any("60 seconds" in note for note in result.notes)


@pytest.mark.spec("mass 2.10")
def test_when_the_time_is_up_votes_count_that_are_there():
    agents = [Thinking("a", [Turn("answer", 1), Turn("vote", 1, choice=1)]), Thinking("b", [Turn("answer", 1), Turn("vote", 1000)])]
    result = think(*agents, timeout=60)
    assert result.winner == "b" and len(result.votes) == 1


@pytest.mark.spec("mass 2.10")
@pytest.mark.parametrize("patient", [True, False])
def test_patience_with_one_that_hangs_does_not_change_the_winner(patient):
    """From half of the time on the others go on without it, and vote."""
    told = []
    agents = [Thinking(name, [Turn("answer", 1), Turn("vote", 1, choice=1)]) for name in ("a", "b")]
    hangs = Thinking("c", [Turn("answer", 1000)])
    result = think(*agents, hangs, told=told, patient=patient, timeout=60, agent_timeout=2000)
    assert result.winner == "b" and [vote.voter for vote in result.votes] == ["a", "b"]
    assert [one.agent for one in told if one.kind == "restarting"] == ["a", "b"]


@pytest.mark.spec("restart 4.5")
def test_the_next_attempt_is_patient_again():
    told = []
    again = Decision(restart=Restart(reason="r", instructions="i"))
    vote = Turn("vote", 1)
    quick = Thinking("a", [Turn("answer", 1), vote, vote, Turn("answer", 1), vote], decisions=[again])
    slow = Thinking("b", [Turn("answer", 40), vote, Turn("answer", 20), vote])
    think(quick, slow, told=told, timeout=60, agent_timeout=2000)
    kinds = ("started", "answered", "restarting")
    happened = [(one.agent, one.kind) for one in told if one.kind in kinds and not (one.kind == "restarting" and not one.agent)]
    assert happened[:4] == [("", "started"), ("a", "answered"), ("a", "restarting"), ("b", "answered")]
    assert happened[happened.index(("", "started"), 1) :][1:3] == [("a", "answered"), ("b", "answered")]


@pytest.mark.spec("mass 2.10")
def test_when_the_time_is_up_an_answer_of_one_who_is_out_is_better_than_nothing():
    result = think(Thinking("a", [Turn("answer", 1), Turn("fail", 1)]), Thinking("b", [Turn("answer", 1000)]), timeout=60)
    assert result.winner == "a" and result.text == "Answer 1 of a"


@pytest.mark.spec("mass 2.10")
def test_an_answer_of_the_very_tick_in_which_the_time_is_up_is_there():
    result = think(Thinking("a", [Turn("answer", 60)]), timeout=60)
    assert result.text == "Answer 1 of a"


@pytest.mark.spec("mass 2.10", "mass 2.6")
def test_when_the_time_is_up_and_there_is_no_answer_it_is_a_failure():
    with pytest.raises(DraftingError, match="no successful agents"):
        think(Thinking("a", [Turn("answer", 1000)]), timeout=60, agent_timeout=2000)


@pytest.mark.spec("mass 2.10")
def test_when_the_time_is_up_nothing_is_left_under_way():
    async def deliberated():
        agents = [Thinking("quick", [Turn("answer", 1), Turn("vote", 1)]), Thinking("hangs", [Turn("answer", 10**6)])]
        seats = tuple(lambda _, agent=agent: agent for agent in agents)
        result = await Orchestration(seats, Options(timeout=60, agent_timeout=10**7)).run(Task(text="T"), lambda told: None)
        return result, asyncio.all_tasks() - {asyncio.current_task()}

    result, left = run(deliberated())
    assert texts(result) == {"quick": "Answer 1 of quick"} and not left


async def test_who_gives_it_up_gives_up_all_agents(table):
    async def hangs(prompt, completion):
        await asyncio.Event().wait()

    t = table({"ann": coordinates()})
    running = asyncio.create_task(t.deliberate("ann", held={"ann": hangs}))
    await t.until(lambda: "working" in t.kinds("ann"))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "ann"]
