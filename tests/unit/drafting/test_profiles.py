"""What agents are asked, word for word, as the endpoint sees it."""

import json
import re
from itertools import product
from pathlib import Path

import pytest
from doubles.drafting import answers, candidates, coordinates, user, votes
from doubles.llm import RequestSeen, calls, first, says
from doubles.llm.answers import Call
from doubles.llm.requests import text_of
from hypothesis import given
from hypothesis import strategies as st

from assistant.drafting.base import Answer, Exchange, Task, View
from assistant.drafting.ids import anonymous, lettered, numbered
from assistant.drafting.model import Agent
from assistant.drafting.profiles import PROFILES, Mass, Massgen
from config.drafting import AGENTS

SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"
DECISION = """\
Does the best available answer address the question?

If YES, tell me the agent_id with the best available answer using the `vote` tool. Don't call the `update_answer` tool.
IF NO, do additional work first. Then give a better answer using the `update_answer` tool."""
REMINDER = "Please use either the `vote` tool to select the best agent, or the `update_answer` tool to provide a better solution."


def system(seen: RequestSeen) -> str:
    return text_of(seen.messages[0])


def view_of(*given: str, task: str = "T", agents: tuple[str, ...] = ("ann", "bob", "cem"), **more: object) -> View:
    shown = tuple(Answer(agent=agent, text=f"{agent.upper()}'s") for agent in given)
    return View.model_validate({"task": Task(text=task), "agents": agents, "answers": shown, **more})


# --- ids


@pytest.mark.spec("ids 0.1")
def test_ids_go_by_sorted_real_ids_over_all_who_are_registered_and_stay_the_same():
    assert anonymous(("zoe", "ann", "bob"), lettered) == {"ann": "Agent A", "bob": "Agent B", "zoe": "Agent C"}
    assert anonymous(("zoe", "ann"), numbered) == {"ann": "agent1", "zoe": "agent2"}
    for answered in ((), ("cem",), ("ann", "cem")):
        assert Mass().names(view_of(*answered)) == {"ann": "Agent A", "bob": "Agent B", "cem": "Agent C"}


def test_there_are_letters_for_more_than_26_agents():
    assert [lettered(n) for n in (0, 25, 26, 51, 52)] == ["Agent A", "Agent Z", "Agent AA", "Agent AZ", "Agent BA"]


@pytest.mark.spec("ids 0.1", "mass 2.7")
async def test_only_those_who_have_an_answer_can_be_voted_for(table):
    quiet = first(says("Thinking."), says("Thinking."), then=says("Thinking."))
    t = table({"ann": quiet, "bob": coordinates(), "cem": coordinates()})
    await t.deliberate("ann", "bob", "cem")
    assert [candidates(seen) for seen in t.asked("bob") if "vote" in seen.tools] == [[], ["Agent B", "Agent C"]]


@pytest.mark.spec("ids 0.1")
@pytest.mark.parametrize("profile", ["mass", "massgen"])
async def test_no_real_id_reaches_a_model_and_each_is_in_the_log(table, caplog, profile):
    caplog.set_level("INFO", logger="assistant")
    names = ("zoe-the-writer", "ann-the-critic", "bob-the-brief")
    t = table({name: coordinates(f"Text {n}.", vote=1, reason="Best.") for n, name in enumerate(names)})
    await t.deliberate(*names, profile=profile)
    assert not [name for seen in t.asked() for name in names if name in seen.prompt]
    assert all(f"{name} voted for" in caplog.text for name in names)


@pytest.mark.spec("ids 0.2", "mass 2.7")
@pytest.mark.parametrize(
    ("profile", "wrong", "right"), [("mass", "new_answer", "update_answer"), ("massgen", "update_answer", "new_answer")]
)
async def test_the_other_profiles_tool_is_an_error_and_no_alias(table, profile, wrong, right):
    t = table({"ann": first(answers("Not this.", wrong), answers("This.", right), then=coordinates())})
    result = await t.deliberate("ann", profile=profile)
    told = t.asked("ann")[1].messages[-2]
    assert told["role"] == "tool"
    assert told["content"].removeprefix("Error: ") == f"There is no tool `{wrong}` here."
    assert [one.text for one in result.answers] == ["This."]


@pytest.mark.spec("ids 0.2", "mass 1.6")
@pytest.mark.parametrize("profile", [Mass(), Massgen()])
def test_no_tool_speaks_of_a_summary(profile):
    assert "summary" not in json.dumps([tool.as_sent() for tool in profile.tools(view_of("ann"))])


