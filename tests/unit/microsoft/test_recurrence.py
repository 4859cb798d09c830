"""Outlook's patterns and the RRULEs that say the same, held against an expansion of patterns day by day."""

import calendar
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from integrations.common.contentline import Malformed
from integrations.errors import InvalidResponse
from integrations.microsoft.recurrence import recurrence_of, rule_of

BERLIN = ZoneInfo("Europe/Berlin")
WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
INDEXES = ["first", "second", "third", "fourth", "last"]
LATER = timedelta(days=800)
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def at(day: date, hour: int = 9) -> datetime:
    return datetime.combine(day, time(hour), BERLIN)


# What Outlook means by a pattern


def month_matches(pattern: Mapping[str, Any], day: date) -> bool:
    last = calendar.monthrange(day.year, day.month)[1]
    if "dayOfMonth" in pattern:
        return day.day == min(pattern["dayOfMonth"], last)
    named = [number for number in range(1, last + 1) if WEEK[day.replace(day=number).weekday()] in pattern["daysOfWeek"]]
    return day.day == named[{"last": -1}.get(pattern["index"], INDEXES.index(pattern["index"]))]


def matches(pattern: Mapping[str, Any], day: date, start: date) -> bool:
    kind, interval = pattern["type"], pattern["interval"]
    if kind == "daily":
        return (day - start).days % interval == 0
    if kind == "weekly":
        first = WEEK.index(pattern["firstDayOfWeek"])
        begins = [one - timedelta(days=(one.weekday() - first) % 7) for one in (day, start)]
        return WEEK[day.weekday()] in pattern["daysOfWeek"] and (begins[0] - begins[1]).days // 7 % interval == 0
    months = (day.year - start.year) * 12 + day.month - start.month
    if kind.endswith("Yearly"):
        return day.month == pattern["month"] and (day.year - start.year) % interval == 0 and month_matches(pattern, day)
    return months % interval == 0 and month_matches(pattern, day)


def expanded(pattern: Mapping[str, Any], start: date) -> list[date]:
    days = (start + timedelta(days=number) for number in range(LATER.days))
    return [day for day in days if matches(pattern, day, start)]


def by_rule(rule: str, start: date) -> list[date]:
    begin = datetime.combine(start, time())
    return [found.date() for found in rrulestr(rule, dtstart=begin).between(begin, begin + LATER - timedelta(days=1), inc=True)]


def first_day(pattern: Mapping[str, Any], after: date) -> date:
    days = (after + timedelta(days=number) for number in range(1600))
    return next(day for day in days if matches({**pattern, "interval": 1}, day, after))


# Any pattern

intervals = st.integers(1, 4)
days = st.lists(st.sampled_from(WEEK), min_size=1, max_size=7, unique=True).map(lambda named: sorted(named, key=WEEK.index))
relative = {"daysOfWeek": days, "index": st.sampled_from(INDEXES)}
longest = {month: 29 if month == 2 else calendar.monthrange(2027, month)[1] for month in range(1, 13)}
dates = st.sampled_from(sorted(longest)).flatmap(
    lambda month: st.fixed_dictionaries({"month": st.just(month), "dayOfMonth": st.integers(1, longest[month])})
)
patterns = st.one_of(
    st.fixed_dictionaries({"type": st.just("daily")}),
    st.fixed_dictionaries({"type": st.just("weekly"), "daysOfWeek": days, "firstDayOfWeek": st.sampled_from(WEEK)}),
    st.fixed_dictionaries({"type": st.just("absoluteMonthly"), "dayOfMonth": st.integers(1, 31)}),
    st.fixed_dictionaries({"type": st.just("relativeMonthly"), **relative}),
    dates.map(lambda when: {"type": "absoluteYearly", **when}),
    st.fixed_dictionaries({"type": st.just("relativeYearly"), "month": st.integers(1, 12), **relative}),
).flatmap(lambda pattern: intervals.map(lambda interval: {**pattern, "interval": interval}))
starts = st.dates(date(2026, 1, 1), date(2027, 12, 31))


@few
@given(patterns, starts)
def test_a_pattern_and_its_rule_mean_the_same_days(pattern: dict[str, Any], after: date) -> None:
    start = first_day(pattern, after)
    rule = rule_of({"pattern": pattern, "range": {"type": "noEnd"}}, at(start), all_day=False)
    assert by_rule(rule, start) == expanded(pattern, start)


