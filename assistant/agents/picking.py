"""From what fits a selection to what is meant: order and number, all of them, exactly one, or a question."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from assistant.agents.base import Desk
from assistant.agents.report import MOST, ask, not_found, too_many
from assistant.reasoning.calls import Selection
from assistant.values import Data
from integrations.types import Contact, Event, Mail

Item = Mail | Event | Contact
I = TypeVar("I", Mail, Event, Contact)  # noqa: E741


def key(item: Item) -> str:
    """Names one item, for the value of a choice."""
    if isinstance(item, Event):
        at = f"/{item.recurrence.isoformat()}" if item.recurrence else ""
        return f"{item.account}/{item.calendar}/{item.id}{at}"
    return f"{item.account}/{item.id}"


def ordered(items: Sequence[I], selection: Selection) -> tuple[I, ...]:
    """`items` stand in time order or as shown; "next" is the first of them."""
    number = max(selection.number, 1)
    if selection.order in ("first", "oldest", "next"):
        return tuple(items[:number])
    if selection.order == "last":
        return tuple(items[-number:])
    if selection.order == "nth":
        return tuple(items[number - 1 : number])
    return tuple(items)


def from_plan(selection: Selection) -> bool:
    """The items come from a step of the same plan, which has selected already."""
    return bool(selection.refs) and all(ref.isdigit() for ref in selection.refs)


def to_act_on(
    items: Sequence[I], selection: Selection, desk: Desk, *, noun: str, wording: str, label: Callable[[I], str]
) -> tuple[I, ...]:
    """What a write may act on: all of them where all were meant, else exactly one, else the user is asked."""
    if not items:
        raise not_found(f"I found no {wording}.")
    if selection.each or selection.order or from_plan(selection):
        if len(items) > MOST:
            raise too_many(len(items), f"{noun}s")
        return tuple(items)
    if len(items) == 1:
        return (items[0],)
    chosen = desk.settled(wording)
    for item in items:
        if chosen and chosen in (key(item), label(item)):
            return (item,)
    raise ask(wording, f"Which {noun} do you mean?", [(label(item), key(item)) for item in items])


def referred(selection: Selection, desk: Desk) -> Data:
    """What the references of a selection stand for, joined."""
    found = [desk.results[ref] for ref in selection.refs if ref in desk.results]
    if len(found) < len(selection.refs):
        missing = next(ref for ref in selection.refs if ref not in desk.results)
        what = "nothing was shown before" if missing == "shown" else f"there is no result {missing}"
        raise not_found(f"I can't tell which one you mean: {what}.", ref=missing)
    if len(found) == 1:
        return found[0]
    return Data(
        mails=tuple(m for d in found for m in d.mails),
        events=tuple(e for d in found for e in d.events),
        contacts=tuple(c for d in found for c in d.contacts),
        proposals=tuple(p for d in found for p in d.proposals),
    )
