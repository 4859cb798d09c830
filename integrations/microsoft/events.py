"""Graph's events, read as ours.

Graph's own etags won't do as ours: all instances of a series share one, which changes with any of them, and Exchange changes that
of a meeting when it has sent the invitations, and whenever a guest answers. So an event's etag is made of what it says; an instance
that is as its series says has that of the series.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from integrations.common.contentline import Malformed
from integrations.common.fields import LINE, Texts
from integrations.common.people import email_address
from integrations.microsoft.recurrence import rule_of
from integrations.microsoft.zones import zone_named
from integrations.types import Address, Answer, Attendee, Event

Item = Mapping[str, Any]
"""An event as Graph gives it, its times in UTC."""

ANSWERS: dict[str, Answer] = {
    "notResponded": "needs-action",
    "accepted": "accepted",
    "declined": "declined",
    "tentativelyAccepted": "tentative",
}
FREE = frozenset({"free", "workingElsewhere"})


@dataclass(frozen=True)
class Place:
    """What an event does not say about itself. `zone` is the user's; `holder` the address of somebody else who shares this
    calendar, empty of one's own."""

    account: str
    calendar: str
    owner: str
    zone: ZoneInfo
    holder: str = ""


def event_of(item: Item, place: Place, series: Event | None = None) -> Event:
    """`series` is the whole one, where `item` is an instance. Malformed where it can't be read."""
    try:
        return _event(item, place, series)
    except Malformed:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Malformed("Outlook's answer about it can't be read") from error


def _event(item: Item, place: Place, series: Event | None) -> Event:
    start, end = times(item, place.zone)
    mine, texts = my_answer(item, place), Texts()
    invited = [found for one in item.get("attendees") or () if (found := _attendee(one, place, mine, texts))]
    attendees = texts.most(invited, "attendees") or _alone(place)
    # At Outlook every event has an organizer; where nobody is invited that is just whoever has it.
    organizer = _address(item.get("organizer"), texts) if attendees else None
    status, repeats, original = _status(item), rule(item, place), original_start(item, place.zone)
    said: dict[str, Any] = {
        "title": texts.word(item.get("subject") or "", "title"),
        "start": start,
        "end": end,
        "all_day": bool(item.get("isAllDay")),
        "zone": "" if item.get("isAllDay") else _zone_name(item, place),
        "location": texts.lines((item.get("location") or {}).get("displayName") or "", "location", LINE),
        "description": _described(item, texts),
        "status": status,
        "busy": item.get("showAs") not in FREE and mine != "declined" and status != "cancelled",
        "my_answer": mine,
    }
    return Event(
        account=place.account,
        calendar=place.calendar,
        id=item.get("seriesMasterId") or item["id"],
        etag=series.etag if series and item.get("type") == "occurrence" else _etag(said, f"{repeats}{original}", attendees),
        uid=series.uid if series else item.get("iCalUId") or "",
        recurrence=original,
        series=is_instance(item) or is_series(item),
        rrule=series.rrule if series else repeats,
        organizer=organizer,
        attendees=attendees,
        guest=not is_mine(item) and not place.holder,
        oddities=texts.found,
        **said,
    )


def times(item: Item, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Start and end in the user's zone; of a day its midnight there."""
    start, end = (_side(item, side, zone) for side in ("start", "end"))
    if item.get("isAllDay") and end <= start:
        return start, datetime.combine(start.date() + timedelta(days=1), time(), zone)
    return start, end


def moment_of(given: Item) -> datetime:
    """Of a dateTimeTimeZone."""
    written = datetime.fromisoformat(given["dateTime"].partition(".")[0].removesuffix("Z"))
    return written.replace(tzinfo=zone_named(given.get("timeZone") or "UTC") or UTC)


def _side(item: Item, side: str, zone: ZoneInfo) -> datetime:
    moment = moment_of(item[side])
    return _midnight(_day(moment, item), zone) if item.get("isAllDay") else moment.astimezone(zone)


def _day(moment: datetime, item: Item) -> date:
    """Days belong to no zone and are told as midnights; what is none was turned into another zone on the way."""
    if moment.time() == time():
        return moment.date()
    return moment.astimezone(zone_named(item.get("originalStartTimeZone") or "") or UTC).date()


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone)


