"""events.get, list and instances."""

from datetime import date, datetime
from typing import Any

from doubles.google.calendar.listing import RESTRICTING, Listing, Window
from doubles.google.calendar.rendering import bare, resource, zone_of
from doubles.google.calendar.state import Calendar, Event, timestamp
from doubles.google.calendar.times import moment, stamp
from doubles.google.calls import ApiError, Call
from doubles.google.paging import Paging

LARGEST_PAGE = 2500


def get(call: Call) -> Event:
    calendar = _readable(call)
    event = calendar.event(call.params["eventId"])
    if event is None:
        raise ApiError(404, "notFound", "Not Found")
    return resource(event, calendar, call)


def list_(call: Call) -> dict[str, Any]:
    calendar = _readable(call)
    order = call.params.get("orderBy")
    if order == "startTime" and not call.params.get("singleEvents"):
        raise ApiError(400, "badRequest", "The requested ordering is not available for the particular query.")
    found = Listing(call, calendar).found()
    if order == "startTime":
        found.sort(key=lambda event: moment(event["start"], calendar.zone_info))
    elif order == "updated":
        found.sort(key=lambda event: str(event["updated"]))
    answer = _page(call, calendar, found)
    if "nextPageToken" not in answer and not any(call.params.get(name) for name in RESTRICTING):
        answer["nextSyncToken"] = f"sync-{next(calendar.versions)}-{calendar.id}"
    return answer


def instances(call: Call) -> dict[str, Any]:
    calendar = _readable(call)
    series = calendar.event(call.params["eventId"])
    if series is None or not series.get("recurrence"):
        raise ApiError(404, "notFound", "Not Found")
    window = Window(call, calendar)
    found = [event for event in window.instances(series) if window.holds(event)]
    if not call.params.get("showDeleted"):
        found = [event for event in found if event["status"] != "cancelled"]
    if original := call.params.get("originalStart"):
        at = datetime.fromisoformat(original) if "T" in original else date.fromisoformat(original)
        found = [event for event in found if event["id"] == f"{series['id']}_{stamp(at)}"]
    return _page(call, calendar, sorted(found, key=lambda event: moment(event["start"], calendar.zone_info)))


def _readable(call: Call) -> Calendar:
    return call.world.calendars.seen_by(call.user.email, call.params["calendarId"], "freeBusyReader")


def _page(call: Call, calendar: Calendar, found: list[Event]) -> dict[str, Any]:
    page, following = Paging(call).page(found, default=250, most=LARGEST_PAGE)
    answer: dict[str, Any] = {
        "kind": "calendar#events",
        "etag": f'"p{len(found)}"',
        "summary": calendar.summary,
        "updated": timestamp(calendar.world.now()),
        "timeZone": zone_of(call, calendar).key,
        "accessRole": calendar.role(call.user.email),
        "defaultReminders": [],
        "items": [_listed(event, calendar, call) for event in page],
    }
    return answer | ({"nextPageToken": following} if following else {})


def _listed(event: Event, calendar: Calendar, call: Call) -> Event:
    shown = resource(event, calendar, call)
    details = call.params.get("singleEvents") or call.params.get("showDeleted")
    return bare(shown) if event["status"] == "cancelled" and not details else shown
