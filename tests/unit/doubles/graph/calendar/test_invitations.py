"""Meetings: who hears of what, whose copy says what, and what an answer does."""

from collections.abc import Callable
from typing import Any

import pytest
from doubles.graph import GraphEmulator
from doubles.graph.calendar import Calendar
from doubles.graph.calendar.asking import ANNA, ME, TOM, Item, lunch, people, starts, view, weekly
from doubles.graph.raw import ask

Make = Callable[..., Item]


@pytest.fixture
def anna(graph: GraphEmulator) -> str:
    """Whose requests bear this token."""
    return graph.account(ANNA, name="Anna Berg").token


def told(graph: GraphEmulator) -> list[tuple[str, str]]:
    return [(notice.to, notice.kind) for notice in graph.world.notices]


def copy(graph: GraphEmulator, token: str) -> Item:
    (found,) = ask(graph, "GET", "/me/events", token=token).json["value"]
    assert isinstance(found, dict)
    return found


def test_a_guest_here_gets_a_copy_and_everybody_a_mail(graph: GraphEmulator, anna: str, make: Make) -> None:
    made = make(attendees=people(ANNA, TOM))
    theirs = copy(graph, anna)
    assert (theirs["iCalUId"], theirs["subject"], theirs["organizer"]["emailAddress"]["address"]) == (made["iCalUId"], "Lunch", ME)
    assert (theirs["isOrganizer"], theirs["responseStatus"]["response"], theirs["showAs"]) == (False, "notResponded", "tentative")
    assert theirs["id"] != made["id"]
    assert told(graph) == [(ANNA, "invitation"), (TOM, "invitation")]


@pytest.mark.parametrize(
    ("change", "heard"),
    [
        ({"subject": "Dinner"}, [(ANNA, "update"), (TOM, "update")]),
        ({"attendees": people(ANNA)}, [(TOM, "cancellation")]),
        ({"attendees": people(ANNA, TOM, "eva@x.example")}, [("eva@x.example", "invitation")]),
        ({"categories": ["Red category"], "showAs": "free"}, []),
        ({"singleValueExtendedProperties": [{"id": "String 0x1", "value": "k"}]}, []),
    ],
    ids=str,
)
def test_guests_hear_of_what_concerns_them(graph: GraphEmulator, make: Make, change: Item, heard: list[tuple[str, str]]) -> None:
    made = make(attendees=people(ANNA, TOM))
    graph.world.notices.clear()
    ask(graph, "PATCH", f"/me/events/{made['id']}", change)
    assert told(graph) == heard


def test_answers_of_those_who_stay_are_kept_and_cannot_be_made_up(graph: GraphEmulator, anna: str, make: Make) -> None:
    made = make(attendees=people(ANNA))
    ask(graph, "POST", f"/me/events/{copy(graph, anna)['id']}/accept", {"Comment": "Gladly"}, token=anna)
    forged = [{**one, "status": {"response": "accepted"}} for one in people(TOM)]
    after = ask(graph, "PATCH", f"/me/events/{made['id']}", {"attendees": people(ANNA) + forged}).json
    assert [one["status"]["response"] for one in after["attendees"]] == ["accepted", "none"]


def test_an_answer_reaches_the_organizer_alone(graph: GraphEmulator, anna: str, make: Make) -> None:
    made = make(attendees=people(ANNA, TOM))
    graph.world.notices.clear()
    theirs = copy(graph, anna)
    assert ask(graph, "POST", f"/me/events/{theirs['id']}/tentativelyAccept", {"Comment": "Perhaps"}, token=anna).status == 202
    assert [(notice.to, notice.kind, notice.comment) for notice in graph.world.notices] == [(ME, "reply", "Perhaps")]
    after = copy(graph, anna)
    assert (after["responseStatus"]["response"], after["showAs"]) == ("tentativelyAccepted", "tentative")
    assert after["changeKey"] != theirs["changeKey"]
    assert [one["status"]["response"] for one in after["attendees"]] == ["none", "none"]
    mine = ask(graph, "GET", f"/me/events/{made['id']}").json
    assert [one["status"]["response"] for one in mine["attendees"]] == ["tentativelyAccepted", "none"]


def test_an_answer_that_is_not_sent_stays_with_the_guest(graph: GraphEmulator, anna: str, make: Make) -> None:
    made = make(attendees=people(ANNA))
    graph.world.notices.clear()
    ask(graph, "POST", f"/me/events/{copy(graph, anna)['id']}/accept", {"SendResponse": False}, token=anna)
    assert told(graph) == []
    assert ask(graph, "GET", f"/me/events/{made['id']}").json["attendees"][0]["status"]["response"] == "none"


@pytest.mark.parametrize("keeps", [False, True])
def test_what_is_declined_goes_unless_outlook_is_set_to_keep_it(graph: GraphEmulator, anna: str, make: Make, keeps: bool) -> None:
    made = make(attendees=people(ANNA))
    graph.world.calendars(ANNA).keeps_declined = keeps
    ask(graph, "POST", f"/me/events/{copy(graph, anna)['id']}/decline", {}, token=anna)
    left = ask(graph, "GET", "/me/events", token=anna).json["value"]
    assert [(one["responseStatus"]["response"], one["showAs"]) for one in left] == [("declined", "free")] * keeps
    assert ask(graph, "GET", f"/me/events/{made['id']}").json["attendees"][0]["status"]["response"] == "declined"


