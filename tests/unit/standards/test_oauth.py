"""Tokens against what an authorisation server may answer."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from doubles.secrets import KeptSecrets
from hypothesis import given
from hypothesis import strategies as st
from servers.tokens import Tokens

from integrations.common.remote import Down, Ended, Unreached
from integrations.errors import AuthExpired, IntegrationError, InvalidResponse, RateLimited, Unavailable
from integrations.standards.credentials import Credentials, Login
from integrations.standards.oauth import LONGEST, Client, Grant

ANNA = "anna@home.example"


@pytest.fixture
def tokens() -> Iterator[Tokens]:
    tokens = Tokens(ANNA)
    yield tokens
    tokens.close()


def stored(tokens: Tokens, **more: Any) -> dict[str, Any]:
    granted = tokens.granted()
    client = {"authorize": f"{tokens.url}/authorize", "token": f"{tokens.url}/token", "client_id": "mine", "scope": "mail"}
    own = {"access_token": granted["access_token"], "refresh_token": granted["refresh_token"], "expires_at": time.time() - 1}
    return {"oauth": {**client, **own, **more}, "kept": "beside"}


def credentials(secret: str) -> tuple[Credentials, KeptSecrets]:
    secrets = KeptSecrets(acc=secret)
    return Credentials("acc", secrets, ANNA), secrets


async def test_what_stands_beside_the_tokens_stays(tokens):
    renewed = await Grant(stored(tokens), "acc").renewed()
    assert renewed["kept"] == "beside" and renewed["oauth"]["client_id"] == "mine"
    assert renewed["oauth"]["refresh_token"] in tokens.refresh and renewed["oauth"]["expires_at"] > time.time() + 3000


async def test_a_refresh_token_that_stays_the_same_is_kept(tokens):
    before = stored(tokens)
    tokens.answers.append((200, {"access_token": "new"}))
    renewed = await Grant(before, "acc").renewed()
    assert renewed["oauth"]["refresh_token"] == before["oauth"]["refresh_token"]
    assert Grant(renewed, "acc").token == "new" and not Grant(renewed, "acc").expired


@pytest.mark.parametrize(
    ("status", "answer", "kind"),
    [
        (400, {"error": "invalid_grant"}, Ended),
        (401, {"error": "invalid_client"}, AuthExpired),
        (400, {"error": "in\r\nvalid <b>"}, AuthExpired),
        (429, {}, Down),
        (503, b"<html>", Down),
        (200, b"\xff\x00", InvalidResponse),
        (200, b"[" * 20_000, InvalidResponse),
        (200, [], InvalidResponse),
        (200, {}, InvalidResponse),
        (200, {"access_token": ""}, InvalidResponse),
        (200, {"access_token": "a\x01auth=b"}, InvalidResponse),
        (200, {"access_token": "a\r\nX: b"}, InvalidResponse),
        (200, {"access_token": "ü"}, InvalidResponse),
        (200, {"access_token": ["a"]}, InvalidResponse),
        (200, b"x" * (LONGEST + 1), InvalidResponse),
        (307, {"access_token": "a"}, InvalidResponse),
    ],
    ids=str,
)
async def test_an_answer_that_is_no_token_is_told(tokens, status, answer, kind):
    tokens.answers.append((status, answer))
    with pytest.raises(kind) as raised:
        await Grant(stored(tokens), "acc").renewed()
    told = str(raised.value)
    assert type(raised.value) in (kind, *kind.__subclasses__()) and raised.value.account == "acc"
    assert told.isprintable() and len(told.split()) > 3 and "<" not in told


PLAIN = st.none() | st.booleans() | st.floats() | st.text(max_size=20)
NAMES = st.sampled_from(["access_token", "refresh_token", "expires_at", "token"]) | st.text(max_size=5)


@given(PLAIN | st.dictionaries(NAMES, PLAIN | st.lists(PLAIN)))
def test_whatever_is_stored_reads_as_a_grant(told):
    grant = Grant({"oauth": told}, "acc")
    assert isinstance(grant.token, str) and isinstance(grant.refresh_token, str)
    assert grant.expired or grant.token
    assert "refresh_token" not in grant.ended()["oauth"]


@pytest.mark.parametrize("life", ["soon", None, -5, 1e400, "nan", [3600], 10**400])
async def test_a_life_that_is_none_does_not_keep_a_token_from_being_used(tokens, life):
    tokens.answers.append((200, json.dumps({"access_token": "new", "expires_in": life}).encode()))
    renewed = await Grant(stored(tokens), "acc").renewed()
    assert Grant(renewed, "acc").token == "new"


async def test_where_nobody_listens_nothing_was_sent(tokens):
    with pytest.raises(Unreached):
        await Grant(stored(tokens, token="http://127.0.0.1:1/token"), "acc").renewed()


async def test_a_token_is_asked_for_with_encryption_only(tokens):
    with pytest.raises(InvalidResponse, match="without encryption"):
        await Grant(stored(tokens, token="http://tokens.example/token"), "acc").renewed()


async def test_a_server_that_goes_silent_is_out_of_reach(tokens):
    async with hanging_up() as port:
        with pytest.raises(Unavailable) as raised:
            await Grant(stored(tokens, token=f"http://127.0.0.1:{port}/token"), "acc").renewed()
    assert not isinstance(raised.value, Unreached | RateLimited)


@asynccontextmanager
async def hanging_up() -> AsyncIterator[int]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


def test_secrets_are_not_shown():
    client = Client(authorize="https://a.example", token="https://a.example", client_id="mine", client_secret="hush", scope="")
    assert "hush" not in repr(client) and "hush" not in repr(Login(ANNA, "hush"))


# --- credentials


async def test_a_password_signs_in_as_it_is():
    own, _ = credentials(json.dumps({"password": "hush"}))
    assert await own.current() == Login(ANNA, "hush")


async def test_after_a_refusal_the_password_that_was_changed_meanwhile_is_tried():
    own, secrets = credentials(json.dumps({"password": "hush"}))
    refused = await own.current()
    with pytest.raises(AuthExpired, match="connect it again"):
        await own.other_than(refused)
    await secrets.save("acc", json.dumps({"password": "new"}))
    assert await own.other_than(refused) == Login(ANNA, "new")


async def test_a_token_is_renewed_once_however_many_want_it(tokens):
    own, _ = credentials(json.dumps(stored(tokens)))
    logins = await asyncio.gather(*(own.current() for _ in range(20)))
    assert len(set(logins)) == 1 and logins[0].token and len(tokens.asked) == 1


async def test_a_token_in_place_of_a_password_and_back_is_seen_at_once(tokens):
    own, secrets = credentials(json.dumps({"password": "hush"}))
    before = await own.current()
    await secrets.save("acc", json.dumps(stored(tokens)))
    login = await own.other_than(before)
    assert login.token
    await secrets.save("acc", json.dumps({"password": "new"}))
    assert await own.current() == Login(ANNA, "new") == await own.other_than(login)


NO_SIGN_IN = ("", "nonsense", "[]", "{}", '{"password": ""}', '{"password": 7}', '{"oauth": 7}', '{"oauth": {}}')


@pytest.mark.parametrize("secret", NO_SIGN_IN)
async def test_what_is_no_sign_in_says_to_connect_again(secret):
    own, _ = credentials(secret)
    with pytest.raises(AuthExpired, match="connect it again: assistant accounts add imap --name acc"):
        await own.current()


async def test_what_cannot_be_read_just_now_is_not_taken_for_gone():
    class Broken(KeptSecrets):
        async def load(self, account: str) -> str | None:
            raise OSError("disk")

    with pytest.raises(Unavailable) as raised:
        await Credentials("acc", Broken(), ANNA).current()
    assert isinstance(raised.value, IntegrationError) and raised.value.account == "acc"
