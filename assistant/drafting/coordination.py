"""A coordination as a value: who has answered, who votes for whom, who is out, when it ends and who wins. Nothing waits here."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from assistant.drafting.base import Answer, Told, Vote
from assistant.drafting.novelty import Novelty, same, too_like
from integrations.types import Value


class Fallen(Value):
    """An agent is out: it failed, its time was up, or what may be spent is spent."""

    agent: str
    why: str
    timed_out: bool = False
    spent: bool = False


class Stopped(Value):
    """An agent was overtaken at a checkpoint."""

    agent: str


Outcome = Answer | Vote | Fallen | Stopped


def agent_of(outcome: Outcome) -> str:
    return outcome.voter if isinstance(outcome, Vote) else outcome.agent


@dataclass(frozen=True)
class Coordination:
    """`agents` in the order of their registration; `answers` the latest of each, `given` how many each gave; `began` at how many
    `landed` answers each agent that is at work began. Votes are of the living, and of what they have seen."""

    agents: tuple[str, ...]
    max_answers: int | None = None
    novelty: Novelty = "lenient"
    patient: bool = True
    at_once: int | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    votes: Mapping[str, Vote] = field(default_factory=dict)
    out: Mapping[str, Fallen] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    began: Mapping[str, int] = field(default_factory=dict)
    landed: int = 0

    @property
    def living(self) -> tuple[str, ...]:
        return tuple(agent for agent in self.agents if agent not in self.out)

    @property
    def free(self) -> tuple[str, ...]:
        """Who shall begin, for the first time or anew; where not all may at once, those with the fewest answers first."""
        if self.patient and not all(self.up_to_date(agent) for agent in self.began):
            return ()
        free = [agent for agent in self.living if agent not in self.votes and agent not in self.began]
        room = len(free) if self.at_once is None else self.at_once - len(self.began)
        return tuple(sorted(free, key=lambda agent: self.given.get(agent, 0))[: max(room, 0)])

    @property
    def ended(self) -> bool:
        return all(agent in self.votes for agent in self.living)

    @property
    def shown(self) -> tuple[Answer, ...]:
        return tuple(Answer(agent=agent, text=self.answers[agent]) for agent in self.agents if agent in self.answers)

    @property
    def cast(self) -> tuple[Vote, ...]:
        return tuple(self.votes[agent] for agent in self.agents if agent in self.votes)

    def up_to_date(self, agent: str) -> bool:
        """Whether no answer has landed since it began."""
        return self.began.get(agent) == self.landed

    def may_answer(self, agent: str) -> bool:
        return self.max_answers is None or self.given.get(agent, 0) < self.max_answers

    def winner(self, time_up: bool = False) -> str:
        """Empty where there is no answer. When the time is up, one of the living where one of them has an answer."""
        answered = [agent for agent in self.agents if agent in self.answers]
        if time_up:
            answered = [agent for agent in answered if agent not in self.out] or answered
        counted = Counter(vote.candidate for vote in self.votes.values())
        return max(answered, key=lambda agent: counted[agent], default="")

    def begun(self, agents: Iterable[str]) -> "Coordination":
        return replace(self, began={**self.began, **dict.fromkeys(agents, self.landed)})

    def after(self, outcomes: Iterable[Outcome]) -> tuple["Coordination", tuple[Told, ...]]:
        """What completed in the same tick, by agents at work: answers apply first, so that they drop the votes beside them."""
        state, told = self, []
        for outcome in sorted(outcomes, key=lambda one: (not isinstance(one, Answer), self.agents.index(agent_of(one)))):
            happened, now = state._after(outcome)
            agent = agent_of(outcome)
            state = replace(happened, began={other: at for other, at in happened.began.items() if other != agent})
            told.append(now)
        return state, tuple(told)

    def _after(self, outcome: Outcome) -> tuple["Coordination", Told]:
        match outcome:
            case Answer():
                return self._answered(outcome)
            case Vote():
                return self._voted(outcome)
            case Fallen():
                return self._fallen(outcome)
            case Stopped():
                return self, Told(kind="ignored", agent=outcome.agent, text=f"{outcome.agent} stops: a newer answer is there.")

    def _answered(self, answer: Answer) -> tuple["Coordination", Told]:
        agent = answer.agent
        if not self.may_answer(agent):
            return self._fallen(Fallen(agent=agent, why=f"{agent} answered where only a vote counts"))
        if like := same(answer.text, self.shown) or too_like(answer.text, self.shown, self.novelty):
            return self._repeated(agent, like)
        state = replace(
            self,
            answers={**self.answers, agent: answer.text},
            given={**self.given, agent: self.given.get(agent, 0) + 1},
            votes={},
            landed=self.landed + 1,
        )
        return state, Told(kind="answered", agent=agent, text=f"{agent} answered.", data={"answer": answer.text})

    def _repeated(self, agent: str, like: str) -> tuple["Coordination", Told]:
        """Who could see that the answer was there is out; others begin anew, and see it."""
        if self.up_to_date(agent):
            return self._fallen(Fallen(agent=agent, why=f"{agent} repeated the answer of {like}"))
        return self, Told(kind="ignored", agent=agent, text=f"{agent}'s answer is ignored: {like} has just given it.")

    def _voted(self, vote: Vote) -> tuple["Coordination", Told]:
        voter, candidate = vote.voter, vote.candidate
        if not self.up_to_date(voter):
            words = f"{voter}'s vote for {candidate} is ignored: a newer answer is there."
            return self, Told(kind="ignored", agent=voter, text=words)
        if candidate not in self.answers:
            return self._fallen(Fallen(agent=voter, why=f"{voter} voted for {candidate}, who has no answer"))
        told = Told(
            kind="voted",
            agent=voter,
            text=f"{voter} voted for {candidate}{': ' + vote.reason if vote.reason else '.'}",
            data={"candidate": candidate, "reason": vote.reason},
        )
        return replace(self, votes={**self.votes, voter: vote}), told

    def _fallen(self, fallen: Fallen) -> tuple["Coordination", Told]:
        told = Told(
            kind="timed_out" if fallen.timed_out else "failed", agent=fallen.agent, text=f"{fallen.agent} is out: {fallen.why}."
        )
        return replace(self, out={**self.out, fallen.agent: fallen}), told
