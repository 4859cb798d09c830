"""One agent that writes alone, a model or rules; and what is used, in the books."""

import pytest
from doubles.drafting import Thinking, Turn
from doubles.llm import Call, calls, first, says
from doubles.llm.misbehaving import EMPTY, SERVER_ERROR
from doubles.llm.requests import text_of
from doubles.virtual_time import run

from assistant.drafting.accounting import Books
from assistant.drafting.base import Exchange, Spent, Task
from assistant.drafting.model import Agent, ModelSeat
from assistant.drafting.options import Options
from assistant.drafting.single import Single
from assistant.errors import DraftingError
from assistant.llm.messages import Usage


def alone(t, **more):
    return Single(ModelSeat(Agent(id="ann", style="warm"), t.client("ann"), alone=True), **more)


async def test_what_it_writes_is_the_draft(table):
    t = table({"ann": says("Dear Bob,\n\nyes.\n")})
    task = Task(text="Write to Bob.", history=(Exchange(user="Who asked?", assistant="Bob."),))
    result = await alone(t, price=lambda model, usage: 0.5).run(task, t.tell)
    assert (result.strategy, result.text, result.winner) == ("single", "Dear Bob,\n\nyes.", "ann")
    assert (len(t.asked()), result.spent[0].cost) == (1, 0.5)
    asked = t.asked()[0]
    assert not asked.tools and "Your style: warm" in text_of(asked.messages[0])
    assert text_of(asked.messages[1]) == "User: Who asked?\nAssistant: Bob.\n\nWrite to Bob."


@pytest.mark.parametrize("odd", [EMPTY, says(" "), calls(Call("update_answer", {"content": "Dear Bob"}))])
async def test_it_is_asked_again_where_it_writes_nothing(table, odd):
    t = table({"ann": first(odd, then=says("Dear Bob, yes."))})
    assert (await alone(t).run(Task(text="Write."), t.tell)).text == "Dear Bob, yes."
    assert t.asked()[1].last == "Please write the text itself."


async def test_it_is_told_what_is_wrong_with_its_text(table):
    t = table({"ann": first(says("On Monday."), then=says("Soon."))})
    problems = alone(t, problems=lambda text: ["Nobody named Monday."] if "Monday" in text else [])
    assert (await problems.run(Task(text="Write."), t.tell)).text == "Soon."
    assert t.asked()[1].last == "This answer can't be used. Nobody named Monday."


@pytest.mark.parametrize("script", [SERVER_ERROR, EMPTY])
async def test_no_draft_is_a_failure(table, script):
    t = table({"ann": script})
    with pytest.raises(DraftingError, match="No draft was written"):
        await alone(t).run(Task(text="Write."), t.tell)


def test_its_time_is_bounded():
    slow = Thinking("slow", [Turn("answer", 1000)])
    with pytest.raises(DraftingError, match="within 10 seconds"):
        run(Single(lambda _: slow, Options(agent_timeout=10)).run(Task(text="Write."), lambda told: None))


def test_whoever_acts_may_write_alone():
    result = run(
        Single(lambda _: Thinking("rules", [Turn("answer", text="Done.")]), rules=True).run(Task(text="T"), lambda told: None)
    )
    assert result.text == "Done." and result.rules


def test_books_sum_by_agent_and_attempt_and_know_no_cost_where_one_part_of_it_is_unknown():
    books = Books(lambda model, usage: None if model == "other" else usage.prompt / 1000)
    for agent, attempt, model in (("a", 2, "m"), ("a", 1, "m"), ("a", 1, "m"), ("b", 1, "m"), ("b", 1, "other")):
        books.add(agent, attempt, model, Usage(prompt=1000, completion=10))
    twice = Usage(prompt=2000, completion=20)
    assert books.spent == (
        Spent(agent="a", attempt=1, calls=2, usage=twice, cost=2.0),
        Spent(agent="b", attempt=1, calls=2, usage=twice, cost=None),
        Spent(agent="a", attempt=2, calls=1, usage=Usage(prompt=1000, completion=10), cost=1.0),
    )
