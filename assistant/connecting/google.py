"""Connecting an account at Google, and ending that."""

from typing import Any
from urllib.parse import urlsplit

from assistant.connecting.browser import Connected
from assistant.connecting.kept import LOCKED, Kept, Locked, check_name, check_provider, taken
from assistant.connecting.signing import SignIn
from assistant.errors import UserError
from integrations.errors import IntegrationError
from integrations.google import oauth
from integrations.google.oauth import Client, Consent
from integrations.registry import reconnect
from integrations.types import Address
from storage import accounts, secrets
from storage.errors import StorageError
from storage.session import Session
from storage.tables import StoredAccount

KIND = "google"
NO_CLIENT = "Give the JSON of your OAuth client; docs/google.md tells, click by click, how to get it."
NOT_A_CLIENT = (
    "That is not the file of an OAuth client of the type Desktop app or Web application; download it as JSON from your project at "
    "Google."
)
NOT_AT_GOOGLE = "That OAuth client names addresses which are not Google's; only the owner may connect through one."
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class NoClient(UserError):
    """None was given, and none is known."""


def client_of(told: Any, *, trusted: bool) -> Client:
    """Of the JSON as downloaded. One that is `trusted` may name addresses which are not Google's."""
    try:
        client = oauth.client_told(told)
        genuine = client.genuine
    except ValueError as other:
        raise UserError(NOT_A_CLIENT) from other
    if not trusted and not genuine:
        raise UserError(NOT_AT_GOOGLE)
    return client


async def known_client(kept: Kept, name: str) -> Client | None:
    """That of the account itself, or of another one."""
    for account in sorted(await kept.accounts(), key=lambda account: account.name != name):
        try:
            secret = await kept.secret(account.name) if account.kind == KIND else None
        except Locked:
            continue
        if secret and (client := oauth.client_of(secret)):
            return client
    return None


class Connecting:
    """One account of which somebody's consent is wanted. `former`: it is connected again."""

    def __init__(self, kept: Kept, name: str, client: Client, former: StoredAccount | None) -> None:
        self._kept, self.name, self._client, self.former = kept, name, client, former

    def consent(self, redirect: str, state: str) -> Consent:
        """Raises UserError where Google would not send the browser back to `redirect`."""
        if not self._client.web and urlsplit(redirect).hostname not in LOOPBACK:
            raise UserError(
                "An OAuth client of the type Desktop app can be used only in a browser on the assistant's own machine. Create one "
                f"of the type Web application at Google, with {redirect} as its redirect address, and give its JSON."
            )
        return Consent(self._client, redirect, state, self.former.address if self.former else "")

    async def finish(self, secret: str) -> Connected:
        """Looks whose account it is, and stores it. Raises UserError, IntegrationError."""
        found = await oauth.look(secret, self.name, self._client.endpoint)
        sealed = await self._kept.sealed(secret)
        settings = {"endpoint": self._client.endpoint} if self._client.endpoint else {}
        await self._kept.database.write_synced(lambda s: self._put(s, found.owner, settings, sealed))
        return Connected(
            name=self.name,
            address=found.owner.email,
            again=self.former is not None,
            may=tuple(oauth.SCOPES.values()),
            troubles=found.troubles,
        )

    def _put(self, s: Session, owner: Address, settings: dict[str, str], sealed: str) -> None:
        now, user, name = self._kept.clock(), self._kept.user, self.name
        stored = accounts.list(s, user_id=user)
        former = next((account for account in stored if account.name == name), None)
        _check_owner(name, owner, former, [a for a in stored if a.kind == KIND])
        if former:
            accounts.change(s, name, owner=owner.name or former.owner, settings=settings, user_id=user)
        else:
            accounts.add(s, name=name, kind=KIND, address=owner.email, owner=owner.name, settings=settings, at=now, user_id=user)
        secrets.put(s, name, sealed, now, user_id=user)


async def begin(kept: Kept, name: str, client: Client | None) -> Connecting:
    """Without a `client` it is that of another account. Raises UserError, StorageError."""
    check_provider(KIND)
    check_name(name)
    former = await kept.account(name)
    if former and former.kind != KIND:
        raise taken(name)
    client = client or await known_client(kept, name)
    if client is None:
        raise NoClient(NO_CLIENT)
    await kept.sealed("")  # whoever has no usable key shall not be troubled with a browser
    return Connecting(kept, name, client, former)


async def begin_told(kept: Kept, name: str, told: Any, *, trusted: bool) -> Connecting:
    """`told` is the client's JSON, None for that of another account."""
    check_provider(KIND)
    return await begin(kept, name, client_of(told, trusted=trusted) if told is not None else None)


def _check_owner(name: str, owner: Address, former: StoredAccount | None, others: list[StoredAccount]) -> None:
    if former and former.kind != KIND:
        raise taken(name)
    if former and former.address != owner.email:
        raise UserError(
            f"{name} is the account of {former.address}, but you signed in as {owner.email}; choose another name for that one."
        )
    twin = next((other.name for other in others if other.address == owner.email and other.name != name), None)
    if twin:
        raise UserError(f"{owner.email} is connected already, as {twin}; to connect it again, use that name.")


async def sign_in(kept: Kept, name: str) -> SignIn:
    try:
        check_provider(KIND)
        scopes = oauth.granted(await kept.secret(name))
    except Locked:
        return SignIn("connect again", why=LOCKED, helps=f"put the right key back, or {reconnect(KIND, name)}")
    except (UserError, StorageError) as unread:
        return SignIn("can't be used", why=str(unread))
    if scopes is None:
        return SignIn("connect again", why="It is not signed in at Google any more", helps=reconnect(KIND, name))
    return SignIn(scopes=scopes, may=tuple(oauth.SCOPES.get(scope, scope) for scope in scopes))


async def end(secret: str | None, why: str = "") -> str:
    """As of `ByBrowser`."""
    by_hand = f"take the permission back yourself at {oauth.PERMISSIONS}."
    try:
        check_provider(KIND)
        if why:
            raise UserError(why)
        if not oauth.granted(secret):
            return f"It was not signed in any more; if Google still lists this program, {by_hand}"
        await oauth.revoke(secret or "")
    except (IntegrationError, StorageError, UserError) as failed:
        return f"The permission at Google could not be taken back: {str(failed).rstrip('.')}. Please {by_hand}"
    return "The permission at Google was taken back."
