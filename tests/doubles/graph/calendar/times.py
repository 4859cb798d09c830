"""Start and end of an event as Graph writes them: {"dateTime": "2026-11-19T15:00:00.0000000", "timeZone": "UTC"}.

Stored is the local time without its seven digits, beside the name of its zone.
"""

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from doubles.graph.calendar.zones import exchange_name, zone_named
from doubles.graph.calls import GraphError

When = dict[str, str]
WRITTEN = re.compile(r"(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?)?", re.IGNORECASE)
NEVER = "0001-01-01T00:00:00Z"


def unreadable(name: str) -> GraphError:
    return GraphError(400, "RequestBodyRead", f"Cannot convert the literal to the expected type of '{name}'.")


def stored(given: Any, name: str) -> When:
    """Of a body. 400 where there is none, its zone is unknown or its time can't be read."""
    if not isinstance(given, dict) or not given.get("dateTime"):
        raise GraphError(400, "ErrorInvalidRequest", f"The Event.{name.capitalize()} property is required.")
    zone = zone_named(given.get("timeZone"))
    at, offset = _read(given["dateTime"], name)
    local = at.astimezone(zone).replace(tzinfo=None) if offset else at.replace(tzinfo=None)
    return {"dateTime": local.isoformat(), "timeZone": exchange_name(given["timeZone"])}


def _read(text: str, name: str) -> tuple[datetime, bool]:
    """And whether it tells its own offset."""
    found = WRITTEN.fullmatch(text)
    if found is None:
        raise unreadable(name)
    day, time, offset = found.groups()
    try:
        return datetime.fromisoformat(f"{day}T{time or '00:00'}{(offset or 'Z').upper()}"), offset is not None
    except ValueError:
        raise unreadable(name) from None


def instant(text: str | None, parameter: str) -> datetime:
    """Of a query parameter; without an offset it is in UTC, whatever zone the answer is asked for in."""
    if not text:
        message = "This request requires a time window specified by the query string parameters StartDateTime and EndDateTime."
        raise GraphError(400, "ErrorInvalidParameter", message)
    try:
        return _read(text, parameter)[0]
    except GraphError:
        raise GraphError(400, "ErrorInvalidParameter", f"The value '{text}' of parameter '{parameter}' is invalid.") from None


def local(when: When) -> datetime:
    return datetime.fromisoformat(when["dateTime"])


def moment(when: When) -> datetime:
    return _moment(when["dateTime"], when["timeZone"])


@lru_cache(maxsize=16384)
def _moment(text: str, zone: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone_named(zone)).astimezone(UTC)


def at_moment(when: datetime, zone: str) -> When:
    """`zone` by any name."""
    named = when.astimezone(zone_named(zone)).replace(tzinfo=None)
    return {"dateTime": named.isoformat(), "timeZone": exchange_name(zone)}


def shown(when: When, zone: ZoneInfo, name: str, *, all_day: bool) -> When:
    """In the zone asked for, by the `name` it was asked by. A whole day is a midnight whatever the zone."""
    at = local(when) if all_day else moment(when).astimezone(zone).replace(tzinfo=None)
    return {"dateTime": f"{at.isoformat(timespec='seconds')}.0000000", "timeZone": name}


def later(when: When, by: timedelta) -> When:
    """So many hours later by the clocks of the world, not by the one on the wall."""
    return at_moment(moment(when) + by, when["timeZone"])


def days_later(when: When, days: int) -> When:
    return when | {"dateTime": (local(when) + timedelta(days=days)).isoformat()}


def utc(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def timestamp(when: datetime) -> str:
    """With the seven digits of createdDateTime and its like."""
    return f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{when.microsecond:06d}0Z"


def day(text: Any, name: str) -> date:
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError):
        raise unreadable(name) from None
