"""Who one is here, and with what."""

from fastapi import APIRouter, Request

from assistant import preferences
from assistant.service.callers import Reading, Scope, household_of
from assistant.service.entering import secrets
from assistant.service.entering.entrance import Entering
from integrations.types import Value
from storage import users

router = APIRouter(prefix="/api", tags=["entering"])


class Person(Value):
    id: str
    name: str
    role: str


class Connected(Value):
    name: str
    kind: str
    address: str


class Me(Value):
    """`csrf` is for the header X-CSRF-Token, empty for a token; `reasoner` names who thinks; `offline`: by rules, without a model;
    `sample`: with invented mail to try things on; `zone` is an IANA name; `undo_window` in seconds."""

    user: Person
    scopes: tuple[Scope, ...]
    csrf: str
    reasoner: str
    offline: bool
    sample: bool
    accounts: tuple[Connected, ...]
    zone: str
    undo_window: int


@router.get("/me")
async def show_me(request: Request, served: Reading, entering: Entering) -> Me:
    """Who asks, and whose mail they see."""
    caller, assistant = served
    household = household_of(request)
    own = await household.database.read(lambda s: preferences.of(s, caller.user))
    user = await household.database.read(lambda s: users.get(s, caller.user))
    window = own.undo_window if own.undo_window is not None else household.settings.undo_window
    return Me(
        user=Person(id=caller.user, name=caller.name, role=user.role if user else "member"),
        scopes=tuple(sorted(caller.scopes)),
        csrf=secrets.csrf(entering.sessions.presented(request)) if caller.session else "",
        reasoner=assistant.reasoner,
        offline=assistant.reasoner == assistant.offline,
        sample=any(account.sample for account in assistant.accounts),
        accounts=tuple(Connected(name=one.name, kind=one.kind, address=one.address) for one in assistant.accounts),
        zone=own.zone or str(household.zone),
        undo_window=window,
    )
