"""Signing in at each of an account's servers for real, before anything is stored: what was reached, and what not and why."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module

from integrations.common.invisible import visible
from integrations.common.signing_in import Held, listed
from integrations.errors import AuthExpired, IntegrationError
from integrations.standards.credentials import Credentials
from integrations.standards.discovery.discovery import PROTOCOLS, Candidate, Which
from integrations.standards.discovery.reaching import Reach, Unreachable
from integrations.standards.endpoints import Endpoint, endpoint_of
from integrations.types import Value

PATIENCE = 45.0
"""Seconds for one server."""
NAMES_TOLD, LONGEST_NAME = 5, 40
LEADING: tuple[Which, ...] = ("imap", "caldav", "carddav", "smtp")
"""Which of them tells whether username and password are right, before the others are asked."""
CALLED: Mapping[Which, str] = {"imap": "mail", "smtp": "sending mail", "caldav": "calendars", "carddav": "contacts"}


class Tried(Value):
    """`says` and `helps` are for people; `refused`: it did not take what was signed in with; `schedules`: a calendar server that
    tells guests of meetings itself."""

    which: Which
    server: str
    works: bool = False
    says: str
    helps: str = ""
    refused: bool = False
    schedules: bool = False


class Tries(Value):
    """`username` is the one that was taken."""

    username: str
    tried: Mapping[Which, Tried]


class Trial:
    """Of one account that is to be connected. `held` is what it signs in with, and has what is renewed meanwhile."""

    def __init__(self, account: str, held: Held, reach: Reach) -> None:
        self._account, self._held, self._reach = account, held, reach

    async def of(self, candidates: Mapping[Which, Sequence[Candidate]], usernames: Sequence[str]) -> Tries:
        """Where one server refuses every username, the others are not asked: too many wrong guesses lock accounts."""
        tried: dict[Which, Tried] = {}
        username = usernames[0]
        for which in LEADING:
            if not candidates.get(which):
                continue
            username, tried[which] = await self._with_any(candidates[which], usernames)
            if tried[which].works:
                break
            if tried[which].refused:
                return Tries(username=username, tried=tried)
        left = [which for which in LEADING if candidates.get(which) and which not in tried]
        rest = await asyncio.gather(*(self._first(candidates[which], username) for which in left))
        return Tries(username=username, tried={**tried, **dict(zip(left, rest, strict=True))})

    async def _with_any(self, candidates: Sequence[Candidate], usernames: Sequence[str]) -> tuple[str, Tried]:
        refused = []
        for username in usernames:
            tried = await self._first(candidates, username)
            if not tried.refused:
                return username, tried
            refused.append(tried)
        return usernames[0], refused[0]

    async def _first(self, candidates: Sequence[Candidate], username: str) -> Tried:
        """That works; else the best one, which says why not."""
        failed = []
        for candidate in candidates:
            tried = await self._one(candidate, username)
            if tried.works or tried.refused:
                return tried
            failed.append(tried)
        return failed[0]

    async def _one(self, candidate: Candidate, username: str) -> Tried:
        which, server = candidate.which, candidate.server
        try:
            endpoint = endpoint_of(server, PROTOCOLS[which]).model_copy(update={"public": self._reach.public})
            await self._reach.check(endpoint)
            async with asyncio.timeout(PATIENCE):
                return await self._signed_in(which, endpoint, username)
        except Unreachable as error:
            return Tried(which=which, server=server, says=str(error), helps=error.helps)
        except AuthExpired:
            says = f"{candidate.host} does not take this password with the username {username}."
            return Tried(which=which, server=server, says=says, refused=True)
        except TimeoutError:
            return Tried(which=which, server=server, says=f"{candidate.host} did not answer in {PATIENCE:.0f} seconds.")
        except IntegrationError as error:
            return Tried(which=which, server=server, says=str(error))

    async def _signed_in(self, which: Which, endpoint: Endpoint, username: str) -> Tried:
        """Raises IntegrationError."""
        await asyncio.to_thread(import_module, f"integrations.standards.{MODULES[which]}")  # the libraries take their time
        credentials = Credentials(self._account, self._held, username)
        tried = Tried(which=which, server=str(endpoint), works=True, says="")
        try:
            return tried.model_copy(update=await SIGNING_IN[which](self._account, endpoint, credentials, self._reach.trusted))
        finally:
            await credentials.close()


async def _imap(account: str, endpoint: Endpoint, credentials: Credentials, trusted: str) -> dict[str, object]:
    from integrations.standards.imap.imap import Imap

    imap = Imap(account, endpoint, credentials, trusted=trusted)
    try:
        folders = await imap.read(lambda session: session.folders())
    finally:
        await imap.close()
    return {"says": f"signed in; {_number(len(folders), 'folder')}"}


async def _smtp(account: str, endpoint: Endpoint, credentials: Credentials, trusted: str) -> dict[str, object]:
    from integrations.standards.sending.smtp import sign_in

    await sign_in(endpoint, credentials, account=account, trusted=trusted)
    return {"says": "signed in; no mail was sent"}


async def _caldav(account: str, endpoint: Endpoint, credentials: Credentials, trusted: str) -> dict[str, object]:
    from integrations.standards.dav.calendars import Calendars

    calendars = Calendars(account, endpoint, credentials, trusted=trusted)
    try:
        names, schedules = await calendars.names(), await calendars.schedules()
    finally:
        await calendars.close()
    by_itself = "; tells guests of meetings itself" if schedules else ""
    return {"says": _named(names, "calendar") + by_itself, "schedules": schedules}


async def _carddav(account: str, endpoint: Endpoint, credentials: Credentials, trusted: str) -> dict[str, object]:
    from integrations.standards.dav.addressbook import AddressBook

    book = AddressBook(account, endpoint, credentials, trusted=trusted)
    try:
        names = await book.names()
    finally:
        await book.close()
    return {"says": _named(names, "address book")}


MODULES: Mapping[Which, str] = {
    "imap": "imap.imap",
    "smtp": "sending.smtp",
    "caldav": "dav.calendars",
    "carddav": "dav.addressbook",
}
SigningIn = Callable[[str, Endpoint, Credentials, str], Awaitable[dict[str, object]]]
SIGNING_IN: Mapping[Which, SigningIn] = {"imap": _imap, "smtp": _smtp, "caldav": _caldav, "carddav": _carddav}


def _named(names: Sequence[str], what: str) -> str:
    told = [" ".join(visible(name).split())[:LONGEST_NAME] for name in names[:NAMES_TOLD]]
    more = [f"{len(names) - NAMES_TOLD} more"] if len(names) > NAMES_TOLD else []
    words = [name for name in told if name] + more
    return _number(len(names), what) + (f": {listed(words)}" if words else "")


def _number(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"
