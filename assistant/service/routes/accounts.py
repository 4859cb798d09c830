"""The accounts that somebody has connected."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.params import Query
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from assistant.connecting import accounts, local
from assistant.connecting.browser import BY_BROWSER, ByBrowser, by_browser
from assistant.connecting.kept import check_provider
from assistant.connecting.signing import SignIn
from assistant.errors import Unknown, UserError
from assistant.service.callers import Managing, Reading, household_of
from assistant.service.connecting import Came, answer_address, attempts_of, kept_for
from assistant.service.problems import Problem
from integrations.registry import PROVIDERS, AccountConfig

router = APIRouter(prefix="/api/accounts", tags=["accounts"])

FOLDERS_ARE_THE_OWNERS = "Only the owner may connect folders of the machine on which the assistant runs."


class AccountView(BaseModel):
    """`state`: connected, connect again or can't be used; `trouble` says why, `helps` what helps in a terminal; `may`: what it is
    used for, in words."""

    name: str
    kind: str
    address: str
    owner: str
    state: str
    trouble: str
    helps: str
    may: tuple[str, ...]
    sample: bool


class KindView(BaseModel):
    """A kind of account that could be connected. `lacks` is a sentence that says what is missing for it, empty where nothing is."""

    kind: str
    by_browser: bool
    lacks: str


class AccountsView(BaseModel):
    items: tuple[AccountView, ...]
    kinds: tuple[KindView, ...]


class Folders(BaseModel):
    """Paths on the assistant's own machine; `create` makes those that are not there."""

    name: str = "local"
    address: str
    mail: str = ""
    calendars: str = ""
    contacts: str = ""
    create: bool = False


class Wanted(BaseModel):
    """`client` is the program's registration with the provider as downloaded there; without it, that of another account."""

    name: str
    client: dict[str, Any] | None = Field(default=None)


class SignInPage(BaseModel):
    """`address` is to be opened in the browser."""

    address: str


class Says(BaseModel):
    says: str


@router.get("")
async def list_accounts(request: Request, served: Reading) -> AccountsView:
    """With the kinds that could be connected."""
    configs = served.assistant.accounts
    signed = await accounts.sign_ins(kept_for(request, served), configs)
    return AccountsView(
        items=tuple(_view(config, signed.get(config.name, SignIn())) for config in configs),
        kinds=tuple(KindView(kind=kind, by_browser=kind in BY_BROWSER, lacks=_lacks(kind)) for kind in PROVIDERS),
    )


@router.post("/local")
async def connect_folders(request: Request, served: Managing, wanted: Folders) -> AccountView:
    """Folders of the machine on which the service runs: a Maildir++, .ics and .vcf files. For the owner alone."""
    if not served.caller.owner:
        raise Problem(403, FOLDERS_ARE_THE_OWNERS)
    given = {kind: Path(path) for kind in ("mail", "calendars", "contacts") if (path := getattr(wanted, kind).strip())}
    kept = kept_for(request, served)
    config = await local.connect(kept, wanted.name.strip(), wanted.address, given, create=wanted.create)
    await household_of(request).reopen(served.caller.user)
    return _view(config, SignIn())


@router.get("/attempts/{name}")
async def show_attempt(request: Request, served: Managing, name: str) -> Came:
    """What came of connecting an account, for the session that did it."""
    came = attempts_of(request).told(served.caller, name)
    if came is None:
        raise Unknown("Nothing is known of this sign-in any more.")
    return came


@router.post("/{kind}")
async def connect_account(request: Request, served: Managing, kind: str, wanted: Wanted) -> SignInPage:
    """Begins to connect an account that is allowed in a browser."""
    module = _by_browser(kind)
    kept = kept_for(request, served)
    connecting = await module.begin_told(kept, wanted.name.strip(), wanted.client, trusted=served.caller.owner)
    return SignInPage(address=await attempts_of(request).begin(served.caller, kind, connecting, answer_address(request, kind)))


@router.get("/{kind}/answer", status_code=303, response_class=RedirectResponse)
async def finish_connecting(
    request: Request,
    served: Managing,
    kind: str,
    state: Annotated[str, Query(description="As the provider was given it.")] = "",
) -> RedirectResponse:
    """The provider sends the browser here. What came of it is shown on the page."""
    _by_browser(kind)
    reopen = household_of(request).reopen
    name = await attempts_of(request).answered(served.caller, kind, str(request.url), reopen)
    return RedirectResponse(f"/#/accounts?attempt={name}", 303)


@router.delete("/{name:path}")
async def disconnect_account(request: Request, served: Managing, name: str) -> Says:
    """What the provider allowed is taken back there. Refused while writes through the account are still to go out."""
    says = await accounts.remove(kept_for(request, served), name)
    await household_of(request).reopen(served.caller.user)
    return Says(says=says)


def _by_browser(kind: str) -> ByBrowser:
    found = by_browser(kind)
    if found is None:
        raise Unknown(f"There are no {kind} accounts that are connected in a browser; there are: {', '.join(BY_BROWSER)}.")
    return found


def _lacks(kind: str) -> str:
    try:
        check_provider(kind)
    except UserError as missing:
        return str(missing)
    return ""


def _view(config: AccountConfig, signed: SignIn) -> AccountView:
    return AccountView(
        **config.model_dump(include={"name", "kind", "address", "owner", "sample"}),
        state=signed.state,
        trouble=signed.why,
        helps=signed.helps,
        may=signed.may or _folders(config.settings),
    )


def _folders(settings: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{kind} in {path}" for kind, path in settings.items() if kind in ("mail", "calendars", "contacts"))
