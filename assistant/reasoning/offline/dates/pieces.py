"""One date with or without a time of day, in any order: "Friday 3pm", "3pm on Friday", "tomorrow morning at 9"."""

from datetime import timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.clocks import clock
from assistant.reasoning.offline.dates.dayparts import hours_of, in_part, part
from assistant.reasoning.offline.dates.days_said import day_piece
from assistant.reasoning.offline.dates.hours import BOUNDS, PHRASE_LEADS, for_from, hours, open_hours
from assistant.reasoning.offline.dates.lexicon import (
    APPROXIMATELY,
    CARDINALS,
    CLOCK_WORDS,
    PART_PLURALS,
    PARTS,
    TENS,
    UNTIL,
    WEEKDAYS,
)
from assistant.reasoning.offline.dates.nodes import Clock, Draft, Hours, Match, Stretch
from assistant.reasoning.offline.dates.numbers import ordinal
from assistant.reasoning.offline.dates.periods import period
from assistant.reasoning.offline.dates.refining import refined, refined_by_number
from assistant.reasoning.offline.dates.tokens import Sentence

TONIGHT = Hours(Clock(18, sure=True), Clock(24, sure=True), part="night")
TIME_STARTERS = frozenset(
    (
        *CARDINALS, *TENS, *CLOCK_WORDS, *APPROXIMATELY, *PARTS, *PART_PLURALS, *BOUNDS, *PHRASE_LEADS, "half", "quarter", "a",
        "at", "in", "the", "during", "over", "early", "late", "later", "earlier", "mid", "from", "between", "for", "any",
        "anytime", "sometime", "time", "somewhere", "first", "end", "close", "lunch",
    )
)  # fmt: skip


def today_part(s: Sentence, i: int) -> Match[Draft]:
    """ "tonight", "this morning", "last night"."""
    word = s.words[i]
    if word == "tonight":
        return Draft(calendar.day(s.today), TONIGHT), i + 1
    if word == "last" and s.words[i + 1] == "night":
        return Draft(calendar.day(s.today - timedelta(1)), TONIGHT), i + 2
    if word == "last" and s.words[i + 1] in ("morning", "afternoon", "evening"):
        return Draft(calendar.day(s.today - timedelta(1)), hours_of(s.words[i + 1])), i + 2
    if word == "next" and (s.words[i + 1] in PARTS) and (after := part(s, i + 1, after_day=True)):
        return Draft(calendar.day(s.today + timedelta(1)), after[0]), after[1]
    j = i + 1 if word in ("early", "late", "later", "earlier") else i
    if s.words[j] != "this" or s.words[j + 1] not in PARTS:
        return None
    half = {"early": "early", "earlier": "early", "late": "late", "later": "late"}.get(word, "")
    return Draft(calendar.day(s.today), hours_of(s.words[j + 1], half)), j + 2


def time_piece(s: Sentence, i: int, *, near_day: bool = False) -> Match[Clock | Hours]:
    """The longest time of day at token i. `near_day`: right behind a date, where a number or a bare "morning" will do."""
    key = ("time", i, near_day)
    if key not in s.read:
        s.read[key] = _time_piece(s, i, near_day)
    found: Match[Clock | Hours] = s.read[key]
    return found


def _time_piece(s: Sentence, i: int, near_day: bool) -> Match[Clock | Hours]:
    if s.numbers[i] is None and s.words[i] not in TIME_STARTERS:
        return None
    best: Match[Clock | Hours] = None
    candidates = (
        hours(s, i, near_day=near_day),
        clock(s, i, bare=near_day),
        open_hours(s, i),
        part(s, i, after_day=near_day),
        for_from(s, i),
    )
    for found in candidates:
        if found and (best is None or found[1] > best[1]):
            best = found
    return best


def simple(s: Sentence, i: int, *, bare: bool = False) -> Match[Draft | Stretch]:
    """`bare`: a number alone is an hour."""
    key = ("simple", i, bare)
    if key not in s.read:
        s.read[key] = _simple(s, i, bare)
    found: Match[Draft | Stretch] = s.read[key]
    return found


def _simple(s: Sentence, i: int, bare: bool) -> Match[Draft | Stretch]:
    found: Match[Draft | Stretch] = today_part(s, i) or nth_timed(s, i) or day_piece(s, i)
    time = time_piece(s, i, near_day=bare) or (_pair_before_day(s, i) or _hour_before_part(s, i) if not found else None)
    if time and (not found or time[1] > found[1]):
        found = Draft(time=time[0]), time[1]
    if not found or isinstance(found[0], Stretch):
        return found
    draft, j = found[0], found[1]
    while grown := _grown(s, draft, j):
        draft, j = grown
    return draft, j


def _hour_before_part(s: Sentence, i: int) -> Match[Clock | Hours]:
    """The bare 8 of "8 tonight"."""
    if s.numbers[i] is None or s.glued(i):
        return None
    j = i + 2 if s.words[i + 1] == "," else i + 1
    return clock(s, i, bare=True) if today_part(s, j) else None


def nth_timed(s: Sentence, i: int) -> Match[Draft]:
    """ "the first Monday evening of next month"."""
    j = i + 1 if s.words[i] == "the" else i
    number = (-1, j + 1) if s.words[j] == "last" else ordinal(s, j)
    if not number or s.words[number[1]] not in WEEKDAYS:
        return None
    time = time_piece(s, number[1] + 1, near_day=True) or part(s, number[1] + 1, after_day=True)
    if not time or s.words[time[1]] not in ("of", "in"):
        return None
    span = period(s, time[1] + 1)
    day = calendar.nth_weekday(span[0], WEEKDAYS[s.words[number[1]]], number[0]) if span else None
    return (Draft(calendar.day(day), time[0]), span[1]) if span and day else None


