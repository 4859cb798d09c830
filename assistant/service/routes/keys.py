"""What one signs in with: password, passkeys, sessions, and tokens for programs."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from assistant.service.callers import SCOPES, Caller, InPerson, Scope, client_address, needs
from assistant.service.entering import secrets
from assistant.service.entering.entrance import Entering
from assistant.service.entering.passwords import Password, check_new
from assistant.service.problems import Problem
from assistant.service.views import Items
from integrations.types import Value
from storage import passkeys, sessions, tokens, users
from storage.errors import Duplicate
from storage.session import Session
from storage.tables import StoredPasskey, StoredToken, StoredUser

router = APIRouter(prefix="/api", tags=["entering"])

Manager = Annotated[Caller, Depends(needs("manage"))]
MOST = 100
"""Tokens, or passkeys, of one user."""
Label = Annotated[str, Field(min_length=1, max_length=80, pattern=r"\S")]


class Browser(Value):
    """One session. `agent` in the browser's own words; `current`: the one that asks."""

    id: str
    agent: str
    created: datetime
    seen: datetime
    expires: datetime
    current: bool


class Token(Value):
    """None in `expires`: it does not end by itself."""

    id: str
    name: str
    scopes: tuple[Scope, ...]
    created: datetime
    used: datetime | None
    expires: datetime | None


class NewToken(Value):
    """`days`: how long it is good; None: until it is revoked."""

    name: Label
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1)]
    days: Annotated[int, Field(ge=1, le=3650)] | None = None


class Granted(Value):
    """`secret` is shown this once."""

    token: Token
    secret: str


class Passkey(Value):
    id: str
    name: str
    created: datetime
    used: datetime | None


class NewPasskey(Value):
    """`credential` is what the browser made of the options (`PublicKeyCredential.toJSON()`)."""

    name: Label
    credential: dict[str, Any]


class NewPassword(Value):
    """`old` may be left out where there is none yet."""

    old: Password = ""
    new: Password


@router.get("/sessions")
async def list_sessions(caller: Manager, entering: Entering) -> Items[Browser]:
    """The browser seen last comes first."""
    found = await entering.sessions.list(caller.user)
    shown = ("id", "agent", "created", "seen", "expires")
    return Items(items=tuple(Browser(**one.model_dump(include=set(shown)), current=one.id == caller.session) for one in found))


@router.delete("/sessions")
async def end_other_sessions(caller: Manager, entering: Entering) -> dict[str, bool]:
    """All but the one that asks."""
    await entering.sessions.end_all(caller.user, but=caller.session)
    return {"ended": True}


@router.delete("/sessions/{id}")
async def end_session(id: str, caller: Manager, entering: Entering) -> dict[str, bool]:
    """That browser has to sign in again."""
    if not await entering.sessions.end(caller.user, id):
        raise Problem(404, "There is no such session.")
    return {"ended": True}


@router.get("/tokens")
async def list_tokens(caller: Manager, entering: Entering) -> Items[Token]:
    """The oldest first; none with its secret."""
    found = await entering.database.read(lambda s: tokens.list(s, caller.user))
    return Items(items=tuple(_token(one) for one in found))


@router.post("/tokens", status_code=201)
async def add_token(given: NewToken, caller: InPerson, entering: Entering) -> Granted:
    """Its secret is told here and nowhere else."""
    now, secret = entering.clock(), secrets.fresh(secrets.TOKEN)

    def add(s: Session) -> StoredToken:
        if len(tokens.list(s, caller.user)) >= MOST:
            raise Problem(409, f"There are {MOST} tokens already; revoke some first.")
        return tokens.add(
            s,
            secrets.public_id(),
            digest=secrets.digest(secret),
            user_id=caller.user,
            name=given.name.strip(),
            scopes=[scope for scope in SCOPES if scope in given.scopes],
            at=now,
            expires=now + timedelta(days=given.days) if given.days else None,
        )

    return Granted(token=_token(await entering.database.write(add)), secret=secret)


