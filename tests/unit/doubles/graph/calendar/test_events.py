"""Single events as the emulated Graph keeps, tells, refuses and forgets them."""

from collections.abc import Callable
from typing import Any

import pytest
from doubles.graph import GraphEmulator
from doubles.graph.calendar import Calendar
from doubles.graph.calendar.asking import BERLIN, ME, NEW_YORK, Item, lunch, starts, view
from doubles.graph.ids import GONE
from doubles.graph.raw import ask, code

KEY = "String {00020329-0000-0000-c000-000000000046} Name Key"
Make = Callable[..., Item]


def test_an_event_is_made_and_read_as_it_was_told(graph: GraphEmulator, make: Make) -> None:
    made = make(location={"displayName": "Room A"}, body={"contentType": "text", "content": "Bring figures\nand cake"})
    read = ask(graph, "GET", f"/me/events/{made['id']}").json
    assert read == made
    assert read["start"] == {"dateTime": "2026-11-20T11:00:00.0000000", "timeZone": "UTC"}
    assert (read["originalStartTimeZone"], read["type"], read["isOrganizer"]) == (BERLIN, "singleInstance", True)
    assert (read["location"]["displayName"], len(read["locations"])) == ("Room A", 1)
    assert (read["showAs"], read["responseStatus"]["response"], read["bodyPreview"]) == (
        "busy",
        "organizer",
        "Bring figures\r\nand cake",
    )
    assert read["@odata.etag"] == f'W/"{read["changeKey"]}"'
    assert not {"singleValueExtendedProperties", "originalStart", "cancelledOccurrences", "exceptionOccurrences"} & set(read)


def test_text_comes_as_markup_unless_text_is_asked_for(graph: GraphEmulator, make: Make) -> None:
    text, markup = (
        make(body={"contentType": "text", "content": "1 < 2\nsure"}),
        make(body={"contentType": "html", "content": "<p>a&amp;b</p>c"}),
    )
    assert '<div class="PlainText">1 &lt; 2<br>\r\nsure</div>' in text["body"]["content"]
    plain = {"prefer": 'outlook.body-content-type="text"'}
    shown = [ask(graph, "GET", f"/me/events/{one['id']}", headers=plain).json["body"] for one in (text, markup)]
    assert shown == [{"contentType": "text", "content": "1 < 2\r\nsure"}, {"contentType": "text", "content": "a&b\r\nc"}]


@pytest.mark.parametrize(
    ("name", "start"),
    [("Eastern Standard Time", "06:00"), ("America/New_York", "06:00"), ("Asia/Tokyo", "20:00"), ("UTC", "11:00")],
)
def test_times_are_shown_in_the_zone_that_was_asked_for(graph: GraphEmulator, make: Make, name: str, start: str) -> None:
    made = make()
    read = ask(graph, "GET", f"/me/events/{made['id']}", headers={"prefer": f'outlook.timezone="{name}"'}).json
    assert read["start"] == {"dateTime": f"2026-11-20T{start}:00.0000000", "timeZone": name}
    assert read["originalStartTimeZone"] == BERLIN


def test_a_whole_day_is_midnight_whatever_zone_is_asked_for(graph: GraphEmulator, make: Make) -> None:
    day = {"dateTime": "2026-11-20T00:00:00", "timeZone": NEW_YORK}
    made = make(isAllDay=True, start=day, end=day | {"dateTime": "2026-11-21T00:00:00"})
    read = ask(graph, "GET", f"/me/events/{made['id']}", headers={"prefer": 'outlook.timezone="Asia/Tokyo"'}).json
    assert [read[side]["dateTime"][:16] for side in ("start", "end")] == ["2026-11-20T00:00", "2026-11-21T00:00"]
    assert read["showAs"] == "free"


@pytest.mark.parametrize(
    "said",
    [
        {"start": None},
        {"start": {"dateTime": "2026-11-20T12:00:00", "timeZone": "Europe/Atlantis"}},
        {"start": {"dateTime": "noon", "timeZone": BERLIN}},
        {"end": {"dateTime": "2026-11-20T11:59:00", "timeZone": BERLIN}},
        {"isAllDay": True},
        {"attendees": [{"emailAddress": {"address": "a@x.example, b@x.example"}}]},
        {"singleValueExtendedProperties": [{"id": "Key", "value": "1"}]},
        {"subjekt": "x"},
        {"showAs": "dozing"},
    ],
    ids=str,
)
def test_what_exchange_would_refuse_is_refused_and_complained_of(graph: GraphEmulator, said: Item) -> None:
    assert ask(graph, "POST", "/me/events", lunch(**said)).status == 400
    assert graph.complaints.pop()
    assert starts(graph) == []


def test_the_same_again_under_one_transaction_makes_one_event(graph: GraphEmulator, make: Make) -> None:
    first = make(transactionId="t1")
    assert make(transactionId="t1") == first
    assert len(starts(graph)) == 1


def test_another_event_under_a_known_transaction_is_refused(graph: GraphEmulator, make: Make) -> None:
    make(transactionId="t1")
    reply = ask(graph, "POST", "/me/events", lunch(subject="Dinner", transactionId="t1"))
    assert (reply.status, code(reply)) == (409, "ErrorDuplicateTransactionId")