def _pair_before_day(s: Sentence, i: int) -> Match[Clock | Hours]:
    """The bare "6-8" of "6-8 next Monday"."""
    if s.numbers[i] is None or s.words[i + 1] not in UNTIL or s.numbers[i + 2] is None or s.glued(i):
        return None
    pair = hours(s, i, near_day=True)
    return pair if pair and _with_day(s, Draft(time=pair[0]), pair[1]) else None


def _grown(s: Sentence, draft: Draft, j: int) -> Match[Draft]:
    k = j + 1 if s.words[j] in (",", "-", "\u2013", "(", "@", ";") and s.words[j + 1] else j
    if s.words[j] == "," and s.words[k + 1] == "only" and (s.words[k] in PARTS or s.words[k] in PART_PLURALS):
        return None  # "not on Monday, mornings only"
    for start in (k, j) if k != j else (j,):
        day = _with_day(s, draft, start)
        time = None if day and draft.days and draft.days.guess == "week" else _with_time(s, draft, start)
        grown = time or day
        if grown:
            closed = s.words[j] == "(" and s.words[grown[1]] == ")"
            return grown[0], grown[1] + closed
    return None


def _with_time(s: Sentence, draft: Draft, j: int) -> Match[Draft]:
    if draft.days and not draft.days.single:
        return None
    k = j
    if s.words[k] == "t" and s.glued(k) and s.glued(k + 1):
        k += 1
    led = s.words[k] in ("at", "@", "for", "around", "about")
    if s.words[k] == "for":
        k += 1
    if draft.time is None:
        if draft.days is None:
            return None
        # "Friday 31" is a date; an hour after a date needs "at", unless the day was said in a word.
        near = (
            led
            or draft.days.guess == "week"
            or (draft.days.guess == "" and s.numbers[j - 1] is None and draft.days.weekday is None)
        )
        sure = time_piece(s, k, near_day=near and not (s.words[j] == "for" and s.words[k + 1] != ":"))
        if not sure:
            bare_part = part(s, k, after_day=True)
            return (draft._replace(time=bare_part[0]), bare_part[1]) if bare_part else None
        return draft._replace(time=sure[0]), sure[1]
    return _with_part(s, draft, k)


def _with_part(s: Sentence, draft: Draft, k: int) -> Match[Draft]:
    """A part of the day says which half an hour belongs to: "8 in the evening", "tonight at 8"."""
    time = draft.time
    if isinstance(time, Clock):
        found = part(s, k, after_day=draft.days is not None)
        return (draft._replace(time=in_part(time, found[0].part)), found[1]) if found else None
    if not isinstance(time, Hours):
        return None
    if not time.part:
        found = part(s, k, after_day=draft.days is not None)
        return (draft._replace(time=time), found[1]) if found else None
    narrower = time_piece(s, k, near_day=True)
    if not narrower:
        return None
    inner = narrower[0]
    if isinstance(inner, Clock):
        return draft._replace(time=in_part(inner, time.part)), narrower[1]
    if inner.part:
        return None
    return draft._replace(time=_stretch_in_part(s, inner, time.part)), narrower[1]


def _stretch_in_part(s: Sentence, inner: Hours, name: str) -> Hours:
    if name in ("morning", "forenoon"):
        return _before_noon(inner)
    if name not in ("evening", "night") or not inner.start or inner.start.hour >= 12:
        return inner
    start = inner.start._replace(sure=False)
    if start.hour < 5 or not 1 <= start.hour <= 11:
        return inner
    moved = in_part(start, name)
    shift = moved.minutes - inner.start.minutes
    stop = inner.stop and inner.stop._replace(hour=inner.stop.hour + shift // 60)
    return inner._replace(start=moved, stop=stop if stop and stop.hour <= 24 else inner.stop)


def _before_noon(inner: Hours) -> Hours:
    """Hours settled for the evening, taken back to the morning: "between 7 and 9 this morning"."""
    if not inner.start or not inner.stop or not 17 <= inner.start.hour < inner.stop.hour <= 23:
        return inner
    start, stop = (clock._replace(hour=clock.hour - 12) for clock in (inner.start, inner.stop))
    return inner._replace(start=start, stop=stop)


def _with_day(s: Sentence, draft: Draft, j: int) -> Match[Draft]:
    k = j
    if s.words[k] in ("on", "of", "in", "for", "preferably"):
        k += 1
        k += s.words[k] == "on"
    if draft.days is None:
        found = today_part(s, k)
        if found and isinstance(draft.time, Hours) and isinstance(found[0].time, Hours) and not draft.time.part:
            return Draft(found[0].days, _stretch_in_part(s, draft.time, found[0].time.part)), found[1]
        if found and isinstance(draft.time, Clock):
            name = found[0].time.part if isinstance(found[0].time, Hours) else ""
            return Draft(found[0].days, in_part(draft.time, name)), found[1]
        day = day_piece(s, k)
        if day and isinstance(day[0], Draft) and day[0].days and day[0].days.single:
            return draft._replace(days=day[0].days), day[1]
        return None
    one = refined(s, draft.days, k) or refined_by_number(s, draft.days, k)
    return (draft._replace(days=one[0]), one[1]) if one else None
