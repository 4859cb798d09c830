"""What is done to calendar objects beside what an action asks for."""

from datetime import UTC, datetime
from random import Random

import pytest
from doubles.boxes.events import INVITATION, MEETING, STANDUP
from doubles.boxes.files import calendar_file
from doubles.given import GivenEvent
from hypothesis import given
from hypothesis import strategies as st

from integrations.common.calendar_objects import only
from integrations.common.ical import CalendarObject, read_objects
from integrations.common.ical_edit import CalendarFile
from integrations.standards.dav.calendar_edits import (
    call_off,
    called_off_by,
    is_announced,
    leave_telling_to_us,
    raised,
    same,
    uid_for,
)

NOW = datetime(2026, 11, 18, tzinfo=UTC)
events = st.sampled_from([MEETING, STANDUP, INVITATION])


def object_of(event: GivenEvent) -> CalendarObject:
    return only(read_objects(calendar_file(event)))


def shuffled(content: str, random: Random) -> str:
    """With the lines of its events in another order."""
    head, *rest = content.split("BEGIN:VEVENT\r\n")
    out = [head]
    for event in rest:
        lines, alarm, tail = event.partition("BEGIN:VALARM")
        own = [line for line in lines.split("\r\n") if line]
        random.shuffle(own)
        out.append("\r\n".join(own) + "\r\n" + alarm + tail)
    return "BEGIN:VEVENT\r\n".join(out)


@given(events, st.randoms(use_true_random=False))
def test_the_order_of_lines_and_the_time_of_writing_make_no_other_event(event: GivenEvent, random: Random) -> None:
    text = shuffled(calendar_file(event).decode(), random).replace("DTSTAMP:2026", "DTSTAMP:2031")
    assert same(only(read_objects(text.encode())), object_of(event))


@given(events, events)
def test_different_events_are_not_the_same(one: GivenEvent, other: GivenEvent) -> None:
    assert same(object_of(one), object_of(other)) is (one is other)
    assert not same(object_of(one), object_of(one.but(title="Else")))


@given(events, st.text("0123456789abcdef", min_size=1))
def test_what_is_called_off_names_the_write_and_nothing_else_is_lost(event: GivenEvent, key: str) -> None:
    content = call_off(calendar_file(event), key, now=NOW)
    off = only(read_objects(content))
    assert called_off_by(off, key) and not called_off_by(off, f"{key}0") and not called_off_by(object_of(event), key)
    assert all(block.value("STATUS") == "CANCELLED" for block in off.blocks)
    kept = {line.text for block in object_of(event).blocks for line in block.lines if line.name not in ("DTSTAMP", "STATUS")}
    assert kept <= {line.text for block in off.blocks for line in block.lines}


def test_the_owner_announces_what_the_owner_organises_with_others() -> None:
    assert is_announced(object_of(MEETING), "me@home.example")
    assert not is_announced(object_of(INVITATION), "me@home.example")
    assert not is_announced(object_of(MEETING.but(attendees=())), "me@home.example")
    assert not is_announced(object_of(MEETING), "anna.berg@north.example")


def test_only_who_is_new_is_kept_from_the_server() -> None:
    file = CalendarFile(calendar_file(MEETING).decode())
    leave_telling_to_us(file, object_of(MEETING.but(attendees=MEETING.attendees[:1])))
    lines = [line.text for source in file.objects for block in source.blocks for line in block.all("ATTENDEE")]
    assert ["SCHEDULE-AGENT=CLIENT" in line for line in lines] == [False, True]


@pytest.mark.parametrize(("present", "expected"), [("", "2"), ("SEQUENCE:7\r\n", "8"), ("SEQUENCE:x\r\n", "2")])
def test_what_comes_back_is_newer_than_all_that_was(present: str, expected: str) -> None:
    text = calendar_file(MEETING).decode()
    now = only(read_objects(text.replace("SUMMARY", f"{present}SUMMARY").encode())) if present else None
    assert only(read_objects(raised(text, now).encode())).blocks[0].value("SEQUENCE") == expected


@given(st.text())
def test_a_uid_is_one_plain_segment_of_a_path(key: str) -> None:
    uid = uid_for(key)
    assert uid.isascii() and uid.replace("-", "").isalnum() and len(uid) <= 100


def test_a_usual_key_is_the_uid_itself() -> None:
    assert uid_for("0a1b2c3d4e5f60718293a4b5c6d7e8f9") == "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