def test_a_change_names_what_changes_and_makes_a_new_version(graph: GraphEmulator, make: Make) -> None:
    made = make(location={"displayName": "Room A"})
    after = ask(graph, "PATCH", f"/me/events/{made['id']}", {"subject": "Dinner"}, headers={"if-match": made["@odata.etag"]}).json
    assert (after["subject"], after["location"], after["start"]) == ("Dinner", made["location"], made["start"])
    assert after["changeKey"] != made["changeKey"]


@pytest.mark.parametrize(("verb", "body"), [("PATCH", {"subject": "x"}), ("DELETE", None)])
def test_another_version_than_the_one_that_stands_is_not_touched(
    graph: GraphEmulator, make: Make, calendar: Calendar, verb: str, body: Any
) -> None:
    made = make()
    calendar.change(made["id"], subject="Meanwhile")
    reply = ask(graph, verb, f"/me/events/{made['id']}", body, headers={"if-match": made["@odata.etag"]})
    assert (reply.status, code(reply)) == (412, "ErrorIrresolvableConflict")
    assert calendar.event(made["id"])["subject"] == "Meanwhile"


def test_what_is_deleted_is_gone(graph: GraphEmulator, make: Make) -> None:
    made = make()
    assert ask(graph, "DELETE", f"/me/events/{made['id']}").status == 204
    reply = ask(graph, "GET", f"/me/events/{made['id']}")
    assert (reply.status, code(reply)) == (404, "ErrorItemNotFound")


def test_what_is_deleted_may_linger_out_of_sight(graph: GraphEmulator, make: Make, calendar: Calendar) -> None:
    calendar.mailbox.lingers = True
    made = make()
    ask(graph, "DELETE", f"/me/events/{made['id']}")
    assert ask(graph, "GET", f"/me/events/{made['id']}").status == 200
    assert starts(graph) == []
    assert code(ask(graph, "DELETE", f"/me/events/{made['id']}")) == "ErrorCannotDeleteObject"


@pytest.mark.parametrize(("id", "status"), [(GONE, 404), ("nonsense", 400)])
def test_what_never_was_is_not_found(graph: GraphEmulator, id: str, status: int) -> None:
    assert ask(graph, "GET", f"/me/events/{id}").status == status
    assert ask(graph, "GET", f"/me/calendars/{id}/events").status == status


def test_extended_properties_are_told_when_asked_for_and_found_by(graph: GraphEmulator, make: Make) -> None:
    made = make(singleValueExtendedProperties=[{"id": KEY, "value": "k1"}, {"id": "String 0x0123", "value": "other"}])
    make()
    wanted = f"singleValueExtendedProperties($filter=id eq '{KEY}')".replace(" ", "%20")
    read = ask(graph, "GET", f"/me/events/{made['id']}?$expand={wanted}").json
    assert read["singleValueExtendedProperties"] == [{"id": KEY, "value": "k1"}]
    condition = f"singleValueExtendedProperties/Any(ep: ep/id eq '{KEY}' and ep/value eq 'k1')".replace(" ", "%20")
    assert [one["id"] for one in ask(graph, "GET", f"/me/events?$filter={condition}").json["value"]] == [made["id"]]


def test_a_view_holds_what_touches_its_span_and_is_told_in_pages(graph: GraphEmulator, make: Make) -> None:
    for hour in range(12):
        make(
            start={"dateTime": f"2026-11-20T{hour:02}:00:00", "timeZone": "UTC"},
            end={"dateTime": f"2026-11-20T{hour + 1:02}:00:00", "timeZone": "UTC"},
        )
    first = view(graph, "2026-11-20", "2026-11-21").json
    rest = ask(graph, "GET", first["@odata.nextLink"]).json
    assert (len(first["value"]), len(rest["value"]), "@odata.nextLink" in rest) == (10, 2, False)
    span = "startDateTime=2026-11-20T05:00:00Z&endDateTime=2026-11-20T07:00:00Z"
    inside = ask(graph, "GET", f"/me/calendarView?{span}&$select=start&$orderby=start/dateTime").json["value"]
    assert [one["start"]["dateTime"][11:13] for one in inside] == ["05", "06"]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "startDateTime=2026-01-01",
        "startDateTime=2020-01-01&endDateTime=2026-01-01",
        "startDateTime=2026-01-02&endDateTime=2026-01-01",
    ],
)
def test_a_view_needs_a_span_that_is_not_too_long(graph: GraphEmulator, query: str) -> None:
    assert ask(graph, "GET", f"/me/calendarView?{query}").status == 400
    assert graph.complaints.pop()


def test_the_calendar_of_somebody_else_can_be_read_and_not_written_to(graph: GraphEmulator) -> None:
    theirs = graph.world.calendars(ME).add("The boss's", owner="boss@home.example", can_edit=False)
    listed = ask(graph, "GET", "/me/calendars").json["value"]
    assert [(one["isDefaultCalendar"], one["canEdit"], one["owner"]["address"]) for one in listed] == [
        (True, True, ME),
        (False, False, "boss@home.example"),
    ]
    assert ask(graph, "GET", f"/me/calendars/{theirs.id}/events").status == 200
    assert code(ask(graph, "POST", f"/me/calendars/{theirs.id}/events", lunch())) == "ErrorAccessDenied"
