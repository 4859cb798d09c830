"""When single rules are due, told by example."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from doubles.odd_clocks import wall

from assistant.timetable.rules import Calendar, Cron, Once, Rule
from assistant.timetable.slots import due, next_due

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}Z")


def keys(rule: Rule, after: str, until: str, zone: ZoneInfo = BERLIN) -> list[str]:
    return [one.slot for one in due(rule, zone, at(after), at(until))]


def test_a_time_of_day_stays_when_the_clocks_change() -> None:
    every_day = Cron(expression="0 8 * * *")
    found = [f"{one.at:%d %H:%M}" for one in due(every_day, BERLIN, at("2026-03-28T00:00"), at("2026-03-30T12:00"))]
    assert found == ["28 07:00", "29 06:00", "30 06:00"]


def test_half_past_two_is_due_once_on_the_day_without_it_and_once_on_the_day_with_two() -> None:
    nightly = Cron(expression="30 2 * * *")
    assert keys(nightly, "2026-03-28T12:00", "2026-03-30T12:00") == ["2026-03-29T03:00", "2026-03-30T02:30"]
    assert keys(nightly, "2026-10-24T12:00", "2026-10-26T12:00") == ["2026-10-25T02:30", "2026-10-26T02:30"]
    first_of_two = next_due(nightly, BERLIN, at("2026-10-24T12:00"))
    assert first_of_two and first_of_two.at == at("2026-10-25T00:30")


def test_times_in_a_gap_are_one_with_the_time_behind_it() -> None:
    assert keys(Cron(expression="*/20 * * * *"), "2026-03-29T00:30", "2026-03-29T01:30") == [
        "2026-03-29T01:40",
        "2026-03-29T03:00",
        "2026-03-29T03:20",
    ]


def test_a_day_that_a_zone_left_out_is_made_up_for_at_the_start_of_the_next() -> None:
    assert keys(Cron(expression="0 8 * * *"), "2011-12-29T20:00", "2012-01-01T12:00", ZoneInfo("Pacific/Apia")) == [
        "2011-12-31T00:00",
        "2011-12-31T08:00",
        "2012-01-01T08:00",
    ]


def test_the_end_of_a_span_belongs_to_it_and_the_beginning_does_not() -> None:
    assert keys(Cron(expression="0 8 * * *"), "2026-11-22T07:00", "2026-11-23T07:00") == ["2026-11-23T08:00"]


def test_years_are_walked_through_only_as_far_as_one_looks() -> None:
    every_minute = due(Cron(expression="* * * * *"), BERLIN, at("2000-01-01T00:00"), at("9999-12-31T00:00"))
    assert next(every_minute).slot == "2000-01-01T01:01"


@pytest.mark.parametrize(
    ("rule", "slot"),
    [
        (Cron(expression="0 9 29 2 *"), "2028-02-29T09:00"),
        (Cron(expression="0 9 * 2 1#5"), "2044-02-29T09:00"),
        (Calendar(rrule="FREQ=YEARLY", start=wall("1996-02-29T09:00")), "2028-02-29T09:00"),
        (Calendar(rrule="FREQ=MONTHLY;BYDAY=5FR", start=wall("2001-01-01T09:00")), "2027-01-29T09:00"),
        (Calendar(rrule="FREQ=MINUTELY;INTERVAL=7", start=wall("1990-01-01T00:00")), "2026-11-22T13:02"),
    ],
)
def test_rare_rules_and_old_ones_find_their_next_time(rule: Rule, slot: str) -> None:
    found = next_due(rule, BERLIN, at("2026-11-22T12:00"))
    assert found and found.slot == slot


@pytest.mark.parametrize(
    ("rrule", "last"),
    [
        ("FREQ=DAILY;COUNT=3", "2026-11-29T09:00"),
        ("FREQ=DAILY;UNTIL=20261130", "2026-11-30T09:00"),
        ("FREQ=DAILY;UNTIL=20261130T085959", "2026-11-29T09:00"),
        ("FREQ=DAILY;UNTIL=20261130T090000", "2026-11-30T09:00"),
    ],
)
def test_a_rule_with_an_end_ends(rrule: str, last: str) -> None:
    rule = Calendar(rrule=rrule, start=wall("2026-11-27T09:00"))
    assert keys(rule, "2026-01-01T00:00", "2036-01-01T00:00")[-1] == last
    assert next_due(rule, BERLIN, at("2026-12-01T00:00")) is None


def test_a_calendar_rule_does_not_begin_before_its_start() -> None:
    rule = Calendar(rrule="FREQ=WEEKLY;BYDAY=MO,FR", start=wall("2026-11-25T09:00"))
    assert keys(rule, "2026-01-01T00:00", "2026-12-01T00:00") == ["2026-11-27T09:00", "2026-11-30T09:00"]


def test_every_second_week_keeps_its_rhythm_through_the_years() -> None:
    rule = Calendar(rrule="FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", start=wall("2020-01-06T09:00"))
    assert keys(rule, "2026-11-20T00:00", "2026-12-20T00:00") == ["2026-11-30T09:00", "2026-12-14T09:00"]


def test_a_single_time_is_due_once() -> None:
    once = Once(at=wall("2026-11-27T09:00"))
    assert keys(once, "2026-11-01T00:00", "2027-11-01T00:00") == ["2026-11-27T09:00"]
    assert next_due(once, BERLIN, at("2026-11-27T08:00")) is None


def test_nothing_is_due_behind_the_end_of_the_calendar() -> None:
    assert next_due(Cron(expression="0 0 * * *"), ZoneInfo("America/Lima"), at("9999-12-31T12:00")) is None
