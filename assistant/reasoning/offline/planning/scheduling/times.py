"""The times that a schedule is said with, and the rule that they come to."""

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import NamedTuple

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates import read_times
from assistant.reasoning.offline.dates.clocks import zone as zone_at
from assistant.reasoning.offline.dates.tokens import Sentence
from assistant.reasoning.offline.planning.scheduling.rules import BadRule, anchored, recurring, within
from assistant.timetable.rules import Calendar, Once, Rule
from assistant.timetable.slots import next_due

MORNING, EVENING = time(8), time(18)
PART_HOURS = {6: 8, 8: 9, 12: 14}
"""At what hour a part of the day is meant that begins at one, where no hour was said: 08:00 for "Friday morning"."""
JOINT = re.compile(r"[\s,]*(?:(?:and|&|plus)\s+)?(?:(?:also|again|then)\s+)?(?:on\s+)?", re.IGNORECASE)
HOUR_SAID = re.compile(r"\d|\bnoon|midday|midnight|o'clock|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")
EVENINGS = re.compile(r"evening|night|afternoon|\d\s?p\.?m|after work", re.IGNORECASE)
MORNINGS = re.compile(r"morning|breakfast|my day|the day|agenda", re.IGNORECASE)
BARE = re.compile(r"(?<![:.\d])(?:(?P<seven>0?7\b|seven\b)|0?[56]\b|five\b|six\b)(?:[:.]\d\d)?(?!\s*[ap]\.?m)", re.IGNORECASE)
NOW = re.compile(r"(?:right )?now|immediately|at once|asap", re.IGNORECASE)
STARTING = re.compile(r"\b(?:starting|beginning|as of|from)(?: on| from)?\s+", re.IGNORECASE)
FROM_NOW = re.compile(r"in\b.*\b(?:min(?:ute)?s?|h(?:ou)?rs?)\b", re.IGNORECASE)
LATE = re.compile(r"\bend of\b", re.IGNORECASE)
OPEN = re.compile(r"\b(?:before|after)\b", re.IGNORECASE)
RECURS = re.compile(r"\b(?:every|each|daily|weekly|\w+days)\b", re.IGNORECASE)
HOURS = re.compile(
    r"(?P<first>\bat \d{1,2}(?:[:.]\d\d)?),? (?:and|&) (?P<second>\d{1,2}(?:[:.]\d\d)?)"
    r"(?= *(?:$|[,.!:]|[ap]\.?m|\b(?:every|each|on|daily|please|brief|remind|give|send|summari[sz]e)\b))",
    re.IGNORECASE,
)
WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
OFTEN = re.compile(r"(?<=\bme )(?P<how>dai|hour|week|month|year)ly\b", re.IGNORECASE)
UNITS = {"dai": "day"}
DAY = re.compile("|".join(WEEK), re.IGNORECASE)
EXCEPTING = re.compile(
    rf"\b(?:every|each) (?P<of>weekday|workday|day),? (?:except|but|apart from|other than|excluding)(?: not)?(?: for)?(?: on)?"
    rf" (?P<out>(?:{DAY.pattern})s?(?:(?:,| and| or|, and)(?: on)? (?:{DAY.pattern})s?)*)",
    re.IGNORECASE,
)
BEFORE_ZONE = re.compile(r"(?:\d|[ap]\.?m\.?|o'clock|noon|midnight|\bin)\s*\(?$", re.IGNORECASE)
UNTIL = re.compile(r"(?:until|till|up to)\b", re.IGNORECASE)
UNTIL_WEEKDAY = re.compile(r"\w+ (?:mon|tues|wednes|thurs|fri|satur|sun)day", re.IGNORECASE)
COUNTED = re.compile(
    r",?\s+(?:for\s+)?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)\s+times[\s.!?]*$"
    r"|,?\s+for\s+(?:the\s+next\s+)?(?:an?|\d+|two|three|four|five|six|eight|ten|twelve)\s+(?:weeks?|months?|years?)[\s.!?]*$",
    re.IGNORECASE,
)
HOW_LONG = "I can't tell what ends with “{}”: say it beside how often, like “every day until 24 December remind me to …”."
TWICE = "These are several times; please ask for them one by one."


