"""Names of time zones: those of Windows, which Exchange keeps, and those of IANA, which it takes as well."""

from functools import lru_cache
from zoneinfo import ZoneInfo

from doubles.graph.calls import GraphError
from tzlocal.windows_tz import tz_win, win_tz

UTC_NAMES = ("UTC", "Etc/UTC", "Etc/GMT", "GMT", "tzone://Microsoft/Utc")


def zone_named(name: str | None) -> ZoneInfo:
    """400 where Exchange knows of no such zone."""
    found = _known(name or "")
    if found is None:
        message = f"A valid TimeZone value must be specified. The following TimeZone value is not supported: '{name or ''}'."
        raise GraphError(400, "TimeZoneNotSupportedException", message)
    return found


@lru_cache(maxsize=512)
def _known(name: str) -> ZoneInfo | None:
    if name in UTC_NAMES:
        return ZoneInfo("UTC")
    try:
        return ZoneInfo(win_tz.get(name, name)) if name else None
    except (KeyError, ValueError, OSError):
        return None


def exchange_name(name: str) -> str:
    """Under which it is kept: the one of Windows where there is one."""
    return "UTC" if name in UTC_NAMES else name if name in win_tz else tz_win.get(name, name)
