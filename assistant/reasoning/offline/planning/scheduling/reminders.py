"""Reminders: "remind me to call the bank on Friday", "set a reminder for Monday: pay the rent"."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.scheduling.rules import BadRule
from assistant.reasoning.offline.planning.scheduling.targets import cut_targets
from assistant.reasoning.offline.planning.scheduling.times import (
    HOW_LONG,
    TWICE,
    NeedsTime,
    Times,
    ended,
    in_zone,
    rule_of,
    times_in,
    together,
)
from assistant.reasoning.offline.planning.scheduling.words import capitalised, short, tidy
from assistant.timetable.rules import Cron, Once, Remind, Rule
from assistant.values import CreateSchedule

REMINDING = re.compile(
    r"(?:(?:remind(?:ing)?|nudge|ping|alert|prompt) (?:me|us)|(?:let|make sure) (?:me|i) (?:not |don't )?(?:forget|remember)"
    r"|don't let me forget|(?:(?:i(?:'d| would)? (?:want|need|like) )?to )?be reminded|send me a reminder"
    r"|(?:(?:set|create|make|add|schedule|leave|give me|put(?: in)?|set up|i need|i want|i'd like|need|new)\s+)?(?:up )?(?:me )?"
    r"(?:a |another |one |an? \w+ )?(?<!\w)reminders?(?: for me)?)\b",
    re.IGNORECASE,
)
SETTING = re.compile(r"(?:set|create|make|add|leave|give|put|i need|i want|new)\b", re.IGNORECASE)
OFTEN = re.compile(r"\b(?:daily|weekly|monthly)\b", re.IGNORECASE)
CALENDAR = re.compile(
    r"\b(?:in|into|on|to|as) (?:my |the |our |an? )?(?:calendar|diary|agenda)\b|\bcalendar (?:reminder|entry|event)", re.IGNORECASE
)
"""With one of these the reminder is an entry there."""
BEFORE = re.compile(
    r"\b(?:i|want|would|like|need|'d|please|can|could|you|and|so|me|set|give|then|also|to)\b|[\s,:;'-]", re.IGNORECASE
)
"""What may stand before the verb besides a time."""
GAP = re.compile(r"\s*(?:,\s*)?(?:for\s+|on\s+|at\s+)?", re.IGNORECASE)
WAY = re.compile(r"\s*(?:by|via|on my|over)\s+(?:my )?([a-z][\w-]*)", re.IGNORECASE)
LINK = re.compile(
    r"\s*(?:[:,-]\s*)?(?:(?P<link>to|that|about|of|for|it's time to|i (?:have|need|must|should) to)\b\s*|(?P<colon>[:,-])\s*)",
    re.IGNORECASE,
)
NO_LINK = re.compile(
    r"(?P<link>)\s*(?!(?:by|before|after|until|till|from|with|in|on|at|if|once|as|e?-?mails?|messages?|notes?)\b)(?=\w|$)",
    re.IGNORECASE,
)
""" "Remind me tomorrow call Omar": what is left out where a question was answered."""
RELATIVE = re.compile(
    r"\s*(?:(?:\d+|an?|half an|one|two|three|five|ten|fifteen|thirty|some|a few|shortly|right|the) )?"
    r"(?:(?:min(?:ute)?s?|hours?|days?|weeks?|evening|morning|night) )?(?:before|after)\b",
    re.IGNORECASE,
)
UNREAD_TIME = re.compile(r"\s*(?!of\b|about\b|that\b|by\b)(?P<when>[^,.;:\"]{1,40}?)\s+(?:to|that|about)\s+\w", re.IGNORECASE)
SAY_WHEN = "tell me the day and the hour, like “remind me on Friday at 9 to print the slides”."
OF_EVENTS = f"I can't reckon from an event: {SAY_WHEN}"
RECALLING = re.compile(r"\s*(?:of |about )?(?:what|when|where|who|whom|whose|which|how|if|whether|why)\b", re.IGNORECASE)
TOLD_BY = re.compile(
    r"\b(?:gave|said|sent|wrote|mentioned|told|promised|suggested|proposed|wanted|asked|agreed|discussed|offered)\b", re.IGNORECASE
)
"""Of what somebody said, one is reminded at once, by a look."""
OF_CONTENT = re.compile(
    r"(?:\b(?:the|my|our|a|an|his|her|their|your|this|due|from|for|of|since|by|until|till|before|after|between|than|about|'s)\s+|s'\s+)$",
    re.IGNORECASE,
)
"""Behind one of these a time belongs to what to remind of."""
CALLED = re.compile(r"(?:s'|'s|\b(?:date|quiz|game|movie|film|poker))\s+(?:evening|morning|afternoon|night)\b", re.IGNORECASE)
"""What is so called is no time."""
AND_THEN = re.compile(r"\s*(?:and|&|plus)\s+(?:also\s+|then\s+)?(?:(?:on|at|in)\s+)?", re.IGNORECASE)
ONE_MORE = re.compile(r"\b(?:and|&|plus|then)\s+(?:also\s+|then\s+)?$", re.IGNORECASE)
TO_DO = re.compile(r"\s+(?:to|that|about)\b", re.IGNORECASE)
SENTENCES = re.compile(r"[.?!]\s+\S")
AND_DO = re.compile(
    r"(?:,|\band\b|\bthen\b)\s+(?:then |also |please )*(?:send|tell|write|reply|email|mail|forward|archive|delete|move|book"
    r"|schedule|invite|cancel|show|find|list|add|put|set|answer|draft|mark|flag|accept|decline)\b",
    re.IGNORECASE,
)
TARGET_LAST = re.compile(r"(?:,| and (?:please )?(?:send|deliver|push|mail|e-?mail) (?:it|that|this)\b).*$", re.IGNORECASE)
LONGEST, MOST_NAME = 500, 50


class Reminder(NamedTuple):
    """`command` None: `asks` when it is to be."""

    command: CreateSchedule | None
    asks: str = ""


class Opening(NamedTuple):
    """What was said up to what to remind of, which begins at `end`. `kind` is how it is joined: "to", "about", ":"."""

    verb: str
    kind: str
    end: int
    times: Times | None
    targets: tuple[str, ...]


def reminder(text: str, setting: Setting) -> Reminder | None:
    """None where it is no reminder, or more than one thing. Raises BadRule."""
    if len(text) > LONGEST or CALENDAR.search(text):
        return None
    bound = ended(text, setting)
    said, there, zone = in_zone(bound.text, setting)
    found = times_in(CALLED.sub(lambda named: "x" * len(named[0]), said), there)
    opening = _opening(said, found)
    if opening is None:
        return None
    if bound.unclear:
        raise BadRule(HOW_LONG.format(bound.unclear))
    if not said[opening.end :].strip(" .!?"):
        return Reminder(None, "What shall I remind you of?" if opening.times else "What shall I remind you of, and when?")
    if _several(said, opening, found):
        raise BadRule(TWICE)
    times, words = opening.times, said[opening.end :]
    if times is None:
        times, words = _last_time(said, opening, found)
        if times is None and opening.kind in ("of", "about", "for") and "reminder" not in opening.verb:
            return None
        if times is not None and AND_DO.search(said, times.end):
            return None
    if SENTENCES.search(words) or (opening.kind in ("of", "about") and TOLD_BY.search(words)):
        return None
    words, targets = _cut_target(words)
    words = tidy(words)
    return _reminder(opening, words, times, said, there, zone, targets) if words else None


def _reminder(
    opening: Opening, words: str, times: Times | None, said: str, there: Setting, zone: str, targets: tuple[str, ...]
) -> Reminder:
    asks = f"When shall I remind you {_again(opening.kind, words)}?"
    if times is None:
        return Reminder(None, asks)
    try:
        rule = _repeated(rule_of(times, said, there, there.day_starts), opening.verb)
    except NeedsTime:
        return Reminder(None, asks)
    command = CreateSchedule(
        name=f"Reminder: {short(words, MOST_NAME)}",
        task=Remind(text=capitalised(words)),
        rule=rule,
        targets=tuple(dict.fromkeys((*opening.targets, *targets))),
        zone=zone,
    )
    return Reminder(command)


def _opening(said: str, found: Sequence[Times]) -> Opening | None:
    """A time may stand before the verb or behind it, a target behind it."""
    verb = REMINDING.search(said)
    if verb is None or not _only_time(said[: verb.start()], found):
        return None
    times = next((one for one in found if one.end <= verb.start()), None)
    behind, targets, end = _behind_verb(said, verb.end(), found)
    if RECALLING.match(said, end) or RECALLING.match(said, verb.end()):
        return None
    if behind is None and RELATIVE.match(said, verb.end()):
        raise BadRule(OF_EVENTS)
    loose = bool(found) or SETTING.match(verb[0]) is not None or not said[end:].strip()
    link = LINK.match(said, end) or (NO_LINK.match(said, end) if loose else None)
    kind, by = (link["link"] or ":").lower() if link else "", verb[0].lower()
    if link is None and behind is None and "reminder" not in by and (unread := UNREAD_TIME.match(said, end)):
        raise BadRule(f"I can't read “{unread['when']}” as a time: {SAY_WHEN}")
    if link is None:
        return None
    both = together(tuple(filter(None, (times, behind))))
    if len(both) > 1:
        raise BadRule(TWICE)
    return Opening(by, kind, link.end(), both[0] if both else None, targets) if kind != ":" or "remind" in by else None


def _several(said: str, opening: Opening, found: Sequence[Times]) -> bool:
    """ "On Monday and on Thursday to …", "at 5 to leave and at 6 to cook"."""
    if opening.times is None:
        return False
    beside = any(AND_THEN.fullmatch(said, opening.times.end, one.begin) for one in found)
    later = (one for one in found if one.begin >= opening.end and TO_DO.match(said, one.end))
    return beside or any(ONE_MORE.search(said[: one.begin]) for one in later)


def _only_time(before: str, found: Sequence[Times]) -> bool:
    for one in reversed(found):
        if one.end <= len(before):
            before = before[: one.begin] + " " + before[one.end :]
    return not BEFORE.sub("", before)


def _behind_verb(said: str, end: int, found: Sequence[Times]) -> tuple[Times | None, tuple[str, ...], int]:
    """A time and a target, in either order, and where they end."""
    times: Times | None = None
    targets: tuple[str, ...] = ()
    while True:
        gap = GAP.match(said, end)
        begin = gap.end() if gap else end
        nearest = next((one for one in found if times is None and end <= one.begin <= begin), None)
        way = WAY.match(said, end) if not targets else None
        named = cut_targets(way[0].strip())[1] if way else ()
        if nearest is not None:
            times, end = nearest, nearest.end
        elif way is not None and named:
            targets, end = named, way.end()
        else:
            return times, targets, end


def _last_time(said: str, opening: Opening, found: Sequence[Times]) -> tuple[Times | None, str]:
    """The time that is said with what to remind of, the last first, and the words without it; "that …" keeps it."""
    words = said[opening.end :]
    free = [one for one in found if one.begin >= opening.end and not _of_content(said, opening.end, one)]
    if not free:
        return None, words
    chosen = next((one for one in free if not said[one.end :].strip(" .!?,")), free[-1])
    if opening.kind == "that":
        return chosen, words
    return chosen, said[opening.end : chosen.begin] + " " + said[chosen.end :]


def _of_content(said: str, begin: int, times: Times) -> bool:
    return OF_CONTENT.search(said[begin : times.begin]) is not None or said[times.end :].startswith("'s")


def _cut_target(words: str) -> tuple[str, tuple[str, ...]]:
    """A target named last: ", by mail", "and send it to my phone"."""
    last = TARGET_LAST.search(words)
    left, targets = cut_targets(last[0]) if last else ("", ())
    return (words[: last.start()], targets) if last and targets and not left.strip(" ,.!") else (words, ())


def _repeated(rule: Rule, verb: str) -> Rule:
    """ "A daily reminder at 9"."""
    how = OFTEN.search(verb)
    if how is None or not isinstance(rule, Once):
        return rule
    days = {"daily": "* * *", "weekly": f"* * {rule.at.isoweekday() % 7}", "monthly": f"{rule.at.day} * *"}
    return Cron(expression=f"{rule.at.minute} {rule.at.hour} {days[how[0]]}")


def _again(kind: str, words: str) -> str:
    """The user's words as they are said back to them."""
    for own, yours in (
        (r"\bmyself\b", "yourself"),
        (r"\bmy\b", "your"),
        (r"\b(?:I am|I'm)\b", "you are"),
        (r"\b(?:I|me)\b", "you"),
    ):
        words = re.sub(own, yours, words)
    return f"{kind} {words}" if kind in ("to", "that", "about", "of") else f"about “{words}”"
