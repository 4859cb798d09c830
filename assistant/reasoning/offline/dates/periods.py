"""Weeks, weekends, months, quarters and years."""

from datetime import date, timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.days import month_alone, this_month
from assistant.reasoning.offline.dates.lengths import of_unit
from assistant.reasoning.offline.dates.lexicon import LAST, MONTHS, NEXT, ROLLING, UNITS
from assistant.reasoning.offline.dates.nodes import Days, Match
from assistant.reasoning.offline.dates.numbers import year
from assistant.reasoning.offline.dates.tokens import Sentence

SPANS = frozenset({"day", "week", "weekend", "fortnight", "month", "quarter", "year"})
PLURALS = frozenset({"weeks", "days", "months", "years", "weekends", "quarters", "fortnights"})


def around(when: date, unit: str) -> Days:
    """The calendar's week, month, … that holds a day."""
    match unit:
        case "week":
            return calendar.week(when)
        case "weekend":
            return calendar.weekend(when)
        case "fortnight":
            return calendar.week(when)._replace(stop=calendar.monday(when) + timedelta(14), grain="span")
        case "month":
            return calendar.month(when.year, when.month)
        case "quarter":
            return calendar.quarter(when)
        case "year":
            return calendar.year(when.year)
        case _:
            return calendar.day(when)


def away(s: Sentence, unit: str, steps: int) -> Days:
    """This period (0), the next (1), the last (-1)."""
    here = around(s.today, unit)
    if unit == "weekend":
        return calendar.weekend(here.start + timedelta(7 * steps))
    return around(calendar.shift(here.start, of_unit(unit), steps), unit)


def period(s: Sentence, i: int) -> Match[Days]:
    """ "next week", "the month", "this quarter", "December", "2027", "Q3", "the week after next"."""
    found = _named_unit(s, i) or _quarter(s, i) or month_of(s, i) or month_alone(s, i)
    other = whole_year(s, i)
    return other if other and (not found or other[1] > found[1]) else found


def _named_unit(s: Sentence, i: int) -> Match[Days]:
    if s.words[i] == "my" and s.words[i + 1] in ("day", "week") and s.words[i + 2] not in ("off", "job", "of", "trip"):
        return away(s, s.words[i + 1], 0), i + 2
    j = i + 1 if s.words[i] == "the" else i
    lead, k = s.words[j], j + 1
    if lead == "this" and (s.words[k] in NEXT or s.words[k] in LAST):
        lead, k = s.words[k], k + 1
    steps = 0 if lead in ("this", "that", "current") else 1 if lead in NEXT else -1 if lead in LAST else None
    if steps is None:
        return _after_next(s, i)
    if s.words[k] in ("working", "work") and s.words[k + 1] == "week":
        start = away(s, "week", steps).start
        return Days(start, start + timedelta(5), "span"), k + 2
    k = k + 1 if s.words[k] == "calendar" else k
    unit = UNITS.get(s.words[k], "")
    if unit not in SPANS or s.words[k] == "night" or s.words[k] in PLURALS:
        return None
    if s.words[k + 1] == "-" and s.glued(k + 1) and s.glued(k + 2) and s.words[k + 2].isalpha():
        return None  # the name of something: "the next Year-End review"
    rolling = lead in LAST and unit in ("week", "month", "year") and (lead == "past" or (j > i and s.before(i) in ROLLING))
    ahead = (
        j > i
        and steps == 1
        and lead == "next"
        and s.before(i) in ROLLING
        and s.before(i) != "for"
        and unit in ("week", "fortnight", "month", "year")
    )
    if (rolling or ahead) and s.words[k + 1] != "of":
        return None
    return away(s, unit, steps), k + 1


LEADING = {"this": 0, "next": 1, "last": -1, "previous": -1, "following": 1}


def half_named(s: Sentence, i: int, unit: str) -> Days | None:
    """The "this" of "this or next week", the "next" of "this week or next"."""
    steps = LEADING.get(s.words[i])
    return away(s, UNITS[unit], steps) if steps is not None and UNITS.get(unit) in SPANS and not unit.endswith("s") else None


