"""Restarts of the whole: the final agent's decision, what is told and logged, what is kept, and how often."""

import re
from pathlib import Path

import pytest
from doubles.drafting import Thinking, Turn, answers, candidates, coordinates, deciding, presenting, restarts, submits, think, votes
from doubles.llm import Call, calls, first, says
from doubles.llm.misbehaving import EMPTY, REFUSAL, SERVER_ERROR
from doubles.llm.requests import text_of

from assistant.drafting.base import Decision, Exchange, Restart, Task
from assistant.drafting.options import Options
from assistant.drafting.profiles import attempt_block
from assistant.errors import DraftingError
from assistant.llm.messages import Usage

SEED = Path(__file__).resolve().parents[4] / "shared" / "seeds" / "orchestration-restart.rst"
PLANNED, MODIFY = "Agents only planned without executing", "Please actually modify the files"
ALWAYS = restarts(PLANNED, MODIFY)
BLOCK = """\
## Previous Orchestration Attempts

This is attempt 2 to solve the task. The final agent from the previous
attempt was not satisfied and requested a restart.

**Why the restart was requested:**
Agents only planned without executing

**Instructions for improvement:**
Please actually modify the files

Please take these insights into account as you work on providing a better answer."""


def once():
    return first(ALWAYS, then=submits())


def post(**more):
    return {"enable_post_presentation_evaluation": True, **more}


def logged(caplog) -> list[str]:
    """Without what a coordination tells of its agents."""
    return [record.getMessage() for record in caplog.records if record.name == "assistant.drafting.restart"]


# --- 4.1


@pytest.mark.spec("restart 4.1")
def test_there_are_two_restarts_and_no_evaluation_after_the_presentation_unless_it_is_said():
    assert Options().max_orchestration_restarts == 2
    assert Options().enable_post_presentation_evaluation is False


@pytest.mark.spec("restart 4.1")
@pytest.mark.parametrize(("most", "attempts"), [(None, 3), (1, 2), (3, 4)])
async def test_there_is_one_attempt_more_than_restarts(table, most, attempts):
    t = table({"ann": coordinates(decision=ALWAYS)})
    more = {} if most is None else {"max_orchestration_restarts": most}
    assert (await t.deliberate("ann", **more)).attempts == attempts


async def test_without_restarts_nobody_is_asked_to_decide(table):
    t = table({"ann": coordinates(decision=ALWAYS)})
    result = await t.deliberate("ann", max_orchestration_restarts=0)
    assert result.attempts == 1 and not [seen for seen in t.asked() if deciding(seen)]


# --- 4.2


@pytest.mark.spec("restart 4.2")
async def test_the_winner_decides_with_two_tools_and_then_presents(table):
    t = table({"ann": coordinates(vote=1), "bob": coordinates(vote=1)})
    result = await t.deliberate("ann", "bob", task="Say it.")
    decided, presented = t.asked()[-2:]
    assert decided.model == presented.model == "bob"
    assert {name: list(schema["properties"]) for name, schema in decided.tools.items()} == {
        "submit": ["confirmed"],
        "restart_orchestration": ["reason", "instructions"],
    }
    for part in ("Say it.", "The answer of ann.", "The answer of bob.", "Votes for it:"):
        assert part in text_of(decided.messages[1])
    assert presenting(presented) and result.attempts == 1


@pytest.mark.spec("restart 4.2")
async def test_a_restart_before_the_presentation_presents_nothing(table):
    t = table({"ann": coordinates(["First.", "Second."], decision=once())})
    result = await t.deliberate("ann")
    assert result.attempts == 2 and result.text == "Presented: Second."
    assert [("decide" if deciding(seen) else "present") for seen in t.asked() if "vote" not in seen.tools] == [
        "decide",
        "decide",
        "present",
    ]


@pytest.mark.spec("restart 4.2")
async def test_after_the_presentation_it_is_judged_in_a_fresh_context(table):
    t = table({"ann": coordinates(["First.", "Second."], decision=once())})
    result = await t.deliberate("ann", task="Say it.", **post())
    assert [("judge" if deciding(seen) else "present") for seen in t.asked() if "vote" not in seen.tools] == [
        "present",
        "judge",
    ] * 2
    judged = next(seen for seen in t.asked() if deciding(seen))
    assert [message["role"] for message in judged.messages] == ["system", "user"]
    assert "Say it." in text_of(judged.messages[1]) and "Presented: First." in text_of(judged.messages[1])
    assert result.text == "Presented: Second."


