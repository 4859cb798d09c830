"""What recurs: "every weekday at 8", "every other Tuesday", "the first Monday of the month", "monthly on the 1st"."""

from datetime import date, timedelta
from typing import NamedTuple

from assistant.reasoning.offline.dates.days import day_month, month_day
from assistant.reasoning.offline.dates.lexicon import (
    BYDAY,
    FREQUENCIES,
    PART_PLURALS,
    PARTS,
    REPEATERS,
    UNITS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
)
from assistant.reasoning.offline.dates.nodes import Match
from assistant.reasoning.offline.dates.numbers import cardinal, ordinal
from assistant.reasoning.offline.dates.numeric import month_name
from assistant.reasoning.offline.dates.tokens import Sentence

EVERY = frozenset({"every", "each"})
WORKWEEK = (0, 1, 2, 3, 4)
WORKDAY_WORDS = frozenset({"weekday", "weekdays", "workday", "workdays"})
MONTHLY_TAILS = (("of", "the", "month"), ("of", "every", "month"), ("of", "each", "month"), ("every", "month"), ("each", "month"))


class Pattern(NamedTuple):
    """An RRULE in the making; `nth` goes with exactly one of `weekdays`."""

    frequency: str
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    nth: int = 0
    monthdays: tuple[int, ...] = ()
    month: int = 0
    part: str = ""

    @property
    def rrule(self) -> str:
        rule = [f"FREQ={self.frequency}"]
        if self.interval > 1:
            rule.append(f"INTERVAL={self.interval}")
        if self.month:
            rule.append(f"BYMONTH={self.month}")
        if self.monthdays:
            rule.append("BYMONTHDAY=" + ",".join(map(str, self.monthdays)))
        if self.weekdays:
            prefix = str(self.nth) if self.nth else ""
            rule.append("BYDAY=" + ",".join(prefix + BYDAY[n] for n in self.weekdays))
        return ";".join(rule)

    def holds(self, when: date) -> bool:
        if self.month and when.month != self.month:
            return False
        if self.monthdays and not any(when.day == n or (n == -1 and (when + timedelta(1)).day == 1) for n in self.monthdays):
            return False
        if self.weekdays and when.weekday() not in self.weekdays:
            return False
        if self.nth > 0:
            return (when.day - 1) // 7 + 1 == self.nth
        return self.nth == 0 or (when + timedelta(7)).month != when.month

    def first(self, when: date) -> date:
        """The first day on or after one; its leap years need at most eight years of days."""
        for n in range(366 * 8 + 2):
            if self.holds(when + timedelta(n)):
                return when + timedelta(n)
        raise ValueError(self.rrule)


def pattern(s: Sentence, i: int) -> Match[Pattern]:
    word = s.words[i]
    if word in EVERY:
        return _every(s, i + 1)
    if word in REPEATERS:
        return _adverb(s, i)
    if word in ("once", "twice") and s.words[i + 1] in ("a", "every", "per", "each"):
        unit = FREQUENCIES.get(s.words[i + 2])
        return (Pattern(*unit), i + 3) if unit and word == "once" else None
    j = i + 1 if word in ("on", "any", "at") else i
    if s.words[j] == "weekends" or (word == "any" and s.words[j] == "weekend"):
        return Pattern("WEEKLY", weekdays=(5, 6)), j + 1
    if s.words[j] in WEEKDAY_PLURALS or s.words[j] in WORKDAY_WORDS:
        if s.words[j].endswith("s"):
            return _plurals(s, j)
        return None
    return _day_of_plural_part(s, j) or _nth_of_month(s, j)


def _day_of_plural_part(s: Sentence, i: int) -> Match[Pattern]:
    """ "Tuesday afternoons"."""
    if s.words[i] in WEEKDAYS and s.words[i + 1] in PART_PLURALS:
        return Pattern("WEEKLY", weekdays=(WEEKDAYS[s.words[i]],), part=PART_PLURALS[s.words[i + 1]]), i + 2
    return None


def _plurals(s: Sentence, i: int) -> Match[Pattern]:
    """ "Mondays and Thursdays", "weekdays"."""
    if s.words[i] in WORKDAY_WORDS:
        return Pattern("WEEKLY", weekdays=WORKWEEK), i + 1
    found, j = _listed(s, i, WEEKDAY_PLURALS | WEEKDAYS)
    return Pattern("WEEKLY", weekdays=found), j


def _listed(s: Sentence, i: int, names: dict[str, int]) -> tuple[tuple[int, ...], int]:
    found = [names[s.words[i]]]
    j = i + 1
    while True:
        k = j
        while s.words[k] in (",", "and", "&", "/", "every", "each", "on"):
            k += 1
        if k == j or s.words[k] not in names:
            return tuple(sorted(set(found))), j
        found.append(names[s.words[k]])
        j = k + 1


def _adverb(s: Sentence, i: int) -> Match[Pattern]:
    """ "daily" and its like, where they don't name something ("the weekly report")."""
    after, j = s.words[i + 1], i + 1
    says = not after or not after.isalnum() or s.numbers[j] is not None or after in LEADS_ON or s.before(i) in ("a", "an")
    if not says and after not in PARTS and after not in WEEKDAYS and after not in WEEKDAY_PLURALS:
        return None
    frequency, interval = REPEATERS[s.words[i]]
    base = Pattern(frequency, interval)
    return _on(s, base, j)


LEADS_ON = frozenset("at on in from starting until till and for between before after by except please every beginning".split())


