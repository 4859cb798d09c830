"""A coordination: models over real HTTP, whose answers arrive in the order that a test wants, and votes, failures and time."""

import asyncio

import pytest
from doubles.drafting import Thinking, Turn, answers, candidates, coordinates, presenting, votes
from doubles.llm import Call, RequestSeen, calls, first, says
from doubles.llm.misbehaving import EMPTY, INVALID_JSON, REFUSAL, SERVER_ERROR, UNAUTHORIZED, text_and_calls
from doubles.llm.requests import text_of
from doubles.virtual_time import run

from assistant.drafting.base import Answer, Task, Told, Vote
from assistant.drafting.coordination import Coordination, Fallen, Stopped
from assistant.drafting.model import Agent
from assistant.drafting.novelty import likeness
from assistant.drafting.options import Options
from assistant.drafting.restart import Orchestration
from assistant.errors import DraftingError
from assistant.llm.messages import Usage


def user(seen: RequestSeen) -> str:
    return text_of(seen.messages[1])


def texts(result):
    return {answer.agent: answer.text for answer in result.answers}


def state_of(*agents: str, **more) -> Coordination:
    return Coordination(agents=agents, **more).begun(agents)


def answer(agent: str, text: str = "") -> Answer:
    return Answer(agent=agent, text=text or f"{agent}'s answer")


def vote(voter: str, candidate: str) -> Vote:
    return Vote(voter=voter, candidate=candidate)


def after(state: Coordination, *ticks: tuple) -> Coordination:
    """One tick after another; whoever is free begins between them."""
    for outcomes in ticks:
        state, _ = state.after(outcomes)
        state = state.begun(state.free)
    return state


def think(*agents: Thinking, told: list[Told] | None = None, **options):
    told = [] if told is None else told
    seats = tuple(lambda _, agent=agent: agent for agent in agents)
    return run(Orchestration(seats, Options(**options)).run(Task(text="T"), told.append))


# --- 2.1 start


@pytest.mark.spec("mass 2.1")
async def test_all_agents_start_side_by_side(table):
    names = ("ann", "bob", "cem", "dan", "eve")
    t = table({name: coordinates() for name in names}, latency=0.05)
    await t.deliberate(*names)
    assert t.endpoint.counters.most_at_once == 5
    assert t.kinds()[:6] == ["started", *["working"] * 5]


@pytest.mark.spec("mass 2.1")
async def test_an_agent_sees_what_was_there_when_it_began_and_begins_from_nothing(table):
    """Bob is reminded while Ann's answer is landing; his fresh start holds nothing of what he was told."""
    t = table({"ann": coordinates("A's."), "bob": first(says("Hm."), then=coordinates("B's."))})
    await t.deliberate("ann", "bob", held={"bob": t.after("answered", "ann")})
    began, anew = t.asked("bob")[:2]
    assert "(no answers available yet)" in user(began) and "- Agent A: A's." in user(anew)
    assert [message["role"] for message in anew.messages] == ["system", "user"]


# --- 2.2 answers


@pytest.mark.spec("mass 2.2")
def test_an_answer_replaces_the_agents_earlier_one_clears_all_votes_and_lets_all_begin_anew():
    state = after(state_of("a", "b", "c", patient=False), [answer("a"), answer("b")], [vote("a", "b"), vote("b", "b")])
    assert set(state.votes) == {"a", "b"}
    state, _ = state.after([answer("c")])
    assert not state.votes and state.free == ("a", "b", "c")
    state = after(state.begun(state.free), [answer("a", "better")])
    assert [one.text for one in state.shown] == ["better", "b's answer", "c's answer"]


@pytest.mark.spec("mass 2.2")
async def test_the_author_of_an_answer_begins_anew_and_sees_it(table):
    t = table({"ann": coordinates("A's.")})
    await t.deliberate("ann")
    assert "- Agent A: A's." in user(t.asked("ann")[1])
    assert t.kinds("ann")[:4] == ["working", "answered", "restarting", "voted"]


# --- 2.3 in flight


@pytest.mark.spec("mass 2.3")
async def test_an_answer_that_was_under_way_is_recorded_all_the_same(table):
    t = table({"ann": coordinates("A's."), "bob": coordinates("B's.")})
    result = await t.deliberate("ann", "bob", held={"bob": t.after("answered", "ann")})
    assert texts(result) == {"ann": "A's.", "bob": "B's."}
    assert [seen.model for seen in t.asked() if "no answers available" in user(seen)].count("bob") == 1


