"""Series: their instances, and what becomes of those that were changed or removed."""

from collections.abc import Callable
from typing import Any

import pytest
from doubles.graph import GraphEmulator
from doubles.graph.calendar.asking import BERLIN, Item, lunch, starts, view, weekly
from doubles.graph.raw import ask, code

Make = Callable[..., Item]


def instance(graph: GraphEmulator, number: int) -> Item:
    found: Item = view(graph).json["value"][number]
    return found


def pattern(**said: Any) -> Item:
    return {"pattern": {"interval": 1, **said}, "range": {"type": "numbered", "numberOfOccurrences": 3, "startDate": "2026-11-20"}}


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        (pattern(type="daily", interval=2), ["11-20", "11-22", "11-24"]),
        (pattern(type="weekly", daysOfWeek=["friday", "monday"]), ["11-20", "11-23", "11-27"]),
        (pattern(type="weekly", daysOfWeek=["friday", "monday"], interval=2), ["11-20", "11-30", "12-04"]),
        (
            pattern(type="weekly", daysOfWeek=["friday", "sunday"], interval=2, firstDayOfWeek="monday"),
            ["11-20", "11-22", "12-04"],
        ),
        (pattern(type="absoluteMonthly", dayOfMonth=20), ["11-20", "12-20", "01-20"]),
        (pattern(type="relativeMonthly", daysOfWeek=["friday"], index="third"), ["11-20", "12-18", "01-15"]),
        (pattern(type="relativeMonthly", daysOfWeek=["monday"], index="last"), ["11-30", "12-28", "01-25"]),
        (pattern(type="weekly", daysOfWeek=["tuesday"]), ["11-24", "12-01", "12-08"]),
    ],
)
def test_a_pattern_names_the_days(graph: GraphEmulator, make: Make, rule: Item, days: list[str]) -> None:
    make(recurrence=rule)
    assert [start[:5] for start in starts(graph)] == days


def test_a_day_that_a_month_lacks_is_its_last_one(graph: GraphEmulator, make: Make) -> None:
    start, end = ({"dateTime": f"2027-01-31T{hour}:00:00", "timeZone": "UTC"} for hour in (12, 13))
    span = {"type": "noEnd", "startDate": "2027-01-31"}
    make(start=start, end=end, recurrence={"pattern": {"type": "absoluteMonthly", "dayOfMonth": 31, "interval": 1}, "range": span})
    found = view(graph, "2027-01-01", "2027-05-01").json["value"]
    assert [one["start"]["dateTime"][5:10] for one in found] == ["01-31", "02-28", "03-31", "04-30"]


@pytest.mark.parametrize(
    "rule",
    [
        pattern(type="weekly"),
        pattern(type="daily", interval=0),
        pattern(type="absoluteMonthly"),
        {"pattern": {"type": "daily", "interval": 1}, "range": {"type": "noEnd", "startDate": "2026-11-21"}},
        {
            "pattern": {"type": "daily", "interval": 1},
            "range": {"type": "endDate", "startDate": "2026-11-20", "endDate": "2026-11-19"},
        },
        {"pattern": {"type": "daily", "interval": 1}, "range": {"type": "numbered", "startDate": "2026-11-20"}},
    ],
    ids=str,
)
def test_a_recurrence_that_says_nothing_is_refused(graph: GraphEmulator, rule: Item) -> None:
    assert ask(graph, "POST", "/me/events", lunch(recurrence=rule)).status == 400
    assert graph.complaints.pop()


def test_a_series_keeps_its_local_time_when_the_clocks_change(graph: GraphEmulator, make: Make) -> None:
    start, end = ({"dateTime": f"2026-10-23T{hour}:00:00", "timeZone": BERLIN} for hour in (12, 13))
    rule = weekly("friday", type="numbered", numberOfOccurrences=2, startDate="2026-10-23")
    make(start=start, end=end, recurrence=rule)
    found = view(graph, "2026-10-01", "2026-11-30").json["value"]
    assert [one["start"]["dateTime"][5:16] for one in found] == ["10-23T10:00", "10-30T11:00"]


def test_instances_name_their_series_and_are_no_events_of_the_list(graph: GraphEmulator, make: Make) -> None:
    made = make(recurrence=weekly("friday"))
    found = view(graph, select="type,seriesMasterId,originalStart,recurrence").json["value"]
    assert [(one["type"], one["seriesMasterId"], one["recurrence"]) for one in found] == [("occurrence", made["id"], None)] * 4
    assert found[1]["originalStart"] == "2026-11-27T11:00:00Z"
    assert [one["type"] for one in ask(graph, "GET", "/me/events").json["value"]] == ["seriesMaster"]
    span = "startDateTime=2026-11-26T00:00:00Z&endDateTime=2026-12-05T00:00:00Z"
    told = ask(graph, "GET", f"/me/events/{made['id']}/instances?{span}").json["value"]
    assert [one["id"] for one in told] == [one["id"] for one in found[1:3]]


