"""Connecting an account through the caller's own browser: what was begun, and what came of it."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

from fastapi import Request

from assistant.connecting.browser import Connected, Connecting, Consent
from assistant.connecting.kept import Kept
from assistant.errors import AssistantError, UserError
from assistant.household import Household
from assistant.service.callers import Caller, Served, household_of
from integrations.errors import IntegrationError
from integrations.types import Value
from storage.errors import StorageError

LIVES = timedelta(minutes=10)
MOST = 20
"""Of one user at a time."""
ELSEWHERE = "That is not the answer to this sign-in, but perhaps to an earlier one in another window; sign in once more."
NO_BROWSER = "An account is connected in a browser in which you have signed in, not with a token."


class Came(Value):
    """What came of it, in sentences; `name` is the account's, empty where it is not known which one was meant."""

    kind: str
    name: str = ""
    connected: bool = False
    says: tuple[str, ...]


class Whose(NamedTuple):
    user: str
    session: str


class _Begun(NamedTuple):
    whose: Whose
    kind: str
    connecting: Connecting
    consent: Consent
    until: datetime


class _Told(NamedTuple):
    whose: Whose
    came: Came
    until: datetime


Reopen = Callable[[str], Awaitable[object]]
"""Opens a user's assistant anew, with the account."""
_Entry = TypeVar("_Entry", _Begun, _Told)


@dataclass
class Attempts:
    """In memory: after a restart one has to sign in once more. `clock` gives aware times."""

    clock: Callable[[], datetime]
    _begun: dict[str, _Begun] = field(default_factory=dict)
    _told: dict[str, _Told] = field(default_factory=dict)

    async def begin(self, caller: Caller, kind: str, connecting: Connecting, redirect: str) -> str:
        """The address to be opened. Raises UserError, IntegrationError."""
        whose, state = whose_of(caller), secrets.token_urlsafe(32)
        consent = await connecting.consent(redirect, state)
        address = consent.address
        self._begun = self._room(self._begun, whose)
        self._begun[state] = _Begun(whose, kind, connecting, consent, self.clock() + LIVES)
        return address

    async def answered(self, caller: Caller, kind: str, answer: str, reopen: Reopen) -> str:
        """`answer` is the address that the browser was sent back to. The name under which the caller finds what came of it."""
        whose = whose_of(caller)
        begun = self._taken(whose, kind, answer)
        came = await _came(begun, answer, reopen) if begun else Came(kind=kind, says=(ELSEWHERE,))
        name = secrets.token_urlsafe(16)
        self._told = self._room(self._told, whose)
        self._told[name] = _Told(whose, came, self.clock() + LIVES)
        return name

    def told(self, caller: Caller, name: str) -> Came | None:
        told = self._told.get(name)
        return told.came if told and told.whose == whose_of(caller) and told.until > self.clock() else None

    def _taken(self, whose: Whose, kind: str, answer: str) -> _Begun | None:
        """Once; what another session has begun stays there for it."""
        state = "".join(parse_qs(urlsplit(answer).query).get("state", ()))
        begun = self._begun.get(state)
        if begun is None or begun.whose != whose or begun.kind != kind:
            return None
        del self._begun[state]
        return begun if begun.until > self.clock() else None

    def _room(self, entries: dict[str, _Entry], whose: Whose) -> dict[str, _Entry]:
        """Without what is over, and with room for one more of this user's."""
        live = {name: entry for name, entry in entries.items() if entry.until > self.clock()}
        for name in [name for name, entry in live.items() if entry.whose.user == whose.user][: -MOST + 1]:
            del live[name]
        return live


async def _came(begun: _Begun, answer: str, reopen: Reopen) -> Came:
    name = begun.connecting.name
    try:
        connected = await begun.connecting.finish(await begun.consent.exchange(answer))
        await reopen(begun.whose.user)
    except (AssistantError, IntegrationError, StorageError) as nothing:
        return Came(kind=begun.kind, name=name, says=(str(nothing),))
    return Came(kind=begun.kind, name=name, connected=True, says=tuple(_sentences(connected)))


def _sentences(connected: Connected) -> list[str]:
    again = " again" if connected.again else ""
    troubles = (f"Not everything can be used yet. {trouble}" for trouble in connected.troubles)
    return [f"Connected {connected.name} ({connected.address}){again}.", *troubles]


def whose_of(caller: Caller) -> Whose:
    if not caller.session:
        raise UserError(NO_BROWSER)
    return Whose(caller.user, caller.session)


def attempts_of(request: Request) -> Attempts:
    attempts: Attempts = request.app.state.attempts
    return attempts


def kept_for(request: Request, served: Served) -> Kept:
    """The caller's accounts."""
    return kept_of(household_of(request), served.caller.user)


def kept_of(household: Household, user: str) -> Kept:
    return Kept(household.database, household.seal, household.home_of(user) / "index", household.clock, user)


def answer_address(request: Request, kind: str) -> str:
    """Where the browser comes back to: at the address that the person uses."""
    origin, host = request.headers.get("origin", ""), request.headers.get("host", "")
    own = origin if host and urlsplit(origin).netloc == host else str(request.base_url)
    return f"{own.rstrip('/')}/api/accounts/{kind}/answer"
