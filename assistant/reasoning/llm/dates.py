"""Days of the year in the forms in which people say the same one."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

MONTHS = "january february march april may june july august september october november december".split()
MONTH = re.compile(rf"\b(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS)}|sept)\b", re.IGNORECASE)


_MONTH = MONTH.pattern.removeprefix(r"\b").removesuffix(r"\b")
_DAYS = r"\d{1,2}(?:st|nd|rd|th)?(?:(?: ?[-\u2013,&] ?| and | to )\d{1,2}(?:st|nd|rd|th)?){0,3}"
NAMED_DATE = re.compile(
    rf"(?:\b(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]{{0,6}},? (?:the )?)?"
    rf"(?:(?<![\w:.])(?P<days>{_DAYS})(?: of)? (?P<after>{_MONTH})\b"
    rf"|\b(?P<before>{_MONTH})\.? (?P<later>{_DAYS})(?![\d:]| ?[ap]m))",
    re.IGNORECASE,
)
NUMERIC_DATE = re.compile(
    r"(?<!at )(?<!from )(?<!to )(?<!until )(?<![\d./])(?:\d{4}-(?P<m>\d{2})-(?P<d>\d{2})|"
    r"(?P<a>\d{1,2})[./](?P<b>\d{1,2})(?:[./](?:\d{4}|\d{2}\b)|\.(?!\w)))(?!\d)"
)


def unknown_dates(text: str, known: str) -> Iterator[str]:
    """Days of a month that are known of no such month, or as another weekday."""
    given = (*NAMED_DATE.finditer(text), *NUMERIC_DATE.finditer(text))
    there = known_dates(known) if given else {}
    for found in given:
        whole = found[0].rstrip(".")
        if whole in known and re.search(rf"(?<![\d.]){re.escape(whole)}(?![\d.]\d)", known):
            continue  # in these very words, be it a date or not
        dates = set(dates_of(found))
        days = {day for date in dates for day in there.get(date, ())} - {""}
        if dates and (not dates & there.keys() or (days and _weekday(found) and _weekday(found) not in days)):
            yield found[0].strip()


@lru_cache(256)  # many words are held against the same reports
def known_dates(text: str) -> Mapping[tuple[int, int], set[str]]:
    """The weekdays with which each day and month stands there, empty where it has none."""
    there: dict[tuple[int, int], set[str]] = {}
    for found in (*NAMED_DATE.finditer(text), *NUMERIC_DATE.finditer(text)):
        for date in dates_of(found):
            there.setdefault(date, set()).add(_weekday(found))
    return there


def dates_of(found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Day and month, in either order where figures leave it open; both ends of a range."""
    if found.re is NUMERIC_DATE:
        first, second = (
            (int(part) for part in (found["a"], found["b"]) if part) if found["a"] else (int(found["d"]), int(found["m"]))
        )
        yield from {(day, month) for day, month in ((first, second), (second, first)) if month <= 12 and day <= 31}
        return
    month = _month(found["before"] or found["after"])
    yield from ((int(day), month) for day in re.findall(r"\d{1,2}", found["days"] or found["later"]))


def _weekday(found: re.Match[str]) -> str:
    return (found.groupdict().get("weekday") or "")[:3].casefold()


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3].casefold()))
