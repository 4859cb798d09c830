"""The days that a briefing speaks of, and the events around them."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta

from assistant.agents.availability import events_between, own
from assistant.agents.base import Desk
from assistant.agents.free import WEEKEND
from assistant.agents.report import Notes
from assistant.agents.timing import Timing
from assistant.timetable.rules import Part
from integrations.types import Event, Value

AHEAD = timedelta(days=7)
"""Collisions are told this long before."""


class Span(Value):
    """From one local midnight to another; `title` names the days."""

    start: datetime
    end: datetime
    title: str

    @property
    def days(self) -> Iterator[date]:
        day = self.start.date()
        while day < self.end.date():
            yield day
            day += timedelta(days=1)


def span_of(part: Part, desk: Desk) -> Span:
    """Once work is over, "day" is the next day, and from Friday noon on "week" the next week."""
    now = desk.setting.now
    today, over = now.date(), now.time() >= desk.day_ends
    if part == "day":
        first = today + timedelta(days=over)
        return _span(first, first + timedelta(days=1), f"{'Tomorrow' if over else 'Today'}, {_named(first)}", desk)
    monday = today + timedelta(days=7 - today.weekday())
    if today.weekday() >= WEEKEND or (today.weekday() == WEEKEND - 1 and now.hour >= 12):
        return _span(monday, monday + timedelta(days=7), f"The week from {_named(monday)}", desk)
    first = today + timedelta(days=over)
    return _span(first, monday, f"The {'week' if first.weekday() == 0 else 'rest of the week'} from {_named(first)}", desk)


def _span(first: date, last: date, title: str, desk: Desk) -> Span:
    zone = desk.setting.zone
    return Span(start=datetime.combine(first, time(), zone), end=datetime.combine(last, time(), zone), title=title)


def _named(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B}"


async def read_events(desk: Desk, span: Span) -> tuple[Event, ...]:
    """All that one account holds, from now on to a week after the span's beginning, or its end. Raises what its reader does."""
    timing = Timing(start=min(desk.setting.now, span.start), end=known_until(span))
    return own(await events_between(timing, desk, Notes()), desk)


def once(events: Sequence[Event]) -> tuple[Event, ...]:
    """What stands in several calendars, once: where the user has an answer to give."""
    found: dict[tuple[object, ...], Event] = {}
    alike: dict[tuple[object, ...], list[str]] = {}
    for event in sorted(events, key=lambda event: not event.my_answer):
        name = event.title.casefold().strip() or event.uid or event.id
        at = (name, event.start.astimezone(UTC), event.end.astimezone(UTC))
        uids = alike.setdefault((event.account, event.calendar, *at), [])  # two of one name in one calendar are two
        if event.uid not in uids:
            uids.append(event.uid)
        found.setdefault((uids.index(event.uid), *at), event)
    return tuple(sorted(found.values(), key=lambda event: (event.start.astimezone(UTC), event.title, event.id)))


def key(event: Event) -> str:
    at = f"/{event.recurrence.astimezone(UTC):%Y-%m-%dT%H:%M}" if event.recurrence else ""
    return f"event/{event.account}/{event.uid or event.id}{at}"


def known_until(span: Span) -> datetime:
    """The end of what is read."""
    return max(span.end, span.start + AHEAD)