@pytest.mark.spec("mass 2.3", "ids 0.1")
async def test_a_vote_that_was_under_way_is_ignored_with_a_logged_reason(table, caplog):
    """Without patience: Ann is voting already when Bob's answer lands."""
    caplog.set_level("INFO", logger="assistant")

    async def anns_vote_waits_for_bob(prompt, completion):
        if completion.calls and completion.calls[0].name == "vote":
            await t.until(lambda: "answered" in t.kinds("bob"))

    t = table({"ann": coordinates("A's."), "bob": coordinates("B's.", vote=1)})
    held = {"ann": anns_vote_waits_for_bob, "bob": t.after("restarting", "ann")}
    result = await t.deliberate("ann", "bob", held=held, patient=False)
    assert t.kinds("ann")[:4] == ["working", "answered", "restarting", "ignored"]
    assert "ann's vote for ann is ignored: a newer answer is there." in caplog.text
    assert {vote.voter for vote in result.votes} == {"ann", "bob"}


@pytest.mark.spec("mass 2.3")
async def test_a_peer_under_way_is_not_cancelled_but_stops_before_its_next_attempt(table):
    t = table({"ann": coordinates("A's."), "bob": first(says("Let me see."), then=coordinates("B's."))})
    await t.deliberate("ann", "bob", held={"bob": t.after("answered", "ann")})
    assert t.kinds("bob")[:3] == ["working", "rejected", "ignored"]
    assert len([seen for seen in t.asked("bob") if "no answers available" in user(seen)]) == 1
    assert all(seen.ended for seen in t.asked())


@pytest.mark.spec("mass 2.3")
def test_patience_lets_nobody_begin_anew_while_an_answer_may_still_come():
    state = state_of("a", "b", "c")
    landed, _ = state.after([answer("a")])
    assert landed.free == ()
    assert landed.after([answer("b"), Stopped(agent="c")])[0].free == ("c", "a", "b")
    at_once, _ = state_of("a", "b", "c", patient=False).after([answer("a")])
    assert at_once.free == ("a",)


def test_no_more_are_at_work_than_may_be():
    state = Coordination(agents=("a", "b", "c", "d"), at_once=2)
    assert state.free == ("a", "b")
    landed, _ = state.begun(state.free).after([answer("a"), answer("b")])
    assert landed.free == ("c", "d")
    assert landed.begun(landed.free).free == ()


# --- 2.4 the same tick


@pytest.mark.spec("mass 2.4")
def test_of_one_tick_the_answers_apply_and_the_votes_drop():
    state = after(state_of("a", "b", "c"), [answer("a")], [answer("b"), Stopped(agent="c")])
    state, told = state.after([vote("a", "a"), answer("c"), vote("b", "a")])
    assert [one.kind for one in told] == ["answered", "ignored", "ignored"]
    assert not state.votes and "c" in state.answers


@pytest.mark.spec("mass 2.4")
def test_what_completes_at_the_same_instant_is_of_one_tick():
    told: list[Told] = []
    late = [Turn("answer", 1), Turn("answer", 1), Turn("vote", 1)]
    quick = [Turn("answer", 1), Turn("vote", 1)]
    think(Thinking("a", quick), Thinking("b", late), told=told)
    assert [(one.agent, one.kind) for one in told if one.kind in ("answered", "voted", "ignored")][2:] == [
        ("b", "answered"),
        ("a", "ignored"),
        ("a", "voted"),
        ("b", "voted"),
    ]


# --- 2.5 its end, 2.6 the winner


@pytest.mark.spec("mass 2.5")
async def test_it_ends_when_all_who_live_have_voted_for_themselves_too(table):
    t = table({"ann": coordinates(vote=0), "bob": coordinates(vote=1), "cem": says("Never a call.")})
    result = await t.deliberate("ann", "bob", "cem")
    assert [(vote.voter, vote.candidate) for vote in result.votes] == [("ann", "ann"), ("bob", "bob")]
    assert list(result.out) == ["cem"]


@pytest.mark.spec("mass 2.6")
@pytest.mark.parametrize(
    ("cast", "winner"),
    [
        ({"a": "c", "b": "c", "c": "a"}, "c"),
        ({"a": "c", "b": "b", "c": "a"}, "b"),
        ({"a": "c", "b": "a", "c": "x"}, "a"),
        ({}, "b"),
    ],
)
def test_the_winner_has_most_votes_then_the_first_registration(cast, winner):
    """Registered: x without an answer, then b, a, c."""
    state = after(state_of("x", "b", "a", "c"), [answer("b"), answer("a"), answer("c"), Fallen(agent="x", why="it fails")])
    state, _ = state.after([vote(*one) for one in cast.items() if one[1] != "x"])
    assert state.winner() == winner


@pytest.mark.spec("mass 2.6")
async def test_no_answer_at_all_is_a_failure_of_its_own_kind(table):
    t = table({"ann": SERVER_ERROR, "bob": says("No.")})
    with pytest.raises(DraftingError, match="no successful agents"):
        await t.deliberate("ann", "bob")


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
@pytest.mark.parametrize("presented", [EMPTY, says("  \n"), SERVER_ERROR, calls(Call("vote", {"agent_id": "Agent A"}))])
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
