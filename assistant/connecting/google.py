"""Connecting an account at Google, and ending that."""

from typing import Any
from urllib.parse import urlsplit

from assistant.connecting import consented
from assistant.connecting.browser import Connected
from assistant.connecting.consented import Allowed, NoClient
from assistant.connecting.kept import Kept, check_provider
from assistant.connecting.signing import SignIn
from assistant.errors import UserError
from integrations.errors import IntegrationError
from integrations.google import oauth
from integrations.google.oauth import Client, Consent
from storage.errors import StorageError
from storage.tables import StoredAccount

KIND = "google"
NO_CLIENT = "Give the JSON of your OAuth client; docs/google.md tells, click by click, how to get it."
NOT_A_CLIENT = (
    "That is not the file of an OAuth client of the type Desktop app or Web application; download it as JSON from your project at "
    "Google."
)
NOT_AT_GOOGLE = "That OAuth client names addresses which are not Google's; only the owner may connect through one."
LOOPBACK = ("127.0.0.1", "localhost", "::1")


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


class Connecting:
    """One account of which somebody's consent is wanted. `former`: it is connected again."""

    def __init__(self, kept: Kept, name: str, client: Client, former: StoredAccount | None) -> None:
        self._kept, self.name, self._client, self.former = kept, name, client, former

    async def consent(self, redirect: str, state: str) -> Consent:
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
        settings = {"endpoint": self._client.endpoint} if self._client.endpoint else {}
        await consented.store(self._kept, KIND, self.name, Allowed(found.owner, secret, settings))
        return Connected(
            name=self.name,
            address=found.owner.email,
            again=self.former is not None,
            may=tuple(oauth.SCOPES.values()),
            troubles=found.troubles,
        )


async def begin(kept: Kept, name: str, client: Client | None) -> Connecting:
    """Without a `client` it is that of another account. Raises UserError, StorageError."""
    former = await consented.former_of(kept, KIND, name)
    client = client or await consented.known_client(kept, KIND, name, oauth.client_of)
    if client is None:
        raise NoClient(NO_CLIENT)
    return Connecting(kept, name, client, former)


async def begin_told(kept: Kept, name: str, told: Any, *, trusted: bool) -> Connecting:
    """`told` is the client's JSON, None for that of another account."""
    check_provider(KIND)
    return await begin(kept, name, client_of(told, trusted=trusted) if told is not None else None)


async def sign_in(kept: Kept, name: str) -> SignIn:
    return await consented.sign_in(kept, KIND, name, oauth.granted, oauth.SCOPES)


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
