"""Connecting an account at Microsoft, and ending that."""

from typing import Any
from urllib.parse import urlsplit

from assistant.connecting import consented
from assistant.connecting.browser import Connected
from assistant.connecting.consented import Allowed, NoClient
from assistant.connecting.kept import Kept, check_provider
from assistant.connecting.signing import SignIn
from assistant.errors import UserError
from integrations.common.signing_in import Held
from integrations.microsoft import oauth
from integrations.microsoft.oauth import Consent, DeviceConsent
from integrations.microsoft.registration import Client, NoTenant, client_in, client_told
from integrations.microsoft.scopes import SCOPES
from storage.tables import StoredAccount

KIND = "microsoft"
NO_CLIENT = "Give the Application (client) ID of your registration; docs/microsoft.md tells, click by click, how to get one."
NOT_A_CLIENT = (
    "That is not the Application (client) ID of a registration, such as 11111111-2222-3333-4444-555555555555; docs/microsoft.md "
    "tells where to find it."
)
NO_CLIENT_BESIDE = "Give the Application (client) ID of the registration as well."
NOT_A_TENANT = "That is not a Directory (tenant) ID; it stands beside the Application (client) ID, on the registration's Overview."
NOT_AT_MICROSOFT = "That registration names addresses which are not Microsoft's; only the owner may connect through one."
BY_HAND = "Only you yourself can take the permission back at Microsoft: remove this program at {}."


def client_of(told: Any, *, trusted: bool) -> Client:
    """One that is `trusted` may name addresses which are not Microsoft's."""
    try:
        client = client_told(told)
    except NoTenant as other:
        raise UserError(NOT_A_TENANT) from other
    except ValueError as other:
        raise UserError(NOT_A_CLIENT if told.get("client_id") else NO_CLIENT_BESIDE) from other
    if not trusted and not client.genuine:
        raise UserError(NOT_AT_MICROSOFT)
    return client


class Connecting:
    """One account of which somebody's consent is wanted. `former`: it is connected again."""

    def __init__(self, kept: Kept, name: str, client: Client, former: StoredAccount | None) -> None:
        self._kept, self.name, self._client, self.former = kept, name, client, former

    async def consent(self, redirect: str, state: str) -> Consent:
        """Raises UserError where Microsoft would not send the browser back to `redirect`, IntegrationError."""
        where = urlsplit(redirect)
        if where.scheme != "https" and where.hostname != "localhost":
            own = f"http://localhost:{where.port}" if where.port else "http://localhost"
            raise UserError(
                f"Microsoft sends the browser back only to localhost or to an address with https: open this page as {own}, sign in "
                "there, and connect the account."
            )
        consent = Consent(self._client, redirect.rstrip("/"), state, self.former.address if self.former else "")
        await consent.begin()
        return consent

    async def device_consent(self) -> DeviceConsent:
        """Raises IntegrationError."""
        consent = DeviceConsent(self._client)
        await consent.begin()
        return consent

    async def finish(self, secret: str) -> Connected:
        """Looks whose account it is, and stores it. Raises UserError, IntegrationError."""
        held = Held(secret)
        found = await oauth.look(held, self.name, self._client.endpoint)
        settings = {"personal": "yes"} if oauth.personal(secret) else {}
        if self._client.endpoint:
            settings["endpoint"] = self._client.endpoint
        await consented.store(self._kept, KIND, self.name, Allowed(found.owner, held.secret, settings))
        return Connected(
            name=self.name,
            address=found.owner.email,
            again=self.former is not None,
            may=tuple(SCOPES.values()),
            troubles=found.troubles,
        )


async def begin(kept: Kept, name: str, client: Client | None) -> Connecting:
    """Without a `client` it is that of another account. Raises UserError, StorageError."""
    former = await consented.former_of(kept, KIND, name)
    client = client or await consented.known_client(kept, KIND, name, client_in)
    if client is None:
        raise NoClient(NO_CLIENT)
    return Connecting(kept, name, client, former)


async def begin_told(kept: Kept, name: str, told: Any, *, trusted: bool) -> Connecting:
    """`told` has the registration's `client_id`, perhaps a `tenant` and a `client_secret`; None for that of another account."""
    check_provider(KIND)
    return await begin(kept, name, client_of(told, trusted=trusted) if told is not None else None)


async def sign_in(kept: Kept, name: str) -> SignIn:
    return await consented.sign_in(kept, KIND, name, oauth.granted, SCOPES)


async def end(secret: str | None, why: str = "") -> str:
    """As of `ByBrowser`."""
    if why or not secret:
        return BY_HAND.format(f"{oauth.AT_HOME} (a personal account) or {oauth.AT_WORK} (one of work or school)")
    return BY_HAND.format(oauth.AT_HOME if oauth.personal(secret) else oauth.AT_WORK)
