"""Signing in and out."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from assistant.service.callers import Caller, client_address, needs
from assistant.service.entering import links, secrets
from assistant.service.entering.entrance import Entering, Entrance
from assistant.service.entering.names import NAME, Name, spelt
from assistant.service.entering.passkeys import refused
from assistant.service.entering.passwords import Password, check_new
from assistant.service.problems import Problem
from integrations.types import Value
from storage import passkeys, users
from storage.session import Session
from storage.tables import StoredUser

router = APIRouter(prefix="/api", tags=["entering"])

WRONG = "The name or the password is not right."
SPENT = "This link has been used already, or is too old; ask for a new one."


class AtTheDoor(Value):
    """`signed_in`: who asks has a session already; `first_run`: the owner has no way yet to sign in, and needs the link that the
    service printed; `passkeys`: signing in with one can be offered here; `name` is the program's."""

    signed_in: bool
    first_run: bool
    passkeys: bool
    name: str


class Entered(Value):
    """`csrf` is for the header X-CSRF-Token."""

    user: str
    name: str
    csrf: str


class Credentials(Value):
    name: Annotated[str, Field(max_length=NAME)]
    password: Password


class Link(Value):
    """`token` is what the link holds. Without a password, a passkey is to follow; without a name, it stays."""

    token: Annotated[str, Field(max_length=200)]
    name: Name = ""
    password: Password | None = None


class Assertion(Value):
    """What the browser made of the options (`PublicKeyCredential.toJSON()`)."""

    credential: dict[str, Any]


class SignOut(Value):
    everywhere: bool = False


@router.get("/entrance")
async def show_entrance(request: Request, entering: Entering) -> AtTheDoor:
    """What can be offered to somebody who has not signed in."""
    any_passkey = await entering.database.read(lambda s: passkeys.any(s))
    return AtTheDoor(
        signed_in=await entering.recognise(request) is not None,
        first_run=await links.is_first_run(entering.database),
        passkeys=any_passkey and entering.ceremonies.possible(request),
        name="Personal assistant",
    )


@router.post("/sign-in")
async def sign_in(given: Credentials, request: Request, response: Response, entering: Entering) -> Entered:
    """With name and password; a session begins."""
    name, client = spelt(given.name), client_address(request)
    entering.throttle.attempt(name, client)
    user = await entering.database.read(lambda s: users.by_name(s, name))
    usable = user if user and not user.disabled else None
    if not await entering.passwords.fits(given.password, usable.password if usable else "") or usable is None:
        raise Problem(401, WRONG)
    entering.throttle.succeeded(name, client)
    return await _enter(usable, entering, request, response)


@router.post("/sign-out")
async def sign_out(
    request: Request,
    response: Response,
    entering: Entering,
    caller: Annotated[Caller, Depends(needs("read"))],
    given: SignOut | None = None,
) -> dict[str, bool]:
    """Ends this session, or all of this user's."""
    if not caller.session:
        raise Problem(400, "A token has no session to end; revoke it instead.")
    if given and given.everywhere:
        await entering.sessions.end_all(caller.user)
    else:
        await entering.sessions.end(caller.user, caller.session)
    entering.sessions.forget(request, response)
    return {"signed_out": True}


@router.post("/first-run")
async def use_link(given: Link, request: Request, response: Response, entering: Entering) -> Entered:
    """Uses a link: the owner's first, an invitation, or one for a lost password."""
    if given.password is not None:
        check_new(given.password)
    token = secrets.digest(given.token)
    invited = await entering.database.read(lambda s: links.invited(s, token, entering.clock()))
    if invited is None:
        raise Problem(403, SPENT)
    if not (given.name or invited.name):
        raise Problem(422, "Please give the name that you want to sign in with.")
    hashed = await entering.passwords.hashed(given.password) if given.password is not None else ""

    def use(s: Session) -> StoredUser | None:
        return links.use(s, token, entering.clock(), name=given.name, password=hashed)

    user = await entering.renamed(use)
    if user is None:
        raise Problem(403, SPENT)
    return await _enter(user, entering, request, response)


@router.post("/sign-in/passkey/options")
async def sign_in_options(request: Request, entering: Entering) -> dict[str, Any]:
    """For `navigator.credentials.get`, as `PublicKeyCredential.parseRequestOptionsFromJSON` takes it."""
    return entering.ceremonies.signing_in(request)


@router.post("/sign-in/passkey")
async def sign_in_with_passkey(given: Assertion, request: Request, response: Response, entering: Entering) -> Entered:
    """With a passkey; a session begins."""
    named = str(given.credential.get("id", ""))
    found, user = await entering.database.read(lambda s: links.holder(s, named))
    count = entering.ceremonies.signed_in(request, given.credential, found)
    if found is None or user is None:
        raise refused()
    key, now = found, entering.clock()
    if not await entering.database.write(lambda s: passkeys.touch(s, key, count, now)):
        raise refused()
    return await _enter(user, entering, request, response)


async def _enter(user: StoredUser, entering: Entrance, request: Request, response: Response) -> Entered:
    secret = await entering.sessions.sign_in(user.id, request, response)
    return Entered(user=user.id, name=user.name, csrf=secrets.csrf(secret))
