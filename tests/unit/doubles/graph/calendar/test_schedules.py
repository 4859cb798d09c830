"""getSchedule and findMeetingTimes."""

from typing import Any

import pytest
from doubles.graph import GraphEmulator
from doubles.graph.calendar.asking import ANNA, BERLIN, ME, TOM, Item, lunch, people, weekly
from doubles.graph.raw import ask, code


def asked(*emails: str, low: str = "2026-11-20T08:00:00", high: str = "2026-11-20T18:00:00", **said: Any) -> Item:
    times = {"StartTime": {"dateTime": low, "timeZone": BERLIN}, "EndTime": {"dateTime": high, "timeZone": BERLIN}}
    return {"Schedules": [*emails], **times, "AvailabilityViewInterval": 60, **said}


def schedules(graph: GraphEmulator, body: Item, **headers: str) -> list[Any]:
    reply = ask(graph, "POST", "/me/calendar/getSchedule", body, headers=headers)
    assert reply.status == 200, reply.json
    found = reply.json["value"]
    assert isinstance(found, list)
    return found


def test_when_somebody_is_busy_is_told_and_nothing_more(graph: GraphEmulator) -> None:
    graph.world.calendars(ANNA).default.put(lunch(subject="Secret", recurrence=weekly("friday")))
    (anna,) = schedules(graph, asked(ANNA), prefer=f'outlook.timezone="{BERLIN}"')
    assert anna["scheduleItems"] == [
        {
            "status": "busy",
            "start": {"dateTime": "2026-11-20T12:00:00.0000000", "timeZone": BERLIN},
            "end": {"dateTime": "2026-11-20T13:00:00.0000000", "timeZone": BERLIN},
            "isPrivate": False,
        }
    ]
    assert anna["availabilityView"] == "0000200000"


def test_ones_own_time_is_told_with_what_fills_it(graph: GraphEmulator) -> None:
    graph.world.calendars(ME).default.put(lunch())
    ((item,),) = [one["scheduleItems"] for one in schedules(graph, asked(ME))]
    assert item["subject"] == "Lunch"


def test_each_shows_as_what_it_is(graph: GraphEmulator) -> None:
    theirs = graph.world.calendars(ANNA).default
    for shown in ("free", "tentative", "oof", "workingElsewhere"):
        theirs.put(lunch(showAs=shown))
    theirs.put(
        lunch(),
        organizer={"emailAddress": {"address": TOM}},
        answer={"responseStatus": {"response": "declined", "time": "0001-01-01T00:00:00Z"}},
    )
    (anna,) = schedules(graph, asked(ANNA))
    assert sorted(item["status"] for item in anna["scheduleItems"]) == ["free", "free", "oof", "tentative", "workingElsewhere"]
    assert anna["availabilityView"] == "0000400000"


def test_a_stranger_hides_nobody_else(graph: GraphEmulator) -> None:
    graph.account("eva@outlook.example", kind="personal")
    graph.world.calendars(ANNA)
    stranger, personal, anna = schedules(graph, asked("stranger@far.example", "eva@outlook.example", ANNA))
    assert [one["error"]["responseCode"] for one in (stranger, personal)] == ["ErrorMailRecipientNotFound"] * 2
    assert "error" not in anna


@pytest.mark.parametrize(
    "body",
    [
        asked(),
        asked(*(f"p{number}@x.example" for number in range(21))),
        asked(ANNA, high="2027-01-22T08:00:00"),
        asked(ANNA, high="2026-11-20T08:00:00"),
        asked(ANNA, AvailabilityViewInterval=1),
        {"Schedules": [ANNA]},
    ],
    ids=["nobody", "21 people", "63 days", "no time", "each minute", "no span"],
)
def test_a_question_that_is_too_much_is_refused(graph: GraphEmulator, body: Item) -> None:
    assert ask(graph, "POST", "/me/calendar/getSchedule", body).status == 400
    assert graph.complaints.pop()


@pytest.mark.parametrize("operation", ["/me/calendar/getSchedule", "/me/findMeetingTimes"])
def test_a_personal_account_knows_of_nobody_elses_time(graph: GraphEmulator, operation: str) -> None:
    eva = graph.account("eva@outlook.example", kind="personal")
    reply = ask(graph, "POST", operation, asked(ANNA) if "Schedule" in operation else wanted(ANNA), token=eva.token)
    assert (reply.status, code(reply)) == (403, "ErrorAccessDenied")


def wanted(*emails: str, **said: Any) -> Item:
    """A meeting of an hour on 20 November."""
    slot = {side: {"dateTime": f"2026-11-20T{hour}:00:00", "timeZone": "UTC"} for side, hour in (("start", "06"), ("end", "20"))}
    return {"attendees": people(*emails), "timeConstraint": {"timeSlots": [slot]}, "meetingDuration": "PT1H", **said}


def answered(graph: GraphEmulator, body: Item) -> Item:
    """To somebody who may look into calendars that others share."""
    graph.authorisation.issue(graph.account(ME), ["Calendars.Read.Shared"])
    reply: Item = ask(graph, "POST", "/me/findMeetingTimes", body).json
    return reply


def suggested(graph: GraphEmulator, body: Item) -> list[tuple[str, float]]:
    found = answered(graph, body)["meetingTimeSuggestions"]
    return [(one["meetingTimeSlot"]["start"]["dateTime"][11:16], one["confidence"]) for one in found]


def test_times_are_suggested_when_all_have_time_in_working_hours(graph: GraphEmulator) -> None:
    graph.world.calendars(ANNA).default.put(lunch())  # 11 to 12 in UTC
    graph.world.calendars(ME).default.put(lunch(start={"dateTime": "2026-11-20T08:00:00", "timeZone": "UTC"}))
    found = suggested(graph, wanted(ANNA))
    assert found[0] == ("12:00", 100.0) and found[-1] == ("16:00", 100.0)


def test_whose_time_is_unknown_makes_a_time_less_sure(graph: GraphEmulator) -> None:
    graph.world.calendars(ANNA)
    assert {confidence for _, confidence in suggested(graph, wanted(ANNA, "stranger@far.example", maxCandidates=3))} == {74.5}
    assert suggested(graph, wanted("stranger@far.example")) == []


def test_no_suggestion_comes_with_its_reason(graph: GraphEmulator) -> None:
    graph.world.calendars(ME).default.put(
        lunch(
            start={"dateTime": "2026-11-20T00:00:00", "timeZone": "UTC"}, end={"dateTime": "2026-11-21T00:00:00", "timeZone": "UTC"}
        )
    )
    answer = answered(graph, wanted(ANNA))
    assert (answer["meetingTimeSuggestions"], answer["emptySuggestionsReason"]) == ([], "OrganizerUnavailable")