def original_start(item: Item, zone: ZoneInfo) -> datetime | None:
    """What names an instance of a series; None of anything else."""
    if not is_instance(item):
        return None
    moment = datetime.fromisoformat(item["originalStart"]).astimezone(UTC)
    return _midnight(_day(moment, item), zone) if item.get("isAllDay") else moment.astimezone(zone)


def clock(item: Item, user: ZoneInfo) -> ZoneInfo:
    """The zone an event was written in, by whose clock it repeats."""
    ends = (item.get("recurrence") or {}).get("range") or {}
    names = (ends.get("recurrenceTimeZone"), item.get("originalStartTimeZone"))
    return next((zone for name in names if name and (zone := zone_named(name, user))), user)


def rule(item: Item, place: Place) -> str:
    """The RRULE of a series; empty of anything else."""
    if not item.get("recurrence"):
        return ""
    all_day = bool(item.get("isAllDay"))
    start = times(item, place.zone)[0]
    return rule_of(item["recurrence"], start if all_day else start.astimezone(clock(item, place.zone)), all_day=all_day)


def is_standing(item: Item) -> bool:
    """Outlook keeps a meeting that its organizer has called off until it is removed by hand."""
    return not item.get("isCancelled")


def is_instance(item: Item) -> bool:
    return bool(item.get("seriesMasterId"))


def is_series(item: Item) -> bool:
    return item.get("type") == "seriesMaster" or bool(item.get("recurrence"))


def is_mine(item: Item) -> bool:
    """Whether it is the organizer's own; of an event without guests too."""
    return item.get("isOrganizer") is not False


def my_answer(item: Item, place: Place) -> Answer:
    """The owner's own; empty where the owner was not asked."""
    told = ANSWERS.get((item.get("responseStatus") or {}).get("response", ""), "") if not place.holder else ""
    if told and not is_mine(item):
        return told
    entry = next((one for one in item.get("attendees") or () if is_me(one, place)), None)
    return _answer(entry) if entry else ""


def is_me(attendee: Item, place: Place) -> bool:
    return _email(attendee) == place.owner.lower()


def has_others(item: Item, place: Place) -> bool:
    """Whether anybody but the owner would hear of a change."""
    return any(one.get("type") != "resource" and not is_me(one, place) for one in item.get("attendees") or ())


def description(item: Item) -> str:
    return _described(item, Texts())


def _described(item: Item, texts: Texts) -> str:
    body = item.get("body") or {}
    text = body.get("content") or ""
    return texts.rich(text) if str(body.get("contentType", "")).lower() == "html" else texts.lines(text, "description")


def _status(item: Item) -> Literal["confirmed", "tentative", "cancelled"]:
    """Outlook shows every meeting as tentative until it is answered; what somebody says so of the own is meant."""
    if not is_standing(item):
        return "cancelled"
    return "tentative" if item.get("showAs") == "tentative" and is_mine(item) else "confirmed"


def _zone_name(item: Item, place: Place) -> str:
    zone = zone_named(item.get("originalStartTimeZone") or "", place.zone)
    return zone.key if zone else ""


def _etag(said: Mapping[str, Any], repeats: str, attendees: tuple[Attendee, ...]) -> str:
    """Without what Exchange may write differently from one answer to the next: white space, and the order of the guests."""
    people = sorted((one.address.email, one.optional) for one in attendees)
    whole = [sorted((name, " ".join(str(value).split())) for name, value in said.items()), people, repeats]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:32]


def _email(one: Item | None) -> str:
    return email_address(((one or {}).get("emailAddress") or {}).get("address") or "")


def _address(one: Item | None, texts: Texts) -> Address | None:
    email = _email(one)
    return Address(email=email, name=texts.name(((one or {})["emailAddress"]).get("name") or "")) if email else None


def _attendee(one: Item, place: Place, mine: Answer, texts: Texts) -> Attendee | None:
    """Rooms and equipment are no people."""
    address = None if one.get("type") == "resource" else _address(one, texts)
    if address is None:
        return None
    answer = mine if mine and is_me(one, place) else _answer(one)
    return Attendee(address=address, answer=answer, optional=one.get("type") == "optional")


def _answer(one: Item) -> Answer:
    """Nobody but the organizer is told how others have answered."""
    return ANSWERS.get((one.get("status") or {}).get("response") or "none", "needs-action")


def _alone(place: Place) -> tuple[Attendee, ...]:
    """What stands in somebody else's calendar and names nobody is theirs: without a word of them it would be the user's own."""
    return (Attendee(address=Address(email=place.holder), answer="accepted"),) if place.holder else ()
