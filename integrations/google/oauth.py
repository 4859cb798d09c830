"""Signing in at Google: consent with PKCE, whose account it is, and taking the permission back."""

import asyncio
import json
import logging
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from pydantic import Field, ValidationError

from integrations.common.addresses import parse_address
from integrations.common.signing_in import Held, NotConnected, SignedIn, listed, told_in
from integrations.errors import AuthExpired, IntegrationError, InvalidResponse, Unavailable
from integrations.types import Address, Value

if TYPE_CHECKING:
    from google_auth_oauthlib.flow import Flow

    from integrations.google.google import Google

SCOPES = {
    "https://www.googleapis.com/auth/gmail.modify": "read, write, send and file your mail",
    "https://www.googleapis.com/auth/calendar.calendarlist.readonly": "see which calendars you have",
    "https://www.googleapis.com/auth/calendar.events": "read and change the events in them",
    "https://www.googleapis.com/auth/calendar.freebusy": "see when you and others are busy",
    "https://www.googleapis.com/auth/contacts": "read and change your contacts",
}
"""The least that covers what an account is for, with what each allows."""
PERMISSIONS = "https://myaccount.google.com/connections"
"""Where a user sees and removes what programs may do."""
HOSTS = ("accounts.google.com", "oauth2.googleapis.com")
"""At which Google signs people in."""
PATIENCE = 30.0
"""Seconds for an answer of Google's."""
UNKNOWN = (
    "Google does not know this OAuth client, or its secret was replaced; download its JSON anew, and give it once more "
    "(--client FILE)."
)
INSECURE = "The file of the OAuth client names an address without https; download its JSON anew from your project at Google."


class Client(Value):
    """What Google calls an OAuth client, of the type Web application (`web`) or Desktop app. `endpoint` is the root of the APIs
    where they are not Google's."""

    client_id: str
    client_secret: str = Field(repr=False)
    auth_uri: str
    token_uri: str
    endpoint: str = ""
    web: bool = False

    @property
    def genuine(self) -> bool:
        """Whether all that is sent goes to Google."""
        asked = urlsplit(self.auth_uri), urlsplit(self.token_uri)
        return not self.endpoint and all(one.scheme == "https" and one.netloc in HOSTS for one in asked)


def client_in(file: Path) -> Client:
    """Of the type Desktop app, as downloaded from Google. Raises ValueError where it is something else, OSError."""
    client = client_told(json.loads(file.read_text(encoding="utf-8")))
    if client.web:
        raise ValueError("a client of the type Web application")
    return client


def client_told(told: Any) -> Client:
    """Of the JSON as downloaded from Google. Raises ValueError where it is something else."""
    for name in ("installed", "web"):
        if isinstance(told, dict) and isinstance(told.get(name), dict):
            return _client({**told[name], "web": name == "web"})
    raise ValueError("no client")


def client_of(secret: str) -> Client | None:
    """The one that somebody signed in with, where it is told whole."""
    try:
        return _client(json.loads(secret))
    except ValueError:
        return None


def _client(told: dict[str, Any]) -> Client:
    try:
        return Client(**{name: told[name] for name in Client.model_fields if name in told})
    except ValidationError as wrong:
        raise ValueError("no client") from wrong


