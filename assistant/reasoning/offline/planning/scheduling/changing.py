"""Another time or another way for a schedule that there is: "move my morning briefing to 9", "also send it by mail"."""

import re
from datetime import timedelta

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.scheduling.managing import named
from assistant.reasoning.offline.planning.scheduling.rules import BadRule
from assistant.reasoning.offline.planning.scheduling.targets import cut_targets
from assistant.reasoning.offline.planning.scheduling.times import HOUR_SAID, NeedsTime, Times, rule_of, times_in, together
from assistant.values import ChangeSchedule

MOVING = re.compile(
    r"(?:move|change|reschedule|postpone|shift|put(?: off)?|push|set|switch|make|snooze|have|let|bring forward)\s+", re.IGNORECASE
)
INSTEAD = re.compile(r"[\s,]*\b(?:instead(?: of [\w:. ]+)?|rather than [\w:. ]+|from now on|in future)$", re.IGNORECASE)
AGAIN = re.compile(
    r"(?:(?:send|give|deliver)(?: me)?\s+(?P<which>.+?)|(?P<brief>brief me)|remind me (?P<of>(?:about|of|to)\s.+?))\s+"
    r"(?:only\s+)?$",
    re.IGNORECASE,
)
MAKING = re.compile(r"(?:set|put|make|have|let)\b", re.IGNORECASE)
DEFINITE = re.compile(r"(?:the|my|our|this|that|it)\b", re.IGNORECASE)
NEW = re.compile(r"(?:an?|another|new)\b", re.IGNORECASE)
LINK = re.compile(r"\s*\b(?:to|for|at|on|be|come|comes|arrive|start|until|by)?\s*$", re.IGNORECASE)
BARE = re.compile(r"\b(?:be\s+|come\s+|to\s+)?(?P<hour>\d{1,2}(?:[:.]\d\d)?)$", re.IGNORECASE)
ITS_TIME = re.compile(r"(?:the )?(?:time|hour|day) (?:of|for) ", re.IGNORECASE)
IT = frozenset({"it", "that", "this", "this one", "that one"})
ALSO = re.compile(
    r"\b(?:also|too|as well|in addition|additionally|from now on|in (?:the )?future|always|every time)\b", re.IGNORECASE
)
SENDING = re.compile(r"(?:send|deliver|push|give|mail|e-?mail|get|tell)(?: me)?\s+(?P<which>.+)", re.IGNORECASE)
MAILING = re.compile(r"(?:e-?mail(?:ing)?|mail(?:ing)?)\s+(?:me|it|that|this|the|my)\b", re.IGNORECASE)
NO_MORE = re.compile(
    r"(?:stop|don't|do not|no longer|never)\s+(?:send(?:ing)?|deliver(?:ing)?|push(?:ing)?|e-?mail(?:ing)?|mail(?:ing)?)(?: me)?\s+"
    r"(?P<which>.+?)",
    re.IGNORECASE,
)
ENDS = re.compile(
    r"[\s,]*\b(?:to me|also|too|as well|in addition|any ?more|any longer|again|from now on|in future|every time)$", re.IGNORECASE
)
CHANGE = "Say its new time like “move the reminder about … to 9”, or cancel it and say the new one."
RENAMING = re.compile(
    r"(?:change|rename|edit|delay|snooze|push|postpone|move)\s+(?P<which>.+?)(?:\s+(?:to|by|for|back|until)\b.*)?", re.IGNORECASE
)


def change(text: str, whole: str, setting: Setting) -> ChangeSchedule | None:
    """None where the words name no schedule, or no time and no target. `whole` is the message with its polite words. Raises
    BadRule."""
    return _delivered(text, whole) or _timed(text, setting)


def unchanged(text: str) -> str:
    """What to say instead, where something else is wanted of a schedule that there is; empty where nothing of the kind is."""
    found = RENAMING.fullmatch(text)
    return CHANGE if found is not None and named("remove", found["which"]) is not None else ""


def _timed(text: str, setting: Setting) -> ChangeSchedule | None:
    said = INSTEAD.sub("", text)
    moving = MOVING.match(said)
    said = BARE.sub(r"at \g<hour>", said) if moving or said != text else said
    last = next((one for one in reversed(together(times_in(said, setting))) if not said[one.end :].strip(" .!")), None)
    if last is None:
        return None
    words = _moved(moving, said[moving.end() : last.begin]) if moving else _again(said[: last.begin]) if said != text else None
    if words is None:
        return None
    return _change(words, last, said, setting)


def _moved(moving: re.Match[str], said: str) -> tuple[str, ...] | None:
    """One that there is: not "set a reminder for 9"."""
    known = DEFINITE.match(said) if MAKING.match(moving[0]) else not NEW.match(said)
    return _which(said) if known else None


def _change(words: tuple[str, ...], times: Times, said: str, setting: Setting) -> ChangeSchedule:
    dated = any(spec.has_date or spec.kind == "repeat" for spec in times.specs)
    timed = any(spec.has_time and (spec.kind != "repeat" or HOUR_SAID.search(spec.text)) for spec in times.specs)
    if not dated:  # an hour, which counts on whatever days there are
        midnight = setting.now.astimezone(setting.zone).replace(hour=0, minute=0, second=0, microsecond=0)
        setting = setting.model_copy(update={"now": midnight - timedelta(seconds=1)})
    try:
        rule = rule_of(times, said, setting, setting.day_starts, early="reminder" not in words)
    except NeedsTime as open_still:
        raise BadRule(CHANGE) from open_still
    return ChangeSchedule(words=words, rule=rule, dated=dated, timed=timed)


def _again(before: str) -> tuple[str, ...] | None:
    """ "Brief me at 7 instead", "send me the briefing at 8:30 instead of 8"."""
    found = AGAIN.fullmatch(LINK.sub(" ", before))
    if found is None:
        return None
    return ("briefing",) if found["brief"] else _which(found["which"] or f"the reminder {found['of']}")


def _which(said: str) -> tuple[str, ...] | None:
    """Empty for "it"; None where no schedule is named."""
    which = ITS_TIME.sub("", LINK.sub("", said)).strip(" ,")
    if which.lower() in IT:
        return ()
    meant = named("remove", which)
    return meant.words if meant is not None and meant.words and not meant.every else None


def _delivered(text: str, whole: str) -> ChangeSchedule | None:
    stopping = NO_MORE.fullmatch(ENDS.sub("", text))
    sending = stopping or (SENDING.fullmatch(ENDS.sub("", text)) if ALSO.search(whole) else None)
    if sending is None:
        return None
    which, targets = cut_targets(sending["which"])
    if MAILING.search(text):
        targets = (*targets, "mail")
    words = _which(which)
    if words is None or not targets:
        return None
    return ChangeSchedule(words=words, without=targets) if stopping else ChangeSchedule(words=words, targets=targets)
