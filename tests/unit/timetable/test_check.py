"""Which rules are refused, and why."""

from datetime import datetime

import pytest
from doubles.odd_clocks import wall

from assistant.timetable.rules import Calendar, Cron, Once
from assistant.timetable.slots import check

START = wall("2026-11-27T09:00")


def trouble(rrule: str, start: datetime = START) -> str:
    return check(Calendar(rrule=rrule, start=start))


@pytest.mark.parametrize(
    "expression",
    [
        "0 8 * * 1-5",
        "*/15 9-17 * JAN,feb MON-FRI",
        "@daily",
        " @Weekly ",
        "0 0 29 2 *",
        "0 9 LW * *",
        "0 9 * * 5L",
        "0 9 * 2 MON#5",
    ],
)
def test_a_cron_rule_that_comes_true_is_good(expression: str) -> None:
    assert check(Cron(expression=expression)) == ""


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("0 0 30 2 *", "day of the month is wrong or never comes"),
        ("0 0 31 4,6 *", "day of the month is wrong or never comes"),
        ("60 * * * *", "its minute is wrong"),
        ("0 24 * * *", "its hour is wrong"),
        ("0 8 * 13 *", "its month is wrong"),
        ("0 8 * * 8", "its day of the week is wrong"),
        ("0 8 * *", "has five fields"),
        ("* * * * * *", "has five fields"),
        ("@reboot", "has five fields"),
        ("", "has five fields"),
        ("every day", "has five fields"),
        ("0 8 * * " + "1," * 200 + "1", "too long"),
    ],
)
def test_a_cron_rule_that_is_wrong_or_never_comes_true_is_refused(expression: str, why: str) -> None:
    assert why in check(Cron(expression=expression))


@pytest.mark.parametrize(
    "rrule",
    [
        "FREQ=WEEKLY;BYDAY=MO,TH",
        "freq=monthly;byday=-1fr",
        "FREQ=DAILY;COUNT=10",
        "FREQ=DAILY;UNTIL=20261127",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
        "FREQ=MINUTELY;INTERVAL=15;UNTIL=20991231T235959",
        "FREQ=MONTHLY;BYDAY=5FR",
        "FREQ=WEEKLY;WKST=SU;INTERVAL=2",
    ],
)
def test_a_calendar_rule_that_comes_true_is_good(rrule: str) -> None:
    assert trouble(rrule) == ""


@pytest.mark.parametrize(
    ("rrule", "why"),
    [
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "never be due"),
        ("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30", "never be due"),
        ("FREQ=DAILY;INTERVAL=7;BYDAY=TU", "never be due"),
        ("FREQ=HOURLY;INTERVAL=24;BYHOUR=3", "can't be used"),
        ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20261129", "never be due"),
        ("FREQ=SECONDLY", "more often than once a minute"),
        ("FREQ=MINUTELY;BYSECOND=0,30", "more often than once a minute"),
        ("FREQ=DAILY;COUNT=0", "COUNT is out of range"),
        ("FREQ=DAILY;COUNT=1001", "COUNT is out of range"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL is out of range"),
        ("FREQ=DAILY;INTERVAL=-1", "INTERVAL is out of range"),
        ("FREQ=DAILY;BYHOUR=24", "BYHOUR is out of range"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY is out of range"),
        ("FREQ=DAILY;COUNT=3;UNTIL=20271231", "not by both"),
        ("FREQ=DAILY;UNTIL=20261126", "end before it begins"),
        ("FREQ=DAILY;UNTIL=20261127T085959", "end before it begins"),
        ("FREQ=DAILY;UNTIL=20271231T180000Z", "wall clock"),
        ("FREQ=DAILY;UNTIL=20271399", "can't be used"),
        ("FREQ=WEEKLY;BYDAY=1MO", "FREQ=MONTHLY and FREQ=YEARLY only"),
        ("FREQ=WEEKLY;BYDAY=XX", "can't be used"),
        ("FREQ=WEEKLY;FREQ=DAILY", "the same thing twice"),
        ("FREQ=FORTNIGHTLY", "FREQ must be one of"),
        ("BYDAY=MO", "FREQ must be one of"),
        ("FREQ=DAILY;BYEASTER=0", "can't have BYEASTER"),
        ("RRULE:FREQ=DAILY", "looks like"),
        ("FREQ=DAILY\nDTSTART:20260101", "looks like"),
        ("", "looks like"),
        ("FREQ=DAILY;BYMINUTE=" + "1," * 200 + "1", "too long"),
    ],
)
def test_a_calendar_rule_that_is_wrong_or_never_comes_true_is_refused(rrule: str, why: str) -> None:
    assert why in trouble(rrule)


@pytest.mark.parametrize("start", ["1900-12-31T00:00", "2100-01-01T00:00"])
def test_a_calendar_rule_starts_in_years_of_ours(start: str) -> None:
    assert "1901 to 2099" in trouble("FREQ=DAILY", wall(start))


def test_a_single_time_is_good() -> None:
    assert check(Once(at=START)) == ""


def test_what_is_wrong_is_told_in_one_sentence() -> None:
    for rrule in ("FREQ=HOURLY;INTERVAL=24;BYHOUR=3", "FREQ=DAILY;UNTIL=20271399"):
        assert trouble(rrule).count(".") == 1 and trouble(rrule).endswith(".")