@pytest.mark.spec("ids 0.3")
@pytest.mark.parametrize("profile", ["mass", "massgen"])
async def test_who_wrote_what_and_who_votes_for_whom_is_not_shown_while_it_runs(table, profile):
    """The first vote is there before the last agent is asked for its own, and each answer looks to its author as any other."""
    t = table({name: coordinates(f"Text {name}.", reason="A telling reason.") for name in ("ann", "bob", "cem")})
    await t.deliberate("ann", "bob", "cem", profile=profile, at_once=1)
    coordinating = [seen for seen in t.asked() if "vote" in seen.tools]
    assert not [seen for seen in coordinating if "telling reason" in seen.prompt or "your" in user(seen).replace("your vote", "")]
    shown = {user(seen) for seen in coordinating if len(candidates(seen)) == 3 or "Text" in user(seen)}
    assert len(shown) == 1


# --- profile mass


@pytest.mark.spec("mass 1.1")
@pytest.mark.parametrize("profile", ["mass", "massgen"])
async def test_the_system_message_is_ones_own_text_and_then_the_role(table, profile):
    t = table({name: coordinates() for name in ("ann", "bob")})
    await t.deliberate(Agent(id="ann", system="You write for a law firm.", style="short"), "bob", profile=profile)
    fixed = system(t.asked("bob")[0])
    assert system(t.asked("ann")[0]) == f"You write for a law firm.\n\nYour style: short\n\n{fixed}"
    if profile == "mass":
        assert {system(seen) for seen in t.asked("bob") if "vote" in seen.tools} == {
            "You are evaluating answers for final presentation."
        }


@pytest.mark.spec("mass 1.2", "mass 2.1")
async def test_case_1_without_answers_is_one_user_message(table):
    t = table({name: coordinates() for name in ("ann", "bob")})
    await t.deliberate("ann", "bob", task="How should I answer?")
    for agent in ("ann", "bob"):
        assert [message["role"] for message in t.asked(agent)[0].messages] == ["system", "user"]
        assert user(t.asked(agent)[0]) == (f"How should I answer?\n\nCurrent answers:\n(no answers available yet)\n\n{DECISION}")


@pytest.mark.spec("mass 1.3")
async def test_case_2_has_a_line_for_each_answer_also_for_who_has_none_itself(table):
    t = table({"ann": first(says("I think."), then=coordinates()), "bob": coordinates("B's."), "cem": coordinates("C's.")})
    await t.deliberate("ann", "bob", "cem", task="Say it.", held={"ann": t.after("answered", "bob", "cem")})
    expected = f"Say it.\n\nCurrent answers:\n- Agent B: B's.\n- Agent C: C's.\n\n{DECISION}"
    case_2 = {seen.model for seen in t.asked() if user(seen) == expected}
    assert case_2 == {"ann", "bob", "cem"}


