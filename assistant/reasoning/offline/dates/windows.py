"""Times counted from now: "in 30 minutes", "3 days ago", "the next 4 days", "a week on Friday"."""

from datetime import UTC, date, datetime, timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.days import day_month, month_day, numbered, relative, weekday
from assistant.reasoning.offline.dates.holidays import holiday
from assistant.reasoning.offline.dates.lengths import length, of_unit
from assistant.reasoning.offline.dates.lexicon import LAST, MOVES, NEXT, ROLLING, UNITS
from assistant.reasoning.offline.dates.nodes import Days, Draft, Length, Match, Stretch
from assistant.reasoning.offline.dates.numbers import cardinal
from assistant.reasoning.offline.dates.numeric import numeric
from assistant.reasoning.offline.dates.tokens import Sentence

WORKDAYS = 5
AUXILIARIES = frozenset(
    "will should would can could may might must shall to does do did won't shouldn't doesn't don't didn't can't it'll "
    "that'll".split()
)


def moved(now: datetime, by: Length, sign: int = 1) -> datetime:
    """Days and months by the wall clock, hours and minutes by the real one; whole minutes where no seconds were said."""
    when = datetime.combine(calendar.shift(now.date(), by, sign), now.timetz())
    when = (when.astimezone(UTC) + timedelta(seconds=sign * by.seconds)).astimezone(now.tzinfo)
    return when.replace(second=0, microsecond=0) if by.seconds % 60 == 0 else when.replace(microsecond=0)


def _point(s: Sentence, by: Length, sign: int) -> Draft | Stretch:
    if by.seconds:
        when = moved(s.now, by, sign)
        return Stretch(when, when)
    return Draft(calendar.day(calendar.shift(s.today, by, sign)))


def ahead(s: Sentence, i: int) -> Match[Draft | Stretch]:
    """ "in 30 minutes", "in two weeks", "in a month's time"; "within 2 hours" is a stretch."""
    if s.words[i] == "in":
        found = length(s, i + 1)
        if not found or s.words[found[1]] in ("a", "per", "each"):
            return None
        j = found[1] + (s.words[found[1]] == "time")
        if s.words[j] in ("slots", "meetings", "blocks", "intervals", "steps", "chunks", "increments"):
            return None
        return _point(s, found[0], 1), j
    if s.words[i] == "within":
        j = i + 2 if s.words[i + 1] == "the" else i + 1
        j += s.words[j] in NEXT
        found = length(s, j) or _one_unit(s, j)
        return (_window(s, found[0], 1), found[1]) if found else None
    return None


def _one_unit(s: Sentence, i: int) -> Match[Length]:
    unit = UNITS.get(s.words[i])
    return (of_unit(unit), i + 1) if unit and not s.words[i].endswith("s") else None


def _window(s: Sentence, by: Length, sign: int) -> Stretch | Draft:
    """The time from now up to the end of the last day counted; back, or by hours, exactly that long."""
    now = s.now.replace(microsecond=0)
    if sign < 0:
        return Stretch(moved(s.now, by, -1), now, bool(by.seconds))
    if by.seconds:
        return Stretch(now, moved(s.now, by))
    last = calendar.shift(s.today, by)
    return Stretch(now, datetime.combine(last + timedelta(1), datetime.min.time(), s.zone), timed=False)