@pytest.mark.parametrize("answer", ["accept", "decline", "tentativelyAccept"])
def test_nobody_answers_their_own_meeting(graph: GraphEmulator, make: Make, answer: str) -> None:
    made = make(attendees=people(ME, ANNA))
    assert ask(graph, "POST", f"/me/events/{made['id']}/{answer}", {"Comment": ""}).status == 400
    assert "organizer" in graph.complaints.pop()


def test_no_answer_is_sent_to_who_wants_none(graph: GraphEmulator, anna: str, make: Make) -> None:
    make(attendees=people(ANNA), responseRequested=False)
    id = copy(graph, anna)["id"]
    assert ask(graph, "POST", f"/me/events/{id}/accept", {"SendResponse": True}, token=anna).status == 400
    assert graph.complaints.pop()
    assert ask(graph, "POST", f"/me/events/{id}/accept", {"SendResponse": False}, token=anna).status == 202


def test_a_meeting_is_called_off_with_a_word(graph: GraphEmulator, anna: str, make: Make) -> None:
    made = make(attendees=people(ANNA))
    graph.world.notices.clear()
    assert ask(graph, "POST", f"/me/events/{made['id']}/cancel", {"Comment": "Ill, sorry"}).status == 202
    assert [(notice.to, notice.kind, notice.comment) for notice in graph.world.notices] == [(ANNA, "cancellation", "Ill, sorry")]
    assert ask(graph, "GET", f"/me/events/{made['id']}").status == 404
    assert (copy(graph, anna)["isCancelled"], copy(graph, anna)["subject"]) == (True, "Canceled: Lunch")


def test_only_who_invited_calls_a_meeting_off(graph: GraphEmulator, anna: str, make: Make) -> None:
    make(attendees=people(ANNA))
    assert ask(graph, "POST", f"/me/events/{copy(graph, anna)['id']}/cancel", {}, token=anna).status == 400
    assert "organizer" in graph.complaints.pop()
    assert len(starts(graph)) == 1


def test_a_guest_who_deletes_a_copy_tells_nobody(graph: GraphEmulator, anna: str, make: Make) -> None:
    made = make(attendees=people(ANNA))
    graph.world.notices.clear()
    assert ask(graph, "DELETE", f"/me/events/{copy(graph, anna)['id']}", token=anna).status == 204
    assert told(graph) == []
    assert ask(graph, "GET", f"/me/events/{made['id']}").status == 200


def test_what_a_guest_changes_stays_in_their_copy_until_the_next_update(graph: GraphEmulator, anna: str, make: Make) -> None:
    made = make(attendees=people(ANNA))
    id = copy(graph, anna)["id"]
    ask(graph, "PATCH", f"/me/events/{id}", {"subject": "Lunch with Maria", "categories": ["Green category"]}, token=anna)
    assert ask(graph, "GET", f"/me/events/{made['id']}").json["subject"] == "Lunch"
    ask(graph, "PATCH", f"/me/events/{made['id']}", {"location": {"displayName": "Hall"}})
    after = copy(graph, anna)
    assert (after["subject"], after["location"]["displayName"], after["categories"]) == ("Lunch", "Hall", ["Green category"])


def test_one_instance_is_answered_moved_and_removed_in_every_copy(graph: GraphEmulator, anna: str, make: Make) -> None:
    graph.world.calendars(ANNA).keeps_declined = True
    make(attendees=people(ANNA), recurrence=weekly("friday"))
    span = "/me/calendarView?startDateTime=2026-11-01T00:00:00Z&endDateTime=2027-01-01T00:00:00Z"
    third = ask(graph, "GET", span, token=anna).json["value"][2]
    ask(graph, "POST", f"/me/events/{third['id']}/decline", {}, token=anna)
    mine = view(graph).json["value"]
    assert [one["attendees"][0]["status"]["response"] for one in mine] == ["none", "none", "declined", "none"]
    ask(graph, "PATCH", f"/me/events/{mine[1]['id']}", {"subject": "Brunch"})
    ask(graph, "POST", f"/me/events/{mine[0]['id']}/cancel", {"Comment": ""})
    theirs: list[Any] = ask(graph, "GET", span, token=anna).json["value"]
    assert [(one["subject"], one["responseStatus"]["response"]) for one in theirs] == [
        ("Brunch", "notResponded"),
        ("Lunch", "declined"),
        ("Lunch", "notResponded"),
    ]


def test_an_event_of_ones_own_tells_nobody(graph: GraphEmulator, make: Make, calendar: Calendar) -> None:
    made = make()
    ask(graph, "PATCH", f"/me/events/{made['id']}", {"subject": "Dinner"})
    ask(graph, "DELETE", f"/me/events/{made['id']}")
    calendar.put(lunch(attendees=people(ANNA)))
    assert told(graph) == []
