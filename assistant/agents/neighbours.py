"""Times right after or before an event, and what is in the way of a time."""

from datetime import UTC, datetime, timedelta

from assistant.agents.availability import events_between, is_free, own
from assistant.agents.base import Desk
from assistant.agents.events import WEEK, events_to_change, select_events
from assistant.agents.free import collisions
from assistant.agents.report import Notes, Refusal
from assistant.agents.timing import SHORT, Timing
from assistant.agents.words import event_label, listing, others, when_of
from assistant.reasoning.calls import Call, Person, TimeSpec
from assistant.values import Data
from integrations.types import Event

BESIDE = "beside"


async def settled(call: Call, length: timedelta, desk: Desk, notes: Notes, *, keeping: datetime | None = None) -> Call:
    """The call with the time that is right after or before its event, for something of that length, and the people in it. Days
    away it keeps the time of day of `keeping`, where none was said."""
    if call.beside is None:
        return call
    event = (await events_to_change(call.beside.model_copy(update={"each": False}), desk, notes))[0]
    start = _start(call, event, length, keeping)
    there = others(event, desk.me)
    to = tuple(
        one
        for person in call.to
        for one in ([Person(text=p.name, email=p.email) for p in there] if person.ref == BESIDE else [person])
    )
    if any(person.ref == BESIDE for person in call.to) and not there:
        raise Refusal("not_found", f"Nobody else takes part in {event_label(event, desk.setting.now, desk.me)}.")
    words = f"{call.side} {event.title}"
    hours = call.duration is not None or (call.time is not None and call.time.has_time)
    if call.operation == "event.create" and event.all_day and call.shift and not hours:
        day = TimeSpec(kind="point", text=words, start=start, stop=start + timedelta(days=1), has_date=True)
        return call.model_copy(update={"time": day, "to": to, "beside": None, "shift": None, "all_day": True})
    time = TimeSpec(kind="point", text=words, start=start, has_date=True, has_time=True)
    return call.model_copy(update={"time": time, "to": to, "beside": None, "shift": None})


def _start(call: Call, event: Event, length: timedelta, keeping: datetime | None) -> datetime:
    """Right beside the event; days away from it at its own time of day or the one said; less than a day away from its edge."""
    sign = 1 if call.side == "after" else -1
    if call.shift is not None and call.shift >= timedelta(days=1):
        day = event.start + sign * call.shift
        said = call.time.start if call.time and call.time.has_time else keeping
        return day.replace(hour=said.hour, minute=said.minute) if said is not None else day
    if call.side == "after":
        return (event.end.astimezone(UTC) + (call.shift or timedelta())).astimezone(event.end.tzinfo)
    return (event.start.astimezone(UTC) - (call.shift or length)).astimezone(event.start.tzinfo)


async def check_beside(call: Call, desk: Desk, notes: Notes) -> Data:
    """Whether anything stands right after or before an event."""
    data = await is_free(await settled(call, call.duration or SHORT, desk, notes), desk, notes)
    return data.model_copy(update={"kind": "events", "truth": not data.truth, "total": len(data.events)})


async def next_to(call: Call, desk: Desk, notes: Notes) -> Data:
    """The event that stands next behind or before another one, within the week."""
    assert call.beside is not None
    event = (await events_to_change(call.beside.model_copy(update={"each": False}), desk, notes))[0]
    after = call.side == "after"
    start, stop = (event.end, event.end + WEEK) if after else (event.start - WEEK, event.start)
    when = TimeSpec(kind="range", start=start, stop=stop, has_date=True, has_time=True)
    found = (await select_events(call.select.model_copy(update={"when": when}), desk, notes)).items
    beyond = [e for e in found if not e.all_day and (e.start >= event.end if after else e.end <= event.start)]
    beside = tuple(beyond[:1] if after else beyond[-1:])
    return Data(
        kind="events",
        events=beside,
        total=len(beside),
        heading=f"event {call.side} {event_label(event, desk.setting.now, desk.me)}",
    )


async def free_beside(call: Call, desk: Desk, notes: Notes) -> Data:
    return await is_free(await settled(call, call.duration or SHORT, desk, notes), desk, notes)


async def refuse_if_taken(call: Call, title: str, timing: Timing, desk: Desk, notes: Notes, *, moved: Event | None = None) -> None:
    """A guarded change is not made where something is in its way."""
    if not call.guarded or timing.end <= timing.start:
        return
    events = [e for e in own(await events_between(timing, desk, notes), desk) if not (moved and _is(e, moved))]
    if way := collisions(events, timing.start, timing.end):
        names = listing([f"{event.title}, {when_of(event, desk.setting.now)}" for event in way])
        raise Refusal(
            "refused", f'"{title}" is left as it is: it would run into {names}.' if moved else f"That time is taken: {names}."
        )


def _is(event: Event, other: Event) -> bool:
    return (event.account, event.calendar, event.id) == (other.account, other.calendar, other.id)
