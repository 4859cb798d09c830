"""The service, started in this process on a free port of the loopback, and clients that have entered."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from assistant.hosting import open_household
from assistant.household import Household
from assistant.service.callers import Scope
from assistant.service.entering import secrets, sessions
from assistant.service.listening import Listening
from assistant.service.serving import Service, serve, server_of, service_of
from integrations.common.certificates import usual
from storage import tokens
from storage.tables import OWNER


@dataclass
class Running:
    """`app` is the application without what stands around it."""

    url: str
    service: Service
    clients: list[httpx2.AsyncClient] = field(default_factory=list)

    @property
    def household(self) -> Household:
        return self.service.household

    @property
    def app(self) -> Any:
        return self.service.application

    @property
    def cookie(self) -> str:
        """The name of a session's cookie."""
        address = urlsplit(self.url)
        return sessions.cookie(secure=address.scheme == "https", port=address.port)

    def client(self, **headers: str) -> httpx2.AsyncClient:
        """Of a stranger."""
        client = httpx2.AsyncClient(base_url=self.url, headers=headers, timeout=30, verify=usual())
        self.clients.append(client)
        return client

    async def session(self, user: str = OWNER) -> str:
        """What the cookie of a new session holds."""
        return await self.service.entrance.sessions.begin(user, "a test")

    async def sign_in(self, user: str = OWNER) -> httpx2.AsyncClient:
        """A browser's session, which sends the header that vouches for a page of ours."""
        secret = await self.session(user)
        client = self.client(**{"X-CSRF-Token": secrets.csrf(secret)})
        client.cookies.set(self.cookie, secret)
        return client

    async def token(self, user: str = OWNER, scopes: Sequence[Scope] = ("read",)) -> str:
        token, household = secrets.fresh(secrets.TOKEN), self.household
        at, digest = household.clock(), secrets.digest(token)
        await household.database.write(
            lambda s: tokens.add(s, secrets.public_id(), digest=digest, user_id=user, name="a test", scopes=scopes, at=at)
        )
        return token

    async def bearer(self, user: str = OWNER, scopes: Sequence[Scope] = ("read",)) -> httpx2.AsyncClient:
        return self.client(Authorization=f"Bearer {await self.token(user, scopes)}")


@asynccontextmanager
async def serving(home: Path, *, listening: Listening | None = None, public_url: str = "", **more: Any) -> AsyncIterator[Running]:
    """`more` goes to `open_household`."""
    listening = listening or Listening(host="127.0.0.1", port=0)
    async with open_household(home, **more) as household:
        service = service_of(household, listening, public_url=public_url)
        sockets = listening.sockets()
        server = server_of(service, listening)
        task = asyncio.create_task(serve(service, server, sockets))
        running = Running(listening.url(sockets[0].getsockname()[1]), service)
        try:
            while not server.started:
                if task.done():
                    await task
                await asyncio.sleep(0.005)
            yield running
        finally:
            for client in running.clients:
                await client.aclose()
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@contextmanager
def serving_in_a_thread(home: Path, **more: Any) -> "Iterator[Threaded]":
    """For what drives the service from outside of an event loop: a browser, a stock client."""
    ready, loop = threading.Event(), asyncio.new_event_loop()
    state: dict[str, Any] = {}

    async def main() -> None:
        state["stop"] = asyncio.Event()
        try:
            async with serving(home, **more) as running:
                state["running"] = running
                ready.set()
                await state["stop"].wait()
        except BaseException as error:
            state["error"] = error
        finally:
            ready.set()

    thread = threading.Thread(target=loop.run_until_complete, args=(main(),))
    thread.start()
    ready.wait()
    if "error" in state:
        thread.join()
        raise state["error"]
    try:
        yield Threaded(state["running"], loop)
    finally:
        loop.call_soon_threadsafe(state["stop"].set)
        thread.join()
        loop.close()


@dataclass
class Threaded:
    running: Running
    loop: asyncio.AbstractEventLoop

    @property
    def url(self) -> str:
        return self.running.url

    def do(self, work: Any) -> Any:
        """Runs a coroutine where the service runs: `service.do(service.running.token())`."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def token(self, user: str = OWNER, scopes: Sequence[Scope] = ("read",)) -> str:
        token: str = self.do(self.running.token(user, scopes))
        return token

    def cookie(self, user: str = OWNER) -> tuple[str, str]:
        """Name and value of a new session's cookie."""
        return self.running.cookie, self.do(self.running.session(user))
