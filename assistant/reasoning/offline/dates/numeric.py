"""Days in figures: 5/12, 5.12.2026, 2026-12-05, in the order of the zone."""

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.lexicon import DASHES, DAY_LEADS, MONTHS, NUMBERED_THINGS, SLASH_FRACTIONS, WEEKDAYS
from assistant.reasoning.offline.dates.nodes import Days, Match
from assistant.reasoning.offline.dates.tokens import Sentence

MONTH_FIRST_ZONES = (
    "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Phoenix", "America/Detroit",
    "America/Anchorage", "America/Boise", "America/Indiana/", "America/Kentucky/", "Pacific/Honolulu", "US/",
)  # fmt: skip
"""Where 5/12 is the 12th of May."""
SEPARATORS = frozenset("-/.")
OPENERS = frozenset("(\"'[“\u2018=<>~\u2013:@")
MERIDIEMS = frozenset({"am", "pm"})


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


def yearless(s: Sentence, month: int, number: int) -> Days | None:
    """The nearest such day, ahead or (looking back) behind; a 29 February waits for its leap year."""
    step = -1 if s.past else 1
    for n in range(9):
        found = calendar.valid(s.today.year + step * n, month, number)
        if found and (found <= s.today if s.past else found >= s.today):
            return calendar.day(found)._replace(guess="year")
    return None


def dated(s: Sentence, y: int | None, month: int, number: int) -> Days | None:
    if y is None:
        return yearless(s, month, number)
    found = calendar.valid(y, month, number)
    return calendar.day(found) if found else None


def month_name(s: Sentence, i: int) -> Match[int]:
    number = MONTHS.get(s.words[i])
    if number is None:
        return None
    short = len(s.words[i]) <= 4 and s.words[i] not in ("may", "june", "july")
    return number, i + 2 if short and s.words[i + 1] == "." and s.glued(i + 1) and i + 2 < s.size else i + 1