@few
@given(patterns, starts, st.sampled_from(["noEnd", "numbered", "endDate"]), st.integers(0, 900), st.booleans())
def test_a_pattern_comes_back_from_its_rule(pattern: dict[str, Any], after: date, end: str, length: int, all_day: bool) -> None:
    start = first_day(pattern, after)
    ends: dict[str, Any] = {"type": end, "startDate": f"{start}", "recurrenceTimeZone": "W. Europe Standard Time"}
    ends |= {"numberOfOccurrences": length + 1} if end == "numbered" else {}
    ends |= {"endDate": f"{start + timedelta(days=length)}"} if end == "endDate" else {}
    recurrence = {"pattern": pattern, "range": ends}
    back = recurrence_of(rule_of(recurrence, at(start), all_day=all_day), at(start), BERLIN, all_day=all_day)
    assert back["range"] == ends
    assert expanded({"firstDayOfWeek": "monday", **back["pattern"]}, start) == expanded(pattern, start)


# Any rule

SHORT = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
places = st.one_of(st.just(""), st.integers(-5, 5).filter(bool).map(str))
weekdays = st.tuples(places, st.sampled_from(SHORT)).map("".join)
parts = st.fixed_dictionaries(
    {},
    optional={
        "BYDAY": st.lists(weekdays, min_size=1, max_size=4, unique=True).map(",".join),
        "BYMONTHDAY": st.lists(st.integers(-2, 31).filter(bool), min_size=1, max_size=4, unique=True).map(
            lambda found: ",".join(map(str, sorted(found)))
        ),
        "BYMONTH": st.integers(1, 12).map(str),
        "BYSETPOS": st.integers(-2, 5).filter(bool).map(str),
        "WKST": st.sampled_from(SHORT),
    },
)
rules = st.tuples(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]), intervals, parts).map(
    lambda given: ";".join([f"FREQ={given[0]}", f"INTERVAL={given[1]}", *(f"{name}={it}" for name, it in given[2].items())])
)


@few
@given(rules, starts)
def test_a_rule_is_refused_or_has_a_pattern_that_means_the_same_days(rule: str, after: date) -> None:
    try:
        recurrence_of(rule, at(after), BERLIN)
    except InvalidResponse as refused:
        assume("begins on a day of its own" in str(refused))  # others may have no day at all until the year 9999
    found = by_rule(rule, after)
    assume(found)
    recurrence = recurrence_of(rule, at(found[0]), BERLIN)
    assert expanded(recurrence["pattern"], found[0]) == by_rule(rule, found[0])


@pytest.mark.parametrize(
    ("rule", "pattern"),
    [
        ("FREQ=DAILY;INTERVAL=2", {"type": "daily", "interval": 2}),
        (
            "FREQ=DAILY;BYDAY=MO,TH",
            {"type": "weekly", "interval": 1, "daysOfWeek": ["monday", "thursday"], "firstDayOfWeek": "monday"},
        ),
        ("FREQ=WEEKLY", {"type": "weekly", "interval": 1, "daysOfWeek": ["thursday"], "firstDayOfWeek": "monday"}),
        ("FREQ=MONTHLY", {"type": "absoluteMonthly", "interval": 1, "dayOfMonth": 19}),
        ("FREQ=MONTHLY;BYDAY=3TH", {"type": "relativeMonthly", "interval": 1, "daysOfWeek": ["thursday"], "index": "third"}),
        (
            "FREQ=MONTHLY;BYDAY=TH;BYSETPOS=+3",
            {"type": "relativeMonthly", "interval": 1, "daysOfWeek": ["thursday"], "index": "third"},
        ),
        ("FREQ=YEARLY", {"type": "absoluteYearly", "interval": 1, "month": 11, "dayOfMonth": 19}),
        (
            "FREQ=YEARLY;BYMONTH=11;BYDAY=3TH",
            {"type": "relativeYearly", "interval": 1, "month": 11, "daysOfWeek": ["thursday"], "index": "third"},
        ),
    ],
)
def test_how_rules_are_said(rule: str, pattern: dict[str, Any]) -> None:
    assert recurrence_of(rule, at(date(2026, 11, 19)), BERLIN)["pattern"] == pattern


