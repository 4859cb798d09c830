"""Zones whose clocks do odd things, and rules and spans of time to try on them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from assistant.timetable.rules import Calendar, Cron, Once, Rule

wall = datetime.fromisoformat
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

ZONES = [
    "UTC",
    "Europe/Berlin",
    "Europe/London",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour
    "Asia/Tehran",  # at midnight until 2022
    "Africa/Cairo",  # at midnight, with years without
    "America/Sao_Paulo",  # at midnight until 2019
    "Pacific/Apia",  # had no 30 December 2011
    "Asia/Kathmandu",  # moved by a quarter of an hour in 1986
    "Africa/Casablanca",  # four changes in some years
    "Antarctica/Troll",  # two hours
]
CHANGES = [
    "2026-03-29T01:00Z",
    "2026-10-25T01:00Z",
    "2026-03-08T07:00Z",
    "2026-11-01T06:00Z",
    "2026-04-04T15:00Z",
    "2026-10-03T15:30Z",
    "2021-03-21T20:30Z",
    "2026-04-23T22:00Z",
    "2018-11-04T03:00Z",
    "2011-12-30T10:00Z",
    "1985-12-31T18:30Z",
    "2010-08-07T23:00Z",
]
"""In UTC, near each of which some of them change."""

zones = st.sampled_from(ZONES).map(ZoneInfo)
near_changes = st.builds(
    lambda change, minutes: datetime.fromisoformat(change) + timedelta(minutes=minutes),
    st.sampled_from(CHANGES),
    st.integers(-3 * 24 * 60, 3 * 24 * 60),
)
moments = near_changes | st.datetimes(wall("1975-01-01"), wall("2036-01-01"), timezones=st.just(UTC))


def _field(low: int, high: int) -> st.SearchStrategy[str]:
    numbers = st.integers(low, high)
    some = st.lists(numbers, min_size=1, max_size=3, unique=True).map(lambda chosen: ",".join(map(str, sorted(chosen))))
    return st.just("*") | some | st.sampled_from((5, 15, 30, 2)).map("*/{}".format)


minutes_of_day = st.integers(0, 24 * 60 - 1)
crons = st.builds(
    lambda minute, hour, day, weekday: Cron(expression=f"{minute} {hour} {day} * {weekday}"),
    _field(0, 59),
    _field(0, 23),
    st.just("*") | _field(1, 28),
    st.just("*") | st.sampled_from(("1-5", "0", "MON,THU", "5L", "1#1")),
)
days_of_week = st.lists(st.sampled_from(("MO", "TU", "WE", "TH", "FR", "SA", "SU")), min_size=1, max_size=3, unique=True)
filters = (
    st.just("")
    | days_of_week.map(lambda days: f";BYDAY={','.join(days)}")
    | st.sampled_from((";BYMONTH=3,10", ";BYMONTHDAY=1,29,-1", ";BYHOUR=2,14", ";BYMINUTE=0,30", ";BYSETPOS=1;BYDAY=MO,FR"))
)
starts = st.datetimes(wall("2024-01-01"), wall("2026-12-31")).map(lambda start: start.replace(second=0, microsecond=0))
calendars = st.builds(
    lambda frequency, every, chosen, start: Calendar(rrule=f"FREQ={frequency};INTERVAL={every}{chosen}", start=start),
    st.sampled_from(("MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")),
    st.integers(1, 7),
    filters,
    starts,
)
rules: st.SearchStrategy[Rule] = crons | calendars | starts.map(lambda at: Once(at=at))
