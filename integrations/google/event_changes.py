"""What is sent to Google for our actions on events: resources for new ones, patches for changes, and patches that take them back.

A patch names only what changes: Google merges it into the event, replaces lists as a whole, and clears what is null.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from integrations.actions import AnswerInvitation, CreateEvent, UpdateEvent
from integrations.common import as_approved
from integrations.common.addresses import wire_email
from integrations.common.calendar_checks import refuse_unwritable
from integrations.common.contentline import Block, made, parse, prop, render
from integrations.common.ical import known_zone
from integrations.common.ical_edit import checked_rule, same_length, whole_days
from integrations.common.people import email_address
from integrations.errors import InvalidResponse, NotFound
from integrations.google.events import Item, Place, is_me, moment
from integrations.google.series import Move
from integrations.types import Address

Patch = dict[str, Any]

TEXTS = {"title": "summary", "location": "location", "description": "description"}
ANSWERS = {"accepted": "accepted", "declined": "declined", "tentative": "tentative"}
KEY, KEYS = "assistantKeys", 8
"""The private property that tells under which keys an event was last written, and how many are kept; nobody else sees it."""
KEPT = ("summary", "description", "location", "start", "end", "recurrence", "attendees", "transparency", "visibility", "colorId")
"""What brings back an event that was removed; all else Google has kept."""
NO_DATE: Patch = {"date": None}
NO_TIME: Patch = {"dateTime": None, "timeZone": None}
CARRIER = "X-GOOGLE-PATCH"


def event_id(key: str) -> str:
    """Google's ids are of base32hex, of which hexadecimal is a part."""
    return hashlib.sha256(key.encode()).hexdigest()[:40]


def written_under(item: Item, key: str) -> bool:
    """Whether one of its last writes was ours under this key."""
    return key in _keys(item)


def marked(changed: Mapping[str, Any], key: str, item: Item, private: Mapping[str, str | None]) -> Patch:
    """With the key beside those of earlier writes, and further private properties."""
    keys = [*(one for one in _keys(item) if one != key), key][-KEYS:]
    return {**changed, "extendedProperties": {"private": {**private, KEY: " ".join(keys)}}}


def _keys(item: Item) -> list[str]:
    return str(item.get("extendedProperties", {}).get("private", {}).get(KEY, "")).split()


def new_event(action: CreateEvent, key: str, zone: ZoneInfo) -> Patch:
    own = action.start.tzinfo if isinstance(action.start.tzinfo, ZoneInfo) and known_zone(action.start.tzinfo.key) else zone
    body: Patch = {"id": event_id(key), "summary": action.title}
    body |= _times((action.start, action.end), (own, own), zone, all_day=action.all_day)
    body |= {TEXTS[name]: text for name in ("location", "description") if (text := getattr(action, name))}
    if action.rrule:
        body["recurrence"] = [f"RRULE:{_rule(action, zone if action.all_day else own)}"]
    if action.attendees:
        refuse_unwritable(action.attendees, action.account)
        body["attendees"] = [_invited(address) for address in action.attendees]
    return marked(body, key, {}, {})


def patch(action: UpdateEvent | AnswerInvitation, item: Item, place: Place) -> Patch:
    return _update(action, item, place) if isinstance(action, UpdateEvent) else _answer(action, item, place)


def _update(action: UpdateEvent, item: Item, place: Place) -> Patch:
    changed: Patch = {TEXTS[name]: text for name in TEXTS if (text := getattr(action, name)) is not None}
    if action.start is not None or action.end is not None or action.all_day is not None:
        changed |= _moved(action, item, place)
    if action.add_attendees or action.remove_attendees:
        changed["attendees"] = _attendees(action, item)
    return changed


def _answer(action: AnswerInvitation, item: Item, place: Place) -> Patch:
    """NotFound where the owner is not among the attendees."""
    attendees = item.get("attendees", ())
    if not any(is_me(one, place) for one in attendees):
        raise NotFound("You are not among the people invited to this event.", action.account)
    mine = {"responseStatus": ANSWERS[action.answer], **({"comment": action.comment} if action.comment else {})}
    return {"attendees": [{**one, **mine} if is_me(one, place) else one for one in attendees]}


def differs(after: Item, approved: Item, owner: str) -> str:
    """What Google has made of an event beside what was approved, in clauses; `approved` is what was sent, over what was there."""
    shown = ("everybody can see it",) if after.get("visibility") == "public" != approved.get("visibility") else ()
    wanted, there = ([email_address(one.get("email", "")) for one in item.get("attendees", ())] for item in (approved, after))
    return as_approved.told((*as_approved.guests_beside(wanted, there, owner), *shown))


def taking_back(changed: Mapping[str, Any], before: Item) -> Patch:
    """What undoes a patch."""
    return {name: _as_it_was(name, changed[name], before.get(name)) for name in changed}


def bringing_back(before: Item) -> Patch:
    """What undoes a removal."""
    return {"status": "confirmed", **{name: before[name] for name in KEPT if name in before}}


