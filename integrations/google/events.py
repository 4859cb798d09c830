"""Google's event resources, read as ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any, Literal
from zoneinfo import ZoneInfo

from integrations.common.contentline import Malformed
from integrations.common.fields import LINE, Texts
from integrations.common.people import email_address
from integrations.types import Address, Answer, Attendee, Event

Item = Mapping[str, Any]
"""An Event resource as Google gives it."""

PRIMARY = "primary"
"""What Google also calls the id of an account's own calendar."""
MADE_UP = "calendar.google.com"
"""Ids of calendars that are nobody's primary one end so."""
ANSWERS: dict[str, Answer] = {
    "needsAction": "needs-action",
    "accepted": "accepted",
    "declined": "declined",
    "tentative": "tentative",
}
STATUSES: dict[str, Literal["confirmed", "tentative", "cancelled"]] = {"tentative": "tentative", "cancelled": "cancelled"}


@dataclass(frozen=True)
class Place:
    """What an event resource does not say about itself. `zone` is the user's."""

    account: str
    calendar: str
    owner: str
    zone: ZoneInfo

    @property
    def own(self) -> bool:
        """Whether this is the owner's primary calendar, whose id is the owner's address."""
        return self.calendar.lower() in (PRIMARY, self.owner.lower())

    @property
    def whose(self) -> str:
        """The address of somebody else whose primary calendar this is; empty of any other calendar."""
        return "" if self.own or self.calendar.endswith(MADE_UP) else email_address(self.calendar)


def event_of(item: Item, place: Place, series: Item | None = None) -> Event:
    """`series` is the resource of the whole series, where `item` is an instance. Malformed where it can't be read."""
    try:
        return _event(item, place, series or {})
    except Malformed:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Malformed("Google's answer about it can't be read") from error


def _event(item: Item, place: Place, series: Item) -> Event:
    start, end, texts = item["start"], item["end"], Texts()
    invited = [found for one in item.get("attendees", ()) if (found := _attendee(one, texts))]
    attendees = texts.most(invited, "attendees") or _alone(item, place, texts)
    # Every event has an organizer at Google; where nobody is invited that is just the calendar it stands in.
    organizer = _address(item.get("organizer", {}), texts) if attendees else None
    said = {
        "title": texts.word(item.get("summary", ""), "title"),
        "location": texts.lines(item.get("location", ""), "location", LINE),
        "description": texts.described(item.get("description", "")),
    }
    mine = my_answer(item, place)
    cancelled = item.get("status") == "cancelled"
    return Event(
        account=place.account,
        calendar=place.calendar,
        id=item.get("recurringEventId") or item["id"],
        etag=item.get("etag", ""),
        uid=item.get("iCalUID", ""),
        start=moment(start, place.zone),
        end=moment(end, place.zone),
        all_day="date" in start,
        zone="" if "date" in start else start.get("timeZone", ""),
        recurrence=original_start(item, place.zone),
        series=is_instance(item) or bool(item.get("recurrence")),
        rrule=_rule(item) or _rule(series),
        organizer=organizer,
        attendees=attendees,
        status=STATUSES.get(item.get("status", ""), "confirmed"),
        busy=item.get("transparency") != "transparent" and mine != "declined" and not cancelled,
        my_answer=mine,
        guest=is_guests(item, place),
        oddities=texts.found,
        **said,
    )


def moment(given: Item, zone: ZoneInfo) -> datetime:
    """Of an EventDateTime, in the user's zone; a date is its midnight there."""
    if "date" in given:
        return datetime.combine(datetime.fromisoformat(given["date"]).date(), time(), zone)
    found = datetime.fromisoformat(given["dateTime"])
    if found.tzinfo is None:
        found = found.replace(tzinfo=ZoneInfo(given["timeZone"]) if given.get("timeZone") else zone)
    return found.astimezone(zone)


def is_standing(item: Item) -> bool:
    """Google goes on telling of what was removed."""
    return item.get("status") != "cancelled"


def is_instance(item: Item) -> bool:
    return bool(item.get("recurringEventId"))


def original_start(item: Item, zone: ZoneInfo) -> datetime | None:
    """What names an instance of a series; None of anything else."""
    return moment(item["originalStartTime"], zone) if is_instance(item) else None


def instance_ids(series: str, recurrence: datetime, zone: ZoneInfo) -> tuple[str, str]:
    """Both ids that an instance may have: that of the series with the original start in UTC, or with its day where it lasts all
    day. Which of them does not show in the time alone: not every day has a midnight."""
    timed = f"{series}_{recurrence.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    return timed, f"{series}_{recurrence.astimezone(zone):%Y%m%d}"


def my_answer(item: Item, place: Place) -> Answer:
    """The owner's own; empty where the owner is not among the attendees."""
    return next((_answer(one) for one in item.get("attendees", ()) if is_me(one, place)), "")


def is_me(attendee: Item, place: Place) -> bool:
    """`self` is whoever the calendar belongs to: in a calendar that somebody shares, not the owner of this account."""
    return _email(attendee) == place.owner.lower() or (place.own and bool(attendee.get("self")))


def has_others(item: Item, place: Place) -> bool:
    """Whether anybody but the owner would hear of a change."""
    people = [one for one in item.get("attendees", ()) if not one.get("resource")]
    organizer = item.get("organizer", {})
    invited = bool(people) and not organizer.get("self")
    return any(not is_me(one, place) for one in [*people, *([organizer] if invited and _email(organizer) else [])])


def is_guests(item: Item, place: Place) -> bool:
    """Whether it is only the owner's copy of what somebody else organises. In a calendar that is shared a copy may be anybody's."""
    organizer = item.get("organizer", {})
    return place.own and bool(item.get("attendees")) and bool(organizer) and not organizer.get("self")


def _email(attendee: Item) -> str:
    return email_address(attendee.get("email", ""))


def _attendee(one: Item, texts: Texts) -> Attendee | None:
    """Rooms and equipment are no people."""
    address = None if one.get("resource") else _address(one, texts)
    return Attendee(address=address, answer=_answer(one), optional=bool(one.get("optional"))) if address else None


def _alone(item: Item, place: Place, texts: Texts) -> tuple[Attendee, ...]:
    """What stands in somebody else's calendar and names nobody is theirs: without a word of them it would be the user's own."""
    organizer = _address(item.get("organizer", {}), texts)
    theirs = organizer if organizer and organizer.email == place.whose else None
    return (Attendee(address=theirs or Address(email=place.whose), answer="accepted"),) if place.whose else ()


def _address(one: Item, texts: Texts) -> Address | None:
    email = _email(one)
    return Address(email=email, name=texts.name(one.get("displayName", ""))) if email else None


def _answer(one: Item) -> Answer:
    return ANSWERS.get(one.get("responseStatus", "needsAction"), "")


def _rule(item: Item) -> str:
    lines = (str(line) for line in item.get("recurrence", ()))
    return next((line.partition(":")[2].strip() for line in lines if line.upper().startswith("RRULE:")), "")
