"""Single days by number or by name: "26 Nov 2026", "5/12", "the 5th", "Thursday", "tomorrow"."""

from datetime import date, timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.clocks import countable
from assistant.reasoning.offline.dates.lexicon import (
    DASHES,
    DAY_LEADS,
    DOUBTFUL_MONTHS,
    DOUBTFUL_WEEKDAYS,
    LAST,
    MONTH_LEADS,
    MONTHS,
    NEXT,
    NOT_AFTER_DAY,
    NOT_AFTER_HOUR,
    NUMBERED_THINGS,
    ORDINALS,
    RELATIVE_DAYS,
    SLASH_FRACTIONS,
    WEEKDAYS,
)
from assistant.reasoning.offline.dates.nodes import Days, Match
from assistant.reasoning.offline.dates.numbers import cardinal, ordinal, year
from assistant.reasoning.offline.dates.tokens import Sentence

MONTH_FIRST_ZONES = (
    "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Phoenix", "America/Detroit",
    "America/Anchorage", "America/Boise", "America/Indiana/", "America/Kentucky/", "Pacific/Honolulu", "US/",
)  # fmt: skip
"""Where 5/12 is the 12th of May."""
SEPARATORS = frozenset("-/.")
OPENERS = frozenset("(\"'[“\u2018=<>~\u2013:@")
MERIDIEMS = frozenset({"am", "pm"})


def yearless(s: Sentence, month: int, number: int) -> Days | None:
    """The nearest such day, ahead or (looking back) behind; a 29 February waits for its leap year."""
    step = -1 if s.past else 1
    for n in range(9):
        found = calendar.valid(s.today.year + step * n, month, number)
        if found and (found <= s.today if s.past else found >= s.today):
            return calendar.day(found)._replace(guess="year")
    return None


def _dated(s: Sentence, y: int | None, month: int, number: int) -> Days | None:
    if y is None:
        return yearless(s, month, number)
    found = calendar.valid(y, month, number)
    return calendar.day(found) if found else None


def numeric(s: Sentence, i: int) -> Match[Days]:
    """ISO, 26/11/2026, 26.11., 5-Aug-2026, 20261126."""
    first = s.numbers[i]
    if (
        first is None
        or s.before(i) in NUMBERED_THINGS
        or (s.glued(i) and s.before(i) not in OPENERS and s.before(i) not in SEPARATORS)
    ):
        return None
    separator = s.words[i + 1]
    if separator not in SEPARATORS or not s.glued(i + 1) or not s.glued(i + 2):
        return _compact(s, i) or _spaced(s, i)
    second = MONTHS.get(s.words[i + 2]) or s.numbers[i + 2]
    if second is None:
        return None
    third = s.numbers[i + 4] if s.words[i + 3] == separator and s.glued(i + 3) and s.glued(i + 4) else None
    if third is not None:
        return _three(s, i, separator, (first, second, third))
    if s.words[i + 3] == separator and s.words[i + 4] in MONTHS and s.glued(i + 3) and s.glued(i + 4):
        return _month_last(s, i)
    if s.glued(i) and s.before(i) in SEPARATORS and not (s.before(i) == "-" and separator == "/"):
        return None
    return _two(s, i, separator, (first, second))


def _three(s: Sentence, i: int, separator: str, parts: tuple[int, int, int]) -> Match[Days]:
    a, b, c = parts
    j = i + 5
    if s.words[j] == separator and s.glued(j) and s.numbers[j + 1] is not None:
        return None
    if s.glued(i) and s.before(i) == separator and (separator != "-" or (i > 1 and s.numbers[i - 2] is not None)):
        return None
    if len(s.raw[i]) == 4:
        found = calendar.valid(a, b, c)
        return (calendar.day(found), j) if found else None
    if len(s.raw[i + 4]) not in (2, 4):
        return None
    y = c if len(s.raw[i + 4]) == 4 else (2000 if c < 70 else 1900) + c
    month, number = _ordered(s, separator, a, b, named=s.words[i + 2] in MONTHS)
    found = calendar.valid(y, month, number)
    return (calendar.day(found), j) if found else None


def _month_last(s: Sentence, i: int) -> Match[Days]:
    """ "2026/23/Sep", "23-2026-September"."""
    numbers = [(s.raw[j], s.numbers[j] or 0) for j in (i, i + 2)]
    years = [number for raw, number in numbers if len(raw) == 4]
    days = [number for raw, number in numbers if len(raw) <= 2]
    found = calendar.valid(years[0], MONTHS[s.words[i + 4]], days[0]) if years and days else None
    return (calendar.day(found), i + 5) if found else None


