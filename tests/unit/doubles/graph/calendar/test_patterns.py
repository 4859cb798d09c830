"""The emulated patterns, held against the same rules in iCalendar's words."""

from datetime import date, datetime, time
from itertools import islice

from dateutil.rrule import rrulestr
from doubles.graph.calendar import patterns
from doubles.graph.calendar.putting import recurrence_of
from hypothesis import given
from hypothesis import strategies as st

WEEKDAYS = st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"])
SOME_DAYS = st.lists(WEEKDAYS, min_size=1, unique=True).map(",".join)
INDEX = st.sampled_from([1, 2, 3, 4, -1])
STARTS = st.dates(date(2020, 1, 1), date(2030, 1, 1)).map(lambda day: datetime.combine(day, time(12, 30)))
MONTHS = st.integers(1, 12)
EVERY = st.integers(1, 5).map(lambda number: f"INTERVAL={number}")
KINDS = st.one_of(
    st.just("FREQ=DAILY"),
    st.builds("FREQ=WEEKLY;BYDAY={};WKST={}".format, SOME_DAYS, WEEKDAYS),
    st.builds("FREQ=MONTHLY;BYMONTHDAY={}".format, st.integers(1, 28)),
    st.builds("FREQ=MONTHLY;BYDAY={}{}".format, INDEX, WEEKDAYS),
    st.builds("FREQ=MONTHLY;BYDAY={};BYSETPOS={}".format, SOME_DAYS, INDEX),
    st.builds("FREQ=YEARLY;BYMONTH={};BYMONTHDAY={}".format, MONTHS, st.integers(1, 28)),
    st.builds("FREQ=YEARLY;BYMONTH={};BYDAY={}{}".format, MONTHS, INDEX, WEEKDAYS),
)


@given(kind=KINDS, every=EVERY, start=STARTS)
def test_a_pattern_names_the_days_of_its_rule(kind: str, every: str, start: datetime) -> None:
    rule = f"{kind};{every}"
    expected = [at.date() for at in islice(rrulestr(rule, dtstart=start), 12)]
    found = patterns.days(checked(rule, start), start.date(), patterns.LAST)
    assert list(islice(found, 12)) == expected


@given(kind=KINDS, start=STARTS, count=st.integers(1, 20))
def test_so_many_occurrences_are_counted_from_the_first(kind: str, start: datetime, count: int) -> None:
    rule = f"{kind};COUNT={count}"
    expected = [at.date() for at in rrulestr(rule, dtstart=start)]
    recurrence = checked(rule, start)
    assert list(patterns.days(recurrence, start.date(), patterns.LAST)) == expected
    assert list(patterns.days(recurrence, expected[-1], expected[-1])) == expected[-1:]
    assert not patterns.is_day(recurrence, date(9999, 1, 1))


def checked(rule: str, start: datetime) -> patterns.Recurrence:
    when = {"dateTime": start.isoformat(), "timeZone": "UTC"}
    return patterns.checked(recurrence_of(rule, start, "UTC"), when)
