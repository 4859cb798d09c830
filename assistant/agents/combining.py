"""Several changes of the same events as one proposal for each."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assistant.agents import booking, changing
from assistant.agents.base import Desk, Handler
from assistant.agents.report import Notes
from assistant.agents.words import later
from assistant.reasoning.calls import Call, Operation, Selection
from assistant.values import Data, Proposal
from integrations.actions import UpdateEvent
from integrations.types import Event

SINGLE: Mapping[Operation, Handler] = {
    "event.move": booking.move,
    "event.rename": changing.rename,
    "event.resize": booking.resize,
    "event.relocate": changing.relocate,
    "event.invite": changing.invite,
    "event.uninvite": changing.uninvite,
}
CHOSEN = "changed before"


def _parts(call: Call) -> list[Call]:
    """The call itself, then one for each change that it carries beside its own."""
    own: dict[Operation, tuple[str, ...]] = {
        "event.move": ("time", "shift"), "event.rename": ("title",), "event.resize": ("duration", "time", "shift", "factor"),
        "event.relocate": ("location",), "event.invite": ("to",), "event.uninvite": ("to",),
    }  # fmt: skip
    beside: tuple[tuple[Operation, str], ...] = (
        ("event.move", "time"), ("event.move", "shift"), ("event.resize", "duration"), ("event.rename", "title"),
        ("event.relocate", "location"), ("event.invite", "to"),
    )  # fmt: skip
    others = [(name, field) for name, field in beside if field not in own[call.operation] and getattr(call, field)]
    base = Call(operation=call.operation, select=call.select)
    first = base.model_copy(update={field: getattr(call, field) for field in own[call.operation]})
    again = Call(operation=call.operation, select=Selection(refs=(CHOSEN,), each=True))
    return [first, *(again.model_copy(update={"operation": name, field: getattr(call, field)}) for name, field in others)]


async def change(call: Call, desk: Desk, notes: Notes) -> Data:
    first, *others = _parts(call)
    if not others:
        return await SINGLE[call.operation](call, desk, notes)
    data = await SINGLE[first.operation](first, desk, notes)
    events = tuple(p.before for p in data.proposals if isinstance(p.before, Event))
    desk = replace(desk, results={**desk.results, CHOSEN: Data(kind="events", events=events)})
    for other in others:
        more = await SINGLE[other.operation](other, desk, notes)
        both = zip(data.proposals, more.proposals, strict=True)
        data = data.model_copy(update={"proposals": tuple(_joined(one, two) for one, two in both)})
    return data


def _joined(one: Proposal, two: Proposal) -> Proposal:
    assert isinstance(one.action, UpdateEvent) and isinstance(two.action, UpdateEvent)
    changes: dict[str, Any] = {
        name: value for name in type(two.action).model_fields
        if name not in ("kind", "account", "event") and (value := getattr(two.action, name)) not in (None, (), "")
    }  # fmt: skip
    if one.action.start and one.action.end and two.action.start and two.action.end:
        changes |= _longer_and_elsewhere(one, two)
    merged = {"guesses": (*one.guesses, *two.guesses), "notes": (*one.notes, *two.notes), "says": f"{one.says}, and {two.says}"}
    return one.model_copy(update={**merged, "action": one.action.model_copy(update=changes)})


def _longer_and_elsewhere(one: Proposal, two: Proposal) -> dict[str, Any]:
    """The start of the one that moves, the length of the one that doesn't."""
    assert isinstance(one.action, UpdateEvent) and isinstance(two.action, UpdateEvent) and isinstance(one.before, Event)
    moving, resizing = (two.action, one.action) if one.action.start == one.before.start else (one.action, two.action)
    assert moving.start and resizing.start and resizing.end
    return {"start": moving.start, "end": later(moving.start, resizing.end - resizing.start)}