def _on(s: Sentence, base: Pattern, j: int) -> tuple[Pattern, int]:
    """What the recurrence falls on: "weekly on Mondays", "every month on the 1st"."""
    k = j + 1 if s.words[j] == "on" else j
    if base.frequency in ("WEEKLY", "DAILY") and (s.words[k] in WEEKDAYS or s.words[k] in WEEKDAY_PLURALS):
        days, end = _listed(s, k, WEEKDAY_PLURALS | WEEKDAYS)
        return base._replace(frequency="WEEKLY", weekdays=days), end
    if base.frequency == "MONTHLY":
        nth = _nth_weekday(s, k)
        if nth:
            return base._replace(nth=nth[0][0], weekdays=(nth[0][1],)), nth[1]
        days, end = _monthdays(s, k)
        if days:
            return base._replace(monthdays=days), end
    if base.frequency == "YEARLY" and k > j and (day := day_month(s, k) or month_day(s, k)):
        start = day[0].start
        return base._replace(month=start.month, monthdays=(start.day,)), day[1]
    return base, j


def _monthdays(s: Sentence, i: int) -> tuple[tuple[int, ...], int]:
    """ "the 1st and 15th", "the last day"."""
    j = i + 1 if s.words[i] == "the" else i
    if s.words[j] == "last" and s.words[j + 1] == "day":
        return (-1,), j + 2
    found: list[int] = []
    end = i
    while (number := ordinal(s, j)) and 1 <= number[0] <= 31 and s.words[number[1]] not in WEEKDAYS:
        found.append(number[0])
        end = number[1]
        j = end
        while s.words[j] in (",", "and", "the", "&"):
            j += 1
    return tuple(sorted(set(found))), end


def _nth_weekday(s: Sentence, i: int) -> Match[tuple[int, int]]:
    j = i + 1 if s.words[i] == "the" else i
    number = (-1, j + 1) if s.words[j] == "last" else ordinal(s, j)
    if not number or not (number[0] == -1 or 1 <= number[0] <= 5) or s.words[number[1]] not in WEEKDAYS:
        return None
    return (number[0], WEEKDAYS[s.words[number[1]]]), number[1] + 1


def _nth_of_month(s: Sentence, i: int) -> Match[Pattern]:
    """ "the first Monday of the month", "the 15th of every month"."""
    nth = _nth_weekday(s, i)
    if nth and (j := _monthly_tail(s, nth[1])):
        return Pattern("MONTHLY", nth=nth[0][0], weekdays=(nth[0][1],)), j
    days, end = _monthdays(s, i) if s.words[i] == "the" or ordinal(s, i) else ((), i)
    if days and (j := _monthly_tail(s, end)) and s.words[j - 2] != "the":
        return Pattern("MONTHLY", monthdays=days), j
    return None


def _monthly_tail(s: Sentence, i: int) -> int:
    for tail in MONTHLY_TAILS:
        if tuple(s.words[i : i + len(tail)]) == tail:
            return i + len(tail)
    return 0


def _every(s: Sentence, i: int) -> Match[Pattern]:
    word = s.words[i]
    if word in WORKDAY_WORDS or (word in ("business", "working") and s.words[i + 1] == "day"):
        return Pattern("WEEKLY", weekdays=WORKWEEK), i + (1 if word in WORKDAY_WORDS else 2)
    if word in PARTS:
        return Pattern("DAILY", part=word), i + 1
    if word in WEEKDAYS or word in WEEKDAY_PLURALS:
        days, j = _listed(s, i, WEEKDAY_PLURALS | WEEKDAYS)
        return Pattern("WEEKLY", weekdays=days), j
    if word == "weekend":
        return Pattern("WEEKLY", weekdays=(5, 6)), i + 1
    return _every_nth(s, i) or _every_unit(s, i) or _every_date(s, i)


def _every_nth(s: Sentence, i: int) -> Match[Pattern]:
    """ "every first Monday", "every last Friday of the month", "every 15th"; "every second Tuesday" is every other one."""
    nth = _nth_weekday(s, i)
    if nth and (s.words[i] != "second" or _monthly_tail(s, nth[1])):
        return Pattern("MONTHLY", nth=nth[0][0], weekdays=(nth[0][1],)), _monthly_tail(s, nth[1]) or nth[1]
    days, end = _monthdays(s, i)
    if days and s.words[end] not in UNITS and not month_name(s, end) and not (s.words[end] == "of" and month_name(s, end + 1)):
        return Pattern("MONTHLY", monthdays=days), _monthly_tail(s, end) or end
    return None


def _every_unit(s: Sentence, i: int) -> Match[Pattern]:
    """ "every day", "every 2 weeks", "every other Tuesday", "every third month"."""
    if s.words[i] in ("other", "second"):
        number = (2, i + 1)
    elif s.words[i] == "single":
        number = (1, i + 1)
    else:
        number = cardinal(s, i) or ordinal(s, i) or (1, i)
    count, j = number
    if not 1 <= count <= 99:
        return None
    if s.words[j] in WEEKDAYS and j > i:
        days, end = _listed(s, j, WEEKDAYS)
        return Pattern("WEEKLY", count, weekdays=days), end
    unit = FREQUENCIES.get(UNITS.get(s.words[j], ""))
    if not unit or s.words[j] == "night":
        return (Pattern("DAILY", part="night"), j + 1) if s.words[j] == "night" else None
    return _on(s, Pattern(unit[0], unit[1] * count), j + 1)


def _every_date(s: Sentence, i: int) -> Match[Pattern]:
    """ "every 26 November", "every December"."""
    found = day_month(s, i) or month_day(s, i)
    if found:
        return Pattern("YEARLY", month=found[0].start.month, monthdays=(found[0].start.day,)), found[1]
    named = month_name(s, i)
    return (Pattern("YEARLY", month=named[0], monthdays=(1,)), named[1]) if named and s.words[i] != "may" else None
