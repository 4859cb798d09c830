"""A recurrence with its time of day, its first day and its end."""

from datetime import date, timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.clocks import clock
from assistant.reasoning.offline.dates.dayparts import in_part, part
from assistant.reasoning.offline.dates.lengths import length
from assistant.reasoning.offline.dates.lexicon import NEXT, PARTS, WEEKDAY_PLURALS, WEEKDAYS
from assistant.reasoning.offline.dates.nodes import Clock, Days, Draft, Hours, Length, Match, Repeat
from assistant.reasoning.offline.dates.numbers import cardinal
from assistant.reasoning.offline.dates.pieces import simple, time_piece
from assistant.reasoning.offline.dates.repeats import WORKDAY_WORDS, Pattern, pattern
from assistant.reasoning.offline.dates.tokens import Sentence

BEGINS = frozenset({"starting", "from", "beginning", "since"})
ENDS = frozenset({"until", "till"})
TO = frozenset({"to", "through", "-", "\u2013"})
"""Ends a recurrence whose beginning was said."""


def recurring(s: Sentence, i: int) -> Match[Repeat]:
    found = pattern(s, i)
    if not found:
        return None
    rule, j = found
    time: Clock | Hours | None = None
    first: Days | None = None
    last: Days | None = None
    times, lasting = 0, Length()
    while True:
        if time is None and (at := _time(s, j)):
            time, j = at
        elif not rule.weekdays and rule.frequency in ("DAILY", "WEEKLY") and (more := _weekdays(s, j, rule)):
            rule, j = more
        elif first is None and (begun := _day(s, j, BEGINS, timed=time is None)):
            (first, at_first), j = begun
            time = time or at_first
        elif last is None and (ended := _day(s, j, ENDS if first is None else ENDS | TO, timed=time is None)):
            (last, at_last), j = ended
            time = time or at_last
        elif last is None and not times and (counted := _times(s, j)):
            times, j = counted
        elif last is None and not times and not any(lasting) and (during := _during(s, j)):
            lasting, j = during
        else:
            break
    built = _built(s, rule, time, first, last)
    end = f";COUNT={times}" if times else f";UNTIL={_last_of(built, lasting):%Y%m%d}T235959Z" if any(lasting) else ""
    return built._replace(rrule=built.rrule + end), j


def _times(s: Sentence, i: int) -> Match[int]:
    """ "10 times", "for 5 occurrences"."""
    j = i + (s.words[i] == ",")
    j += s.words[j] == "for"
    number = cardinal(s, j)
    counts = number and number[0] and s.words[number[1]] in ("times", "occurrences", "sessions")
    return (number[0], number[1] + 1) if number and counts else None


def _during(s: Sentence, i: int) -> Match[Length]:
    """ "for two weeks", "for the next 3 months": how long it goes on."""
    j = i + (s.words[i] == ",")
    if s.words[j] != "for":
        return None
    k = j + 1 + (s.words[j + 1] == "the")
    found = length(s, k + (s.words[k] in NEXT))
    return found if found and not found[0].seconds and (found[0].months or found[0].days >= 7) else None


def _last_of(built: Repeat, lasting: Length) -> date:
    return calendar.shift(built.first, lasting) - timedelta(1)


def _built(s: Sentence, rule: Pattern, time: Clock | Hours | None, first: Days | None, last: Days | None) -> Repeat:
    if time is None and rule.part:
        time = Clock(PARTS[rule.part][2], sure=True)
    elif isinstance(time, Clock) and rule.part:
        time = in_part(time, rule.part)
    begin = rule.first(first.start if first else s.today)
    again = begin if first else rule.first(begin + timedelta(1))
    end = f";UNTIL={last.stop - timedelta(1):%Y%m%d}T235959Z" if last else ""
    return Repeat(rule.rrule + end, begin, again, time)


def _time(s: Sentence, i: int) -> Match[Clock | Hours]:
    j = i + 1 if s.words[i] == "," else i
    led = s.words[j] in ("at", "@")
    found = time_piece(s, j + led, near_day=led) or part(s, j, after_day=True)
    if not found:
        return None
    time, k = found
    if isinstance(time, Hours) and time.part:
        inner = clock(s, k)
        return (in_part(inner[0], time.part), inner[1]) if inner else (Clock(PARTS[time.part][2], sure=True), k)
    if isinstance(time, Clock) and (of := part(s, k)):
        return in_part(time, of[0].part), of[1]
    return time, k


def _weekdays(s: Sentence, i: int, rule: Pattern) -> Match[Pattern]:
    """ "at 9 on Mondays" after "weekly"."""
    if s.words[i] != "on":
        return None
    word = s.words[i + 1]
    if word in WEEKDAY_PLURALS or word in WORKDAY_WORDS:
        found = pattern(s, i + 1)
        return (rule._replace(frequency="WEEKLY", weekdays=found[0].weekdays), found[1]) if found else None
    return (rule._replace(frequency="WEEKLY", weekdays=(WEEKDAYS[word],)), i + 2) if word in WEEKDAYS else None


def _day(s: Sentence, i: int, leads: frozenset[str], *, timed: bool) -> Match[tuple[Days, Clock | Hours | None]]:
    """ "from Monday"; `timed`: also "until Friday at 9", whose hour is that of all of them."""
    j = i + 1 if s.words[i] in (",", "(") else i
    if s.words[j] not in leads:
        return None
    found = simple(s, j + 1 + (s.words[j + 1] in ("on", "from")))
    if not found or not isinstance(found[0], Draft) or not found[0].days or (found[0].time and not timed):
        return None
    return (found[0].days, found[0].time), found[1]
