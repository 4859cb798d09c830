"""Times that a condition and its deed share, and the other time of "at 3, or at 4 if I have something"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.talk.thatday import THAT_DAY
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item, is_hour
from assistant.reasoning.offline.reading.times.sametime import same_time

TIMED_DEEDS = ("event.create", "event.move")
USUAL = timedelta(minutes=60)
"""How long a new event lasts where that was not said."""
NONE = Selection()


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
        first = found[deeds[0]]
        found[at] = _dated(piece if at else _on_day_of(piece, first, setting), first, setting)
        for n in deeds:
            found[n] = _beside_too(found[n], found[at], setting)
        asked, taken = _looked_at(found[at], setting)
        for n in deeds:
            if asked is not None and found[n].role == ("if" if piece.negated == taken else "else"):
                found[n] = _at_that_time(found[n], asked, setting)
        found[at] = _lasting(found[at], found[deeds[0]], setting)
    return tuple(found)


def _looked_at(piece: Piece, setting: Setting) -> tuple[TimeSpec | None, bool]:
    """The time that is looked at for being free, and whether the check holds when it is taken."""
    call = parse(piece.text, setting).call
    if call is None:
        return None, False
    if call.operation == "event.free":
        return call.time, False
    select, when = call.select, call.select.when
    alone = not (select.people or select.words or select.order or select.refs)
    ahead = when is not None and (when.stop is None or when.stop > setting.now)
    return (when if call.operation in ("event.check", "event.find") and alone and ahead else None), True


def _on_day_of(check: Piece, deed: Piece, setting: Setting) -> Piece:
    """ "Move it to Friday if nothing else is booked that day": the new day of the deed."""
    call = parse(deed.text, setting).call if THAT_DAY.search(check.text) else None
    if call is None or call.time is None or not call.time.has_date:
        return check
    return replace(check, text=THAT_DAY.sub(day_words(call.time, setting), check.text))


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
    """Whether a time is free is looked at for as long as the deed needs."""
    asked, call = parse(check.text, setting).call, parse(deed.text, setting).call
    if asked is None or asked.duration or call is None or (asked.beside is None and not _then_too(asked, call)):
        return check
    if call.operation == "event.move" and asked.beside is None:
        return _with_event(check, deed, setting)
    length = call.duration or call.shift or (USUAL if call.operation == "event.create" and asked.beside is None else None)
    minutes = round(length.total_seconds() / 60) if length else 0
    return replace(check, text=f"{check.text} for {minutes} minutes") if minutes > 0 else check


def _then_too(asked: Call, deed: Call) -> bool:
    """Whether the moment looked at is the deed's own, and no event was named with it."""
    when, then = asked.time, deed.time
    if asked.operation != "event.free" or asked.select != NONE or when is None or then is None or not (when.start and then.start):
        return False
    hours = when.kind == then.kind == "point" and when.has_time and then.has_time
    return hours and when.start.time() == then.start.time()


def _with_event(check: Piece, deed: Piece, setting: Setting) -> Piece:
    """What is to be moved there lasts as long as it does, and does not stand in its own way."""
    thing = parse(deed.text, setting).thing
    said = deed.text[thing[0] : thing[1]].strip(" ,.") if thing else ""
    named = said if said.startswith("{") or said.partition(" ")[0].lower() in ("the", "my", "our") else f"the {said}"
    with_it = replace(check, text=f"{check.text} for {named}")
    asked = parse(with_it.text, setting).call
    return with_it if said and asked is not None and asked.operation == "event.free" and asked.select != NONE else check


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
    """An event that is moved to another hour stays on the day that it was picked out by."""
    stays = call.operation == "event.move" and call.time is not None and call.select.when is not None and call.select.when.has_date
    return stays or call.shift is not None or (call.time is not None and call.time.has_date)


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
    """ "A on Friday at 3, or at 4 if I already have something", "… if I'm free, otherwise at 4", "… or, failing that, at 4"."""
    words = lows(items)
    joint = next(((n, end) for n in range(1, len(items) - 1) if (end := _other_time_behind(items, words, n))), None)
    if joint is None:
        return None
    at, behind = joint
    moments = (n for n in range(behind, len(items)) if items[n].kind == "time" or is_hour(items[n]))
    other = next((n for n in moments if items[n].low not in THEN), None)
    before = [item for item in items[:at] if item.time is not None and item.time.kind == "point"]
    first = next((item for item in reversed(before) if item.time is not None and item.time.has_time), None)
    if other is None or first is None or first.time is None:
        return None
    around = [*items[behind:other], *items[other + 1 :]]
    kept = same_time(around)
    around = [*around[: kept[0]], *around[kept[1] :]] if kept is not None else around
    if not _is_taken(around):
        return None
    second = items[other].time
    if (first is not before[-1] and first.time.has_date) or (second is not None and not second.has_time and not kept):
        return None
    plain = words[at] == "or" and all(item.kind == "punct" for item in around)
    if plain and first.time.has_date and second is not None and second.has_date:
        return None  # a list of moments, of which one step takes the first that is free
    end = _without_free(items, items.index(first) + 1, at)
    deed = text[items[0].begin : end].rstrip(" ,")
    day = next((item for item in before if item.time is not None and item.time.has_date), None)
    dated = second is not None and second.has_date and _day(second) != _day(first.time)
    moved = items[other].text if dated or items[other].low.startswith(("at ", "on ")) else f"at {items[other].text}"
    if kept is not None and first.time.start is not None and second is not None and not second.has_time:
        moved = f"{moved} at {first.time.start:%H:%M}"
    if not dated and first.time.has_date:
        moved = f"{day_words(first.time, setting)} {moved}"
    instead = f"{text[items[0].begin : _lead(items, first)]}{moved}{text[first.end : end]}".rstrip(" ,")
    asked = first.time.text if first.time.has_date or day is None else f"{day.text} {first.time.text}"
    lasting = next((item.time.duration for item in items[:at] if item.time is not None and item.time.kind == "duration"), None)
    if lasting and first.time.start is not None:
        named = day_words(first.time, setting) if first.time.has_date else day.text if day is not None else ""
        asked = f"{named} from {first.time.start:%H:%M} to {first.time.start + lasting:%H:%M}".strip()
    return Alternative(asked, deed, instead)


def _other_time_behind(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """Where the other time may begin behind "or", "otherwise"; 0 where nothing of the kind stands at `at`."""
    match = lexicon().otherwise.at(words, at) if items[at].kind == "word" else None
    if match is not None and words[at - 1] in (",", ";", "or", "-", "\u2013"):
        return at + match[0]
    if words[at] in ("and", "but") and words[at + 1 : at + 2] == ["if"]:
        fits = any(item.low in FITS for item in items[at:]) and "not" not in words[at:]
        return 0 if fits else at + 1
    return at + 1 if words[at] == "or" and items[at].kind == "word" else 0


def _without_free(items: Sequence[Item], begin: int, end: int) -> int:
    """Where the deed ends whose own time is followed by "if I'm free then": that is what the other time is for."""
    at = next((n for n in range(begin, end) if items[n].low in ("if", "when", "provided", "assuming")), None)
    said = [item for item in items[at:end] if item.kind != "punct"] if at is not None else []
    fits = bool(said) and _is_taken(said) and any(item.low in FITS for item in said) and all(item.low != "not" for item in said)
    return items[at - 1].end if fits and at is not None else items[end - 1].end


THEN = frozenset({"then", "that time", "at that time"})
FITS = frozenset({"free", "available", "open", "possible", "clear", "works", "work", "fits", "fit", "suits", "suit"})


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
