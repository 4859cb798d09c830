"""Time zones by the names that Outlook has for them: Windows', and IANA's where there is no other."""

from zoneinfo import ZoneInfo

from tzlocal.windows_tz import tz_win, win_tz

from integrations.common.ical import known_zone

UTC_NAMES = frozenset({"utc", "gmt", "z", "etc/utc", "etc/gmt", "tzone://microsoft/utc"})
BY_SMALL_NAME = {name.lower(): zone for name, zone in win_tz.items()}


def zone_named(name: str, user: ZoneInfo | None = None) -> ZoneInfo | None:
    """Where several zones share a Windows name, that of the user is meant if it is among them. None for a name that is nobody's,
    as "Customized Time Zone" and "tzone://Microsoft/Custom" are."""
    small = name.strip().lower()
    if small in UTC_NAMES:
        return ZoneInfo("UTC")
    if small not in BY_SMALL_NAME:
        return known_zone(name.strip())
    if user and tz_win.get(user.key, "").lower() == small:
        return user
    return known_zone(BY_SMALL_NAME[small])


def outlook_name(zone: ZoneInfo) -> str:
    """What a zone is called in what is written: Outlook's own programs know Windows' names only."""
    if zone.key.lower() in UTC_NAMES:
        return "UTC"
    return tz_win.get(zone.key, zone.key)
