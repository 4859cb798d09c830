"""A rule at another hour or on other days keeps what was not said anew."""

from datetime import datetime

import pytest

from assistant.timetable.moving import moved
from assistant.timetable.rules import Calendar, Cron, Once, Rule

at = datetime.fromisoformat
WEEKDAYS = Cron(expression="0 8 * * 1-5")
FORTNIGHT = Calendar(rrule="FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", start=at("2026-11-20 09:00"))
FRIDAY = Once(at=at("2026-11-20 09:00"))
AT_TEN = Once(at=at("2026-11-18 10:30"))
THURSDAY = Once(at=at("2026-11-26 09:00"))


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        (WEEKDAYS, Cron(expression="30 10 * * 1-5")),
        (FORTNIGHT, FORTNIGHT.model_copy(update={"start": at("2026-11-20 10:30")})),
        (FRIDAY, Once(at=at("2026-11-20 10:30"))),
    ],
)
def test_another_hour_keeps_the_days(old: Rule, expected: Rule) -> None:
    assert moved(old, AT_TEN, dated=False, timed=True) == expected


def test_another_day_keeps_the_hour() -> None:
    assert moved(AT_TEN, THURSDAY, dated=True, timed=False) == Once(at=at("2026-11-26 10:30"))
    assert moved(WEEKDAYS, Cron(expression="0 9 * * 0"), dated=True, timed=False) == Cron(expression="0 8 * * 0")


def test_what_is_said_in_full_takes_its_place() -> None:
    assert moved(WEEKDAYS, FORTNIGHT, dated=True, timed=True) == FORTNIGHT


def test_one_date_does_not_end_what_recurs() -> None:
    assert moved(WEEKDAYS, THURSDAY, dated=True, timed=True) is None


@pytest.mark.parametrize("old", [Cron(expression="0 8,20 * * *"), Cron(expression="*/15 * * * *"), Cron(expression="@daily")])
def test_of_several_hours_none_is_moved(old: Rule) -> None:
    assert moved(old, AT_TEN, dated=False, timed=True) is None
