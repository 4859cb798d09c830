"""A coordination: who begins when and sees what, what an answer and a vote do, when it ends and who wins."""

import asyncio

import pytest
from doubles.drafting import Thinking, Turn, coordinates, texts, think, user
from doubles.llm import first, says
from doubles.llm.misbehaving import SERVER_ERROR

from assistant.drafting.base import Answer, Told, Vote
from assistant.drafting.coordination import Coordination, Fallen, Stopped
from assistant.errors import DraftingError


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
    assert t.endpoint.idle() and all(seen.ended for seen in t.asked())


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


def test_only_who_has_begun_before_begins_anew():
    """Of three only one may be at work: the others begin for the first time while answers are there."""
    told: list[Told] = []
    think(*(Thinking(name, [Turn("answer", 1), Turn("vote", 1)]) for name in ("a", "b", "c")), told=told, at_once=1)
    begun = [(one.agent, one.kind) for one in told if one.kind in ("working", "restarting")]
    assert begun[:3] == [("a", "working"), ("b", "working"), ("c", "working")]
    assert {kind for _, kind in begun[3:]} == {"restarting"}


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


@pytest.mark.spec("mass 2.4")
async def test_a_vote_that_arrives_with_an_answer_drops(table):
    """Without patience: Ann's vote and Bob's answer are let go by the same event."""
    there, both = asyncio.Event(), asyncio.Event()

    async def anns_vote(prompt, completion):
        if completion.calls and completion.calls[0].name == "vote":
            await there.wait()
            both.set()
            await asyncio.sleep(0)

    async def bobs_answer(prompt, completion):
        there.set()
        await both.wait()

    t = table({"ann": coordinates("A's."), "bob": coordinates("B's.")})
    await t.deliberate("ann", "bob", held={"ann": anns_vote, "bob": bobs_answer}, patient=False)
    assert [(one.agent, one.kind) for one in t.told if one.kind in ("answered", "ignored")] == [
        ("ann", "answered"),
        ("bob", "answered"),
        ("ann", "ignored"),
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


@pytest.mark.spec("mass 2.6")
@pytest.mark.parametrize(
    ("cast", "winner"), [(("ann", "cem", "cem"), "cem"), (("bob", "cem", "ann"), "cem"), (("ann", "bob", "ann"), "ann")]
)
async def test_models_votes_are_counted_so(table, cast, winner):
    """Registered: cem, ann, bob."""
    shown = ("ann", "bob", "cem")
    t = table({name: coordinates(vote=shown.index(choice)) for name, choice in zip(("cem", "ann", "bob"), cast, strict=True)})
    assert (await t.deliberate("cem", "ann", "bob")).winner == winner