# --- 4.3


@pytest.mark.spec("restart 4.3")
@pytest.mark.parametrize(
    ("decision", "attempts"),
    [
        (calls(Call("submit", {"confirmed": True}), Call("restart_orchestration", {"reason": "r", "instructions": "i"})), 1),
        (calls(Call("restart_orchestration", {"reason": "r", "instructions": "i"}), Call("submit", {"confirmed": True})), 2),
        (calls(Call("submit", {})), 1),
        (calls(Call("submit", "{")), 1),
    ],
)
async def test_the_first_call_wins(table, decision, attempts):
    t = table({"ann": coordinates(["First.", "Second."], decision=first(decision, then=submits()))})
    assert (await t.deliberate("ann")).attempts == attempts


@pytest.mark.spec("restart 4.3")
@pytest.mark.parametrize(
    "decision",
    [
        says("All is well."),
        EMPTY,
        REFUSAL,
        calls(Call("vote", {})),
        calls(Call("restart_orchestration", '{"reason": "')),
        SERVER_ERROR,
    ],
)
async def test_no_call_or_one_that_nobody_knows_is_submit_with_a_warning(table, caplog, decision):
    t = table({"ann": coordinates("A's.", decision=decision)})
    result = await t.deliberate("ann")
    assert result.attempts == 1 and result.text == "Presented: A's."
    assert [record for record in caplog.records if record.levelname == "WARNING" and record.name.startswith("assistant.drafting")]


@pytest.mark.spec("restart 4.3")
@pytest.mark.parametrize(("then", "attempts"), [(submits(False), 1), (submits(), 1), (says("Well."), 1), (ALWAYS, 2)])
async def test_who_does_not_confirm_is_asked_once_more(table, then, attempts):
    t = table({"ann": coordinates(["First.", "Second."], decision=first(submits(False), then, then=submits()))})
    assert (await t.deliberate("ann")).attempts == attempts
    asked = [seen for seen in t.asked() if deciding(seen)]
    assert len(asked) == attempts + 1
    assert asked[1].last.startswith("You did not confirm.")


# --- 4.4


@pytest.mark.spec("restart 4.4")
@pytest.mark.parametrize("profile", ["mass", "massgen"])
async def test_from_the_second_attempt_on_every_context_ends_with_the_attempt_before(table, profile):
    t = table({name: coordinates([f"{name} 1.", f"{name} 2."], decision=once()) for name in ("ann", "bob")})
    await t.deliberate("ann", "bob", profile=profile)
    ends = [text_of(seen.messages[1]).endswith(f"\n\n{BLOCK}") for seen in t.asked()]
    assert ends == sorted(ends) and ends.count(True) == 6
    assert {seen.model for seen, block in zip(t.asked(), ends, strict=True) if block} == {"ann", "bob"}


@pytest.mark.spec("restart 4.4")
async def test_only_the_latest_restart_is_told(table):
    twice = first(restarts("Too long.", "Be short."), restarts("Too cold.", "Be warm."), then=submits())
    t = table({"ann": coordinates(["1.", "2.", "3."], decision=twice)})
    await t.deliberate("ann")
    last = text_of(t.asked()[-1].messages[1])
    assert "This is attempt 3" in last and "Be warm." in last and "Be short." not in last
    assert last.count("## Previous Orchestration Attempts") == 1


@pytest.mark.spec("restart 4.4")
@pytest.mark.skipif(not SEED.is_file(), reason="the seeds are not here")
def test_the_block_is_the_seeds_word_for_word():
    seed = re.sub(r"(?m)^ {3}", "", SEED.read_text("utf-8"))
    reason = "Agents provided plans but didn't execute actual implementation"
    instructions = "Please actually implement the solution by modifying the files, not just\ndescribing what changes should be made"
    assert attempt_block(2, Restart(reason=reason, instructions=instructions)) in seed


# --- 4.5


