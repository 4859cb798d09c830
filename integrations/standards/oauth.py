"""Tokens in place of a password, where a service wants them: consent with PKCE, and renewing what it gave."""

import asyncio
import base64
import hashlib
import json
import re
import secrets
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from pydantic import Field, ValidationError

from integrations.common.remote import Down, Ended, Unreached, Unreadable, retry_after
from integrations.common.signing_in import NotConnected, told_in
from integrations.common.tokens import Stored
from integrations.errors import AuthExpired, IntegrationError, Unavailable
from integrations.registry import reconnect
from integrations.standards.endpoints import endpoint_of, tls_context
from integrations.types import Value

KIND = "imap"
PATIENCE = 30.0
"""Seconds for an answer."""
IN_TIME = 120.0
"""Seconds before its end at which a token is renewed."""
USUAL_LIFE = 3600.0
"""Seconds, where the server does not say."""
LONGEST = 100_000
"""Bytes of an answer."""
TOKEN = re.compile(r"[\x21-\x7e]{1,20000}")
"""What may stand in a header, and between the separators of XOAUTH2."""


class Client(Value):
    """The program's registration with a service that gives tokens. `authorize` is opened in a browser; at `token` codes and refresh
    tokens are exchanged."""

    authorize: str
    token: str
    client_id: str
    client_secret: str = Field(default="", repr=False)
    scope: str

    def check(self) -> None:
        """Raises InvalidResponse where one of the addresses would be reached without encryption."""
        for address in (self.authorize, self.token):
            endpoint_of(address, "http")


class Consent:
    """One attempt to sign in. `redirect` is where the answer is awaited, with `state` in it; `hint` the address of who is
    expected."""

    def __init__(self, client: Client, redirect: str, state: str, hint: str = "") -> None:
        self._client, self._redirect, self._state, self._hint = client, redirect, state, hint
        self._verifier = secrets.token_urlsafe(64)

    @property
    def address(self) -> str:
        """What the user has to open in a browser."""
        digest = hashlib.sha256(self._verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": self._redirect,
            "scope": self._client.scope,
            "state": self._state,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            **({"login_hint": self._hint} if self._hint else {}),
        }
        joint = "&" if urlsplit(self._client.authorize).query else "?"
        return f"{self._client.authorize}{joint}{urlencode(asked)}"

    async def exchange(self, answer: str) -> str:
        """The secret of an account, for the address that the browser was sent to. Raises NotConnected, Unavailable."""
        told = told_in(answer, self._state)
        if "code" not in told:
            denied = told.get("error") == "access_denied"
            raise NotConnected("You did not allow it, so nothing was connected." if denied else _refused(told))
        form = {
            "grant_type": "authorization_code",
            "code": told["code"],
            "redirect_uri": self._redirect,
            "code_verifier": self._verifier,
        }
        status, given = await _asked(self._client, form, "")
        if status >= 400:
            raise NotConnected(_refused(given))
        stored = {**self._client.model_dump(exclude_defaults=True), **_granted(given, "")}
        if not stored.get("refresh_token"):
            raise NotConnected("The service gave permission for a short time only; nothing was connected.")
        return json.dumps({"oauth": stored})


class Grant:
    """What is stored under `oauth`: a client, and the tokens it was given."""

    def __init__(self, stored: Stored, account: str) -> None:
        self._stored, self._account = stored, account
        told = stored.get("oauth")
        self._told: Mapping[str, Any] = told if isinstance(told, dict) else {}

    @property
    def token(self) -> str:
        return str(self._told.get("access_token") or "")

    @property
    def expired(self) -> bool:
        until = self._told.get("expires_at")
        return not self.token or not isinstance(until, int | float) or until < time.time() + IN_TIME

    @property
    def refresh_token(self) -> str:
        return str(self._told.get("refresh_token") or "")

    async def renewed(self) -> Stored:
        client = client_of(self._told)
        if client is None:
            raise Ended(_over(self._account), self._account)
        form = {"grant_type": "refresh_token", "refresh_token": self.refresh_token, "scope": client.scope}
        status, given = await _asked(client, form, self._account)
        if status >= 400:
            raise _unrenewed(given, self._account)
        return {**self._stored, "oauth": {**self._told, **_granted(given, self._account)}}

    def ended(self) -> Stored:
        over = ("access_token", "refresh_token", "expires_at")
        return {**self._stored, "oauth": {name: value for name, value in self._told.items() if name not in over}}


