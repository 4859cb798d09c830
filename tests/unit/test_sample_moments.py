from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.local.sample.moments import WEEKDAYS, Moments

BERLIN = ZoneInfo("Europe/Berlin")
FRIDAY = datetime(2026, 11, 20, 10, 30, tzinfo=BERLIN)
SUNDAY = datetime(2026, 11, 22, 10, 30, tzinfo=BERLIN)

moments = st.integers(-2_000_000, 2_000_000).map(lambda minutes: FRIDAY + timedelta(minutes=minutes))


@pytest.mark.parametrize(
    ("now", "offset", "day"),
    [
        (FRIDAY, "0d", date(2026, 11, 20)),
        (FRIDAY, "-1d", date(2026, 11, 19)),
        (FRIDAY, "+1w", date(2026, 11, 23)),
        (FRIDAY, "-1w", date(2026, 11, 19)),
        (FRIDAY, "-5w", date(2026, 11, 13)),
        (SUNDAY, "+1w", date(2026, 11, 23)),
        (SUNDAY, "-1w", date(2026, 11, 20)),
        (FRIDAY, "+1fri", date(2026, 11, 27)),
        (FRIDAY, "-2mon", date(2026, 11, 9)),
        (SUNDAY, "+1sat", date(2026, 11, 28)),
    ],
)
def test_an_offset_is_a_day(now: datetime, offset: str, day: date) -> None:
    assert Moments(now, BERLIN).day(offset) == day


def test_dates_are_written_out() -> None:
    text = "Due {+1w}, a {+1w:%A}; {this} stays."
    assert Moments(FRIDAY, BERLIN).fill(text) == "Due Monday, 23 November, a Monday; {this} stays."


def test_today_is_the_users_day() -> None:
    assert Moments(datetime(2026, 11, 20, 23, 30, tzinfo=ZoneInfo("UTC")), BERLIN).today == date(2026, 11, 21)


@given(moments, st.integers(1, 30), st.sampled_from(["w", *WEEKDAYS]))
def test_days_ahead_and_behind_keep_their_order(now: datetime, number: int, unit: str) -> None:
    at = Moments(now, BERLIN)
    assert at.day(f"-{number + 1}{unit}") < at.day(f"-{number}{unit}") < now.date()
    assert now.date() < at.day(f"+{number}{unit}") < at.day(f"+{number + 1}{unit}")
    assert at.day(f"+{number}w").weekday() < 5


@given(moments, st.lists(st.times(time(0), time(9)).map(lambda clock: clock.replace(second=0, microsecond=0)), min_size=2))
def test_this_mornings_mails_keep_their_order_and_are_never_ahead(now: datetime, clocks: list[time]) -> None:
    at = Moments(now, BERLIN)
    received = [at.received(f"0d {clock:%H:%M}") for clock in sorted(clocks)]
    assert received == sorted(received)
    assert received[-1] <= now
