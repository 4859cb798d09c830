"""Whose calendar is whose: a calendar named after a contact is that person's, as far as it is shared with the user."""

from collections.abc import Iterable, Mapping, Sequence

from assistant.agents.base import Desk
from assistant.agents.people import candidates
from assistant.agents.words import tokens
from integrations.types import Address, Attendee, Calendar, Event

Place = tuple[str, str]
"""An account and the id of a calendar in it."""
FILLERS = frozenset({"s", "calendar", "kalender", "agenda", "schedule"})


async def calendar_owners(desk: Desk) -> Mapping[Place, Address]:
    """The calendars that are somebody else's."""
    return await owners_among(await desk.readers.calendar.calendars(), desk)


async def owners_among(calendars: Sequence[Calendar], desk: Desk) -> Mapping[Place, Address]:
    """Those of these calendars that are somebody else's."""
    if len(calendars) < 2:
        return {}
    found = [(calendar, await _owner(calendar, desk)) for calendar in calendars]
    return {(calendar.account, calendar.id): owner for calendar, owner in found if owner is not None}


async def _owner(calendar: Calendar, desk: Desk) -> Address | None:
    said = [word for word in tokens(calendar.name) if word not in FILLERS]
    if not said or any(set(said) <= set(tokens(me.name)) for me in desk.setting.me):
        return None
    cards = [card for card in await candidates(" ".join(said), desk) if set(said) <= set(tokens(card.name))]
    if len(cards) != 1 or not cards[0].emails or set(cards[0].emails) & desk.me:
        return None
    return Address(email=cards[0].emails[0], name=cards[0].name)


def with_owner(event: Event, owners: Mapping[Place, Address]) -> Event:
    """What stands in somebody else's calendar and names nobody is theirs."""
    owner = owner_of(event, owners)
    return event if owner is None or event.attendees else event.model_copy(update={"attendees": (Attendee(address=owner),)})


def calendars_of(emails: Iterable[str], owners: Mapping[Place, Address]) -> dict[str, Place]:
    """Where these people's calendars are, as far as they are shown."""
    wanted = frozenset(emails)
    return {owner.email: place for place, owner in owners.items() if owner.email in wanted}


def owner_of(event: Event, owners: Mapping[Place, Address]) -> Address | None:
    return owners.get((event.account, event.calendar))
