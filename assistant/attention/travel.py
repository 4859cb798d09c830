"""Whether there is time to get from one event to the next: a plain rule on what their locations say."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, timedelta
from itertools import pairwise

from integrations.types import Event, Value

ENOUGH = timedelta(minutes=30)
"""To get from one place to another, wherever they are."""
OFFICE = "office"
_NO_PLACE = re.compile(
    r"https?:|www\.|\b(?:video|zoom|teams|meet|webex|skype|jitsi|facetime|call|phone|telephone|telefon|online|virtual|remote|hangout|"
    r"slack|conference line|dial[- ]?in|tb[ac]|to be (?:announced|confirmed))\b",
    re.IGNORECASE,
)
_ROOM = re.compile(
    r"^(?:(?:meeting|conference|board|class|small|large|big|the) )*(?:room|raum|saal|salle|sala|boardroom|kitchen|lobby|lounge|"
    r"desk|floor|office|büro|besprechungsraum)\b|\b(?:room|floor|raum)$|^\d+(?:st|nd|rd|th) floor\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")


class Rush(Value):
    """`minutes` lie between the end of `first` and the start of `then`, which is elsewhere."""

    first: Event
    then: Event
    minutes: int


def place(location: str) -> frozenset[str] | None:
    """What tells a place from others; None where it is none one travels to. All rooms lie in one house."""
    text = location.strip()
    if not text or _NO_PLACE.search(text):
        return None
    return frozenset({OFFICE}) if _ROOM.search(text) else frozenset(_WORD.findall(text.casefold()))


def rushes(events: Sequence[Event]) -> Iterator[Rush]:
    """`events` are those the user goes to, in order of start. Those that overlap are conflicts, not rushes."""
    placed = [(event, there) for event in events if not event.all_day and (there := place(event.location))]
    for (first, here), (then, there) in pairwise(placed):
        between = then.start.astimezone(UTC) - first.end.astimezone(UTC)
        if not (here <= there or there <= here) and timedelta() <= between < ENOUGH:
            yield Rush(first=first, then=then, minutes=round(between.total_seconds() / 60))
