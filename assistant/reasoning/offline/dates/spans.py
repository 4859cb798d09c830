"""From one time to another: "Mon to Wed", "17-19 November", "from 9am to Tuesday 5pm"."""

from datetime import timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.days import day_of_month, month_alone, this_month
from assistant.reasoning.offline.dates.hours import changes, paired
from assistant.reasoning.offline.dates.lexicon import (
    DASHES,
    MONTHS,
    UNITS,
    UNTIL,
)
from assistant.reasoning.offline.dates.nodes import Clock, Days, Draft, Hours, Match, Node, Span, Stretch
from assistant.reasoning.offline.dates.numbers import cardinal, ordinal, year
from assistant.reasoning.offline.dates.periods import month_of
from assistant.reasoning.offline.dates.pieces import simple
from assistant.reasoning.offline.dates.tokens import Sentence


def instantly(node: Stretch) -> Draft:
    at = node.start
    return Draft(calendar.day(at.date()), Clock(at.hour, at.minute, at.second, sure=True))


def span(s: Sentence, i: int) -> Match[Node]:
    lead = s.words[i] if s.words[i] in ("from", "between") else ""
    j = i + 1 if lead else i
    j += bool(lead) and s.words[j] == "on"
    return _months(s, j, lead) or _numbered_span(s, j, lead) or _years(s, j, lead) or _two(s, j, lead)


def _joins(s: Sentence, j: int, lead: str, first: int) -> bool:
    """Token j joins two ends of a range; a bare "to" does not after a verb that moves something."""
    word = s.words[j]
    if word in DASHES or word in ("until", "till", "through", "thru", "til"):
        return True
    if word == "to":
        lasts = s.numbers[j + 1] is not None and s.words[j + 2] in UNITS and not s.words[j + 2].startswith("second")
        return not lasts and not changes(s, first, led=bool(lead))
    return word == "and" and lead == "between"


def _two(s: Sentence, i: int, lead: str) -> Match[Node]:
    first = simple(s, i, bare=bool(lead))
    if not first and lead and (named := _month(s, i)):
        first = Draft(named[0]), named[1]
    if not first:
        return None
    j = first[1]
    if s.words[j] in UNTIL and s.words[j] in DASHES and s.words[j + 1] in UNTIL:
        j += 1
    if not _joins(s, j, lead, i - bool(lead)):
        return None
    second = simple(s, j + 1, bare=bool(lead) or _timed(first[0]))
    if not second:
        return None
    node = joined(s, first[0], second[0])
    return (node, second[1]) if node else None


def _timed(node: Draft | Stretch) -> bool:
    return isinstance(node, Stretch) or node.time is not None


def joined(s: Sentence, first: Draft | Stretch, second: Draft | Stretch) -> Node | None:
    a = instantly(first) if isinstance(first, Stretch) else first
    b = instantly(second) if isinstance(second, Stretch) else second
    if isinstance(a.time, Hours) or isinstance(b.time, Hours):
        return None
    if a.days and b.days:
        return _ordered(s, _at_turn(a, first=True), _at_turn(b, first=False))
    if not isinstance(a.time, Clock) or not isinstance(b.time, Clock):
        return None
    start, stop = paired(a.time, b.time, business_hours=s.business_hours)
    zone = b.time.zone or a.time.zone
    return Draft(a.days or b.days, Hours(start._replace(zone=a.time.zone or zone), stop._replace(zone=zone)))


