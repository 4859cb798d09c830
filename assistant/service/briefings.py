"""A briefing as the API shows it: without what only the next one builds on."""

from datetime import datetime

from assistant.briefing import facts
from assistant.briefing.facts import Looked, SectionKind
from assistant.timetable.rules import Part
from integrations.types import Event, Mail, Value


class BriefingLine(Value):
    """One thing to know. `number` counts over the whole briefing, for "answer 2"; 0: not one to act on. `reasons` are clauses in
    order of their weight; `with_whom`: a sentence for each of those who will be there; `new`: not told before."""

    text: str
    number: int
    reasons: tuple[str, ...]
    with_whom: tuple[str, ...]
    mail: Mail | None
    event: Event | None
    new: bool


class BriefingSection(Value):
    """`note` is a sentence about what is left out of it."""

    kind: SectionKind
    title: str
    lines: tuple[BriefingLine, ...]
    note: str


class BriefingView(Value):
    """`lead` is one or two sentences on what matters most; `looked` tells by account how far it looked, with one sentence of
    `trouble` where it could not; `notices` are about earlier runs and deliveries."""

    parts: tuple[Part, ...]
    at: datetime
    title: str
    lead: str
    sections: tuple[BriefingSection, ...]
    looked: tuple[Looked, ...]
    notices: tuple[str, ...]


def briefing_of(briefing: facts.Briefing) -> BriefingView:
    return BriefingView(
        **_shown(briefing, BriefingView, "sections"),
        sections=tuple(
            BriefingSection(
                **_shown(section, BriefingSection, "lines"),
                lines=tuple(BriefingLine(**_shown(line, BriefingLine)) for line in section.lines),
            )
            for section in briefing.sections
        ),
    )


def _shown(value: Value, view: type[Value], *but: str) -> dict[str, object]:
    """The fields that the view has in common with it, as they are."""
    return {name: getattr(value, name) for name in view.model_fields if name not in but}
