"""Choosing among free times by rules: sooner, within working hours, with room before and after."""

from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta
from typing import Literal

from assistant.drafting.rules import Rated, RuleSeat
from assistant.reasoning.base import Setting
from assistant.reasoning.offline.saying.items import View, one_line, slot_line
from assistant.values import Slot
from integrations.types import Event, Value

Criterion = Literal["soon", "hours", "room"]
CRITERIA: tuple[Criterion, ...] = ("soon", "hours", "room")
WORKING = (time(9), time(18))
"""Local time, Monday to Friday."""
ROOM = timedelta(minutes=15)
STATED = (
    "Rules chose among the times, no language model: sooner is better, so are working hours (Monday to Friday, 9 to 18), and 15 "
    "minutes of room before and after. A time that clashes counts nothing. Each chooser counts double what it cares for. What else "
    "there is to weigh, rules can't."
)


class RatedSlot(Value):
    """`soon`, `hours` and `room` from 0 to 1. `free`: it overlaps nothing; `reasons` are clauses for people."""

    slot: Slot
    soon: float
    hours: float
    room: float
    free: bool
    reasons: tuple[str, ...]

    def total(self, cares: Criterion) -> float:
        """From 0 to 1."""
        given: dict[Criterion, float] = {"soon": self.soon, "hours": self.hours, "room": self.room}
        return (sum(given.values()) + given[cares]) / (len(given) + 1) if self.free else 0.0


def rated_slots(slots: Sequence[Slot], events: Iterable[Event], setting: Setting) -> tuple[RatedSlot, ...]:
    """In their order. `events` are those of the days around; what is cancelled or leaves free counts for nothing."""
    busy = [event for event in events if event.busy and event.status != "cancelled"]
    sooner = {slot: rank for rank, slot in enumerate(sorted(set(slots), key=lambda slot: slot.start))}
    return tuple(_rated(slot, 1 - sooner[slot] / len(sooner), busy, setting) for slot in slots)


def seats(slots: Sequence[Slot], events: Iterable[Event], setting: Setting) -> tuple[RuleSeat, ...]:
    """A chooser for each criterion; each proposes the time that it likes best. At least one slot."""
    view = View(now=setting.now, zone=setting.zone)
    rated = {slot_line(one.slot, view): one for one in rated_slots(slots, events, setting)}
    return tuple(_seat(cares, rated) for cares in CRITERIA)


def _seat(cares: Criterion, rated: dict[str, RatedSlot]) -> RuleSeat:
    def write() -> str:
        line = max(rated, key=lambda line: rated[line].total(cares))
        return "\n".join((line, *(f"- {reason}" for reason in rated[line].reasons)))

    def rate(text: str) -> Rated:
        one = rated.get(text.partition("\n")[0].strip())
        return Rated(score=one.total(cares), reason=", ".join(one.reasons)) if one else Rated(score=0.0, reason="none of the times")

    return RuleSeat(cares, write, rate)


def _rated(slot: Slot, soon: float, busy: Sequence[Event], setting: Setting) -> RatedSlot:
    clash = next((event for event in busy if event.start < slot.end and slot.start < event.end), None)
    near = [event for event in busy if event.end <= slot.start < event.end + ROOM or event.start - ROOM < slot.end <= event.start]
    working = _within(slot.start.astimezone(setting.zone), slot.end.astimezone(setting.zone))
    reasons = (
        "the soonest" if soon == 1 else "",
        "within working hours" if working else "outside working hours",
        f"right beside “{one_line(near[0].title)}”" if near else "room before and after",
    )
    if clash:
        reasons = (f"clashes with “{one_line(clash.title)}”", "", "")
    return RatedSlot(
        slot=slot, soon=soon, hours=float(working), room=float(not near), free=clash is None, reasons=tuple(filter(None, reasons))
    )


def _within(start: datetime, end: datetime) -> bool:
    first, last = WORKING
    return start.weekday() < 5 and start.date() == end.date() and first <= start.time() and end.time() <= last
