"""What a meeting still lacks before it begins."""

import re
from collections.abc import Iterator, Sequence

from integrations.types import Address, Attendee, Event

_SOCIAL = re.compile(
    r"\b(?:lunch|dinner|breakfast|brunch|coffee|drinks?|party|birthday|celebration|barbecue|mittagessen|abendessen|kaffee|feier)\b",
    re.IGNORECASE,
)
MOST_NAMED = 3


def lacks(event: Event, me: frozenset[str]) -> tuple[str, ...]:
    """Clauses; none for what recurs, which has its course, and for meals."""
    others = [one for one in event.attendees if one.address.email not in me]
    stands = event.status != "cancelled" and event.my_answer != "declined"
    if not others or not stands or event.series or event.recurrence or event.all_day or _SOCIAL.search(event.title):
        return ()
    return tuple(_lacking(event, others, me))


def _lacking(event: Event, others: Sequence[Attendee], me: frozenset[str]) -> Iterator[str]:
    if not event.description.strip():
        yield "it has no agenda"
    silent = [one.address for one in others if one.answer == "needs-action" and not one.optional]
    mine = event.organizer is None or event.organizer.email in me
    if silent and mine:
        yield f"{_named(silent)} {'has' if len(silent) == 1 else 'have'} not answered"


def _named(people: Sequence[Address]) -> str:
    names = [person.name or person.email for person in people]
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} others"]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
