"""What the calendar agent finds out about events."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from assistant.agents.answers import answer
from assistant.agents.base import Desk
from assistant.agents.events import events_or_nearest, fits, select_events
from assistant.agents.neighbours import check_beside, next_to
from assistant.agents.people import by_address
from assistant.agents.picking import enough, to_act_on
from assistant.agents.report import Notes
from assistant.agents.words import count as counted
from assistant.agents.words import event_label, lasting, length_of, listing, others, period
from assistant.reasoning.calls import Call, Selection
from assistant.values import Data
from integrations.types import Address, Event

MOST_LISTED = 50


async def find(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await events_or_nearest(call.select, desk, notes)
    return Data(kind="events", events=found.items[:MOST_LISTED], total=len(found.items), heading=found.heading)


async def upcoming(call: Call, desk: Desk, notes: Notes) -> Data:
    """The next one, where nothing else was said. With field "until" how far off it is, or the time in question."""
    if call.beside is not None:
        return await next_to(call, desk, notes)
    if call.field == "until" and call.time is not None:
        edge = call.time.start or (call.time.stop - timedelta(microseconds=1) if call.time.stop else None)
        return Data(kind="text", text=f"{_ahead(edge, desk)}." if edge else "", heading=period(call.time, desk.setting.now))
    select = call.select if call.select.order else call.select.model_copy(update={"order": "next"})
    data = await find(call.model_copy(update={"select": select}), desk, notes)
    if not data.events and call.question and select.words and not select.refs:
        return await _told_in_mail(call, desk, notes) or data
    if call.field != "until" or not data.events:
        return data
    return data.model_copy(update={"kind": "text", "text": f"{_ahead(data.events[0].start, desk)}."})


async def _told_in_mail(call: Call, desk: Desk, notes: Notes) -> Data | None:
    """What a mail says about an event that is not in the calendar."""
    asked = Call(operation="mail.answer", question=call.question, select=Selection(words=call.select.words))
    told = await answer(asked, desk, notes)
    if told.kind != "text":
        return None
    notes.caution("there is no such event in your calendar; this stands in your mail")
    return told


def _ahead(moment: datetime, desk: Desk) -> str:
    """How far off a moment is: in days, or within two days in hours."""
    now = desk.setting.now
    days = (moment.astimezone(desk.setting.zone).date() - now.astimezone(desk.setting.zone).date()).days
    if abs(days) > 1:
        return counted(days, "day") if days > 0 else f"{counted(-days, 'day')} ago"
    return lasting(timedelta(minutes=max(0, round((moment - now).total_seconds() / 60))))


async def count(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await select_events(call.select, desk, notes)
    return Data(
        kind="count", count=len(found.items), total=len(found.items), events=found.items[:MOST_LISTED], heading=found.heading
    )


async def check(call: Call, desk: Desk, notes: Notes) -> Data:
    if call.beside is not None:
        return await check_beside(call, desk, notes)
    data = await find(call, desk, notes)
    if call.fits is not None:
        wanted = call.fits.model_copy(update={"people": await by_address(call.fits.people, desk)})
        return data.model_copy(update={"truth": any(fits(event, wanted, desk) for event in data.events)})
    if call.together is not None:
        taken = sum((length_of(event) for event in data.events if not event.all_day), timedelta())
        return data.model_copy(update={"truth": call.together[0] < taken < call.together[1]})
    if call.time is not None:
        return data.model_copy(update={"truth": any(_beyond(event, call) for event in data.events)})
    return data.model_copy(update={"truth": enough(data.total or 0, call.bounds)})


def _beyond(event: Event, call: Call) -> bool:
    """Whether it begins (or ends) before or after the time of day in question, on its own day."""
    edge, spec = (event.end if call.field == "end" else event.start).time(), call.time
    assert spec is not None
    after = spec.start is None or edge > spec.start.time()
    return after and (spec.stop is None or edge < spec.stop.time()) and not event.all_day


async def summarise(call: Call, desk: Desk, notes: Notes) -> Data:
    """How much there is and how long it takes, with the events."""
    data = await find(call, desk, notes)
    timed = [e for e in data.events if not e.all_day and e.busy]
    taken = sum((e.end.astimezone(UTC) - e.start.astimezone(UTC) for e in timed), timedelta())
    text = f"{counted(len(data.events), 'event')}, {lasting(taken)} in all."
    return data.model_copy(update={"kind": "text", "text": text}) if data.events else data


async def guests(call: Call, desk: Desk, notes: Notes) -> Data:
    """Who takes part in one event, or with `each` in all of them; with field "host" who holds it. The user is not named. Of a
    series its next date is meant, of what is over the last."""
    found = await select_events(call.select, desk, notes)
    named = call.select.words and not (call.select.order or call.select.when or call.select.refs)
    if named and not found.items:
        found = await select_events(call.select.model_copy(update={"order": "last", "each": False}), desk, notes)
    once = {(e.uid or e.id) if e.series else (e.id, e.start): e for e in reversed(found.items)}

    def label(event: Event) -> str:
        return event_label(event, desk.setting.now, desk.me)

    select = call.select if call.field != "host" else call.select.model_copy(update={"each": False})
    events = to_act_on(list(once.values())[::-1], select, desk, noun="event", wording=found.heading, label=label)
    people = _there(events, call.field == "host", desk)
    what = f"{'organiser' if call.field == 'host' else 'guests'} of {listing([label(event) for event in events])}"
    if not people:
        return Data(kind="text", text="You do." if call.field == "host" else "Nobody else.", heading=what)
    return Data(kind="addresses", addresses=people, events=tuple(events), total=len(people), heading=what)


def _there(events: Sequence[Event], host: bool, desk: Desk) -> tuple[Address, ...]:
    """Everybody once, without the user."""
    people = [one for e in events for one in (([e.organizer] if e.organizer else []) if host else others(e, frozenset()))]
    return tuple({one.email: one for one in people if one.email not in desk.me}.values())
