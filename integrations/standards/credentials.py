"""What an account signs in with at its servers: a password, or a token that renews itself."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from integrations.common.remote import Unauthorized
from integrations.common.tokens import Provider, Tokens
from integrations.errors import AuthExpired, Unavailable
from integrations.registry import Secrets, reconnect
from integrations.standards.oauth import Grant

R = TypeVar("R")

KIND = "imap"
SERVER = Provider(KIND, "its server")
HELD_BACK = 300.0
"""Seconds for which a server is not shown again what it has refused: many lock an account after some wrong passwords."""


class Login(NamedTuple):
    """`token`: the secret is an OAuth access token, not a password."""

    username: str
    secret: str
    token: bool = False

    def __repr__(self) -> str:
        return f"Login({self.username!r}, …)"


class Credentials:
    """Those of one account. What is stored is a JSON object with a `password`, or with what `oauth` has granted."""

    def __init__(self, account: str, secrets: Secrets, username: str) -> None:
        self._account, self._secrets, self._username = account, secrets, username
        self._tokens = Tokens(account, secrets, SERVER, lambda stored: Grant(stored, account))
        self._refused: dict[str, tuple[Login, float]] = {}

    async def using(self, server: str, work: Callable[[Login], Awaitable[R]]) -> R:
        """What `work` gives, which raises Unauthorized where the server refuses the login; then it is done once more with another,
        if there is one. Raises AuthExpired at once where this server has refused it lately."""
        login = await self.current()
        try:
            return await self._shown(server, login, work)
        except Unauthorized:
            other = await self.other_than(login)
        return await self._shown(server, other, work)

    async def _shown(self, server: str, login: Login, work: Callable[[Login], Awaitable[R]]) -> R:
        refused, at = self._refused.get(server, (None, 0.0))
        if refused == login and time.monotonic() - at < HELD_BACK:
            raise self.refused()
        try:
            return await work(login)
        except Unauthorized:
            self._refused[server] = login, time.monotonic()
            raise

    async def current(self) -> Login:
        """Raises AuthExpired where the account must be connected again, Unavailable where that can't be told just now."""
        stored = await self._stored()
        if "oauth" in stored:
            return Login(self._username, await self._tokens.current(), token=True)
        password = stored.get("password", "")
        if not isinstance(password, str) or not password:
            raise self.refused()
        return Login(self._username, password)

    async def other_than(self, login: Login) -> Login:
        """One to try after a server refused this one. Raises AuthExpired where there is none."""
        if login.token and "oauth" in await self._stored():
            return Login(self._username, await self._tokens.other_than(login.secret), token=True)
        fresh = await self.current()
        if fresh == login:
            raise self.refused()
        return fresh

    async def close(self) -> None:
        """Waits for a token that is on its way."""
        await self._tokens.close()

    def refused(self) -> AuthExpired:
        again = reconnect(KIND, self._account)
        return AuthExpired(f"The account {self._account} is not signed in at its server; {again}", self._account)

    async def _stored(self) -> Mapping[str, Any]:
        """Empty where there is nothing that can be read."""
        try:
            secret = await self._secrets.load(self._account)
        except Exception as unread:
            raise Unavailable(f"The sign-in of the account {self._account} can't be read just now.", self._account) from unread
        try:
            stored = json.loads(secret or "")
        except ValueError:
            return {}
        return stored if isinstance(stored, dict) else {}
