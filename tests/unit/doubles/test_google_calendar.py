"""The emulated Calendar API, asked through Google's own client library."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from doubles.google import GoogleEmulator
from doubles.google.calendar import HANDLERS, Calendar, Notice
from doubles.google.client import service
from doubles.google.discovery import methods
from googleapiclient.errors import HttpError

ME, ANNA = "me@home.example", "anna@north.example"
MEETING = {
    "summary": "Review",
    "start": {"dateTime": "2026-11-19T15:00:00+01:00"},
    "end": {"dateTime": "2026-11-19T16:00:00+01:00"},
}
STANDUP = {
    "id": "standup",
    "summary": "Standup",
    "start": {"dateTime": "2026-10-20T09:00:00", "timeZone": "America/New_York"},
    "end": {"dateTime": "2026-10-20T09:30:00", "timeZone": "America/New_York"},
    "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"],
}
SECOND, THIRD = "standup_20261027T130000Z", "standup_20261103T140000Z"


def events_of(google: GoogleEmulator, email: str) -> Any:
    return service(google, "calendar", google.account(email)).events()


@pytest.fixture
def google() -> Iterator[GoogleEmulator]:
    with GoogleEmulator() as google:
        google.world.clock = lambda: datetime(2026, 11, 18, 9, tzinfo=UTC)
        for email in (ME, ANNA):
            google.account(email)
            google.world.calendars.primary(email).zone = "Europe/Berlin"
        yield google


@pytest.fixture
def mine(google: GoogleEmulator) -> Calendar:
    return google.world.calendars.primary(ME)


@pytest.fixture
def events(google: GoogleEmulator) -> Any:
    return events_of(google, ME)


def insert(events: Any, event: dict[str, Any], **params: Any) -> dict[str, Any]:
    return events.insert(calendarId="primary", body=event, **params).execute()


def get(events: Any, id: str, **params: Any) -> dict[str, Any]:
    return events.get(calendarId="primary", eventId=id, **params).execute()


def patch(events: Any, id: str, etag: str = "", body: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
    request = events.patch(calendarId="primary", eventId=id, body=body, **params)
    if etag:
        request.headers["If-Match"] = etag
    return request.execute()


def listed(events: Any, **params: Any) -> list[dict[str, Any]]:
    return events.list(calendarId="primary", **params).execute()["items"]


def names(found: list[dict[str, Any]]) -> list[str]:
    return [event.get("summary", event["status"]) for event in found]


def refused(request: Any) -> tuple[int, str]:
    with pytest.raises(HttpError) as error:
        request.execute()
    return error.value.resp.status, error.value.error_details[0]["reason"]


def test_every_handler_is_a_method_of_the_api() -> None:
    assert HANDLERS.keys() <= methods().keys()


def test_an_event_comes_back_as_it_was_written(google: GoogleEmulator, events: Any) -> None:
    made = insert(events, MEETING | {"id": "abc12", "location": "Café", "attendees": [{"email": "Tom@x.example"}]})
    assert get(events, "abc12") == made
    assert (made["iCalUID"], made["status"], made["sequence"]) == ("abc12@google.com", "confirmed", 0)
    assert made["start"] == {"dateTime": "2026-11-19T15:00:00+01:00", "timeZone": "Europe/Berlin"}
    assert made["attendees"] == [{"email": "tom@x.example", "responseStatus": "needsAction"}]
    assert made["organizer"] == {"email": ME, "self": True}
    assert google.complaints == []


def test_times_stand_in_the_calendars_zone_or_the_one_asked_for(events: Any) -> None:
    insert(events, STANDUP)
    first = get(events, "standup")["start"]
    assert first == {"dateTime": "2026-10-20T15:00:00+02:00", "timeZone": "America/New_York"}
    assert get(events, "standup", timeZone="UTC")["start"]["dateTime"] == "2026-10-20T13:00:00Z"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"id": "ABC-1"}, "invalid"),
        ({"id": "abcd"}, "invalid"),
        ({"start": {"date": "2026-11-19"}}, "invalid"),
        ({"start": {"date": "2026-11-19", "dateTime": "2026-11-19T15:00:00Z"}}, "invalid"),
        ({"start": {"dateTime": "2026-11-19T15:00:00"}}, "required"),
        ({"start": {"timeZone": "Europe/Berlin"}}, "required"),
        ({"start": {"dateTime": "2026-02-30T15:00:00Z"}}, "invalid"),
        ({"start": {"date": "2026-02-30"}, "end": {"date": "2026-03-02"}}, "invalid"),
        ({"start": {"dateTime": "2026-11-19T15:00:00", "timeZone": "Mars/Base"}}, "invalid"),
        ({"start": {"dateTime": "2026-11-19T18:00:00Z"}}, "timeRangeEmpty"),
        ({"recurrence": ["RRULE:FREQ=WEEKLY"]}, "required"),
        ({"attendees": [{"email": "nobody"}]}, "invalid"),
        ({"extendedProperties": {"private": {"x" * 45: "y"}}}, "invalid"),
    ],
)
def test_what_google_would_refuse_is_refused_and_complained_of(
    google: GoogleEmulator, events: Any, wrong: dict[str, Any], reason: str
) -> None:
    assert refused(events.insert(calendarId="primary", body=MEETING | wrong)) == (400, reason)
    assert len(google.complaints) == 1


@pytest.mark.parametrize(
    "rule",
    [
        "RRULE:FREQ=SOMETIMES",
        "DTSTART:20261119T080000Z",
        "nonsense",
        "RRULE:FREQ=DAILY\r\nSUMMARY:x",
        "RRULE:FREQ=DAILY;COUNT=3;UNTIL=20261231",
        "RRULE:FREQ=DAILY;UNTIL=20261231T090000",
    ],
)
def test_a_rule_that_is_none_is_refused(events: Any, rule: str) -> None:
    assert refused(events.insert(calendarId="primary", body=STANDUP | {"recurrence": [rule]})) == (400, "invalid")


def test_an_id_is_taken_once_even_when_its_event_was_deleted(events: Any) -> None:
    insert(events, MEETING | {"id": "abc12"})
    again = events.insert(calendarId="primary", body=MEETING | {"id": "abc12"})
    assert refused(again) == (409, "duplicate")
    events.delete(calendarId="primary", eventId="abc12").execute()
    assert refused(again) == (409, "duplicate")


def test_a_patch_merges_objects_replaces_lists_and_clears_with_null(events: Any) -> None:
    made = insert(
        events,
        MEETING
        | {"description": "x", "attendees": [{"email": "a@x.example"}]}
        | {"extendedProperties": {"private": {"a": "1", "b": "2"}}},
    )
    changes = {"description": None, "attendees": [{"email": "b@x.example"}], "extendedProperties": {"private": {"b": "3"}}}
    after = patch(events, made["id"], body=changes)
    assert "description" not in after
    assert [attendee["email"] for attendee in after["attendees"]] == ["b@x.example"]
    assert after["extendedProperties"]["private"] == {"a": "1", "b": "3"}
    assert after["start"] == made["start"]


def test_a_timed_event_becomes_an_all_day_one_only_when_its_time_is_cleared(events: Any) -> None:
    id = insert(events, MEETING)["id"]
    days = {"start": {"date": "2026-11-19"}, "end": {"date": "2026-11-20"}}
    assert refused(events.patch(calendarId="primary", eventId=id, body=days)) == (400, "invalid")
    cleared = {which: day | {"dateTime": None, "timeZone": None} for which, day in days.items()}
    assert patch(events, id, body=cleared)["start"] == {"date": "2026-11-19"}


def test_an_update_replaces_everything_but_conference_data(events: Any) -> None:
    made = insert(events, MEETING | {"description": "x", "conferenceData": {"conferenceId": "meet"}}, conferenceDataVersion=1)
    after = events.update(calendarId="primary", eventId=made["id"], body=MEETING | {"summary": "New"}).execute()
    assert (after["summary"], "description" in after, after["conferenceData"]) == ("New", False, {"conferenceId": "meet"})


def test_every_change_makes_a_new_etag_and_an_old_one_is_refused(events: Any, mine: Calendar) -> None:
    made = insert(events, MEETING)
    assert made["etag"].startswith('"')
    mine.change(made["id"], summary="Behind your back")
    id, old = made["id"], made["etag"]
    for request in (
        events.patch(calendarId="primary", eventId=id, body={"location": "x"}),
        events.update(calendarId="primary", eventId=id, body=MEETING),
        events.delete(calendarId="primary", eventId=id),
    ):
        request.headers["If-Match"] = old
        assert refused(request) == (412, "conditionNotMet")
    now = get(events, id)
    assert now["etag"] != old
    assert patch(events, id, now["etag"], {"location": "x"})["location"] == "x"


def test_a_deleted_event_is_told_as_cancelled_deleted_once_and_can_come_back(events: Any) -> None:
    id = insert(events, MEETING)["id"]
    events.delete(calendarId="primary", eventId=id).execute()
    again = events.delete(calendarId="primary", eventId=id)
    again.headers["If-Match"] = '"of before"'
    assert refused(again) == (410, "deleted")
    assert (get(events, id)["status"], get(events, id)["summary"]) == ("cancelled", "Review")
    assert listed(events) == []
    assert names(listed(events, showDeleted=True)) == ["Review"]
    patch(events, id, body={"status": "confirmed"})
    assert names(listed(events)) == ["Review"]


def test_what_does_not_exist_is_not_found(events: Any) -> None:
    insert(events, STANDUP)
    insert(events, MEETING | {"id": "single"})
    assert refused(events.instances(calendarId="primary", eventId="single")) == (404, "notFound")
    assert refused(events.patch(calendarId="primary", eventId="nothing", body={})) == (404, "notFound")
    for id in ("nothing", "standup_20261028T130000Z", "standup_x", "standup_20261027"):
        assert refused(events.get(calendarId="primary", eventId=id)) == (404, "notFound")
    assert refused(events.list(calendarId="else@x.example")) == (404, "notFound")


def test_the_time_moves_the_sequence_and_a_name_does_not(events: Any) -> None:
    id = insert(events, MEETING)["id"]
    assert patch(events, id, body={"summary": "Other"})["sequence"] == 0
    assert patch(events, id, body={"end": {"dateTime": "2026-11-19T17:00:00+01:00"}})["sequence"] == 1


# Listing


def test_both_ends_of_the_window_are_exclusive(events: Any) -> None:
    insert(events, MEETING)
    insert(events, {"summary": "Fair", "start": {"date": "2026-11-21"}, "end": {"date": "2026-11-23"}})
    found = [
        names(listed(events, timeMin=f"2026-11-{low}:00+01:00", timeMax=f"2026-11-{high}:00+01:00"))
        for low, high in (("19T14:00", "19T15:00"), ("19T16:00", "19T17:00"), ("19T15:59", "19T17:00"), ("22T23:00", "23T09:00"))
    ]
    assert found == [[], [], ["Review"], ["Fair"]]


def test_a_series_is_expanded_at_its_local_time_with_the_ids_of_its_instances(events: Any) -> None:
    insert(events, STANDUP | {"recurrence": [*STANDUP["recurrence"], "EXDATE;TZID=America/New_York:20261110T090000"]})
    found = listed(events, singleEvents=True, orderBy="startTime")
    assert [(event["id"], event["start"]["dateTime"]) for event in found] == [
        ("standup_20261020T130000Z", "2026-10-20T15:00:00+02:00"),
        (SECOND, "2026-10-27T14:00:00+01:00"),
        (THIRD, "2026-11-03T15:00:00+01:00"),
    ]
    assert all("recurrence" not in event and event["recurringEventId"] == "standup" for event in found)
    assert [event["id"] for event in listed(events)] == ["standup"]


def test_an_all_day_series_names_its_instances_by_days(events: Any) -> None:
    days = {"start": {"date": "2026-11-23"}, "end": {"date": "2026-11-25"}}
    insert(events, days | {"id": "fair1", "recurrence": ["RRULE:FREQ=MONTHLY"]})
    (found,) = listed(events, singleEvents=True, timeMin="2027-05-24T00:00:00Z", timeMax="2027-05-25T00:00:00Z")
    assert (found["id"], found["start"], found["end"]) == ("fair1_20270523", {"date": "2027-05-23"}, {"date": "2027-05-25"})
    assert found["originalStartTime"] == {"date": "2027-05-23"}


def test_a_series_is_listed_where_one_of_its_instances_is_in_the_window(events: Any) -> None:
    insert(events, STANDUP)
    windows = [(f"2026-11-{day}T00:00:00Z", f"2026-11-{day + 1}T00:00:00Z") for day in (10, 11)]
    assert [len(listed(events, timeMin=low, timeMax=high)) for low, high in windows] == [1, 0]


def test_what_was_changed_last_comes_last_when_asked_for(google: GoogleEmulator, events: Any, mine: Calendar) -> None:
    first, second = (mine.put(MEETING | {"summary": name}) for name in ("first", "second"))
    google.world.clock = lambda: datetime(2026, 11, 18, 10, tzinfo=UTC)
    mine.change(first, location="elsewhere")
    assert [event["id"] for event in listed(events, orderBy="updated")] == [second, first]
    assert [event["id"] for event in listed(events, updatedMin="2026-11-18T09:30:00Z")] == [first]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"orderBy": "startTime"}, "badRequest"),
        ({"timeMin": "2026-11-19T10:00:00Z", "timeMax": "2026-11-19T10:00:00Z"}, "timeRangeEmpty"),
        ({"timeMin": "2026-02-30T10:00:00Z"}, "badRequest"),
        ({"syncToken": "sync-1-me@home.example", "timeMin": "2026-11-19T10:00:00Z"}, "badRequest"),
        ({"pageToken": "%%%"}, "invalid"),
    ],
)
def test_a_listing_that_cannot_be_is_refused(events: Any, query: dict[str, Any], reason: str) -> None:
    assert refused(events.list(calendarId="primary", **query)) == (400, reason)


def test_pages_lose_nothing_and_their_tokens_belong_to_one_query(events: Any, mine: Calendar) -> None:
    for number in range(7):
        mine.put(MEETING | {"summary": str(number)})
    request, pages = events.list(calendarId="primary", maxResults=3), []
    while request is not None:
        answer = request.execute()
        pages.append(names(answer["items"]))
        request = events.list_next(request, answer)
    assert pages == [["0", "1", "2"], ["3", "4", "5"], ["6"]]
    token = events.list(calendarId="primary", maxResults=3).execute()["nextPageToken"]
    assert refused(events.list(calendarId="primary", q="x", pageToken=token)) == (400, "invalid")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "review"}, True),
        ({"q": "REVIEW room"}, True),
        ({"q": "revie"}, False),
        ({"q": "anna"}, True),
        ({"iCalUID": "abc12@google.com"}, True),
        ({"iCalUID": "abc13@google.com"}, False),
        ({"privateExtendedProperty": ["key=1"]}, True),
        ({"privateExtendedProperty": ["key=1", "other=2"]}, False),
    ],
)
def test_events_are_found_by_words_uid_and_properties(events: Any, query: dict[str, Any], found: bool) -> None:
    insert(
        events,
        MEETING
        | {"id": "abc12", "location": "Room A", "attendees": [{"email": ANNA}], "extendedProperties": {"private": {"key": "1"}}},
    )
    assert bool(listed(events, **query)) is found


def test_where_somebody_works_is_an_event_of_its_own_kind(events: Any, mine: Calendar) -> None:
    mine.put({"eventType": "workingLocation", "start": {"date": "2026-11-19"}, "end": {"date": "2026-11-20"}})
    insert(events, MEETING)
    assert [event["eventType"] for event in listed(events)] == ["workingLocation", "default"]
    assert names(listed(events, eventTypes=["default"])) == ["Review"]


def test_a_sync_token_tells_what_changed_since_until_it_expires(google: GoogleEmulator, events: Any, mine: Calendar) -> None:
    kept, gone = insert(events, MEETING)["id"], insert(events, MEETING)["id"]
    token = events.list(calendarId="primary").execute()["nextSyncToken"]
    assert listed(events, syncToken=token) == []
    mine.remove(gone)
    assert listed(events, syncToken=token) == [
        {"kind": "calendar#event", "id": gone, "status": "cancelled", "etag": get(events, gone)["etag"]}
    ]
    patch(events, kept, body={"summary": "Other"})
    assert names(listed(events, syncToken=token)) == ["Other", "cancelled"]
    google.world.calendars.expire_sync_tokens()
    assert refused(events.list(calendarId="primary", syncToken=token)) == (410, "fullSyncRequired")


# Instances


def test_a_changed_instance_becomes_an_exception_and_the_others_stay(events: Any) -> None:
    series = insert(events, STANDUP)
    assert get(events, SECOND)["etag"] == series["etag"]
    moved = patch(events, SECOND, series["etag"], {"summary": "With cake", "start": {"dateTime": "2026-10-27T09:15:00-04:00"}})
    assert moved["originalStartTime"]["dateTime"] == "2026-10-27T14:00:00+01:00"
    assert moved["etag"] != series["etag"] == get(events, THIRD)["etag"]
    assert names(listed(events, singleEvents=True, orderBy="startTime")) == ["Standup", "With cake", "Standup", "Standup"]
    assert [event["id"] for event in listed(events)] == ["standup", SECOND]


def test_an_exception_follows_its_series_in_what_it_does_not_say_itself(events: Any) -> None:
    insert(events, STANDUP)
    patch(events, SECOND, body={"summary": "With cake"})
    before = get(events, SECOND)["etag"]
    patch(events, "standup", body={"summary": "Daily", "location": "Hall"})
    after = get(events, SECOND)
    assert (after["summary"], after["location"]) == ("With cake", "Hall")
    assert after["etag"] != before


def test_an_exception_can_lack_what_its_series_has(events: Any) -> None:
    insert(events, STANDUP | {"description": "Stand up", "location": "Hall"})
    assert "description" not in patch(events, SECOND, body={"description": None})
    assert "location" not in patch(events, SECOND, body={"location": ""})
    assert "description" not in get(events, SECOND)


def test_a_cancelled_instance_is_left_out_of_the_expansion_and_told_beside_the_series(events: Any) -> None:
    insert(events, STANDUP)
    events.delete(calendarId="primary", eventId=SECOND).execute()
    assert refused(events.delete(calendarId="primary", eventId=SECOND)) == (410, "deleted")
    assert SECOND not in [event["id"] for event in listed(events, singleEvents=True)]
    cancelled = listed(events)[1]
    assert set(cancelled) == {"kind", "etag", "id", "status", "recurringEventId", "originalStartTime"}
    patch(events, SECOND, body={"status": "confirmed"})
    assert len(listed(events, singleEvents=True)) == 4


def test_the_instances_of_a_series_are_listed_by_themselves(events: Any) -> None:
    insert(events, STANDUP)
    patch(
        events, SECOND, body={"start": {"dateTime": "2026-11-20T09:00:00-05:00"}, "end": {"dateTime": "2026-11-20T10:00:00-05:00"}}
    )
    events.delete(calendarId="primary", eventId=THIRD).execute()

    def instances(**params: Any) -> list[str]:
        found = events.instances(calendarId="primary", eventId="standup", **params).execute()["items"]
        return [event["id"].partition("_")[2] for event in found]

    assert instances() == ["20261020T130000Z", "20261110T140000Z", "20261027T130000Z"]
    assert instances(showDeleted=True, originalStart="2026-11-03T14:00:00Z") == ["20261103T140000Z"]
    assert instances(timeMin="2026-11-15T00:00:00Z") == ["20261027T130000Z"]


def test_a_series_that_moves_leaves_its_exceptions_behind(events: Any) -> None:
    insert(events, STANDUP)
    patch(events, SECOND, body={"summary": "With cake"})
    later = {"start": {"dateTime": "2026-10-20T11:00:00-04:00"}, "end": {"dateTime": "2026-10-20T12:00:00-04:00"}}
    patch(events, "standup", body=later)
    assert refused(events.get(calendarId="primary", eventId=SECOND)) == (404, "notFound")
    assert names(listed(events, singleEvents=True)) == ["Standup"] * 4


def test_deleting_a_series_takes_its_exceptions_along(events: Any) -> None:
    insert(events, STANDUP)
    patch(events, SECOND, body={"summary": "With cake"})
    events.delete(calendarId="primary", eventId="standup").execute()
    assert listed(events, singleEvents=True) == listed(events) == []
    assert get(events, SECOND)["status"] == "cancelled"


def test_a_notice_says_who_would_have_got_a_mail(google: GoogleEmulator, events: Any) -> None:
    id = insert(events, MEETING | {"attendees": [{"email": ANNA}, {"email": "tom@x.example"}]}, sendUpdates="externalOnly")["id"]
    patch(events, id, body={"attendees": [{"email": ANNA}, {"email": "eva@x.example"}]}, sendUpdates="all")
    patch(events, id, body={"summary": "Quietly"})
    events.delete(calendarId="primary", eventId=id, sendUpdates="all").execute()
    assert [(notice.to, notice.kind) for notice in google.world.calendars.notices] == [
        ("tom@x.example", "invitation"),
        (ANNA, "update"),
        ("eva@x.example", "invitation"),
        ("tom@x.example", "cancellation"),
        (ANNA, "cancellation"),
        ("eva@x.example", "cancellation"),
    ]
    assert google.world.calendars.notices[-1] == Notice("eva@x.example", "cancellation", id, "Quietly")
