"""The server: an asyncio loop in a thread of its own, so that whatever handlers do is done one after the other."""

import asyncio
import json
import threading
from collections.abc import Collection, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from doubles.google import calendar, gmail, people
from doubles.google.calls import GoogleUser, Handler
from doubles.google.discovery import scopes as all_scopes
from doubles.google.faults import Fault, Faults, Planned
from doubles.google.front import Front
from doubles.google.oauth import Authorisation
from doubles.google.serving import RequestSeen
from doubles.google.wire import Dropped, Request
from doubles.google.world import World
from doubles.http1 import receive, reset

T = TypeVar("T")
HANDLERS: Mapping[str, Handler] = {**gmail.HANDLERS, **calendar.HANDLERS, **people.HANDLERS}
LONGEST_HEAD = 2**20
TRIES = 4
"""As often as a question is asked again."""


class GoogleEmulator:
    """`lifetime` of access tokens in seconds; `rotate`: refreshing gives a new refresh token as well. `world` holds what the users
    have, `authorisation` what the person at the browser will do. `handlers` other than those of the three APIs are for tests of the
    emulator itself."""

    def __init__(
        self, *, port: int = 0, lifetime: int = 3599, rotate: bool = False, handlers: Mapping[str, Handler] | None = None
    ) -> None:
        self.port = port
        self.world = World()
        self.authorisation = Authorisation(self.world, lifetime=lifetime, rotate=rotate)
        self._faults = Faults()
        self._front = Front(self.authorisation, self._faults, HANDLERS if handlers is None else handlers)
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

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
        following = Planned(then, None, TRIES, 0, None) if then else None
        self._faults.plan(Planned(fault, on, times, after, seconds, following))

    def expire(self, user: GoogleUser) -> None:
        """Its access tokens end; refreshing helps."""
        self.authorisation.expire(user)

    def revoke(self, user: GoogleUser) -> None:
        """As when the user takes the permission back: only connecting again helps."""
        self.authorisation.revoke(user)

    def hang_up(self) -> None:
        """Every open connection is reset."""
        self._do(self._hang_up())

    @contextmanager
    def down(self) -> Iterator[None]:
        """Nobody listens meanwhile, and what was open is reset."""
        self._do(self._close())
        try:
            yield
        finally:
            self._do(self._listen())

    def __enter__(self) -> "GoogleEmulator":
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="emulated Google", daemon=True)
        self._thread.start()
        self._do(self._listen())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._close())
        self._do(self._finish())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1024, limit=LONGEST_HEAD)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        self._server.close()
        await self._hang_up()

    async def _hang_up(self) -> None:
        for writer in list(self._open):
            reset(writer)

    async def _finish(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while received := await receive(reader):
                request = Request.to(received.method, received.target, received.headers, received.body)
                writer.write((await self._front.answer(request)).written)
                await writer.drain()
        except (Dropped, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()
