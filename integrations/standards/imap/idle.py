"""Waiting for new mail: the server tells over a connection of its own (IDLE, RFC 2177), or is asked now and then."""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable
from typing import TypeVar

from integrations.errors import AuthExpired, IntegrationError, RateLimited
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.session import Session
from integrations.types import INBOX

R = TypeVar("R")

RENEWED = 9 * 60.0
"""Seconds of silence after which it is looked whether the server is still there. It would wait 29 minutes, but routers do not."""
LOOK = 3 * 60.0
"""Seconds between two looks where the server does not tell by itself."""
PAUSE, LONGEST_PAUSE = 2.0, 5 * 60.0
"""Seconds before it is connected anew, doubled each time."""
LULL = 1.0
"""Seconds between two looks at least: some servers tell of every flag, and mails may come close together."""


class Idle:
    def __init__(self, imap: Imap) -> None:
        self._imap = imap
        self._session: Session | None = None
        self._tells, self._looked = True, float("-inf")
        self._seen: tuple[int, int] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._hearing: asyncio.Task[None] | None = None
        self._closed = False

    async def news(self) -> None:
        """As in `registry.Tells`. The first time it counts from now on. What came while there was no connection counts as well."""
        async with self._one_at_a_time:
            if self._closed:
                raise self._imap.closed()
            self._hearing = asyncio.create_task(self._heard())
            try:
                await self._hearing
            except asyncio.CancelledError:
                if self._closed:
                    raise self._imap.closed() from None
                if self._session is not None:
                    self._session.wire.cut()
                raise

    async def _heard(self) -> None:
        pause = PAUSE
        while True:
            try:
                session = await self._connected()
                if await self._changed(session):
                    return
                await self._told(session)
                pause = PAUSE
            except AuthExpired:
                raise
            except IntegrationError:
                await _some(pause)
                pause = min(pause * 2, LONGEST_PAUSE)

    async def close(self) -> None:
        self._closed = True
        if self._hearing is not None:
            self._hearing.cancel()
            await asyncio.wait({self._hearing})
        await self._drop()

    async def _connected(self) -> Session | None:
        """None where the server does not tell by itself, or bears no further connection just now."""
        if self._session is None or self._session.wire.broken:
            await self._drop()
            if not self._tells:
                return None
            try:
                self._session = await self._imap.connect()
            except RateLimited:
                return None
            self._tells = "IDLE" in self._session.capabilities
            if not self._tells:
                await self._drop()
        return self._session

    async def _changed(self, session: Session | None) -> bool:
        """Whether there are numbers in the inbox that have not been seen."""
        await asyncio.sleep(self._looked + LULL - time.monotonic())
        newest = await (self._asked(session, _newest) if session else self._imap.read(_newest))
        self._looked = time.monotonic()
        before, self._seen = self._seen, newest
        return before not in (None, newest)

    async def _told(self, session: Session | None) -> None:
        """Until the server tells of anything, or it is time to look."""
        if session is None:
            await asyncio.sleep(LOOK)
            return
        if not await self._asked(session, lambda session: session.wire.idle()):
            await _readable(session.wire.sock.fileno(), RENEWED)
        await self._asked(session, lambda session: session.wire.done())

    async def _asked(self, session: Session, work: Callable[[Session], R]) -> R:
        asking = asyncio.ensure_future(self._imap.blocking(work, session))
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:
            session.wire.cut()
            await asyncio.gather(asking, return_exceptions=True)
            raise

    async def _drop(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.wire.cut()
            await self._imap.blocking(session.wire.hang_up)


def _newest(session: Session) -> tuple[int, int]:
    """What the inbox's next mail will be called."""
    session.begin()
    inbox = session.open(session.folders().special(INBOX))
    return inbox.uidvalidity, inbox.uidnext


async def _some(seconds: float) -> None:
    """About so long: those who failed together shall not come back together."""
    await asyncio.sleep(seconds * random.uniform(0.75, 1.25))


async def _readable(descriptor: int, seconds: float) -> None:
    """Until there is something to read, for so long at most."""
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    loop.add_reader(descriptor, told.set)
    try:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(told.wait(), seconds)
    finally:
        loop.remove_reader(descriptor)
