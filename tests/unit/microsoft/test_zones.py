"""Windows and IANA names of time zones, both ways."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from tzlocal.windows_tz import tz_win, win_tz

from integrations.microsoft.zones import outlook_name, zone_named

VIENNA, BERLIN = ZoneInfo("Europe/Vienna"), ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("w. europe standard time", "Europe/Berlin"),
        ("Eastern Standard Time", "America/New_York"),
        ("America/New_York", "America/New_York"),
        (" Asia/Kolkata ", "Asia/Kolkata"),
        ("UTC", "UTC"),
        ("tzone://Microsoft/Utc", "UTC"),
    ],
)
def test_a_zone_is_known_by_either_kind_of_name(name: str, zone: str) -> None:
    assert zone_named(name) == ZoneInfo(zone)


@pytest.mark.parametrize(
    "name", ["", "Customized Time Zone", "tzone://Microsoft/Custom", "Nowhere/Land", "../etc/passwd", "Europe"]
)
def test_a_name_that_is_nobodys_is_no_zone(name: str) -> None:
    assert zone_named(name, BERLIN) is None


def test_of_zones_that_share_a_name_the_users_is_meant() -> None:
    assert zone_named("W. Europe Standard Time", VIENNA) == VIENNA
    assert zone_named("Eastern Standard Time", VIENNA) == ZoneInfo("America/New_York")


def test_a_zone_without_a_name_of_windows_is_called_as_it_is() -> None:
    assert (outlook_name(VIENNA), outlook_name(ZoneInfo("Etc/UTC"))) == ("W. Europe Standard Time", "UTC")
    assert outlook_name(ZoneInfo("Antarctica/Troll")) == tz_win.get("Antarctica/Troll", "Antarctica/Troll")


@pytest.mark.parametrize("name", sorted(win_tz))
def test_every_name_of_windows_comes_back(name: str) -> None:
    zone = zone_named(name)
    assert zone is not None
    assert outlook_name(zone) == name
    assert datetime(2026, 7, 1, tzinfo=UTC).astimezone(zone).tzinfo is zone
