"""Which calls of a model are taken, and what it is told of the others."""

import pytest
from doubles.drafting import Thinking, Turn, answers, candidates, coordinates, presenting, texts, think, votes
from doubles.llm import Call, calls, first, says
from doubles.llm.misbehaving import EMPTY, INVALID_JSON, REFUSAL, text_and_calls
from doubles.llm.requests import text_of

from assistant.drafting.novelty import likeness

# --- 2.7 what is refused


BOTH = calls(Call("update_answer", {"content": "Mine."}, id="1"), Call("vote", {"agent_id": "Agent B"}, id="2"))
SEVERAL = calls(Call("vote", {"agent_id": "Agent A"}, id="1"), Call("vote", {"agent_id": "Agent B"}, id="2"))


@pytest.mark.spec("mass 2.7", "mass 1.5")
@pytest.mark.parametrize(
    ("refused", "words"),
    [
        (BOTH, "Error: Call either `vote` or `update_answer`, not both."),
        (SEVERAL, "Error: Call `vote` only once."),
        (votes("Agent Z"), "Error: Invalid agent_id 'Agent Z'. Valid agents: Agent A, Agent B"),
        (votes(""), "Error: Invalid agent_id ''. Valid agents: Agent A, Agent B"),
        (answers(" B's.\n"), "Error: This is Agent B's answer already. Give a better one, or vote for it."),
        (answers("  "), "Error: The answer is empty."),
        (calls(Call("update_answer", '{"content": "Mi')), "Error: The arguments of `update_answer` are not a JSON object."),
        (calls(Call("update_answer", {"text": "Mine."})), "Error: The answer is empty."),
        (calls(Call("vote", "[1]")), "Error: The arguments of `vote` are not a JSON object."),
        (calls(Call("send_mail", {"to": "x"})), "Error: There is no tool `send_mail` here."),
        (calls(Call("no such; tool", "{")), "Error: There is no tool `no such; tool` here."),
    ],
)
async def test_a_refused_call_is_told_what_is_wrong_and_takes_one_of_three_attempts(table, refused, words):
    """Each call of it is answered; the endpoint refuses requests where one is not."""
    ann = first(answers("A's."), refused, refused, then=coordinates())
    t = table({"ann": ann, "bob": coordinates("B's.")})
    result = await t.deliberate("ann", "bob")
    told = [text_of(message) for message in t.asked("ann")[2].messages if message["role"] == "tool"]
    assert set(told) == {words}
    assert "ann" in {vote.voter for vote in result.votes} and not result.out


@pytest.mark.spec("mass 2.7")
async def test_a_vote_while_there_is_no_answer_is_refused(table):
    t = table({"ann": first(votes("Agent A"), then=coordinates())})
    await t.deliberate("ann")
    assert t.asked()[1].last == "Error: There is no answer to vote for yet. Use the `update_answer` tool."


@pytest.mark.spec("mass 2.7", "mass 2.8")
@pytest.mark.parametrize("refused", [BOTH, SEVERAL, votes("Agent Z"), answers("B's."), says("Hm."), EMPTY, REFUSAL, INVALID_JSON])
async def test_three_refused_attempts_and_the_agent_has_failed(table, refused):
    t = table({"ann": first(answers("A's."), then=refused), "bob": coordinates("B's.")})
    result = await t.deliberate("ann", "bob")
    assert len(t.asked("ann")) == 4
    assert list(result.out) == ["ann"]
    assert [kind for kind in t.kinds("ann") if kind in ("rejected", "failed")] == ["rejected"] * 3 + ["failed"]


@pytest.mark.spec("mass 2.7")
async def test_a_duplicate_is_refused_at_the_first_attempt_and_the_last(table):
    """Also its own, and in the round in which nobody could see the other's."""
    t = table({"ann": first(answers("Same."), answers("Same."), then=coordinates()), "bob": coordinates("Same.")})
    result = await t.deliberate("ann", "bob", held={"bob": t.after("answered", "ann")})
    assert texts(result) == {"ann": "Same."}
    assert t.kinds("ann")[:4] == ["working", "answered", "restarting", "rejected"]
    assert t.kinds("bob")[:3] == ["working", "ignored", "restarting"]


