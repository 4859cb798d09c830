"""The day or days at a token: the longest that any rule reads there."""

from collections.abc import Callable
from datetime import timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.days import day_month, month_alone, month_day, numbered, relative, weekday
from assistant.reasoning.offline.dates.holidays import holiday
from assistant.reasoning.offline.dates.lexicon import (
    CARDINALS,
    EASTER_HOLIDAYS,
    EDGES,
    FIXED_HOLIDAYS,
    LAST,
    MONTHS,
    NEXT,
    NTH_HOLIDAYS,
    ORDINALS,
    RELATIVE_DAYS,
    TENS,
    WEEKDAYS,
)
from assistant.reasoning.offline.dates.nodes import Days, Draft, Match, Stretch
from assistant.reasoning.offline.dates.numeric import numeric
from assistant.reasoning.offline.dates.periods import period
from assistant.reasoning.offline.dates.portions import edge, nth, numbered_week
from assistant.reasoning.offline.dates.tokens import Sentence
from assistant.reasoning.offline.dates.windows import ahead, counted, later_today, present, window

Rule = Callable[[Sentence, int], Match[Days] | Match[Draft | Stretch]]


def week_of(s: Sentence, i: int) -> Match[Days]:
    """ "the week of 7 December", "the weekend of the 5th"."""
    j = i + 1 if s.words[i] == "the" else i
    if s.words[j] == "w" and s.words[j + 1] == "/" and s.words[j + 2] == "c":
        j += 1
    elif s.words[j] not in ("week", "weekend", "month") or s.words[j + 1] not in ("of", "starting", "beginning", "commencing"):
        return None
    k = j + 2 + (s.words[j + 2] == "on")
    for rule in (numeric, day_month, month_day, numbered, holiday, weekday, relative):
        found = rule(s, k)
        if found and found[0].single:
            anchor = found[0].start
            if s.words[j] == "month":
                return calendar.month(anchor.year, anchor.month), found[1]
            return (calendar.weekend_around if s.words[j] == "weekend" else calendar.week)(anchor), found[1]
    return None


def last_word(s: Sentence, i: int) -> Match[Days]:
    """The weekend that ends a telegram's style: "dinner with Mum weekend"."""
    ends = i > 0 and not s.words[i + 1].isalnum() and s.words[i + 1] not in ("-", "'", "/", "(")
    return (calendar.weekend(s.today), i + 1) if ends else None


def in_week(s: Sentence, i: int) -> Match[Days]:
    """ "the Monday after next", "the following day"."""
    j = i + 1 if s.words[i] == "the" else i
    number = WEEKDAYS.get(s.words[j])
    if number is not None and s.words[j + 1] == "after" and s.words[j + 2] == "next":
        return calendar.day(calendar.monday(s.today) + timedelta(14 + number)), j + 3
    return None


def this_date(s: Sentence, i: int) -> Match[Days]:
    """ "this 5/12", "this 5 December": of the current year."""
    found = (numeric(s, i + 1) or day_month(s, i + 1) or month_day(s, i + 1)) if s.words[i] == "this" else None
    if not found or found[0].guess != "year":
        return None
    start = calendar.valid(s.today.year, found[0].start.month, found[0].start.day)
    return (calendar.day(start), found[1]) if start else None


_NUMBERS: tuple[Rule, ...] = (numeric, day_month, month_alone, period, counted, window, numbered, nth)
_COUNTS: tuple[Rule, ...] = (day_month, counted, window, numbered, nth)
_DIRECTED: tuple[Rule, ...] = (weekday, period, window, nth)
_THE: tuple[Rule, ...] = (
    day_month, numbered, relative, weekday, period, nth, edge, week_of, window, holiday, numbered_week, in_week
)  # fmt: skip


def _rules() -> dict[str, tuple[Rule, ...]]:
    table: dict[str, tuple[Rule, ...]] = {
        "the": _THE,
        "in": (ahead, window),
        "within": (ahead,),
        "over": (window,),
        "during": (window,),
    }
    table |= dict.fromkeys((*NEXT, *LAST, "this", "that", "current"), (*_DIRECTED, holiday, this_date, present))
    table |= dict.fromkeys(MONTHS, (month_day, period))
    table |= dict.fromkeys(WEEKDAYS, (weekday, in_week))
    table |= dict.fromkeys(RELATIVE_DAYS, (relative,))
    table |= dict.fromkeys((*CARDINALS, *TENS), _COUNTS)
    table |= dict.fromkeys(ORDINALS, (day_month, numbered, nth, *_COUNTS))
    table |= dict.fromkeys(("a", "an", "half", "couple", "few"), (counted,))
    table |= dict.fromkeys(("later",), (edge, later_today)) | dict.fromkeys(
        (*EDGES, "rest", "remainder", "remaining", "earlier", "eom", "eoy", "eow"), (edge,)
    )
    table |= dict.fromkeys(("year", "calendar", "cy"), (period,))
    table |= {"q": (period,), "h": (period,), "day": (relative,), "now": (present,), "right": (present,), "present": (present,)}
    table |= {"week": (week_of, numbered_week, period), "weekend": (week_of, period, last_word), "month": (week_of,)}
    table |= dict.fromkeys(("two", "nineteen", "twenty"), (*_COUNTS, period)) | {"w": (week_of,)}
    table |= {"my": (period,), "date": (present,), "at": (present,)}
    table |= {"cw": (numbered_week,), "kw": (numbered_week,), "wk": (numbered_week,)}
    for name in (*FIXED_HOLIDAYS, *NTH_HOLIDAYS, *EASTER_HOLIDAYS, "black"):
        first = name.split(" ")[0]
        table[first] = (*dict.fromkeys((*table.get(first, ()), holiday)),)
        table[first + "'s"] = table[first]
    return table


DAY_RULES = _rules()


def day_piece(s: Sentence, i: int) -> Match[Draft | Stretch]:
    """The longest date at token i."""
    rules = _NUMBERS if s.numbers[i] is not None else DAY_RULES.get(s.words[i], ())
    best: Match[Draft | Stretch] = None
    for rule in rules:
        found = rule(s, i)
        if found and (best is None or found[1] > best[1]):
            best = (Draft(found[0]) if isinstance(found[0], Days) else found[0]), found[1]
    return best