class Times(NamedTuple):
    """Times that stand together, from character `begin` up to `end`."""

    begin: int
    end: int
    specs: tuple[TimeSpec, ...]

    @property
    def recurs(self) -> bool:
        return any(spec.kind == "repeat" for spec in self.specs)

    @property
    def timed(self) -> bool:
        return any(spec.has_time for spec in self.specs)


class NeedsTime(Exception):
    """No hour, or no day, can be read off what was said."""


def times_in(text: str, setting: Setting) -> tuple[Times, ...]:
    """From left to right, those that stand together as one; lengths and times up to something are none."""
    found: list[Times] = []
    for one in read_times(text, now=setting.now, zone=setting.zone):
        if one.spec.kind == "duration" or one.spec.start is None or NOW.fullmatch(one.spec.text):
            continue
        last = found[-1] if found else None
        if last is not None and JOINT.fullmatch(text, last.end, one.begin) and _joins(last, one.spec):
            found[-1] = Times(last.begin, one.end, (*last.specs, one.spec))
        else:
            found.append(Times(one.begin, one.end, (one.spec,)))
    return tuple(found)


def together(found: tuple[Times, ...]) -> tuple[Times, ...]:
    """As one where they are days without an hour and, elsewhere, an hour ("every weekday, brief me at 8"), or how often within
    which days."""
    if len(found) != 2:
        return found
    first, second = sorted(found, key=lambda times: any(spec.has_date for spec in times.specs), reverse=True)
    days = any(spec.has_date for spec in first.specs) and not first.timed
    often = [times for times in found if any(map(_is_often, times.specs))]
    hours = second.timed and not any(spec.has_date for spec in second.specs)
    if not (days and hours) and not (first.recurs and second.recurs and len(often) == 1):
        return found
    return (Times(found[0].begin, found[0].end, (*first.specs, *second.specs)),)


def started(text: str, setting: Setting) -> str:
    """ "Starting next Monday brief me every weekday" with its beginning behind its recurrence."""
    begins = STARTING.search(text)
    if begins is None:
        return text
    found = times_in(text, setting)
    start = next((one for one in found if not one.recurs and one.begin in (begins.end(), begins.start())), None)
    again = next((one for one in found if one.recurs), None)
    if start is None or again is None:
        return text
    said = text[begins.start() : start.end]
    behind = f"{text[: again.end]} {said}{text[again.end :]}"
    at = begins.start() + (len(said) + 1 if begins.start() >= again.end else 0)
    return (behind[:at] + behind[at + len(said) :]).strip(" ,")


class Ended(NamedTuple):
    """`unclear`: the end, where it may be that of what is to be done."""

    text: str
    unclear: str = ""


def ended(text: str, setting: Setting) -> Ended:
    """ "Every day at 22:00 remind me to take my pills until Christmas" with its end behind its recurrence."""
    said = read_times(text, now=setting.now, zone=setting.zone)
    again = next((one for one in said if one.spec.kind == "repeat"), None)
    if again is None or _is_bounded(again.spec):
        return Ended(text)
    last = next((one for one in said if one.spec.kind == "range" and one.spec.has_date and UNTIL.match(one.spec.text)), None)
    counted = COUNTED.search(text)
    begin, end = (last.begin, last.end) if last else counted.span() if counted else (0, 0)
    if not end or (begin and text[end:].strip(" .!?,")):
        return Ended(text)
    words = text[begin:end].strip(" ,")
    if begin < again.begin:
        return Ended(f"{text[end : again.end]} {words}{text[again.end :]}".lstrip(" ,"))
    bound = f"{text[: again.end]} {words}{text[again.end : begin].rstrip(' ,')}"
    within_week = last is not None and "DAILY" not in again.spec.rrule and UNTIL_WEEKDAY.fullmatch(words)
    if within_week or not any(_is_bounded(one.spec) for one in read_times(bound, now=setting.now, zone=setting.zone)):
        return Ended(text, words)
    return Ended(bound)