@pytest.mark.spec("mass 2.7")
def test_a_participant_that_repeats_what_it_saw_is_out():
    result = think(Thinking("a", [Turn("answer", text="Same.")]), Thinking("b", [Turn("answer", 2, text="Other."), Turn("vote")]))
    assert "repeated" in result.out["a"]
    assert result.winner == "a" and result.text == "Same."


async def test_a_call_counts_whatever_is_said_or_called_beside_it(table):
    spoken = text_and_calls("This is best.", Call("search", {"q": "x"}), Call("update_answer", {"content": "Mine."}))
    t = table({"ann": first(spoken, then=coordinates())})
    assert texts(await t.deliberate("ann")) == {"ann": "Mine."}


@pytest.mark.spec("mass 2.7", "ids 0.2")
@pytest.mark.parametrize(
    "own", [Call("update_answer", {"content": "Mine."}, id="1"), Call("vote", {"agent_id": "Agent A"}, id="1")]
)
async def test_beside_the_other_profiles_tool_no_call_is_taken(table, own):
    mixed = calls(own, Call("new_answer", {"content": "Other."}, id="2"))
    t = table({"ann": first(answers("First."), mixed, then=coordinates())})
    result = await t.deliberate("ann")
    assert texts(result) == {"ann": "First."}
    assert [kind for kind in t.kinds("ann") if kind in ("answered", "rejected", "voted")] == ["answered", "rejected", "voted"]
    told = [text_of(message) for message in t.asked()[2].messages if message["role"] == "tool"]
    assert told == [
        "Error: This call was not taken, since you called `new_answer` beside it.",
        "Error: There is no tool `new_answer` here.",
    ]


# --- 2.9 options


@pytest.mark.spec("mass 2.9")
async def test_at_the_limit_of_answers_only_the_vote_is_offered(table):
    def eager(seen):
        number = len(t.asked("ann"))
        return answers(f"Version {number}.") if "update_answer" in seen.tools else votes(candidates(seen)[0])

    t = table({"ann": lambda seen: says("P.") if presenting(seen) else eager(seen)})
    result = await t.deliberate("ann", max_answers=2, max_orchestration_restarts=0)
    assert [sorted(seen.tools) for seen in t.asked()] == [["update_answer", "vote"], ["update_answer", "vote"], ["vote"], []]
    assert texts(result) == {"ann": "Version 2."}


@pytest.mark.spec("mass 2.9")
async def test_an_answer_at_the_limit_is_refused_also_where_it_was_not_offered(table):
    t = table({"ann": first(answers("One."), answers("Two."), then=coordinates())})
    await t.deliberate("ann", max_answers=1)
    assert t.asked()[2].last == "Error: You can give no further answer. Use the `vote` tool."


TEN = "one two three four five six seven eight nine ten"


@pytest.mark.spec("mass 2.9")
@pytest.mark.parametrize(
    ("novelty", "text", "taken"),
    [
        ("lenient", f"{TEN} eleven", True),
        ("balanced", TEN.upper() + " Eleven Twelve Thirteen Fourteen", False),
        ("balanced", " ".join(TEN.split()[:7]), True),
        ("strict", " ".join(TEN.split()[:6]), False),
        ("strict", " ".join(TEN.split()[:5]), True),
    ],
)
async def test_novelty_refuses_what_is_too_like_an_answer(table, novelty, text, taken):
    t = table({"ann": first(answers(TEN), answers(text), then=coordinates())})
    result = await t.deliberate("ann", novelty=novelty)
    assert texts(result) == {"ann": text.strip() if taken else TEN}


@pytest.mark.spec("mass 2.9")
def test_likeness_is_that_of_sets_of_lower_cased_words():
    assert likeness("a b b", "B a") == 1.0
    assert likeness("a b c", "c d") == 0.25
    assert likeness("", "") == 1.0


async def test_an_answer_with_problems_is_told_them(table):
    def problems(text):
        return ["It names a day that nobody named."] if "Monday" in text else []

    t = table({"ann": first(answers("On Monday."), answers("Soon."), then=coordinates())})
    result = await t.deliberate("ann", problems=problems)
    assert t.asked()[1].last == "Error: This answer can't be used. It names a day that nobody named."
    assert texts(result) == {"ann": "Soon."}
