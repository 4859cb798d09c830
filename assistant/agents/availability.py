"""When people are free: the user's own events, and those of others as far as the user's calendars show them."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta

from assistant.agents.base import Desk
from assistant.agents.events import at_any_time, select_events
from assistant.agents.free import WEEKEND, clashes, collisions, gaps, slots_of, spread, working_hours
from assistant.agents.owners import calendar_owners, with_owner
from assistant.agents.people import addresses_of
from assistant.agents.picking import key, referred
from assistant.agents.report import Notes, Refusal
from assistant.agents.taken import BUSY_THEN, Span, apart_from, overlapping, says_whose, taken_times
from assistant.agents.timing import SHORT, Timing, stretch, time_of_moved
from assistant.agents.words import day, lasting, later, listing, names, period, shown, span
from assistant.reasoning.calls import Call, TimeSpec
from assistant.values import Clash, Data, Slot
from integrations.types import Address, Event, EventQuery

MOST_SLOTS = 8
NAMED = timedelta(days=1, hours=1)
"""A stretch of at most a day was named as such: working hours and weekends are no hindrance to it."""
FEW_DAYS = 5
"""More days than these were not named one by one: weekends are none of theirs."""


async def events_between(timing: Timing, desk: Desk, notes: Notes) -> tuple[Event, ...]:
    if timing.end <= timing.start:
        return ()
    page = await desk.readers.calendar.events(EventQuery(start=timing.start, end=timing.end, limit=5000))
    notes.skipped(page.skipped)
    owners = await calendar_owners(desk)
    return tuple(with_owner(event, owners) for event in page.items) if owners else page.items


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
    timing: Timing, length: timedelta | None, people: Sequence[Address], desk: Desk, notes: Notes, gap: timedelta = timedelta()
) -> tuple[Slot, ...]:
    """Slots of `length`, or without one the free stretches of at least half an hour; `gap` is kept to what stands around them."""
    begin = max(timing.start, desk.setting.now)
    events = of_all(await events_between(Timing(start=begin, end=max(begin, timing.end)), desk, notes), people, desk)
    taken = [span for spans in (await taken_in(timing, people, desk, notes)).values() for span in spans]
    free = gaps(events, _looked_in(timing, desk), apart=gap, taken=taken)
    if length is None:
        return tuple(gap for gap in free if later(gap.start, SHORT) <= gap.end)
    return tuple(slots_of(free, length))


async def taken_in(timing: Timing, people: Sequence[Address], desk: Desk, notes: Notes) -> Mapping[str, tuple[Span, ...]]:
    """When these people are taken in what is still to come of that time."""
    return await taken_times(people, max(timing.start, desk.setting.now), timing.end, desk, notes)


def _looked_in(timing: Timing, desk: Desk) -> list[Slot]:
    """What is still to come of the time asked for: as it is where its hours were said, else its working hours."""
    now, zone = desk.setting.now, desk.setting.zone
    asked = [(window.start, window.stop) for window in timing.windows] or [(timing.start, timing.end)]
    ahead = [(max(start, now), end) for start, end in asked if end > now]
    whole = [Slot(start=start.astimezone(zone), end=end.astimezone(zone)) for start, end in ahead]
    if timing.to_the_hour:
        return whole
    named = len(asked) <= FEW_DAYS and all(end - start <= NAMED for start, end in asked)
    named = named or not any(_has_workday(start, end) for start, end in asked)
    working = [
        window for start, end in ahead for window in working_hours(start, end, desk.day_starts, desk.day_ends, zone, weekends=named)
    ]
    return working or (whole if named else [])


def _has_workday(start: datetime, end: datetime) -> bool:
    days = (end - timedelta(microseconds=1)).date() - start.date()
    return any((start + timedelta(days=n)).weekday() < WEEKEND for n in range(min(days.days, FEW_DAYS) + 1))


async def slots(call: Call, desk: Desk, notes: Notes) -> Data:
    people = await addresses_of((*call.to, *call.select.people), desk, notes)
    spec = call.time or call.select.when
    length = call.duration or (spec.duration if spec else None) or (SHORT if people else None)
    timing = stretch(spec, desk)
    if spec and spec.kind == "point" and spec.has_time and spec.start and spec.stop is None:
        timing = Timing(start=spec.start, end=later(spec.start, length or SHORT), exact=False)
    found = await free_slots(timing, length, people, desk, notes, call.gap or timedelta())
    found = _preferred(found, call.prefer, notes)
    what = f"free slots of {lasting(length)}" if length else "free times"
    who = await _with(people, timing, desk, notes)
    who += f", around the busy times that you told me of {call.about}" if call.about else ""
    apart = f", {lasting(call.gap)} from other events" if call.gap else ""
    when = period(spec, desk.setting.now) if spec and spec.windows and not call.about else _days(timing, desk)
    heading = f"{what}{who}, {when}{apart}"
    if call.select.order:
        shown_ones = found[: call.select.number]
    else:
        shown_ones = spread(found, MOST_SLOTS) if length else found[: 2 * MOST_SLOTS]
    return Data(kind="slots", slots=shown_ones, total=len(found), heading=heading)


async def _with(people: Sequence[Address], timing: Timing, desk: Desk, notes: Notes) -> str:
    if not people:
        return ""
    told = await taken_in(timing, people, desk, notes)
    if told and all(person.email in told or person.email in desk.me for person in people):
        return f" with {names(people)}, whose own calendar{'s' if len(told) > 1 else ''} I could see"
    theirs = f" and {whose}" if (whose := says_whose(people, told)) else ""
    return f" with {names(people)}, as far as your calendars{theirs} show their events"


NO_TIMES = "I have shown you no times to choose from. Ask me first when you are free, and then which of them is best."


async def to_choose(call: Call, desk: Desk, notes: Notes) -> Data:
    """The times that were shown, with what stands around them; which is best is for others to decide."""
    shown = referred(call.select, desk) if call.select.refs else desk.results.get("shown", Data())
    if not shown.slots:
        raise Refusal("not_found", NO_TIMES)
    first, last = min(slot.start for slot in shown.slots), max(slot.end for slot in shown.slots)
    zone = desk.setting.zone
    begin = datetime.combine(first.astimezone(zone).date(), time(), zone)
    around = await events_between(Timing(start=begin, end=last + timedelta(days=1), exact=False), desk, notes)
    question = call.question or "Which of these times is best?"
    return Data(kind="slots", slots=shown.slots, events=own(around, desk), decide=question, heading=shown.heading)


def _preferred(found: tuple[Slot, ...], prefer: TimeSpec | None, notes: Notes) -> tuple[Slot, ...]:
    """Those at the preferred time, where there are any."""
    if prefer is None or not found:
        return found
    kept = tuple(slot for slot in found if _at(slot, prefer))
    if not kept:
        notes.caution(f"nothing is free {prefer.text}")
    return kept or found


def _at(slot: Slot, prefer: TimeSpec) -> bool:
    if prefer.has_date:
        return (prefer.start is None or slot.start >= prefer.start) and (prefer.stop is None or slot.end <= prefer.stop)
    early = prefer.start is not None and slot.start.time() < prefer.start.time()
    late = prefer.stop is not None and prefer.stop.time() != time() and slot.end.time() > prefer.stop.time()
    return not early and not late


def _days(timing: Timing, desk: Desk) -> str:
    now = desk.setting.now
    whole_days = timing.start.time() == timing.end.time() == time()
    if timing.start.date() == timing.end.date() or (not whole_days and timing.end - timing.start <= NAMED):
        return span(timing.start, timing.end, now)
    last = timing.end - timedelta(microseconds=1)
    return day(timing.start, now) if timing.start.date() == last.date() else f"{day(timing.start, now)} - {day(last, now)}"


async def is_free(call: Call, desk: Desk, notes: Notes) -> Data:
    """Whether the time is free (asked with question "busy": whether it is not), and what is in the way."""
    people = await addresses_of((*call.to, *call.select.people), desk, notes)
    timing, event = await _asked_for(call, desk, notes)
    events = [one for one in await events_between(timing, desk, notes) if event is None or key(one) != key(event)]
    concerned = of_all(events, people, desk) if people else own(events, desk)
    if people and not any(p.email in desk.me for p in people):
        emails = frozenset(p.email for p in people)
        concerned = tuple(e for e in concerned if _attended(e, emails))
        shared = {owner.email for owner in (await calendar_owners(desk)).values()}
        if emails - shared - set(await taken_times(people, timing.start, timing.end, desk, notes)):
            notes.caution(UNSEEN)
    way = collisions(concerned, timing.start, timing.end)
    who = f"{names(people)}: " if people else ""
    taken = await taken_words(timing, people, way, desk, notes)
    truth = bool(way or taken) == (call.question == "busy")
    if taken and not way:
        return Data(kind="text", truth=truth, text=f"{'; '.join(taken)}.")
    for words in taken:
        notes.caution(words)
    return Data(kind="text", truth=truth, events=way, heading=f"{who}{_days(timing, desk)}")


async def taken_words(
    timing: Timing, people: Sequence[Address], known: Sequence[Event], desk: Desk, notes: Notes, moved: Event | None = None
) -> list[str]:
    """A clause for each of these people whom a calendar of their own shows as taken then, by anything but the event that is
    `moved`, where no `known` event of theirs does."""
    said = []
    told = await taken_times(people, timing.start, timing.end, desk, notes)
    for person in people:
        there = overlapping(told.get(person.email, ()), timing.start, timing.end)
        if moved is not None:
            there = apart_from(there, moved.start, moved.end)
        if there and not any(_attended(event, frozenset({person.email})) for event in known):
            times = [span(start, end, desk.setting.now) for start, end in there]
            said.append(f"{shown(person)} {BUSY_THEN} ({listing(times)})")
    return said


UNSEEN = "I see others' events only as far as they stand in your calendars"


async def _asked_for(call: Call, desk: Desk, notes: Notes) -> tuple[Timing, Event | None]:
    """The time asked about; for an event that is to go there, its length and day, and the event."""
    if call.select.words or call.select.refs or call.select.order:
        events = (await select_events(call.select, desk, notes)).items
        timing = time_of_moved(events[0], call, desk) if len(events) == 1 else None
        if timing is not None and timing.exact:
            return timing, events[0]
    return _asked(call, desk), None


def _asked(call: Call, desk: Desk) -> Timing:
    """The time asked about: a moment lasts the duration said, or half an hour; a day is its working hours."""
    spec = call.time or call.select.when
    if spec is None:
        return Timing(start=desk.setting.now, end=later(desk.setting.now, call.duration or SHORT))
    if spec.kind == "point" and spec.has_time and spec.start:
        return Timing(start=spec.start, end=later(spec.start, call.duration or spec.duration or SHORT))
    return stretch(spec, desk)


async def find_clashes(call: Call, desk: Desk, notes: Notes) -> Data:
    if call.select.refs:
        return await _clashes_of(call, desk, notes)
    spec = call.time or call.select.when
    timing = stretch(spec, desk)
    events = own(await events_between(timing, desk, notes), desk)
    if spec is None and not events:
        timing = stretch(at_any_time(desk), desk)
        events = own(await events_between(timing, desk, notes), desk)
    found = clashes(events)
    inside = tuple(c for c in found if max(c.first.start, c.second.start) < timing.end)
    return Data(kind="clashes", clashes=inside, total=len(inside), heading=f"conflicts, {_days(timing, desk)}")


async def _clashes_of(call: Call, desk: Desk, notes: Notes) -> Data:
    """What collides with the events of an earlier result."""
    chosen = (await select_events(call.select, desk, notes)).items
    meant, found = {key(event) for event in chosen}, list[Clash]()
    for event in chosen:
        around = own(await events_between(Timing(start=event.start, end=event.end), desk, notes), desk)
        found += [clash for clash in clashes(around) if meant & {key(clash.first), key(clash.second)} and clash not in found]
    return Data(kind="clashes", clashes=tuple(found), total=len(found), heading="conflicts")


async def first_free(timing: Timing, length: timedelta, people: Sequence[Address], desk: Desk, notes: Notes) -> tuple[Slot, ...]:
    """The first free slot, and some others to choose from."""
    found = await free_slots(timing, length, people, desk, notes)
    return (found[0], *spread([slot for slot in found[1:] if slot.start != found[0].start], MOST_SLOTS - 1)) if found else ()


async def last_free(timing: Timing, length: timedelta, people: Sequence[Address], desk: Desk, notes: Notes) -> tuple[Slot, ...]:
    """The latest free slot, at the very end of a free stretch."""
    free = await free_slots(timing, None, people, desk, notes)
    fitting = [gap for gap in free if later(gap.start, length) <= gap.end]
    return (Slot(start=later(fitting[-1].end, -length), end=fitting[-1].end),) if fitting else ()
