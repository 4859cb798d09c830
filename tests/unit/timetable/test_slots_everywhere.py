"""Properties of slots, whatever the rule, the zone and the span of time."""

from bisect import bisect_left
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from doubles.odd_clocks import ZONES, calendars, minutes_of_day, moments, rules, starts, unhurried, zones
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from assistant.timetable import calendar
from assistant.timetable.rules import Calendar, Cron, Due, Once, Rule
from assistant.timetable.slots import check, due, next_due

spans = st.timedeltas(timedelta(minutes=1), timedelta(days=9))
HALF_HOURLY = Cron(expression="*/30 * * * *")
BERLIN = ZoneInfo("Europe/Berlin")


def local(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None)


def exists(wall: datetime, zone: ZoneInfo) -> bool:
    return local(wall.replace(tzinfo=zone).astimezone(UTC), zone) == wall


def daily(minute_of_day: int) -> Cron:
    hour, minute = divmod(minute_of_day, 60)
    return Cron(expression=f"{minute} {hour} * * *")


@given(rules, zones, moments, spans)
@unhurried
def test_slots_come_in_order_each_at_an_instant_and_under_a_key_of_its_own(
    rule: Rule, zone: ZoneInfo, after: datetime, span: timedelta
) -> None:
    assume(not check(rule))
    found = list(islice(due(rule, zone, after, after + span), 500))
    assert all(after < one.at <= after + span for one in found)
    assert all(one.at < following.at for one, following in pairwise(found))
    assert len({one.slot for one in found}) == len(found)


@given(rules, zones, moments, spans)
@unhurried
def test_a_key_is_the_wall_clock_time_at_which_it_is_due_the_first_of_two(
    rule: Rule, zone: ZoneInfo, after: datetime, span: timedelta
) -> None:
    assume(not check(rule))
    for one in islice(due(rule, zone, after, after + span), 100):
        wall = datetime.fromisoformat(one.slot)
        assert local(one.at, zone) == wall
        assert one.at == wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


@given(rules, zones, moments, spans, spans)
@unhurried
@example(HALF_HOURLY, BERLIN, datetime(2026, 3, 29, 0, 45, tzinfo=UTC), timedelta(minutes=15), timedelta(hours=1))
@example(HALF_HOURLY, BERLIN, datetime(2026, 10, 25, 0, 15, tzinfo=UTC), timedelta(minutes=45), timedelta(hours=1))
def test_it_makes_no_difference_where_a_span_of_time_is_split(
    rule: Rule, zone: ZoneInfo, after: datetime, first: timedelta, second: timedelta
) -> None:
    assume(not check(rule))
    between, until = after + first, after + min(first + second, timedelta(days=3))
    assume(between < until)
    in_two = [*due(rule, zone, after, between), *due(rule, zone, between, until)]
    assert in_two == list(due(rule, zone, after, until))


@given(rules, zones, moments)
@unhurried
def test_the_next_one_is_the_first_of_those_that_are_due(rule: Rule, zone: ZoneInfo, after: datetime) -> None:
    assume(not check(rule))
    found, at = list[Due](), after
    while len(found) < 10 and (one := next_due(rule, zone, at)):
        found.append(one)
        at = one.at
    assert found == list(islice(due(rule, zone, after, datetime(2100, 1, 1, tzinfo=UTC)), len(found)))


@given(zones, minutes_of_day, st.integers(1976, 2035), st.sampled_from(("UTC", "Asia/Tokyo", "America/Lima")))
@settings(unhurried, max_examples=60)
@example(ZoneInfo("America/New_York"), 0, 1986, "America/Lima")
@example(ZoneInfo("Asia/Kathmandu"), 5, 1986, "UTC")
def test_a_daily_time_is_due_once_on_every_day_of_a_year(zone: ZoneInfo, minute: int, year: int, seen_from: str) -> None:
    days = [date(year, 1, 1) + timedelta(days=n) for n in range(365)]
    walls = [datetime.combine(day, time(*divmod(minute, 60))) for day in days]
    first, last = (wall.replace(tzinfo=zone).astimezone(UTC) for wall in (walls[0], walls[-1]))
    before, end = (at.astimezone(ZoneInfo(seen_from)) for at in (first - timedelta(minutes=30), last))
    found = {one.slot for one in due(daily(minute), zone, before, end)}
    skipped = [wall for wall in walls if not exists(wall, zone)]
    assert {wall.isoformat(timespec="minutes") for wall in walls if wall not in skipped} <= found
    assert len(found) <= len(walls)
    assert len(found) >= len(walls) - sum(not exists(datetime.combine(wall.date(), time(12)), zone) for wall in skipped)


@given(zones, starts)
@unhurried
def test_a_time_that_exists_is_due_at_just_that_time(zone: ZoneInfo, at: datetime) -> None:
    assume(exists(at, zone))
    (one,) = due(Once(at=at), zone, datetime(2020, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC))
    assert local(one.at, zone) == at


@pytest.mark.parametrize("name", ZONES)
def test_a_time_that_is_skipped_is_due_at_the_first_instant_behind_the_gap(name: str) -> None:
    zone, weeks, looked_at = ZoneInfo(name), timedelta(weeks=3), 0
    for number in range(17 * 52):
        start = datetime(1980, 1, 1, tzinfo=UTC) + number * weeks
        before, behind = (moment.astimezone(zone).utcoffset() or timedelta() for moment in (start, start + weeks))
        if behind <= before:
            continue
        looked_at += 1
        first = start + timedelta(minutes=_changed_after(start, weeks, zone))
        skipped = local(first, zone) - timedelta(minutes=1)
        assert [one.at for one in due(Once(at=skipped), zone, start, start + 2 * weeks)] == [first]
    assert looked_at or name == "UTC"


def _changed_after(start: datetime, span: timedelta, zone: ZoneInfo) -> int:
    """In minutes."""
    before = start.astimezone(zone).utcoffset()
    minutes = range(int(span.total_seconds()) // 60)
    return bisect_left(minutes, True, key=lambda m: (start + timedelta(minutes=m)).astimezone(zone).utcoffset() != before)


@given(calendars, st.floats(0, 1))
@settings(unhurried, max_examples=200)
def test_a_rule_that_began_long_ago_goes_on_in_its_rhythm(rule: Calendar, part: float) -> None:
    assume(not check(rule))
    days = {"MINUTELY": 2, "HOURLY": 90, "DAILY": 1000, "WEEKLY": 3000}.get(calendar.parts(rule.rrule)["FREQ"], 9000)
    after = rule.start + part * timedelta(days=days)
    whole = rrulestr(rule.rrule, dtstart=rule.start)
    assert list(islice(calendar.walls(rule, after), 5)) == list(whole.xafter(after, count=5))
