"""Weeks, weekends, months, quarters, years and parts of them."""

from datetime import date, timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.days import month_alone, this_month
from assistant.reasoning.offline.dates.lengths import of_unit
from assistant.reasoning.offline.dates.lexicon import (
    EDGES,
    LAST,
    MONTHS,
    NEXT,
    ROLLING,
    UNITS,
    WEEKDAYS,
)
from assistant.reasoning.offline.dates.nodes import Days, Edge, Match
from assistant.reasoning.offline.dates.numbers import cardinal, ordinal, year
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


def edge(s: Sentence, i: int) -> Match[Days]:
    """ "the end of the month", "mid-December", "early next week", "the rest of the week", "later this month"."""
    j = i + 1 if s.words[i] == "the" else i
    word = s.words[j]
    if word in ("eom", "eoy", "eow"):
        span = around(s.today, {"eom": "month", "eoy": "year", "eow": "week"}[word])
        return cut(span, "late"), j + 1
    if word in ("rest", "remainder", "remaining", "remains") and s.words[j + 1] == "of":
        found = _any_period(s, j + 2)
        return (Days(s.today, found[0].stop, "span"), found[1]) if found and found[0].start <= s.today < found[0].stop else None
    if word in ("later", "earlier"):
        return _later(s, j)
    which = EDGES.get(word)
    if which is None:
        return None
    k = j + 1
    if s.words[k] in ("of", "-") or (s.words[k] == "in" and word in ("early", "late")):
        k += 1
    found = _any_period(s, k) or whole_year_after_of(s, k)
    if not found or found[0].grain == "day":
        return None
    return cut(found[0], which), found[1]


def _any_period(s: Sentence, i: int) -> Match[Days]:
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


def _later(s: Sentence, i: int) -> Match[Days]:
    found = _any_period(s, i + 2 if s.words[i + 1] == "in" else i + 1)
    if not found:
        return None
    span, k = found
    if s.words[i] == "earlier":
        middle = min(s.today, halfway(span)) if s.today > span.start else halfway(span)
        return Days(span.start, middle, "span"), k
    start = max(s.today, halfway(span)) if s.today < span.stop else halfway(span)
    return Days(start, span.stop, "span"), k


def halfway(span: Days) -> date:
    """Where the later part begins: a week's Thursday, a month's 16th, a year's July."""
    match span.grain:
        case "week":
            return span.start + timedelta(3)
        case "month":
            return span.start.replace(day=16)
        case "year":
            return span.start.replace(month=7)
        case _:
            return span.start + (span.stop - span.start) / 2


def cut(span: Days, which: Edge) -> Days:
    """The first, middle or last third of a period, as people count it: a month's at the 11th and 21st, a week's Mon to Wed."""
    if span.grain == "week":
        first, last = span.start + timedelta(2), span.start + timedelta(3)
        borders = {
            "early": (span.start, first),
            "mid": (span.start + timedelta(1), span.start + timedelta(4)),
            "late": (last, span.stop),
        }
    elif span.grain == "month":
        borders = {
            "early": (span.start, span.start.replace(day=11)),
            "mid": (span.start.replace(day=10), span.start.replace(day=21)),
            "late": (span.start.replace(day=21), span.stop),
        }
    elif span.grain == "year":
        spring, autumn = span.start.replace(month=5), span.start.replace(month=9)
        borders = {"early": (span.start, spring), "mid": (spring, autumn), "late": (autumn, span.stop)}
    else:
        third = (span.stop - span.start) / 3
        borders = {
            "early": (span.start, span.start + third),
            "mid": (span.start + third, span.stop - third),
            "late": (span.stop - third, span.stop),
        }
    start, stop = borders[which]
    return Days(start, stop, "span", edge=which)


def nth(s: Sentence, i: int) -> Match[Days]:
    """ "the first Monday of December", "the last 3 weeks of this year", "the 2nd week of May", "the last day of the month"."""
    j = i + 1 if s.words[i] == "the" else i
    n, k = (-1, j + 1) if s.words[j] == "last" else ordinal(s, j) or (0, 0)
    if not n:
        return None
    if s.words[k] == "of" and n > 0:
        return _nth_of_month(s, n, k + 1)
    many = cardinal(s, k) if n in (1, -1) else None
    count, k = many or (1, k)
    what = s.words[k]
    after = k + 2 if s.words[k + 1] in ("of", "in") else k + 1
    if (what not in WEEKDAYS and what not in UNITS) or after == k + 1 or not count:
        return None
    span = _any_period(s, after) or whole_year_after_of(s, after)
    if not span:
        return None
    found = _pick(span[0], what, n, count)
    return (found, span[1]) if found else None


def _nth_of_month(s: Sentence, n: int, i: int) -> Match[Days]:
    """ "the 5th of next month"; of "the month" it is the next one to come."""
    span = _any_period(s, i)
    if not span or span[0].grain != "month":
        return None
    found = calendar.valid(span[0].start.year, span[0].start.month, n)
    if found and found < s.today and s.words[i] == "the" and not s.past:
        found = calendar.add_months(found, 1)
    return (calendar.day(found), span[1]) if found else None


def whole_year_after_of(s: Sentence, i: int) -> Match[Days]:
    found = year(s, i)
    return (calendar.year(found[0]), found[1]) if found else None


def _pick(span: Days, what: str, n: int, count: int) -> Days | None:
    if what in WEEKDAYS:
        chosen = calendar.nth_weekday(span, WEEKDAYS[what], n)
        return calendar.day(chosen) if chosen and span.start <= chosen < span.stop else None
    unit = UNITS[what]
    size = of_unit(unit)
    if unit == "week":
        return _weeks(span, n, count)
    if unit == "weekend":
        saturday = calendar.nth_weekday(span, 5, n)
        return calendar.weekend(saturday) if saturday else None
    if not size.days and not size.months:
        return None
    if n == -1:
        start = calendar.shift(span.stop, size, -count)
        stop = span.stop
    else:
        start = span.start
        for _ in range(n - 1):
            start = calendar.shift(start, size)
        stop = start
        for _ in range(count):
            stop = calendar.shift(stop, size)
    if start < span.start or stop > span.stop:
        return None
    return calendar.day(start) if unit == "day" and count == 1 else Days(start, stop, "span")


def _weeks(span: Days, n: int, count: int) -> Days | None:
    """A week belongs to the month or year that holds its Thursday."""
    first = calendar.monday(calendar.on_or_after(span.start, 3))
    last = calendar.monday(calendar.on_or_before(span.stop - timedelta(1), 3))
    start = last - timedelta(7 * (count - 1)) if n == -1 else first + timedelta(7 * (n - 1))
    return Days(start, start + timedelta(7 * count), "week" if count == 1 else "span") if start <= last else None


def numbered_week(s: Sentence, i: int) -> Match[Days]:
    """ "week 42", "CW 7 of 2027", "KW 51"."""
    j = i + 1 if s.words[i] == "the" else i
    if s.words[j] == "calendar" and s.words[j + 1] == "week":
        j += 1
    number = s.numbers[j + 1]
    if s.words[j] not in ("week", "cw", "kw", "wk") or number is None or not 1 <= number <= 53:
        return None
    k = j + 2
    named = year(s, k + 1 if s.words[k] in ("of", "in", ",") else k)
    chosen = named[0] if named else s.today.year
    try:
        start = date.fromisocalendar(chosen, number, 1)
    except ValueError:
        return None
    return calendar.week(start), named[1] if named else k
