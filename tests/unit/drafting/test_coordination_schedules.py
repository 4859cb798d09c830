"""Whatever agents do and in whatever order: it ends, an answer that exists is given, and the winner is whom the rules name."""

from collections import Counter
from collections.abc import Sequence

import pytest
from doubles.drafting import Thinking, Turn
from doubles.virtual_time import run
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from assistant.drafting.base import Answer, Decision, Deliberation, Restart, Task, Told, Vote
from assistant.drafting.coordination import Coordination, Fallen, Outcome, Stopped
from assistant.drafting.options import Options
from assistant.drafting.restart import Orchestration
from assistant.errors import DraftingError

NAMES = ("eve", "ann", "dan", "bob", "cem")
TEXTS = ("First.", "Second.", "Third.", "Fourth.", "")


# --- the rules alone, tick by tick


class Ticks(RuleBasedStateMachine):
    """Any outcomes of any agents at work, in any ticks, against the rules told anew in the plainest way."""

    @initialize(
        agents=st.lists(st.sampled_from(NAMES), min_size=1, unique=True),
        max_answers=st.sampled_from([None, 1, 2]),
        patient=st.booleans(),
        at_once=st.sampled_from([None, 1, 2]),
    )
    def registered(self, agents: list[str], max_answers: int | None, patient: bool, at_once: int | None) -> None:
        self.state = Coordination(agents=tuple(agents), max_answers=max_answers, patient=patient, at_once=at_once)
        self.seen: dict[str, dict[str, str]] = {}
        """What each agent at work saw when it began."""
        self.answers: dict[str, str] = {}
        self.votes: dict[str, str] = {}
        self.out: set[str] = set()
        self.marked: set[str] = set()
        """Who is at work and shall begin anew."""
        self.begin()

    def begin(self) -> None:
        free = self.state.free
        assert not (free and self.marked and self.state.patient)
        self.state = self.state.begun(free)
        self.seen.update({agent: dict(self.answers) for agent in free})
        assert self.state.at_once is None or len(self.seen) <= self.state.at_once

    @rule(data=st.data())
    def tick(self, data: st.DataObject) -> None:
        if not self.seen:
            return
        done = data.draw(st.lists(st.sampled_from(sorted(self.seen)), min_size=1, unique=True))
        outcomes = [self._outcome(agent, data) for agent in done]
        self.state, told = self.state.after(outcomes)
        assert len(told) == len(outcomes)
        self._expect(outcomes)
        self.begin()

    def _outcome(self, agent: str, data: st.DataObject) -> Outcome:
        texts = [text for text in TEXTS if text not in self.seen[agent].values() and text]
        kinds = ["stop" if agent in self.marked else "fall", "fall"]
        kinds += ["answer"] * 4 if texts and self.state.may_answer(agent) else []
        kinds += ["vote"] * 4 if self.seen[agent] else []
        match data.draw(st.sampled_from(kinds)):
            case "answer":
                return Answer(agent=agent, text=data.draw(st.sampled_from(texts)))
            case "vote":
                return Vote(voter=agent, candidate=data.draw(st.sampled_from(sorted(self.seen[agent]))))
            case "stop":
                return Stopped(agent=agent)
            case _:
                return Fallen(agent=agent, why="it fell", timed_out=data.draw(st.booleans()))

    def _expect(self, outcomes: Sequence[Outcome]) -> None:
        for one in sorted((one for one in outcomes if isinstance(one, Answer)), key=lambda one: self.state.agents.index(one.agent)):
            if one.text not in self.answers.values():
                self.answers[one.agent] = one.text
                self.votes, self.marked = {}, set(self.seen)
        for one in outcomes:
            if isinstance(one, Vote) and one.voter not in self.marked:
                self.votes[one.voter] = one.candidate
            if isinstance(one, Fallen):
                self.out.add(one.agent)
        for one in outcomes:
            agent = one.voter if isinstance(one, Vote) else one.agent
            del self.seen[agent]
            self.marked.discard(agent)

    @invariant()
    def it_is_as_the_rules_say(self) -> None:
        if not hasattr(self, "state"):
            return
        assert dict(self.state.answers) == self.answers
        assert {voter: vote.candidate for voter, vote in self.state.votes.items()} == self.votes
        assert set(self.state.out) == self.out
        assert set(self.state.began) == set(self.seen)
        assert not set(self.state.votes) & set(self.seen), "who has voted is not at work"

    @invariant()
    def it_has_ended_or_somebody_is_at_work(self) -> None:
        if hasattr(self, "state"):
            assert self.state.ended != bool(self.state.began) or (self.state.ended and not self.state.began)

    @invariant()
    def the_winner_has_an_answer_and_nobody_more_votes(self) -> None:
        if not hasattr(self, "state"):
            return
        assert self.state.winner() == expected_winner(self.state.agents, self.answers, self.votes)
        living = {agent: text for agent, text in self.answers.items() if agent not in self.out}
        assert self.state.winner(time_up=True) == expected_winner(self.state.agents, living or self.answers, self.votes)


def expected_winner(agents: Sequence[str], answers: dict[str, str], votes: dict[str, str]) -> str:
    answered = [agent for agent in agents if agent in answers]
    if not answered:
        return ""
    counted = Counter(votes.values())
    most = max(counted[agent] for agent in answered)
    return next(agent for agent in answered if counted[agent] == most)


