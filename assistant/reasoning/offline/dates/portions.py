"""Parts of a period: its beginning and end, its second half, its first Monday, its third week."""

from datetime import date, timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.lengths import of_unit
from assistant.reasoning.offline.dates.lexicon import EDGES, UNITS, WEEKDAYS
from assistant.reasoning.offline.dates.nodes import Days, Edge, Match
from assistant.reasoning.offline.dates.numbers import cardinal, ordinal, year
from assistant.reasoning.offline.dates.periods import any_period, around, whole_year_after_of
from assistant.reasoning.offline.dates.tokens import Sentence


def edge(s: Sentence, i: int) -> Match[Days]:
    """ "the end of the month", "mid-December", "early next week", "the rest of the week", "later this month"."""
    j = i + 1 if s.words[i] == "the" else i
    word = s.words[j]
    if word in ("eom", "eoy", "eow"):
        span = around(s.today, {"eom": "month", "eoy": "year", "eow": "week"}[word])
        return cut(span, "late"), j + 1
    if word in ("rest", "remainder", "remaining", "remains") and s.words[j + 1] == "of":
        found = any_period(s, j + 2)
        return (Days(s.today, found[0].stop, "span"), found[1]) if found and found[0].start <= s.today < found[0].stop else None
    if word in ("later", "earlier"):
        return _later(s, j)
    which = EDGES.get(word)
    if which is None:
        return None
    k = j + 1
    if s.words[k] in ("of", "-") or (s.words[k] == "in" and word in ("early", "late")):
        k += 1
    found = any_period(s, k) or whole_year_after_of(s, k)
    if not found or found[0].grain == "day":
        return None
    return cut(found[0], which), found[1]


def _later(s: Sentence, i: int) -> Match[Days]:
    found = any_period(s, i + 2 if s.words[i + 1] == "in" else i + 1)
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
    span = any_period(s, after) or whole_year_after_of(s, after)
    if not span:
        return None
    found = _pick(span[0], what, n, count)
    return (found, span[1]) if found else None


def _nth_of_month(s: Sentence, n: int, i: int) -> Match[Days]:
    """ "the 5th of next month"; of "the month" it is the next one to come."""
    span = any_period(s, i)
    if not span or span[0].grain != "month":
        return None
    found = calendar.valid(span[0].start.year, span[0].start.month, n)
    if found and found < s.today and s.words[i] == "the" and not s.past:
        found = calendar.add_months(found, 1)
    return (calendar.day(found), span[1]) if found else None


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
