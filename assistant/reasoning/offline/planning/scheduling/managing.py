"""Schedules that there are: asked for, paused, resumed, removed, run at once."""

import re
from collections.abc import Collection
from typing import Literal

from assistant.reasoning.offline.planning.scheduling.words import WORD
from assistant.values import ManageSchedule, OwnCommand, ShowSchedules

Act = Literal["pause", "resume", "remove", "run"]

KINDS = {"reminder": "reminder", "reminders": "reminder", "briefing": "briefing", "briefings": "briefing", "schedules": ""}
"""What schedules are called, and the word that each of that kind fits."""
SEVERAL = frozenset({"reminders", "briefings", "schedules"})
SUMMARIES = frozenset("summary summaries digest recap overview rundown".split())
OTHER = frozenset(
    """mail mails email emails e-mail message messages meeting meetings event events calendar appointment appointments invitation
    invite invites agenda diary from sent wrote with attendees guests flight""".split()
)
ASKING = frozenset(
    """what what's which when when's where is are there any do does did i have has my the all of mine list show tell me give see
    display view please can could you let know about next coming upcoming future current currently active paused open still set up
    scheduled recurring planned regular existing will be due get go to for on now today tomorrow this week how many
    got been a an and or in morning daily weekly evening sunday monday""".split()
)
OPENING = frozenset("what what's when when's which is are do any".split())
DUE = frozenset("next when when's reminder".split())
DESCRIBING = frozenset(
    """morning evening daily weekly afternoon night inbox mail week day calendar sunday monday tuesday wednesday thursday friday
    saturday weekday weekend monthly hourly first second schedule""".split()
)
EVERY = frozenset({"all", "every", "both", "everything"})
FILLERS = EVERY | frozenset(
    """the my a an of about to for that on in at please now again any each me it one ones this today good and i have is are from
    with set up scheduled recurring right away immediately once until further notice more also as well just 's been which you
    sending giving""".split()
)
ABOUT = re.compile(r"\b(?P<kind>reminders?) (?:about|to|of|for|that|on)\b(?P<what>.*)", re.IGNORECASE)
"""Whatever stands behind it is what the reminder is of."""

_ACTS: tuple[tuple[Act, str], ...] = (
    ("pause", "pause|suspend|hold off(?: on)?|put on hold|mute|silence|halt"),
    ("resume", "resume|unpause|restart|reactivate|continue(?: with)?|(?:turn|switch) (?:back )?on|re-?enable|enable|unmute"),
    ("remove", "stop|cancel|delete|remove|end|drop|discard|scrap|get rid of|(?:turn|switch) off|disable|call off|quit|clear"),
    ("remove", "forget(?: about)?|no more|i (?:don't|do not|no longer) (?:need|want)"),
    ("run", "run|execute|trigger|fire off|fire"),
)
_AROUND: tuple[tuple[Act, str], ...] = (
    ("pause", "put (?P<which>.+?) on hold"),
    ("resume", "(?:turn|switch) (?P<which>.+?) (?:back )?on(?: again)?"),
    ("remove", "(?:turn|switch) (?P<which>.+?) off"),
)
NAMING = [(act, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for act, words in _ACTS]
ACTING = [
    (act, re.compile(words, re.IGNORECASE))
    for act, words in (*_AROUND, *((act, rf"(?:{words})\s+(?P<which>.+?)(?: any ?more| any longer)?") for act, words in _ACTS))
]
STOPPING = re.compile(
    r"(?:stop|(?:do not|don't|no longer|never)) "
    r"(?P<verb>remind(?:ing)? me|brief(?:ing)? me|(?:send(?:ing)?|giv(?:e|ing)) me|summari[sz](?:e|ing))\b"
    r"(?: (?:to|about|of|that|on|the|my))*(?P<which>.*?)(?: any ?more| any longer| again| now)?",
    re.IGNORECASE,
)
WILL = re.compile(
    r"what (?:will|are|do) you (?:going to )?(?:remind|reminding) me (?:of|about)"
    r"|when (?:will|do) you (?:brief|remind) me(?: next| again)?",
    re.IGNORECASE,
)


def managing(text: str) -> OwnCommand | None:
    """None where the words name no schedule, or could name something else."""
    if WILL.fullmatch(text) or _asks(_words(text)):
        return ShowSchedules()
    if (stopping := STOPPING.fullmatch(text)) is not None:
        return _stopped(stopping["verb"].lower(), stopping["which"])
    acts = ((act, match["which"]) for act, verb in ACTING if (match := verb.fullmatch(text)))
    return next((found for act, which in acts if (found := named(act, which))), None)


def names_act(act: Act, text: str) -> bool:
    return any(naming.search(text) for name, naming in NAMING if name == act)


def _words(text: str) -> list[str]:
    return WORD.findall(text.replace("'s ", " "))


def _asks(words: list[str]) -> bool:
    """ "What reminders do I have?", "my schedules", "when is my next briefing?"."""
    said = {word.lower() for word in words}
    if not said & set(KINDS) or not said <= ASKING | set(KINDS):
        return False
    if "give" in said and not said & {"schedules", "reminders"}:
        return False
    return bool(said & SEVERAL) or (words[0].lower() in OPENING and bool(said & DUE))


def named(act: Act, which: str) -> ManageSchedule | None:
    """The words by which it is found: its kind and what else is said of it."""
    about = ABOUT.search(which)
    words = _words(which[: about.start("what")] if about else which)
    said = {word.lower() for word in words}
    if said & OTHER - DESCRIBING - {"from", "with"} or (said & {"from", "with"} and not about):
        return None
    kind = next((word for word in said if word in KINDS), "")
    described = said <= SUMMARIES | DESCRIBING | FILLERS | set(KINDS)
    if not kind:
        by_name = described and said & SUMMARIES and "my" in said
        return ManageSchedule(act=act, words=_telling(words), every=bool(said & EVERY)) if by_name else None
    if not described and KINDS[kind] != "reminder":
        return None
    rest = _telling([*words, *_words(about["what"] if about else "")], set(KINDS) | {"schedule"})
    every = bool(said & EVERY) or (kind in SEVERAL and not rest)
    return ManageSchedule(act=act, words=(*filter(None, [KINDS[kind]]), *rest), every=every)


def _telling(words: list[str], but: Collection[str] = ()) -> tuple[str, ...]:
    return tuple(word for word in words if word.lower() not in FILLERS and word.lower() not in but)


def _stopped(verb: str, which: str) -> ManageSchedule | None:
    """ "Stop reminding me about the rent", "stop sending me the morning briefing"."""
    rest = _telling(_words(which), KINDS)
    if verb.startswith("remind"):
        return ManageSchedule(act="remove", words=("reminder", *rest), every=not rest)
    if verb.startswith("brief"):
        described = {word.lower() for word in rest} <= DESCRIBING
        return ManageSchedule(act="remove", words=("briefing", *rest)) if described else None
    return named("remove", f"my {which}")
