"""Briefings: "every weekday at 8 summarise my inbox and my day", "Sunday evening: my week", "brief me"."""

import re
from collections.abc import Sequence
from datetime import time
from typing import NamedTuple

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.scheduling.targets import cut_targets
from assistant.reasoning.offline.planning.scheduling.times import (
    EVENING,
    MORNING,
    NeedsTime,
    Times,
    ended,
    in_zone,
    rule_of,
    times_in,
    together,
)
from assistant.reasoning.offline.planning.scheduling.words import WORD
from assistant.timetable.rules import MORNING as BOTH
from assistant.timetable.rules import Cron, GiveBriefing, Once, Part, Rule
from assistant.values import CreateSchedule, OwnCommand, ShowBriefing

NOUNS = frozenset("briefing brief summary summaries digest recap rundown run-down overview roundup round-up outlook".split())
VERBS = frozenset("brief briefed summarise summarize recap digest sum".split())
GIVING = frozenset(
    "give send show tell get prepare deliver make write read run do have push generate produce create start set put".split()
)
INBOX = frozenset("inbox mail mails email emails e-mail e-mails mailbox messages correspondence".split())
DAY = frozenset("day agenda calendar schedule appointments meetings events diary".split())
WEEK = frozenset({"week"})
AROUND = frozenset(
    """a an the my me us of for on about with at in to from both and as well plus also up together new what's what is are i there it
    some quick short brief full nice little daily morning evening weekly day's week's today's today coming next this ahead
    whole upcoming own personal usual regular one now please can could you would want like need be get 'd i'd lies comes
    status state report sunday monday tuesday wednesday thursday friday saturday noon evening's afternoon night""".split()
)
KNOWN = NOUNS | VERBS | GIVING | INBOX | DAY | WEEK | AROUND
CONTENT = re.compile(
    r"\b(?:my|the|this|coming|next|today's|of my|the coming|this coming)\s+(?:(?:whole|coming|next|upcoming|entire)\s+)?"
    r"(?P<what>day|week|weekend)(?:'s)?\b(?!\s+(?:of|before|after))(?:\s+ahead\b)?|\btoday's\b|\bfor today\b|\bweek ahead\b"
    r"|\b(?:daily|weekly)(?=\s+(?:[a-z]+\s+)?(?:briefing|brief|summary|digest|recap|overview|rundown|round-?up)s?\b)",
    re.IGNORECASE,
)
MAILED = re.compile(r"\b(?:e-?mail|mail)(?=\s+(?:me|us)\b)", re.IGNORECASE)
ADJECTIVES = re.compile(r"\ba(?:n|nother)?\s+(?:short |brief |quick )?(?P<how>daily|weekly)\b", re.IGNORECASE)
BRIEFED = re.compile(r"\bbrief(?:\s+(?:me|us))\b|\b(?:briefing|brief)\b", re.IGNORECASE)
LABEL = re.compile(
    r"(?:on\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?:\s+(?:morning|evening|afternoon|night|noon)s?)?"
    r"(?:\s+at\s+[\w:. ]+?)?\s*:",
    re.IGNORECASE,
)
"""A timetable's label, which stands for every week: "Sunday evening: my week"."""
ASKED_FOR = re.compile(
    r"\bbrief\s+(?:me|us)\b|^(?:the\s+)?briefing$"
    r"|\b(?:my|a|me the|today's|morning's|morning|daily|weekly|evening|inbox)\s+(?:\w+\s+)?briefing\b",
    re.IGNORECASE,
)
EVENTS = frozenset({"meetings", "events", "appointments"})
MEETING = re.compile(r"^(?:schedule|book|set up|arrange|plan|create|add|make|put)\b", re.IGNORECASE)
WONDERING = re.compile(r"(?:is|are|was|were|does|did|has|when|which|who|whose|where)\b", re.IGNORECASE)
SETTING_UP = re.compile(
    r"(?:set ?up|create|start|schedule|add)\b.*\b(?:morning|evening)\s+(?:briefing|summary|digest|recap|overview)\b", re.IGNORECASE
)
OF_THAT_DAY = re.compile(r"(?:\bon|\babout|\bfor) (?:today|tomorrow|yesterday|this|next)\b|day's\b", re.IGNORECASE)
"""That is what a briefing is wanted about, not when."""
DESCRIBED = re.compile(r"\b(?:morning|daily|weekly|evening|inbox|my|me)\b", re.IGNORECASE)


def named_parts(words: str) -> tuple[Part, ...]:
    return About(frozenset(word.lower() for word in WORD.findall(words)), words).parts


class About(NamedTuple):
    """The words of a request for a briefing without its times and targets."""

    words: frozenset[str]
    text: str

    @property
    def parts(self) -> tuple[Part, ...]:
        named: tuple[tuple[Part, frozenset[str]], ...] = (("inbox", INBOX), ("day", DAY), ("week", WEEK))
        found = tuple(part for part, words in named if self.words & words)
        return found or (("inbox", "week") if "weekly" in self.words else BOTH)

    @property
    def named(self) -> bool:
        return bool(self.words & (INBOX | DAY | WEEK))


