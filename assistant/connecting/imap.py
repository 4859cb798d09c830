"""Connecting an account at any server that speaks the open standards, and ending that."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assistant.connecting import consented
from assistant.connecting.consented import Allowed
from assistant.connecting.kept import Kept
from assistant.connecting.local import owner_of
from assistant.connecting.signing import SignIn
from assistant.errors import UserError
from integrations.common.signing_in import Held
from integrations.errors import InvalidResponse
from integrations.standards.discovery.discovery import WHICH as WHICH
from integrations.standards.discovery.discovery import Discovery, Found, told
from integrations.standards.discovery.discovery import Which as Which
from integrations.standards.discovery.naming import Names
from integrations.standards.discovery.reaching import Reach
from integrations.standards.discovery.services import service_of, service_with
from integrations.standards.discovery.trying import Trial, Tried, Tries
from integrations.standards.oauth import Client, client_of
from integrations.types import Address
from storage.errors import StorageError
from storage.tables import StoredAccount

KIND = "imap"
NONE = "none"
"""In place of a server's address: the account shall have none."""
MAY: Mapping[Which, str] = {
    "imap": "read, search and file mail",
    "smtp": "send mail",
    "caldav": "read and change calendars",
    "carddav": "read and change contacts",
}
KINDS: Mapping[Which, str] = {"imap": "mail", "smtp": "outgoing mail", "caldav": "calendar", "carddav": "contacts"}
LONGEST_PASSWORD = 1000
NONE_WANTED = "All servers are left out, so nothing was connected; name one of them."
NO_PASSWORD = "Give the password; an empty one is none."
NOT_A_PASSWORD = "That is no password: there is a line break or another control character in it, or it is far too long."
NOT_A_USERNAME = "That is no username: there is a line break or another control character in it."
OWNERS_FILES = "Only the owner may name a file of the machine on which the assistant runs."
ENDED = "Its password was deleted here; change it at the service if somebody else might have it."
ENDED_TOKENS = "Its sign-in was deleted here; take the permission back in your settings at the service as well."


class Asked(NamedTuple):
    """`address` is the owner's, perhaps with the name; empty where an account is connected again. `servers` are those that the user
    names, or NONE; `trusted` is a file of certificates, or NONE where the usual ones shall do again."""

    address: str = ""
    servers: Mapping[Which, str] = {}
    username: str = ""
    trusted: str = ""


class Line(NamedTuple):
    """How it stands with one server. `server` is empty where none was found; `helps` is a clause; `stays`: the one that the account
    had before, and keeps."""

    which: Which
    server: str
    works: bool
    says: str
    helps: str = ""
    stays: str = ""


class Came(NamedTuple):
    """`says` is one sentence; nothing was stored unless `connected`."""

    name: str
    address: str
    connected: bool
    says: str
    lines: tuple[Line, ...]
    settings: Mapping[str, str] = {}


class Connecting:
    """One account that is to be connected. `public`: only servers of the internet are reached for this user."""

    def __init__(self, kept: Kept, name: str, owner: Address, former: StoredAccount | None, asked: Asked, *, public: bool) -> None:
        self._kept, self.name, self.owner, self.former, self._asked = kept, name, owner, former, asked
        self._before: Mapping[str, str] = former.settings if former else {}
        trusted = asked.trusted or self._before.get("trusted", "")
        self._trusted = "" if public or trusted == NONE else trusted
        self._public, self._reach = public, Reach(trusted=self._trusted, public=public)

    @property
    def domain(self) -> str:
        return self.owner.email.rpartition("@")[2]

    @property
    def wanted(self) -> Sequence[Which]:
        return [which for which in WHICH if not self.left_out(which)]

    def left_out(self, which: Which) -> bool:
        given = self._asked.servers.get(which, "")
        return given == NONE or (not given and self._before.get(which) == "")

    async def search(self, names: Names | None = None) -> Found:
        """What the user names, and what the account had, before what the address leads to."""
        given = {which: self._asked.servers.get(which) or self._before.get(which, "") for which in WHICH}
        named = {which: (told(which, one),) for which, one in given.items() if one and not self.left_out(which)}
        missing = [which for which in self.wanted if which not in named]
        if not missing:
            servers = [one.server for ones in named.values() for one in ones]
            return Found(service=service_of(self.domain) or service_with(servers), candidates=named)
        found = await Discovery(names or Names(), self._reach, missing).of(self.owner.email)
        return found.model_copy(update={"candidates": {**found.candidates, **named}})

    async def finish(self, found: Found, secret: str) -> Came:
        """Signs in at each server, and stores what worked. Raises UserError, StorageError."""
        held = Held(secret)
        await self._reach.context()
        tries = await Trial(self.name, held, self._reach).of(found.candidates, self._usernames(found))
        lines = tuple(self._line(which, found, tries) for which in self.wanted)
        if nothing := self._nothing(lines):
            return Came(self.name, self.owner.email, connected=False, says=nothing, lines=lines)
        settings = self._settings(found, tries)
        lines = tuple(line if line.works else line._replace(stays=self._before.get(line.which, "")) for line in lines)
        await consented.store(self._kept, KIND, self.name, Allowed(self.owner, held.secret, settings), alike=_share_a_server)
        again = " again" if self.former else ""
        says = f"Connected {self.name} ({self.owner.email}){again}."
        return Came(self.name, self.owner.email, connected=True, says=says, lines=lines, settings=settings)

    def _usernames(self, found: Found) -> Sequence[str]:
        given = self._asked.username or self._before.get("username", "")
        if given or found.service or self.former:
            return (given or self.owner.email,)
        return self.owner.email, self.owner.email.rpartition("@")[0]

    def _line(self, which: Which, found: Found, tries: Tries) -> Line:
        tried = tries.tried.get(which)
        if tried:
            return Line(which, tried.server, tried.works, tried.says, tried.helps or _hint(tried, found))
        if found.candidates.get(which):
            return Line(which, found.candidates[which][0].server, False, "not tried, since the password was refused")
        if which in found.refused:
            return Line(which, "", False, f"{self.domain} says that it has none")
        return Line(which, "", False, f"no {KINDS[which]} server was found")

    def _nothing(self, lines: Sequence[Line]) -> str:
        """Why nothing is stored; empty where it is."""
        if not lines:
            return NONE_WANTED
        working = {line.which for line in lines if line.works}
        if not working:
            return "None of the servers could be used, so nothing was connected."
        if "imap" not in working and not self.left_out("imap"):
            return "Mail can't be read, so nothing was connected."
        return ""

    def _settings(self, found: Found, tries: Tries) -> Mapping[str, str]:
        """As they were, but for what is known better now. A server that is down for a while is not forgotten."""
        settings = dict(self._before)
        settings |= {which: "" for which in WHICH if self.left_out(which)}
        settings |= {which: tried.server for which, tried in tries.tried.items() if tried.works}
        if tries.username != self.owner.email:
            settings["username"] = tries.username
        settings |= {"trusted": self._trusted, "public": "yes" if self._public else ""}
        settings = {name: value for name, value in settings.items() if value or name not in ("trusted", "public")}
        if found.service and found.service.files_sent and settings.get("smtp") == found.service.smtp:
            settings["files_sent"] = "yes"
        calendar = tries.tried.get("caldav")
        if calendar and calendar.works:
            settings["scheduling"] = "server" if calendar.schedules else ""
        return settings


