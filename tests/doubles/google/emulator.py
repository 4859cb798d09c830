"""The server of the emulated Google."""

import json
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from doubles.emulating.faults import TRIES
from doubles.emulating.server import Server
from doubles.emulating.wire import Answer, RequestSeen
from doubles.google import calendar, gmail, people
from doubles.google.calls import GoogleUser, Handler
from doubles.google.discovery import scopes as all_scopes
from doubles.google.faults import Fault, Faults, Planned
from doubles.google.front import Front
from doubles.google.oauth import Authorisation
from doubles.google.wire import Request
from doubles.google.world import World

HANDLERS: Mapping[str, Handler] = {**gmail.HANDLERS, **calendar.HANDLERS, **people.HANDLERS}


class GoogleEmulator(Server):
    """`lifetime` of access tokens in seconds; `rotate`: refreshing gives a new refresh token as well. `world` holds what the users
    have, `authorisation` what the person at the browser will do. `handlers` other than those of the three APIs are for tests of the
    emulator itself."""

    name = "emulated Google"
    request = Request

    def __init__(
        self, *, port: int = 0, lifetime: int = 3599, rotate: bool = False, handlers: Mapping[str, Handler] | None = None
    ) -> None:
        super().__init__(port)
        self.world = World()
        self.authorisation = Authorisation(self.world, lifetime=lifetime, rotate=rotate)
        self._faults = Faults()
        self._front = Front(self.authorisation, self._faults, HANDLERS if handlers is None else handlers)

    async def answer(self, request: Request) -> Answer:
        return await self._front.answer(request)

    @property
    def client(self) -> dict[str, Any]:
        """What Google lets one download for an OAuth client, and where the APIs are."""
        client = {
            "client_id": self.authorisation.client_id,
            "client_secret": self.authorisation.client_secret,
            "project_id": "emulated",
            "auth_uri": f"{self.url}/o/oauth2/v2/auth",
            "token_uri": f"{self.url}/token",
            "redirect_uris": ["http://localhost"],
            "endpoint": self.url,
        }
        return {"installed": client}

    @property
    def requests(self) -> list[RequestSeen]:
        return self._front.requests

    @property
    def complaints(self) -> list[str]:
        """Requests that Google would have refused as wrong, and own answers that break the schema."""
        return self._front.complaints

    @property
    def faults_left(self) -> int:
        return self._faults.left

    def account(self, email: str, *, name: str = "", scopes: Collection[str] | None = None) -> GoogleUser:
        """Made with live tokens when there is none, of all scopes unless told otherwise."""
        if email not in self.world.users:
            user = self.world.users[email] = GoogleUser(email, name)
            self.authorisation.issue(user, all_scopes() if scopes is None else scopes)
        return self.world.users[email]

    def secret(self, user: GoogleUser) -> str:
        """What is kept of an account that was connected, as google-auth's credentials write themselves."""
        client = self.client["installed"]
        known = {name: client[name] for name in ("client_id", "client_secret", "token_uri")}
        until = datetime.now(UTC) + timedelta(seconds=self.authorisation.lifetime)
        known |= {"token": user.token, "refresh_token": user.refresh_token, "scopes": sorted(user.scopes)}
        return json.dumps({**known, "expiry": f"{until:%Y-%m-%dT%H:%M:%S}Z"})

    def fail(
        self,
        fault: Fault,
        on: str | None = None,
        times: int = 1,
        *,
        after: int = 0,
        seconds: float | None = None,
        then: Fault | None = None,
    ) -> None:
        """`on` is a method's id, "oauth.token", "oauth.revoke", or None for whatever API call comes next; the first `after` of
        them pass. `seconds` of slow, and of a Retry-After. `then` meets the question that follows, however often it is tried."""
        following = Planned(then, None, TRIES) if then else None
        self._faults.plan(Planned(fault, on, times, after, seconds, following))

    def expire(self, user: GoogleUser) -> None:
        """Its access tokens end; refreshing helps."""
        self.authorisation.expire(user)

    def revoke(self, user: GoogleUser) -> None:
        """As when the user takes the permission back: only connecting again helps."""
        self.authorisation.revoke(user)
