"""A rule at another hour, or with its hour on other days."""

import re
from datetime import datetime, time

from assistant.timetable.rules import Calendar, Cron, Once, Rule


def moved(old: Rule, new: Rule, *, dated: bool, timed: bool) -> Rule | None:
    """`new` counts for its days only where it is `dated`, and for its hour only where it is `timed`; `old` keeps the other. None
    where that can't be told: with several hours a day, or one date for what recurs."""
    if dated and isinstance(new, Once) and not isinstance(old, Once):
        return None
    if dated and timed:
        return new
    hour = _hour(new if timed else old)
    days = new if dated else old
    return _at(days, hour) if hour is not None and _hour(days) is not None else None


def _hour(rule: Rule) -> time | None:
    """None where there are several in a day."""
    match rule:
        case Once(at=at):
            return at.time()
        case Cron(expression=expression):
            minute, hour = expression.split()[:2] if len(expression.split()) == 5 else ("", "")
            return time(int(hour), int(minute)) if hour.isdecimal() and minute.isdecimal() else None
        case Calendar():
            several = re.search(r"\b(?:BYHOUR|BYMINUTE|HOURLY|MINUTELY)\b", rule.rrule)
            return None if several else rule.start.time()


def _at(rule: Rule, hour: time) -> Rule:
    match rule:
        case Once(at=at):
            return Once(at=datetime.combine(at.date(), hour))
        case Cron(expression=expression):
            return Cron(expression=" ".join([str(hour.minute), str(hour.hour), *expression.split()[2:]]))
        case Calendar():
            return rule.model_copy(update={"start": datetime.combine(rule.start.date(), hour)})
