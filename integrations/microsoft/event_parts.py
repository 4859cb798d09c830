"""The parts of what is sent to Graph of an event: texts, people and times, new ones and those of an event as it is."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, time
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

from integrations.common.addresses import wire_email
from integrations.common.ical_edit import whole_days
from integrations.common.people import email_address
from integrations.errors import InvalidResponse
from integrations.microsoft.events import Item, Place, clock, is_instance, times
from integrations.microsoft.zones import outlook_name, zone_named
from integrations.types import Address

Patch = dict[str, Any]

RULE = re.compile("_{20,}")
"""The line that Outlook draws above the way into an online meeting."""
NEW_LINE = "\n"

KEPT = (
    "subject", "body", "location", "isAllDay", "recurrence", "showAs", "sensitivity", "importance", "categories", "isReminderOn",
    "reminderMinutesBeforeStart", "responseRequested", "hideAttendees", "allowNewTimeProposals",
)  # fmt: skip
"""What an event is made anew with, beside its times and guests."""


def place_called(name: str) -> Patch:
    return {"displayName": name}


def text(content: str) -> Patch:
    return {"contentType": "text", "content": content}


def description_of(item: Item, content: str) -> Patch:
    """Of an online meeting the way into it stands in the description: without that nobody could join any more."""
    before = (item.get("body") or {}).get("content") or ""
    way_in = RULE.search(before) if item.get("isOnlineMeeting") else None
    if way_in is None:
        return text(content)
    own = RULE.split(content)[0].strip()
    kept = before[before.rfind("<div", 0, way_in.start()) if "<div" in before[: way_in.start()] else way_in.start() :]
    return {"contentType": "html", "content": f"<html><body><div>{escape(own).replace(NEW_LINE, '<br>')}</div>{kept}"}


def invited(address: Address) -> Patch:
    email = {"address": wire_email(address.email)} | ({"name": address.name} if address.name else {})
    return {"emailAddress": email, "type": "required"}


def asked_again(one: Item) -> Patch:
    """Without the answer, which Outlook keeps by itself."""
    return {name: one[name] for name in ("emailAddress", "type") if name in one}


def email_of(one: Item) -> str:
    return email_address((one.get("emailAddress") or {}).get("address") or "")


def zone_of(item: Item, side: str, place: Place) -> ZoneInfo:
    named = zone_named(item.get(f"original{side}TimeZone") or "", place.zone)
    return named or clock(item, place.zone)


def span(moments: tuple[datetime, datetime], zones: tuple[ZoneInfo, ZoneInfo], user: ZoneInfo, *, all_day: bool) -> Patch:
    """From start to end, each in its own of `zones`; days are the user's."""
    if all_day:
        start, end = whole_days(*moments, user)
        return {"start": midnight(start, user), "end": midnight(end, user)}
    start, end = moments
    if end.astimezone(UTC) < start.astimezone(UTC):
        raise InvalidResponse("An event can't end before it starts.")
    return {"start": time_at(start, zones[0]), "end": time_at(end, zones[1])}


def midnight(day: datetime, user: ZoneInfo) -> Patch:
    return {"dateTime": datetime.combine(day.date(), time()).isoformat(), "timeZone": outlook_name(user)}


def time_at(when: datetime, zone: ZoneInfo) -> Patch:
    local = when.astimezone(zone)
    if local.fold:  # in local time this hour of an autumn night means its first passing
        return time_at(when, ZoneInfo("UTC"))
    return {"dateTime": local.replace(tzinfo=None).isoformat(timespec="seconds"), "timeZone": outlook_name(zone)}


# As they are


def taking_back(names: Iterable[str], before: Item, place: Place) -> Patch:
    """What undoes a patch."""
    return {name: _as_it_was(name, before, place) for name in names}


def bringing_back(before: Item, place: Place) -> Patch:
    """What makes a removed event anew; of an instance, an event of its own."""
    found: Patch = {name: before[name] for name in KEPT if before.get(name) is not None}
    if is_instance(before):
        found.pop("recurrence", None)
    people = [asked_again(one) for one in before.get("attendees") or ()]
    return {**found, **written_times(before, place), **({"attendees": people} if people else {})}


def written_times(item: Item, place: Place) -> Patch:
    """As they were written, each in its own zone."""
    return {side: _as_it_was(side, item, place) for side in ("start", "end")}


def _as_it_was(name: str, before: Item, place: Place) -> Any:
    if name in ("start", "end"):
        moment = times(before, place.zone)[name == "end"]
        if before.get("isAllDay"):
            return midnight(moment, place.zone)
        return time_at(moment, zone_of(before, name.title(), place))
    if name == "attendees":
        return [asked_again(one) for one in before.get("attendees") or ()]
    if name == "location":
        return before.get(name) or place_called("")
    if name == "body":
        return before.get(name) or text("")
    return before.get(name)