def window(s: Sentence, i: int) -> Match[Draft | Stretch]:
    """ "the next 4 days", "past two weeks", "the 5 coming days", "next hour", "over the past month"."""
    j = i + 1 if s.words[i] in ("in", "over", "during", "for") else i
    j = j + 1 if s.words[j] in ("the", "these", "this", "my") else j
    lead, k = s.words[j], j + 1
    if lead not in NEXT and lead not in LAST:
        return _inner_window(s, j)
    sign = 1 if lead in NEXT else -1
    if worked := _workdays(s, k, sign):
        return worked
    if s.words[k] == "free":
        return None  # "my next free hour" is an hour, not the next sixty minutes
    if lead == "last" and j == i and s.before(i) in AUXILIARIES:
        return None  # "it will last two hours"
    found = length(s, k)
    if found and found[0].timedelta:
        if s.words[found[1]] in ("of", "in") and s.words[found[1] + 1] in ("the", "this", "next", "last"):
            return None
        quarters = "quarter" in s.words[k : found[1]] or "quarters" in s.words[k : found[1]]
        return (_quarters(s, found[0], sign) if quarters else _window(s, found[0], sign)), found[1]
    unit = UNITS.get(s.words[k], "")
    rolling = lead == "past" or (s.words[j - 1] == "the" if j else False)
    if unit in ("hour", "minute") or (rolling and unit in ("week", "fortnight", "month", "year", "day") and _rolls(s, i, j, lead)):
        if s.words[k + 1] in ("of", "in") or s.words[k] == "night":
            return None
        return _window(s, of_unit(unit), sign), k + 1
    return None


def _rolls(s: Sentence, i: int, j: int, lead: str) -> bool:
    """ "in the last week" counts back from now; "last week" and "the last week of July" don't."""
    before = s.words[i] if s.words[i] in ROLLING else s.before(i)
    return lead == "past" or (before in ROLLING and (lead == "last" or (lead == "next" and before != "for")))


def _inner_window(s: Sentence, j: int) -> Match[Draft | Stretch]:
    """ "the 5 upcoming days", "13 last minutes"."""
    number = cardinal(s, j)
    if not number or not number[0]:
        return None
    word = s.words[number[1]]
    if word not in NEXT and word not in LAST:
        return None
    unit = UNITS.get(s.words[number[1] + 1]) if s.words[number[1] + 1] != "night" else None
    several = number[0] == 1 or s.words[number[1] + 1].endswith("s")
    by = of_unit(unit).times(number[0]) if unit and several else None
    return (_window(s, by, 1 if word in NEXT else -1), number[1] + 2) if by else None


def _quarters(s: Sentence, by: Length, sign: int) -> Draft:
    here = calendar.quarter(s.today)
    start = here.stop if sign > 0 else calendar.shift(here.start, by, -1)
    return Draft(Days(start, calendar.shift(start, by), "span"))


def _workdays(s: Sentence, i: int, sign: int) -> Match[Draft | Stretch]:
    """ "next 4 business days"."""
    number = cardinal(s, i)
    if not number or s.words[number[1]] not in ("business", "working", "work") or s.words[number[1] + 1] not in ("days", "day"):
        return None
    now = s.now.replace(microsecond=0)
    day = add_workdays(s, number[0], sign)
    edge = datetime.combine(day + timedelta(1) if sign > 0 else day, datetime.min.time(), s.zone)
    return (Stretch(now, edge, timed=False) if sign > 0 else Stretch(edge, now, timed=False)), number[1] + 2


