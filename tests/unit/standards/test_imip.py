"""What others are told of an event by mail: to whom it goes, what it says, and that nothing else gets in."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.actions import AnswerInvitation, CalendarAction, CancelEvent, CreateEvent, RestoreEvent, UpdateEvent
from integrations.common.calendar_objects import opened
from integrations.common.ical import CalendarObject, read_objects
from integrations.common.ical_edit import new_event, update_event
from integrations.common.ical_events import Place, Timeline
from integrations.common.mime import part_bytes, read_message
from integrations.errors import InvalidResponse
from integrations.standards.scheduling.imip import CALENDAR_PART, Letter, Sender, key_of, method_of, write_letter
from integrations.standards.scheduling.itip import Notice, notices
from integrations.types import Address, EventRef

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
ME, ANNA, TOM = "me@home.example", "anna@south.example", "tom@north.example"
OWNER = Sender(ME, "Eva Klein", BERLIN)
PLACE = Place(account="mine", calendar="c", id="e", etag="", owner=ME, zone=BERLIN)
NOON = datetime(2026, 11, 20, 12, tzinfo=BERLIN)
WEEKLY = "FREQ=WEEKLY;COUNT=4"


def creating(**given: object) -> CreateEvent:
    usual = {"account": "mine", "title": "Lunch", "start": NOON, "end": NOON + timedelta(hours=1), "attendees": people(ANNA, TOM)}
    return CreateEvent.model_validate(usual | given)


def people(*emails: str) -> tuple[Address, ...]:
    return tuple(Address(email=email) for email in emails)


def stored(action: CreateEvent, owner: str = ME) -> CalendarObject:
    (found,) = read_objects(new_event(action, uid="u1", owner=owner, zone=BERLIN, now=NOW).encode())
    return found


def standing(*lines: str) -> CalendarObject:
    """Of an event that somebody else's program has written, told by its lines."""
    head = ("BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:u1", "DTSTAMP:20261101T000000Z", "SUMMARY:Lunch")
    (found,) = read_objects("\r\n".join((*head, *lines, "END:VEVENT", "END:VCALENDAR", "")).encode())
    return found


def told(action: CalendarAction, source: CalendarObject, before: CalendarObject | None = None) -> list[Notice]:
    return list(notices(action, source, PLACE, NOW, before))


def whom(found: list[Notice]) -> list[tuple[str, list[str]]]:
    return [(notice.kind, [address.email for address in notice.to]) for notice in found]


def ref(recurrence: datetime | None = None) -> EventRef:
    return EventRef(account="mine", calendar="c", id="e", recurrence=recurrence)


def update(**given: object) -> UpdateEvent:
    return UpdateEvent.model_validate({"account": "mine", "event": ref()} | given)


def values(notice: Notice, name: str) -> list[str]:
    return [line.value for block in notice.calendar.blocks for line in block.all(name)]


INVITED: Mapping[str, tuple[str, ...]] = {
    "to": (
        f"ORGANIZER;CN=Anna Berg:mailto:{ANNA}",
        f"ATTENDEE;PARTSTAT=ACCEPTED;RSVP=TRUE:mailto:{ME}",
        f"ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:{TOM}",
    ),
    "at": ("DTSTART:20261120T110000Z", "DTEND:20261120T120000Z", "SEQUENCE:3"),
}


# Whom, and what


def test_who_is_invited_to_a_new_event_is_told_of_it() -> None:
    (notice,) = told(creating(), stored(creating()))
    assert whom([notice]) == [("invitation", [ANNA, TOM])]
    assert values(notice, "ORGANIZER") == [f"mailto:{ME}"] and values(notice, "UID") == ["u1"]


def test_nobody_is_told_of_an_event_without_others() -> None:
    alone = creating(attendees=())
    assert told(alone, stored(alone)) == []


def test_of_a_change_everybody_is_told() -> None:
    assert whom(told(update(title="Dinner"), stored(creating()))) == [("update", [ANNA, TOM])]


def test_where_only_people_are_added_only_they_are_told() -> None:
    action = update(add_attendees=people(TOM))
    assert whom(told(action, stored(creating()), stored(creating(attendees=people(ANNA))))) == [("invitation", [TOM])]


def test_who_is_added_while_something_changes_is_invited_and_the_others_hear_of_the_change() -> None:
    action = update(location="Hall", add_attendees=people(TOM))
    assert whom(told(action, stored(creating()), stored(creating(attendees=people(ANNA))))) == [
        ("update", [ANNA]),
        ("invitation", [TOM]),
    ]


