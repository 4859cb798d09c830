"""What the calendar agent finds out about events."""

from datetime import UTC, timedelta

from assistant.agents.base import Desk
from assistant.agents.events import select_events
from assistant.agents.report import Notes
from assistant.agents.words import count as counted
from assistant.agents.words import lasting
from assistant.reasoning.calls import Call
from assistant.values import Data

MOST_LISTED = 50


async def find(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await select_events(call.select, desk, notes)
    return Data(kind="events", events=found.items[:MOST_LISTED], total=len(found.items), heading=found.heading)


async def upcoming(call: Call, desk: Desk, notes: Notes) -> Data:
    """The next one, where nothing else was said."""
    select = call.select if call.select.order else call.select.model_copy(update={"order": "next"})
    return await find(call.model_copy(update={"select": select}), desk, notes)


async def count(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await select_events(call.select, desk, notes)
    return Data(kind="count", count=len(found.items), total=len(found.items), events=found.items[:10], heading=found.heading)


async def check(call: Call, desk: Desk, notes: Notes) -> Data:
    data = await find(call, desk, notes)
    return data.model_copy(update={"truth": bool(data.events)})


async def summarise(call: Call, desk: Desk, notes: Notes) -> Data:
    """How much there is and how long it takes, with the events."""
    data = await find(call, desk, notes)
    timed = [e for e in data.events if not e.all_day and e.busy]
    taken = sum((e.end.astimezone(UTC) - e.start.astimezone(UTC) for e in timed), timedelta())
    text = f"{counted(len(data.events), 'event')}, {lasting(taken)} in all."
    return data.model_copy(update={"kind": "text", "text": text}) if data.events else data
