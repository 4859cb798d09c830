"""Authorisation: who calls, with which rights, and the assistant that serves them."""

from collections.abc import Awaitable, Callable
from typing import Annotated, NamedTuple

from fastapi import Depends, Request

from assistant.facade import Assistant
from assistant.household import Household
from assistant.service.problems import Problem
from assistant.service.scopes import SCOPES as SCOPES
from assistant.service.scopes import Scope as Scope
from integrations.types import Value


class Caller(Value):
    """`session` and `token` name what they came in with, one of them empty. `owner`: may manage users."""

    user: str
    name: str = ""
    scopes: frozenset[Scope]
    session: str = ""
    token: str = ""
    owner: bool = False

    @property
    def own_words(self) -> bool:
        """Whether what comes from them counts as the user's own words, which may mandate and approve."""
        return "approve" in self.scopes


class Served(NamedTuple):
    caller: Caller
    assistant: Assistant


Recognise = Callable[[Request], Awaitable[Caller | None]]
"""Who it is, by session cookie or bearer token; None where nothing valid was presented."""


def household_of(request: Request) -> Household:
    household: Household = request.app.state.household
    return household


def needs(scope: Scope) -> Callable[[Request], Awaitable[Caller]]:
    """401 where nobody is recognised, 403 where their rights do not go so far."""

    async def check(request: Request) -> Caller:
        recognise: Recognise = request.app.state.recognise
        caller = await recognise(request)
        if caller is None:
            raise Problem(401, "Sign in, or present a token.", headers={"WWW-Authenticate": "Bearer"})
        if scope not in caller.scopes:
            raise Problem(403, f"This needs the right to {scope}, which this token does not have.")
        return caller

    check.scope = scope  # type: ignore[attr-defined]  # for the document, and the test of all routes
    return check


def serves(scope: Scope) -> Callable[..., Awaitable[Served]]:
    async def serve(request: Request, caller: Annotated[Caller, Depends(needs(scope))]) -> Served:
        return Served(caller, await household_of(request).of(caller.user))

    return serve


def in_person(caller: Annotated[Caller, Depends(needs("manage"))]) -> Caller:
    """A token must not be able to become more than it is, or stay when it is revoked."""
    if not caller.session:
        raise Problem(403, "Only somebody who has signed in can do this, not a token.")
    return caller


InPerson = Annotated[Caller, Depends(in_person)]


def as_owner(caller: InPerson) -> Caller:
    if not caller.owner:
        raise Problem(403, "Only the owner of this service can do this.")
    return caller


Owner = Annotated[Caller, Depends(as_owner)]


def as_program(caller: Caller) -> Caller:
    """A browser sends its cookie for pages of others too; a program has a token of its own."""
    if not caller.token:
        raise Problem(401, "Present a token here; a session is not enough.", headers={"WWW-Authenticate": "Bearer"})
    return caller


def client_address(request: Request) -> str:
    """Whence the request came; empty where that is not known."""
    return request.client.host if request.client else ""


Reading = Annotated[Served, Depends(serves("read"))]
Proposing = Annotated[Served, Depends(serves("propose"))]
Approving = Annotated[Served, Depends(serves("approve"))]
Managing = Annotated[Served, Depends(serves("manage"))]


def chats(served: Proposing) -> Served:
    """What is answered to words tells what was read for it."""
    if "read" not in served.caller.scopes:
        raise Problem(403, "This token may propose but not read; chatting needs both.")
    return served


chats.scope = "read"  # type: ignore[attr-defined]  # besides that of `Proposing`

Chatting = Annotated[Served, Depends(chats)]
"""To say something that is thought about: with the rights to propose and to read."""


def sets_up(served: Managing) -> Served:
    """What runs by itself tells what was read for it."""
    if "read" not in served.caller.scopes:
        raise Problem(403, "This token may manage but not read; schedules need both.")
    return served


sets_up.scope = "read"  # type: ignore[attr-defined]  # besides that of `Managing`

Scheduling = Annotated[Served, Depends(sets_up)]
"""To set up what runs by itself, and to run it: with the rights to manage and to read."""