@router.delete("/tokens/{id}")
async def revoke_token(id: str, caller: Manager, entering: Entering) -> dict[str, bool]:
    """It is good no more from the next request on."""
    if not await entering.database.write(lambda s: tokens.remove(s, id, user_id=caller.user)):
        raise Problem(404, "There is no such token.")
    return {"revoked": True}


@router.get("/passkeys")
async def list_passkeys(caller: Manager, entering: Entering) -> Items[Passkey]:
    """The oldest first."""
    found = await entering.database.read(lambda s: passkeys.list(s, caller.user))
    return Items(items=tuple(_passkey(one) for one in found))


@router.post("/passkeys/options")
async def passkey_options(request: Request, caller: InPerson, entering: Entering) -> dict[str, Any]:
    """For `navigator.credentials.create`, as `PublicKeyCredential.parseCreationOptionsFromJSON` takes it."""
    user, known = await entering.database.read(lambda s: (_user(s, caller), passkeys.list(s, caller.user)))
    return entering.ceremonies.registration(request, user, caller.session, known)


@router.post("/passkeys", status_code=201)
async def add_passkey(given: NewPasskey, request: Request, caller: InPerson, entering: Entering) -> Passkey:
    """Ends what `passkey_options` began."""
    made, now = entering.ceremonies.registered(request, caller.session, given.credential), entering.clock()

    def add(s: Session) -> StoredPasskey:
        if len(passkeys.list(s, caller.user)) >= MOST:
            raise Problem(409, f"There are {MOST} passkeys already; remove some first.")
        return passkeys.add(
            s,
            made.id,
            user_id=caller.user,
            name=given.name.strip(),
            public_key=made.public_key,
            at=now,
            sign_count=made.sign_count,
        )

    try:
        return _passkey(await entering.database.write(add))
    except Duplicate as there:
        raise Problem(409, "This passkey is registered already.") from there


@router.delete("/passkeys/{id}")
async def remove_passkey(id: str, caller: InPerson, entering: Entering) -> dict[str, bool]:
    """Refused for the only way to sign in."""

    def remove(s: Session) -> bool:
        mine = passkeys.list(s, caller.user)
        if not _user(s, caller).password and [one.id for one in mine] == [id]:
            raise Problem(409, "This is the only way you have to sign in; set a password first, or add another passkey.")
        return passkeys.remove(s, id, user_id=caller.user)

    if not await entering.database.write(remove):
        raise Problem(404, "There is no such passkey.")
    return {"removed": True}


@router.post("/password")
async def set_password(given: NewPassword, request: Request, caller: InPerson, entering: Entering) -> dict[str, bool]:
    """All other sessions end."""
    check_new(given.new)
    user = await entering.database.read(lambda s: _user(s, caller))
    if user.password:
        client = client_address(request)
        entering.throttle.attempt(user.name, client)
        if not await entering.passwords.fits(given.old, user.password):
            raise Problem(403, "The present password is not right.")
        entering.throttle.succeeded(user.name, client)
    hashed = await entering.passwords.hashed(given.new)

    def change(s: Session) -> None:
        users.set_password(s, hashed, user_id=caller.user)
        sessions.remove_all(s, caller.user, but=caller.session)

    await entering.database.write(change)
    return {"changed": True}


def _user(s: Session, caller: Caller) -> StoredUser:
    user = users.get(s, caller.user)
    if user is None:
        raise Problem(401, "Sign in again.")
    return user


def _token(stored: StoredToken) -> Token:
    granted = stored.scopes.split()
    shown = stored.model_dump(include={"id", "name", "created", "used", "expires"})
    return Token(**shown, scopes=tuple(scope for scope in SCOPES if scope in granted))


def _passkey(stored: StoredPasskey) -> Passkey:
    return Passkey(**stored.model_dump(include={"id", "name", "created", "used"}))
