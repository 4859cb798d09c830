"""What users set for themselves, as it is stored."""

from collections.abc import Iterator
from datetime import time
from pathlib import Path

import pytest

from assistant import preferences
from assistant.errors import UserError
from assistant.preferences import Preferences
from storage import settings
from storage.database import Database

HOURS = (time(9), time(18))


@pytest.fixture
async def database(tmp_path: Path) -> Iterator[Database]:
    database = Database.open(tmp_path / "db.sqlite")
    yield database
    await database.close()


async def test_what_is_kept_is_read_again(database):
    mine = Preferences(recipients=("@münchen.example",), undo_window=0, day_starts=time(8, 30), zone="Europe/Berlin")
    await database.write(lambda s: preferences.keep(s, mine))
    assert await database.read(preferences.of) == mine
    assert mine.over_the_house == {"undo_window": 0, "day_starts": time(8, 30), "zone": "Europe/Berlin"}


async def test_what_is_given_up_is_no_longer_stored(database):
    await database.write(lambda s: preferences.keep(s, Preferences(recipients=(), undo_window=5)))
    await database.write(lambda s: preferences.keep(s, Preferences()))
    assert await database.read(settings.all) == {}


@pytest.mark.parametrize("damaged", ["{", '"x"', '["no address"]'])
async def test_a_damaged_list_of_recipients_allows_nobody(database, damaged):
    await database.write(lambda s: settings.put(s, "recipients", damaged))
    assert (await database.read(preferences.of)).recipients == ()


@pytest.mark.parametrize(("name", "damaged"), [("undo_window", "9999"), ("day_starts", "["), ("zone", '"Nowhere"')])
async def test_another_setting_that_is_damaged_counts_as_not_set(database, name, damaged):
    await database.write(lambda s: settings.put(s, name, damaged))
    assert await database.read(preferences.of) == Preferences()


@pytest.mark.parametrize("given", [{"undo_window": True}, {"day_starts": "09:00:30"}, {"day_ends": "09:00+02:00"}, {"zone": 7}])
def test_values_of_another_kind_are_refused(given):
    with pytest.raises(UserError):
        preferences.changed(Preferences(), given, HOURS)


def test_an_entry_stands_once_in_the_list_in_its_order():
    entries = ["@b.example", "Anna@A.example", "*.C.example", "@B.EXAMPLE"]
    assert preferences.recipients(entries) == ("@b.example", "anna@a.example", "*.c.example")
