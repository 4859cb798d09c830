"""What is sent to Graph for our actions on events: new ones, patches for changes, and what takes them back.

A patch names only what changes, lists and objects as a whole. What Outlook has removed it does not give back: it is made anew.
"""

import json
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from integrations.actions import CreateEvent, UpdateEvent
from integrations.common import as_approved
from integrations.common.calendar_checks import refuse_unwritable
from integrations.common.contentline import Block, made, parse, prop, render
from integrations.common.ical import known_zone
from integrations.common.ical_edit import same_length, whole_days
from integrations.errors import InvalidResponse
from integrations.microsoft.event_parts import (
    Patch,
    asked_again,
    description_of,
    email_of,
    invited,
    place_called,
    span,
    text,
    zone_of,
)
from integrations.microsoft.events import Item, Place, is_instance, is_series, original_start, times
from integrations.microsoft.keys import KEY, keyed
from integrations.microsoft.recurrence import recurrence_of
from integrations.microsoft.series import Move

KEYS, KEPT_KEYS = f"{KEY}s", 8
"""The property that tells under which keys an event was changed last, and how many are kept."""
HELD = KEY.replace("AssistantKey", "AssistantCarried")
"""The property for what is still to be written to single instances of a series."""
CARRIER = "X-MICROSOFT-EVENT"
UNREADABLE = "What is to be restored can't be read."

# Which keys stand in an event


def written_under(item: Item, key: str) -> bool:
    """Whether one of its last changes was ours under this key. All instances show what their series says, so each has its own."""
    return _token(item, key) in property_of(item, KEYS).split()


def marked(changed: Mapping[str, Any], key: str, item: Item, held: str = "") -> Patch:
    """With the key beside those of earlier changes; `held`: what is still to be written."""
    token = _token(item, key)
    keys = [*(one for one in property_of(item, KEYS).split() if one != token), token][-KEPT_KEYS:]
    properties = {KEYS: " ".join(keys)} | ({HELD: held} if held else {})
    return {**changed, "singleValueExtendedProperties": [{"id": id, "value": value} for id, value in properties.items()]}


def property_of(item: Item, id: str) -> str:
    held = item.get("singleValueExtendedProperties") or ()
    return next((str(one.get("value") or "") for one in held if str(one.get("id", "")).lower() == id.lower()), "")


def _token(item: Item, key: str) -> str:
    start = original_start(item, ZoneInfo("UTC"))
    return f"{key}@{start:%Y%m%dT%H%M}" if start else key


# New events


def new_event(action: CreateEvent, key: str, zone: ZoneInfo) -> Patch:
    own = action.start.tzinfo if isinstance(action.start.tzinfo, ZoneInfo) and known_zone(action.start.tzinfo.key) else zone
    own = zone if action.all_day else own
    body: Patch = {"subject": action.title, **span((action.start, action.end), (own, own), zone, all_day=action.all_day)}
    if action.location:
        body["location"] = place_called(action.location)
    if action.description:
        body["body"] = text(action.description)
    if action.rrule:
        body["recurrence"] = recurrence_of(action.rrule, action.start, own, all_day=action.all_day)
    if action.attendees:
        refuse_unwritable(action.attendees, action.account)
        body["attendees"] = [invited(address) for address in action.attendees]
    return {**body, "isAllDay": action.all_day, "transactionId": key, **keyed(key)}


def anew(given: Mapping[str, Any], key: str, held: str = "") -> Patch:
    """For an event that was removed."""
    properties = [*keyed(key)["singleValueExtendedProperties"], *([{"id": HELD, "value": held}] if held else [])]
    return {**given, "transactionId": key, "singleValueExtendedProperties": properties}


# Changes


def patch(action: UpdateEvent, item: Item, place: Place) -> Patch:
    changed: Patch = {}
    if action.title is not None:
        changed["subject"] = action.title
    if action.location is not None:
        changed["location"] = place_called(action.location)
    if action.description is not None:
        changed["body"] = description_of(item, action.description)
    if action.start is not None or action.end is not None or action.all_day is not None:
        changed |= _moved(action, item, place)
    if action.add_attendees or action.remove_attendees:
        changed["attendees"] = _attendees(action, item)
    return changed


def _moved(action: UpdateEvent, item: Item, place: Place) -> Patch:
    """Where only the start is given the duration stays."""
    was_all_day = bool(item.get("isAllDay"))
    all_day = was_all_day if action.all_day is None else action.all_day
    before = times(item, place.zone)
    start = action.start or before[0]
    end = action.end or (before[1] if action.start is None else same_length(before, start, all_day=all_day))
    moved = span((start, end), (zone_of(item, "Start", place), zone_of(item, "End", place)), place.zone, all_day=all_day)
    if all_day != was_all_day:
        if is_series(item) or is_instance(item):
            raise InvalidResponse("A series can't be turned from timed to all-day, or back.", action.account)
        return {**moved, "isAllDay": all_day}
    starts = whole_days(start, end, place.zone)[0] if all_day else start
    if starts == before[0]:
        return {"end": moved["end"]}
    return moved | ({"recurrence": Move(item, starts, place).recurrence} if is_series(item) else {})


def _attendees(action: UpdateEvent, item: Item) -> list[Item]:
    """All others stay as they are."""
    refuse_unwritable(action.add_attendees, action.account)
    gone = {email.lower() for email in action.remove_attendees}
    kept = [one for one in item.get("attendees") or () if email_of(one) not in gone]
    there = {email_of(one) for one in kept}
    return [*map(asked_again, kept), *(invited(address) for address in action.add_attendees if address.email not in there)]


def differs(after: Item, approved: Item, owner: str) -> str:
    """Whom Outlook has invited beside those who were to be, in a clause."""
    wanted, there = ([email_of(one) for one in item.get("attendees") or ()] for item in (approved, after))
    return as_approved.told(as_approved.guests_beside(wanted, there, owner))


# What takes them back


def carried(held: Mapping[str, Any], *standings: Item) -> str:
    """What RestoreEvent holds: a calendar object with `held` as JSON, beside those who will hear of it as its attendees.
    `standings` are the event as it was before and as it is after."""
    people = {email_of(one) for item in standings for one in item.get("attendees") or ()}
    lines = [
        prop("UID", str(standings[0].get("iCalUId") or "")),
        *(prop("ATTENDEE", f"mailto:{email}") for email in sorted(people) if email),
        made(f"{CARRIER}:{json.dumps(held)}"),
    ]
    event = Block("VEVENT", made("BEGIN:VEVENT"), list(lines), made("END:VEVENT"))
    return render([Block("VCALENDAR", made("BEGIN:VCALENDAR"), [event], made("END:VCALENDAR"))])


def held_in(ics: str) -> Patch:
    """InvalidResponse where it holds nothing."""
    found = [line for block in Block("", made(""), parse(ics)).walk("VEVENT") for line in block.all(CARRIER)]
    try:
        (carrier,) = found
        held = json.loads(carrier.value)
    except ValueError as error:
        raise InvalidResponse(UNREADABLE) from error
    if not isinstance(held, dict) or not ("patch" in held or "event" in held):
        raise InvalidResponse(UNREADABLE)
    return held
