"""What the doctor says of an account at real mail, calendar and contact servers."""

import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from servers import Servers, User

from assistant.bootstrap import open_assistant, open_database, settings_for
from assistant.cli.connecting_imap import Told, add_imap
from assistant.cli.doctor import doctor
from storage import accounts

ANNA = "anna@home.example"
SENDING = "sending mail of imap"
Checked = Callable[[], Awaitable[dict[str, Any]]]


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user(ANNA, name="Anna Berg")


@pytest.fixture
async def home(anna: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """To which the account is connected."""
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{anna.password}\n"))
    await add_imap(tmp_path / "home", "imap", Told(ANNA, anna.settings, password_file="-"), None)
    return tmp_path / "home"


@pytest.fixture
def checked(home: Path, capsys: pytest.CaptureFixture[str]) -> Checked:
    async def checks() -> dict[str, Any]:
        """(good, words) by what is checked."""
        capsys.readouterr()
        await doctor(home, json=True)
        return {one["what"]: (one["good"], one["words"]) for one in json.loads(capsys.readouterr().out)}

    return checks


async def reset(home: Path, settings: dict[str, str]) -> None:
    database = open_database(settings_for(home))
    await database.write(lambda s: accounts.change(s, "imap", owner="", settings=settings))
    await database.close()


async def test_it_signs_in_where_mail_leaves_and_sends_nothing(checked: Checked, servers: Servers) -> None:
    assert (await checked())[SENDING] == (True, "signed in; no mail was sent")
    assert servers.smtp.taken == []


async def test_an_outgoing_server_that_is_down_is_told(home: Path, anna: User, checked: Checked) -> None:
    await reset(home, {**anna.settings, "smtp": "smtp://127.0.0.1:1"})
    found = await checked()
    assert found[SENDING] == (False, "127.0.0.1 can't be reached just now.") and found["mail"][0]


async def test_an_outgoing_server_that_takes_the_password_no_more_is_told(servers: Servers, checked: Checked) -> None:
    servers.smtp.answer("AUTH", "535 5.7.8 Not you.")
    good, words = (await checked())[SENDING]
    assert good is False and "assistant accounts add imap --name imap" in words


async def test_where_no_mail_leaves_nothing_is_said_of_sending(home: Path, anna: User, checked: Checked) -> None:
    await reset(home, {**anna.settings, "smtp": ""})
    assert SENDING not in await checked()


async def test_a_mail_server_that_is_off_is_no_single_item(home: Path, servers: Servers, checked: Checked) -> None:
    servers.imap.refuse()
    found = await checked()
    assert found["mail"][0] is False and found["calendars"][1].endswith("; INBOX of imap could not be read")
    async with open_assistant(home) as a:
        reply = (await a.say("c", "what is on my calendar this week?")).reply
    assert "Note: INBOX of imap could not be read (" in reply and "; invitations by mail are missing here)" in reply
    assert "item" not in reply