def _after_next(s: Sentence, i: int) -> Match[Days]:
    """ "the week after next", "the weekend before last"; "the month" of "the 3rd of the month"."""
    j = i + 1 if s.words[i] == "the" else i
    unit = UNITS.get(s.words[j], "")
    if unit not in SPANS:
        return None
    if s.words[j + 1] == "after" and s.words[j + 2] in ("next", "that"):
        return away(s, unit, 2), j + 3
    if s.words[j + 1] == "before" and s.words[j + 2] == "last":
        return away(s, unit, -2), j + 3
    known = unit in ("weekend", "fortnight") or s.before(i) in ("in", "for")
    ahead = unit == "weekend" and away(s, unit, 0).start > s.today
    steps = -1 if s.past and ahead else 0
    return (away(s, unit, steps), j + 1) if j > i and known and not s.words[j].endswith("s") else None


def _quarter(s: Sentence, i: int) -> Match[Days]:
    """ "Q3", "Q3 of 2026", "2026-Q3", "H1 2027"."""
    before = year(s, i)
    j = before[1] + (s.words[before[1]] == "-") if before else i
    letter, number = s.words[j], s.numbers[j + 1]
    if letter not in ("q", "h") or number is None or not s.glued(j + 1) or not 1 <= number <= (4 if letter == "q" else 2):
        return None
    k = j + 2
    after = None if before else year(s, k + 1 if s.words[k] in ("of", "in", ",", "-") else k)
    chosen = (before or after or (s.today.year, 0))[0]
    months = 3 if letter == "q" else 6
    start = date(chosen, (number - 1) * months + 1, 1)
    span = Days(start, calendar.add_months(start, months), "span")
    if not before and not after:
        if s.past and span.start > s.today:
            span = Days(calendar.add_months(span.start, -12), calendar.add_months(span.stop, -12), "span")
        elif not s.past and span.stop <= s.today:
            span = Days(calendar.add_months(span.start, 12), calendar.add_months(span.stop, 12), "span")
    return span, after[1] if after else k


def month_of(s: Sentence, i: int) -> Match[Days]:
    """ "next March", "this September", "last November", "December of next year"."""
    lead = s.words[i]
    if lead not in NEXT and lead not in LAST and lead != "this":
        number = MONTHS.get(lead)
        if number is None or s.words[i + 1] not in ("of", "next", "last", "this"):
            return None
        span = _named_unit(s, i + 2 if s.words[i + 1] == "of" else i + 1)
        return (calendar.month(span[0].start.year, number), span[1]) if span and span[0].grain == "year" else None
    number = MONTHS.get(s.words[i + 1])
    if number is None:
        return None
    if s.words[i + 1] in ("may", "march") and s.words[i + 2] in ("be", "not", "have", "i", "well", "on", "need"):
        return None
    if lead == "this":
        return calendar.month(s.today.year, number), i + 2
    here = calendar.month(s.today.year, number)
    if lead in NEXT:
        later = here.start > s.today
        return (here if later else calendar.month(s.today.year + 1, number)), i + 2
    return (here if here.stop <= s.today else calendar.month(s.today.year - 1, number)), i + 2


def whole_year(s: Sentence, i: int) -> Match[Days]:
    """A year needs "in", "the year", or a word that opens a range before it: a year alone may count anything."""
    j = i
    if s.words[j] == "the" and s.words[j + 1] in ("year", "calendar"):
        j += 1
    j = j + 1 if s.words[j] == "calendar" else j
    if s.words[j] in ("year", "cy"):
        j = j + 2 if s.words[j + 1] == "of" else j + 1
    found = year(s, j)
    if not found or (s.glued(j) and s.before(j) not in ("-", "\u2013", "~", "(")):
        return None
    if s.words[found[1]] in ("/", ":", "%", "-") and s.glued(found[1]) and s.words[found[1]] != "-":
        return None
    if j == i and s.before(i) not in (
        "in",
        "since",
        "until",
        "till",
        "before",
        "after",
        "during",
        "from",
        "between",
        "of",
        "by",
        "through",
        "than",
    ):
        return None
    return calendar.year(found[0]), found[1]


def any_period(s: Sentence, i: int) -> Match[Days]:
    """A period right after words that can only lead to one: "end of week", "mid may"."""
    found = period(s, i)
    if found:
        return found
    number = MONTHS.get(s.words[i])
    if number is not None:
        return this_month(s, number), i + 1
    j = i + 1 if s.words[i] in ("the", "my") else i
    unit = UNITS.get(s.words[j], "")
    return (away(s, unit, 0), j + 1) if unit in ("week", "month", "quarter", "year", "weekend") else None


def whole_year_after_of(s: Sentence, i: int) -> Match[Days]:
    found = year(s, i)
    return (calendar.year(found[0]), found[1]) if found else None