@pytest.mark.spec("restart 4.5")
async def test_answers_votes_messages_and_the_one_selected_are_reset(table):
    decision = once()
    plays = {name: coordinates([f"{name} 1.", f"{name} 2."], decision=decision) for name in ("ann", "bob")}

    def with_attempt_two_for_bob(seen):
        if "vote" in seen.tools and candidates(seen):
            return votes("Agent B" if "attempt 2" in seen.prompt else "Agent A")
        return plays[seen.model](seen)

    t = table({"ann": with_attempt_two_for_bob, "bob": with_attempt_two_for_bob})
    result = await t.deliberate("ann", "bob")
    second = [seen for seen in t.asked() if "attempt 2" in text_of(seen.messages[1])]
    assert "(no answers available yet)" in text_of(second[0].messages[1])
    assert not [seen for seen in second if "ann 1." in seen.prompt or "bob 1." in seen.prompt]
    assert (result.winner, result.text) == ("bob", "Presented: bob 2.")
    assert [(vote.voter, vote.candidate) for vote in result.votes] == [("ann", "bob"), ("bob", "bob")]


@pytest.mark.spec("restart 4.5")
async def test_the_session_and_the_conversation_are_kept(table):
    t = table({name: coordinates([f"{name} 1.", f"{name} 2."], decision=once()) for name in ("zoe", "ann")})
    task = Task(text="And now?", history=(Exchange(user="What then?", assistant="That."),))
    await t.deliberate("zoe", "ann", task=task, profile="massgen")
    assert all("User: What then?\nAssistant: That." in text_of(seen.messages[1]) for seen in t.asked())
    shown = text_of(t.asked()[-1].messages[1])
    assert "<agent2> zoe 2. <end of agent2>\n<agent1> (your answer, selected) ann 2. <end of agent1>" in shown


@pytest.mark.spec("restart 4.5")
def test_who_timed_out_stays_out_and_who_failed_takes_part_again():
    again = Decision(restart=Restart(reason="r", instructions="i"))
    slow = Thinking("slow", [Turn("answer", 1000)])
    fails = Thinking("fails", [Turn("fail"), Turn("answer"), Turn("vote")])
    writes = Thinking("writes", [Turn("answer"), Turn("vote"), Turn("answer"), Turn("vote")], decisions=[again])
    result = think(slow, fails, writes, agent_timeout=10, patient=False)
    assert result.attempts == 2
    assert len(slow.views) == 1 and "slow" in result.out
    assert {answer.agent for answer in result.answers} == {"fails", "writes"}


@pytest.mark.spec("restart 4.5")
def test_each_attempt_has_the_whole_time():
    """Forty seconds each, of sixty."""
    again = Decision(restart=Restart(reason="r", instructions="i"))
    agent = Thinking("a", [Turn("answer", 20), Turn("vote", 20)] * 2, decisions=[again])
    result = think(agent, timeout=60)
    assert result.attempts == 2 and len(result.votes) == 1 and not result.notes


# --- 4.6


@pytest.mark.spec("restart 4.6")
async def test_the_log_has_the_seeds_lines_in_its_order(table, caplog):
    caplog.set_level("INFO", logger="assistant")
    t = table({"agent_1": coordinates(["1.", "2."], decision=once())})
    await t.deliberate("agent_1")
    assert logged(caplog)[:3] == [
        "Final agent selected: agent_1",
        f"🔄 Final agent agent_1 chose to RESTART orchestration\n   Reason: {PLANNED}\n   Instructions: {MODIFY}",
        "🔄 Handling orchestration restart (attempt 1 -> 2)",
    ]


@pytest.mark.spec("restart 4.6")
async def test_the_log_has_the_seeds_lines_for_an_evaluation_after_the_presentation(table, caplog):
    caplog.set_level("INFO", logger="assistant")
    t = table({"agent_1": coordinates(["1.", "2."], decision=once())})
    await t.deliberate("agent_1", **post())
    assert logged(caplog)[:6] == [
        "Final agent selected: agent_1",
        "🎤 [agent_1] presenting final answer",
        "🔍 Starting post-presentation evaluation",
        "🔍 Post-presentation evaluation by agent_1",
        f"🔄 Post-evaluation: agent_1 requests RESTART\n   Reason: {PLANNED}\n   Instructions: {MODIFY}",
        "🔄 Handling orchestration restart (attempt 1 -> 2)",
    ]


