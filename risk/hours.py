"""Which times of day and which days the user's own words name, so that an unusual one is no surprise."""

import re
from collections.abc import Iterator
from datetime import datetime

from risk.evidence import Evidence

CLOCK = re.compile(
    r"\b(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2}))?\s?(?P<half>am|pm|a\.m|p\.m)?(?!\w)(?!\s?(?:minutes?|mins?|hours?|hrs?|days?|weeks?)\b)",
    re.IGNORECASE,
)
PARTS: tuple[tuple[str, range], ...] = (
    (r"mornings?|breakfast|early|first thing|sunrise|früh", range(4, 12)),
    (r"noon|lunch\w*|midday|brunch", range(11, 15)),
    (r"evenings?|dinners?|supper|drinks|party|tonight|late|after work|cinema|theat(?:er|re)|concert|movie|abend\w*", range(16, 24)),
    (r"nights?|midnight|nacht", range(19, 24)),
)
MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
DAYS = re.compile(
    r"\b(?:weekends?|sat(?:urdays?)?|sun(?:days?)?|wochenende|samstags?|sonntags?|today|tonight|tomorrow|heute|morgen|daily"
    r"|every day"
    r"|this (?:morning|afternoon|evening)|\d{1,2}(?:st|nd|rd|th)|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}"
    rf"|\d{{1,2}}\.? (?:{MONTHS})\w*|(?:{MONTHS})[a-z]* \d{{1,2}})\b",
    re.IGNORECASE,
)

NUMBERS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
}
SPELT = re.compile(rf"\b(?:(?P<before>to|before) )?(?P<word>{'|'.join(NUMBERS)})\b", re.IGNORECASE)
"""An hour in letters; "quarter to nine" lies in the one before."""

NIGHT = (22, 6)
"""Hours of the day between which people sleep."""
SHIFT = re.compile(
    r"\b(?:earlier|later|(?:forward|back|up|by) (?:an?|half|\d+|\w+teen|five|ten|twenty|thirty)\b|früher|später)", re.IGNORECASE
)


def said_hour(start: datetime, evidence: Evidence) -> bool:
    """Whether the words of this turn, or those before it, give that hour of the day. A bare "3" is in the afternoon."""
    said = " ".join((*evidence.said[-1:], evidence.words))
    if any(start.hour in hours and re.search(rf"\b(?:{words})\b", said, re.IGNORECASE) for words, hours in PARTS):
        return True
    return start.hour in _hours(said)


def at_night(start: datetime) -> bool:
    late, early = NIGHT
    return start.hour >= late or start.hour < early


def said_shift(evidence: Evidence) -> bool:
    """Whether the words of this turn move something by a while, so that where it comes to lie is their own reckoning."""
    return SHIFT.search(evidence.words) is not None


def said_day(start: datetime, evidence: Evidence) -> bool:
    said = " ".join((*evidence.said[-1:], evidence.words))
    return DAYS.search(said) is not None


def _hours(said: str) -> Iterator[int]:
    for found in CLOCK.finditer(SPELT.sub(_in_figures, said)):
        hour, half = int(found["hour"]), (found["half"] or "").lower()[:1]
        if half:
            yield hour % 12 + (12 if half == "p" else 0)
            continue
        if hour >= 7 or (found["minute"] and (hour == 6 or found["hour"].startswith("0"))):
            yield hour
        if 1 <= hour < 12:
            yield hour + 12


def _in_figures(found: re.Match[str]) -> str:
    number = int(NUMBERS[found["word"].lower()])
    return str((number - 2) % 12 + 1) if found["before"] else str(number)