async def begin(kept: Kept, name: str, asked: Asked, *, public: bool) -> Connecting:
    """Raises UserError, StorageError."""
    former = await consented.former_of(kept, KIND, name)
    if not asked.address and not former:
        raise UserError("Give your mail address: --address you@example.org")
    owner = owner_of(asked.address) if asked.address else Address(email=former.address if former else "", name="")
    if former and former.address != owner.email:
        raise UserError(f"{name} is the account of {former.address}; choose another name for that of {owner.email}: --name NAME")
    if public and asked.trusted:
        raise UserError(OWNERS_FILES)
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in asked.username):
        raise UserError(NOT_A_USERNAME)
    for which, server in asked.servers.items():
        _check_server(which, server)
    return Connecting(kept, name, owner, former, asked, public=public)


def _check_server(which: Which, server: str) -> None:
    try:
        if server != NONE:
            told(which, server)
    except InvalidResponse as wrong:
        raise UserError(str(wrong)) from wrong


def password(given: str) -> str:
    """The secret of an account. Raises UserError."""
    if not given:
        raise UserError(NO_PASSWORD)
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in given) or len(given) > LONGEST_PASSWORD:
        raise UserError(NOT_A_PASSWORD)
    return json.dumps({"password": given})


async def known_client(kept: Kept, name: str) -> Client | None:
    """The program's registration that another account, or this one before, signs in with."""
    return await consented.known_client(kept, KIND, name, lambda secret: client_of(_oauth(secret)))


async def sign_in(kept: Kept, name: str) -> SignIn:
    try:
        account = await kept.account(name)
    except StorageError as unread:
        return SignIn("can't be used", why=str(unread))
    settings = account.settings if account else {}
    words: dict[str, str] = {which: f"{MAY[which]} at {settings[which]}" for which in WHICH if settings.get(which)}
    return await consented.sign_in(
        kept, KIND, name, lambda secret: tuple(words) if _signs_in(secret) else None, words, provider="its server"
    )


async def end(secret: str | None, why: str = "") -> str:
    """As of `SigningIn`."""
    return ENDED_TOKENS if _oauth(secret) else ENDED


def _signs_in(secret: str | None) -> bool:
    return bool(_read(secret).get("password") or _oauth(secret).get("refresh_token"))


def _oauth(secret: str | None) -> Mapping[str, Any]:
    told = _read(secret).get("oauth")
    return told if isinstance(told, dict) else {}


def _read(secret: str | None) -> Mapping[str, Any]:
    try:
        stored = json.loads(secret or "")
    except ValueError:
        return {}
    return stored if isinstance(stored, dict) else {}


def _share_a_server(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Mail at one service and calendars at another may be two accounts of one address."""
    return any(one.get(which) and other.get(which) for which in WHICH)


def _hint(tried: Tried, found: Found) -> str:
    if not tried.refused or found.service is None:
        return "check both; many services want an app password, made in their settings" if tried.refused else ""
    service = found.service
    return f"{service.name} takes {service.password}" if service.password else service.instead
