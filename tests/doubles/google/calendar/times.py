"""Start and end of an event as the API writes them: {"date": …} or {"dateTime": …, "timeZone": …}."""

from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from doubles.google.calls import ApiError

When = dict[str, Any]


def zone_named(name: str, which: str) -> ZoneInfo:
    """400 where there is no such zone."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ApiError(400, "invalid", f"Invalid time zone definition for {which} time.") from None


def instant(text: str, parameter: str) -> datetime:
    """Of a parameter, that was checked to be written with its offset; 400 where there is no such day."""
    try:
        return datetime.fromisoformat(text).replace(microsecond=0)
    except ValueError:
        raise ApiError(400, "badRequest", f"Invalid value for {parameter}: {text}") from None


def checked(when: When | None, which: str, *, recurring: bool) -> When:
    """As it is stored: a dateTime stands in its own zone where one is named."""
    when = {name: value for name, value in (when or {}).items() if value is not None}
    if "date" in when and "dateTime" in when:
        raise ApiError(400, "invalid", f"Invalid {which} time: both date and dateTime.")
    if "date" in when:
        return {"date": _day(when["date"], which).isoformat()}
    if "dateTime" not in when:
        raise ApiError(400, "required", f"Missing {which} time.")
    zone = zone_named(when["timeZone"], which) if "timeZone" in when else None
    try:
        moment = datetime.fromisoformat(when["dateTime"]).replace(microsecond=0)
    except ValueError:
        raise ApiError(400, "invalid", f"Invalid {which} time.") from None
    if zone is None and (recurring or moment.tzinfo is None):
        raise ApiError(400, "required", f"Missing time zone definition for {which} time.")
    if zone is None:
        return {"dateTime": moment.isoformat()}
    moment = moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)
    return {"dateTime": moment.isoformat(), "timeZone": zone.key}


def _day(text: str, which: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ApiError(400, "invalid", f"Invalid {which} time.") from None


def value(when: When) -> date:
    """A date, or an aware datetime in the zone that it names."""
    if "date" in when:
        return date.fromisoformat(when["date"])
    moment = datetime.fromisoformat(when["dateTime"])
    return moment.astimezone(ZoneInfo(when["timeZone"])) if "timeZone" in when else moment


def written(start: date, zone: str | None) -> When:
    if not isinstance(start, datetime):
        return {"date": start.isoformat()}
    return {"dateTime": start.isoformat(), **({"timeZone": zone} if zone else {})}


def moment(when: When, zone: ZoneInfo) -> datetime:
    """A day begins at midnight in `zone`."""
    at = value(when)
    return at if isinstance(at, datetime) else datetime.combine(at, time(), zone)


def rendered(when: When, zone: ZoneInfo) -> When:
    """A dateTime with the offset of `zone`; the zone that it was written in stays beside it."""
    if "date" in when:
        return dict(when)
    at = moment(when, zone).astimezone(zone)
    return {"dateTime": at.isoformat().replace("+00:00", "Z"), "timeZone": when.get("timeZone", zone.key)}


def stamp(original: date) -> str:
    """What an instance's id ends with."""
    if isinstance(original, datetime):
        return original.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return original.strftime("%Y%m%d")


def from_stamp(text: str) -> date | None:
    try:
        if "T" in text:
            return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC).date()
    except ValueError:
        return None