def test_an_instance_that_is_changed_becomes_an_exception(graph: GraphEmulator, make: Make) -> None:
    made = make(recurrence=weekly("friday"))
    second = instance(graph, 1)
    ask(graph, "PATCH", f"/me/events/{second['id']}", {"subject": "Brunch"})
    assert [(one["type"], one["subject"]) for one in view(graph).json["value"]][:3] == [
        ("occurrence", "Lunch"),
        ("exception", "Brunch"),
        ("occurrence", "Lunch"),
    ]
    ask(graph, "PATCH", f"/me/events/{made['id']}", {"subject": "Meal"})
    assert [one["subject"] for one in view(graph).json["value"]] == ["Meal", "Brunch", "Meal", "Meal"]


def test_a_change_of_one_instance_is_a_new_version_of_all(graph: GraphEmulator, make: Make) -> None:
    make(recurrence=weekly("friday"))
    first, second = instance(graph, 0), instance(graph, 1)
    assert first["@odata.etag"] == second["@odata.etag"]
    ask(graph, "DELETE", f"/me/events/{first['id']}")
    assert ask(graph, "DELETE", f"/me/events/{second['id']}", headers={"if-match": second["@odata.etag"]}).status == 412


def test_the_series_tells_its_exceptions_when_asked_to(graph: GraphEmulator, make: Make) -> None:
    made = make(recurrence=weekly("friday"))
    first, second = instance(graph, 0), instance(graph, 1)
    ask(graph, "PATCH", f"/me/events/{second['id']}", {"subject": "Brunch"})
    ask(graph, "DELETE", f"/me/events/{first['id']}")
    told = ask(graph, "GET", f"/me/events/{made['id']}?$select=cancelledOccurrences&$expand=exceptionOccurrences").json
    assert told["cancelledOccurrences"] == [f"OID.{made['id']}.2026-11-20"]
    assert [(one["id"], one["subject"]) for one in told["exceptionOccurrences"]] == [(second["id"], "Brunch")]
    assert ask(graph, "GET", f"/me/events/{first['id']}").status == 404


@pytest.mark.parametrize(
    "change",
    [
        {"end": {"dateTime": "2026-11-20T14:00:00", "timeZone": BERLIN}},
        {"recurrence": weekly("friday", type="numbered", numberOfOccurrences=4) | {"pattern": {"type": "daily", "interval": 7}}},
    ],
    ids=str,
)
def test_a_series_that_moves_forgets_its_exceptions(graph: GraphEmulator, make: Make, change: Item) -> None:
    made = make(recurrence=weekly("friday"))
    ask(graph, "PATCH", f"/me/events/{instance(graph, 1)['id']}", {"subject": "Brunch"})
    ask(graph, "DELETE", f"/me/events/{instance(graph, 0)['id']}")
    assert ask(graph, "PATCH", f"/me/events/{made['id']}", change).status == 200
    assert [one["subject"] for one in view(graph).json["value"]] == ["Lunch"] * 4


def test_a_series_that_only_ends_sooner_keeps_them(graph: GraphEmulator, make: Make) -> None:
    made = make(recurrence=weekly("friday"))
    ask(graph, "PATCH", f"/me/events/{instance(graph, 1)['id']}", {"subject": "Brunch"})
    shorter = weekly("friday", type="endDate", endDate="2026-12-04")
    ask(graph, "PATCH", f"/me/events/{made['id']}", {"recurrence": shorter})
    assert [one["subject"] for one in view(graph).json["value"]] == ["Lunch", "Brunch", "Lunch"]


@pytest.mark.parametrize(("day", "status"), [("2026-11-28", 200), ("2026-12-04", 400), ("2026-11-19", 400)])
def test_an_instance_stays_between_its_neighbours(graph: GraphEmulator, make: Make, day: str, status: int) -> None:
    make(recurrence=weekly("friday"))
    times = {side: {"dateTime": f"{day}T{hour}:00:00", "timeZone": "UTC"} for side, hour in (("start", "07"), ("end", "08"))}
    reply = ask(graph, "PATCH", f"/me/events/{instance(graph, 1)['id']}", times)
    assert reply.status == status
    assert status == 200 or code(reply) == "ErrorOccurrenceCrossingBoundary"


def test_a_series_ends_when_its_recurrence_is_taken_away(graph: GraphEmulator, make: Make) -> None:
    made = make(recurrence=weekly("friday"))
    ask(graph, "PATCH", f"/me/events/{made['id']}", {"recurrence": None})
    assert [(one["id"], one["type"]) for one in view(graph).json["value"]] == [(made["id"], "singleInstance")]
