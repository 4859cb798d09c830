"""Calendar objects that would cost too much or can't be placed in time, and times that come twice in an autumn night."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import icalendar
import pytest

from integrations.actions import CreateEvent, UpdateEvent
from integrations.common.contentline import Malformed
from integrations.common.ical import MOST_DATES, read_objects
from integrations.common.ical_edit import CalendarFile, new_event, update_event
from integrations.common.ical_events import Place, Timeline, overlaps

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 10, 1, tzinfo=UTC)
FIRST_PASSING = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
SECOND_PASSING = FIRST_PASSING.replace(fold=1)
HOUR = timedelta(hours=1)


def later(moment: datetime, by: timedelta) -> datetime:
    return (moment.astimezone(UTC) + by).astimezone(BERLIN)


def timeline(text: str) -> Timeline:
    (source,) = read_objects(text.encode())
    return Timeline(source, Place("acc", "work", "work/a.ics", source.etag, "me@home.example", BERLIN))


def calendar(*lines: str) -> str:
    inside = "".join(f"{line}\r\n" for line in ("UID:u", *lines))
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\n{inside}END:VEVENT\r\nEND:VCALENDAR\r\n"


def created(start: datetime, end: datetime) -> str:
    action = CreateEvent(account="acc", title="Night watch", start=start, end=end)
    return new_event(action, uid="k1", owner="me@home.example", zone=BERLIN, now=NOW)


@pytest.mark.parametrize("name", ["RDATE", "EXDATE"])
@pytest.mark.parametrize("lines", [1, MOST_DATES])
def test_an_event_that_lists_too_many_dates_is_refused_with_that_reason(name: str, lines: int) -> None:
    dates = [f"{NOW + timedelta(minutes=number):%Y%m%dT%H%M%SZ}" for number in range(MOST_DATES)]
    size = len(dates) // lines
    listed = [f"{name}:{','.join(dates[at : at + size])}" for at in range(0, len(dates), size)]
    with pytest.raises(Malformed, match=f"it lists more than {MOST_DATES} dates"):
        timeline(calendar("DTSTART:20260101T000000Z", "RRULE:FREQ=DAILY", *listed)).between(NOW, NOW + HOUR)


@pytest.mark.parametrize("name", ["DTSTART", "DTEND"])
@pytest.mark.parametrize("zone", ["Europe", "America/Argentina"])
def test_a_zone_that_is_a_folder_of_zones_is_told_in_plain_words(name: str, zone: str) -> None:
    times = {"DTSTART": "DTSTART:20261119T080000Z", "DTEND": "DTEND:20261119T090000Z"}
    times[name] = f"{name};TZID={zone}:20261119T083000"
    with pytest.raises(Malformed) as refused:
        timeline(calendar(*times.values())).first  # noqa: B018
    assert "/" not in str(refused.value) and "time zone" in str(refused.value)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (FIRST_PASSING, FIRST_PASSING + HOUR),
        (FIRST_PASSING, SECOND_PASSING),
        (FIRST_PASSING, later(SECOND_PASSING, -timedelta(minutes=15))),
        (SECOND_PASSING, later(SECOND_PASSING, HOUR)),
        (SECOND_PASSING, later(SECOND_PASSING, timedelta(minutes=10))),
        (SECOND_PASSING.astimezone(UTC), SECOND_PASSING.astimezone(UTC) + HOUR),
    ],
)
def test_an_event_of_the_night_when_clocks_go_back_is_read_as_it_was_written(start: datetime, end: datetime) -> None:
    text = created(start, end)
    event = timeline(text).first
    assert (event.start.astimezone(UTC), event.end.astimezone(UTC)) == (start.astimezone(UTC), end.astimezone(UTC))
    (other,) = icalendar.Calendar.from_ical(text).walk("VEVENT")
    assert other.decoded("DTSTART").astimezone(UTC) == start.astimezone(UTC)
    assert other.decoded("DTEND").astimezone(UTC) == end.astimezone(UTC)


def test_an_event_moved_into_the_second_passing_of_the_hour_keeps_its_length() -> None:
    file = CalendarFile(created(FIRST_PASSING - 24 * HOUR, FIRST_PASSING - 23 * HOUR))
    source = file.object("k1")
    assert source is not None
    before = Timeline(source, Place("acc", "work", "work/a.ics", source.etag, "me@home.example", BERLIN))
    move = UpdateEvent(account="acc", event=before.first.ref, start=SECOND_PASSING)
    update_event(file, before, move, owner="me@home.example", now=NOW)
    event = timeline(file.text).first
    assert event.start.astimezone(UTC) == SECOND_PASSING.astimezone(UTC)
    assert event.end.astimezone(UTC) - event.start.astimezone(UTC) == HOUR


def test_an_event_between_the_two_passings_overlaps_just_that_hour() -> None:
    event = timeline(created(FIRST_PASSING, SECOND_PASSING)).first
    assert overlaps(event, later(FIRST_PASSING, timedelta(minutes=20)), later(FIRST_PASSING, timedelta(minutes=40)))
    assert not overlaps(event, SECOND_PASSING, later(SECOND_PASSING, HOUR))