class Consent:
    """One attempt to sign in. `redirect` is where Google's answer is awaited, with `state` in it; `hint` the address of who is
    expected."""

    def __init__(self, client: Client, redirect: str, state: str, hint: str = "") -> None:
        self._client, self._redirect, self._state, self._hint = client, redirect, state, hint

    @cached_property
    def address(self) -> str:
        """What the user has to open in a browser. Raises NotConnected."""
        from oauthlib.oauth2 import InsecureTransportError

        # Without "consent" there is no refresh token for who has consented before.
        options = {"access_type": "offline", "prompt": "consent", "state": self._state}
        try:
            address, _ = self._flow.authorization_url(**options, **({"login_hint": self._hint} if self._hint else {}))
        except InsecureTransportError as insecure:
            raise NotConnected(INSECURE) from insecure
        return str(address)

    async def exchange(self, answer: str) -> str:
        """The secret of an account, for the address that the browser was sent to. Raises NotConnected, Unavailable."""
        code = self._code(answer)
        told = await asyncio.to_thread(self._fetch, code)
        granted = list(told.get("scope", ()))
        if missing := [words for scope, words in SCOPES.items() if scope not in granted]:
            raise NotConnected(f"You did not allow the assistant to {listed(missing)}; sign in once more, and tick every box.")
        if not told.get("refresh_token"):
            raise NotConnected("Google gave permission for one hour only; sign in once more.")
        return self._secret()

    @cached_property
    def _flow(self) -> "Flow":
        from google_auth_oauthlib.flow import Flow

        logging.getLogger("requests_oauthlib").setLevel(logging.INFO)  # below that it writes tokens into the log
        installed = {"installed": self._client.model_dump()}  # the library makes no difference between the types
        flow = Flow.from_client_config(installed, list(SCOPES), redirect_uri=self._redirect, autogenerate_code_verifier=True)
        flow.oauth2session.max_redirects = 0  # what is sent is secret, and followed to whatever host
        return flow

    def _code(self, answer: str) -> str:
        told = told_in(answer, self._state)
        if told.get("error") == "access_denied":
            raise NotConnected("You did not allow it at Google, so nothing was connected.")
        if "code" not in told:
            raise NotConnected(f"Google refused to sign you in ({told.get('error', 'without a reason')}).")
        return told["code"]

    def _fetch(self, code: str) -> dict[str, Any]:
        """The answer of the token endpoint; its scope as a list."""
        from oauthlib.oauth2 import OAuth2Error
        from requests import RequestException

        try:
            told = self._flow.fetch_token(code=code, include_client_id=True, timeout=PATIENCE)
        except OAuth2Error as refused:
            if refused.error == "invalid_client":
                raise NotConnected(UNKNOWN) from refused
            raise NotConnected(f"Google refused to sign you in ({refused.error}); sign in once more.") from refused
        except RequestException as down:
            raise Unavailable("Google can't be reached just now to sign in.") from down
        except Warning as other:  # how oauthlib tells of other scopes than were asked for
            self._flow.oauth2session.token = told = getattr(other, "token", {})
        except ValueError as unreadable:
            raise InvalidResponse("Google gave an answer to signing in that can't be read.") from unreadable
        return dict(told)

    def _secret(self) -> str:
        """As google-auth writes it, with the client, so that its file is needed once only."""
        signed = json.loads(self._flow.credentials.to_json())
        client = {"auth_uri": self._client.auth_uri, "endpoint": self._client.endpoint, "web": self._client.web}
        return json.dumps({**signed, "scopes": list(SCOPES), **client})


def granted(secret: str | None) -> tuple[str, ...] | None:
    """The scopes that a secret signs in for; None where it signs in no more."""
    told = json.loads(secret) if secret else {}
    return tuple(told.get("scopes") or SCOPES) if told.get("refresh_token") else None


async def look(secret: str, account: str, endpoint: str = "") -> SignedIn:
    """Raises IntegrationError where Google does not say whose account it is, NotConnected where it refuses the new sign-in."""
    from integrations.google.google import Google

    google = Google(account, secrets=Held(secret), endpoint=endpoint)
    try:
        return SignedIn(owner=await _owner(google), troubles=await _troubles(google))
    except AuthExpired as refused:
        raise NotConnected(
            "Google does not take the sign-in that it has just given; wait a minute, and sign in once more."
        ) from refused
    finally:
        await google.close()


async def _owner(google: "Google") -> Address:
    profile = await google.read(lambda api: api.gmail.users().getProfile(userId="me"))
    own = parse_address(str(profile.get("emailAddress", "")))
    if own is None:
        raise InvalidResponse("Google does not say whose account this is.", google.account)
    aliases = await google.read(lambda api: api.gmail.users().settings().sendAs().list(userId="me"))
    primary: dict[str, str] = next((alias for alias in aliases.get("sendAs", ()) if alias.get("isPrimary")), {})
    return Address(email=own.email, name=primary.get("displayName", ""))


async def _troubles(google: "Google") -> tuple[str, ...]:
    """Such as an API that is not enabled yet."""
    reads = (
        google.read(lambda api: api.calendar.calendarList().list(maxResults=1)),
        google.read(lambda api: api.people.people().connections().list(resourceName="people/me", personFields="names", pageSize=1)),
    )
    found = await asyncio.gather(*reads, return_exceptions=True)
    return tuple(str(trouble) for trouble in found if isinstance(trouble, IntegrationError))


async def revoke(secret: str) -> None:
    """Ends what Google allowed. Raises Unavailable, InvalidResponse."""
    told = json.loads(secret)
    token = told.get("refresh_token") or told.get("token")
    if token:
        await asyncio.to_thread(_revoke, urljoin(told["token_uri"], "revoke"), token)


def _revoke(address: str, token: str) -> None:
    from requests import RequestException, post

    try:
        answer = post(address, data={"token": token}, timeout=PATIENCE, allow_redirects=False)
    except RequestException as down:
        raise Unavailable("Google can't be reached just now.") from down
    if answer.status_code >= 300 and "invalid_token" not in answer.text:  # that one has ended already
        raise InvalidResponse(f"Google refused it (HTTP {answer.status_code}).")
