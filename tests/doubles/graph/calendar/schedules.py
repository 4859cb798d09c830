"""calendar/getSchedule: when people have no time."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from doubles.graph.calendar.bodies import Event
from doubles.graph.calendar.state import Calendar
from doubles.graph.calendar.times import moment, shown, stored
from doubles.graph.calendar.zones import exchange_name, zone_named
from doubles.graph.calls import Call, GraphError

MOST_PEOPLE, LONGEST_DAYS = 20, 62
SHORTEST, LONGEST = 5, 1440
"""Minutes of the availability view's steps."""
VIEW = {"free": "0", "tentative": "1", "busy": "2", "oof": "3", "workingElsewhere": "4"}
NOBODY = "Unable to resolve e-mail address {} to an Active Directory object."
HOURS = {
    "daysOfWeek": ["monday", "tuesday", "wednesday", "thursday", "friday"],
    "startTime": "08:00:00.0000000",
    "endTime": "17:00:00.0000000",
}


def get_schedule(call: Call) -> dict[str, Any]:
    refuse_personal(call)
    body = call.body or {}
    people, step = body.get("Schedules") or [], body.get("AvailabilityViewInterval") or 30
    low, high = (moment(stored(body.get(name), name)) for name in ("StartTime", "EndTime"))
    _check(people, low, high, step)
    context = f"{call.world.url}/v1.0/$metadata#Collection(microsoft.graph.scheduleInformation)"
    return {"@odata.context": context, "value": [_schedule(call, email, low, high, step) for email in people]}


def refuse_personal(call: Call) -> None:
    if call.user.kind == "personal":
        raise GraphError(403, "ErrorAccessDenied", "Access is denied. Check credentials and try again.")


def _check(people: list[str], low: datetime, high: datetime, step: int) -> None:
    if not people or len(people) > MOST_PEOPLE:
        raise GraphError(400, "ErrorInvalidRequest", f"Between 1 and {MOST_PEOPLE} schedules can be asked for.")
    if not SHORTEST <= step <= LONGEST:
        raise GraphError(400, "ErrorInvalidMergedFreeBusyInterval", f"The interval must be from {SHORTEST} to {LONGEST} minutes.")
    if low >= high:
        raise GraphError(400, "ErrorInvalidTimeInterval", "The time interval is invalid: it ends before it starts.")
    if high - low > timedelta(days=LONGEST_DAYS):
        days = (high - low).days
        message = (
            "The requested time duration specified for FreeBusyViewOptions.TimeWindow is too long. "
            f"The allowed limit = {LONGEST_DAYS} days; the actual limit = {days} days."
        )
        raise GraphError(400, "ErrorTimeIntervalTooBig", message)


def schedule_of(call: Call, email: str) -> Calendar | None:
    """Nobody can tell of somebody elsewhere, nor of a personal account."""
    if not call.world.has_calendars(email.lower()):
        return None
    theirs = call.world.calendars(email.lower())
    return None if theirs.personal else theirs.default


def spans(calendar: Calendar, low: datetime, high: datetime) -> Iterator[tuple[Event, str]]:
    """The events in [low, high), and as what each of them shows, in the order of their starts."""
    events = sorted((one.event for one in calendar.between(low, high)), key=lambda event: moment(event["start"]))
    for event in events:
        declined = event["responseStatus"]["response"] == "declined" or event["isCancelled"]
        yield event, "free" if declined else event["showAs"]


def _schedule(call: Call, email: str, low: datetime, high: datetime, step: int) -> dict[str, Any]:
    calendar = schedule_of(call, email)
    if calendar is None:
        error = {"message": NOBODY.format(email), "responseCode": "ErrorMailRecipientNotFound"}
        return {"scheduleId": email, "availabilityView": "", "scheduleItems": [], "error": error}
    found = list(spans(calendar, low, high))
    name = call.prefers.get("outlook.timezone") or "UTC"
    mine = calendar.owner == call.user.email
    return {
        "scheduleId": email,
        "availabilityView": _view([(*_times(event), status) for event, status in found], low, high, timedelta(minutes=step)),
        "scheduleItems": [_item(event, status, zone_named(name), name, mine=mine) for event, status in found],
        "workingHours": HOURS | {"timeZone": {"name": exchange_name(calendar.zone)}},
    }


def _times(event: Event) -> tuple[datetime, datetime]:
    return moment(event["start"]), moment(event["end"])


def _item(event: Event, status: str, zone: ZoneInfo, name: str, *, mine: bool) -> dict[str, Any]:
    """Others are told no more than that somebody is busy; times are whole, whatever part of them was asked for."""
    times = {side: shown(event[side], zone, name, all_day=False) for side in ("start", "end")}
    details = {"subject": event["subject"], "location": event["location"].get("displayName", "")} if mine else {}
    return {"status": status, **times, "isPrivate": event["sensitivity"] == "private", **details}


def _view(found: list[tuple[datetime, datetime, str]], low: datetime, high: datetime, step: timedelta) -> str:
    digits = []
    while low < high:
        until = low + step
        digits.append(max((VIEW.get(status, "0") for start, end, status in found if start < until and end > low), default="0"))
        low = until
    return "".join(digits)
