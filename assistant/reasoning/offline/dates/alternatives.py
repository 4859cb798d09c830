"""Several times in a list, each set right by its neighbours: "next week on Monday or Tuesday", "Monday or Tuesday at 3"."""

from dataclasses import dataclass, replace
from datetime import timedelta

from assistant.reasoning.offline.dates import calendar
from assistant.reasoning.offline.dates.lexicon import MONTHS, WEEKDAYS
from assistant.reasoning.offline.dates.nodes import Clock, Draft, Node
from assistant.reasoning.offline.dates.numbers import ordinal
from assistant.reasoning.offline.dates.periods import LEADING, half_named
from assistant.reasoning.offline.dates.tokens import Sentence

JOINERS = frozenset({"or", "and", ",", "&", "/", "maybe", "perhaps"})
BETWEEN = 3
"""Most words that join two times of a list."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was read from token `begin` up to `end`."""

    node: Node
    begin: int
    end: int


def joined(s: Sentence, i: int, j: int) -> bool:
    """Whether tokens i to j only join two times."""
    side_by_side = i == j and s.words[i - 1] in WEEKDAYS and s.words[j] in WEEKDAYS
    return side_by_side or (0 < j - i <= BETWEEN and all(word in JOINERS for word in s.words[i:j]))


def elliptic(s: Sentence, i: int) -> Found | None:
    """The "this" of "this or next week"."""
    if s.words[i + 1] not in ("or", "and") or s.words[i + 2] not in LEADING:
        return None
    days = half_named(s, i, s.words[i + 3])
    return Found(Draft(days), i, i + 1) if days else None


def further(s: Sentence, before: Found) -> Found | None:
    """What goes on a list without saying all of it: "July 17th, 18th or 19th", "this week or next"."""
    at = before.end + (s.words[before.end] in ("or", "and"))
    days = half_named(s, at, s.words[before.end - 1]) if at > before.end and not s.words[at + 1].isalnum() else None
    return Found(Draft(days), at, at + 1) if days else _further_hour(s, before) or _further_day(s, before)


EARLY = 6
"""Up to this hour "at 11 or 1" means the afternoon."""


def _further_hour(s: Sentence, before: Found) -> Found | None:
    """The "11" of "tomorrow at 10 or 11"."""
    clock = before.node.time if isinstance(before.node, Draft) else None
    at = before.end + 1
    if not isinstance(clock, Clock) or s.words[before.end] != "or" or not s.words[at].isdigit() or s.words[at + 1].isalnum():
        return None
    hour = int(s.words[at])
    later = hour < 12 and (clock.hour >= 12 or (hour < clock.hour and hour <= EARLY))
    hour += 12 * later
    return Found(Draft(time=clock._replace(hour=hour, minute=0, second=0)), at, at + 1) if hour < 24 else None


def _further_day(s: Sentence, before: Found) -> Found | None:
    days = before.node.days if isinstance(before.node, Draft) and not before.node.time else None
    at = before.end
    while s.words[at] in JOINERS:
        at += 1
    number = ordinal(s, at) if joined(s, before.end, at) and s.numbers[at] is not None else None
    month_follows = number and (s.words[number[1]] in MONTHS or s.words[number[1]] == "of")
    if days is None or not days.single or days.weekday is not None or not number or month_follows:
        return None
    day = calendar.valid(days.start.year, days.start.month, number[0])
    if day is None:
        if days.guess != "month" or not 1 <= number[0] <= 28:
            return None
        day = days.start.replace(day=number[0])  # its month is still to be named
    return Found(Draft(days._replace(start=day, stop=day + timedelta(1))), at, number[1])


def set_right(s: Sentence, found: list[Found]) -> list[Found]:
    """From left to right what was said before rules, then from right to left what follows."""
    for n in range(1, len(found)):
        if joined(s, found[n - 1].end, found[n].begin):
            found[n] = replace(found[n], node=_after(found[n - 1].node, found[n].node))
    for n in range(len(found) - 1, 0, -1):
        if joined(s, found[n - 1].end, found[n].begin):
            found[n - 1] = replace(found[n - 1], node=_before(s, found[n - 1].node, found[n]))
    return found


def _after(first: Node, second: Node) -> Node:
    if not isinstance(first, Draft) or not isinstance(second, Draft) or first.days is None:
        return second
    if second.days is None:
        return second._replace(days=first.days) if first.time is not None and first.days.single else second
    weekday = second.days.weekday
    if second.days.guess != "week" or weekday is None or first.days.guess or not first.days.single:
        return second
    return second._replace(days=calendar.day(calendar.on_or_after(first.days.start, weekday)))


def _before(s: Sentence, first: Node, found: Found) -> Node:
    second = found.node
    if not isinstance(first, Draft) or not isinstance(second, Draft) or not second.days:
        return first
    if not first.days:
        return first._replace(days=second.days) if first.time and second.time and second.days.single else first
    days, other = first.days, second.days
    said = s.words[found.begin : found.end]
    if days.guess == "week" and days.weekday is not None and other.single and "week" in said:
        days = calendar.day(calendar.monday(other.start) + timedelta(days.weekday))
    elif days.guess == "month" and other.single and other.guess in ("", "year") and other.weekday is None:
        named = calendar.valid(other.start.year, other.start.month, days.start.day)
        days = calendar.day(named) if named else days
    shared = first.time is None and second.time is not None and days.single and other.single and said[:1] not in (["on"], ["at"])
    return Draft(days, second.time if shared else first.time)
