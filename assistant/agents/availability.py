"""When people are free: the user's own events, and those of others as far as the user's calendars show them."""

from collections.abc import Sequence
from datetime import timedelta

from assistant.agents.base import Desk
from assistant.agents.free import clashes, collisions, gaps, slots_of, spread, working_hours
from assistant.agents.people import addresses_of
from assistant.agents.report import Notes
from assistant.agents.timing import SHORT, Timing, stretch
from assistant.agents.words import day, lasting, later, names, span
from assistant.reasoning.calls import Call
from assistant.values import Data, Slot
from integrations.types import Address, Event, EventQuery

MOST_SLOTS = 8
NAMED = timedelta(days=1, hours=1)
"""A stretch of at most a day was named as such: working hours and weekends are no hindrance to it."""


async def events_between(timing: Timing, desk: Desk, notes: Notes) -> tuple[Event, ...]:
    if timing.end <= timing.start:
        return ()
    page = await desk.readers.calendar.events(EventQuery(start=timing.start, end=timing.end, limit=5000))
    notes.skipped(page.skipped)
    return page.items


def own(events: Sequence[Event], desk: Desk) -> tuple[Event, ...]:
    """All that stands in the user's calendars and is not just somebody else's: shared calendars show events the user isn't in."""
    return tuple(e for e in events if _concerns(e, desk.me))


def of_all(events: Sequence[Event], people: Sequence[Address], desk: Desk) -> tuple[Event, ...]:
    """The user's own events and those that any of these people attend."""
    emails = frozenset(person.email for person in people)
    return tuple(e for e in events if _concerns(e, desk.me) or (emails and _attended(e, emails)))


def _concerns(event: Event, me: frozenset[str]) -> bool:
    if not event.attendees:
        return True
    return bool(me & _people(event)) or bool(event.my_answer)


def _people(event: Event) -> frozenset[str]:
    organizer = {event.organizer.email} if event.organizer else set()
    return frozenset(organizer | {attendee.address.email for attendee in event.attendees})


def _attended(event: Event, emails: frozenset[str]) -> bool:
    declined = {a.address.email for a in event.attendees if a.answer == "declined"}
    return bool((emails - declined) & _people(event))


async def free_slots(
    timing: Timing, length: timedelta | None, people: Sequence[Address], desk: Desk, notes: Notes
) -> tuple[Slot, ...]:
    """Slots of `length`, or without one the free stretches of at least half an hour."""
    now, zone = desk.setting.now, desk.setting.zone
    begin = max(timing.start, now)
    named = timing.end - timing.start <= NAMED
    windows = working_hours(begin, timing.end, desk.day_starts, desk.day_ends, zone, weekends=named)
    if not windows and named and begin < timing.end:
        windows = [Slot(start=begin, end=timing.end)]
    events = of_all(await events_between(Timing(start=begin, end=max(begin, timing.end)), desk, notes), people, desk)
    free = gaps(events, windows)
    if length is None:
        return tuple(gap for gap in free if later(gap.start, SHORT) <= gap.end)
    return tuple(slots_of(free, length))


async def slots(call: Call, desk: Desk, notes: Notes) -> Data:
    people = await addresses_of((*call.to, *call.select.people), desk, notes)
    spec = call.time or call.select.when
    length = call.duration or (spec.duration if spec else None) or (SHORT if people else None)
    timing = stretch(spec, desk)
    if spec and spec.kind == "point" and spec.has_time and spec.start and spec.stop is None:
        timing = Timing(start=spec.start, end=later(spec.start, length or SHORT), exact=False)
    found = await free_slots(timing, length, people, desk, notes)
    what = f"free slots of {lasting(length)}" if length else "free times"
    who = f" with {names(people)}, as far as your calendars show their events" if people else ""
    heading = f"{what}{who}, {_days(timing, desk)}"
    shown_ones = spread(found, MOST_SLOTS) if length else found[: 2 * MOST_SLOTS]
    return Data(kind="slots", slots=shown_ones, total=len(found), heading=heading)


def _days(timing: Timing, desk: Desk) -> str:
    now = desk.setting.now
    if timing.start.date() == timing.end.date():
        return span(timing.start, timing.end, now)
    last = timing.end - timedelta(microseconds=1)
    return day(timing.start, now) if timing.start.date() == last.date() else f"{day(timing.start, now)} - {day(last, now)}"


async def is_free(call: Call, desk: Desk, notes: Notes) -> Data:
    """Whether the time is free, and what is in the way."""
    people = await addresses_of((*call.to, *call.select.people), desk, notes)
    timing = _asked(call, desk)
    events = await events_between(timing, desk, notes)
    concerned = of_all(events, people, desk) if people else own(events, desk)
    if people and not any(p.email in desk.me for p in people):
        emails = frozenset(p.email for p in people)
        concerned = tuple(e for e in concerned if _attended(e, emails))
        notes.caution("I see others' events only as far as they stand in your calendars")
    way = collisions(concerned, timing.start, timing.end)
    who = f"{names(people)}: " if people else ""
    return Data(kind="text", truth=not way, events=way, heading=f"{who}{span(timing.start, timing.end, desk.setting.now)}")


def _asked(call: Call, desk: Desk) -> Timing:
    """The time asked about: a moment lasts the duration said, or half an hour; a day is its working hours."""
    spec = call.time or call.select.when
    if spec is None:
        return Timing(start=desk.setting.now, end=later(desk.setting.now, call.duration or SHORT))
    if spec.kind == "point" and spec.has_time and spec.start:
        return Timing(start=spec.start, end=later(spec.start, call.duration or spec.duration or SHORT))
    return stretch(spec, desk)


async def find_clashes(call: Call, desk: Desk, notes: Notes) -> Data:
    spec = call.time or call.select.when
    timing = stretch(spec, desk)
    events = own(await events_between(timing, desk, notes), desk)
    found = clashes(events)
    inside = tuple(c for c in found if max(c.first.start, c.second.start) < timing.end)
    return Data(kind="clashes", clashes=inside, total=len(inside), heading=f"conflicts, {_days(timing, desk)}")


async def first_free(timing: Timing, length: timedelta, people: Sequence[Address], desk: Desk, notes: Notes) -> tuple[Slot, ...]:
    """The first free slot, and some others to choose from."""
    found = await free_slots(timing, length, people, desk, notes)
    return (found[0], *spread([slot for slot in found[1:] if slot.start != found[0].start], MOST_SLOTS - 1)) if found else ()
