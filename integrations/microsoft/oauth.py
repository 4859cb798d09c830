"""Signing in at Microsoft: consent in a browser or with a code, and whose account it is."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from integrations.common.addresses import parse_address
from integrations.common.signing_in import Held, NotConnected, SignedIn, listed, told_in
from integrations.errors import AuthExpired, IntegrationError, InvalidResponse, Unavailable
from integrations.microsoft.registration import Client
from integrations.microsoft.requests import asking
from integrations.microsoft.scopes import SCOPES, short
from integrations.microsoft.tokens import entries, read
from integrations.types import Address

if TYPE_CHECKING:
    from integrations.microsoft.graph import Graph

R = TypeVar("R")

AT_WORK, AT_HOME = "https://myapps.microsoft.com", "https://account.live.com/consent/Manage"
"""Where a user sees and removes what programs may do: with an account of an organisation, and with a personal one."""
CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad"
"""The tenant of all personal accounts."""
AWAITED = {"authorization_pending", "slow_down"}
DENIED = (
    "You did not allow it at Microsoft, so nothing was connected. If it asked for an administrator's approval, get that first and "
    "sign in once more."
)
TOO_LATE = "The code was not used in time, so nothing was connected; sign in once more."


class _Signing:
    """MSAL for one attempt to sign in."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._remembered: dict[str, Any] = {}

    async def _with_msal(self, ask: Callable[[Any], R]) -> R:
        return await asyncio.to_thread(self._asked, ask)

    def _asked(self, ask: Callable[[Any], R]) -> R:
        """Leaves what is granted in the cache. Raises IntegrationError."""
        from integrations.microsoft.msal_apps import application, cache_of
        from integrations.microsoft.refusals import translated

        self._cache = cache_of()
        try:
            with application(self._client, self._cache, self._remembered) as app:
                return ask(app)
        except Exception as error:
            raise translated(error) from error

    def _secret(self, told: Mapping[str, Any]) -> str:
        """Raises NotConnected where `told`, which MSAL answers, is no grant of all that is wanted."""
        if "access_token" not in told:
            raise NotConnected(_refused(told))
        granted = short(str(told.get("scope") or " ".join(SCOPES)).split())
        if missing := [words for scope, words in SCOPES.items() if scope.lower() not in granted]:
            raise NotConnected(
                f"Microsoft did not allow the assistant to {listed(missing)}; sign in once more, and accept all of it."
            )
        if not told.get("refresh_token"):
            raise NotConnected("Microsoft gave permission for one hour only; sign in once more.")
        given = {name: value for name, value in self._client.model_dump().items() if value}
        return json.dumps({**given, "cache": self._cache.serialize()})


class Consent(_Signing):
    """One attempt to sign in in a browser. `redirect` is where Microsoft's answer is awaited, with `state` in it; `hint` the
    address of who is expected."""

    def __init__(self, client: Client, redirect: str, state: str, hint: str = "") -> None:
        super().__init__(client)
        self._state = state
        chosen = {"login_hint": hint} if hint else {"prompt": "select_account"}
        self._wanted = {"redirect_uri": redirect, "state": state, **chosen}
        self._flow: dict[str, Any] = {}

    async def begin(self) -> None:
        """Raises IntegrationError."""
        self._flow = await self._with_msal(lambda app: app.initiate_auth_code_flow(list(SCOPES), **self._wanted))

    @property
    def address(self) -> str:
        """What the user has to open in a browser, once it has begun."""
        from integrations.microsoft.msal_apps import at

        return at(str(self._flow["auth_uri"]), self._client.endpoint)

    async def exchange(self, answer: str) -> str:
        """The secret of an account, for the address that the browser was sent to. Raises NotConnected, Unavailable."""
        told = dict(told_in(answer, self._state))
        if "code" not in told:
            raise NotConnected(_refused(told))
        return self._secret(await self._with_msal(lambda app: app.acquire_token_by_auth_code_flow(self._flow, told)))


