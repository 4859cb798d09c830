"""Free time, for any calendar."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import combinations, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.agents.free import MOST_CLASHES, clashes, collisions, gaps, slots_of, spread, working_hours
from assistant.values import Slot
from integrations.types import Event

ZONES = [ZoneInfo(name) for name in ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC")]
OPENS, CLOSES = time(9), time(18)


def event(start, end, **more):
    return Event(account="a", calendar="c", id=start.isoformat(), etag="", uid="", title="E", start=start, end=end, **more)


@st.composite
def calendars(draw):
    """A window of up to ten days, often over a change of clocks, with up to 25 events in and around it."""
    zone = draw(st.sampled_from(ZONES))
    day = draw(st.sampled_from([date(2026, 3, 6), date(2026, 3, 27), date(2026, 10, 23), date(2026, 11, 23)]))
    start = datetime.combine(day, time(), zone) + timedelta(minutes=draw(st.integers(0, 24 * 60)))
    stop = (start.astimezone(UTC) + timedelta(minutes=draw(st.integers(1, 10 * 24 * 60)))).astimezone(zone)
    moments = st.integers(-600, 11 * 24 * 60).map(lambda m: (start.astimezone(UTC) + timedelta(minutes=m)).astimezone(zone))
    rows = draw(st.lists(st.tuples(moments, st.integers(1, 600), st.booleans()), max_size=25))
    events = [event(s, (s.astimezone(UTC) + timedelta(minutes=m)).astimezone(zone), busy=b) for s, m, b in rows]
    return zone, start, stop, events


lengths = st.sampled_from([15, 25, 30, 45, 60, 90, 240]).map(lambda minutes: timedelta(minutes=minutes))


def real(slot):
    return slot.end.astimezone(UTC) - slot.start.astimezone(UTC)


@given(calendars(), lengths)
def test_a_slot_never_overlaps_a_busy_event(made, length):
    zone, start, stop, events = made
    for slot in slots_of(gaps(events, working_hours(start, stop, OPENS, CLOSES, zone, weekends=False)), length):
        assert collisions(events, slot.start, slot.end) == ()


@given(calendars(), lengths)
def test_a_slot_lies_within_working_hours_of_a_weekday_and_the_window(made, length):
    zone, start, stop, events = made
    for slot in slots_of(gaps(events, working_hours(start, stop, OPENS, CLOSES, zone, weekends=False)), length):
        assert slot.start.date() == slot.end.date()
        assert slot.start.weekday() < 5
        assert slot.start.time() >= OPENS and slot.end.time() <= CLOSES
        assert start <= slot.start and slot.end <= stop


@given(calendars(), lengths)
def test_a_slot_has_exactly_the_length(made, length):
    zone, start, stop, events = made
    slots = slots_of(gaps(events, working_hours(start, stop, OPENS, CLOSES, zone, weekends=True)), length)
    assert all(real(slot) == length for slot in slots)


@given(calendars(), lengths)
def test_slots_do_not_overlap_each_other_and_begin_on_the_quarter(made, length):
    zone, start, stop, events = made
    slots = slots_of(gaps(events, working_hours(start, stop, OPENS, CLOSES, zone, weekends=True)), length)
    assert all(a.end <= b.start for a, b in pairwise(slots))
    assert all(slot.start.minute % 15 == 0 and slot.start.second == 0 for slot in slots)


@given(calendars())
def test_free_and_busy_make_up_the_whole_window(made):
    zone, start, stop, events = made
    windows = working_hours(start, stop, OPENS, CLOSES, zone, weekends=True)
    free = gaps(events, windows)
    for window in windows:
        at = window.start.astimezone(UTC)
        while at < window.end.astimezone(UTC):
            moment = at.astimezone(zone)
            in_gap = any(gap.start <= moment < gap.end for gap in free)
            assert in_gap != bool(collisions(events, moment, moment + timedelta(seconds=1)))
            at += timedelta(minutes=17)


@given(calendars(), lengths, st.integers(1, 12))
def test_a_spread_holds_no_more_than_wanted_and_as_many_days_as_it_can(made, length, most):
    zone, start, stop, events = made
    slots = slots_of(gaps(events, working_hours(start, stop, OPENS, CLOSES, zone, weekends=True)), length)
    chosen = spread(slots, most)
    assert len(chosen) <= most
    assert set(chosen) <= set(slots)
    assert len({s.start.date() for s in chosen}) == min(most, len({s.start.date() for s in slots}))


@given(calendars())
def test_clashes_are_pairs_that_share_time(made):
    _, _, _, events = made
    for clash in clashes(events):
        assert clash.first.busy and clash.second.busy
        assert max(clash.first.start, clash.second.start) < min(clash.first.end, clash.second.end)


@given(calendars())
def test_no_pair_that_shares_time_is_missed(made):
    _, _, _, events = made
    timed = [e for e in events if not e.all_day]
    pairs = {frozenset((a.id, b.id)) for a, b in combinations(timed, 2) if collisions([b], a.start, a.end) and a.busy and b.busy}
    found = clashes(events)
    assert len(found) == MOST_CLASHES or {frozenset((c.first.id, c.second.id)) for c in found} == pairs


def test_a_gap_of_odd_minutes_begins_at_the_next_half_hour():
    zone = ZONES[0]
    gap = Slot(start=datetime(2026, 11, 23, 9, 10, tzinfo=zone), end=datetime(2026, 11, 23, 11, 0, tzinfo=zone))
    (first, *_) = slots_of([gap], timedelta(hours=1))
    assert first.start.time() == time(9, 30)


@pytest.mark.parametrize("minutes", [15, 25])
def test_short_slots_begin_on_the_quarter(minutes):
    zone = ZONES[0]
    gap = Slot(start=datetime(2026, 11, 23, 9, 10, tzinfo=zone), end=datetime(2026, 11, 23, 11, 0, tzinfo=zone))
    assert slots_of([gap], timedelta(minutes=minutes))[0].start.time() == time(9, 15)


def test_all_day_events_clash_with_nothing():
    zone = ZONES[0]
    day = event(datetime(2026, 11, 23, tzinfo=zone), datetime(2026, 11, 24, tzinfo=zone), all_day=True)
    call = event(datetime(2026, 11, 23, 10, tzinfo=zone), datetime(2026, 11, 23, 11, tzinfo=zone))
    assert clashes([day, call]) == ()