def test_the_last_day_of_a_month_is_its_31st() -> None:
    rule = "FREQ=MONTHLY;BYMONTHDAY=-1"
    assert recurrence_of(rule, at(date(2026, 11, 30)), BERLIN)["pattern"]["dayOfMonth"] == 31


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=HOURLY",
        "FREQ=DAILY;INTERVAL=2;BYDAY=MO,TH",
        "FREQ=DAILY;BYHOUR=9",
        "FREQ=WEEKLY;BYDAY=2TH",
        "FREQ=MONTHLY;BYDAY=1TH,3TH",
        "FREQ=MONTHLY;BYDAY=TH",
        "FREQ=MONTHLY;BYDAY=5TH",
        "FREQ=MONTHLY;BYMONTHDAY=1,19",
        "FREQ=MONTHLY;BYMONTH=11",
        "FREQ=MONTHLY;BYDAY=TH;BYMONTHDAY=19",
        "FREQ=YEARLY;BYDAY=47TH",
        "FREQ=YEARLY;BYMONTHDAY=19",
        "FREQ=YEARLY;BYWEEKNO=47",
        "FREQ=YEARLY;BYMONTH=5,11;BYMONTHDAY=19",
        "FREQ=DAILY;COUNT=3;UNTIL=20261231",
        "FREQ=DAILY;UNTIL=20261118",
        "FREQ=WEEKLY;BYDAY=FR",
    ],
)
def test_what_outlook_cannot_say_is_refused(rule: str) -> None:
    with pytest.raises(InvalidResponse):
        recurrence_of(rule, at(date(2026, 11, 19)), BERLIN)


def test_a_day_that_some_months_lack_is_refused_with_what_to_say_instead() -> None:
    with pytest.raises(InvalidResponse, match="no day 31; ask for the last day of the month"):
        recurrence_of("FREQ=MONTHLY;BYMONTHDAY=31", at(date(2026, 12, 31)), BERLIN)


@pytest.mark.parametrize(
    ("until", "last"),
    [
        ("20261231", "2026-12-31"),
        ("20261231T080000Z", "2026-12-31"),
        ("20261231T075959Z", "2026-12-30"),
        ("20261231T090000", "2026-12-31"),
        ("20261230T233000Z", "2026-12-30"),
    ],
)
def test_a_series_ends_with_the_last_instance_that_the_rule_lets_start(until: str, last: str) -> None:
    ends = recurrence_of(f"FREQ=DAILY;UNTIL={until}", at(date(2026, 11, 19)), BERLIN)["range"]
    assert (ends["type"], ends["endDate"]) == ("endDate", last)


def test_the_end_of_a_timed_series_is_told_by_the_moment_of_its_last_instance() -> None:
    recurrence = {"pattern": {"type": "daily", "interval": 1}, "range": {"type": "endDate", "endDate": "2026-12-31"}}
    assert rule_of(recurrence, at(date(2026, 7, 1)), all_day=False) == "FREQ=DAILY;UNTIL=20261231T080000Z"
    assert rule_of(recurrence, at(date(2026, 7, 1), 0), all_day=True) == "FREQ=DAILY;UNTIL=20261231"


def test_days_follow_the_clock_of_the_zone_that_a_series_is_written_in() -> None:
    late = datetime(2026, 11, 20, 1, tzinfo=UTC)  # still Thursday in New York
    recurrence = recurrence_of("FREQ=WEEKLY", late, ZoneInfo("America/New_York"))
    assert recurrence["pattern"]["daysOfWeek"] == ["thursday"]
    assert recurrence["range"]["startDate"] == "2026-11-19"
    assert recurrence["range"]["recurrenceTimeZone"] == "Eastern Standard Time"


@pytest.mark.parametrize(
    "recurrence",
    [
        {},
        {"pattern": {}},
        {"pattern": {"type": "hourly"}},
        {"pattern": {"type": "weekly", "daysOfWeek": ["someday"]}},
        {"pattern": {"type": "absoluteYearly", "month": 13, "dayOfMonth": 1}},
        {"pattern": {"type": "daily"}, "range": {"type": "endDate", "endDate": "soon"}},
        {"pattern": {"type": "daily"}, "range": {"type": "numbered"}},
    ],
)
def test_what_cannot_be_read_is_malformed(recurrence: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        rule_of(recurrence, at(date(2026, 11, 19)), all_day=False)


def test_the_expansion_that_all_this_is_held_against_knows_short_months() -> None:
    days = expanded({"type": "absoluteMonthly", "interval": 1, "dayOfMonth": 31}, date(2027, 1, 31))
    assert days[1] == date(2027, 2, 28)
    assert all(calendar.monthrange(day.year, day.month)[1] == day.day for day in days)
    assert all(27 < (after - before).days < 32 for before, after in pairwise(days))