def _spaced(s: Sentence, i: int) -> Match[Days]:
    """ "2026 10 16"."""
    month, number = s.numbers[i + 1], s.numbers[i + 2]
    sizes = [len(raw) for raw in s.raw[i : i + 3]]
    if sizes != [4, 2, 2] or month is None or number is None or s.words[i + 3] in (":", "h", "%"):
        return None
    found = calendar.valid(s.numbers[i] or 0, month, number) if 1900 <= (s.numbers[i] or 0) < 2200 else None
    return (calendar.day(found), i + 3) if found else None


def _ordered(s: Sentence, separator: str, a: int, b: int, *, named: bool = False) -> tuple[int, int]:
    """(month, day) of two numbers."""
    if named or a > 12:
        return b, a
    if b > 12:
        return a, b
    day_first = s.day_first if s.day_first is not None else separator == "." or not s.zone.key.startswith(MONTH_FIRST_ZONES)
    return (b, a) if day_first else (a, b)


def _two(s: Sentence, i: int, separator: str, parts: tuple[int, int]) -> Match[Days]:
    a, b = parts
    j = i + 3
    lead, named = s.before(i), s.words[i + 2] in MONTHS
    sure = lead in DAY_LEADS or lead in WEEKDAYS or lead in ("this", "next", ",")
    after_weekday = lead in WEEKDAYS or (lead in (",", ".", "(") and s.words[i - 2 if i > 1 else i] in WEEKDAYS)
    if named:
        found = yearless(s, b, a)
        return (found, j) if found else None
    if separator in "-/" and len(s.raw[i]) == 4 and calendar.valid(a, b, 1) and 1900 <= a < 2200:
        return calendar.month(a, b), j
    if separator in "-/" and len(s.raw[i + 2]) == 4 and calendar.valid(b, a, 1) and 1900 <= b < 2200:
        return calendar.month(b, a), j
    if max(len(s.raw[i]), len(s.raw[i + 2])) > 2 or (s.words[j] in ("/", "%", ":") and s.glued(j)):
        return None
    if s.words[j] == "." and s.glued(j) and s.glued(j + 1) and s.numbers[j + 1] is not None:
        return None
    if separator == "/" and (a, b) in SLASH_FRACTIONS and (not sure or (a, b) in ((24, 7), (7, 24))):
        return None
    if separator == ".":
        closed = s.words[j] == "." and s.glued(j)
        sure = sure or (closed and lead in DASHES and i > 1 and s.words[i - 2] == ".")
        whole = len(s.raw[i]) == len(s.raw[i + 2]) == 2
        if not (after_weekday or (sure and lead != ",") or (closed and len(s.raw[i + 2]) == 2 and (whole or j + 1 < s.size))):
            return None
        if closed and (whole or j + 1 < s.size):
            j += 1
            found = yearless(s, b, a)
            return (found, j) if found else None
    month, number = _ordered(s, separator, a, b)
    found = yearless(s, month, number)
    if separator == "-":  # 2-4 are hours, unless that date soon falls on the day said before it
        said = WEEKDAYS.get(lead if lead in WEEKDAYS else s.words[i - 2]) if after_weekday else None
        soon = found and found.start.weekday() == said and abs((found.start - s.today).days) <= 31
        return (found, j) if found and soon else None
    return (found, j) if found else None


