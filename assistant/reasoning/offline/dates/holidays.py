"""Feasts by name: fixed, on the nth weekday of a month, or counted from Easter."""

from datetime import date, timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.lexicon import (
    BLACK_FRIDAY,
    EASTER_HOLIDAYS,
    FIXED_HOLIDAYS,
    LAST,
    NEXT,
    NTH_HOLIDAYS,
)
from assistant.reasoning.offline.dates.nodes import Days, Match
from assistant.reasoning.offline.dates.numbers import year
from assistant.reasoning.offline.dates.tokens import Sentence


def holiday(s: Sentence, i: int) -> Match[Days]:
    j = i + 1 if s.words[i] == "the" else i
    if s.words[j] in LAST or s.words[j] in NEXT or s.words[j] == "this":
        found = holiday(s.looking_back() if s.words[j] in LAST else s, j + 1)
        return found if found and found[0].guess == "year" else None
    for size in (4, 3, 2, 1):
        name = " ".join(s.words[j : j + size])
        name = name if name in FIXED_HOLIDAYS or size > 1 else name.removesuffix("'s")
        if name in FIXED_HOLIDAYS or name in NTH_HOLIDAYS or name in EASTER_HOLIDAYS or name == BLACK_FRIDAY:
            named = year(s, j + size + (s.words[j + size] in (",", "in", "of")))
            day, k = _feast(s, name, named[0] if named else None), named[1] if named else j + size
            return (calendar.weekend_around(day.start), k + 1) if s.words[k] == "weekend" else (day, k)
    return None


def _feast(s: Sentence, name: str, chosen: int | None) -> Days:
    if chosen is not None:
        return calendar.day(_feast_of(name, chosen))
    found = _feast_of(name, s.today.year)
    if s.past and found > s.today:
        found = _feast_of(name, s.today.year - 1)
    elif not s.past and found < s.today:
        found = _feast_of(name, s.today.year + 1)
    return calendar.day(found)._replace(guess="year")


def _feast_of(name: str, chosen: int) -> date:
    if name in FIXED_HOLIDAYS:
        return date(chosen, *FIXED_HOLIDAYS[name])
    if name in EASTER_HOLIDAYS:
        return calendar.easter(chosen) + timedelta(EASTER_HOLIDAYS[name])
    month, weekday, n = NTH_HOLIDAYS.get(name, (11, 3, 4))
    found = calendar.nth_weekday(calendar.month(chosen, month), weekday, n)
    if found is None:
        raise ValueError(name)
    return found + timedelta(1) if name == BLACK_FRIDAY else found