def test_who_is_removed_is_told_and_whoever_was_never_invited_is_not() -> None:
    action = update(remove_attendees=(TOM, "stranger@far.example"))
    (notice,) = told(action, stored(creating(attendees=people(ANNA))), stored(creating()))
    assert whom([notice]) == [("uninvited", [TOM])]
    assert notice.method == "CANCEL" and values(notice, "ATTENDEE") == [f"mailto:{TOM}"]


def test_who_was_removed_is_told_even_when_it_is_no_longer_known_how_it_was() -> None:
    assert whom(told(update(remove_attendees=(TOM,)), stored(creating(attendees=people(ANNA))))) == [("uninvited", [TOM])]


def test_a_cancellation_tells_everybody_with_the_comment_and_a_higher_number() -> None:
    (notice,) = told(CancelEvent(account="mine", event=ref(), comment="Sorry, I am ill."), stored(creating()))
    assert whom([notice]) == [("cancellation", [ANNA, TOM])]
    assert values(notice, "STATUS") == ["CANCELLED"] and values(notice, "SEQUENCE") == ["1"]
    assert values(notice, "COMMENT") == ["Sorry\\, I am ill."]


def test_a_cancellation_that_stands_in_the_event_already_is_not_counted_twice() -> None:
    cancelled = standing(
        "DTSTART:20261120T110000Z", f"ORGANIZER:mailto:{ME}", f"ATTENDEE:mailto:{TOM}", "SEQUENCE:4", "STATUS:CANCELLED"
    )
    (notice,) = told(CancelEvent(account="mine", event=ref()), cancelled)
    assert values(notice, "SEQUENCE") == ["4"]


def test_of_one_cancelled_instance_others_are_told_that_one() -> None:
    series = stored(creating(rrule=WEEKLY))
    second = NOON + timedelta(days=7)
    (notice,) = told(CancelEvent(account="mine", event=ref(second)), series)
    (block,) = notice.calendar.blocks
    assert block.value("RECURRENCE-ID") == block.value("DTSTART") == "20261127T120000"
    assert block.value("DTEND") == "20261127T130000" and not block.get("RRULE")
    assert "TZID:Europe/Berlin" in notice.text


def test_an_answer_goes_to_the_organiser_and_names_nobody_but_who_gives_it() -> None:
    source = standing(*INVITED["at"], *INVITED["to"])
    (notice,) = told(AnswerInvitation(account="mine", event=ref(), answer="accepted", comment="Gladly"), source)
    assert whom([notice]) == [("accepted", [ANNA])]
    assert values(notice, "ATTENDEE") == [f"mailto:{ME}"] and values(notice, "COMMENT") == ["Gladly"]
    assert values(notice, "SEQUENCE") == ["3"] and notice.calendar.blocks[0].all("ATTENDEE")[0].params["PARTSTAT"] == "ACCEPTED"


@pytest.mark.parametrize("action", [update(title="x"), CancelEvent(account="mine", event=ref())], ids=lambda action: action.kind)
def test_of_somebody_elses_event_nobody_is_told_but_the_answer(action: CalendarAction) -> None:
    assert told(action, standing(*INVITED["at"], *INVITED["to"])) == []


def test_an_event_that_is_put_back_is_told_again() -> None:
    action = RestoreEvent(account="mine", event=ref(), ics=stored(creating()).text)
    assert whom(told(action, stored(creating()))) == [("update", [ANNA, TOM])]


def test_what_is_the_owners_own_is_not_told() -> None:
    private = (
        "X-NOTE:secret",
        "CATEGORIES:Tedious",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        "DESCRIPTION:secret",
        "TRIGGER:-PT5M",
        "END:VALARM",
    )
    guest = f"ATTENDEE;SCHEDULE-STATUS=5.1;X-NUM-GUESTS=0:mailto:{TOM}"
    source = standing("DTSTART:20261120T110000Z", f"ORGANIZER;SCHEDULE-AGENT=CLIENT:mailto:{ME}", guest, *private)
    (notice,) = told(update(title="x"), source)
    assert not any(word in notice.text for word in ("secret", "Tedious", "SCHEDULE", "X-NUM", "VALARM"))


def test_guests_of_one_instance_are_told_of_that_one_alone() -> None:
    series = stored(creating(rrule=WEEKLY, attendees=people(ANNA)))
    file, source = opened(series.text.encode())
    alone = update(event=ref(NOON + timedelta(days=7)), add_attendees=people(TOM), remove_attendees=(ANNA,))
    update_event(file, Timeline(source, PLACE), alone, owner=ME, now=NOW)
    (both,) = read_objects(file.text.encode())
    found = told(update(title="Dinner"), both)
    assert whom(found) == [("update", [ANNA]), ("update", [TOM])]
    assert [len(notice.calendar.blocks) for notice in found] == [1, 1]
    assert values(found[1], "RECURRENCE-ID") == ["20261127T120000"]