def _compact(s: Sentence, i: int) -> Match[Days]:
    number = s.numbers[i]
    if number is None or len(s.raw[i]) != 8 or not 1900_00_00 < number < 2200_00_00:
        return None
    found = calendar.valid(number // 10000, number // 100 % 100, number % 100)
    return (calendar.day(found), i + 1) if found else None


def month_name(s: Sentence, i: int) -> Match[int]:
    number = MONTHS.get(s.words[i])
    if number is None:
        return None
    short = len(s.words[i]) <= 4 and s.words[i] not in ("may", "june", "july")
    return number, i + 2 if short and s.words[i + 1] == "." and s.glued(i + 1) and i + 2 < s.size else i + 1


def _day_number(s: Sentence, i: int) -> Match[int]:
    found = ordinal(s, i)
    if not found:
        found = cardinal(s, i)
        if not found or (s.numbers[i] is not None and len(s.raw[i]) > 2):
            return None
    return found if 1 <= found[0] <= 31 else None


def _year_tail(s: Sentence, i: int) -> Match[int]:
    """ ", 2026", "of 2026", "in 2026", "'26", " 2026"."""
    j = i + 1 if s.words[i] in (",", "of", "in", "/", "-") else i
    if s.words[j] in ("'", "\u2019") and s.glued(j + 1):
        return year(s, j + 1, short=True)
    if s.words[i] == "of" and s.numbers[j] is not None and s.words[j + 1] not in (":", ".", "-"):
        return year(s, j, short=True)
    found = year(s, j)
    return found if found and not (s.words[found[1]] in (":", "h") and s.glued(found[1])) else None


def day_month(s: Sentence, i: int) -> Match[Days]:
    """ "26 Nov", "the 26th of November 2026", "first of May"."""
    j = i + 1 if s.words[i] == "the" else i
    number = _day_number(s, j)
    if not number or (s.glued(j) and s.before(j) in (".", ",") and j > 1 and s.numbers[j - 2] is not None):
        return None
    k = number[1]
    if s.words[k] in ("of", "-", ".", ","):
        if s.words[k] == "," and s.numbers[j] is not None:
            return None
        k += 1
    named = month_name(s, k)
    if not named:
        return None
    if s.words[k] == "may" and s.words[k - 1] != "of" and s.words[k + 1] in ("i", "you", "we", "be", "not", "have"):
        return None
    tail = _year_tail(s, named[1])
    found = _dated(s, tail[0] if tail else None, named[0], number[0])
    return (found, tail[1] if tail else named[1]) if found else None


def month_day(s: Sentence, i: int) -> Match[Days]:
    """ "Nov 26", "November the 26th, 2026", "Oct/2"."""
    named = month_name(s, i)
    if not named:
        return None
    j = named[1]
    if s.words[j] in ("the", ",", "/", "-") and (s.words[j] in ("the", ",") or s.glued(j)):
        comma = s.words[j] == ","
        j += 1
        if s.words[j] == "the":
            j += 1
        if comma and not ordinal(s, j):
            return None
    number = _day_number(s, j)
    if not number or _is_hour(s, number[1]) or (s.words[i] == "may" and not s.capital(i) and s.words[number[1]] in NOT_AFTER_HOUR):
        return None
    tail = _year_tail(s, number[1])
    if not tail and s.words[number[1]] == "-" and s.glued(number[1]):
        tail = year(s, number[1] + 1)
    found = _dated(s, tail[0] if tail else None, named[0], number[0])
    return (found, tail[1] if tail else number[1]) if found else None


def _is_hour(s: Sentence, j: int) -> bool:
    """The number before token j is an hour or a decimal."""
    return s.words[j] in MERIDIEMS or (s.words[j] in (":", "/") and s.glued(j) and s.numbers[j + 1] is not None)


def month_alone(s: Sentence, i: int) -> Match[Days]:
    """ "November", "Dec 2026", "2026 april". Names that mean something else need a word before them that leads to a month."""
    if s.numbers[i] is not None:
        before = year(s, i)
        named = month_name(s, before[1]) if before else None
        return (calendar.month(before[0], named[0]), named[1]) if before and named else None
    named = month_name(s, i)
    if not named:
        return None
    tail = _year_tail(s, named[1])
    if tail:
        return calendar.month(tail[0], named[0]), tail[1]
    if s.words[i] in DOUBTFUL_MONTHS and s.before(i) not in MONTH_LEADS:
        return None
    if s.words[i] in ("march", "may") and s.before(i) in ("to", "and", "this", "through") and not s.capital(i):
        return None
    return this_month(s, named[0]), named[1]


def this_month(s: Sentence, number: int) -> Days:
    """The month of that name that is not over yet (looking back: that has begun)."""
    found = calendar.month(s.today.year, number)
    if s.past:
        found = found if found.start <= s.today else calendar.month(s.today.year - 1, number)
    elif found.stop <= s.today:
        found = calendar.month(s.today.year + 1, number)
    return found._replace(guess="year")


def numbered(s: Sentence, i: int) -> Match[Days]:
    """ "the 5th": the next such day. The 1st to the 3rd, and ordinals in words, need a word before them that leads to a day."""
    j = i + 1 if s.words[i] == "the" else i
    found, lead = ordinal(s, j), s.before(i)
    if not found and j > i and s.numbers[j] is not None and lead in ("on", "by", "until", "from", "till") and countable(s, j + 1):
        found = s.numbers[j] or 0, j + 1
    if not found or not 1 <= found[0] <= 31 or (j == i and lead not in WEEKDAYS and lead not in ("from", "between", ",", "on")):
        return None
    number, k = found
    if j == i and lead == "," and s.words[max(0, i - 2)] not in WEEKDAYS:
        return None
    if (
        s.words[k] in NOT_AFTER_DAY
        or s.words[k] in WEEKDAYS
        or s.words[k].rstrip("s") in NOT_AFTER_DAY
        or (s.words[k] in ("and", "or", "-") and s.numbers[j] is None)
    ):
        return None
    if (number <= 3 or s.words[j] in ORDINALS) and (lead not in DAY_LEADS or lead == "for") and lead not in WEEKDAYS:
        return None
    if s.words[k] and s.words[k].isalpha() and s.capital(k) and s.words[k] not in WEEKDAYS:
        return None
    month = day_of_month(s, number, s.today)
    return (month, k) if month else None


def day_of_month(s: Sentence, number: int, anchor: date) -> Days | None:
    """The nearest day of that number, the anchor's own included."""
    for n in range(3):
        first = calendar.add_months(anchor.replace(day=1), -n if s.past else n)
        found = calendar.valid(first.year, first.month, number)
        if found and (found <= anchor if s.past else found >= anchor):
            return calendar.day(found)._replace(guess="month")
    return None


def weekday(s: Sentence, i: int) -> Match[Days]:
    """ "Thursday", "next Tuesday", "this past Friday", "Friday week"."""
    j = i + 1 if s.words[i] == "the" and (s.words[i + 1] in NEXT or s.words[i + 1] in LAST) else i
    lead = ""
    if s.words[j] in ("this", "that") or s.words[j] in NEXT or s.words[j] in LAST:
        lead, j = s.words[j], j + 1
        if lead == "this" and (s.words[j] in NEXT or s.words[j] in LAST):
            lead, j = "recent" if s.words[j] in LAST else "this", j + 1
    number = WEEKDAYS.get(s.words[j])
    if number is None or (not lead and s.words[j] in DOUBTFUL_WEEKDAYS and not _meant(s, j)):
        return None
    k = j + 2 if s.words[j + 1] == "." and len(s.words[j]) <= 5 and s.glued(j + 1) and j + 2 < s.size else j + 1
    found = _weekday(s, lead, number)
    if s.words[k] in ("week", "fortnight") and s.words[k + 1] not in ("of", "after", "before") and not lead:
        return calendar.day(found.start + timedelta(7 if s.words[k] == "week" else 14)), k + 1
    return found, k


def _meant(s: Sentence, i: int) -> bool:
    """ "Sun" and "sat" are days after a word that leads to one, or when written large before a date, a time or a full stop."""
    lead, after = s.before(i), s.words[i + 1]
    if lead in DAY_LEADS or lead in ("or", ",", "every", "each", "week", "/", "&", "-", "\u2013"):
        return True
    timely = not after or not after.isalnum() or s.numbers[i + 1] is not None or after in MONTHS or after in ("the", "to")
    at = after in ("at", "from", "morning", "afternoon", "evening", "night", "and", "or", "between", "next", "before", "after")
    return lead != "the" and (s.capital(i) and (timely or at))


def _weekday(s: Sentence, lead: str, number: int) -> Days:
    this = calendar.monday(s.today) + timedelta(number)
    if lead in NEXT and lead in ("next", "following"):
        return calendar.day(this + timedelta(7))
    if lead == "recent" or lead == "past":
        return calendar.day(calendar.on_or_before(s.today - timedelta(1), number))
    if lead in LAST:
        return calendar.day(this - timedelta(7))
    if lead in ("this", "that", "coming", "upcoming"):
        late = this < s.today and not s.past
        return calendar.day(this + timedelta(7) if late else this)
    if s.past:
        found = calendar.on_or_before(s.today - timedelta(1), number)
    else:
        found = calendar.on_or_after(s.today + timedelta(1), number)
    return calendar.day(found)._replace(guess="week", weekday=number)


def _names_more(s: Sentence, i: int) -> bool:
    """A noun or a number follows: "tomorrow week 42", "today week by week"."""
    return s.numbers[i] is not None or (s.words[i].isalpha() and s.words[i] not in WEEK_TAILS)


WEEK_TAILS = frozenset("at from with for in and or please between before after until morning afternoon evening about".split())


def relative(s: Sentence, i: int) -> Match[Days]:
    """ "today", "the day after tomorrow", "the day before"."""
    if s.words[i] in RELATIVE_DAYS:
        days = RELATIVE_DAYS[s.words[i]]
        week = s.words[i + 1] in ("week", "fortnight") and days >= 0 and not _names_more(s, i + 2)
        further = (7 if s.words[i + 1] == "week" else 14) if week else 0
        return calendar.day(s.today + timedelta(days + further)), i + 1 + week
    j = i + 1 if s.words[i] == "the" else i
    if s.words[j] != "day" or s.words[j + 1] not in ("after", "before") or (j > 0 and s.words[j - 1] in ("a", "per")):
        return None
    sign = 1 if s.words[j + 1] == "after" else -1
    base = RELATIVE_DAYS.get(s.words[j + 2])
    if base is not None:
        return calendar.day(s.today + timedelta(base + sign)), j + 3
    alone = j > i and not s.words[j + 2].isalnum() and s.words[j + 2] not in ("'", "(")
    return (calendar.day(s.today + timedelta(sign)), j + 2) if alone else None
