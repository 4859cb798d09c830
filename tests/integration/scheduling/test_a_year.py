"""A year under a simulated clock: each slot is run once, or was missed and is made up for once, in a run that says so."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from doubles.clockwork import Clockwork
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assistant.scheduling.claiming import decide
from assistant.scheduling.values import Slot
from assistant.timetable.rules import Calendar, Cron, Remind, Rule
from assistant.timetable.slots import due
from storage import schedules
from storage.database import Database

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
YEAR = timedelta(days=365)
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago", "Africa/Casablanca", "UTC")
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
zones = st.sampled_from(ZONES)
times = st.builds(time, st.integers(0, 23), st.sampled_from([0, 15, 30, 59])) | st.just(time(2, 30))
days = st.sets(st.integers(0, 6), min_size=1)
downtimes = st.lists(
    st.tuples(
        st.timedeltas(timedelta(), YEAR),
        st.sampled_from([timedelta(hours=1), timedelta(days=3)]) | st.timedeltas(timedelta(minutes=1), timedelta(days=40)),
    ),
    max_size=6,
)
Downtimes = list[tuple[timedelta, timedelta]]


def rule_on(weekdays: set[int], at: time, as_cron: bool) -> Rule:
    if as_cron:
        return Cron(expression=f"{at.minute} {at.hour} * * {','.join(str((day + 1) % 7) for day in sorted(weekdays))}")
    by_day = ",".join(WEEKDAYS[day] for day in sorted(weekdays))
    return Calendar(rrule=f"FREQ=WEEKLY;BYDAY={by_day}", start=datetime.combine(date(2026, 1, 1), at))


def up(downtimes: Downtimes) -> list[tuple[datetime, datetime]]:
    """When the program runs within the year, which ends with it running."""
    spans, begin = [], NEW_YEAR
    for start, length in sorted(downtimes):
        down = NEW_YEAR + start
        if down > begin:
            spans.append((begin, down))
        begin = max(begin, down + length)
    end = max(begin, NEW_YEAR + YEAR) + timedelta(days=8)
    return [*spans, (begin, end)]


@contextmanager
def clockwork(zone: str) -> Iterator[Clockwork]:
    with TemporaryDirectory() as folder:
        yield Clockwork(Database.open(Path(folder) / "a.sqlite"), NEW_YEAR, zone)


async def lived(work: Clockwork, begin: datetime, end: datetime) -> None:
    """The program runs from then until then: it looks when it starts, and whenever the alarm is set for."""
    work.at = begin
    while work.at <= end:
        await work.tending.all()
        coming = await work.database.read(schedules.earliest)
        assert coming is not None and coming > work.at
        work.at = coming


def wall_dates(slots: list[Slot]) -> list[str]:
    return [slot.slot[:10] for slot in slots]


@settings(max_examples=5, deadline=None)
@given(zone=zones, weekdays=days, at=times, as_cron=st.booleans(), downtimes=downtimes)
@example(
    "Europe/Berlin",
    {0, 1, 2, 3, 4, 5, 6},
    time(2, 30),
    True,
    [(timedelta(days=40), timedelta(hours=1)), (timedelta(days=90), timedelta(days=3))],
)
@example("Australia/Lord_Howe", {0, 1, 2, 3, 4, 5, 6}, time(2, 15), False, [(timedelta(days=94), timedelta(days=3))])
async def test_each_slot_of_a_year_is_run_once_or_made_up_for_once(zone, weekdays, at, as_cron, downtimes) -> None:
    spans = up(downtimes)
    with clockwork(zone) as work:
        added = await work.schedules.add("s", Remind(text="x"), rule_on(weekdays, at, as_cron))
        for begin, end in spans:
            await lived(work, begin, end)
        found = [slot for slot in reversed(await work.schedules.history(added.id, limit=1000)) if slot.due <= spans[-1][1]]
        lates = {run.slot: run.late for run in work.flows.ran}
        await work.database.close()

    first, last = (moment.astimezone(ZoneInfo(zone)) for moment in (NEW_YEAR, spans[-1][1]))
    span = [first.date() + timedelta(days=n) for n in range((last.date() - first.date()).days + 1)]
    wanted = [
        day.isoformat() for day in span if day.weekday() in weekdays and first < datetime.combine(day, at, first.tzinfo) <= last
    ]
    assert wall_dates(found) == wanted
    missed = 0
    for slot in found:
        if slot.status == "missed":
            missed += 1
            continue
        begun = next(begin for begin, end in reversed(spans) if begin <= slot.started)
        assert (slot.status, slot.stands_for) == ("done", missed)
        assert slot.started == max(slot.due, begun)
        assert bool(lates[slot.slot]) == (missed > 0 or slot.started - slot.due >= timedelta(minutes=5))
        missed = 0
    assert missed == 0
    assert len(lates) == len(work.flows.ran) == sum(slot.status == "done" for slot in found)
    caught_up = [slot.started for slot in found if slot.status == "done" and lates[slot.slot]]
    assert all(len(list(group)) == 1 for _, group in groupby(caught_up)) and set(caught_up) <= {begin for begin, _ in spans}


frequent = st.sampled_from(["0 * * * *", "*/20 * * * *", "30 2 * * *", "0 0,3,6 * * 1-5", "15 1-3 * * *", "0 9 1 * *"])


@settings(max_examples=60, deadline=None)
@given(
    expression=frequent,
    zone=zones,
    start=st.timedeltas(timedelta(), YEAR),
    looks=st.lists(st.timedeltas(timedelta(minutes=1), timedelta(days=4)), min_size=1, max_size=30),
)
def test_looks_at_any_times_deal_with_each_slot_once_and_run_the_last(expression, zone, start, looks) -> None:
    rule, place = Cron(expression=expression), ZoneInfo(zone)
    begin = since = now = NEW_YEAR + start
    dealt: list[str] = []
    for ahead in looks:
        now += ahead
        found = decide(rule, place, since, dealt, now)
        if found.run:
            dealt += [one.slot for one in (*found.missed, found.run)]
        else:
            assert not found.missed
        assert found.next is not None and found.next > now
        since = found.since
    assert dealt == [one.slot for one in due(rule, place, begin, now)]