def _is_bounded(spec: TimeSpec) -> bool:
    return "UNTIL=" in spec.rrule or "COUNT=" in spec.rrule


def spelt_out(text: str) -> str:
    """ "Every day at 8 and 20": each hour with its "at"; "every weekday except Friday": each day by its name."""
    text = EXCEPTING.sub(
        _days_left, OFTEN.sub(lambda found: f"every {UNITS.get(found['how'].lower(), found['how'].lower())}", text)
    )
    return HOURS.sub(r"\g<first> and at \g<second>", text) if RECURS.search(text) else text


def _joins(times: Times, spec: TimeSpec) -> bool:
    """Whether a time belongs to those before it: an hour to a day, a day to an hour."""
    if times.recurs:
        within_days = spec.kind == "repeat" and any(_is_often(one) != _is_often(spec) for one in times.specs if one.rrule)
        return within_days or (spec.kind != "repeat" and not spec.has_date)
    dated = any(one.has_date for one in times.specs)
    return spec.kind == "repeat" or not (spec.has_date and dated)


def in_zone(text: str, setting: Setting) -> tuple[str, Setting, str]:
    """The text with blanks for the zone it names, the setting there, and the zone's key; "" where none is named."""
    s = Sentence(text, setting.now, setting.zone, past=False, business_hours=True, day_first=None)
    for i in range(s.size):
        found = zone_at(s, i) if BEFORE_ZONE.search(text[: s.begins[i]]) else None
        if found is None:
            continue
        begin, end = s.begins[i], s.ends[found[1] - 1]
        begin -= text[:begin].endswith("(")
        there = setting.model_copy(update={"zone": found[0], "now": setting.now.astimezone(found[0])})
        key = "" if found[0].key == setting.zone.key else found[0].key
        return text[:begin] + " " * (end - begin) + text[end:], there, key
    return text, setting, ""


def _days_left(found: re.Match[str]) -> str:
    out = {name.lower() for name in DAY.findall(found["out"])}
    days = [name for name in WEEK[: 5 if found["of"].lower().startswith(("week", "work")) else 7] if name.lower() not in out]
    return f"every {' and '.join(days)}" if days else found[0]


def rule_of(times: Times, text: str, setting: Setting, unsaid: time, *, early: bool = False) -> Rule:
    """`unsaid`: the hour where none was said. `early`: an hour from 5 to 7 is rather one of the morning. Raises NeedsTime where
    that is no time yet, and BadRule with a sentence."""
    specs = tuple(_earlier(spec, text) for spec in times.specs) if early and not EVENINGS.search(text) else times.specs
    repeats = sorted((spec for spec in specs if spec.kind == "repeat"), key=_is_often, reverse=True)
    repeat = repeats[0] if repeats else None
    if repeat is None:
        return Once(at=_once(specs, setting, unsaid))
    said = text[times.begin : times.end]
    if OPEN.search(repeat.text):
        raise NeedsTime
    if _is_often(repeat) and ((window := _window(specs)) or len(repeats) > 1):
        return within(repeat.rrule, window, _weekdays(repeats[1:]))
    rule = recurring(repeat.rrule, _first(repeat, setting), _hours(repeat, specs, unsaid), anchored=anchored(said))
    return _counted_from_now(rule, setting) if isinstance(rule, Calendar) and "COUNT=" in rule.rrule else rule


def _counted_from_now(rule: Calendar, setting: Setting) -> Calendar:
    """An hour of today that is over is none of the times that were asked for."""
    endless = rule.model_copy(update={"rrule": re.sub(r";COUNT=\d+", "", rule.rrule)})
    first = next_due(endless, setting.zone, setting.now)
    return rule.model_copy(update={"start": first.at.astimezone(setting.zone).replace(tzinfo=None)}) if first else rule


def _earlier(spec: TimeSpec, text: str) -> TimeSpec:
    """With a bare hour of 7, or of 5 or 6 where the morning is spoken of, before noon."""
    hour = BARE.search(spec.text)
    if not spec.has_time or spec.start is None or hour is None or not (hour["seven"] or MORNINGS.search(text)):
        return spec
    return (
        spec.model_copy(update={"start": spec.start.replace(hour=spec.start.hour - 12)})
        if spec.start.hour in (17, 18, 19)
        else spec
    )