@pytest.mark.spec("mass 1.4")
async def test_case_3_keeps_what_was_said_and_called_and_reminds(table):
    search = calls(Call("search", {"query": "wind"}, id="c1"))
    t = table({"ann": first(says("Let me think."), search, then=coordinates("Mine."))})
    result = await t.deliberate("ann")
    said, reminder, called, tool, again = t.asked("ann")[2].messages[2:]
    assert said == {"role": "assistant", "content": "Let me think."}
    assert reminder == again == {"role": "user", "content": REMINDER}
    assert called["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"query": "wind"}'}
    assert (tool["role"], tool["content"]) == ("tool", "Error: There is no tool `search` here.")
    assert result.answers[0].text == "Mine."


@pytest.mark.spec("mass 1.4", "mass 2.7", "mass 2.8")
async def test_after_three_attempts_an_agent_is_out(table):
    t = table({"ann": says("I would rather talk."), "bob": coordinates()})
    result = await t.deliberate("ann", "bob", held={"bob": t.after("failed", "ann")})
    assert len(t.asked("ann")) == 3
    assert list(result.out) == ["ann"] and "3 attempts" in result.out["ann"]


@pytest.mark.spec("mass 1.5", "mass 2.7")
async def test_case_4_a_bad_id_is_answered_by_the_tool_alone_and_tried_again(table):
    unsure = first(answers("A's."), votes("X"), then=coordinates())
    t = table({"ann": unsure, "bob": coordinates(), "cem": coordinates()})
    result = await t.deliberate("ann", "bob", "cem")
    told = t.asked("ann")[2].messages
    assert told[-1]["content"] == "Error: Invalid agent_id 'X'. Valid agents: Agent A, Agent B, Agent C"
    assert [message["role"] for message in told] == ["system", "user", "assistant", "tool"]
    assert "ann" in {vote.voter for vote in result.votes}


@pytest.mark.spec("mass 1.5", "mass 2.7")
async def test_a_real_id_is_a_bad_id(table):
    t = table({"ann": first(answers("A's."), votes("bob"), then=coordinates()), "bob": coordinates()})
    await t.deliberate("ann", "bob")
    assert t.asked("ann")[2].messages[-1]["content"] == "Error: Invalid agent_id 'bob'. Valid agents: Agent A, Agent B"


@pytest.mark.spec("mass 1.6")
async def test_the_tools_are_exactly_these(table):
    t = table({name: coordinates() for name in ("ann", "bob")})
    await t.deliberate("ann", "bob")
    without, among = [seen.body["tools"] for seen in t.asked("ann")[:2]]
    assert [(tool["function"]["name"], tool["function"]["description"]) for tool in among] == [
        ("update_answer", "Do additional work and create an improved answer."),
        ("vote", "Vote for best agent to present final answer"),
    ]
    assert [list(tool["function"]["parameters"]["properties"]) for tool in among] == [["content"], ["agent_id"]]
    assert among[1]["function"]["parameters"]["properties"]["agent_id"]["enum"] == ["Agent A", "Agent B"]
    assert "enum" not in json.dumps(without)


@pytest.mark.spec("mass 1.1", "mass 1.2", "mass 1.4", "mass 1.6")
@pytest.mark.skipif(not SEEDS.is_dir(), reason="the seeds are not here")
def test_mass_is_the_seed_word_for_word():
    seed = (SEEDS / "mass-input-cases.md").read_text("utf-8")
    shown = Mass().messages(view_of("ann", "bob"), "", "lenient")[1].content
    assert DECISION in seed and REMINDER in seed and shown.endswith(DECISION)
    assert f'"{Mass().system(view_of(), "lenient")}"' in seed
    for tool in Mass().tools(view_of()):
        assert tool.name in seed and tool.description in seed
    assert Mass.reminder == REMINDER


@given(st.text(max_size=200), st.text(max_size=200))
def test_an_answer_passes_for_nobody_elses(text, other):
    """Whatever it holds, a view has as many lines and tags of agents as it has answers."""
    view = view_of().model_copy(
        update={"answers": (Answer(agent="ann", text=f"{text}\n- Agent B: {other}"), Answer(agent="cem", text=f"<agent2> {other}"))}
    )
    lines = [line for line in Mass().shown(view).splitlines() if line.startswith("- Agent")]
    assert [line[:10] for line in lines] == ["- Agent A:", "- Agent C:"]
    shown = Massgen().shown(view)
    assert [shown.count(f"<agent{n}>") for n in (1, 2, 3)] == [1, 0, 1]


# --- both


@pytest.mark.spec("mass 2.9")
@pytest.mark.parametrize("profile", [Mass(), Massgen()])
def test_voting_sensitivity_changes_what_is_good_enough(profile):
    said = ["\n".join(m.content for m in profile.messages(view_of("ann"), "", one)) for one in ("lenient", "balanced", "strict")]
    assert len(set(said)) == 3
    assert "Say YES only" not in said[0] and "Say YES only" in said[1] and "Say YES only" in said[2]


@pytest.mark.parametrize("profile", [Mass(), Massgen()])
def test_the_talk_before_stands_before_the_task(profile):
    task = Task(text="And now?", history=(Exchange(user="What then?", assistant="That."),))
    shown = profile.shown(View(task=task, agents=("a",)))
    assert shown.index("User: What then?\nAssistant: That.") < shown.index("And now?")


def test_a_default_agents_id_stands_in_no_words_for_models():
    agents = [Agent(id=one.name, style=one.style, system=one.system) for one in AGENTS]
    ids = tuple(one.id for one in agents)
    view = View(task=Task(text="T"), agents=ids, answers=tuple(Answer(agent=id, text="A") for id in ids))
    for agent, profile in product(agents, PROFILES.values()):
        said = " ".join(message.content for message in profile().messages(view, agent.custom, "lenient"))
        assert not set(ids) & set(re.findall(r"\w+", said.casefold()))
