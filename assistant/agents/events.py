"""Which events: one selection for every operation on the calendar."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta

from assistant.agents.base import Desk
from assistant.agents.headings import events_called, quoted
from assistant.agents.nearest import is_loose, nearest
from assistant.agents.owners import Place, calendar_owners, owner_of, with_owner
from assistant.agents.people import names_to_addresses, of_result, respelt
from assistant.agents.picking import (
    as_counted,
    from_plan,
    key,
    left_out_by_place,
    miscounted,
    names_something,
    nothing_left_out,
    only_ordered,
    ordered,
    referred,
    to_act_on,
)
from assistant.agents.report import MOST, Notes, Refusal, not_found, too_many
from assistant.agents.words import contains, event_label, fold, listing, others, resembles, tokens, when_of
from assistant.reasoning.calls import Person, Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from integrations.types import Address, ContactQuery, Event, EventQuery, Value

WEEK, SOON, AHEAD, YEAR = timedelta(days=7), timedelta(days=30), timedelta(days=60), timedelta(days=366)
INSTANT = timedelta(minutes=1)
ME = ("me", "i", "myself")


class Events(Value):
    items: tuple[Event, ...]
    heading: str


class Span(Value):
    """[start, stop) to look in. `at`: an event that begins at this time of day was meant."""

    start: datetime
    stop: datetime
    at: time | None = None


async def select_events(
    selection: Selection, desk: Desk, notes: Notes, *, near: date | None = None, writing: bool = False
) -> Events:
    """`near` is the day to look at first for a time of day without a date. A write looks at what is still to come."""
    found = await _selected(selection, desk, notes, near=near, writing=writing)
    if (words := miscounted(selection, len(found.items))) and not (writing and len(found.items) > selection.counted):
        notes.guess(words)
    return found


async def _selected(selection: Selection, desk: Desk, notes: Notes, *, near: date | None, writing: bool) -> Events:
    heading = events_called(selection, desk)
    if selection.order and selection.when and selection.when.kind == "repeat":
        raise Refusal("not_understood", "I can pick the first or last event of one day or week, not of each one.")
    if selection.refs:
        items = [e for e in _events_of(selection, desk) if fits(e, selection, desk)]
        items = await _all_but(items, selection, desk, strict=writing, notes=notes)
        return Events(items=ordered(items, selection), heading=heading)
    found = await _in_span(selection, _span(selection, desk, near, writing=writing), desk, notes, writing=writing)
    if not found and near and selection.when and selection.when.has_time and not selection.when.has_date:
        found = await _in_span(selection, _span(selection, desk, None, writing=writing), desk, notes, writing=writing)
    if selection.next_to is not None:
        return Events(items=await _neighbour(*selection.next_to, desk, notes, writing=writing), heading=heading)
    if selection.overlapping is not None:
        found = await _overlapping(found, selection.overlapping, desk, notes, writing=writing)
    found = await _all_but(found, selection, desk, strict=writing, notes=notes)
    return Events(items=ordered(found, selection), heading=heading)


async def _neighbour(side: str, of: Selection, desk: Desk, notes: Notes, *, writing: bool) -> tuple[Event, ...]:
    """The timed event of that day that comes next, or stands right before."""
    these = (await select_events(of, desk, notes, writing=writing)).items
    if len(these) != 1:
        raise not_found(f"I found {'no' if not these else 'several'} {events_called(of, desk)}.")
    one, midnight = these[0], datetime.combine(these[0].start.date(), time(), these[0].start.tzinfo)
    page = await desk.readers.calendar.events(EventQuery(start=midnight, end=midnight + timedelta(days=1)))
    day = sorted((e for e in _once(page.items) if not e.all_day and key(e) != key(one)), key=lambda e: e.start)
    if side == "after":
        return tuple(e for e in day if e.start >= one.end)[:1]
    return tuple(e for e in day if e.end <= one.start)[-1:]


async def _overlapping(found: Sequence[Event], with_these: Selection, desk: Desk, notes: Notes, *, writing: bool) -> list[Event]:
    """Those that overlap one of the others, which are no part of them."""
    bare = with_these == Selection(when=with_these.when)
    these = () if bare else (await select_events(with_these, desk, notes, writing=writing)).items
    when = with_these.when
    if not these and when is not None and when.has_time and when.start and when.stop:
        if not bare:
            notes.guess(f"there is no {events_called(with_these, desk)} in your calendar: what overlaps that time is meant")
        return [e for e in found if not e.all_day and e.start < when.stop and when.start < e.end]
    if not these:
        raise not_found(f"I found no {events_called(with_these, desk)}.")
    own = {key(event) for event in these}
    return [e for e in found if key(e) not in own and any(e.start < one.end and one.start < e.end for one in these)]


async def _all_but(found: Sequence[Event], selection: Selection, desk: Desk, *, strict: bool, notes: Notes) -> list[Event]:
    """Without what is to be left out. A write that would leave nothing out is not what was meant."""
    gone: set[str] = set()
    for one in selection.without if found else ():
        these = left_out_by_place(found, one) if only_ordered(one) else _those(found, one, desk)
        if not these and strict and names_something(one) and not await _stands_elsewhere(one, desk):
            raise nothing_left_out(events_called(one, desk))
        if not these:
            notes.limit(f"none of them is to be left out: I found no {events_called(one, desk)}")
        gone |= these
    return [event for event in found if key(event) not in gone]


async def _stands_elsewhere(one: Selection, desk: Desk) -> bool:
    """Whether what is to be left out is there, if not among what was chosen."""
    there = (await select_events(one.model_copy(update={"each": True}), desk, Notes())).items
    return bool(there) and bool(one.words or one.people)


def at_any_time(desk: Desk) -> TimeSpec:
    """Years before and after now, for what looks at a whole calendar."""
    now = desk.setting.now
    return TimeSpec(kind="range", start=now - 5 * YEAR, stop=now + 5 * YEAR, has_date=True)


def _those(found: Sequence[Event], one: Selection, desk: Desk) -> set[str]:
    """What is named by its title is left out; what only resembles it, where nothing is called so."""
    named = one.model_copy(update={"people": (), "words": (*one.words, *(person.text for person in one.people))})
    fitting = [event for event in found if fits(event, one, desk)]
    fitting = fitting or [event for event in found if one.people and fits(event, named, desk)]
    titled = [event for event in fitting if one.words and contains(one.words, event.title)]
    return {key(event) for event in titled or fitting}


async def _in_span(selection: Selection, span: Span, desk: Desk, notes: Notes, *, writing: bool) -> list[Event]:
    now = desk.setting.now
    found = await _soonest(selection, span, desk) or await _search(selection, span, desk, notes)
    if selection.when and selection.when.daily:
        found = [e for e in found if _at_hours(e, selection.when)]
        return _timed_first(found, selection) if selection.order == "next" else found
    if selection.when and by_start(selection.when, desk, writing=writing):
        found = [e for e in found if _starts_within(e, selection.when)]
    if selection.when and selection.when.windows:
        found = [e for e in found if _in_windows(e, selection.when)]
    if writing and selection.when:
        found = [e for e in found if e.end > now] or found
    if span.at:
        return _at_time(found, span.at, selection)
    if selection.order == "next":
        return _timed_first(found if writing else [e for e in found if e.start >= now], selection)
    return found


async def events_or_nearest(
    selection: Selection, desk: Desk, notes: Notes, *, near: date | None = None, writing: bool = False
) -> Events:
    """The same; where nothing has all the words, what has the most of them, which is said. A write takes only a single one."""
    found = await select_events(selection, desk, notes, near=near, writing=writing)
    if found.items or not is_loose(selection):
        return found

    async def look(word: str) -> tuple[Event, ...]:
        alone = selection.model_copy(update={"words": (word,), "order": "", "number": 1, "places": ()})
        return (await _selected(alone, desk, Notes(), near=near, writing=writing)).items

    items, words = await nearest(selection.words, look)
    if not items or (writing and len({event.id for event in items}) > 1):
        return found
    notes.guess(words)
    return Events(items=ordered(sorted(items, key=lambda event: event.start), selection), heading=found.heading)


async def events_to_change(selection: Selection, desk: Desk, notes: Notes, *, near: date | None = None) -> tuple[Event, ...]:
    """For a write: exactly what was meant, as it is now. Instances of one series are one thing: its next instance, or with
    "all" and no time the series itself."""
    found = await events_or_nearest(selection, desk, notes, near=near, writing=True)
    items = list(as_counted(found.items, selection, desk, noun="event", wording=found.heading))
    if selection.refs:
        items = [await desk.readers.calendar.get(event.ref) for event in items]
    if selection.each and not selection.refs and not _picks_dates(selection, desk.setting.now):
        return await _with_series(items, desk, notes)
    if not selection.each and not selection.order and not from_plan(selection):
        items = _next_instances(items, notes, desk)
    if len(items) > MOST:
        raise too_many(len(items), "events")
    return to_act_on(
        items, selection, desk, noun="event", wording=found.heading, label=lambda e: event_label(e, desk.setting.now, desk.me)
    )


def _picks_dates(selection: Selection, now: datetime) -> bool:
    """Whether only some dates of a series are meant: those in a period, from a later day on, or all but certain ones."""
    when = selection.when
    later = when is not None and (when.stop is not None or (when.start is not None and when.start > now + timedelta(days=1)))
    return later or any(one.when is not None or one.order for one in selection.without)


async def _with_series(items: Sequence[Event], desk: Desk, notes: Notes) -> tuple[Event, ...]:
    """Each series once, as a whole."""
    if not items:
        raise not_found("I found no such event.")
    kept: dict[str, Event] = {}
    for event in items:
        if not event.recurrence:
            kept[key(event)] = event
        elif (whole := key(event.model_copy(update={"recurrence": None}))) not in kept:
            kept[whole] = await desk.readers.calendar.get(event.ref.model_copy(update={"recurrence": None}))
            notes.guess(f'the whole series "{event.title}", past dates included')
    if len(kept) > MOST:
        raise too_many(len(kept), "events")
    return tuple(kept.values())


def _next_instances(items: Sequence[Event], notes: Notes, desk: Desk) -> list[Event]:
    kept: dict[str, Event] = {}
    for event in items:
        series = key(event.model_copy(update={"recurrence": None}))
        if series in kept:
            notes.caution(f'only the date {when_of(kept[series], desk.setting.now)} of the series "{event.title}"')
        kept.setdefault(series, event)
    return list(kept.values())


def _span(selection: Selection, desk: Desk, near: date | None, *, writing: bool) -> Span:
    now, zone, spec = desk.setting.now, desk.setting.zone, selection.when
    midnight = datetime.combine(now.astimezone(zone).date(), time(), zone)
    if spec is None or spec.daily or (spec.start is None and spec.stop is None):
        if selection.order == "last" and not writing:
            return Span(start=now - YEAR, stop=now)
        far = selection.order or writing or selection.each or selection.people or selection.words
        return Span(start=now, stop=now + (YEAR if far else AHEAD))
    if spec.kind == "point" and spec.has_time and spec.start:
        if spec.has_date:
            return Span(start=spec.start, stop=spec.start + timedelta(hours=1), at=spec.start.timetz().replace(tzinfo=None))
        first = datetime.combine(near, time(), zone) if near else midnight
        last = first + timedelta(days=1) if near else midnight + WEEK + timedelta(days=1)
        return Span(start=first, stop=last, at=spec.start.timetz().replace(tzinfo=None))
    start, stop = spec.start, spec.stop
    if start is None:
        assert stop is not None
        return Span(start=min(now, stop - INSTANT), stop=stop)
    return Span(start=start, stop=stop or max(start, now) + YEAR)


def by_start(spec: TimeSpec, desk: Desk, *, writing: bool) -> bool:
    """ "after 11", "before noon on Friday": what begins then is meant, not what still runs. A change of what is in a part of the
    day is taken as narrowly; for whole days everything in them counts."""
    if spec.kind != "range" or not spec.has_time:
        return False
    edges = (spec.start, spec.stop)
    return writing or any(edge is None or edge.astimezone(desk.setting.zone).time() == time() for edge in edges)


def _in_windows(event: Event, spec: TimeSpec) -> bool:
    return any(
        event.start <= window.start < event.end or (event.start < window.stop and window.start < event.end)
        for window in spec.windows
    )


def _starts_within(event: Event, spec: TimeSpec) -> bool:
    return (spec.start is None or event.start >= spec.start) and (spec.stop is None or event.start < spec.stop)


def _at_time(found: Sequence[Event], at: time, selection: Selection) -> list[Event]:
    """Those that begin then, else those that begin within the hour, else those that run then; the earliest day only."""
    timed = [e for e in found if not e.all_day]
    exact = [e for e in timed if e.start.time() == at]
    hour = [e for e in timed if e.start.hour == at.hour and e.start.time() > at]
    running = [e for e in timed if e.start.date() < e.end.date() or e.start.time() <= at < e.end.time()]
    fitting = exact or hour or running
    if selection.each or selection.order or not fitting:
        return fitting
    return [e for e in fitting if e.start.date() == fitting[0].start.date()]


def _timed_first(found: Sequence[Event], selection: Selection) -> list[Event]:
    """The next event is one with a time of day, where there is any."""
    timed = [e for e in found if not e.all_day]
    return list(found) if selection.all_day or not timed else timed


async def _soonest(selection: Selection, span: Span, desk: Desk) -> list[Event]:
    """The next few weeks, where they hold enough: a year of expanded series is seldom needed."""
    if selection.when or selection.each or selection.order not in ("next", "first", "oldest"):
        return []
    soon = span.model_copy(update={"stop": span.start + SOON})
    found = await _matching(_query(soon), selection, await _people(selection, desk), desk, Notes())
    ahead = [e for e in found if e.start >= desk.setting.now and not e.all_day]
    return found if len(ahead) >= selection.number else []


def _query(span: Span) -> EventQuery:
    return EventQuery(start=span.start, end=span.stop)


async def _search(selection: Selection, span: Span, desk: Desk, notes: Notes) -> list[Event]:
    query = _query(span)
    names = await _people(selection, desk)
    found = await _matching(query, selection, names, desk, notes)
    if found or not (selection.words or names):
        return found
    nearby = await _matching(query, selection.model_copy(update={"words": ()}), [], desk, notes)
    if selection.words:
        loose = [e for e in nearby if resembles(selection.words, e.title) and _with_all(e, names)]
        if loose:
            notes.guess(f"no title has exactly {quoted(selection.words)}; taken for it: {listing(_titles(loose))}")
            return loose
        if (named := _without_occasion(selection.words)) and (
            loose := [e for e in nearby if resembles(named, e.title) and _with_all(e, names)]
        ):
            notes.guess(f"no title has {quoted(selection.words)}; taken for it: {listing(_titles(loose))}")
            return loose
    said = [person.text for person in selection.people if person.text]
    by_address = await _by_address(selection, nearby, desk)
    if by_address:
        return by_address
    if of_company := await _of_company(query, selection, desk, notes):
        return of_company
    if slip := respelt(selection, desk, notes):
        return await _matching(query, slip, await _people(slip, desk), desk, notes)
    titled = [e for e in nearby if said and contains((*said, *selection.words), e.title)]
    if titled:
        notes.guess(f"{listing(said)} stands in the title only: {listing(_titles(titled))}")
    return titled or _with_kin(selection, said, nearby, notes)


_WITH_NAME = re.compile(r"\b(?:with|and|for|at) (?P<who>[A-Z][\w-]+)")
"""Somebody whom a title names."""


def _with_kin(selection: Selection, said: Sequence[str], nearby: Sequence[Event], notes: Notes) -> list[Event]:
    """ "The drinks with my brother": nobody is known as that; the only event that the rest fits."""
    kin = bool(said) and all(name.lower() in lexicon().asides["kin"] for name in said)
    fitting = [e for e in nearby if contains(selection.words, e.title)] if kin and selection.words else []
    if len(fitting) != 1:
        return []
    if others_in := _WITH_NAME.search(fitting[0].title):
        there = f'there is "{fitting[0].title}", but I can\'t tell whether {others_in["who"]} is meant'
        raise not_found(f"I know nobody as “{listing(said)}”; {there}.")
    notes.guess(f"I know nobody as “{listing(said)}”; taken for it: {listing(_titles(fitting))}")
    return fitting


def _without_occasion(words: Sequence[str]) -> tuple[str, ...]:
    """ "the pilates class" may just be called Pilates."""
    nouns = lexicon().nouns
    kept = tuple(word for word in words if not (noun := nouns.at([word.lower()], 0)) or noun[1][0] != "occasion")
    return kept if kept != tuple(words) else ()


async def _by_address(selection: Selection, nearby: Sequence[Event], desk: Desk) -> list[Event]:
    """By the addresses that nicknames, groups and companies stand for."""
    known = [set(await names_to_addresses(person.text, desk)) for person in selection.people if person.text]
    if not known or not all(known):
        return []
    emails = [(event, {a.email for a in others(event, frozenset())}) for event in nearby]
    return [e for e, there in emails if all(some & there for some in known) and contains(selection.words, e.title)]


async def _of_company(query: EventQuery, selection: Selection, desk: Desk, notes: Notes) -> list[Event]:
    """The one event of those who work where no event takes place: "the presentation at Lumen", "the hearing of the city"."""
    bare = selection.model_copy(update={"words": (), "place": "", "people": ()})
    hosts = [person.text for person in selection.people if person.role == "from" and person.text]
    for said in (selection.place, *hosts, *selection.words):
        cards = (await desk.readers.contacts.search(ContactQuery(company=said))).items if len(said) > 2 else ()
        there = {email for card in cards for email in card.emails}
        titled = [word for word in selection.words if word != said]
        if not there or not (titled or selection.when):
            continue
        found = await _matching(query, bare, [], desk, notes)
        found = [e for e in found if contains(titled, e.title) and there & {a.email for a in others(e, frozenset())}]
        if len(found) == 1:
            notes.guess(f"“{said}” is whose it is: {listing(_titles(found))}")
            return found
    return []


async def _matching(query: EventQuery, selection: Selection, names: list[list[str]], desk: Desk, notes: Notes) -> list[Event]:
    owners = await calendar_owners(desk)
    people = () if owners else tuple(name for one in names for name in one)
    page = await desk.readers.calendar.events(query.model_copy(update={"words": selection.words, "people": people}))
    notes.skipped(page.skipped)
    items = _of_whom(page.items, owners, desk, everybody=bool(names)) if owners else page.items
    found = [e for e in _once(items) if _with_all(e, names) and _in_state(e, selection, desk)]
    if selection.words and (titled := [e for e in found if contains(selection.words, e.title)]):
        return titled
    return found


def _of_whom(events: Sequence[Event], owners: Mapping[Place, Address], desk: Desk, *, everybody: bool) -> list[Event]:
    """What stands in others' calendars counts only where people were named, and as theirs."""
    owned = (with_owner(event, owners) for event in events)
    return [
        event
        for event in owned
        if everybody or owner_of(event, owners) is None or desk.me & {a.email for a in others(event, frozenset())}
    ]


