"""Calendar objects: real files, moving series, and what is written for other programs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar
import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.actions import CreateEvent, UpdateEvent
from integrations.common.contentline import Malformed
from integrations.common.ical import read_objects
from integrations.common.ical_edit import CalendarFile, new_event, update_event
from integrations.common.ical_events import Place, Timeline
from integrations.types import Event, EventRef

BERLIN = ZoneInfo("Europe/Berlin")
REAL = Path(__file__).parents[4] / "shared" / "data" / "realmail" / "ics"
NOW = datetime(2026, 11, 18, 10, tzinfo=UTC)
FIRST = datetime(2026, 9, 7, 15, tzinfo=BERLIN)  # a Monday
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def timeline(text: str, owner: str = "me@home.example") -> Timeline:
    (source,) = read_objects(text.encode())
    return Timeline(source, Place("acc", "work", "work/a.ics", source.etag, owner, BERLIN))


def created(**changes: object) -> str:
    given: dict[str, object] = {"account": "acc", "title": "Lunch", "start": FIRST, "end": FIRST + timedelta(hours=1)}
    return new_event(CreateEvent.model_validate(given | changes), uid="k1", owner="me@home.example", zone=BERLIN, now=NOW)


def expanded(text: str) -> list[Event]:
    return sorted(timeline(text).between(FIRST - timedelta(days=100), FIRST + timedelta(days=200)), key=lambda event: event.start)


def clock(moment: datetime) -> datetime:
    return moment.astimezone(BERLIN).replace(tzinfo=None)


@pytest.mark.parametrize(("begin", "minutes"), [("2:30", 60), ("2:45", 30), ("1:30", 60), ("1:30", 180)])
def test_an_event_keeps_its_length_in_the_night_in_which_the_clocks_go_back(begin: str, minutes: int) -> None:
    hour, _, minute = begin.partition(":")
    start = datetime(2026, 10, 25, int(hour), int(minute), tzinfo=BERLIN)
    end = (start.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(BERLIN)
    (event,) = expanded(created(start=start, end=end))
    assert event.start.astimezone(UTC) == start.astimezone(UTC)
    assert event.end.astimezone(UTC) - event.start.astimezone(UTC) == timedelta(minutes=minutes)


@pytest.mark.skipif(not REAL.is_dir(), reason="the sample calendars are not beside this project")
def test_every_real_calendar_is_read_or_skipped_with_a_reason() -> None:
    read, reasons = 0, []
    for path in sorted(REAL.rglob("*.ics")):
        try:
            for source in read_objects(path.read_bytes()):
                place = Place("acc", "work", path.name, source.etag, "me@home.example", BERLIN)
                found = Timeline(source, place).between(datetime(1990, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC))
                read += len(found)
        except Malformed as reason:
            reasons.append(str(reason))
    assert read > 50
    assert 10 < len(reasons) < 40
    assert all(reason.startswith(("it ", "its ", "an event ")) for reason in reasons)


@pytest.mark.skipif(not REAL.is_dir(), reason="the sample calendars are not beside this project")
def test_renaming_a_real_event_changes_nothing_else_of_its_file() -> None:
    changed = 0
    for path in sorted(REAL.rglob("*.ics")):
        content = path.read_bytes()
        for source in read_objects(content) if b"BEGIN:VEVENT" in content else ():
            place = Place("acc", "work", path.name, source.etag, "me@home.example", BERLIN)
            file = CalendarFile(content.decode())
            present = file.object(source.uid)
            assert present is not None
            own = Timeline(present, place)
            try:
                own.between(datetime(1990, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC))
                title = own.first.title
            except Malformed:
                continue
            ref = EventRef(account="acc", calendar="work", id=path.name)
            update_event(file, own, UpdateEvent(account="acc", event=ref, title=title + "!"), owner="me@home.example", now=NOW)
            before, after = content.decode().split(), file.text.split()
            touched = ("SUMMARY", "DTSTAMP", "LAST-MODIFIED", "SEQUENCE")
            assert {word for word in before if word not in after and not word.startswith(touched)} <= set(title.split())
            changed += 1
    assert changed > 40


def test_a_bad_event_does_not_hide_the_others_of_its_file() -> None:
    good = created().split("BEGIN:VEVENT")[1].split("END:VEVENT")[0]
    wrong = "BEGIN:VEVENT\nUID:bad\nDTSTART:20261342T990000\nEND:VEVENT"
    text = f"BEGIN:VCALENDAR\n{wrong}\nBEGIN:VEVENT{good}END:VEVENT\nEND:VCALENDAR\n"
    bad, fine = (Timeline(source, Place("a", "c", "i", "", "", BERLIN)) for source in read_objects(text.encode()))
    with pytest.raises(Malformed):
        bad.between(FIRST, FIRST + timedelta(days=1))
    assert len(fine.between(FIRST, FIRST + timedelta(days=1))) == 1


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY;INTERVAL=5",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;BYWEEKNO=1;BYMONTH=7",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;BYMONTH=13",
        "FREQ=DAILY;BYYEARDAY=366;BYMONTH=1",
        "FREQ=DAILY;BYWEEKNO=53;BYMONTH=6",
        "FREQ=DAILY;BYSETPOS=99",
        "FREQ=HOURLY;BYSETPOS=2",
        "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2",
        "FREQ=DAILY;INTERVAL=7;BYDAY=SU,MO,TU",
        f"FREQ=DAILY;BYHOUR={','.join(map(str, range(24)))};BYMINUTE={','.join(map(str, range(60)))}",
    ],
)
def test_a_rule_that_would_keep_the_listing_busy_for_ever_is_skipped(rule: str) -> None:
    with pytest.raises(Malformed):
        timeline(created(rrule="FREQ=DAILY").replace("FREQ=DAILY", rule)).between(NOW, NOW + timedelta(days=1))


@pytest.mark.parametrize(("rule", "year"), [("FREQ=DAILY", "0001"), ("FREQ=HOURLY", "1900")])
def test_a_rule_that_would_have_to_be_followed_through_ages_is_skipped(rule: str, year: str) -> None:
    text = f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u\nDTSTART:{year}0101T110000Z\nRRULE:{rule}\nEND:VEVENT\nEND:VCALENDAR\n"
    with pytest.raises(Malformed):
        timeline(text).between(NOW, NOW + timedelta(days=1))


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "FREQ=MONTHLY;BYMONTHDAY=-31",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;WKST=SU;UNTIL=20301231T000000Z",
        "FREQ=DAILY;INTERVAL=7",
        "FREQ=DAILY;BYHOUR=9,10,11,12;BYMINUTE=0,15,30,45",
        "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;BYMONTH=12;BYSETPOS=-1",
        "FREQ=HOURLY;INTERVAL=2",
    ],
)
def test_a_rule_of_people_is_followed(rule: str) -> None:
    text = created(rrule="FREQ=DAILY").replace("FREQ=DAILY", rule)
    assert timeline(text).between(NOW, NOW + timedelta(days=800))


def test_a_rule_for_the_leap_day_is_fine() -> None:
    text = created(start=datetime(2024, 2, 29, 9, tzinfo=BERLIN), end=datetime(2024, 2, 29, 10, tzinfo=BERLIN))
    text = text.replace("SEQUENCE", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29\r\nSEQUENCE")
    found = timeline(text).between(datetime(2025, 1, 1, tzinfo=UTC), datetime(2033, 1, 1, tzinfo=UTC))
    assert [event.start.year for event in found] == [2028, 2032]


def test_a_calendar_of_something_else_holds_no_events_and_a_text_is_no_calendar() -> None:
    assert read_objects(b"BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:t\nEND:VTODO\nEND:VCALENDAR\n") == ()
    with pytest.raises(Malformed):
        read_objects(b"just a text")


def test_a_created_event_carries_its_zone_for_programs_that_know_none() -> None:
    calendar = icalendar.Calendar.from_ical(created(rrule="FREQ=WEEKLY"))
    assert isinstance(calendar, icalendar.Calendar)
    assert [str(zone["TZID"]) for zone in calendar.timezones] == ["Europe/Berlin"]
    own = calendar.timezones[0].to_tz(lookup_tzid=False)
    for day in range(0, 400, 7):
        moment = FIRST + timedelta(days=day)
        assert moment.replace(tzinfo=own).utcoffset() == moment.utcoffset()
    (event,) = calendar.events
    assert event["DTSTART"].params["TZID"] == "Europe/Berlin"


def test_a_created_event_has_what_the_standard_requires() -> None:
    calendar = icalendar.Calendar.from_ical(created())
    assert isinstance(calendar, icalendar.Calendar)
    assert {"VERSION", "PRODID"} <= set(calendar)
    assert {"UID", "DTSTAMP", "DTSTART"} <= set(calendar.events[0])
    assert all(len(line) <= 75 for line in created(description="ß" * 300).encode().split(b"\r\n"))


def test_an_event_without_a_uid_gets_one_when_changed_and_keeps_its_place() -> None:
    text = created().replace("UID:k1\r\n", "")
    file, own = CalendarFile(text), timeline(text)
    present = file.object(own.source.uid)
    assert present is not None
    own = Timeline(present, own.place)
    ref = EventRef(account="acc", calendar="work", id="work/a.ics")
    update_event(file, own, UpdateEvent(account="acc", event=ref, title="Other"), owner="", now=NOW)
    assert timeline(file.text).source.uid == present.uid


RULES = st.one_of(
    st.builds("FREQ=DAILY;INTERVAL={};COUNT=20".format, st.integers(1, 5)),
    st.builds("FREQ=WEEKLY;BYDAY=MO,{};COUNT=12".format, st.sampled_from(DAYS[1:])),
    st.builds("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;UNTIL=2026{}30T220000Z".format, st.sampled_from(["09", "11"])),
    st.just("FREQ=WEEKLY"),
)


@given(rule=RULES, days=st.integers(-6, 6), minutes=st.integers(-600, 480), skipped=st.integers(0, 3), changed=st.integers(4, 6))
def test_a_moved_series_is_the_same_series_at_another_time(rule: str, days: int, minutes: int, skipped: int, changed: int) -> None:
    """Exceptions and instances changed by themselves go along; no instance is lost or gained."""
    text = created(rrule=rule)
    instances = expanded(text)
    if len(instances) > 6 and "INTERVAL=2;BYDAY" not in rule:
        gone, own = instances[skipped].start, instances[changed].start
        start = f";TZID=Europe/Berlin:{clock(own):%Y%m%dT%H%M%S}"
        override = (
            f"BEGIN:VEVENT\r\nUID:k1\r\nSUMMARY:Own\r\nRECURRENCE-ID{start}\r\nDTSTART{start}\r\nDURATION:PT1H\r\nEND:VEVENT\r\n"
        )
        text = text.replace("SEQUENCE:0", f"SEQUENCE:0\r\nEXDATE:{gone.astimezone(UTC):%Y%m%dT%H%M%SZ}")
        text = text.replace("END:VCALENDAR", f"{override}END:VCALENDAR")
    before = expanded(text)
    by = timedelta(days=days if "INTERVAL=2" not in rule else 0, minutes=minutes)
    target = (clock(FIRST) + by).replace(tzinfo=BERLIN)

    file = CalendarFile(text)
    source = file.object("k1")
    assert source is not None
    own_timeline = Timeline(source, Place("acc", "work", "a.ics", "", "", BERLIN))
    ref = EventRef(account="acc", calendar="work", id="a.ics")
    update_event(file, own_timeline, UpdateEvent(account="acc", event=ref, start=target), owner="", now=NOW)

    margin = timedelta(days=150)
    after = expanded(file.text)
    wanted = [(clock(event.start) + by, event.title) for event in before if event.start < FIRST + margin]
    assert [(clock(event.start), event.title) for event in after][: len(wanted)] == wanted
    if "COUNT" in rule:
        assert len(after) == len(before)