def client_of(told: Mapping[str, Any]) -> Client | None:
    """None where it is not told whole."""
    try:
        return Client(**{name: told[name] for name in Client.model_fields if name in told})
    except ValidationError:
        return None


async def _asked(client: Client, form: Mapping[str, str], account: str) -> tuple[int, Mapping[str, Any]]:
    """The status and the answer of the token endpoint. What is sent is secret: it is sent once, and to that address alone."""
    import httpx

    client.check()
    trusting = await asyncio.to_thread(tls_context)
    encrypted = client.token.startswith("https:")  # in plain text it stays on this machine, so no proxy may carry it
    own = {"client_id": client.client_id, **({"client_secret": client.client_secret} if client.client_secret else {})}
    try:
        async with (
            httpx.AsyncClient(timeout=PATIENCE, verify=trusting, follow_redirects=False, trust_env=encrypted) as http,
            http.stream("POST", client.token, data={**form, **own}, headers={"Accept": "application/json"}) as answer,
        ):
            content = b""
            async for piece in answer.aiter_bytes():
                content += piece
                if len(content) > LONGEST:
                    raise Unreadable("The service that gives tokens gave an answer that is too long.", account)
            status, pause = answer.status_code, retry_after(answer.headers.get("retry-after", ""))
    except (httpx.ConnectError, httpx.ConnectTimeout) as closed:
        raise Unreached("The service that gives tokens can't be reached just now.", account) from closed
    except httpx.HTTPError as down:
        raise Unavailable("The service that gives tokens did not answer.", account) from down
    if status == 429 or status >= 500:
        raise Down("The service that gives tokens is out of order just now.", account, pause)
    return status, _read(content, status, account)


def _read(content: bytes, status: int, account: str) -> Mapping[str, Any]:
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or 300 <= status < 400:
        raise Unreadable("The service that gives tokens gave an answer that can't be read.", account)
    return told


def _granted(given: Mapping[str, Any], account: str) -> dict[str, Any]:
    """What is to be stored of an answer; a refresh token only where there is a new one."""
    access, refresh = given.get("access_token"), given.get("refresh_token")
    if not isinstance(access, str) or not TOKEN.fullmatch(access):
        raise Unreadable("The service that gives tokens gave none that can be used.", account)
    kept = {"refresh_token": refresh} if isinstance(refresh, str) and refresh else {}
    return {"access_token": access, "expires_at": time.time() + _life(given.get("expires_in")), **kept}


def _life(told: Any) -> float:
    try:
        return min(max(float(told), 0.0), 10 * 365 * 86_400.0)
    except (TypeError, ValueError, OverflowError):
        return USUAL_LIFE


def _unrenewed(given: Mapping[str, Any], account: str) -> IntegrationError:
    if given.get("error") == "invalid_grant":
        return Ended(_over(account), account)
    again = reconnect(KIND, account)
    return AuthExpired(f"The service that gives the account {account} its tokens refused ({_code(given)}); {again}", account)


def _over(account: str) -> str:
    return f"The sign-in of the account {account} has ended; {reconnect(KIND, account)}"


def _refused(told: Mapping[str, Any]) -> str:
    return f"The service refused to sign you in ({_code(told)}); nothing was connected."


def _code(told: Mapping[str, Any]) -> str:
    code = str(told.get("error", ""))
    return code if re.fullmatch(r"[\w.-]{1,60}", code) else "without a reason"
