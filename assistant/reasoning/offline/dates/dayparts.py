"""Parts of the day: the morning, the late afternoon, tonight; which half of the day they put an hour into."""

from assistant.reasoning.offline.dates.lexicon import GREETINGS, PART_PLURALS, PARTS, WEEKDAYS
from assistant.reasoning.offline.dates.nodes import Clock, Hours, Match
from assistant.reasoning.offline.dates.tokens import Sentence


def part(s: Sentence, i: int, *, after_day: bool = False) -> Match[Hours]:
    """ "in the morning", "late afternoon", "at night". `after_day`: the bare word will do, as in "Friday morning"."""
    j = i
    led = s.words[j] in ("in", "during", "at", "over")
    j += led
    half = ""
    if s.words[j] in ("early", "late", "later", "earlier", "mid"):
        half = "early" if s.words[j].startswith("earl") else "late" if s.words[j].startswith("late") else "mid"
        j += 1
        j += s.words[j] in ("in", "-")
    articled = s.words[j] in ("the", "my")
    j += articled
    if s.words[j] in ("early", "late"):
        half, j = s.words[j], j + 1
    name = PART_PLURALS.get(s.words[j], s.words[j])
    if name == "lunch" and s.words[i] == "at":
        name = "lunchtime"
    if name not in PARTS or (name == "lunchtime" and s.words[j] == "lunch" and s.words[i] != "at"):
        return None
    alone = s.words[j + 1] == "only" and s.before(i) not in WEEKDAYS
    if not (after_day or led or half or alone or (name in ("afternoon", "evening", "lunchtime") and _said(s, i, j))):
        return None
    return hours_of(name, half), j + 1


def _said(s: Sentence, i: int, j: int) -> bool:
    """A part of the day by itself; no greeting, no name of something."""
    after = s.words[j + 1]
    return s.before(i) not in GREETINGS and i > 0 and after not in ("tea", "shift", "news", "dress", "show", "edition", "standard")


def hours_of(name: str, half: str = "") -> Hours:
    first, last, _ = PARTS[name]
    middle = (first + last) // 2
    if half == "early":
        last = middle
    elif half == "late":
        first = middle
    elif half == "mid":
        first, last = middle - 1, middle + 1
    return Hours(Clock(first, sure=True), Clock(last, sure=True), part=name)


def in_part(time: Clock, name: str) -> Clock:
    """8 "in the evening" is 20:00, 12 "at night" midnight; what was said with am or pm stays."""
    if time.sure or not 1 <= time.hour <= 12:
        return time
    if name in ("morning", "forenoon"):
        return time._replace(sure=True)
    if name == "night" and (time.hour == 12 or time.hour < 5):
        return time._replace(hour=24 + time.hour % 12, sure=True)
    if name == "lunchtime" and time.hour > 10:
        return time._replace(sure=True)
    return time.half(True)
