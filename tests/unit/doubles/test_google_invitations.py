"""Invitations, shared calendars and free/busy at the emulated Calendar API."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from doubles.google import GoogleEmulator
from doubles.google.calendar import Calendars
from doubles.google.client import service
from googleapiclient.errors import HttpError

ME, ANNA, TOM = "me@home.example", "anna@north.example", "tom@north.example"
INVITATION = {
    "id": "kickoff",
    "summary": "Kick-off",
    "start": {"dateTime": "2026-11-20T13:00:00Z"},
    "end": {"dateTime": "2026-11-20T14:00:00Z"},
    "attendees": [{"email": ME}, {"email": TOM}],
}
WEEKLY = INVITATION | {
    "id": "planning",
    "start": {"dateTime": "2026-11-20T13:00:00", "timeZone": "UTC"},
    "end": {"dateTime": "2026-11-20T14:00:00", "timeZone": "UTC"},
    "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=3"],
}
SECOND = "planning_20261127T130000Z"


@pytest.fixture
def google() -> Iterator[GoogleEmulator]:
    with GoogleEmulator() as google:
        google.world.clock = lambda: datetime(2026, 11, 18, 9, tzinfo=UTC)
        for email in (ME, ANNA, TOM):
            google.account(email)
        yield google


@pytest.fixture
def calendars(google: GoogleEmulator) -> Calendars:
    return google.world.calendars


@pytest.fixture
def events(google: GoogleEmulator) -> Any:
    return api(google, ME).events()


def api(google: GoogleEmulator, email: str) -> Any:
    return service(google, "calendar", google.account(email))


def patch(events: Any, id: str, body: dict[str, Any], **params: Any) -> dict[str, Any]:
    return events.patch(calendarId="primary", eventId=id, body=body, **params).execute()


def answer(events: Any, id: str, status: str, **params: Any) -> dict[str, Any]:
    people = events.get(calendarId="primary", eventId=id).execute()["attendees"]
    mine = [person | ({"responseStatus": status} if person.get("self") else {}) for person in people]
    return patch(events, id, {"attendees": mine}, **params)


def answers(calendars: Calendars, email: str, id: str) -> dict[str, str]:
    event = calendars.primary(email).event(id)
    assert event is not None
    return {attendee["email"]: attendee["responseStatus"] for attendee in event["attendees"]}


def refused(request: Any) -> tuple[int, str]:
    with pytest.raises(HttpError) as error:
        request.execute()
    return error.value.resp.status, error.value.error_details[0]["reason"]


def test_guests_find_a_copy_under_the_same_id(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION)
    copy = events.get(calendarId="primary", eventId="kickoff").execute()
    assert (copy["summary"], copy["iCalUID"], copy["organizer"]) == ("Kick-off", "kickoff@google.com", {"email": ANNA})
    assert copy["attendees"][0] == {"email": ME, "responseStatus": "needsAction", "self": True}


def test_an_answer_shows_in_every_copy(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION)
    after = answer(events, "kickoff", "accepted", sendUpdates="all")
    assert after["attendees"][0]["responseStatus"] == "accepted"
    assert after == events.get(calendarId="primary", eventId="kickoff").execute()
    for email in (ME, ANNA, TOM):
        assert answers(calendars, email, "kickoff") == {ME: "accepted", TOM: "needsAction"}
    assert [(notice.to, notice.kind) for notice in calendars.notices] == [(ANNA, "reply")]


def test_a_guest_may_send_their_own_entry_alone(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION)
    mine = [{"email": ME, "responseStatus": "tentative"}]
    alone = events.patch(calendarId="primary", eventId="kickoff", body={"attendees": mine})
    assert refused(alone) == (403, "forbiddenForNonOrganizer")
    patch(events, "kickoff", {"attendees": mine, "attendeesOmitted": True})
    assert answers(calendars, ANNA, "kickoff") == {ME: "tentative", TOM: "needsAction"}


@pytest.mark.parametrize(
    "change",
    [
        {"summary": "Mine"},
        {"location": "Here"},
        {"end": {"dateTime": "2026-11-20T15:00:00Z"}},
        {"attendees": [{"email": ME}, {"email": TOM, "responseStatus": "accepted"}]},
        {"attendees": []},
    ],
)
def test_what_is_the_organizers_a_guest_cannot_change(events: Any, calendars: Calendars, change: dict[str, Any]) -> None:
    calendars.primary(ANNA).put(INVITATION)
    assert refused(events.patch(calendarId="primary", eventId="kickoff", body=change)) == (403, "forbiddenForNonOrganizer")


def test_a_guest_keeps_reminders_and_private_properties_to_themselves(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION)
    own = {"transparency": "transparent", "extendedProperties": {"private": {"key": "1"}}}
    patch(events, "kickoff", own)
    calendars.primary(ANNA).change("kickoff", summary="Start")
    mine, annas = (calendars.primary(email).event("kickoff") or {} for email in (ME, ANNA))
    assert (mine["summary"], mine["transparency"]) == ("Start", "transparent")
    assert mine["extendedProperties"] == {"private": {"key": "1"}}
    assert "transparency" not in annas and "extendedProperties" not in annas


def test_who_may_not_see_the_other_guests_answers_alone(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION | {"guestsCanSeeOtherGuests": False})
    shown = events.get(calendarId="primary", eventId="kickoff").execute()
    assert (len(shown["attendees"]), shown["attendeesOmitted"]) == (1, True)
    answer(events, "kickoff", "accepted")
    assert answers(calendars, ANNA, "kickoff") == {ME: "accepted", TOM: "needsAction"}


def test_the_organizer_hears_of_answers_only(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION)
    patch(events, "kickoff", {"colorId": "7"}, sendUpdates="all")
    assert calendars.notices == []


def test_guests_may_invite_others_unless_the_organizer_forbids_it(events: Any, calendars: Calendars) -> None:
    more = {"attendees": [{"email": ME}, {"email": TOM}, {"email": "eva@x.example"}]}
    calendars.primary(ANNA).put(INVITATION)
    patch(events, "kickoff", more)
    assert "eva@x.example" in answers(calendars, ANNA, "kickoff")
    calendars.primary(ANNA).put(INVITATION | {"id": "closed", "guestsCanInviteOthers": False})
    assert refused(events.patch(calendarId="primary", eventId="closed", body=more)) == (403, "forbiddenForNonOrganizer")


def test_guests_change_the_event_where_the_organizer_lets_them(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION | {"guestsCanModify": True})
    patch(events, "kickoff", {"summary": "Ours"})
    assert [(calendars.primary(email).event("kickoff") or {})["summary"] for email in (ANNA, TOM)] == ["Ours", "Ours"]


def test_a_guest_who_deletes_their_copy_has_declined(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION)
    events.delete(calendarId="primary", eventId="kickoff").execute()
    assert answers(calendars, ANNA, "kickoff")[ME] == "declined"
    calendars.primary(ANNA).change("kickoff", summary="Start")
    assert events.list(calendarId="primary").execute()["items"] == []


def test_what_the_organizer_cancels_leaves_nothing_but_its_id(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION)
    calendars.primary(ANNA).remove("kickoff")
    gone = events.get(calendarId="primary", eventId="kickoff").execute()
    assert (set(gone), gone["status"]) == ({"kind", "etag", "id", "status"}, "cancelled")


def test_who_is_taken_off_the_list_loses_the_copy(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(INVITATION)
    calendars.primary(ANNA).change("kickoff", attendees=[{"email": TOM}])
    assert events.list(calendarId="primary").execute()["items"] == []


def test_one_instance_is_answered_alone(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(WEEKLY)
    answer(events, SECOND, "declined")
    found = events.list(calendarId="primary", singleEvents=True, orderBy="startTime").execute()["items"]
    assert [event["attendees"][0]["responseStatus"] for event in found] == ["needsAction", "declined", "needsAction"]
    assert answers(calendars, ANNA, SECOND)[ME] == "declined"
    assert answers(calendars, ANNA, "planning")[ME] == "needsAction"


def test_one_may_be_invited_to_one_instance_only(events: Any, calendars: Calendars) -> None:
    annas = calendars.primary(ANNA)
    annas.put(WEEKLY | {"attendees": [{"email": TOM}]})
    annas.change(SECOND, attendees=[{"email": TOM}, {"email": ME}])
    (only,) = events.list(calendarId="primary", singleEvents=True).execute()["items"]
    assert (only["id"], only["start"]["dateTime"]) == (SECOND, "2026-11-27T13:00:00Z")


def test_an_invitation_from_outside_is_answered_in_ones_own_copy(events: Any, calendars: Calendars) -> None:
    calendars.primary(ME).put(INVITATION | {"organizer": {"email": "boss@far.example"}, "attendees": [{"email": ME}]})
    answer(events, "kickoff", "accepted", sendUpdates="externalOnly")
    assert answers(calendars, ME, "kickoff") == {ME: "accepted"}
    assert [(notice.to, notice.kind) for notice in calendars.notices] == [("boss@far.example", "reply")]


# Calendars of one's own, and of others


def test_the_list_tells_what_one_may_do(google: GoogleEmulator, calendars: Calendars) -> None:
    team = calendars.add(ME, "Team")
    team.looks[ME] = {"summaryOverride": "Us", "hidden": True}
    calendars.share(ANNA, ME, "reader")
    listed = api(google, ME).calendarList()
    assert [(entry["id"], entry["accessRole"], entry.get("primary")) for entry in listed.list().execute()["items"]] == [
        (ME, "owner", True),
        (ANNA, "reader", None),
    ]
    assert [entry["id"] for entry in listed.list(minAccessRole="writer", showHidden=True).execute()["items"]] == [ME, team.id]
    assert listed.get(calendarId=team.id).execute()["summaryOverride"] == "Us"
    assert listed.get(calendarId="primary").execute()["id"] == ME
    assert refused(listed.get(calendarId=TOM)) == (404, "notFound")
    assert google.complaints == []


def test_a_reader_reads_a_writer_writes_and_the_private_stays_private(
    google: GoogleEmulator, events: Any, calendars: Calendars
) -> None:
    calendars.primary(ANNA).put(INVITATION | {"attendees": [], "visibility": "private"})
    calendars.share(ANNA, ME, "reader")
    shown = events.get(calendarId=ANNA, eventId="kickoff").execute()
    assert "summary" not in shown and shown["start"]["dateTime"] == "2026-11-20T13:00:00Z"
    change = events.patch(calendarId=ANNA, eventId="kickoff", body={"summary": "x"})
    assert refused(change) == (403, "requiredAccessLevel")
    calendars.share(ANNA, ME, "writer")
    assert change.execute()["summary"] == "x"


def test_who_may_see_when_somebody_is_busy_sees_times_without_names(events: Any, calendars: Calendars) -> None:
    calendars.primary(ANNA).put(WEEKLY | {"attendees": []})
    calendars.share(ANNA, ME, "freeBusyReader")
    found = events.list(calendarId=ANNA).execute()
    assert found["accessRole"] == "freeBusyReader"
    assert [event["start"]["dateTime"][:10] for event in found["items"]] == ["2026-11-20", "2026-11-27", "2026-12-04"]
    known = {"kind", "etag", "id", "status", "htmlLink", "updated", "start", "end", "iCalUID", "visibility"}
    assert all(set(event) == known for event in found["items"])
    assert refused(events.delete(calendarId=ANNA, eventId="planning")) == (403, "requiredAccessLevel")


def test_an_event_moves_to_another_calendar(google: GoogleEmulator, events: Any, calendars: Calendars) -> None:
    team = calendars.add(ME, "Team")
    calendars.primary(ME).put(INVITATION | {"attendees": [{"email": TOM}]})
    events.move(calendarId="primary", eventId="kickoff", destination=team.id).execute()
    assert events.get(calendarId="primary", eventId="kickoff").execute()["status"] == "cancelled"
    assert events.get(calendarId=team.id, eventId="kickoff").execute()["organizer"]["self"] is True
    assert (calendars.primary(TOM).event("kickoff") or {})["organizer"]["email"] == team.id


def test_what_is_not_ones_own_or_no_plain_event_does_not_move(google: GoogleEmulator, events: Any, calendars: Calendars) -> None:
    team = calendars.add(ME, "Team")
    mine = calendars.primary(ME)
    plain = {name: INVITATION[name] for name in ("start", "end")}
    mine.put(plain | {"id": "foreign", "organizer": {"email": "boss@far.example"}})
    mine.put(plain | {"id": "office", "eventType": "workingLocation"})
    mine.put(plain | {"id": "taken"})
    team.put(plain | {"id": "taken"})
    answers = [refused(events.move(calendarId=ME, eventId=id, destination=team.id)) for id in ("foreign", "office", "taken")]
    assert answers == [(403, "cannotChangeOrganizer"), (400, "invalid"), (409, "duplicate")]


def test_a_calendar_is_made_and_found(google: GoogleEmulator) -> None:
    made = api(google, ME).calendars().insert(body={"summary": "Team", "timeZone": "Europe/Berlin"}).execute()
    assert api(google, ME).calendars().get(calendarId=made["id"]).execute() == made
    assert api(google, ME).calendarList().get(calendarId=made["id"]).execute()["accessRole"] == "owner"
    assert refused(api(google, ANNA).calendars().get(calendarId=made["id"])) == (404, "notFound")


def test_an_import_is_known_by_its_uid(events: Any) -> None:
    body = {name: INVITATION[name] for name in ("summary", "start", "end")}
    assert refused(events.import_(calendarId="primary", body=body))[0] == 400
    body["iCalUID"] = "uid@far.example"
    first = events.import_(calendarId="primary", body=body | {"organizer": {"email": "boss@far.example"}}).execute()
    again = events.import_(calendarId="primary", body=body | {"summary": "Again"}).execute()
    assert (first["id"], first["organizer"]["email"], again["summary"]) == (again["id"], "boss@far.example", "Again")


def test_free_busy_merges_what_takes_time(google: GoogleEmulator, calendars: Calendars) -> None:
    annas = calendars.primary(ANNA)

    def put(start: str, end: str, **more: Any) -> None:
        annas.put({"start": {"dateTime": f"2026-11-{start}:00Z"}, "end": {"dateTime": f"2026-11-{end}:00Z"}} | more)

    put("19T09:00", "19T10:00")
    put("19T09:30", "19T11:00")
    put("19T11:00", "19T11:30")
    put("19T13:00", "19T14:00", transparency="transparent")
    put("19T14:00", "19T15:00", status="cancelled")
    put("19T12:00", "19T13:00", eventType="workingLocation")
    put("19T15:00", "19T16:00", attendees=[{"email": ANNA, "responseStatus": "declined"}])
    put("19T23:00", "20T08:00")
    calendars.primary(TOM)
    calendars.share(ANNA, "default", "freeBusyReader")
    asked = {
        "timeMin": "2026-11-19T00:00:00Z",
        "timeMax": "2026-11-20T00:00:00Z",
        "timeZone": "Europe/Berlin",
        "items": [{"id": email} for email in (ANNA, TOM, "nobody@x.example")],
    }
    answer = api(google, ME).freebusy().query(body=asked).execute()["calendars"]
    assert answer[ANNA]["busy"] == [
        {"start": "2026-11-19T10:00:00+01:00", "end": "2026-11-19T12:30:00+01:00"},
        {"start": "2026-11-20T00:00:00+01:00", "end": "2026-11-20T01:00:00+01:00"},
    ]
    for unknown in (TOM, "nobody@x.example"):
        assert answer[unknown] == {"busy": [], "errors": [{"domain": "global", "reason": "notFound"}]}


def test_free_busy_follows_a_series_and_its_exceptions(google: GoogleEmulator, calendars: Calendars) -> None:
    mine = calendars.primary(ME)
    mine.put(WEEKLY | {"attendees": []})
    mine.change(SECOND, status="cancelled")
    asked = {"timeMin": "2026-11-20T00:00:00Z", "timeMax": "2026-12-31T00:00:00Z", "items": [{"id": "primary"}]}
    busy = api(google, ME).freebusy().query(body=asked).execute()["calendars"]["primary"]["busy"]
    assert [span["start"] for span in busy] == ["2026-11-20T13:00:00Z", "2026-12-04T13:00:00Z"]


def test_free_busy_is_told_of_fifty_calendars_at_most(google: GoogleEmulator) -> None:
    asked = {
        "timeMin": "2026-11-20T00:00:00Z",
        "timeMax": "2026-12-31T00:00:00Z",
        "items": [{"id": f"p{number}@x.example"} for number in range(51)],
    }
    answer = api(google, ME).freebusy().query(body=asked).execute()["calendars"]
    assert {calendar["errors"][0]["reason"] for calendar in answer.values()} == {"tooManyCalendarsRequested"}


@pytest.mark.parametrize(
    ("until", "reason"), [("2026-11-20T00:00:00Z", "timeRangeEmpty"), ("2027-02-19T00:00:00Z", "timeRangeTooLong")]
)
def test_free_busy_is_told_for_ninety_days_at_most(google: GoogleEmulator, until: str, reason: str) -> None:
    asked = {"timeMin": "2026-11-20T00:00:00Z", "timeMax": until, "items": [{"id": "primary"}]}
    assert refused(api(google, ME).freebusy().query(body=asked)) == (400, reason)


def test_settings_tell_the_zone(google: GoogleEmulator, calendars: Calendars) -> None:
    calendars.primary(ME).zone = "Europe/Berlin"
    settings = api(google, ME).settings()
    assert settings.get(setting="timezone").execute()["value"] == "Europe/Berlin"
    assert "timezone" in [setting["id"] for setting in settings.list().execute()["items"]]
    assert refused(settings.get(setting="mood")) == (404, "notFound")
