"""The rubric by which rules weigh drafts, whoever wrote them: points answered, length, tone, greeting."""

from dataclasses import dataclass
from typing import Literal

from assistant.drafting.asks import Ask, Standing, standings
from assistant.drafting.letter import read
from assistant.reasoning.base import Setting
from assistant.reasoning.offline.saying.languages import Language, languages, tone_of
from assistant.reasoning.offline.saying.writing import GAP, language_for, voice_for
from assistant.reasoning.quoting import own_words
from assistant.values import Brief, Voice
from integrations.types import Value

Style = Literal["brief", "warm", "thorough"]
Criterion = Literal["asks", "length", "tone", "greeting"]
WEIGHTS: dict[Criterion, float] = {"asks": 3.0, "length": 1.0, "tone": 1.0, "greeting": 1.0}
CARES: dict[Style, Criterion] = {"brief": "length", "warm": "tone", "thorough": "asks"}
"""What counts double for a drafter of the style."""
WORTH: dict[Standing, float] = {"answered": 1.0, "gap": 0.5, "open": 0.0}
USUAL = 60
"""Words of a mail where the user's own don't tell."""
STATED = (
    "Rules wrote and weighed these drafts, no language model: points answered count three times, a gap for one half as much as an "
    "answer; length, tone and greeting like yours count once. Each drafter counts double what it cares for: brief the length, warm "
    "the tone, thorough the points."
)


def notes(brief: Brief) -> tuple[str, ...]:
    """What somebody must know who reads these drafts."""
    thread = brief.voice.language if brief.voice else ""
    foreign = thread and thread != language_for(brief)
    return (STATED, "The thread is in another language than your words, and rules don't translate.") if foreign else (STATED,)


@dataclass(frozen=True)
class Desk:
    """What drafts are written and weighed for."""

    brief: Brief
    setting: Setting
    asks: tuple[Ask, ...] = ()

    @property
    def voice(self) -> Voice:
        return voice_for(self.brief, self.setting)

    @property
    def usual(self) -> Language:
        return languages()[language_for(self.brief)]


class Scores(Value):
    """Each criterion from 0 to 1. `answered` and `gaps` of `asked` points; `words` where `usual` are usual, for this user if
    `known`."""

    asks: float
    length: float
    tone: float
    greeting: float
    asked: int
    answered: int
    gaps: int
    words: int
    usual: int
    known: bool

    def total(self, style: Style) -> float:
        """From 0 to 1."""
        given: dict[Criterion, float] = {"asks": self.asks, "length": self.length, "tone": self.tone, "greeting": self.greeting}
        weights = {name: weight * (2 if name == CARES[style] else 1) for name, weight in WEIGHTS.items()}
        return sum(weight * given[name] for name, weight in weights.items()) / sum(weights.values())

    @property
    def reason(self) -> str:
        left = f" and leaves {self.gaps} for you to fill in" if self.gaps else ""
        points = f"answers {self.answered} of {self.asked} point{'s' * (self.asked != 1)}{left}" if self.asked else ""
        length = f"{self.words} words where {'you usually write' if self.known else 'usual are'} {self.usual}"
        greeting = f"begins and ends as {'you do' if self.known else 'is usual'}" if self.greeting == 1 else ""
        return ", ".join(filter(None, (points, length, greeting, "in a fitting tone" if self.tone == 1 else "")))


def scored(text: str, desk: Desk) -> Scores:
    body, voice = read(text, desk.brief).body, desk.voice
    standing, words = standings(body, desk.asks), len(own_words(GAP.sub("", body)).split())
    usual = voice.words or USUAL
    return Scores(
        asks=sum(WORTH[one] for one in standing) / len(standing) if standing else 1.0,
        length=min(words, usual) / max(words, usual),
        tone=_tone(body, desk),
        greeting=(body.startswith(voice.greeting) + (voice.closing in body)) / 2,
        asked=len(standing),
        answered=standing.count("answered"),
        gaps=standing.count("gap"),
        words=words,
        usual=usual,
        known=bool(voice.words),
    )


def _tone(body: str, desk: Desk) -> float:
    """On the terms on which the user is with the reader, and a reply thanks."""
    fits = desk.voice.tone == "" or tone_of(body, language_for(desk.brief)) in (desk.voice.tone, "")
    thanks = [words for words in (desk.usual.thanks, desk.usual.familiar_thanks) if words]
    courteous = desk.brief.kind != "reply" or any(words in body for words in thanks)
    return (fits + courteous) / 2
