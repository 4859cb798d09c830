"""Single days by name: "26 Nov 2026", "the 5th", "Thursday", "tomorrow"."""

from datetime import date, timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.clocks import countable
from assistant.reasoning.offline.dates.lexicon import (
    DAY_LEADS,
    DOUBTFUL_MONTHS,
    DOUBTFUL_WEEKDAYS,
    LAST,
    MONTH_LEADS,
    MONTHS,
    NEXT,
    NOT_AFTER_DAY,
    NOT_AFTER_HOUR,
    ORDINALS,
    RELATIVE_DAYS,
    WEEKDAYS,
)
from assistant.reasoning.offline.dates.nodes import Days, Match
from assistant.reasoning.offline.dates.numbers import cardinal, ordinal, year
from assistant.reasoning.offline.dates.numeric import MERIDIEMS, dated, month_name
from assistant.reasoning.offline.dates.tokens import Sentence


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
    found = dated(s, tail[0] if tail else None, named[0], number[0])
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
    found = dated(s, tail[0] if tail else None, named[0], number[0])
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