# As a mail


def written(action: CalendarAction, source: CalendarObject, key: str = "k1") -> list[Letter]:
    return [write_letter(notice, key_of(key, notice, at), OWNER, NOW) for at, notice in enumerate(told(action, source))]


def test_a_letter_says_in_plain_words_what_and_when_and_where() -> None:
    (letter,) = written(creating(location="Café Größe"), stored(creating(location="Café Größe", description="Bring cake.")))
    mail = read_message(letter.raw)
    assert mail.subject == "Invitation: Lunch"
    assert mail.text.splitlines() == [
        "Eva Klein invites you:",
        "",
        "Lunch",
        "When: Friday, 20 November 2026, 12:00 to 13:00 (Europe/Berlin)",
        "Where: Café Größe",
        f"Who: {ME}, {ANNA}, {TOM}",
        "",
        "Bring cake.",
    ]


def test_programs_find_the_calendar_with_its_method_and_as_a_file() -> None:
    (letter,) = written(creating(), stored(creating()))
    message = message_from_bytes(letter.raw, policy=default)
    choice, file = message.iter_parts()
    plain, calendar = choice.iter_parts()
    assert (choice.get_content_type(), plain.get_content_type()) == ("multipart/alternative", "text/plain")
    assert calendar.get_content_type() == "text/calendar"
    assert (calendar.get_param("method"), calendar.get_content_charset()) == ("REQUEST", "utf-8")
    assert (file.get_content_type(), file.get_filename()) == ("application/ics", "invite.ics")
    assert file.get_content() == letter.notice.text.encode()
    assert method_of(calendar.get_content().encode()) == "REQUEST"


def test_the_same_write_makes_the_same_keys_and_another_one_others() -> None:
    first, again, other = (written(creating(), stored(creating()), key)[0].key for key in ("k1", "k1", "k2"))
    assert first == again != other
    assert read_message(written(creating(), stored(creating()))[0].raw).message_id == f"<{first}@home.example>"


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        ("DTSTART;VALUE=DATE:20261120", "DTEND;VALUE=DATE:20261121", "When: Friday, 20 November 2026, all day"),
        (
            "DTSTART;VALUE=DATE:20261120",
            "DTEND;VALUE=DATE:20261122",
            "When: Friday, 20 November 2026 to Saturday, 21 November 2026",
        ),
        (
            "DTSTART:20261120T220000Z",
            "DTEND:20261121T010000Z",
            "When: Friday, 20 November 2026, 23:00 to Saturday, 21 November 2026, 02:00 (Europe/Berlin)",
        ),
    ],
)
def test_days_are_told_as_days(start: str, end: str, words: str) -> None:
    (letter,) = written(update(title="x"), standing(start, end, f"ORGANIZER:mailto:{ME}", f"ATTENDEE:mailto:{TOM}"))
    assert words in read_message(letter.raw).text.splitlines()


nasty = st.text(st.sampled_from(list("aé食💩 \r\n\t\0:;,\\\"'<>@=?()\u2028\u202e\x85")) | st.characters(), max_size=60)


@given(title=nasty, location=nasty, description=nasty, name=nasty)
def test_whatever_a_title_or_name_holds_only_those_invited_are_written_to_or_nobody(
    title: str, location: str, description: str, name: str
) -> None:
    action = creating(
        title=title.encode(errors="replace").decode(),
        location=location.encode(errors="replace").decode(),
        description=description.encode(errors="replace").decode(),
        attendees=(Address(email=TOM, name=name.encode(errors="replace").decode()),),
    )
    try:
        (letter,) = written(action, stored(action))
    except InvalidResponse:
        return
    mail = read_message(letter.raw)
    assert [address.email for address in mail.to] == [TOM] and not mail.cc and not mail.bcc
    assert [name for name, _ in mail.headers] == ["from", "to", "subject", "date", "message-id", "content-type", "mime-version"]
    (calendar,) = read_objects(part_bytes(letter.raw, CALENDAR_PART))
    (block,) = calendar.blocks
    assert [line.value for line in block.all("ATTENDEE", "ORGANIZER")] == [f"mailto:{ME}", f"mailto:{TOM}"]
    assert block.value("SUMMARY") == letter.notice.calendar.blocks[0].value("SUMMARY")
    assert max(map(len, letter.raw.splitlines())) < 998
