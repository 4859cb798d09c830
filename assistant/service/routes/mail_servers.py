"""Connecting an account at any mail server: finding its servers, and signing in there."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, SecretStr

from assistant.connecting import imap
from assistant.connecting.imap import KIND, NONE, WHICH, Asked, Connecting, Line, Which
from assistant.connecting.kept import check_provider
from assistant.service.callers import Managing, Served, household_of
from assistant.service.connecting import kept_for

router = APIRouter(prefix=f"/api/accounts/{KIND}", tags=["accounts"])

Server = str
"""Such as imaps://mail.example.org; empty where it has none."""


class MailAddress(BaseModel):
    """`address` is the mail address, perhaps with a name."""

    name: str = KIND
    address: str = Field(default="", max_length=500)


class FoundServers(BaseModel):
    """`servers` by kind (imap, smtp, caldav, carddav), where one was found. `elsewhere` are hosts outside of the address's own
    domain, which anybody on the way could have named: ask before a password goes there. `password` says which one the service
    takes, `instead` what serves better."""

    service: str
    password: str
    instead: str
    servers: dict[Which, Server]
    elsewhere: tuple[str, ...]


class MailSignIn(MailAddress):
    """`servers` as they were found, or as somebody has named them: the password goes to these alone."""

    servers: dict[Which, Server]
    username: str = Field(default="", max_length=500)
    password: SecretStr


class MailServer(BaseModel):
    """`helps` is a clause; `stays` the server that the account keeps, where another one does not work."""

    which: Which
    server: Server
    works: bool
    says: str
    helps: str
    stays: str


class MailCame(BaseModel):
    """Nothing was stored unless `connected`."""

    name: str
    connected: bool
    says: str
    servers: tuple[MailServer, ...]


@router.post("/servers")
async def find_servers(request: Request, served: Managing, wanted: MailAddress) -> FoundServers:
    """What an address leads to. Nothing is stored."""
    connecting = await _begin(request, served, wanted, Asked(wanted.address))
    found = await connecting.search()
    service = found.service
    return FoundServers(
        service=service.name if service else "",
        password=service.password if service else "",
        instead=service.instead if service else "",
        servers={which: one.server for which in WHICH for one in found.candidates.get(which, ())[:1]},
        elsewhere=found.elsewhere,
    )


@router.post("")
async def connect_mail(request: Request, served: Managing, wanted: MailSignIn) -> MailCame:
    """Signs in at each of the servers, and stores the account where that succeeds. Only the owner reaches servers that are not on
    the internet."""
    secret = imap.password(wanted.password.get_secret_value())
    servers = {which: wanted.servers.get(which, "").strip() or NONE for which in WHICH}
    connecting = await _begin(request, served, wanted, Asked(wanted.address, servers, wanted.username.strip()))
    came = await connecting.finish(await connecting.search(), secret)
    if came.connected:
        await household_of(request).reopen(served.caller.user)
    return MailCame(name=came.name, connected=came.connected, says=came.says, servers=_views(came.lines))


async def _begin(request: Request, served: Served, wanted: MailAddress, asked: Asked) -> Connecting:
    check_provider(KIND)
    return await imap.begin(kept_for(request, served), wanted.name.strip(), asked, public=not served.caller.owner)


def _views(lines: Sequence[Line]) -> tuple[MailServer, ...]:
    return tuple(MailServer(**line._asdict()) for line in lines)
