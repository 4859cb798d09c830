"""Bodies of events and questions about them, for tests."""

from typing import Any
from urllib.parse import urlencode

from doubles.emulating.raw import Reply
from doubles.graph.emulator import GraphEmulator
from doubles.graph.raw import ask

ME, ANNA, TOM = "me@home.example", "anna@north.example", "tom@north.example"
BERLIN, NEW_YORK = "W. Europe Standard Time", "Eastern Standard Time"
Item = dict[str, Any]


def lunch(**said: Any) -> Item:
    """The body of an event on 20 November 2026, from 12 to 13 in Berlin."""
    return {
        "subject": "Lunch",
        "start": {"dateTime": "2026-11-20T12:00:00", "timeZone": BERLIN},
        "end": {"dateTime": "2026-11-20T13:00:00", "timeZone": BERLIN},
        **said,
    }


def people(*emails: str) -> list[Item]:
    return [{"emailAddress": {"address": email}} for email in emails]


def weekly(*days: str, **span: Any) -> Item:
    """From 20 November, a Friday, for four weeks unless `span` says otherwise."""
    ends = span or {"type": "numbered", "numberOfOccurrences": 4}
    return {"pattern": {"type": "weekly", "interval": 1, "daysOfWeek": [*days]}, "range": {"startDate": "2026-11-20", **ends}}


def view(graph: GraphEmulator, low: str = "2026-11-01", high: str = "2027-01-31", **query: Any) -> Reply:
    given = {"startDateTime": f"{low}T00:00:00Z", "endDateTime": f"{high}T00:00:00Z"}
    return ask(graph, "GET", f"/me/calendarView?{urlencode({**given, **{f'${name}': value for name, value in query.items()}})}")


def starts(graph: GraphEmulator, **query: Any) -> list[str]:
    """Of all that the view shows, in UTC, as "11-20 11:00"."""
    return [item["start"]["dateTime"][5:16].replace("T", " ") for item in view(graph, top=1000, **query).json["value"]]