class DeviceConsent(_Signing):
    """One attempt to sign in in a browser of any machine, where a code is typed."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._flow: dict[str, Any] = {}

    async def begin(self) -> None:
        """Raises NotConnected, IntegrationError."""
        self._flow = await self._with_msal(lambda app: app.initiate_device_flow(list(SCOPES)))
        if "user_code" not in self._flow:
            raise NotConnected(_refused(self._flow))
        shown = self._flow.get("verification_uri"), self._flow["user_code"]
        if not all(isinstance(one, str) and one.isprintable() for one in shown) or not self.address.startswith("https://"):
            raise InvalidResponse("Microsoft gave no code to sign in with that can be shown.")

    @property
    def address(self) -> str:
        return str(self._flow["verification_uri"])

    @property
    def code(self) -> str:
        return str(self._flow["user_code"])

    @property
    def minutes(self) -> int:
        """For which the code can be used."""
        return round(float(self._flow["expires_in"]) / 60)

    async def granted(self) -> str:
        """The secret of an account, as soon as it is allowed. Raises NotConnected."""
        told: Mapping[str, Any] = {"error": "authorization_pending"}
        while told.get("error") in AWAITED:
            if time.time() > self._flow["expires_at"]:
                raise NotConnected(TOO_LATE)
            await asyncio.sleep(self._flow["interval"])
            told = await self._polled()
        return self._secret(told)

    async def _polled(self) -> Mapping[str, Any]:
        try:
            return await self._with_msal(lambda app: app.acquire_token_by_device_flow(self._flow, exit_condition=lambda _: True))
        except Unavailable:
            return {"error": "authorization_pending"}  # whoever types a code meanwhile need not notice


def _refused(told: Mapping[str, Any]) -> str:
    from integrations.microsoft.refusals import code_of, why

    if clause := why(told):
        return f"Microsoft refused to sign you in ({code_of(told)}): {clause}."
    match told.get("error"):
        case "access_denied" | "authorization_declined":
            return DENIED
        case "expired_token" | "code_expired":
            return TOO_LATE
    return f"Microsoft refused to sign you in ({code_of(told)}); sign in once more."


def granted(secret: str | None) -> tuple[str, ...] | None:
    """The scopes that a secret signs in for; None where it signs in no more."""
    cache = _cache_in(secret)
    if not entries(cache, "RefreshToken"):
        return None
    told = short(" ".join(str(entry.get("target", "")) for entry in entries(cache, "AccessToken")).split())
    return tuple(scope for scope in SCOPES if scope.lower() in told) or tuple(SCOPES)


def personal(secret: str | None) -> bool:
    """Whether the account belongs to no organisation, as those of outlook.com."""
    owners = (str(entry.get("home_account_id", "")) for entry in entries(_cache_in(secret), "Account"))
    return any(owner.endswith(f".{CONSUMERS}") for owner in owners)


def _cache_in(secret: str | None) -> Mapping[str, Any]:
    """As MSAL serialises it."""
    return read(read(secret).get("cache"))


async def look(held: Held, account: str, endpoint: str = "") -> SignedIn:
    """Leaves in `held` what signs in from now on. Raises IntegrationError where Microsoft does not say whose account it is,
    NotConnected where it refuses the new sign-in."""
    graph = await asyncio.to_thread(_graph, held, account, endpoint)
    try:
        return SignedIn(owner=await _owner(graph), troubles=await _troubles(graph))
    except AuthExpired as refused:
        raise NotConnected(
            "Microsoft does not take the sign-in that it has just given; wait a minute, and sign in once more."
        ) from refused
    finally:
        await graph.close()


def _graph(held: Held, account: str, endpoint: str) -> "Graph":
    from integrations.microsoft.graph import Graph

    return Graph(account, secrets=held, endpoint=endpoint)


async def _owner(graph: "Graph") -> Address:
    user = await graph.read(lambda client: asking(client.me, select=["displayName", "mail", "userPrincipalName"]))
    own = parse_address(str(user.get("mail") or user.get("userPrincipalName") or ""))
    if own is None:
        raise InvalidResponse("Microsoft does not say whose account this is.", graph.account)
    return Address(email=own.email, name=str(user.get("displayName") or ""))


async def _troubles(graph: "Graph") -> tuple[str, ...]:
    """Such as a mailbox that there is not."""
    reads = (
        graph.read(lambda client: asking(client.me.mail_folders.by_mail_folder_id("inbox"), select=["id"])),
        graph.read(lambda client: asking(client.me.calendar, select=["id"])),
        graph.read(lambda client: asking(client.me.contacts, select=["id"], top=1)),
    )
    found = await asyncio.gather(*reads, return_exceptions=True)
    return tuple(dict.fromkeys(str(trouble) for trouble in found if isinstance(trouble, IntegrationError)))
