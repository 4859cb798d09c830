"""From what fits a selection to what is meant: order and number, all of them, exactly one, or a question."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TypeVar

from assistant.agents.base import Desk
from assistant.agents.report import MOST, Refusal, ask, not_found, too_many
from assistant.agents.words import length_of
from assistant.reasoning.calls import Bounds, Selection
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
    if selection.places:
        there = [place for place in selection.places if -len(items) <= place <= len(items)]
        return tuple(items[place - (place > 0)] for place in there) if len(there) == len(selection.places) else ()
    if selection.order in ("first", "oldest", "next"):
        return tuple(items[:number])
    if selection.order == "last":
        return tuple(items[-number:])
    if selection.order == "nth":
        return tuple(items[number - 1 : number])
    if selection.order in ("longest", "shortest"):
        return _by_length(items, selection.order)
    if selection.order == "nth_last":
        return tuple(items[-number : len(items) - number + 1])
    return tuple(items)


def _by_length(items: Sequence[I], order: str) -> tuple[I, ...]:
    """The longest or shortest events, all of them where several last as long; all-day ones do not count beside others."""
    timed = [item for item in items if isinstance(item, Event) and not item.all_day] or list(items)
    lengths = [length_of(item) if isinstance(item, Event) else timedelta() for item in timed]
    best = (max if order == "longest" else min)(lengths, default=timedelta())
    return tuple(item for item, length in zip(timed, lengths, strict=True) if length == best)


def enough(found: int, bounds: Bounds | None) -> bool:
    """Whether so many are found: any at all where no bounds are set."""
    least, most = bounds or (1, None)
    return found >= least and (most is None or found <= most)


def left_out_by_place(items: Sequence[I], without: Selection) -> set[str]:
    """The keys of what "except the last two" leaves out of `items`."""
    return {key(item) for item in ordered(items, without)}


def only_ordered(selection: Selection) -> bool:
    """ "the last", "the first two": nothing else says which ones."""
    return bool(selection.order) and selection == Selection(order=selection.order, number=selection.number)


def names_something(selection: Selection) -> bool:
    """Whether something certain is meant, which must be there; of a state there may be none."""
    return bool(selection.words or selection.people or selection.order or selection.when or selection.place)


def nothing_left_out(what: str) -> Refusal:
    return not_found(f"There is none among them that I would leave out: I found no {what}. So I have left everything as it is.")


def miscounted(selection: Selection, found: int) -> str:
    """Says that there are more or fewer than the user spoke of; empty where that is right."""
    if not selection.counted or not found or found == selection.counted:
        return ""
    return f"{'there is' if found == 1 else 'there are'} {found} of them, not {selection.counted}"


def as_counted(items: Sequence[I], selection: Selection, desk: Desk, *, noun: str, wording: str) -> Sequence[I]:
    """What a write may act on where the user said how many there are: the user is asked when there are more."""
    if not selection.counted or len(items) <= selection.counted or selection.order:
        return items
    first = f"only the {'newest' if noun == 'mail' else 'first'} {selection.counted}"
    every = f"all {len(items)}"
    chosen = desk.settled(f"how many {wording}")
    if chosen not in (first, every):
        question = f"{miscounted(selection, len(items)).capitalize()}. Which {noun}s do you mean?"
        raise ask(f"how many {wording}", question, [(every, every), (first, first)])
    return items if chosen == every else items[: selection.counted]


def from_plan(selection: Selection) -> bool:
    """The items come from a step of the same plan, which has selected already."""
    return bool(selection.refs) and all(ref.isdigit() for ref in selection.refs)


def to_act_on(
    items: Sequence[I], selection: Selection, desk: Desk, *, noun: str, wording: str, label: Callable[[I], str]
) -> tuple[I, ...]:
    """What a write may act on: all of them where all were meant, else exactly one, else the user is asked."""
    if not items:
        raise not_found(f"I found no {wording}.")
    tied = selection.order in ("longest", "shortest") and len(items) > 1 and not selection.each
    if (selection.each or selection.order or from_plan(selection)) and not tied:
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
        what = "nothing was shown before" if missing.startswith("shown") else f"there is no result {missing}"
        what = f"no line has the number {missing[4:]}" if missing.startswith("line") else what
        raise not_found(f"I can't tell which one you mean: {what}.", ref=missing)
    if len(found) == 1:
        return found[0]
    return Data(
        mails=tuple(m for d in found for m in d.mails),
        events=tuple(e for d in found for e in d.events),
        contacts=tuple(c for d in found for c in d.contacts),
        proposals=tuple(p for d in found for p in d.proposals),
    )
