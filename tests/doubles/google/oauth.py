"""Google's authorisation server: consent without a page, tokens, revocation."""

import base64
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlsplit

from doubles.emulating.consenting import Consent, challenge, sent_on
from doubles.emulating.wire import Answer, told
from doubles.google.calls import ApiError, GoogleUser
from doubles.google.discovery import Method, scopes
from doubles.google.wire import Request
from doubles.google.world import World

IDENTITY = frozenset(
    [
        "openid",
        "email",
        "profile",
        "https://www.googleapis.com/auth/userinfo.email",
        "https://www.googleapis.com/auth/userinfo.profile",
    ]
)
"""Scopes that any application may ask for."""
CODE_LIVES = 600.0


class Refused(Exception):
    """An error of OAuth: its name, and what it is about."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(f"{error}: {description}")
        self.answer = told({"error": error, "error_description": description}, status)
        self.complaint = error in ("invalid_request", "redirect_uri_mismatch", "invalid_scope", "unsupported_grant_type")


@dataclass
class _Grant:
    user: GoogleUser
    scopes: frozenset[str]


@dataclass
class _Code:
    grant: _Grant
    redirect_uri: str
    challenge: str
    offline: bool
    until: float


class Authorisation:
    """`lifetime` of an access token in seconds; `rotate`: a refresh gives a new refresh token and ends the old one."""

    def __init__(self, world: World, *, lifetime: int = 3599, rotate: bool = False) -> None:
        self.world, self.lifetime, self.rotate = world, lifetime, rotate
        self.client_id = "1234567890-emulated.apps.googleusercontent.com"
        self.client_secret = "GOCSPX-emulated"
        self.consent = Consent()
        self._access: dict[str, tuple[_Grant, float]] = {}
        self._refresh: dict[str, _Grant] = {}
        self._codes: dict[str, _Code] = {}
        self._consented: set[str] = set()

    def issue(self, user: GoogleUser, granted: Collection[str]) -> None:
        """New tokens for somebody who has consented already."""
        grant = _Grant(user, frozenset(granted))
        user.refresh_token = self._new_refresh(grant)
        self._new_access(grant)
        self._consented.add(user.email)

    def expire(self, user: GoogleUser) -> None:
        self._access = {token: known for token, known in self._access.items() if known[0].user is not user}

    def revoke(self, user: GoogleUser) -> None:
        self.expire(user)
        self._refresh = {token: grant for token, grant in self._refresh.items() if grant.user is not user}
        self._consented.discard(user.email)

    def user(self, request: Request, method: Method) -> GoogleUser:
        """Whose token it is. ApiError where that lives no more or lacks the scope for the method."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        grant, until = self._access.get(token, (None, 0.0))
        if kind.lower() != "bearer" or grant is None or until < time.monotonic():
            raise ApiError(401, "authError", "Request had invalid authentication credentials.")
        if not grant.scopes & method.scopes:
            raise ApiError(403, "insufficientPermissions", "Request had insufficient authentication scopes.")
        return grant.user

    def authorise(self, asked: Mapping[str, str]) -> Answer:
        """Where the browser is sent on to. Refused where the person would see an error page."""
        redirect = self._checked(asked)
        back = {"state": asked["state"]} if "state" in asked else {}
        if self.consent.deny:
            return sent_on(redirect, {"error": "access_denied", **back})
        wanted = frozenset(asked["scope"].split())
        granted = wanted if self.consent.only is None else wanted & (frozenset(self.consent.only) | IDENTITY)
        user = self._chosen(asked.get("login_hint", ""))
        again = "consent" in asked.get("prompt", "").split()
        offline = asked.get("access_type") == "offline" and (again or user.email not in self._consented)
        code = f"4/0{token_urlsafe(32)}"
        until = time.monotonic() + CODE_LIVES
        self._codes[code] = _Code(_Grant(user, granted), redirect, asked["code_challenge"], offline, until)
        self._consented.add(user.email)
        return sent_on(redirect, {**back, "code": code, "scope": " ".join(sorted(granted))})

    def token(self, request: Request) -> Answer:
        form = request.form
        self._client(form, request.headers.get("authorization", ""))
        match form.get("grant_type"):
            case "authorization_code":
                return self._exchanged(form)
            case "refresh_token":
                return self._refreshed(form)
            case other:
                raise Refused("unsupported_grant_type", f"Invalid grant_type: {other}")

    def revoked(self, token: str) -> Answer:
        """Either token ends the whole grant."""
        grant = self._refresh.get(token) or self._access.get(token, (None, 0.0))[0]
        if grant is None:
            raise Refused("invalid_token", "Token expired or revoked")
        self.revoke(grant.user)
        return told({})

    def _checked(self, asked: Mapping[str, str]) -> str:
        if asked.get("client_id") != self.client_id:
            raise Refused("invalid_client", "The OAuth client was not found.", 401)
        redirect = asked.get("redirect_uri", "")
        where = urlsplit(redirect)
        if where.scheme != "http" or where.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise Refused("redirect_uri_mismatch", f"{redirect!r} is no loopback address")
        if asked.get("response_type") != "code":
            raise Refused("invalid_request", "response_type=code is wanted")
        if asked.get("code_challenge_method") != "S256" or len(asked.get("code_challenge", "")) != 43:
            raise Refused("invalid_request", "code_challenge of method S256 is wanted")
        if unknown := set(asked.get("scope", "").split() or [""]) - scopes() - IDENTITY:
            raise Refused("invalid_scope", f"Some requested scopes were invalid: {sorted(unknown)}")
        return redirect

    def _chosen(self, hint: str) -> GoogleUser:
        email = self.consent.email or hint or next(iter(self.world.users), "me@gmail.example")
        return self.world.users.setdefault(email, GoogleUser(email))

    def _client(self, form: Mapping[str, str], authorization: str) -> None:
        """Named in the form, or by Basic authorisation."""
        kind, _, encoded = authorization.partition(" ")
        known = f"{self.client_id}:{self.client_secret}"
        told = base64.b64decode(encoded).decode() if kind == "Basic" else f"{form.get('client_id')}:{form.get('client_secret')}"
        if told != known:
            raise Refused("invalid_client", "The OAuth client was not found.", 401)

    def _exchanged(self, form: Mapping[str, str]) -> Answer:
        code = self._codes.pop(form.get("code", ""), None)
        if code is None or code.until < time.monotonic():
            raise Refused("invalid_grant", "Malformed auth code.")
        if form.get("redirect_uri") != code.redirect_uri:
            raise Refused("redirect_uri_mismatch", "Bad Request")
        if challenge(form.get("code_verifier", "")) != code.challenge:
            raise Refused("invalid_grant", "Invalid code verifier.")
        more = {}
        if code.offline:
            code.grant.user.refresh_token = more["refresh_token"] = self._new_refresh(code.grant)
        return self._tokens(code.grant, more)

    def _refreshed(self, form: Mapping[str, str]) -> Answer:
        given = form.get("refresh_token", "")
        grant = self._refresh.get(given)
        if grant is None:
            raise Refused("invalid_grant", "Token has been expired or revoked.")
        more = {}
        if self.rotate:
            del self._refresh[given]
            grant.user.refresh_token = more["refresh_token"] = self._new_refresh(grant)
        return self._tokens(grant, more)

    def _tokens(self, grant: _Grant, more: Mapping[str, str]) -> Answer:
        body: dict[str, Any] = {"access_token": self._new_access(grant), "expires_in": self.lifetime, **more}
        return told({**body, "scope": " ".join(sorted(grant.scopes)), "token_type": "Bearer"})

    def _new_access(self, grant: _Grant) -> str:
        grant.user.scopes = grant.scopes
        grant.user.token = f"ya29.{token_urlsafe(32)}"
        self._access[grant.user.token] = (grant, time.monotonic() + self.lifetime)
        return grant.user.token

    def _new_refresh(self, grant: _Grant) -> str:
        token = f"1//0{token_urlsafe(32)}"
        self._refresh[token] = grant
        return token