TestTicks = pytest.mark.spec("mass 2.2", "mass 2.4", "mass 2.5", "mass 2.6")(Ticks.TestCase)
TestTicks.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)


# --- agents at work, in virtual time

turns = st.builds(
    Turn,
    does=st.sampled_from(["answer", "answer", "vote", "vote", "vote", "fail"]),
    seconds=st.sampled_from([0.25, 1.0, 1.0, 1.0, 2.0, 2.0, 5.0, 1000.0]),
    text=st.sampled_from(TEXTS),
    choice=st.integers(0, 4),
    retries=st.integers(0, 2),
)
casts = st.lists(st.lists(turns, min_size=1, max_size=4), min_size=1, max_size=5)
options = st.builds(
    Options,
    max_answers=st.sampled_from([None, 1, 2, 3]),
    novelty=st.sampled_from(["lenient", "strict"]),
    patient=st.booleans(),
    at_once=st.sampled_from([None, 1, 2]),
    agent_timeout=st.sampled_from([3.0, 100.0, 5000.0]),
    timeout=st.sampled_from([4.0, 60.0, 60.0, 60.0]),
    max_orchestration_restarts=st.integers(0, 2),
    enable_post_presentation_evaluation=st.booleans(),
)
AGAIN = Decision(restart=Restart(reason="r", instructions="i"))
decisions = st.lists(st.sampled_from([AGAIN, AGAIN, Decision()]), max_size=3)


def deliberated(agents: Sequence[Thinking], options: Options) -> tuple[Deliberation | None, list[Told]]:
    told: list[Told] = []
    seats = tuple(lambda _, agent=agent: agent for agent in agents)
    try:
        return run(Orchestration(seats, options).run(Task(text="T"), told.append)), told
    except DraftingError:
        return None, told


def last_attempt(told: Sequence[Told]) -> list[Told]:
    begun = [n for n, one in enumerate(told) if one.kind == "started"]
    return list(told[begun[-1] :])


@pytest.mark.spec("mass 2.3", "mass 2.5", "mass 2.6", "mass 2.8", "mass 2.10", "restart 4.5", "restart 4.7")
@settings(max_examples=300, deadline=None)
@given(cast=casts, options=options, decisions=decisions)
def test_any_schedule_ends_with_what_the_rules_say(cast: list[list[Turn]], options: Options, decisions: list[Decision]):
    agents = [Thinking(name, turns, decisions=list(decisions)) for name, turns in zip(NAMES, cast, strict=False)]
    result, told = deliberated(agents, options)
    answered = [one for one in told if one.kind == "answered"]
    assert (result is not None) == bool(answered), "nothing only where there is no answer"
    if result is None:
        return
    event("the time was up" if any("was up before" in note for note in result.notes) else "all voted")
    event(f"{result.attempts} attempts")
    assert result.text in {one.data["answer"] for one in answered}
    assert result.winner in {answer.agent for answer in result.answers}
    assert 1 <= result.attempts <= options.max_orchestration_restarts + 1
    if "came to no answer" not in "".join(result.notes):
        as_told(result, last_attempt(told), [agent.id for agent in agents])


def as_told(result: Deliberation, told: Sequence[Told], agents: Sequence[str]) -> None:
    """What came of an attempt, against what was told of it: the last answers, and no vote from before one of them."""
    answers, votes, out = {}, {}, set(result.out) - {one.agent for one in told if one.kind in ("failed", "timed_out")}
    for one in told:
        match one.kind:
            case "answered":
                answers[one.agent], votes = one.data["answer"], {}
            case "voted":
                votes[one.agent] = one.data["candidate"]
            case "failed" | "timed_out":
                out.add(one.agent)
    assert {answer.agent: answer.text for answer in result.answers} == answers
    assert {vote.voter: vote.candidate for vote in result.votes} == votes
    assert set(result.out) == out and not out & set(votes)
    ended = set(votes) | out == set(agents)
    living = {agent: text for agent, text in answers.items() if agent not in out}
    assert result.winner == expected_winner(agents, answers if ended or not living else living, votes)


@pytest.mark.spec("mass 2.1", "mass 2.2", "mass 2.3")
@settings(max_examples=150, deadline=None)
@given(cast=casts, options=options)
def test_every_agent_sees_what_stood_when_it_began(cast: list[list[Turn]], options: Options):
    """Each view holds exactly the answers that had been told by then, in the order of registration."""
    agents = [Thinking(name, turns) for name, turns in zip(NAMES, cast, strict=False)]
    _, told = deliberated(agents, options)
    stood: dict[str, str] = {}
    began: dict[str, list[dict[str, str]]] = {agent.id: [] for agent in agents}
    for one in told:
        if one.kind == "started":
            stood = {}
        elif one.kind == "answered":
            stood[one.agent] = one.data["answer"]
        elif one.kind in ("working", "restarting") and one.agent:
            began[one.agent].append(dict(stood))
    for agent in agents:
        seen = [{answer.agent: answer.text for answer in view.answers} for view in agent.views]
        assert seen == began[agent.id][: len(seen)]
        for view in agent.views:
            assert sorted(view.answers, key=lambda answer: view.agents.index(answer.agent)) == list(view.answers)
