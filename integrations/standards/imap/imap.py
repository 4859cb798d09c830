"""An account's connections to its IMAP server: a few that are kept, found dead in time, and never more than the server bears."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from integrations.common.remote import Unreached, came_to_nothing
from integrations.common.retrying import read_again
from integrations.errors import IntegrationError, RateLimited, Unavailable
from integrations.standards.credentials import Credentials, Login
from integrations.standards.endpoints import Endpoint
from integrations.standards.imap.imap_errors import Lost, Server
from integrations.standards.imap.session import Listing, Session
from integrations.standards.imap.wire import Wire

R = TypeVar("R")
Work = Callable[[Session], R]

CONNECTIONS = 3
FRESH_FOR = 300.0
"""Seconds after which a connection that lay idle is not tried any more: whoever stands between may have dropped it in silence."""
CROWDED_FOR = 600.0
"""Seconds for which no connection is made beside those that are kept, once that was one too many for the server."""
LONGEST_SIGN_IN, LONGEST_READ, LONGEST_WRITE = 60.0, 180.0, 600.0
"""Seconds for one piece of work; after that its connection is cut."""


class Imap:
    """Raises the errors of `integrations.errors` only."""

    def __init__(self, account: str, endpoint: Endpoint, credentials: Credentials, *, trusted: str = "") -> None:
        self.account = account
        self._endpoint, self._credentials, self._trusted = endpoint, credentials, trusted
        self._server = Server(account, endpoint.host)
        self._listing = Listing()
        self._idle: list[tuple[float, Session]] = []
        self._beside: list[Session] = []
        self._crowded_until = float("-inf")
        self._most, self._open = CONNECTIONS, 0
        self._freed = asyncio.Condition()
        self._threads = ThreadPoolExecutor(CONNECTIONS + 1, thread_name_prefix="imap")
        self._reads: set[asyncio.Task[Any]] = set()
        self._writes: set[asyncio.Task[Any]] = set()

    async def read(self, work: Work[R]) -> R:
        """Done again, on another connection, where the one it was done on turns out dead or the server asks for a pause."""
        return await _to_the_end(read_again(lambda: self._read(work)), self._reads)

    async def write(self, work: Work[R]) -> R:
        """Done once. Ends even where whoever waits for it is cancelled."""
        return await _to_the_end(self._write(work), self._writes)

    async def connect(self) -> Session:
        """One more, beside those that are kept; whoever asks for it hangs up. It is cut where the server bears no other one."""
        if time.monotonic() < self._crowded_until:
            raise self._server.limited()
        session = await self._another()
        self._beside = [*(one for one in self._beside if not one.wire.broken), session]
        return session

    async def _another(self) -> Session:
        return await self._credentials.using(str(self._endpoint), self._signed_in)

    async def blocking(self, work: Callable[..., R], *given: Any) -> R:
        """Raises Unavailable where this was closed."""
        return await self._begun(work, *given)

    def _begun(self, work: Callable[..., R], *given: Any) -> "asyncio.Future[R]":
        try:
            return asyncio.get_running_loop().run_in_executor(self._threads, work, *given)
        except RuntimeError:
            raise self.closed() from None

    def closed(self) -> Unavailable:
        return Unavailable(f"The account {self.account} was closed.", self.account)

    async def close(self) -> None:
        """Waits for writes; reads come to an end."""
        for task in self._reads:
            task.cancel()
        await asyncio.gather(*self._reads, *self._writes, return_exceptions=True)
        idle, self._idle = self._idle, []
        await asyncio.gather(*(self.blocking(session.wire.hang_up) for _, session in idle))
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _read(self, work: Work[R]) -> R:
        session, kept = await self._taken()
        try:
            return await self._done(session, work, LONGEST_READ)
        except Lost:
            if not kept:
                raise
        return await self._read(work)  # each time with one of the kept ones less

    async def _write(self, work: Work[R]) -> R:
        return await self._done(await self._sound(), work, LONGEST_WRITE)

    async def _sound(self) -> Session:
        """A connection that answers. Whatever goes wrong before there is one, nothing has happened yet."""
        while True:
            try:
                session, kept = await read_again(self._taken)
            except IntegrationError as error:
                if came_to_nothing(error):
                    raise
                raise Unreached(str(error), self.account) from error
            if not kept or await self._done(session, Session.alive, LONGEST_READ, last=False):
                return session
            session.wire.cut()
            await self._give_back(session)

    async def _done(self, session: Session, work: Work[R], limit: float, *, last: bool = True) -> R:
        """With a connection that was taken, and given back if this is the `last` that is done with it."""
        future = self._begun(lambda: _from_the_start(session, work))
        try:
            done, _ = await asyncio.wait({future}, timeout=limit)
            if not done:
                session.wire.cut()
            return await future
        except asyncio.CancelledError:
            session.wire.cut()
            await asyncio.gather(future, return_exceptions=True)
            raise
        finally:
            if last:
                await self._give_back(session)

    async def _taken(self) -> tuple[Session, bool]:
        """A connection, and whether it was kept from before: then it may be dead."""
        async with self._freed:
            await self._freed.wait_for(lambda: self._idle or self._open < self._most)
            while self._idle:
                since, session = self._idle.pop()
                if time.monotonic() - since < FRESH_FOR:
                    return session, True
                self._closed(session)
            self._open += 1
        try:
            return await self._another(), False
        except BaseException as error:
            async with self._freed:
                self._open -= 1
                self._freed.notify()
                if not isinstance(error, RateLimited):
                    raise
                if not self._open:
                    self._make_room()
                    raise
                self._most = self._open  # the server bears no more; one of ours is waited for
        return await self._taken()

    def _make_room(self) -> None:
        """What is beside those that are kept gives way to them, for a while."""
        beside = [session for session in self._beside if not session.wire.broken]
        for session in beside:
            session.wire.cut()
        if beside:
            self._crowded_until = time.monotonic() + CROWDED_FOR

    async def _give_back(self, session: Session) -> None:
        async with self._freed:
            if session.wire.broken:
                self._closed(session)
            else:
                self._idle.append((time.monotonic(), session))
            self._freed.notify()

    def _closed(self, session: Session) -> None:
        """One less; the server may let there be as many as before again."""
        self._open, self._most = self._open - 1, CONNECTIONS
        session.wire.cut()
        session.wire.hang_up()

    async def _signed_in(self, login: Login) -> Session:
        wire = Wire(self._server, self._endpoint, self._trusted)
        opening = self._begun(self._opened, wire, login)
        try:
            async with asyncio.timeout(LONGEST_SIGN_IN):
                return await asyncio.shield(opening)
        except TimeoutError as error:
            raise self._server.unreached(error) from None
        finally:
            if not opening.done():
                wire.cut()
                opening.add_done_callback(_let_go)

    def _opened(self, wire: Wire, login: Login) -> Session:
        try:
            wire.connect()
            wire.sign_in(login)
            return Session(wire, self._listing)
        except BaseException:
            wire.cut()
            wire.hang_up()
            raise


def _let_go(opening: "asyncio.Future[Session]") -> None:
    """Nobody waits for it any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().wire.hang_up()


def _from_the_start(session: Session, work: Work[R]) -> R:
    session.begin()
    return work(session)


async def _to_the_end(work: Coroutine[Any, Any, R], under_way: set[asyncio.Task[Any]]) -> R:
    """In a task of its own, so that a connection is given back in order whatever becomes of those who wait."""
    task = asyncio.create_task(work)
    under_way.add(task)
    task.add_done_callback(under_way.discard)
    return await asyncio.shield(task)
