"""Rules and tasks in words, as one would say them."""

from datetime import date

from assistant.timetable.calendar_wording import calendar_in_words
from assistant.timetable.cron_wording import cron_in_words
from assistant.timetable.phrases import DAYS, Unsaid, date_in_words, listed, time_of_day
from assistant.timetable.rules import Ask, Calendar, Cron, GiveBriefing, Once, Remind, Rule, Task

PARTS = {"inbox": "your inbox", "day": "your day", "week": "your week"}


def in_words(rule: Rule, zone: str = "", today: date | None = None) -> str:
    """ "every weekday at 08:00"; `rule` is one that `slots.check` accepts. The year of a date is said where it is not that of
    `today`, and the zone where it is given."""
    words = _rule(rule, today)
    return f"{words} ({zone.replace('_', ' ')} time)" if zone else words


def _rule(rule: Rule, today: date | None) -> str:
    match rule:
        case Cron():
            try:
                return cron_in_words(rule.expression)
            except Unsaid:
                return f"by the cron rule {rule.expression}"
        case Calendar():
            try:
                return calendar_in_words(rule, today)
            except Unsaid:
                return f"by the calendar rule {rule.rrule}"
        case Once(at=at):
            return f"on {DAYS[at.weekday()]} {date_in_words(at, today)} at {time_of_day(at.hour, at.minute)}"


def task_in_words(task: Task) -> str:
    """ "briefing on your inbox and your day", "reminder: call the bank", "request: …"."""
    match task:
        case GiveBriefing():
            return f"briefing on {listed(PARTS[part] for part in task.parts)}"
        case Remind():
            return f"reminder: {task.text}"
        case Ask():
            return f"request: {task.text}"
