"""What each user has set for themselves, over the settings of the whole house."""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import time
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.errors import UserError
from integrations.types import Value
from risk.recipients import Recipients
from storage import settings
from storage.session import Session
from storage.tables import OWNER

RECIPIENTS = "recipients"
LONGEST_WINDOW = 3600
MOST_RECIPIENTS = 1000


class Preferences(Value):
    """None: as the whole house has it. `recipients`: to whom mail and invitations may go, None for everybody; entries are
    addresses, @domains and *.domains. `undo_window` in seconds."""

    recipients: tuple[str, ...] | None = None
    undo_window: int | None = None
    day_starts: time | None = None
    day_ends: time | None = None
    zone: str | None = None

    @property
    def over_the_house(self) -> dict[str, Any]:
        """The settings of the house that are others for this user, by name."""
        return self.model_dump(exclude={RECIPIENTS}, exclude_none=True)


def of(s: Session, user: str = OWNER) -> Preferences:
    stored = settings.all(s, user_id=user)
    return Preferences(**{name: _read(name, stored[name]) for name in Preferences.model_fields if name in stored})


def _read(name: str, stored: str) -> Any:
    """As if it were not set, where it is damaged; but then nobody may be written to."""
    try:
        return CHECKS[name](json.loads(stored))
    except (ValueError, UserError, RecursionError):
        return () if name == RECIPIENTS else None


def keep(s: Session, changed: Preferences, user: str = OWNER) -> None:
    """All of them; what is None is no longer set."""
    for name, value in changed.model_dump(mode="json").items():
        if value is None:
            settings.remove(s, name, user_id=user)
        else:
            settings.put(s, name, json.dumps(value, ensure_ascii=False), user_id=user)


def changed(former: Preferences, given: Mapping[str, Any], hours: tuple[time, time]) -> Preferences:
    """`former` with what is `given`, as JSON has it; `hours` of the day hold where the user set none. Raises UserError with one
    sentence."""
    found = former.model_copy(update={name: CHECKS[name](value) for name, value in given.items()})
    starts, ends = found.day_starts or hours[0], found.day_ends or hours[1]
    if starts >= ends:
        raise UserError(f"Your day must start ({starts:%H:%M}) before it ends ({ends:%H:%M}).")
    return found


def told_of(s: Session, user: str) -> tuple[str, ...]:
    """What is set, in one sentence each."""
    own, lines = of(s, user), []
    if own.day_starts:
        lines.append(f"your day begins at {own.day_starts:%H:%M}")
    if own.day_ends:
        lines.append(f"your day ends at {own.day_ends:%H:%M}")
    if own.zone:
        lines.append(f"your time zone is {own.zone}")
    if own.undo_window is not None:
        lines.append(f"a mail can be taken back for {own.undo_window} seconds")
    if own.recipients is not None:
        lines.append(f"mail may go to {', '.join(own.recipients[:10]) or 'nobody'}")
    return tuple(f"In your settings: {line}." for line in lines)


def recipients(entries: Iterable[str]) -> tuple[str, ...]:
    """In one spelling, each once. Raises UserError."""
    try:
        return tuple(dict.fromkeys(_spelled(Recipients.of([entry])) for entry in entries))
    except ValueError as wrong:
        raise UserError(str(wrong)) from wrong


def _spelled(one: Recipients) -> str:
    return next(iter((*one.addresses, *(f"@{name}" for name in one.domains), *(f"*.{name}" for name in one.beneath))))


def _recipients(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise UserError("The recipients must be a list of addresses and domains, or nothing for everybody.")
    if len(value) > MOST_RECIPIENTS:
        raise UserError(f"The list of recipients is too long; {MOST_RECIPIENTS} entries are the most.")
    return recipients(value)


def _undo_window(value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LONGEST_WINDOW):
        return value
    raise UserError(f"The undo window is a number of seconds between 0 and {LONGEST_WINDOW}.")


def _time_of_day(value: Any) -> time | None:
    try:
        found = None if value is None else time.fromisoformat(value)
    except (TypeError, ValueError) as wrong:
        raise UserError("Give the hours of your day as times such as 09:00.") from wrong
    if found is not None and (found.tzinfo is not None or found.second or found.microsecond):
        raise UserError("Give the hours of your day as times such as 09:00.")
    return found


def _zone(value: Any) -> str | None:
    """An IANA name."""
    if value is None or value == "":
        return None
    try:
        return ZoneInfo(value).key
    except (ZoneInfoNotFoundError, TypeError, ValueError, OSError) as unknown:
        raise UserError(f"There is no time zone {str(value)[:60]!r}; use a name such as Europe/Berlin.") from unknown


CHECKS: Mapping[str, Callable[[Any], Any]] = {
    RECIPIENTS: _recipients,
    "undo_window": _undo_window,
    "day_starts": _time_of_day,
    "day_ends": _time_of_day,
    "zone": _zone,
}
