"""findMeetingTimes: when most of those who are wanted have time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from doubles.graph.calendar.schedules import refuse_personal, schedule_of, spans
from doubles.graph.calendar.state import Calendar
from doubles.graph.calendar.times import at_moment, moment, shown, stored
from doubles.graph.calendar.zones import zone_named
from doubles.graph.calls import Call, GraphError

STEP = timedelta(minutes=30)
CHANCES = {"free": 100.0, "unknown": 49.0, "tentative": 50.0}
MOST = 20
DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
FROM, UNTIL = 8, 17
"""The hours of a working day."""


@dataclass(frozen=True)
class Slot:
    """`people` are the attendees' addresses with what they are then."""

    start: datetime
    end: datetime
    organizer: str
    people: tuple[tuple[str, str], ...]

    @property
    def confidence(self) -> float:
        chances = [CHANCES.get(status, 0.0) for _, status in self.people] or [100.0]
        return sum(chances) / len(chances)


def find(call: Call) -> dict[str, Any]:
    refuse_personal(call)
    body = call.body or {}
    found = [slot for slot in _slots(call, body) if body.get("isOrganizerOptional") or slot.organizer == "free"]
    likely = [slot for slot in found if slot.confidence >= (body.get("minimumAttendeePercentage") or 50)]
    likely.sort(key=lambda slot: (-slot.confidence, slot.start))
    best = likely[: body.get("maxCandidates") or MOST]
    context = f"{call.world.url}/v1.0/$metadata#microsoft.graph.meetingTimeSuggestionsResult"
    reason = "" if best else "AttendeesUnavailable" if found else "OrganizerUnavailable"
    suggestions = [_suggestion(call, slot, order, body) for order, slot in enumerate(best, 1)]
    return {"@odata.context": context, "emptySuggestionsReason": reason, "meetingTimeSuggestions": suggestions}


def _slots(call: Call, body: dict[str, Any]) -> Iterator[Slot]:
    length = _length(body.get("meetingDuration") or "PT30M")
    emails = [one["emailAddress"]["address"] for one in body.get("attendees") or []]
    constraint = body.get("timeConstraint") or {}
    own = call.world.calendars(call.user.email).default
    people = [(email, schedule_of(call, email)) for email in emails]
    for span in constraint.get("timeSlots") or []:
        start, until = (moment(stored(span.get(side), side)) for side in ("start", "end"))
        while start + length <= until:
            end = start + length
            if constraint.get("activityDomain") == "unrestricted" or _working(own, start, end):
                there = tuple((email, _status(calendar, start, end)) for email, calendar in people)
                yield Slot(start, end, _status(own, start, end), there)
            start += STEP


def _working(calendar: Calendar, start: datetime, end: datetime) -> bool:
    zone = zone_named(calendar.zone)
    begins, ends = start.astimezone(zone), end.astimezone(zone)
    opens, closes = (begins.replace(hour=hour, minute=0, second=0) for hour in (FROM, UNTIL))
    return begins.weekday() < 5 and opens <= begins and ends <= closes


def _status(calendar: Calendar | None, start: datetime, end: datetime) -> str:
    if calendar is None:
        return "unknown"
    found = [status for _, status in spans(calendar, start, end)]
    return next((status for status in ("oof", "busy", "tentative", "workingElsewhere") if status in found), "free")


def _length(written: str) -> timedelta:
    found = DURATION.fullmatch(written)
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0, 0)
    length = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    if not length:
        raise GraphError(400, "ErrorInvalidParameter", "The meeting duration is invalid.")
    return length


def _suggestion(call: Call, slot: Slot, order: int, body: dict[str, Any]) -> dict[str, Any]:
    name = call.prefers.get("outlook.timezone") or "UTC"
    times = {side: shown(at_moment(at, "UTC"), zone_named(name), name, all_day=False) for side, at in _sides(slot)}
    reasons = {"suggestionReason": "Suggested because it is one of the nearest times when all attendees are available."}
    return {
        "confidence": slot.confidence,
        "order": order,
        "organizerAvailability": slot.organizer,
        **(reasons if body.get("returnSuggestionReasons") else {"suggestionReason": None}),
        "meetingTimeSlot": times,
        "attendeeAvailability": [
            {"availability": status, "attendee": {"type": "required", "emailAddress": {"address": email}}}
            for email, status in slot.people
        ],
        "locations": [],
    }


def _sides(slot: Slot) -> tuple[tuple[str, datetime], tuple[str, datetime]]:
    return ("start", slot.start), ("end", slot.end)
