"""The multi-turn input of the massgen profile, exact to the character."""

import hashlib
from pathlib import Path

import pytest
from doubles.drafting import coordinates, user
from doubles.llm import Call, RequestSeen, calls, first, says
from doubles.llm.requests import text_of

from assistant.drafting.base import Answer, Exchange, Task, View
from assistant.drafting.profiles import Massgen

SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"
QUESTION = "What are the main benefits of renewable energy?"
CHALLENGES = "What about the challenges and limitations?"
TRANSITION = "How can governments support the transition?"


def system(seen: RequestSeen) -> str:
    return text_of(seen.messages[0])


def history(*turns: tuple[str, str]) -> tuple[Exchange, ...]:
    return tuple(Exchange(user=said, assistant=answered) for said, answered in turns)


TURN_2 = Task(
    text=CHALLENGES,
    history=history(
        (
            QUESTION,
            "Renewable energy offers several key benefits including environmental sustainability, economic advantages, and energy"
            " security. It reduces greenhouse gas emissions, creates jobs, and decreases dependence on fossil fuel imports.",
        )
    ),
)
TURN_3 = Task(
    text=TRANSITION,
    history=history(
        (QUESTION, "Renewable energy offers environmental, economic, and energy security benefits."),
        (CHALLENGES, "Main challenges include high upfront costs, intermittency issues, and infrastructure requirements."),
    ),
)
KEY, BENEFITS = (
    "Key benefits include environmental and economic advantages.",
    "Benefits include environmental and economic advantages.",
)
COSTS = "Challenges include costs, intermittency, and infrastructure needs."


def digest(text: str) -> tuple[int, str]:
    return len(text), hashlib.sha256(text.encode()).hexdigest()[:16]


async def asked_in(table, task: Task, **said: str) -> RequestSeen:
    """The first request that shows all answers; agents are registered as they are named."""
    t = table({agent: coordinates(text) for agent, text in said.items()})
    await t.deliberate(*said, task=task, profile="massgen")
    assert {tuple(seen.tools) for seen in t.asked() if "vote" in seen.tools} == {("new_answer", "vote")}
    return t.asked(next(iter(said)))[1]


@pytest.mark.spec("massgen 3.1")
async def test_turn_1_is_the_seeds_to_the_character(table):
    t = table({"researcher": coordinates()})
    await t.deliberate("researcher", task=QUESTION, profile="massgen")
    seen = t.asked()[0]
    assert digest(system(seen)) == (389, "e1fc499846b8a8e2")
    assert digest(user(seen)) == (179, "7d62946e0904ab20")
    assert list(seen.tools) == ["new_answer", "vote"]


@pytest.mark.spec("massgen 3.1", "massgen 3.2", "massgen 3.3")
async def test_turn_2_is_the_seeds_to_the_character(table):
    """The researcher is registered alone and is agent1."""
    seen = await asked_in(table, TURN_2, researcher=KEY)
    assert digest(system(seen)) == (574, "77084fc76614c190")
    assert digest(user(seen)) == (578, "badb42dc5aae5381")


@pytest.mark.spec("massgen 3.1", "massgen 3.2", "massgen 3.3")
async def test_turn_3_is_the_seeds_to_the_character(table):
    """The researcher is registered first, and agent2 by its name."""
    seen = await asked_in(table, TURN_3, researcher=BENEFITS, analyst=COSTS)
    assert digest(system(seen)) == (574, "77084fc76614c190")
    assert digest(user(seen)) == (678, "11577b75a7666b4c")
    assert user(seen).index("<agent2>") < user(seen).index("<agent1>")


@pytest.mark.spec("massgen 3.2")
def test_the_context_note_follows_a_line_of_twelve_blanks_and_only_with_a_history():
    alone, after = (Massgen().system(View(task=task, agents=("a",)), "lenient") for task in (Task(text=QUESTION), TURN_2))
    note = after.removeprefix(alone)
    assert note.startswith("\n" + 12 * " " + "\nIMPORTANT: ")
    assert len(note) == 185


@pytest.mark.spec("massgen 3.4")
async def test_an_agent_remembers_nothing_between_turns(table):
    """The same agents, turn after turn: each turn's first messages are what they are for agents made anew."""
    t = table({"researcher": coordinates([KEY, KEY, KEY])})
    strategy = t.orchestration("researcher", profile="massgen")
    sizes = []
    for task in (Task(text=QUESTION), TURN_2, TURN_3):
        before = len(t.asked())
        await strategy.run(task, t.told.append)
        sizes.append([len(text_of(message)) for message in t.asked()[before].messages])
    assert [len(one) for one in sizes] == [2, 2, 2]
    assert [one[0] for one in sizes] == [389, 574, 574]


@pytest.mark.spec("massgen 3.4")
async def test_the_three_turns_have_the_seeds_sizes(table):
    t = table({"researcher": coordinates()})
    await t.deliberate("researcher", task=QUESTION, profile="massgen")
    seen = [
        t.asked()[0],
        await asked_in(table, TURN_2, researcher=KEY),
        await asked_in(table, TURN_3, researcher=BENEFITS, analyst=COSTS),
    ]
    assert [len(system(one)) + len(user(one)) for one in seen] == [568, 1152, 1252]


@pytest.mark.spec("massgen 3.5")
async def test_a_follow_up_turn_coordinates_again(table):
    t = table({"researcher": coordinates([KEY, COSTS]), "analyst": coordinates([BENEFITS, COSTS + " Indeed."])})
    strategy = t.orchestration("researcher", "analyst", profile="massgen")
    first_turn = await strategy.run(Task(text=QUESTION), t.told.append)
    before = len(t.asked())
    second = await strategy.run(TURN_2, t.told.append)
    assert len(first_turn.votes) == len(second.votes) == 2
    assert "(no answers available yet)" in user(t.asked()[before])
    assert {one.text for one in second.answers} == {COSTS, COSTS + " Indeed."}


@pytest.mark.spec("massgen 3.1", "massgen 3.2")
@pytest.mark.skipif(not SEEDS.is_dir(), reason="the seeds are not here")
def test_massgen_is_the_seed_word_for_word():
    seed = (SEEDS / "multi-turn-input.md").read_text("utf-8")
    answered = (Answer(agent="researcher", text=BENEFITS), Answer(agent="analyst", text=COSTS))
    messages = Massgen().messages(View(task=TURN_3, agents=("researcher", "analyst"), answers=answered), "", "lenient")
    assert all(f"```\n{message.content}\n```" in seed for message in messages)


@pytest.mark.spec("massgen 3.1", "mass 2.7")
async def test_massgen_reminds_in_its_own_words_and_its_tools_say_no_error_before_them(table):
    ann = first(says("Hm."), calls(Call("vote", {"agent_id": "agent1", "reason": "Best."})), then=coordinates("A's."))
    t = table({"ann": ann})
    await t.deliberate("ann", profile="massgen")
    assert t.asked()[1].last == (
        "Finish your work above by making a tool call of `vote` or `new_answer`. Make sure you actually call the tool."
    )
    assert t.asked()[2].last == "There is no answer to vote for yet. Use the `new_answer` tool."


@pytest.mark.spec("massgen 3.1")
async def test_a_vote_of_massgen_has_a_reason_or_none(table):
    t = table({"ann": coordinates(reason="It is short."), "bob": coordinates()})
    result = await t.deliberate("ann", "bob", profile="massgen")
    assert [vote.reason for vote in result.votes] == ["It is short.", ""]
    assert list(t.asked("ann")[1].tools["vote"]["properties"]) == ["agent_id", "reason"]
