"""What is written of events and cards is read again: nothing comes or goes but what was approved."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.actions import CreateContact, CreateEvent, UpdateContact, UpdateEvent
from integrations.common.calendar_checks import check_changed
from integrations.common.calendar_objects import apply, opened, timeline_of
from integrations.common.card_changes import checked, only
from integrations.common.contentline import Block, Line, made, prop, render
from integrations.common.ical import read_objects
from integrations.common.ical_edit import new_event
from integrations.common.ical_events import Place, attendee_email
from integrations.common.vcard import new_card, update_card
from integrations.errors import InvalidResponse
from integrations.types import Address, ContactRef, EventRef

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
BERLIN, OWNER = ZoneInfo("Europe/Berlin"), "me@home.example"
ANNA = Address(email="anna@x.example", name="Anna, B")
REF = EventRef(account="a", calendar="c", id="c/x.ics")
NASTY = st.text(alphabet=st.one_of(st.sampled_from(':;,\\"\r\n\t \x0b\x0c\x85\u2028AEND'), st.characters()), max_size=60)
HOSTILE = "x\r\nATTENDEE:mailto:q@evil.example\nEND:VEVENT\u2028BEGIN:VALARM"


def lunch(**fields: object) -> str:
    given = {"account": "a", "title": "Lunch", "start": NOW, "end": NOW + timedelta(hours=1), "attendees": (ANNA,), **fields}
    return new_event(CreateEvent.model_validate(given), uid="u1", owner=OWNER, zone=BERLIN, now=NOW)


def blocks(text: str) -> tuple[Block, ...]:
    (found,) = read_objects(text.encode())
    return found.blocks


@given(NASTY, NASTY, NASTY, NASTY)
def test_no_field_of_an_event_begins_a_line(title: str, location: str, description: str, name: str) -> None:
    try:
        text = lunch(title=title, location=location, description=description, attendees=(Address(email="a@b.example", name=name),))
    except (InvalidResponse, UnicodeError):
        return
    (event,) = blocks(text)
    assert [attendee_email(line) for line in event.all("ATTENDEE")] == ["a@b.example"]
    assert len(list(event.lines)) == 10 + bool(location) + bool(description) and not list(event.blocks)


def test_hostile_texts_are_written_as_texts() -> None:
    (event,) = blocks(lunch(title=HOSTILE, description=HOSTILE))
    assert [line.name for line in event.lines if line.name in ("ATTENDEE", "DESCRIPTION")] == ["DESCRIPTION", "ATTENDEE"]


def changed(action: UpdateEvent, text: str) -> str:
    file, source = opened(text.encode())
    apply(file, timeline_of(source, Place("a", "c", REF.id, source.etag, OWNER, BERLIN)), action, now=NOW)
    return file.text


@pytest.mark.parametrize(
    "fields",
    [
        {"title": HOSTILE},
        {"description": "one\ntwo\tthree"},
        {"start": NOW + timedelta(hours=2)},
        {"add_attendees": (Address(email="tom@x.example"),), "remove_attendees": ("ANNA@x.example",)},
    ],
    ids=str,
)
@pytest.mark.parametrize("rule", ["", "FREQ=WEEKLY;COUNT=5"])
def test_an_honest_change_is_written(fields: dict[str, object], rule: str) -> None:
    after = changed(UpdateEvent.model_validate({"account": "a", "event": REF, **fields}), lunch(rrule=rule))
    assert len(blocks(after)) == 1


@pytest.mark.parametrize(
    "line",
    [prop("ATTENDEE", "mailto:eve@evil.example"), prop("ATTACH", "https://evil.example"), prop("LOCATION", "elsewhere")],
    ids=lambda line: line.name,
)
def test_a_change_that_brings_along_anything_else_is_refused(line: Line) -> None:
    before = list(blocks(lunch()))
    (after,) = read_objects(lunch(title="Dinner").encode())
    after.blocks[0].add(line)
    with pytest.raises(InvalidResponse):
        check_changed(before, after, UpdateEvent(account="a", event=REF, title="Dinner"), OWNER)


def test_a_guest_whose_name_ends_a_line_is_not_added() -> None:
    eve = Address(email="eve@x.example", name="Eve\r\nATTENDEE:mailto:q@evil.example")
    with pytest.raises(InvalidResponse):
        changed(UpdateEvent(account="a", event=REF, add_attendees=(eve,)), lunch())


# Cards


@given(NASTY, NASTY, NASTY)
def test_no_field_of_a_card_begins_a_line(name: str, note: str, phone: str) -> None:
    action = CreateContact(account="a", name=name, note=note, phones=(phone,), emails=("eva@x.example",))
    card = new_card(action, uid="k", now=NOW)
    try:
        checked(card, action)
        read = only(render([card]))
    except (InvalidResponse, UnicodeError):
        return
    assert [line.value for line in read.all("EMAIL")] == ["eva@x.example"]


def test_a_card_with_anything_that_was_not_approved_is_refused() -> None:
    action = CreateContact(account="a", name="Eva", emails=("eva@x.example",))
    for line in (prop("EMAIL", "eve@evil.example"), prop("URL", "https://evil.example")):
        card = new_card(action, uid="k", now=NOW)
        card.add(line)
        with pytest.raises(InvalidResponse):
            checked(card, action)


@pytest.mark.parametrize("version", ["2.1", "3.0", "4.0"])
def test_an_honest_change_of_a_card_is_written(version: str) -> None:
    lines = ("FN:Eva", "N:;Eva;;;", "item1.EMAIL:eva@x.example", "item1.X-ABLabel:home", "PHOTO:x")
    card = Block("VCARD", made("BEGIN:VCARD"), [made(f"VERSION:{version}"), *map(made, lines)], made("END:VCARD"))
    for fields in ({"note": "eins\nzwei ß"}, {"emails": ()}, {"title": "T, x"}, {"phones": ("+49 1", "+491")}, {"name": "Zoë G"}):
        after = card.copy()
        action = UpdateContact.model_validate({"account": "a", "contact": ContactRef(account="a", id="k"), **fields})
        update_card(after, action, now=NOW)
        checked(after, action, card)