def _lasts(event: Event, least: timedelta, most: timedelta) -> bool:
    """Between the two, or just as long where they are one."""
    length = event.end - event.start
    return length == least if least == most else least < length < most


def _in_state(event: Event, selection: Selection, desk: Desk) -> bool:
    least, most = selection.guests or (0, 0)
    checks = (
        selection.all_day is None or event.all_day == selection.all_day,
        selection.recurring is None or (event.series or event.recurrence is not None) == selection.recurring,
        not selection.unanswered or event.my_answer == "needs-action",
        not selection.answer or event.my_answer == selection.answer,
        selection.guests is None or least <= len(others(event, desk.me)) <= most,
        selection.lasting is None or _lasts(event, *selection.lasting),
        not selection.place or _is_at(event, selection.place),
        all(_held_by(event, person, desk) for person in selection.people if person.role == "from"),
    )
    return all(checks)


def _at_hours(event: Event, spec: TimeSpec) -> bool:
    """Whether it begins within the hours said, on its own day."""
    at = event.start.time()
    return not event.all_day and (spec.start is None or at >= spec.start.time()) and (spec.stop is None or at < spec.stop.time())


def _is_at(event: Event, place: str) -> bool:
    return set(tokens(place)) <= set(tokens(event.location)) or contains([place], event.title)


