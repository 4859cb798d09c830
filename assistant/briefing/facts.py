"""What a briefing tells: facts with their reasons, gathered by plain code, and how far it looked."""

from datetime import datetime
from typing import Literal

from assistant.timetable.rules import Part
from integrations.types import Event, Mail, Value

SectionKind = Literal[
    "answer", "waiting", "known", "newsletters", "phishing", "open",
    "agenda", "conflicts", "gaps", "unprepared", "invitations", "free",
]  # fmt: skip


class Covered(Value):
    """How far an account was looked at: mails that came up to `until`; `cursor` as of `MailReader.changes`."""

    until: datetime
    cursor: str = ""


class Coverage(Value):
    """What earlier briefings of a schedule have covered, by account, and told: by the key of a thread or an event, what was said of
    it."""

    accounts: dict[str, Covered] = {}
    told: dict[str, str] = {}


class Wanted(Value):
    """What a briefing is to be about. `since`: None where there was none before. `notices` are sentences about earlier runs and
    deliveries that the user must hear."""

    parts: tuple[Part, ...]
    since: Coverage | None = None
    notices: tuple[str, ...] = ()


class Line(Value):
    """One thing to know. `number` counts over the whole briefing, 0: not one to act on. `reasons` are clauses in order of their
    weight; `with_whom`: a sentence for each of those who will be there, about the latest exchange with them;
    `new`: not told before."""

    text: str
    number: int = 0
    reasons: tuple[str, ...] = ()
    score: float = 0.0
    with_whom: tuple[str, ...] = ()
    mail: Mail | None = None
    event: Event | None = None
    new: bool = True


class Section(Value):
    """`note` tells about what is left out of it, `more` how many lines."""

    kind: SectionKind
    title: str
    lines: tuple[Line, ...] = ()
    note: str = ""
    more: int = 0


class Weighed(Value):
    """How a mail or an event was ranked: `points` are weights and what they are for, in words. `told` is the kind of the section in
    which it stands, else a clause why it is left out."""

    text: str
    score: float
    points: tuple[tuple[float, str], ...] = ()
    told: str = ""
    mail: Mail | None = None
    event: Event | None = None


class Looked(Value):
    """What was looked at in one account: mails from `since` to `until`, events from then on to `ahead`. `trouble`: one sentence
    why it could not be, else empty; `partly`: some of it could be all the same."""

    account: str
    since: datetime
    until: datetime
    mails: int = 0
    events: int = 0
    ahead: datetime | None = None
    trouble: str = ""
    partly: bool = False


class Briefing(Value):
    """`lead` is one or two sentences on what matters most; `coverage` is what the next one builds on. Times are in the user's
    zone. `weighed` is given only where it was asked for, and never stored."""

    parts: tuple[Part, ...]
    at: datetime
    title: str
    lead: str = ""
    sections: tuple[Section, ...] = ()
    looked: tuple[Looked, ...] = ()
    notices: tuple[str, ...] = ()
    coverage: Coverage = Coverage()
    weighed: tuple[Weighed, ...] = ()