def _at_turn(draft: Draft, *, first: bool) -> Draft:
    """The start, middle or end of a period, as an end of a range, is one day: "from the end of March" begins with April, "to the
    start of May" ends before it."""
    days = draft.days
    if not days or not days.edge or (first and days.edge == "early"):
        return draft
    middle = days.start + timedelta(((days.stop - days.start).days + 1) // 2)
    turn = {"early": days.start, "mid": middle, "late": days.stop}[days.edge]
    return draft._replace(days=calendar.day(turn if first else turn - timedelta(days.edge != "mid")))


def _ordered(s: Sentence, a: Draft, b: Draft) -> Span | None:
    """Two dates, each set right by what the other says."""
    first, last = a.days, b.days
    if not first or not last:
        return None
    if last.weekday is not None and last.guess == "week":
        last = calendar.day(calendar.on_or_after(first.start + timedelta(a.time is None), last.weekday))
    elif last.guess == "month":
        last = day_of_month(s, last.start.day, first.start) or last
        if last.start < first.start:
            last = calendar.day(calendar.add_months(last.start, 1))
    elif first.guess == "month":
        first = _day_before(first, last)
    elif first.guess == "year" and last.guess == "":
        first = _years_apart(first, last.start.year - first.start.year)
        first = _years_apart(first, -1) if first.start > last.start else first
    if first.guess == last.guess == "year" and last.start < first.start and first.start > s.today:
        first = _years_apart(first, -1)  # it has begun already
    elif last.guess == "year" and last.start < first.start:
        last = _years_apart(last, 1)
    return Span(a._replace(days=first), b._replace(days=last)) if first.start <= last.start else None


def _day_before(first: Days, last: Days) -> Days:
    """ "the 27th" of "from the 27th to the 3rd of April": the last such day up to the end."""
    for n in range(3):
        base = calendar.add_months(last.start.replace(day=1), -n)
        found = calendar.valid(base.year, base.month, first.start.day)
        if found and found <= last.start:
            return calendar.day(found)
    return first


def _years_apart(days: Days, years: int) -> Days:
    start, stop = calendar.add_months(days.start, 12 * years), calendar.add_months(days.stop, 12 * years)
    return days._replace(start=start, stop=stop)


def _numbered_span(s: Sentence, i: int, lead: str) -> Match[Node]:
    """ "17-19 November", "November 17 to 19", "the 9th to the 17th of April"."""
    j = i + 1 if s.words[i] == "the" else i
    number = ordinal(s, j) or cardinal(s, j)
    if both := _two_ordinals(s, j, lead):
        return both
    if number and 1 <= number[0] <= 31 and _joins(s, number[1], lead or ("between" if s.words[number[1]] == "and" else ""), i):
        second = simple(s, number[1] + 1)
        days = second[0].days if second and isinstance(second[0], Draft) else None
        monthly = (
            days
            and days.single
            and days.weekday is None
            and any(w in MONTHS for w in s.words[number[1] : second[1] if second else 0])
        )
        if (
            second
            and days
            and monthly
            and isinstance(second[0], Draft)
            and second[0].time is None
            and (lead or s.words[number[1]] != "and")
        ):
            first = _day_before(calendar.day(days.start.replace(day=min(number[0], 28))), days)
            exact = calendar.valid(first.start.year, first.start.month, number[0])
            return (Span(Draft(calendar.day(exact)), second[0]), second[1]) if exact and exact <= days.start else None
        return None
    first_node = simple(s, i)
    if not first_node or not isinstance(first_node[0], Draft) or first_node[0].time or not first_node[0].days:
        return None
    days, j = first_node[0].days, first_node[1]
    if not days.single or days.weekday is not None or not _joins(s, j, lead, i) or days.guess == "month":
        return None
    k = j + 2 if s.words[j + 1] == "the" else j + 1
    number = ordinal(s, k) or cardinal(s, k)
    if (
        not number
        or not days.start.day < number[0] <= 31
        or (s.words[number[1]] in (":", ".", "/", "am", "pm") and s.glued(number[1]))
    ):
        return None
    if s.words[number[1]] in MONTHS or (s.words[number[1]] == "of" and s.words[number[1] + 1] in MONTHS):
        return None
    tail = year(s, number[1] + (s.words[number[1]] == ","))
    base = days
    if tail and days.guess == "year":
        base = _years_apart(days, tail[0] - days.start.year)._replace(guess="")
    stop = calendar.valid(base.start.year, base.start.month, number[0])
    return (Span(Draft(base), Draft(calendar.day(stop))), tail[1] if tail else number[1]) if stop else None


def _two_ordinals(s: Sentence, i: int, lead: str) -> Match[Node]:
    """ "20th to 24th"."""
    first = ordinal(s, i)
    if not first or s.numbers[i] is None or not _joins(s, first[1], lead, i):
        return None
    k = first[1] + 1 + (s.words[first[1] + 1] == "the")
    second = ordinal(s, k)
    if not second or s.numbers[k] is None or s.words[second[1]] in MONTHS or s.words[second[1]] == "of":
        return None
    start = day_of_month(s, first[0], s.today) if first[0] <= 31 else None
    stop = day_of_month(s, second[0], start.start) if start and second[0] <= 31 else None
    if not start or not stop or stop.start < start.start:
        return None
    return Span(Draft(start), Draft(stop)), second[1]


def _months(s: Sentence, i: int, lead: str) -> Match[Node]:
    """ "Jan-Feb 2017", "from March to May": there even "may" is a month."""
    j = i + 1 if s.words[i] in ("this", "next") else i
    if s.words[j] not in MONTHS:
        return None
    first = month_of(s, i) or _month(s, j)
    if not first or not _joins(s, first[1], lead, i):
        return None
    second = _month(s, first[1] + 1)
    if not second or (s.numbers[second[1]] is not None or ordinal(s, second[1])):
        return None
    node = _ordered(s, Draft(first[0]), Draft(second[0]))
    return (node, second[1]) if node else None


def _month(s: Sentence, i: int) -> Match[Days]:
    named = month_alone(s, i)
    if named:
        return named
    number = MONTHS.get(s.words[i])
    return (this_month(s, number), i + 1) if number else None


def _years(s: Sentence, i: int, lead: str) -> Match[Node]:
    """ "from 2019 to 2022", "2014-2018"."""
    j = i + 1 if s.words[i] == "in" else i
    first = year(s, j)
    if not first or s.numbers[j] is None:
        return None
    k = first[1]
    if not _joins(s, k, lead, i) or (s.glued(j) and s.before(j) not in ("(", "=")):
        return None
    second = year(s, k + 1)
    if not second or second[0] < first[0] or (s.words[second[1]] in ("-", "/") and s.glued(second[1])):
        return None
    return Span(Draft(calendar.year(first[0])), Draft(calendar.year(second[0]))), second[1]
