"""The server of the emulated Microsoft: Graph, and the authorisation server beside it."""

import json
from collections.abc import Collection, Mapping

from doubles.emulating.faults import TRIES
from doubles.emulating.server import Server
from doubles.emulating.wire import Answer, Request, RequestSeen
from doubles.graph.calls import GraphUser, Handler, Kind, directory_id
from doubles.graph.faults import Fault, Faults, Planned
from doubles.graph.front import Front
from doubles.graph.hostile import Hostile
from doubles.graph.oauth import AUTHORITY, Authorisation, cache_of
from doubles.graph.operations import OPERATIONS
from doubles.graph.scopes import SCOPES
from doubles.graph.serving import Operations
from doubles.graph.world import World

__all__ = ["TRIES", "GraphEmulator"]


class GraphEmulator(Server):
    """`lifetime` of access tokens in seconds; `rotate`: refreshing ends the refresh token that was used. `world` holds what the
    users have, `authorisation` what the person at the browser will do. `handlers` other than those of mail, calendar and contacts
    are for tests of the emulator itself."""

    name = "emulated Microsoft"

    def __init__(
        self, *, port: int = 0, lifetime: int = 3599, rotate: bool = False, handlers: Mapping[str, Handler] | None = None
    ) -> None:
        super().__init__(port)
        self.world = World()
        self.authorisation = Authorisation(self.world, lifetime=lifetime, rotate=rotate)
        self._faults = Faults()
        operations = OPERATIONS if handlers is None else Operations(handlers, OPERATIONS.models, OPERATIONS.answers)
        self._front = Front(self.authorisation, self._faults, operations)
        self._hostile = Hostile()

    async def answer(self, request: Request) -> Answer:
        return await self._front.answer(request)

    @property
    def client(self) -> dict[str, str]:
        """The registration of an application, and where Graph is. MSAL wants an authority that is reached by https, so whoever
        signs in sends what is for login.microsoftonline.com to the endpoint."""
        return {"client_id": self.authorisation.client_id, "authority": AUTHORITY, "endpoint": self.url}

    @property
    def requests(self) -> list[RequestSeen]:
        return self._front.requests

    @property
    def complaints(self) -> list[str]:
        """Requests that Graph would have refused as wrong, and own answers that break the models."""
        return self._front.complaints

    @property
    def faults_left(self) -> int:
        return self._faults.left

    @property
    def hostile(self) -> str:
        """Where a stranger listens, to whom a link may lead."""
        return self._hostile.url

    @property
    def hostile_requests(self) -> list[Request]:
        return self._hostile.requests

    def account(self, email: str, *, name: str = "", scopes: Collection[str] | None = None, kind: Kind = "work") -> GraphUser:
        """Made with live tokens when there is none, of all scopes unless told otherwise."""
        if email not in self.world.users:
            user = self.world.users[email] = GraphUser(email, name, kind, directory_id(email, kind))
            self.authorisation.issue(user, SCOPES if scopes is None else scopes)
        return self.world.users[email]

    def secret(self, user: GraphUser) -> str:
        """What is kept of an account that was connected."""
        return json.dumps({**self.client, "cache": cache_of(self.authorisation, user)})

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
        """`on` is an operation ("GET /me/messages/{message}"), "oauth.token" or the like, or None for whatever call comes next; the
        first `after` of them pass. `seconds` of slow, and of a Retry-After. `then` meets the question that follows, however often
        it is tried. hostile_link waits for answers that have a link to a next page."""
        following = Planned(then, None, TRIES) if then else None
        self._faults.plan(Planned(fault, on, times, after, seconds, following))

    def expire(self, user: GraphUser) -> None:
        """Its access tokens end; refreshing helps."""
        self.authorisation.expire(user)

    def revoke(self, user: GraphUser) -> None:
        """As when the user takes the permission back: only connecting again helps."""
        self.authorisation.revoke(user)

    def __enter__(self) -> "GraphEmulator":
        self._hostile.__enter__()
        super().__enter__()
        self.world.url = self.url
        self._front.serving.hostile = self.hostile
        return self

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._hostile.__exit__()
