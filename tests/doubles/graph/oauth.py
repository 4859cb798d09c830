"""Microsoft's authorisation server: consent without a page, tokens, and codes for devices."""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe
from urllib.parse import urlsplit

from doubles.emulating.consenting import Consent, challenge, sent_on
from doubles.emulating.wire import Answer, Request, told
from doubles.graph.calls import GraphError, GraphUser, directory_id
from doubles.graph.devices import Devices
from doubles.graph.refusing import Refused
from doubles.graph.scopes import KNOWN
from doubles.graph.tokens import IDENTITY, LOGIN, PERSONAL, Grant, cache_of, client_info, id_token
from doubles.graph.world import World

__all__ = ["AUTHORITY", "Authorisation", "Consent", "Refused", "cache_of"]

AUTHORITY = f"{LOGIN}/common"
TENANTS = ("common", "organizations", "consumers")
RESOURCE = "https://graph.microsoft.com/"
CODE_LIVES = 600.0


@dataclass
class _Code:
    grant: Grant
    redirect_uri: str
    challenge: str
    nonce: str
    offline: bool
    until: float


@dataclass
class Authorisation:
    """`lifetime` of an access token in seconds; every refresh gives a new refresh token, `rotate` ends the old one. `consent` is
    what the person at the browser will do, `refusing` an error's description with which they are sent back ("AADSTS65001: …").
    `redirects` are registered besides http://localhost. Without `public` the application has to prove itself by its secret."""

    world: World
    lifetime: int = 3599
    rotate: bool = False
    client_id: str = "5f7c3f2e-52a4-4b51-9d06-0c4c1f0d6a11"
    client_secret: str = ""
    public: bool = True
    redirects: set[str] = field(default_factory=set)
    consent: Consent = field(default_factory=Consent)
    refusing: str = ""

    def __post_init__(self) -> None:
        self.devices = Devices()
        self._access: dict[str, tuple[Grant, float]] = {}
        self._refresh: dict[str, Grant] = {}
        self._codes: dict[str, _Code] = {}

    def issue(self, user: GraphUser, granted: Collection[str]) -> None:
        """New tokens for somebody who has consented already."""
        grant = Grant(user, frozenset(granted))
        user.refresh_token = self._new_refresh(grant)
        self._new_access(grant)

    def expire(self, user: GraphUser) -> None:
        self._access = {token: known for token, known in self._access.items() if known[0].user is not user}

    def revoke(self, user: GraphUser) -> None:
        self.expire(user)
        self._refresh = {token: grant for token, grant in self._refresh.items() if grant.user is not user}

    def approve(self, user_code: str, email: str = "") -> None:
        """The person enters the code at another device, signs in, and accepts."""
        self.devices.approve(user_code, self._chosen(email))

    def decline(self, user_code: str) -> None:
        self.devices.decline(user_code)

    def lapse(self, user_code: str) -> None:
        self.devices.lapse(user_code)

    def user(self, request: Request, scopes: frozenset[str]) -> GraphUser:
        """Whose token it is. GraphError where that lives no more or has none of the scopes."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        grant, until = self._access.get(token, (None, 0.0))
        if kind.lower() != "bearer" or not token:
            raise GraphError(401, "InvalidAuthenticationToken", "Access token is empty.")
        if grant is None or until < time.monotonic():
            raise GraphError(401, "InvalidAuthenticationToken", "Lifetime validation failed, the token is expired.")
        if scopes and not grant.scopes & scopes:
            raise GraphError(403, "ErrorAccessDenied", "Access is denied. Check credentials and try again.")
        return grant.user

    def discovered(self, tenant: str) -> Answer:
        """Nobody is ever asked to trust an address without https, wherever this one is reached."""
        here = f"{LOGIN}/{tenant}/oauth2/v2.0"
        known = {name: f"{here}/{path}" for name, path in ENDPOINTS.items()}
        issuer = f"{LOGIN}/{'{tenantid}' if tenant in TENANTS else tenant}/v2.0"
        kinds = {"response_types_supported": ["code", "id_token"], "scopes_supported": sorted(IDENTITY)}
        return told({**known, **kinds, "issuer": issuer, "jwks_uri": f"{LOGIN}/{tenant}/discovery/v2.0/keys"})

    def authorise(self, asked: Mapping[str, str], tenant: str = "common") -> Answer:
        """Where the browser is sent on to. Refused where the person would see an error page."""
        redirect = self._checked(asked)
        back = {"state": asked["state"]} if "state" in asked else {}
        if self.consent.deny or self.refusing:
            said = self.refusing or "AADSTS65004: User declined to consent to access the app."
            return sent_on(redirect, {"error": "access_denied", "error_description": said, **back})
        code = f"M.C5{token_urlsafe(48)}"
        grant = Grant(self._chosen(asked.get("login_hint", "")), self._granted(asked["scope"]))
        _check_tenant(grant.user, tenant)
        offline = "offline_access" in asked["scope"].split()
        until = time.monotonic() + CODE_LIVES
        self._codes[code] = _Code(grant, redirect, asked["code_challenge"], asked.get("nonce", ""), offline, until)
        return sent_on(redirect, {"code": code, **back, "session_state": "0", **_client_info(asked, grant)})

    def device(self, form: Mapping[str, str]) -> Answer:
        self._client(form)
        _check_scopes(form.get("scope", ""))
        return self.devices.begin(form["scope"])

    def token(self, form: Mapping[str, str]) -> Answer:
        self._client(form)
        match form.get("grant_type"):
            case "authorization_code":
                return self._exchanged(form)
            case "refresh_token":
                return self._refreshed(form)
            case "urn:ietf:params:oauth:grant-type:device_code" | "device_code":
                user, scope = self.devices.outcome(form.get("device_code", ""))
                return self._tokens(Grant(user, self._granted(scope)), form, offline="offline_access" in scope)
            case other:
                raise Refused("unsupported_grant_type", 70003, f"The app requested an unsupported grant type '{other}'.")

    def _checked(self, asked: Mapping[str, str]) -> str:
        if asked.get("client_id") != self.client_id:
            raise Refused("unauthorized_client", 700016, f"Application with identifier '{asked.get('client_id')}' was not found.")
        redirect = asked.get("redirect_uri", "")
        where = urlsplit(redirect)
        loopback = (where.scheme, where.hostname, where.path.rstrip("/")) == ("http", "localhost", "")
        if not loopback and redirect not in self.redirects:
            said = f"The redirect URI '{redirect}' specified in the request does not match the redirect URIs configured."
            raise Refused("redirect_uri_mismatch", 50011, said)
        if asked.get("response_type") != "code":
            raise Refused("invalid_request", 900144, "The request body must contain the parameter 'response_type': code.")
        if asked.get("code_challenge_method") != "S256" or len(asked.get("code_challenge", "")) != 43:
            raise Refused("invalid_request", 9002325, "Proof Key for Code Exchange is required.")
        _check_scopes(asked.get("scope", ""))
        return redirect

    def _chosen(self, hint: str) -> GraphUser:
        email = self.consent.email or hint or next(iter(self.world.users), "me@outlook.example")
        return self.world.users.setdefault(email, GraphUser(email, id=directory_id(email)))

    def _granted(self, scope: str) -> frozenset[str]:
        wanted = frozenset(one.removeprefix(RESOURCE) for one in scope.split()) - IDENTITY
        return wanted if self.consent.only is None else wanted & frozenset(self.consent.only)

    def _client(self, form: Mapping[str, str]) -> None:
        if form.get("client_id") != self.client_id:
            raise Refused("unauthorized_client", 700016, f"Application with identifier '{form.get('client_id')}' was not found.")
        given = form.get("client_secret", "")
        if given and given != self.client_secret:
            raise Refused("invalid_client", 7000215, "Invalid client secret provided.", status=401)
        if not given and not self.public:
            said = "The request body must contain the following parameter: 'client_assertion' or 'client_secret'."
            raise Refused("invalid_client", 7000218, said, status=401)

    def _exchanged(self, form: Mapping[str, str]) -> Answer:
        code = self._codes.pop(form.get("code", ""), None)
        if code is None or code.until < time.monotonic():
            raise Refused("invalid_grant", 70008, "The provided authorization code or refresh token has expired.")
        if form.get("redirect_uri") != code.redirect_uri:
            raise Refused("redirect_uri_mismatch", 50011, "The reply URL does not match the one the code was asked with.")
        if challenge(form.get("code_verifier", "")) != code.challenge:
            raise Refused("invalid_grant", 501481, "The Code_Verifier does not match the code_challenge of the request.")
        return self._tokens(code.grant, form, offline=code.offline, nonce=code.nonce)

    def _refreshed(self, form: Mapping[str, str]) -> Answer:
        given = form.get("refresh_token", "")
        held = self._refresh.get(given)
        if held is None:
            said = "The refresh token has expired or the grant was revoked: the user must sign in again."
            raise Refused("invalid_grant", 700082, said, suberror="bad_token")
        _check_scopes(form.get("scope", ""))
        wanted = frozenset(one.removeprefix(RESOURCE) for one in form["scope"].split()) - IDENTITY
        if not wanted <= held.scopes:
            said = "The user or administrator has not consented to use the application."
            raise Refused("invalid_grant", 65001, said, suberror="consent_required")
        if self.rotate:
            del self._refresh[given]
        return self._tokens(held, form, offline=True)

    def _tokens(self, grant: Grant, form: Mapping[str, str], *, offline: bool, nonce: str = "") -> Answer:
        body = {
            "token_type": "Bearer",
            "scope": grant.target,
            "expires_in": self.lifetime,
            "ext_expires_in": self.lifetime,
            "access_token": self._new_access(grant),
            "id_token": id_token(grant.user, self.client_id, nonce),
            **_client_info(form, grant),
        }
        if offline:
            grant.user.refresh_token = body["refresh_token"] = self._new_refresh(grant)
        return told(body)

    def _new_access(self, grant: Grant) -> str:
        grant.user.scopes = grant.scopes
        grant.user.token = f"EwB{token_urlsafe(48)}"
        self._access[grant.user.token] = (grant, time.monotonic() + self.lifetime)
        return grant.user.token

    def _new_refresh(self, grant: Grant) -> str:
        token = f"M.C5_BAY.{token_urlsafe(48)}"
        self._refresh[token] = grant
        return token


ENDPOINTS = {
    "authorization_endpoint": "authorize",
    "token_endpoint": "token",
    "device_authorization_endpoint": "devicecode",
    "end_session_endpoint": "logout",
}


def _client_info(asked: Mapping[str, str], grant: Grant) -> dict[str, str]:
    return {"client_info": client_info(grant.user)} if asked.get("client_info") == "1" else {}


def _check_tenant(user: GraphUser, tenant: str) -> None:
    """A personal account belongs to no organisation, and the other way about."""
    personal = tenant in ("consumers", PERSONAL)
    if tenant != "common" and personal != (user.kind == "personal"):
        raise Refused("invalid_request", 50020, f"User account '{user.email}' does not exist in tenant '{tenant}'.", foreseen=True)


def _check_scopes(written: str) -> None:
    asked = {one.removeprefix(RESOURCE) for one in written.split()}
    if not asked or (unknown := asked - KNOWN - IDENTITY):
        raise Refused(
            "invalid_scope", 70011, f"The provided value for scope is not valid: {sorted(unknown) if asked else written!r}."
        )
