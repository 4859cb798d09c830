"""Events and contacts as somebody else's program puts them anywhere."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from integrations.types import Address, Attendee


@dataclass(frozen=True)
class GivenEvent:
    """Dates make it an all-day event, whose end is the day after its last. `without`: starts left out of the series; `instances`:
    what stands in place of those that would start then. `rrule` and `rdates` make it a series."""

    title: str
    start: date
    end: date
    uid: str = "single-1"
    location: str = ""
    description: str = ""
    rrule: str = ""
    rdates: tuple[date, ...] = ()
    without: tuple[date, ...] = ()
    instances: tuple[tuple[date, "GivenEvent"], ...] = ()
    organizer: Address | None = None
    attendees: tuple[Attendee, ...] = ()
    busy: bool = True
    cancelled: bool = False

    def but(self, **changes: Any) -> "GivenEvent":
        return GivenEvent(**{**self.__dict__, **changes})


@dataclass(frozen=True)
class GivenContact:
    """The first address is the preferred one; `birthday` as YYYY-MM-DD."""

    name: str
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    nickname: str = ""
    company: str = ""
    title: str = ""
    groups: tuple[str, ...] = ()
    birthday: str = ""
    note: str = ""
