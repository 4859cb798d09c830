"""calendarList, calendars and settings."""

from typing import Any

from doubles.google.calendar.state import ROLES, Calendar, etag
from doubles.google.calls import ApiError, Call
from doubles.google.paging import Paging

SETTINGS = {"timezone": "", "locale": "en", "weekStart": "1", "format24HourTime": "true", "dateFieldOrder": "DMY"}


def list_calendars(call: Call) -> dict[str, Any]:
    if call.params.get("syncToken"):
        raise ApiError(410, "fullSyncRequired", "Sync token is no longer valid, a full sync is required.")
    least = call.params.get("minAccessRole") or "freeBusyReader"
    call.world.calendars.primary(call.user.email)
    listed = [_entry(calendar, call) for calendar in call.world.calendars.all.values() if call.user.email in calendar.roles]
    shown = [
        entry
        for entry in listed
        if ROLES.index(entry["accessRole"]) >= ROLES.index(least) and (call.params.get("showHidden") or not entry.get("hidden"))
    ]
    page, following = Paging(call).page(shown, default=100, most=250)
    answer = {"kind": "calendar#calendarList", "etag": etag(0), "items": list(page)}
    return answer | ({"nextPageToken": following} if following else {"nextSyncToken": "calendars"})


def get_calendar_entry(call: Call) -> dict[str, Any]:
    calendar = call.world.calendars.seen_by(call.user.email, call.params["calendarId"], "freeBusyReader")
    if call.user.email not in calendar.roles:
        raise ApiError(404, "notFound", "Not Found")
    return _entry(calendar, call)


def _entry(calendar: Calendar, call: Call) -> dict[str, Any]:
    mine = calendar.primary and calendar.owner == call.user.email
    entry: dict[str, Any] = {
        "kind": "calendar#calendarListEntry",
        "etag": etag(0),
        "id": calendar.id,
        "summary": calendar.summary,
        "timeZone": calendar.zone,
        "accessRole": calendar.role(call.user.email),
        "selected": True,
        "defaultReminders": [],
    }
    return entry | ({"primary": True} if mine else {}) | calendar.looks.get(call.user.email, {})


def get_calendar(call: Call) -> dict[str, Any]:
    return _calendar(call.world.calendars.seen_by(call.user.email, call.params["calendarId"], "freeBusyReader"))


def insert_calendar(call: Call) -> dict[str, Any]:
    body = call.body or {}
    if not body.get("summary"):
        raise ApiError(400, "required", "Missing title.")
    return _calendar(call.world.calendars.add(call.user.email, body["summary"], body.get("timeZone", "")))


def _calendar(calendar: Calendar) -> dict[str, Any]:
    return {"kind": "calendar#calendar", "etag": etag(0), "id": calendar.id, "summary": calendar.summary, "timeZone": calendar.zone}


def get_setting(call: Call) -> dict[str, Any]:
    if call.params["setting"] not in SETTINGS:
        raise ApiError(404, "notFound", "Not Found")
    return _setting(call, call.params["setting"])


def list_settings(call: Call) -> dict[str, Any]:
    return {"kind": "calendar#settings", "etag": etag(0), "items": [_setting(call, id) for id in SETTINGS]}


def _setting(call: Call, id: str) -> dict[str, Any]:
    value = SETTINGS[id] or call.world.calendars.primary(call.user.email).zone
    return {"kind": "calendar#setting", "etag": etag(0), "id": id, "value": value}
