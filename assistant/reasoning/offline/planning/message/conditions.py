"""Times that a condition and its deed share, and the other time of "at 3, or at 4 if I have something"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item, is_hour

TIMED_DEEDS = ("event.create", "event.move")


def sharing_times(parts: Sequence[Piece], setting: Setting) -> tuple[Piece, ...]:
    """ "… on Friday at 1 if I'm free": free at the time of what is to be done. "If I'm free on Friday at 1, …": done then."""
    found = list(parts)
    for at, piece in enumerate(found):
        asks = piece.role == "plain" and at + 1 < len(found) and found[at + 1].role in ("if", "else")
        if piece.role != "check" and not (asks and _looked_at(piece, setting)[0] is not None):
            continue
        deeds = [n for n in range(at + 1, len(found)) if found[n].role in ("if", "else")]
        if not deeds:
            continue
        found[at] = _lasting(_dated(piece, found[deeds[0]], setting), found[deeds[0]], setting)
        for n in deeds:
            found[n] = _beside_too(found[n], found[at], setting)
        asked, taken = _looked_at(found[at], setting)
        for n in deeds:
            if asked is not None and found[n].role == ("if" if piece.negated == taken else "else"):
                found[n] = _at_that_time(found[n], asked, setting)
    return tuple(found)


def _looked_at(piece: Piece, setting: Setting) -> tuple[TimeSpec | None, bool]:
    """The time that is looked at for being free, and whether the check holds when it is taken."""
    call = parse(piece.text, setting).call
    if call is None:
        return None, False
    if call.operation == "event.free":
        return call.time, False
    alone = not (call.select.people or call.select.words or call.select.order)
    return (call.select.when if call.operation in ("event.check", "event.find") and alone else None), True


def _dated(check: Piece, deed: Piece, setting: Setting) -> Piece:
    asked, call = parse(check.text, setting).call, parse(deed.text, setting).call
    if asked is None or asked.operation != "event.free" or call is None or call.time is None:
        return check
    if asked.time is None:
        return replace(check, text=f"{check.text} {call.time.text}")
    if asked.time.has_date or not call.time.has_date or call.time.start is None:
        return check
    return replace(check, text=f"{check.text} {day_words(call.time, setting)}")


def _lasting(check: Piece, deed: Piece, setting: Setting) -> Piece:
    """Whether something is right behind an event is looked at for as long as the deed needs."""
    asked, call = parse(check.text, setting).call, parse(deed.text, setting).call
    if asked is None or asked.beside is None or asked.duration or call is None:
        return check
    length = call.duration or call.shift
    minutes = round(length.total_seconds() / 60) if length else 0
    return replace(check, text=f"{check.text} for {minutes} minutes") if minutes > 0 else check


def _beside_too(deed: Piece, check: Piece, setting: Setting) -> Piece:
    """ "If I'm free right after the review, book … then": right after the review."""
    asked, call = parse(check.text, setting), parse(deed.text, setting).call
    if asked.call is None or asked.call.beside is None or asked.thing is None or call is None or call.operation != "event.create":
        return deed
    if call.time is not None or call.beside is not None or deed.role != "if":
        return deed
    event = check.text[asked.thing[0] : asked.thing[1]]
    return replace(deed, text=f"{deed.text.rstrip(' .!').removesuffix(' then')} right {asked.call.side} {event}")


def _at_that_time(deed: Piece, asked: TimeSpec, setting: Setting) -> Piece:
    call = parse(deed.text, setting).call
    if call is None or call.operation not in TIMED_DEEDS or _has_its_day(call):
        return deed
    if call.operation == "event.move" and call.time is None and (there := THERE.search(deed.text)):
        return replace(deed, text=f"{deed.text[: there.start()]} to {_bare(asked.text)}")
    missing = asked.text if call.time is None else day_words(asked, setting) if asked.has_date else ""
    return replace(deed, text=f"{deed.text.rstrip(' .!')} {missing}".rstrip())


THERE = re.compile(r"\s+(?:there|then|to (?:that|then))\s*[.!]?\s*$", re.IGNORECASE)
"""A new time that is only pointed at."""


def _bare(time: str) -> str:
    """ "on Tuesday at 3" as it stands behind "to"."""
    return re.sub(r"^(?:on|at|for) ", "", time)


def _has_its_day(call: Call) -> bool:
    return call.shift is not None or (call.time is not None and call.time.has_date)


def day_words(spec: TimeSpec, setting: Setting) -> str:
    """ "on Friday 20 November": a date as the grammar reads it back."""
    if spec.start is None:
        return ""
    day = spec.start.astimezone(setting.zone)
    year = f" {day.year}" if day.year != setting.now.year else ""
    return f"on {day:%A} {day.day} {day:%B}{year}"


@dataclass(frozen=True, slots=True)
class Alternative:
    """The same deed at two times; the second counts when the first is taken."""

    first: str
    deed: str
    instead: str


def alternative(text: str, items: Sequence[Item], setting: Setting) -> Alternative | None:
    """ "A on Friday at 3, or at 4 if I already have something"."""
    words = lows(items)
    at = next((n for n in range(1, len(items) - 1) if words[n] == "or" and items[n].kind == "word"), None)
    if at is None:
        return None
    other = next((n for n in range(at + 1, len(items)) if items[n].kind == "time" or is_hour(items[n])), None)
    before = [item for item in items[:at] if item.time is not None and item.time.kind == "point"]
    if other is None or not before:
        return None
    around = [*items[at + 1 : other], *items[other + 1 :]]
    if not _is_taken(around):
        return None
    first, second = before[-1], items[other].time
    assert first.time is not None
    if not first.time.has_time or (second is not None and not second.has_time):
        return None
    if first.time.has_date and second is not None and second.has_date and all(item.kind == "punct" for item in around):
        return None  # a list of moments, of which one step takes the first that is free
    deed = text[items[0].begin : items[at - 1].end].rstrip(" ,")
    dated = second is not None and second.has_date and _day(second) != _day(first.time)
    moved = items[other].text if dated or items[other].low.startswith(("at ", "on ")) else f"at {items[other].text}"
    if not dated and first.time.has_date:
        moved = f"{day_words(first.time, setting)} {moved}"
    instead = f"{text[items[0].begin : _lead(items, first)]}{moved}{text[first.end : items[at - 1].end]}".rstrip(" ,")
    return Alternative(first.time.text, deed, instead)


def _day(spec: TimeSpec) -> date | None:
    return spec.start.date() if spec.start else None


def _lead(items: Sequence[Item], first: Item) -> int:
    """Where the first time's own "at" or "on" begins."""
    at = list(items).index(first)
    before = items[at - 1] if at else None
    return before.begin if before is not None and before.low in ("at", "on", "for") else first.begin


def _is_taken(items: Sequence[Item]) -> bool:
    """Nothing but "if I already have something", "if that's taken", or nothing at all."""
    small = lexicon().small
    return all(item.kind == "punct" or item.low in small["if_taken"] for item in items)