@pytest.mark.spec("restart 4.6")
async def test_the_user_sees_the_seeds_lines_in_its_order(table):
    reason, instructions = "Agents only planned but didn't execute implementation", "Please actually implement the solution..."
    t = table({"ann": coordinates(["1.", "2."], decision=first(restarts(reason, instructions), then=submits()))})
    await t.deliberate("ann")
    seen = [told for told in t.told if told.text.startswith(("🔄", "🚀"))]
    assert "\n\n".join(told.text for told in seen[1:]) == (
        "🔄 Orchestration restart requested by final agent\n\n"
        f"Reason: {reason}\n\n"
        "---\n\n"
        "🔄 Orchestration Restart - Attempt 2/3\n\n"
        f"Reason: {reason}\n\n"
        f"Instructions: {instructions}\n\n"
        "---\n\n"
        "🚀 Starting multi-agent coordination..."
    )


@pytest.mark.spec("restart 4.6", "ids 0.1")
async def test_people_read_real_ids_in_reasons_and_models_and_the_log_do_not(table, caplog):
    caplog.set_level("INFO", logger="assistant")
    vague = restarts("Agent B is vague", "Follow Agent A")
    t = table({"ann": coordinates(["1.", "2."], decision=vague), "bob": coordinates(["3.", "4."], decision=vague)})
    result = await t.deliberate("ann", "bob", max_orchestration_restarts=1)
    seen = "\n".join(told.text for told in t.told)
    assert seen.count("Reason: bob is vague") == 3 and "Instructions: Follow ann" in seen
    assert "Agent A" not in seen and "Agent B" not in seen
    assert result.notes == ("Maximum orchestration restarts exceeded: bob is vague",)
    assert "Reason: Agent B is vague" in "\n".join(logged(caplog))
    assert "requested:**\nAgent B is vague" in text_of(t.asked("ann")[-1].messages[1])


# --- 4.7


@pytest.mark.spec("restart 4.7")
@pytest.mark.parametrize("after", [False, True])
async def test_a_restart_on_the_last_attempt_exceeds_the_most_and_the_answer_is_presented_all_the_same(table, caplog, after):
    t = table({"ann": coordinates(["1.", "2."], decision=ALWAYS)})
    result = await t.deliberate("ann", max_orchestration_restarts=1, enable_post_presentation_evaluation=after)
    assert result.attempts == 2 and result.text == "Presented: 2."
    assert "Maximum orchestration restarts exceeded" in logged(caplog)
    assert [told.text for told in t.told if told.kind == "exhausted"] == ["Maximum orchestration restarts exceeded"]
    assert "Maximum orchestration restarts exceeded" in result.notes[0]


# --- 4.8


@pytest.mark.spec("restart 4.8", "mass 2.12")
async def test_the_accounting_shows_each_attempt_at_about_one_coordination(table):
    t = table({name: coordinates([f"{name} 1.", f"{name} 2."], decision=once()) for name in ("ann", "bob", "cem")})
    result = await t.deliberate("ann", "bob", "cem")
    used = {attempt: sum((one.usage for one in result.spent if one.attempt == attempt), Usage()) for attempt in (1, 2)}
    blocks = sum(BLOCK in text_of(seen.messages[1]) for seen in t.asked()) * len(BLOCK) / 4
    presentation = len(t.asked()[-1].prompt) / 4
    assert used[2].prompt == pytest.approx(used[1].prompt + blocks + presentation - len(BLOCK) / 4, rel=0.05)
    assert sum(used.values(), Usage()).prompt == t.endpoint.counters.prompt


# --- never nothing


async def test_where_the_second_attempt_comes_to_nothing_the_first_ones_answer_stands(table):
    """All calls fail from the restart on."""
    t = table({"ann": first(answers("A's."), votes("Agent A"), ALWAYS, then=SERVER_ERROR)})
    result = await t.deliberate("ann")
    assert result.text == "A's." and result.attempts == 2
    assert "Attempt 2 came to no answer" in result.notes[-1]


@pytest.mark.spec("mass 2.10")
def test_when_the_time_is_up_it_is_presented_without_a_decision():
    again = Decision(restart=Restart(reason="r", instructions="i"))
    agent = Thinking("a", [Turn("answer", 1), Turn("vote", 1000)], presents="As it is.", decisions=[again])
    result = think(agent, timeout=60, agent_timeout=2000)
    assert (result.text, result.attempts, agent.decisions) == ("As it is.", 1, [again])


async def test_nobody_at_all_is_a_failure(table):
    t = table({})
    with pytest.raises(DraftingError, match="no successful agents"):
        await t.deliberate()