def carried(changed: Patch, *standings: Item) -> str:
    """What RestoreEvent holds: a calendar object with the patch as JSON, beside those who will hear of it as its attendees.
    `standings` are the event as it was before and as it is after."""
    people = {email_address(one.get("email", "")) for item in standings for one in item.get("attendees", ())}
    lines = [
        prop("UID", str(standings[0].get("iCalUID", ""))),
        *(prop("ATTENDEE", f"mailto:{email}") for email in sorted(people) if email),
        made(f"{CARRIER}:{json.dumps(changed)}"),
    ]
    event = Block("VEVENT", made("BEGIN:VEVENT"), list(lines), made("END:VEVENT"))
    return render([Block("VCALENDAR", made("BEGIN:VCALENDAR"), [event], made("END:VCALENDAR"))])


def patch_in(ics: str) -> Patch:
    """InvalidResponse where it holds none."""
    found = [line for block in Block("", made(""), parse(ics)).walk("VEVENT") for line in block.all(CARRIER)]
    try:
        (line,) = found
        held = json.loads(line.value)
    except ValueError as error:
        raise InvalidResponse("What is to be restored can't be read.") from error
    if not isinstance(held, dict):
        raise InvalidResponse("What is to be restored can't be read.")
    return held


def _rule(action: CreateEvent, zone: ZoneInfo) -> str:
    """As Google takes it: the end of a timed series in UTC, that of an all-day one as a day."""
    parts = dict(part.split("=", 1) for part in checked_rule(action.rrule).split(";"))
    until = parts.get("UNTIL", "")
    if until and "COUNT" in parts:
        raise InvalidResponse(f"The repetition {action.rrule!r} has two ends.", action.account)
    if "T" in until:
        written = datetime.strptime(until.rstrip("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007 (its zone is told by what surrounds it)
        end = written.replace(tzinfo=UTC if until.endswith("Z") else zone)
        parts["UNTIL"] = f"{end.astimezone(zone):%Y%m%d}" if action.all_day else f"{end.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _invited(address: Address) -> Patch:
    email = wire_email(address.email)
    return {"email": email, "displayName": address.name} if address.name else {"email": email}


def _attendees(action: UpdateEvent, item: Item) -> list[Item]:
    """All others stay as they are, with their answers."""
    refuse_unwritable(action.add_attendees, action.account)
    gone = {email.lower() for email in action.remove_attendees}
    kept = [one for one in item.get("attendees", ()) if email_address(one.get("email", "")) not in gone]
    there = {email_address(one.get("email", "")) for one in kept}
    return [*kept, *(_invited(address) for address in action.add_attendees if address.email not in there)]


def _moved(action: UpdateEvent, item: Item, place: Place) -> Patch:
    """Where only the start is given the duration stays."""
    was_all_day = "date" in item["start"]
    all_day = was_all_day if action.all_day is None else action.all_day
    before = moment(item["start"], place.zone), moment(item["end"], place.zone)
    start = action.start or before[0]
    end = action.end or (before[1] if action.start is None else same_length(before, start, all_day=all_day))
    zones = _zone(item["start"], place.zone), _zone(item["end"], place.zone)
    if all_day == was_all_day:
        moved = _times((start, end), zones, place.zone, all_day=all_day)
        starts = moment(moved["start"], place.zone)
        if starts == before[0]:
            return {"end": moved["end"]}
        return moved | ({"recurrence": Move(item, starts, place).rules} if item.get("recurrence") else {})
    if item.get("recurrence"):
        raise InvalidResponse("A series can't be turned from timed to all-day, or back.", action.account)
    turned = _times((start, end), zones, place.zone, all_day=all_day)
    cleared = NO_TIME if all_day else NO_DATE
    return {side: {**turned[side], **cleared} for side in turned}


def _zone(given: Item, otherwise: ZoneInfo) -> ZoneInfo:
    return known_zone(given.get("timeZone", "")) or otherwise


def _times(times: tuple[datetime, datetime], zones: tuple[ZoneInfo, ZoneInfo], zone: ZoneInfo, *, all_day: bool) -> Patch:
    """From start to end, each in its own of `zones`; `zone` is the user's."""
    if all_day:
        start, end = whole_days(*times, zone)
        return {"start": {"date": f"{start:%Y-%m-%d}"}, "end": {"date": f"{end:%Y-%m-%d}"}}
    start, end = times
    if end.astimezone(UTC) < start.astimezone(UTC):
        raise InvalidResponse("An event can't end before it starts.")
    return {"start": _time(start, zones[0]), "end": _time(end, zones[1])}


def _time(when: datetime, zone: ZoneInfo) -> Patch:
    return {"dateTime": when.astimezone(zone).isoformat(), "timeZone": zone.key}


def _as_it_was(name: str, new: Any, old: Any) -> Any:
    """Of a merged object each member that the patch named, of anything else the whole."""
    if name in ("start", "end"):
        return {member: (old or {}).get(member) for member in {*new, *(old or {})}}
    return old