def _held_by(event: Event, person: Person, desk: Desk) -> bool:
    if fold(person.text) in ME:
        return event.organizer is None or event.organizer.email in desk.me
    return event.organizer is not None and any(_named(name, str(event.organizer)) for name in _said(person, desk))


def _with_all(event: Event, names: list[list[str]]) -> bool:
    people = [str(address) for address in others(event, frozenset())]
    return all(any(_named(name, person) for name in one for person in people) for one in names)


def _named(name: str, person: str) -> bool:
    return contains([name], person) or set(tokens(name)) <= set(tokens(person))


async def _people(selection: Selection, desk: Desk) -> list[list[str]]:
    """For each person named, what they can be found by."""
    found = [_said(person, desk) for person in selection.people if fold(person.text) not in ME]
    found = [[name for one in found for name in one]] if selection.either and found else found
    if selection.group:
        members = await names_to_addresses(selection.group, desk)
        if not members:
            raise not_found(f"There is no group called {selection.group}.")
        found.append(list(members))
    if selection.company or selection.title:
        cards = (await desk.readers.contacts.search(ContactQuery(company=selection.company, title=selection.title))).items
        found.append([email for card in cards for email in card.emails] or [selection.company or selection.title])
    return found


def _said(person: Person, desk: Desk) -> list[str]:
    if person.email:
        return [person.email]
    if person.ref:
        return [address.email for address in of_result(person.ref, desk)]
    return [desk.settled(person.text) or person.text]


