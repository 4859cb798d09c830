"""Dates and times that don't exist: 31 November, 29 February of a common year, 13/13, 25:00."""

from calendar import isleap, monthrange
from dataclasses import dataclass

from assistant.reasoning.offline.dates.lexicon import DAY_LEADS, MONTHS, NUMBERED_THINGS
from assistant.reasoning.offline.dates.numbers import ordinal, year
from assistant.reasoning.offline.dates.tokens import Sentence

LEAP = 2024
SEPARATORS = frozenset("/.-")
FULL_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Impossible:
    """Tokens `begin` up to `end`, and one sentence that says what is wrong with them."""

    begin: int
    end: int
    says: str


def impossible(s: Sentence) -> list[Impossible]:
    found: list[Impossible] = []
    i = 0
    while i < s.size:
        one = _named(s, i) or _numeric(s, i) or _clock(s, i)
        if one:
            found.append(one)
        i = one.end if one else i + 1
    return found


def _day(s: Sentence, i: int) -> tuple[int, int] | None:
    number = ordinal(s, i)
    if number is None and s.numbers[i] is not None and len(s.raw[i]) <= 2 and not s.glued(i):
        number = s.numbers[i] or 0, i + 1
    return number


def _named(s: Sentence, i: int) -> Impossible | None:
    """ "31 November", "Nov 31st", "the 30th of February 2027"."""
    day = _day(s, i)
    if day:
        month = MONTHS.get(s.words[day[1] + (s.words[day[1]] == "of")])
        end = day[1] + (s.words[day[1]] == "of") + 1
    else:
        month, day = MONTHS.get(s.words[i]), _day(s, i + 1 + (s.words[i + 1] == "the"))
        end = day[1] if day else i
        if day and (s.words[end] in (":", "am", "pm", "%") or (s.words[i] in ("may", "march") and not s.capital(i))):
            return None
    if not day or month is None or not 28 < day[0] < 100:
        return None
    named = year(s, end + (s.words[end] == ","))
    if _exists(month, day[0], named[0] if named else LEAP):
        return None
    return Impossible(i, named[1] if named else end, _no_such_day(month, day[0], named[0] if named else None))


def _exists(month: int, day: int, chosen: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= monthrange(chosen, month)[1]


def _no_such_day(month: int, day: int, chosen: int | None) -> str:
    if month == 2 and day == 29 and chosen and not isleap(chosen):
        return f"{chosen} has no 29 February."
    return f"There is no {day} {FULL_MONTHS[month - 1]}: {FULL_MONTHS[month - 1]} has {monthrange(chosen or LEAP, month)[1]} days."


def _numeric(s: Sentence, i: int) -> Impossible | None:
    """13/13/2026, 2026-02-30, "on 31/11"."""
    separator, numbers = s.words[i + 1], (s.numbers[i], s.numbers[i + 2], s.numbers[i + 4])
    a, b, c = numbers
    if a is None or b is None or separator not in SEPARATORS or not (s.glued(i + 1) and s.glued(i + 2)) or s.glued(i):
        return None
    if s.before(i) in NUMBERED_THINGS:
        return None
    three = c is not None and s.words[i + 3] == separator and s.glued(i + 3) and s.glued(i + 4)
    if three and len(s.raw[i]) == 4 and 1900 <= a < 2200:
        return None if c is None or _exists(b, c, a) else _no_date(s, i, i + 5)
    if three and c is not None and len(s.raw[i + 4]) == 4 and 1900 <= c < 2200:
        return None if _exists(b, a, c) or _exists(a, b, c) else _no_date(s, i, i + 5)
    sure = separator == "/" and s.before(i) in DAY_LEADS and max(len(s.raw[i]), len(s.raw[i + 2])) == 2
    return _no_date(s, i, i + 3) if sure and not three and not _exists(b, a, LEAP) and not _exists(a, b, LEAP) else None


def _no_date(s: Sentence, i: int, end: int) -> Impossible:
    return Impossible(i, end, f"There is no date {''.join(s.raw[i:end])}.")


def _clock(s: Sentence, i: int) -> Impossible | None:
    """25:00, "at 10:75"."""
    hour, minute = s.numbers[i], s.numbers[i + 2]
    if hour is None or minute is None or s.words[i + 1] != ":" or not (s.glued(i + 1) and s.glued(i + 2)) or s.glued(i):
        return None
    led = s.before(i) in ("at", "from", "to", "until", "till", "by", "before", "after", "between", "and", "around")
    if not led or len(s.raw[i + 2]) != 2 or len(s.raw[i]) > 2 or (hour <= 23 and minute <= 59) or (hour, minute) == (24, 0):
        return None
    return Impossible(i, i + 3, f"There is no time {hour}:{minute:02}.")
