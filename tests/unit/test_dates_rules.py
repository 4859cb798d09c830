"""What holds for all times in words: round trips, days on which the clocks change, merging, and any text at all."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates import merge, read_times, say

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
NOW = datetime(2026, 11, 18, 10, tzinfo=BERLIN)
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

dates = st.dates(date(2000, 1, 1), date(2099, 12, 31))
minutes = st.times().map(lambda at: at.replace(second=0, microsecond=0))


def one(text: str, now: datetime = NOW, zone: ZoneInfo = BERLIN) -> TimeSpec:
    mentions = read_times(text, now=now, zone=zone)
    assert len(mentions) == 1, (text, mentions)
    return mentions[0].spec


def suffix(number: int) -> str:
    return "th" if 10 <= number <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


SHAPES = [
    lambda d: f"{d:%Y-%m-%d}",
    lambda d: f"{d.day} {MONTHS[d.month - 1]} {d.year}",
    lambda d: f"{d.day} {MONTHS[d.month - 1][:3]} {d.year}",
    lambda d: f"{MONTHS[d.month - 1]} {d.day}, {d.year}",
    lambda d: f"{MONTHS[d.month - 1]} {d.day}{suffix(d.day)}, {d.year}",
    lambda d: f"the {d.day}{suffix(d.day)} of {MONTHS[d.month - 1]} {d.year}",
    lambda d: f"{DAYS[d.weekday()]}, {d.day} {MONTHS[d.month - 1]} {d.year}",
    lambda d: f"{DAYS[d.weekday()][:3]} {MONTHS[d.month - 1][:3]} {d.day} {d.year}",
    lambda d: f"{d.day:02}.{d.month:02}.{d.year}",
    lambda d: f"{d.day}.{d.month}.{d.year}",
    lambda d: f"{d.day}/{d.month}/{d.year}",
    lambda d: f"{d.day}-{MONTHS[d.month - 1][:3]}-{d.year}",
    lambda d: f"{d:%Y%m%d}",
    lambda d: f"{d:%Y/%m/%d}",
]
CLOCKS = [
    lambda t: f"{t:%H:%M}" if t.hour > 12 or t.hour < 10 else f"{t:%H:%M}:00",
    lambda t: f"{t.hour % 12 or 12}:{t.minute:02} {'pm' if t.hour >= 12 else 'am'}",
    lambda t: f"{t.hour % 12 or 12}:{t.minute:02}{'p.m.' if t.hour >= 12 else 'a.m.'}",
    lambda t: f"{t.hour % 12 or 12}.{t.minute:02}{'PM' if t.hour >= 12 else 'AM'}",
    lambda t: f"{t.hour:02}h{t.minute:02}" if t.hour > 12 or t.hour < 10 else f"at {t.hour:02}h{t.minute:02}",
]


@given(dates, st.sampled_from(SHAPES))
def test_a_date_in_any_shape_is_read_back_exactly(day: date, shape) -> None:  # type: ignore[no-untyped-def]
    spec = one(f"meet me on {shape(day)} please")
    assert spec.kind == "point" and spec.has_date and not spec.has_time
    assert (
        spec.start is not None
        and spec.start.date() == day
        and spec.stop == datetime.combine(day + timedelta(1), datetime.min.time(), BERLIN)
    )


@given(dates, st.sampled_from(SHAPES), minutes, st.sampled_from(CLOCKS))
def test_a_date_and_a_time_in_any_shape_are_read_back_exactly(day: date, shape, at, clock) -> None:  # type: ignore[no-untyped-def]
    spec = one(f"{shape(day)} {clock(at)}", zone=ZoneInfo("UTC"))
    assert spec.start == datetime.combine(day, at, UTC) and spec.has_date and spec.has_time


@given(dates, minutes, st.sampled_from([BERLIN, NEW_YORK]))
def test_what_is_said_reads_back_as_the_same_moment(day: date, at, zone: ZoneInfo) -> None:  # type: ignore[no-untyped-def]
    start = datetime.combine(day, at, zone).astimezone(UTC).astimezone(zone)
    assume(not start.fold)
    spec = TimeSpec(kind="point", start=start, has_date=True, has_time=True)
    assert one(say(spec, NOW), zone=zone).start == start


@given(dates, st.integers(1, 60))
def test_what_is_said_reads_back_as_the_same_days(day: date, count: int) -> None:
    start = datetime.combine(day, datetime.min.time(), BERLIN)
    stop = datetime.combine(day + timedelta(count), datetime.min.time(), BERLIN)
    spec = TimeSpec(kind="range", start=start, stop=stop, has_date=True)
    read = one(say(spec, NOW))
    assert (read.start, read.stop) == (start, stop)


@given(dates, minutes, st.integers(1, 30 * 60))
def test_what_is_said_reads_back_as_the_same_hours(day: date, at, length: int) -> None:  # type: ignore[no-untyped-def]
    zone = ZoneInfo("UTC")
    start = datetime.combine(day, at, zone)
    spec = TimeSpec(kind="range", start=start, stop=start + timedelta(minutes=length), has_date=True, has_time=True)
    read = one(say(spec, NOW), zone=zone)
    assert (read.start, read.stop) == (spec.start, spec.stop)


@given(dates, minutes, st.booleans())
def test_what_is_said_reads_back_as_the_same_open_range(day: date, at, opens: bool) -> None:  # type: ignore[no-untyped-def]
    when = datetime.combine(day, at, ZoneInfo("UTC"))
    spec = TimeSpec(kind="range", start=when if opens else None, stop=None if opens else when, has_date=True, has_time=True)
    read = one(say(spec, NOW), zone=ZoneInfo("UTC"))
    assert (read.start, read.stop) == (spec.start, spec.stop)


@given(st.timedeltas(timedelta(minutes=1), timedelta(days=20)).map(lambda d: timedelta(minutes=d // timedelta(minutes=1))))
def test_what_is_said_reads_back_as_the_same_length(length: timedelta) -> None:
    assert one(say(TimeSpec(kind="duration", duration=length), NOW)).duration == length


@pytest.mark.parametrize(
    "text",
    [
        "every weekday at 8",
        "every Monday and Thursday at 9:30",
        "daily at 17:00",
        "every other Tuesday at 2pm",
        "every month on the 1st and 15th at 10",
        "the last Friday of every month at 16:00",
        "every 26 November",
        "every day from 9 to 10",
        "every Friday until 18 December 2026",
        "every day from 30 November to 3 December at 9",
        "every 3 months",
    ],
)
def test_what_is_said_reads_back_as_the_same_recurrence(text: str) -> None:
    spec = one(text)
    read = one(say(spec, NOW))
    assert (read.rrule, read.start, read.stop) == (spec.rrule, spec.start, spec.stop)


def test_times_are_said_as_people_write_them() -> None:
    said = {
        "Thursday 26 November at 3": "Thu 26 Nov 2026, 15:00",
        "26 November": "Thu 26 Nov 2026",
        "at 3": "15:00",
        "next week": "Mon 23 Nov 2026 to Sun 29 Nov 2026",
        "Friday 2-4pm": "Fri 20 Nov 2026, 14:00 to 16:00",
        "by Friday": "until Fri 20 Nov 2026",
        "an hour and a half": "1 hour 30 minutes",
        "every weekday at 8": "every weekday at 08:00, starting Thu 19 Nov 2026",
    }
    assert {text: say(one(text), NOW) for text in said} == said


def test_a_time_that_the_change_of_clocks_leaves_out_moves_forward() -> None:
    spec = one("28 March 2027 at 2:30am")
    assert spec.start is not None and spec.start.isoformat() == "2027-03-28T03:30:00+02:00"
    spec = one("March 14, 2027 at 2:30am", zone=NEW_YORK)
    assert spec.start is not None and spec.start.isoformat() == "2027-03-14T03:30:00-04:00"


def test_a_time_that_comes_twice_is_the_first_of_both() -> None:
    spec = one("25 October 2026 at 2:30am")
    assert spec.start is not None and spec.start.isoformat() == "2026-10-25T02:30:00+02:00"


@pytest.mark.parametrize(
    ("zone", "before"),
    [(BERLIN, datetime(2027, 3, 27, 15, tzinfo=BERLIN)), (NEW_YORK, datetime(2026, 10, 31, 15, tzinfo=NEW_YORK))],
)
def test_days_are_counted_by_the_wall_clock_and_hours_by_the_real_one(zone: ZoneInfo, before: datetime) -> None:
    tomorrow = one("tomorrow at 3pm", now=before, zone=zone).start
    later = one("in 24 hours", now=before, zone=zone).start
    assert tomorrow is not None and later is not None
    assert (tomorrow.day, tomorrow.hour) == ((before + timedelta(days=1)).day, 15)
    assert later - before == later.astimezone(UTC) - before.astimezone(UTC) + (later.utcoffset() or timedelta()) - (
        before.utcoffset() or timedelta()
    )
    assert later.astimezone(UTC) - before.astimezone(UTC) == timedelta(hours=24)


def test_the_day_on_which_the_clocks_change_is_whole() -> None:
    spec = one("28 March 2027")
    assert spec.start is not None and spec.stop is not None
    assert spec.stop.astimezone(UTC) - spec.start.astimezone(UTC) == timedelta(hours=23)


def test_a_date_and_a_time_said_apart_are_merged_in_either_order() -> None:
    friday, three = one("Friday"), one("3pm")
    for merged in (merge(friday, three), merge(three, friday)):
        assert merged.start == datetime(2026, 11, 20, 15, tzinfo=BERLIN)
        assert merged.kind == "point" and merged.has_date and merged.has_time


def test_a_range_of_hours_is_merged_into_its_day() -> None:
    merged = merge(one("Friday"), one("from 2 to 4"))
    assert (merged.start, merged.stop) == (datetime(2026, 11, 20, 14, tzinfo=BERLIN), datetime(2026, 11, 20, 16, tzinfo=BERLIN))


def test_an_open_range_of_hours_ends_with_the_day_it_is_merged_into() -> None:
    merged = merge(one("Friday"), one("after 3pm"))
    assert (merged.start, merged.stop) == (datetime(2026, 11, 20, 15, tzinfo=BERLIN), datetime(2026, 11, 21, tzinfo=BERLIN))


def test_hours_past_midnight_stay_past_midnight_when_merged() -> None:
    merged = merge(one("Friday"), one("10pm to 2am"))
    assert (merged.start, merged.stop) == (datetime(2026, 11, 20, 22, tzinfo=BERLIN), datetime(2026, 11, 21, 2, tzinfo=BERLIN))


def test_a_recurrence_takes_the_time_it_is_merged_with() -> None:
    merged = merge(one("every Monday"), one("at 9"))
    assert merged.rrule == "FREQ=WEEKLY;BYDAY=MO" and merged.start == datetime(2026, 11, 23, 9, tzinfo=BERLIN) and merged.has_time


def test_what_does_not_complement_the_first_leaves_it_alone() -> None:
    friday = one("Friday")
    assert merge(friday, one("30 minutes")) == friday
    assert merge(friday, one("Monday")) == friday
    assert merge(one("next week"), one("3pm")) == one("next week")


WORDS = (
    "today tomorrow Friday Mon next last this the of in on at from to until by before after since every other 3 5th 12 15:00 3pm "
    "pm am half past quarter week month year December may 2026 2026-11-26 11/26 26.11. - , . and for hours minutes a an "
    "first second morning night tonight noon end weekday daily now ago CET 999999999 99999 days Anna ½ T Z ' ( )"
).split()


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join) | st.text(max_size=40))
def test_any_text_is_read_without_an_error_into_mentions_in_order(text: str) -> None:
    end = 0
    for mention in read_times(text, now=NOW, zone=BERLIN):
        assert end <= mention.begin < mention.end <= len(text)
        assert mention.spec.text == text[mention.begin : mention.end]
        end = mention.end
        spec = mention.spec
        assert all(at is None or at.tzinfo is BERLIN for at in (spec.start, spec.stop))
        assert spec.start is None or spec.stop is None or spec.start < spec.stop
        assert say(spec, NOW)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), st.sampled_from(["future", "past"]))
def test_a_single_time_of_day_lies_on_the_side_that_is_preferred(text: str, prefer) -> None:  # type: ignore[no-untyped-def]
    for mention in read_times(text, now=NOW, zone=BERLIN, prefer=prefer):
        spec = mention.spec
        if spec.kind == "point" and not spec.has_date and spec.start is not None:
            assert spec.start <= NOW if prefer == "past" else spec.start >= NOW