def _once(events: Sequence[Event]) -> list[Event]:
    """One event that stands in several calendars counts once."""
    return list({(e.uid or e.id, e.start): e for e in reversed(events)}.values())[::-1]


def _events_of(selection: Selection, desk: Desk) -> tuple[Event, ...]:
    data = referred(selection, desk)
    events = data.events or tuple(p.before for p in data.proposals if isinstance(p.before, Event))
    events = events or tuple(e for clash in data.clashes for e in (clash.first, clash.second))
    if not events and (data.mails or data.contacts):
        raise Refusal("not_understood", "What I found before are no events.")
    return tuple({key(event): event for event in events}.values())


def fits(event: Event, selection: Selection, desk: Desk) -> bool:
    names = [_said(person, desk) for person in selection.people]
    there = f"{event.title} {event.location} {event.description}"
    checks = (
        contains(selection.words, there) or resembles(selection.words, there),
        _with_all(event, names),
        _in_state(event, selection, desk),
        selection.when is None or _within(event, selection.when, desk),
    )
    return all(checks)


def _within(event: Event, spec: TimeSpec, desk: Desk) -> bool:
    if spec.daily:
        return _at_hours(event, spec)
    if spec.kind == "point" and spec.has_time and spec.start:
        same_day = not spec.has_date or event.start.date() == spec.start.date()
        return same_day and event.start.time() == spec.start.time()
    if spec.windows:
        return _in_windows(event, spec)
    if by_start(spec, desk, writing=False):
        return _starts_within(event, spec)
    return (spec.start is None or event.end > spec.start) and (spec.stop is None or event.start < spec.stop)


def _titles(events: Sequence[Event]) -> list[str]:
    return list(dict.fromkeys(f'"{event.title}"' for event in events))
