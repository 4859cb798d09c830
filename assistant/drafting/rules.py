"""Drafters that need no model: they write in different styles by rules, and vote by the rubric."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.drafting.asks import Ask, gap_for, standings
from assistant.drafting.base import Answer, Decision, Overtaken, View, Vote
from assistant.drafting.letter import read, written
from assistant.drafting.rubric import CARES, Desk, Style, scored
from assistant.drafting.session import Session
from assistant.errors import ModelError
from assistant.reasoning.base import Draft, Setting
from assistant.reasoning.offline.saying.writing import draft, is_text, language_for, letter, message_of, subject_of
from assistant.reasoning.quoting import parted
from assistant.values import Brief
from integrations.types import Value


class Rated(Value):
    """What a text is worth, and why, in one clause."""

    score: float
    reason: str


@dataclass(frozen=True)
class RuleSeat:
    """Where a participant that goes by rules sits down at a session. `write` gives its one text, `rate` what a text is worth."""

    id: str
    write: Callable[[], str]
    rate: Callable[[str], Rated]

    def __call__(self, session: Session) -> "RuleParticipant":
        return RuleParticipant(self)


class RuleParticipant:
    """Implements Participant: one answer in each attempt, then a vote for what is worth most, of equals the first registered."""

    def __init__(self, seat: RuleSeat) -> None:
        self._seat = seat
        self._answered = 0

    @property
    def id(self) -> str:
        return self._seat.id

    async def act(self, view: View, go_on: Callable[[], bool]) -> Answer | Vote:
        if not go_on():
            raise Overtaken
        if view.may_answer and self._answered < view.attempt:
            self._answered = view.attempt
            text = self._seat.write()
            if text.strip() not in {answer.text.strip() for answer in view.answers}:
                return Answer(agent=self.id, text=text)
        return self._vote(view)

    def _vote(self, view: View) -> Vote:
        if not view.answers:
            raise ModelError("There is nothing to vote for.", "invalid")
        rated = {answer.agent: self._seat.rate(answer.text) for answer in view.answers}
        best = max(rated, key=lambda agent: round(rated[agent].score, 6))
        return Vote(voter=self.id, candidate=best, reason=rated[best].reason)

    async def present(self, view: View, votes: tuple[Vote, ...]) -> str:
        return ""

    async def judge(self, view: View, votes: tuple[Vote, ...], presented: str) -> Decision:
        return Decision()


def seats(brief: Brief, setting: Setting, asks: Sequence[Ask] = ()) -> tuple[RuleSeat, ...]:
    """A drafter of each style."""
    desk = Desk(brief, setting, tuple(asks))
    return tuple(_seat(style, desk) for style in CARES)


def _seat(style: Style, desk: Desk) -> RuleSeat:
    def rate(text: str) -> Rated:
        scores = scored(text, desk)
        return Rated(score=scores.total(style), reason=scores.reason)

    return RuleSeat(style, lambda: written(drafted(style, desk)), rate)


def drafted(style: Style, desk: Desk) -> Draft:
    """Nothing in it but the user's words, points of the mail as gaps, and courtesies."""
    brief, setting = desk.brief, desk.setting
    plain = draft(brief, setting)
    if brief.dictated or brief.template or (style == "brief" and is_text(brief.about)):
        return plain
    body = _between(_message(style, desk), brief, setting)
    subject = plain.subject if brief.about else subject_of(brief, body)
    return Draft(subject=subject, body=body, gaps=read(body, brief).gaps)


def _message(style: Style, desk: Desk) -> str:
    brief = desk.brief
    said = brief.about.strip() if is_text(brief.about) else message_of(brief)
    thanks, offer = _courtesies(desk)
    match style:
        case "brief":
            parts = [said]
        case "warm":
            parts = [thanks, said, offer]
        case "thorough":
            gaps = _gaps(said, desk)
            parts = [thanks, said if brief.about or not gaps else "", gaps]
    return "\n\n".join(filter(None, parts))


def _courtesies(desk: Desk) -> tuple[str, str]:
    """Thanks, for a reply, and an offer."""
    usual, familiar = desk.usual, desk.voice.tone == "familiar"
    thanks = (usual.familiar_thanks if familiar else "") or usual.thanks
    return thanks if desk.brief.kind == "reply" else "", (usual.familiar_offer if familiar else "") or usual.offer


def _gaps(said: str, desk: Desk) -> str:
    """A visible gap for each point that is passed over."""
    label = "answer" if language_for(desk.brief) == "en" else desk.usual.answer
    left = zip(desk.asks, standings(said, desk.asks), strict=True)
    return "\n".join(gap_for(ask, label) for ask, standing in left if standing == "open")


def _between(text: str, brief: Brief, setting: Setting) -> str:
    """Between greeting and closing, unless it has its own."""
    own = parted(text)
    return text if own.greeting or own.farewell else letter(text, brief, setting)
