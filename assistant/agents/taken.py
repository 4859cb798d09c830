"""When others are taken, as their own calendars tell: those that an account may ask, which say the times and nothing else."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from assistant.agents.base import Desk
from assistant.agents.report import Notes
from assistant.agents.words import names
from integrations.errors import IntegrationError
from integrations.types import Address

Span = tuple[datetime, datetime]
BUSY_THEN = "is busy then"


async def taken_times(
    people: Sequence[Address], start: datetime, end: datetime, desk: Desk, notes: Notes
) -> Mapping[str, tuple[Span, ...]]:
    """By address, of those whose calendars tell; nothing, which is said, where they can't be asked just now."""
    emails = tuple(dict.fromkeys(person.email for person in people if person.email not in desk.me))
    if not emails or end <= start:
        return {}
    try:
        told = await desk.readers.calendar.busy(emails, start, end)
    except IntegrationError as error:
        _unreached(notes, str(error).removesuffix("."))
        return {}
    for reason in dict.fromkeys(one.unknown for one in told if one.unreached):
        _unreached(notes, reason)
    return {one.email: one.times for one in told if not one.unknown}


def _unreached(notes: Notes, reason: str) -> None:
    notes.limit(f"I couldn't look into others' own calendars ({reason})")


def overlapping(spans: Sequence[Span], start: datetime, end: datetime) -> tuple[Span, ...]:
    return tuple(span for span in spans if span[0] < end and start < span[1])


def apart_from(spans: Sequence[Span], start: datetime, end: datetime) -> tuple[Span, ...]:
    """What of the spans lies outside [start, end)."""
    pieces = (piece for first, last in spans for piece in ((first, min(last, start)), (max(first, end), last)))
    return tuple(piece for piece in pieces if piece[0] < piece[1])


def says_whose(people: Sequence[Address], told: Mapping[str, tuple[Span, ...]]) -> str:
    """Empty where no calendar told."""
    known = [person for person in people if person.email in told]
    return f"{names(known)}'s own calendar{'s' if len(known) > 1 else ''}" if known else ""
