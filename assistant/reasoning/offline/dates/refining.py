"""Two dates that say one: "Thursday 26 November", "Tuesday next week", "Monday the 27th"."""

from datetime import date, timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.days_said import day_piece
from assistant.reasoning.offline.dates.lexicon import GLUED_UNITS, UNITS, WEEKDAYS
from assistant.reasoning.offline.dates.nodes import Days, Draft, Match
from assistant.reasoning.offline.dates.numbers import cardinal, ordinal
from assistant.reasoning.offline.dates.tokens import Sentence
from assistant.reasoning.offline.dates.windows import weekday_turn

HALF_YEAR = timedelta(183)
COUNTED = frozenset((*UNITS, *GLUED_UNITS))
"""Behind these a number is a length and no day of the month."""


def refined(s: Sentence, days: Days, k: int) -> Match[Days]:
    """Two dates that say one: "Thursday 26 November", "Tuesday next week", "next week on Friday"."""
    piece = day_piece(s, k)
    if not piece or not isinstance(piece[0], Draft) or not piece[0].days:
        return None
    other, end = piece[0].days, piece[1]
    if other.guess == "month":
        return None
    if other.weekday is not None and (
        days.grain in ("week", "weekend") or (days.grain == "span" and (days.stop - days.start).days <= 7)
    ):
        found = calendar.on_or_after(days.start, other.weekday)
        return (calendar.day(found), end) if found < days.stop else None
    if not days.single or s.words[k - 1] == "in":
        return None
    if days.weekday is not None and other.grain in ("week", "weekend"):
        found = calendar.on_or_after(other.start, days.weekday)
        return (calendar.day(found), end) if found < other.stop else None
    named = days.weekday is not None or (s.words[k - 1] in WEEKDAYS or s.words[k - 2] in WEEKDAYS)
    if named and other.guess == "year" and other.start.weekday() != days.start.weekday():
        other = _on_weekday(s, other, days.start.weekday())
    if days.weekday is not None and other.single and (turn := weekday_turn(s, k, days.weekday)):
        return turn
    if named and other.single and other.weekday is None:
        return other, end
    listed = s.words[k - 1] == "," or s.words[k - 1] in WEEKDAYS
    if other.weekday is not None and days.guess in ("", "year") and days.weekday is None and not listed:
        return (days if days.guess == "year" else calendar.day(_nearest(s, days.start, other.weekday))), end
    return None


def refined_by_number(s: Sentence, days: Days, k: int) -> Match[Days]:
    """ "Monday the 27th", "Friday 31": the next month in which that number falls on that day."""
    if days.guess != "week" or days.weekday is None:
        return None
    j = k + 1 if s.words[k] == "the" else k
    number = ordinal(s, j)
    if not number:
        plain = cardinal(s, j)
        number = (
            plain
            if plain and 13 <= plain[0] <= 31 and s.words[plain[1]] not in (":", ".", "/", "h", "am", "pm", "-", "to")
            else None
        )
        number = None if number and s.words[number[1]] in COUNTED else number
    if not number or not 1 <= number[0] <= 31:
        return None
    first = s.today.replace(day=1)
    for n in range(60):
        month = calendar.add_months(first, -n if s.past else n)
        found = calendar.valid(month.year, month.month, number[0])
        if found and found.weekday() == days.weekday and (found <= s.today if s.past else found >= s.today):
            return calendar.day(found), number[1]
    return None


def _nearest(s: Sentence, when: date, weekday: int) -> date:
    """ "in 3 days on Friday": the nearest one; counted in weeks or months, the next one after that."""
    after, before = calendar.on_or_after(when, weekday), calendar.on_or_before(when, weekday)
    within_a_week = 0 < (when - s.today).days < 7
    return before if s.today < before and within_a_week and when - before < after - when else after


def _on_weekday(s: Sentence, days: Days, weekday: int) -> Days:
    """The same date of the year before, if there it falls on the day of the week that was said and is over not long ago."""
    before = calendar.add_months(days.start, -12)
    return calendar.day(before) if before.weekday() == weekday and s.today - before < HALF_YEAR else days
