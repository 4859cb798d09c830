"""Connecting a Google account by command: consent in a browser, what is kept of it, and its end."""

import asyncio
import json
import os
import sqlite3
import sys
import webbrowser
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from doubles.google import GoogleEmulator

from assistant import open_assistant
from assistant.bootstrap import open_database, seal_of, settings_for
from assistant.cli import connecting, signing_in
from assistant.cli.connecting_google import add_google
from assistant.cli.doctor import doctor
from assistant.errors import AssistantError, UserError
from assistant.running.backups import back_up, restore
from integrations.common.certificates import usual
from integrations.errors import InvalidResponse, Unavailable
from integrations.google.oauth import SCOPES
from integrations.registry import EXTRAS, Extra
from storage.errors import StorageError
from storage.sealing import KEY_FILE, Seal
from storage.secrets import Vault

ME, ALSO_ME = "me@home.example", "me@work.example"
MAIL = "https://www.googleapis.com/auth/gmail.modify"
INBOX = "what is in my inbox?"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def google() -> Iterator[GoogleEmulator]:
    with GoogleEmulator() as google:
        google.account(ME, name="Eva Klein")
        yield google
        assert google.complaints == []


@pytest.fixture
def client(google: GoogleEmulator, tmp_path: Path) -> Path:
    file = tmp_path / "client.json"
    file.write_text(json.dumps(google.client))
    return file


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were opened in the browser, which follows wherever it is sent."""
    addresses: list[str] = []

    def open(address: str) -> bool:
        addresses.append(address)
        page = httpx2.get(address, follow_redirects=True, verify=usual())
        assert page.status_code == 200 and "close this window" in page.text
        return True

    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the emulator speaks plain HTTP
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("BROWSER", raising=False)
    monkeypatch.setattr(webbrowser, "open", open)
    return addresses


@pytest.fixture
def connect(home: Path, client: Path, visited: list[str]) -> Callable[..., Any]:
    """Without `file` the client is one that is known already."""

    async def connected(name: str = "google", *, file: Path | None = client) -> int:
        return await add_google(home, name, file, browser=True)

    return connected


@pytest.fixture
def listed(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[], Any]:
    async def accounts() -> list[dict[str, Any]]:
        capsys.readouterr()
        await connecting.list_accounts(home, json=True)
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
        return found

    return accounts


async def kept(home: Path, account: str = "google") -> dict[str, Any]:
    """Its secret, as another process would read it."""
    settings = settings_for(home)
    database = open_database(settings)
    try:
        secret = await Vault(database, seal_of(settings), lambda: pytest.fail("nothing is written")).load(account)
        return dict(json.loads(secret or "{}"))
    finally:
        await database.close()


def stored(home: Path) -> bytes:
    """All that lies on disk but the key."""
    return b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file() and file.name != KEY_FILE)


# --- connecting


async def test_an_account_is_connected_by_its_consent_alone(google, connect, listed, capsys):
    assert await connect() == 0
    told = capsys.readouterr().out
    assert f"Connected google ({ME})" in told and "read, write, send and file your mail" in told
    (account,) = await listed()
    assert (account["name"], account["address"], account["owner"]) == ("google", ME, "Eva Klein")
    assert (account["state"], account["scopes"]) == ("connected", list(SCOPES))


async def test_the_address_asks_for_little_and_only_the_asker_can_use_the_answer(connect, visited):
    await connect()
    asked = {name: values[0] for name, values in parse_qs(urlsplit(visited[0]).query).items()}
    assert asked["scope"].split() == list(SCOPES)
    assert asked["code_challenge_method"] == "S256" and len(asked["state"]) > 30
    assert urlsplit(asked["redirect_uri"]).hostname == "127.0.0.1"


async def test_no_token_is_shown_or_lies_open_on_disk(home, google, connect, capsys, caplog):
    caplog.set_level("DEBUG")
    await connect()
    shown = capsys.readouterr()
    user = google.account(ME)
    for secret in (user.token, user.refresh_token, google.authorisation.client_secret):
        assert secret not in shown.out + shown.err + caplog.text and secret.encode() not in stored(home)


async def test_the_assistant_reads_the_mail_of_a_connected_account(home, google, connect):
    google.world.mail(ME).deliver(b"From: Anna <anna@x.example>\r\nTo: me@home.example\r\nSubject: Plans\r\n\r\nHello\r\n")
    await connect()
    async with open_assistant(home) as a:
        assert "Plans" in (await a.say("c", INBOX)).said


async def test_the_file_of_the_client_is_needed_once_only(google, connect, listed):
    await connect()
    await connect(file=None)
    google.account(ALSO_ME)
    google.authorisation.consent.email = ALSO_ME
    await connect("work", file=None)
    assert [(a["name"], a["address"]) for a in await listed()] == [("google", ME), ("work", ALSO_ME)]


async def test_connecting_again_renews_the_sign_in_and_expects_the_same_person(home, google, connect, visited):
    await connect()
    google.revoke(google.account(ME))
    await connect(file=None)
    assert (await kept(home))["refresh_token"] == google.account(ME).refresh_token
    assert parse_qs(urlsplit(visited[1]).query)["login_hint"] == [ME]


async def test_an_api_that_is_not_enabled_is_told_at_once(google, connect, capsys):
    google.fail("not_enabled", on="people.people.connections.list")
    assert await connect() == 0
    assert "Not everything can be used yet. The People API is not enabled" in capsys.readouterr().out


# --- not connecting


async def nothing_connected(listed: Callable[[], Any]) -> bool:
    return [a["name"] for a in await listed()] == ["sample"]


async def test_a_denial_is_one_sentence(google, connect, listed):
    google.authorisation.consent.deny = True
    with pytest.raises(AssistantError, match="You did not allow it at Google, so nothing was connected"):
        await connect()
    assert await nothing_connected(listed)


async def test_a_box_left_unticked_is_named(google, connect, listed):
    google.authorisation.consent.only = SCOPES.keys() - {MAIL}
    with pytest.raises(AssistantError, match="allow the assistant to read, write, send and file your mail; sign in once more"):
        await connect()
    assert await nothing_connected(listed)


async def test_an_answer_of_another_state_is_no_answer(google, connect, monkeypatch):
    follow = webbrowser.open
    others = ("?code=1&state=other", "?code=1", "?error=access_denied&state=other", "?error=x", "?code=1&state=%ff")

    def open(address: str) -> bool:
        back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
        assert [httpx2.get(f"{back}{other}", verify=usual()).status_code for other in others] == [404] * len(others)
        return follow(address)

    monkeypatch.setattr(webbrowser, "open", open)
    assert await connect() == 0
    assert [seen.api for seen in google.requests].count("oauth.token") == 1


async def test_what_is_no_answer_is_waited_over(google, connect, monkeypatch):
    follow = webbrowser.open

    def open(address: str) -> bool:
        back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
        paths = ("favicon.ico", "", "?code", "x?code=1")
        assert [httpx2.get(f"{back}{path}", verify=usual()).status_code for path in paths] == [404] * 4
        assert httpx2.post(f"{back}?code=1", verify=usual()).status_code == 404
        return follow(address)

    monkeypatch.setattr(webbrowser, "open", open)
    assert await connect() == 0


async def test_nobody_is_awaited_for_ever(connect, listed, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    monkeypatch.setattr(signing_in, "WAIT", 0.01)
    with pytest.raises(AssistantError, match="Nothing came back from the browser"):
        await connect()
    assert await nothing_connected(listed)


async def test_whoever_ends_it_hears_that_nothing_was_connected(connect, listed, monkeypatch, capsys):
    at_browser = asyncio.Event()
    loop = asyncio.get_running_loop()
    monkeypatch.setattr(webbrowser, "open", lambda address: loop.call_soon_threadsafe(at_browser.set) is not None or True)
    adding = asyncio.create_task(connect())
    await at_browser.wait()
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    assert capsys.readouterr().out.endswith("Ended; nothing was connected.\n") and await nothing_connected(listed)


async def test_a_machine_without_a_port_is_told(connect, monkeypatch):
    async def start_server(*_: Any, **__: Any) -> None:
        raise OSError(99, "Cannot assign requested address")

    monkeypatch.setattr(asyncio, "start_server", start_server)
    with pytest.raises(UserError, match="gives no port for Google's answer"):
        await connect()


@pytest.mark.parametrize("fault", ["server_error", "drop_before", "garbage"])
async def test_a_google_that_is_in_trouble_is_told(google, connect, listed, fault):
    google.fail(fault, on="oauth.token", times=9)
    with pytest.raises((Unavailable, InvalidResponse, AssistantError)):
        await connect()
    assert await nothing_connected(listed)


async def test_a_client_that_google_does_not_know_is_told_with_what_helps(google, connect, listed):
    google.authorisation.client_secret = "replaced"
    with pytest.raises(AssistantError, match=r"does not know this OAuth client, .* download its JSON anew, .*--client FILE"):
        await connect()
    assert await nothing_connected(listed)


async def test_a_client_without_https_is_told(connect, monkeypatch, visited):
    monkeypatch.delenv("OAUTHLIB_INSECURE_TRANSPORT")
    with pytest.raises(AssistantError, match="names an address without https"):
        await connect()
    assert not visited


async def test_a_new_sign_in_that_google_does_not_take_is_told_without_going_in_circles(google, connect, listed):
    google.fail("unauthorized", on="gmail.users.getProfile", times=9)
    with pytest.raises(AssistantError, match="does not take the sign-in that it has just given; wait a minute"):
        await connect()
    assert await nothing_connected(listed)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"web": {"client_id": "x"}}', '{"installed": {}}', '{"installed": 1}', b"\xff"])
async def test_a_file_of_something_else_is_refused(connect, visited, tmp_path, text):
    file = tmp_path / "other.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError, match=r"other\.json is not the file of an OAuth client of the type Desktop app"):
        await connect(file=file)
    assert not visited


async def test_without_a_client_it_is_told_where_one_comes_from(connect, visited):
    with pytest.raises(UserError, match=r"--client FILE; docs/google\.md"):
        await connect(file=None)
    assert not visited


async def test_one_address_is_one_account(connect, listed):
    await connect()
    with pytest.raises(UserError, match=f"{ME} is connected already, as google; to connect it again, use that name"):
        await connect("work")
    assert [a["name"] for a in await listed()] == ["google"]


async def test_one_name_stays_with_its_address(google, connect, listed):
    await connect()
    google.account(ALSO_ME)
    google.authorisation.consent.email = ALSO_ME
    with pytest.raises(UserError, match=f"google is the account of {ME}, but you signed in as {ALSO_ME}"):
        await connect()
    assert [a["address"] for a in await listed()] == [ME]


async def test_a_name_that_folders_have_is_taken(home, tmp_path, connect, visited):
    await connecting.add_local(home, "google", ME, {"mail": tmp_path / "mail"}, create=True)
    with pytest.raises(UserError, match="There is an account called google already"):
        await connect()
    assert not visited


# --- a browser elsewhere


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], int]]:
    """What is typed into the terminal."""
    reading, writing = os.pipe()
    with open(reading) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield lambda text: os.write(writing, text.encode())
        os.close(writing)


async def test_the_address_of_the_last_page_may_be_pasted(home, client, visited, typing, capsys):
    adding = asyncio.create_task(add_google(home, "google", client, browser=False))
    told = ""
    while "http" not in told or "Enter" not in told:
        await asyncio.sleep(0.01)
        told += capsys.readouterr().out
    address = next(line for line in told.splitlines() if line.startswith("http"))
    answer = await asyncio.to_thread(httpx2.get, address)
    typing("what now?\n\nhttp://[127.0.0.1/?code=x\nhttp://127.0.0.1/?code=of-another-window&state=other\n")
    typing(f"  {answer.headers['location']}\n")
    assert await adding == 0 and not visited
    assert capsys.readouterr().out.count("That is not the address of the last page of this sign-in") == 3


@pytest.mark.parametrize("browser", ["", "w3m", "/usr/bin/lynx %s"])
async def test_without_a_screen_no_browser_is_opened(connect, visited, monkeypatch, typing, capsys, browser):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BROWSER", browser)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(signing_in, "WAIT", 0.01)
    with pytest.raises(AssistantError, match="Nothing came back"):
        await connect()
    assert not visited and "Open this address in a browser" in capsys.readouterr().out


# --- afterwards


async def test_a_token_that_has_expired_is_refreshed_and_saved_at_once(home, google, connect):
    await connect()
    before = await kept(home)
    google.expire(google.account(ME))
    async with open_assistant(home) as a:
        assert "no mails" in (await a.say("c", INBOX)).said
        assert (await kept(home))["token"] == google.account(ME).token != before["token"]


async def test_a_revoked_permission_is_told_with_the_command_that_helps(home, google, connect, listed, capsys):
    await connect()
    google.revoke(google.account(ME))
    async with open_assistant(home) as a:
        said = (await a.say("c", INBOX)).said
        assert said.count("assistant accounts add google --name google") == 1
        assert [account["state"] for account in await listed()] == ["connect again"]
        await connecting.list_accounts(home, json=False)
        assert "connect it again: assistant accounts add google --name google" in capsys.readouterr().out


async def test_connecting_again_helps_a_chat_that_is_open(home, google, connect):
    await connect()
    google.revoke(google.account(ME))
    async with open_assistant(home) as a:
        await a.say("c", INBOX)
        await connect(file=None)
        assert "no mails" in (await a.say("c", INBOX)).said


@pytest.mark.parametrize("lost", ["removed", "another", "damaged"])
async def test_without_the_key_the_account_is_to_be_connected_again(home, client, connect, listed, lost, monkeypatch, capsys):
    await connect()
    if lost == "another":
        monkeypatch.setenv("ASSISTANT_SECRET_KEY", "A" * 43 + "=")
    else:
        (home / KEY_FILE).unlink() if lost == "removed" else (home / KEY_FILE).write_text("?")
    assert [account["state"] for account in await listed()] == ["connect again"]
    async with open_assistant(home) as a:
        assert "assistant accounts add google --name google" in (await a.say("c", INBOX)).said
    assert await doctor(home, json=True) == 1
    checks = {check["what"]: check for check in json.loads(capsys.readouterr().out)}
    assert checks["sign-in of google"]["good"] is False
    if lost == "damaged":
        with pytest.raises(StorageError, match="no usable key"):
            await connect(file=client)
        (home / KEY_FILE).unlink()
    await connect(file=client)
    assert [account["state"] for account in await listed()] == ["connected"]


async def test_a_key_of_the_environment_leaves_none_in_the_home(home, connect, listed, monkeypatch):
    monkeypatch.setenv("ASSISTANT_SECRET_KEY", "A" * 43 + "=")
    await connect()
    assert not (home / KEY_FILE).exists() and [account["state"] for account in await listed()] == ["connected"]


async def test_a_backup_holds_the_sign_in_but_not_the_key(home, google, connect, listed, tmp_path):
    await connect()
    now = datetime.now(UTC)
    back_up(home, tmp_path / "backup", version="1", at=now)
    await restore(home, tmp_path / "backup", replace=True, at=now)
    assert [account["state"] for account in await listed()] == ["connected"]
    elsewhere = tmp_path / "elsewhere"
    await restore(elsewhere, tmp_path / "backup", replace=False, at=now)
    assert not (elsewhere / KEY_FILE).exists() and await kept(elsewhere) == {}


async def test_a_backup_holds_no_key_that_an_interruption_left_behind(home, connect, tmp_path, monkeypatch):
    home.mkdir(mode=0o700)
    with monkeypatch.context() as ending, pytest.raises(SystemExit):
        ending.setattr(os, "unlink", lambda path: sys.exit())
        Seal(home / KEY_FILE).close("")
    await connect()
    assert len(list(home.glob(f"*{KEY_FILE}*"))) == 2
    back_up(home, tmp_path / "backup", version="1", at=datetime.now(UTC))
    with zipfile.ZipFile(tmp_path / "backup") as archive:
        assert not [name for name in archive.namelist() if (home / KEY_FILE).read_bytes() in archive.read(name)]


# --- the end


async def test_removing_takes_the_permission_back_and_leaves_no_secret(home, google, connect, listed, capsys):
    await connect()
    await connecting.remove(home, "google")
    assert "Disconnected google. The permission at Google was taken back." in capsys.readouterr().out
    assert "oauth.revoke" in [seen.api for seen in google.requests] and await nothing_connected(listed)
    assert sqlite3.connect(home / "assistant.sqlite").execute("SELECT count(*) FROM secret").fetchone() == (0,)


@pytest.mark.parametrize("fault", ["drop_before", "server_error"])
async def test_a_permission_that_could_not_be_taken_back_is_told(home, google, connect, listed, capsys, fault):
    await connect()
    google.fail(fault, on="oauth.revoke", times=9)
    await connecting.remove(home, "google")
    told = capsys.readouterr().out
    assert "could not be taken back" in told and "https://myaccount.google.com/connections" in told
    assert await nothing_connected(listed)


async def test_an_account_that_signs_in_no_more_can_be_removed(home, google, connect, listed, capsys):
    await connect()
    google.revoke(google.account(ME))
    await connecting.remove(home, "google")
    (home / KEY_FILE).unlink()
    assert "Disconnected google. The permission at Google was taken back." in capsys.readouterr().out
    await connect()
    (home / KEY_FILE).unlink()
    await connecting.remove(home, "google")
    assert "https://myaccount.google.com/connections" in capsys.readouterr().out and await nothing_connected(listed)


@pytest.mark.parametrize("lost", ["another key", "a key that can't be read", "no packages"])
async def test_a_sign_in_that_cannot_be_opened_is_told_and_can_be_removed(home, google, connect, listed, lost, monkeypatch, capsys):
    await connect()
    if lost == "another key":
        monkeypatch.setenv("ASSISTANT_SECRET_KEY", "A" * 43 + "=")
    elif lost == "no packages":
        monkeypatch.setitem(EXTRAS, "google", Extra("google", "there_is_no_such_package"))
    else:
        (home / KEY_FILE).unlink()
        (home / KEY_FILE).mkdir()
    why = {"another key": "does not open its sign-in", "no packages": "pip install"}.get(lost, "secret.key can't be used")
    (account,) = await listed()
    assert account["state"] != "connected" and why in account["trouble"]
    await connecting.remove(home, "google")
    told = capsys.readouterr().out
    assert "could not be taken back" in told and why in told and "https://myaccount.google.com/connections" in told
    assert await nothing_connected(listed) and "oauth.revoke" not in [seen.api for seen in google.requests]


async def test_accounts_are_listed_in_columns(tmp_path, home, google, connect, capsys):
    await connect()
    await connecting.add_local(home, "folders", "eva@x.example", {"mail": tmp_path / "m", "contacts": tmp_path / "c"}, create=True)
    capsys.readouterr()
    await connecting.list_accounts(home, json=False)
    assert capsys.readouterr().out.splitlines() == [
        "google   google  me@home.example  connected",
        *(f"    may {words}" for words in SCOPES.values()),
        "folders  local   eva@x.example",
        f"    mail      {tmp_path / 'm'}",
        f"    contacts  {tmp_path / 'c'}",
    ]


async def test_doctor_finds_a_key_that_others_may_read(home, connect, capsys):
    await connect()
    (home / KEY_FILE).chmod(0o644)
    capsys.readouterr()
    assert await doctor(home, json=True) == 1
    assert [c["words"] for c in json.loads(capsys.readouterr().out) if c["good"] is False] == [
        f"{home / KEY_FILE} is open to others; make it private: chmod 600 {home / KEY_FILE}"
    ]
