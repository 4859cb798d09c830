"""Requests that recur: "every Friday at 4 pm reply to everyone who asked for the report"."""

import re

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.message.messages import pieces
from assistant.reasoning.offline.planning.scheduling.times import MORNING, NeedsTime, in_zone, rule_of, times_in
from assistant.reasoning.offline.planning.scheduling.words import capitalised, plain, short, tidy
from assistant.reasoning.offline.reading.grammar import read
from assistant.timetable.rules import Ask
from assistant.values import CreateSchedule

FILING = re.compile(r"^(?:archive|delete|trash|bin|clean up|mark|flag|star|file|forward|reply to|answer)\b", re.IGNORECASE)
TELLING = re.compile(
    r"^(?:tell|show|send|give|list|find|look for|check|search|get|let me know|what|which|who|is|are|do"
    r"|did|have|how many|when|where)\b",
    re.IGNORECASE,
)
TELL_ME = re.compile(
    r"(?:tell|show|send|give|read) me|let me know|list|find|check|look(?: up| for)?|search(?: for)?", re.IGNORECASE
)
STATING = re.compile(r"^(?:is|are|was|were|has|have|do|does|did|will|can|should)\b", re.IGNORECASE)
ASKING = re.compile(r"\?\s*$")
DICTATES = re.compile(r"\b(?:that|saying|say|says|if|when|which|who|whether)\b|[:\"]", re.IGNORECASE)
EVENTFUL = re.compile(
    r"^(?:schedule|book|set up|arrange|plan|create|add|put|block|reserve|meet|invite|have (?:a|an|the)|lunch)\b", re.IGNORECASE
)
READS = ("event.find", "event.next", "event.count", "event.check", "event.free", "event.slots", "event.clashes", "event.summarise")
LONGEST = 600


def recurring_request(text: str, setting: Setting) -> CreateSchedule | None:
    """None unless a recurrence stands in front of a request about mail, or behind one to file some. Raises BadRule."""
    if len(text) > LONGEST:
        return None
    said, there, zone = in_zone(text, setting)
    found = [times for times in times_in(said, there) if times.recurs]
    if not found:
        return None
    times = found[0]
    before, behind = said[: times.begin].strip(" ,:"), said[times.end :].strip(" .!?,:")
    if behind and (not before or TELL_ME.fullmatch(before)):
        rest = plain(tidy(f"{before} {said[times.end :]}"))
        states = STATING.match(rest) and not ASKING.search(text) and not said[times.end :].lstrip().startswith(":")
        wanted = not states and (TELLING.match(rest) is not None or not EVENTFUL.match(rest))
    elif before and not behind and times.timed:
        rest = plain(tidy(before))
        wanted = FILING.match(rest) is not None and not DICTATES.search(rest)
    else:
        return None
    if not wanted or not rest or not _of_mail(rest, setting):
        return None
    try:
        rule = rule_of(times, said, there, MORNING, early=TELLING.match(rest) is not None)
    except NeedsTime:
        return None
    words = capitalised(rest)
    return CreateSchedule(name=short(words), task=Ask(text=words), rule=rule, zone=zone)


def _of_mail(rest: str, setting: Setting) -> bool:
    """Whether all that it asks for is done with mails, or only looks at events."""
    asked = [piece for piece in pieces(rest, setting) if piece.role != "told"]
    readings = [read(piece.text, setting) for piece in asked]
    return bool(asked) and all(one.call is not None and _fits(one.call.operation, rest) for one in readings)


def _fits(operation: str, rest: str) -> bool:
    return operation.startswith("mail.") or (operation in READS and TELLING.match(rest) is not None)