def briefing(text: str, setting: Setting) -> OwnCommand | None:
    """None where the words say anything else besides. Raises BadRule."""
    if WONDERING.match(text):
        return None
    mailed = MAILED.search(text) is not None
    text = ended(text, setting).text
    said, there, zone = in_zone(MAILED.sub(lambda found: "send".ljust(len(found[0])), text), setting)
    bare, targets = cut_targets(said)
    found = times_in(CONTENT.sub(lambda named: "x" * len(named[0]), bare), there)
    about = _about(bare, found)
    found = together(found)
    if about is None or len(found) > 1:
        return None
    targets = tuple(dict.fromkeys((*targets, *(["mail"] if mailed else []))))
    if not found:
        return _without_time(about, bare, targets)
    recurs = found[0].recurs or LABEL.match(text) is not None or bool(_how_often(text))
    if not _wants(about, text, found[0], recurs=recurs):
        return None
    try:
        rule = _rule(found[0], bare, there)
    except NeedsTime:
        return None
    return _created(about, rule, targets, zone)


def _about(text: str, found: Sequence[Times]) -> About | None:
    """None where a word is none of a request for a briefing."""
    for times in reversed(found):
        text = text[: times.begin] + " " + text[times.end :]
    words = frozenset(word.lower() for word in WORD.findall(text.replace("'s ", " ")))
    return About(words, text) if words <= KNOWN else None


def _wants(about: About, text: str, times: Times, *, recurs: bool) -> bool:
    """Whether that asks for a briefing, at a time that is its own and not that of the day or week it is about."""
    words, front = about.words, times.begin == 0
    sums_up = bool(words & (NOUNS | VERBS)) or (about.named and "prepare" in words)
    if MEETING.match(text) and not (sums_up and DESCRIBED.search(text)):
        return False
    asks = bool(words & {"what", "what's", "is", "are"})
    listed = front and about.named and not asks and not words & GIVING
    if not recurs:
        if not times.timed and not front and (words & (DAY | WEEK) or OF_THAT_DAY.search(text)):
            return False
        briefed = BRIEFED.search(about.text) is not None
        plainly = times.timed and (listed or (sums_up and (front or not words & EVENTS)))
        return briefed or plainly
    given = about.named and bool(words & GIVING) and bool(words & {"me", "us"})
    asked = about.named and asks and (front or not words & (DAY | WEEK))
    return sums_up or given or listed or asked


def _how_often(text: str) -> str:
    """ "daily", "weekly", where "a daily briefing" says it; a morning briefing that is set up comes every day."""
    found = ADJECTIVES.search(text)
    return found["how"].lower() if found else "daily" if SETTING_UP.match(text) else ""


def _rule(times: Times, text: str, setting: Setting) -> Rule:
    rule = rule_of(times, text, setting, _unsaid(text), early=True)
    if not isinstance(rule, Once):
        return rule
    at, often = f"{rule.at.minute} {rule.at.hour}", _how_often(text)
    if LABEL.match(text) or often == "weekly":
        return Cron(expression=f"{at} * * {rule.at.isoweekday() % 7}")
    dated = any(spec.has_date for spec in times.specs)
    return Cron(expression=f"{at} * * *") if often == "daily" and not dated else rule


def _unsaid(text: str) -> time:
    return EVENING if re.search(r"\bevening|\bnight", text, re.IGNORECASE) else MORNING


def _without_time(about: About, text: str, targets: tuple[str, ...]) -> OwnCommand | None:
    """At once; "send me a daily briefing" names no hour and still recurs."""
    if (often := _how_often(text)) and about.words & NOUNS and ("me" in about.words or SETTING_UP.match(text)):
        return _created(about, Cron(expression=f"0 {_unsaid(text).hour} * * {'*' if often == 'daily' else '1'}"), targets, "")
    at_once = ASKED_FOR.search(text) and not MEETING.match(text) and not targets
    return ShowBriefing(parts=about.parts) if at_once else None


def _created(about: About, rule: Rule, targets: tuple[str, ...], zone: str) -> CreateSchedule:
    task = GiveBriefing(parts=about.parts)
    return CreateSchedule(name=name_of(about.parts, rule), task=task, rule=rule, targets=targets, zone=zone)


def name_of(parts: tuple[Part, ...], rule: Rule) -> str:
    if "week" in parts:
        return "Weekly briefing"
    if len(parts) == 1:
        return "Inbox summary" if parts == ("inbox",) else "Calendar summary"
    hour = _hour(rule)
    if hour is None or 12 <= hour < 17:
        return "Daily briefing"
    return "Morning briefing" if hour < 12 else "Evening briefing"


def _hour(rule: Rule) -> int | None:
    """None where there are several."""
    if isinstance(rule, Cron):
        hour = rule.expression.split()[1]
        return int(hour) if hour.isdigit() else None
    if isinstance(rule, Once):
        return rule.at.hour
    return None if "BYHOUR" in rule.rrule else rule.start.hour