def _first(repeat: TimeSpec, setting: Setting) -> datetime:
    return (repeat.start or setting.now).replace(tzinfo=None)


def _hours(repeat: TimeSpec, specs: Sequence[TimeSpec], unsaid: time) -> tuple[time, ...]:
    others = tuple(spec.start.time() for spec in specs if spec is not repeat and spec.has_time and spec.start is not None)
    if not repeat.has_time or repeat.start is None:
        return others or (unsaid,)
    if HOUR_SAID.search(_after_day(repeat.text)):
        return (repeat.start.time(), *others)
    part = EVENING if "evening" in repeat.text.lower() else repeat.start.time()
    return others or (part,)


def _window(specs: Sequence[TimeSpec]) -> tuple[time, time] | None:
    """The hours between which a recurrence of hours or minutes is wanted."""
    found = next((spec for spec in specs if spec.has_time and spec.start and spec.stop), None)
    return (found.start.time(), found.stop.time()) if found and found.start and found.stop else None


def _weekdays(repeats: Sequence[TimeSpec]) -> str:
    """As BYDAY; empty where they are every day."""
    fields = [dict(part.split("=", 1) for part in spec.rrule.split(";")) for spec in repeats]
    if any(set(found) > {"FREQ", "BYDAY"} or found["FREQ"] not in ("DAILY", "WEEKLY") for found in fields):
        raise BadRule(TWICE)
    return ",".join(found["BYDAY"] for found in fields if "BYDAY" in found)


def _is_often(spec: TimeSpec) -> bool:
    return spec.rrule.startswith(("FREQ=HOURLY", "FREQ=MINUTELY"))


def _after_day(words: str) -> str:
    """What of a recurrence can name an hour: not the "2" of "every 2 weeks"."""
    return re.sub(
        r"\b(?:every|each)\s+(?:\w+\s+)?(?:days?|weeks?|months?|years?)|\d+(?:st|nd|rd|th)\b", " ", words, flags=re.IGNORECASE
    )


def _once(specs: Sequence[TimeSpec], setting: Setting, unsaid: time) -> datetime:
    dated = next((spec for spec in specs if spec.has_date), None)
    timed = next((spec for spec in specs if spec.has_time and not spec.has_date), None)
    one = dated or timed or specs[0]
    if sum(spec.has_time for spec in specs) > 1:
        raise BadRule(TWICE)
    if dated is not None and timed is not None and timed.start is not None and dated.start is not None:
        at = datetime.combine(dated.start.date(), timed.start.time())
    else:
        at = _moment(one, setting, unsaid)
    now = setting.now.astimezone(setting.zone).replace(tzinfo=None)
    if at > now:
        return at
    if not any(spec.has_time and spec.kind == "point" for spec in specs) and _still_open(one, setting):
        raise NeedsTime
    raise BadRule(f"{at:%H:%M} on {at.day} {at:%B} is over already; tell me a time that is still to come.")


def _moment(spec: TimeSpec, setting: Setting, unsaid: time) -> datetime:
    assert spec.start is not None
    start = spec.start.astimezone(setting.zone).replace(tzinfo=None)
    if spec.kind == "point" and FROM_NOW.match(spec.text):
        return start.replace(second=setting.now.second)  # the minute it is counted from may have begun long ago
    if spec.kind == "point":
        return start if spec.has_time else datetime.combine(start.date(), unsaid)
    if not spec.has_time:
        last = spec.stop is not None and LATE.search(spec.text)
        day = (spec.stop - timedelta(days=1)).astimezone(setting.zone) if last and spec.stop else start
        return datetime.combine(day.date(), unsaid)
    part_of_day = spec.stop is not None and spec.stop - spec.start <= timedelta(hours=12) and not HOUR_SAID.search(spec.text)
    return start.replace(hour=PART_HOURS.get(start.hour, start.hour)) if part_of_day and not start.minute else start


def _still_open(spec: TimeSpec, setting: Setting) -> bool:
    return spec.stop is not None and spec.stop > setting.now