def add_workdays(s: Sentence, count: int, sign: int) -> date:
    day = s.today + timedelta(sign * 7 * (count // WORKDAYS))
    for _ in range(count % WORKDAYS):
        day += timedelta(sign)
        while day.weekday() > 4:
            day += timedelta(sign)
    return day


def counted(s: Sentence, i: int) -> Match[Draft | Stretch]:
    """ "3 days ago", "two weeks from tomorrow", "2 days before Friday", "10 minutes later", "a week on Friday"."""
    found = _workday_length(s, i) or length(s, i)
    if not found:
        return None
    by, j = found
    word = s.words[j]
    if word in ("earlier", "later") and not MOVES.isdisjoint(s.words[:i]):
        return None  # "make it an hour later" counts from the event, not from now
    if word in ("ago", "earlier"):
        return _point(s, by, -1), j + 1
    if word in ("later", "hence") and s.words[j + 1] not in ("this", "today", "in"):
        return _point(s, by, 1), j + 1
    if word in ("today", "tomorrow") and by.days % 7 == 0 and not by.seconds and not by.months:
        return Draft(calendar.day(calendar.shift(s.today, by) + timedelta(word == "tomorrow"))), j + 1
    if word not in ("from", "after", "before", "on", "since"):
        return None
    if s.words[j + 1] in ("now", "today") and word in ("from", "after"):
        return _point(s, by, 1), j + 2
    anchor = anchor_day(s, j + 1)
    if not anchor or by.seconds or (word == "on" and (anchor[0].weekday is None or by.days % 7)):
        return None
    return Draft(calendar.day(calendar.shift(anchor[0].start, by, -1 if word == "before" else 1))), anchor[1]


def weekday_turn(s: Sentence, i: int, weekday: int) -> Match[Days]:
    """The "3 weeks after 15 January" of "Sunday 3 weeks after 15 January": the third Sunday after it."""
    found = length(s, i)
    if not found or s.words[found[1]] not in ("after", "before") or not found[0].days or found[0].days % 7 or found[0].seconds:
        return None
    anchor = anchor_day(s, found[1] + 1)
    if not anchor:
        return None
    day, further = anchor[0].start, timedelta(found[0].days - 7)
    if s.words[found[1]] == "before":
        return calendar.day(calendar.on_or_before(day - timedelta(1), weekday) - further), anchor[1]
    return calendar.day(calendar.on_or_after(day + timedelta(1), weekday) + further), anchor[1]


def _workday_length(s: Sentence, i: int) -> Match[Length]:
    number = cardinal(s, i)
    if not number or s.words[number[1]] not in ("business", "working") or s.words[number[1] + 1] not in ("days", "day"):
        return None
    sign = -1 if s.words[number[1] + 2] in ("ago", "before") else 1
    return Length(days=abs((add_workdays(s, number[0], sign) - s.today).days)), number[1] + 2


def anchor_day(s: Sentence, i: int) -> Match[Days]:
    """One day to count from."""
    for rule in (numeric, relative, weekday, day_month, month_day, numbered, holiday):
        found = rule(s, i)
        if found:
            return found
    return None


def later_today(s: Sentence, i: int) -> Match[Draft | Stretch]:
    j = i + 2 if s.words[i + 1] == "in" else i + 1
    if s.words[i] != "later" or s.words[j] != "today":
        return None
    midnight = datetime.combine(s.today + timedelta(1), datetime.min.time(), s.zone)
    return Stretch(s.now.replace(microsecond=0), midnight), j + 1


def _at_present(s: Sentence, i: int) -> int:
    """How many words "at present", "at the moment" or "at this moment" take."""
    if s.words[i + 1] == "present":
        return 2 if not s.words[i + 2].isalnum() else 0
    return 3 if s.words[i + 1] in ("the", "this") and s.words[i + 2] == "moment" else 0


def present(s: Sentence, i: int) -> Match[Draft | Stretch]:
    """ "right now"; "now" where it ends a clause or a range."""
    j = i + 1 if s.words[i] == "right" else i
    now = s.now.replace(microsecond=0)
    if s.words[j] == "now":
        ends = not s.words[j + 1].isalnum() or s.words[j + 1] in ("and", "till", "until", "to", "or")
        leads = s.before(j) in ("until", "till", "by", "from", "since", "to", "before", "between", "right", "and", "available")
        return (Stretch(now, now), j + 1) if (ends and j > 0) or leads or j > i else None
    if s.words[i] == "date" and s.before(i) in ("to", "till", "until") and s.before(i - 1) != "up" and not s.words[i + 1].isalnum():
        return Stretch(now, now), i + 1
    if s.words[i] == "at":
        return (Stretch(now, now), i + size) if (size := _at_present(s, i)) else None
    if s.words[i] in ("current", "present") and s.words[i + 1] in ("date", "day"):
        return Draft(calendar.day(s.today)), i + 2
    return None
