"""What a message wants of schedules, as an analysis."""

import re

from assistant.reasoning.base import Analysis, Missing, Request
from assistant.reasoning.offline.dates import read_times
from assistant.reasoning.offline.planning.analyses import commanded, spoken
from assistant.reasoning.offline.planning.scheduling import ScheduleRead, change_of_it, read_schedule
from assistant.reasoning.offline.planning.scheduling.words import plain, short
from assistant.reasoning.offline.planning.talk.listed import undictated
from assistant.reasoning.offline.planning.talk.numbered import named, pointed
from assistant.reasoning.offline.planning.talk.numerals import REFERENCE
from assistant.reasoning.offline.reading.text.spelling import corrected
from assistant.timetable.rules import Remind
from assistant.values import ChangeSchedule, CreateSchedule

GOAL = "a schedule"
ASIDE = re.compile(
    r"(?:\s*[,;.!?]+\s*(?:and\s+)?|\s+and\s+)(?:also\s+|then\s+|please\s+)*"
    r"(?=(?:remind|nudge|brief)\s+me\b|set\s+(?:me\s+)?a\s+reminder\b|don't let me forget\b)",
    re.IGNORECASE,
)
CONDITION = re.compile(r"(?:if|when|whenever|unless|once|after|before|as soon as|in case|should)\b", re.IGNORECASE)
BY_USER = "user: "
IT = re.compile(r"\b(?:it|that|this)\b", re.IGNORECASE)
MOST_NAME = 90


def scheduled(request: Request) -> Analysis | None:
    """A command, a question for the time, or why it can't be; None where the message is about something else."""
    found = schedule_in(request)
    if found is None:
        return None
    if found.command is not None:
        return commanded(request, found.command)
    if found.asks:
        analysis = spoken(request, "", GOAL)
        return analysis.model_copy(update={"missing": (Missing(what=found.asks, question=found.asks),)})
    return spoken(request, found.says, GOAL, understood=False)


def schedule_in(request: Request) -> ScheduleRead | None:
    """As `read_schedule`, with the lines of the last briefing by their numbers. Their words, which others have written, are put in
    once all is read, and only where they are merely told again."""
    text = pointed(request).request.text
    found = read_schedule(text, request.setting) or read_schedule(corrected(text, request.setting)[0], request.setting)
    if found is None and IT.search(text) and _spoke_of_one(request):
        return change_of_it(text, request.setting)
    if found is None or not REFERENCE.search(text):
        return found
    if found.asks:
        return found.model_copy(update={"asks": named(found.asks, request.shown)})
    command = found.command
    if not isinstance(command, CreateSchedule) or not isinstance(command.task, Remind):
        return None
    task = Remind(text=named(command.task.text, request.shown))
    name = short(named(command.name, request.shown), MOST_NAME)
    return ScheduleRead(command=command.model_copy(update={"task": task, "name": name}))


def names_more(text: str) -> bool:
    """Whether it is worth asking `and_schedule`."""
    return ASIDE.search(text) is not None


def and_schedule(request: Request) -> tuple[str, str] | None:
    """ "Show my mails from Tom and remind me tomorrow at 9 to call him": what else is wanted, and what makes a schedule. None where
    the second may belong to the first: to its time, its condition or its dictated words."""
    found = next((one for one in reversed(list(ASIDE.finditer(request.text)))), None)
    if found is None:
        return None
    first, second = request.text[: found.start()].strip(), request.text[found.end() :]
    both, alone, aside = (read_schedule(text, request.setting) for text in (request.text, first, second))
    if aside is None or not isinstance(aside.command, CreateSchedule) or both == aside:
        return None
    beside = alone is not None and alone.command is not None
    if not plain(first) or CONDITION.match(first) or undictated(first)[1] or (both is not None and both.command and not beside):
        return None
    return None if _of_day(first, request) and not _of_day(second, request) else (first, second)


def _of_day(text: str, request: Request) -> bool:
    """Whether it names a day, which the hour of what is said beside it may be of."""
    setting = request.setting
    return any(one.spec.has_date for one in read_times(text, now=setting.now, zone=setting.zone))


def _spoke_of_one(request: Request) -> bool:
    """Whether the user's last message made a schedule or changed one, and nothing is proposed that "it" can be."""
    said = (line.removeprefix(BY_USER) for line in reversed(request.history) if line.startswith(BY_USER))
    whole = next((one for one in said if change_of_it(one, request.setting) is None), "")
    before = read_schedule(whole, request.setting) if whole and not request.proposal else None
    return before is not None and isinstance(before.command, CreateSchedule | ChangeSchedule)
