"""Accounts that sign in with tokens (XOAUTH2), at a real Dovecot which has them checked."""

import json
import time
import webbrowser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from doubles.secrets import KeptSecrets
from servers import NotInstalled
from servers.certificates import Authority
from servers.dovecot import Dovecot
from servers.tokens import Tokens

from assistant.bootstrap import open_database, seal_of, settings_for
from assistant.cli import connecting
from assistant.cli import connecting_imap as adding
from assistant.connecting.kept import Kept
from assistant.errors import UserError
from integrations.common.certificates import usual
from integrations.common.signing_in import NotConnected
from integrations.errors import AuthExpired
from integrations.standards.credentials import Credentials
from integrations.standards.endpoints import endpoint_of
from integrations.standards.imap.imap import Imap
from integrations.standards.oauth import Client, Consent

ANNA = "anna@home.example"
ELSE_NONE = {"smtp": "none", "caldav": "none", "carddav": "none"}


@pytest.fixture
def tokens() -> Iterator[Tokens]:
    tokens = Tokens(ANNA)
    yield tokens
    tokens.close()


@pytest.fixture
def dovecot(tokens: Tokens) -> Iterator[Dovecot]:
    try:
        dovecot = Dovecot(Authority().certificate("localhost"))
    except NotInstalled as missing:
        pytest.skip(str(missing))
    tokens.check_for(dovecot)
    dovecot.put_user(ANNA, "the password", "anna", {})
    dovecot.start()
    yield dovecot
    dovecot.close()


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Follows wherever it is sent."""

    def open(address: str) -> bool:
        return httpx2.get(address, follow_redirects=True, verify=usual()).status_code == 200

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("BROWSER", raising=False)
    monkeypatch.setattr(webbrowser, "open", open)


def by(tokens: Tokens) -> adding.Tokens:
    where = {"authorize": f"{tokens.url}/authorize?offline=yes", "token": f"{tokens.url}/token"}
    return adding.Tokens(client_id="mine", scope="mail", **where)


async def connect(home: Path, dovecot: Dovecot, tokens: adding.Tokens, address: str = ANNA) -> int:
    told = adding.Told(address, {"imap": f"imap://127.0.0.1:{dovecot.imap}", **ELSE_NONE})
    return await adding.add_imap(home, "imap", told, tokens)


async def kept(home: Path) -> Any:
    settings = settings_for(home)
    database = open_database(settings)
    try:
        stored = await Kept(database, seal_of(settings), home / "index", lambda: datetime.now(UTC)).secret("imap")
        return json.loads(stored or "{}")
    finally:
        await database.close()


def secret(tokens: Tokens, **more: Any) -> str:
    granted = tokens.granted()
    told = {"authorize": f"{tokens.url}/authorize", "token": f"{tokens.url}/token", "client_id": "mine", "scope": "mail"}
    given = {"access_token": granted["access_token"], "refresh_token": granted["refresh_token"], "expires_at": time.time() + 3600}
    return json.dumps({"oauth": {**told, **given, **more}})


def imap(dovecot: Dovecot, stored: str) -> tuple[Imap, KeptSecrets]:
    secrets = KeptSecrets(acc=stored)
    endpoint = endpoint_of(f"imap://127.0.0.1:{dovecot.imap}", "imap")
    return Imap("acc", endpoint, Credentials("acc", secrets, ANNA)), secrets


async def folders(imap: Imap) -> int:
    try:
        return len(await imap.read(lambda session: session.folders()))
    finally:
        await imap.close()


async def test_an_account_is_connected_by_its_consent(tmp_path, dovecot, tokens, browser, capsys):
    assert await connect(tmp_path / "home", dovecot, by(tokens)) == 0
    told = capsys.readouterr().out
    assert f"Connected imap ({ANNA})" in told and "code_challenge_method=S256" in told and "offline=yes&response_type" in told
    stored = (await kept(tmp_path / "home"))["oauth"]
    assert stored["refresh_token"] in tokens.refresh and stored["access_token"] in tokens.access
    assert tokens.asked[0]["code_verifier"] and "client_secret" not in tokens.asked[0]


async def test_the_registration_is_needed_once_only(tmp_path, dovecot, tokens, browser, capsys):
    await connect(tmp_path / "home", dovecot, by(tokens))
    await connect(tmp_path / "home", dovecot, adding.Tokens())
    assert "again" in capsys.readouterr().out


async def test_without_a_registration_it_says_so(tmp_path, dovecot, tokens, browser):
    with pytest.raises(UserError, match="--client-id ID"):
        await connect(tmp_path / "home", dovecot, adding.Tokens())
    with pytest.raises(UserError, match="--oauth-authorize URL"):
        await connect(tmp_path / "home", dovecot, adding.Tokens(client_id="mine"))


async def test_a_permission_for_a_while_only_is_none(tmp_path, dovecot, tokens, browser):
    tokens.answers.append((200, {"access_token": "short", "expires_in": 3600}))
    with pytest.raises(Exception, match="for a short time only"):
        await connect(tmp_path / "home", dovecot, by(tokens))
    assert await kept(tmp_path / "home") == {}


async def test_disconnecting_says_where_the_rest_is_done(tmp_path, dovecot, tokens, browser, capsys):
    await connect(tmp_path / "home", dovecot, by(tokens))
    await connecting.remove(tmp_path / "home", "imap")
    assert "take the permission back in your settings at the service" in capsys.readouterr().out


async def test_a_token_signs_in(dovecot, tokens):
    account, _ = imap(dovecot, secret(tokens))
    assert await folders(account) > 0 and tokens.asked == []


async def test_a_token_is_renewed_in_time_and_saved(dovecot, tokens):
    account, secrets = imap(dovecot, secret(tokens, expires_at=time.time() + 10))
    assert await folders(account) > 0
    stored = json.loads(await secrets.load("acc") or "")["oauth"]
    assert stored["refresh_token"] in tokens.refresh and len(tokens.asked) == 1


async def test_a_token_that_is_refused_is_renewed(dovecot, tokens):
    account, _ = imap(dovecot, secret(tokens))
    tokens.access.clear()
    assert await folders(account) > 0 and len(tokens.asked) == 1


async def test_a_sign_in_that_has_ended_says_to_connect_again(dovecot, tokens):
    account, secrets = imap(dovecot, secret(tokens, expires_at=0))
    tokens.refresh.clear()
    with pytest.raises(AuthExpired, match="connect it again: assistant accounts add imap --name acc"):
        await folders(account)
    assert "refresh_token" not in (await secrets.load("acc") or "")


async def test_a_denial_is_told():
    client = Client(authorize="https://a.example/", token="https://a.example/token", client_id="mine", scope="mail")
    consent = Consent(client, "http://127.0.0.1:1/", "the state")
    with pytest.raises(NotConnected, match="You did not allow it"):
        await consent.exchange("http://127.0.0.1:1/?state=the+state&error=access_denied")
    with pytest.raises(NotConnected, match="not the answer to this sign-in"):
        await consent.exchange("http://127.0.0.1:1/?state=another&code=x")
