"""Events that somebody else's program has put into a calendar."""

from datetime import datetime
from zoneinfo import ZoneInfo

from doubles.boxes.base import BERLIN, OWNER
from doubles.given import GivenEvent

from integrations.types import Address, Attendee, Event

NEW_YORK = ZoneInfo("America/New_York")
ME = Address(email=OWNER, name="Me")
ANNA = Address(email="anna.berg@north.example", name="Berg, Anna")
TOM = Address(email="tom@north.example", name="Tom O'Neil, PhD")


def at(day: int, hour: int, minute: int = 0, month: int = 11, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=zone)


def unstamped(*events: Event) -> list[Event]:
    """Without etags, which never come back."""
    return [event.model_copy(update={"etag": ""}) for event in events]


MEETING = GivenEvent(
    uid="review-1",
    title="Budget review",
    start=at(19, 15),
    end=at(19, 16),
    location="Room A",
    description="Bring the figures, please",
    organizer=ME,
    attendees=(Attendee(address=ANNA, answer="accepted"), Attendee(address=TOM, answer="tentative", optional=True)),
)
STANDUP = GivenEvent(
    uid="standup-1",
    title="Standup",
    start=at(5, 9, 15, month=10),
    end=at(5, 9, 30, month=10),
    rrule="FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261231T081500Z",
    without=(at(11, 9, 15),),
    instances=((at(18, 9, 15), GivenEvent("Standup with cake", at(18, 11), at(18, 11, 30))),),
    attendees=(Attendee(address=ANNA),),
)
INVITATION = GivenEvent(
    uid="invite-1",
    title="Kick-off",
    start=at(20, 14),
    end=at(20, 15),
    organizer=ANNA,
    attendees=(Attendee(address=ME), Attendee(address=TOM)),
)
