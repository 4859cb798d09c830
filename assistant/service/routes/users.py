"""Who else uses this service; for its owner."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field

from assistant.connecting import accounts
from assistant.service.callers import Owner, household_of
from assistant.service.connecting import kept_of
from assistant.service.entering import links, secrets
from assistant.service.entering.entrance import Entering, Entrance
from assistant.service.entering.names import Name
from assistant.service.problems import Problem
from assistant.service.views import Items
from integrations.types import Value
from storage import sessions, users
from storage.session import Session
from storage.tables import OWNER, StoredUser

router = APIRouter(prefix="/api/users", tags=["users"])


class Removed(Value):
    """`says` tells of each permission at a provider what came of taking it back."""

    removed: bool = True
    says: tuple[str, ...] = ()


class User(Value):
    """`disabled`: since then nobody may enter as this user."""

    id: str
    name: str
    email: str
    role: str
    created: datetime
    disabled: datetime | None


class NewUser(Value):
    name: Annotated[Name, Field(min_length=1)]
    email: Annotated[str, Field(max_length=254)] = ""


class Invited(Value):
    """`link` lets the user in once, to choose a password or register a passkey."""

    user: User
    link: str


class UserChange(Value):
    disabled: bool


@router.get("")
async def list_users(caller: Owner, entering: Entering) -> Items[User]:
    """The owner among them, in the order in which they were added."""
    return Items(items=tuple(_shown(one) for one in await entering.database.read(users.list)))


@router.post("", status_code=201)
async def add_user(given: NewUser, request: Request, caller: Owner, entering: Entering) -> Invited:
    """Answers with the link by which they enter."""
    now, made = entering.clock(), secrets.public_id()
    user = await entering.renamed(lambda s: users.add(s, made, name=given.name, at=now, email=given.email))
    return await _invited(user, request, entering)


@router.post("/{id}/invite")
async def invite_user(id: str, request: Request, caller: Owner, entering: Entering) -> Invited:
    """A new link, also for a lost password; an earlier one is good no more."""
    return await _invited(await _user(id, entering), request, entering)


@router.put("/{id}")
async def change_user(id: str, given: UserChange, caller: Owner, entering: Entering) -> User:
    """Whether they may enter; who may not is signed out everywhere."""
    if id == OWNER:
        raise Problem(400, "The owner can't be kept out.")
    now = entering.clock()

    def change(s: Session) -> None:
        users.disable(s, now if given.disabled else None, user_id=id)
        if given.disabled:
            sessions.remove_all(s, id)

    await _user(id, entering)
    await entering.database.write(change)
    return _shown(await _user(id, entering))


@router.delete("/{id}")
async def remove_user(id: str, request: Request, caller: Owner, entering: Entering) -> Removed:
    """With all that is theirs here; their mail, calendars and contacts stay where they are. What providers allowed is taken back
    there."""
    await _user(id, entering)
    given = await accounts.permissions(kept_of(household_of(request), id))
    await household_of(request).remove(id)
    return Removed(says=await accounts.take_back(given))


async def _user(id: str, entering: Entrance) -> StoredUser:
    user = await entering.database.read(lambda s: users.get(s, id))
    if user is None:
        raise Problem(404, "There is no such user.")
    return user


async def _invited(user: StoredUser, request: Request, entering: Entrance) -> Invited:
    secret = await links.make(entering.database, user.id, entering.clock())
    return Invited(user=_shown(user), link=links.link(entering.page(request), secret))


def _shown(user: StoredUser) -> User:
    return User(**user.model_dump(include=set(User.model_fields)))
