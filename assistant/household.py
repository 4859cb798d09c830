"""Everybody who uses one service: an assistant for each, opened when they first need it, over one database."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar
from zoneinfo import ZoneInfo

from assistant.errors import FlowError, Unknown
from assistant.facade import Assistant
from assistant.house import House
from assistant.opening import recovered, wire_for
from assistant.pipeline.state import FlowState
from assistant.running.forgetting.leaving import Leaving
from assistant.running.journal import FOREVER
from assistant.running.recovery import LONGEST
from assistant.running.stream import Stream
from assistant.running.turns import Going
from assistant.scheduling.claiming import Claiming
from assistant.wiring import Wired
from config.settings import Settings
from storage import deliveries, flows, leftover, schedules, slots, users
from storage.database import Database
from storage.leaving import Belongings
from storage.sealing import Seal
from storage.session import Session

GRACE = 5.0
"""Seconds for whoever still reads through accounts in the place of which others were opened."""
ENDING = "The service is ending; try again when it is back."
T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Resident:
    """One user's parts, and what closes them."""

    wired: Wired
    closing: AsyncExitStack

    async def close(self) -> None:
        """What runs is left to whoever opens them next."""
        await self.wired.leave()
        self.pass_on({})
        await self.closing.aclose()

    def pass_on(self, going_on: Going) -> None:
        self.wired.assistant.dispatch.turns.pass_on(going_on)


@dataclass
class Household:
    """A `Crew` of all users."""

    house: House
    _residents: dict[str, _Resident] = field(default_factory=dict)
    _locks: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    _waiting: dict[str, datetime] = field(default_factory=dict)
    """Users of whom nothing could be seen to, and until when that is left."""
    _closing: set[asyncio.Task[None]] = field(default_factory=set)
    _tending: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _left: bool = False

    @property
    def settings(self) -> Settings:
        return self.house.settings

    @property
    def home(self) -> Path:
        return self.settings.home

    @property
    def database(self) -> Database:
        return self.house.database

    @property
    def clock(self) -> Callable[[], datetime]:
        return self.house.clock

    @property
    def zone(self) -> ZoneInfo:
        """Of users who have not set their own."""
        return self.house.zone

    @property
    def seal(self) -> Seal:
        return self.house.seal

    def home_of(self, user: str) -> Path:
        """Where the user's sample and index lie."""
        return self.house.home_of(user)

    @property
    def opened(self) -> Mapping[str, Assistant]:
        return MappingProxyType({user: resident.wired.assistant for user, resident in self._residents.items()})

    async def of(self, user: str) -> Assistant:
        """Raises Unknown where there is no such user."""
        return (await self._wired(user)).assistant

    async def reopen(self, user: str) -> Assistant:
        """After the user's accounts or settings have changed. What runs pauses and goes on under the new ones, and what is held
        goes out through them. Where they can't be opened, the former stay."""
        async with self._locks[user]:
            former = self._residents.get(user)
            resident = await self._wire(user, former.wired.journal.stream if former else None)
            if former is not None:
                del self._residents[user]  # whoever asks now waits for the new one
                await former.wired.leave()
                resident.wired.assistant.outgoing.follow(former.wired.assistant.outgoing)
                self._close_later(former)
            fresh = (await self._begun(user, resident)).assistant
            if former is not None:
                former.pass_on(fresh.going_on)
            return fresh

    async def remove(self, user: str) -> Belongings:
        """With all that is stored of theirs; their mail, calendars and contacts stay where they are. Raises Unknown, UserError for
        the owner, and FlowError while a write of theirs is under way."""
        leaving = Leaving(self.database, self.clock, user, self.home_of(user))
        await leaving.would()
        async with self._locks[user]:  # whoever asks meanwhile finds nobody
            await self._close(user)
            return await leaving.run()

    async def close(self) -> None:
        """What runs is left to whoever opens the household next."""
        self.leave()
        tasks = (*self._closing, *self._tending.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for user in tuple(self._residents):
            await self._shut(user)

    # --- opening and closing

    async def _wired(self, user: str) -> Wired:
        if resident := self._residents.get(user):
            return resident.wired
        async with self._locks[user]:
            if resident := self._residents.get(user):
                return resident.wired
            return await self._begun(user, await self._wire(user))

    async def _wire(self, user: str, stream: Stream | None = None) -> _Resident:
        if self._left:
            raise FlowError(ENDING)
        if await self.database.read(lambda s: users.get(s, user)) is None:
            raise Unknown(f"There is no user {user}.")
        async with AsyncExitStack() as closing:
            wired = await wire_for(self.house, user, closing, resident=True, stream=stream)
            return _Resident(wired, closing.pop_all())

    async def _begun(self, user: str, resident: _Resident) -> Wired:
        if self.house.queue is None:
            try:
                resident = replace(resident, wired=await recovered(self.house, resident.wired, go_on=True))
            except BaseException:
                self._residents.pop(user, None)
                await resident.closing.aclose()
                raise
            resident.wired.assistant.outgoing.start()
        await resident.wired.assistant.schedules.claiming.refresh()
        self._residents[user] = resident
        return resident.wired

    async def _shut(self, user: str) -> None:
        async with self._locks[user]:
            await self._close(user)

    async def _close(self, user: str) -> None:
        if resident := self._residents.pop(user, None):
            await resident.close()

    def _close_later(self, former: _Resident) -> None:
        async def later() -> None:
            try:
                await asyncio.sleep(GRACE)
            finally:
                former.pass_on({})
                await former.closing.aclose()

        task = asyncio.create_task(later())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    # --- what was left over, and what is due, of users who don't come by

    async def take_care(self) -> None:
        """At the beginning. Accounts are opened beforehand, so that other processes that begin need not wait for that."""
        residents: dict[str, _Resident] = {}
        if self.house.queue is None:
            for user in sorted(await self.database.read(lambda s: leftover.of_users(s, self.clock(), leases=FOREVER, rows=True))):
                if resident := await self._tried(user, self._wire):
                    self._residents[user] = residents[user] = resident
        await self.house.enter()
        for user in residents:
            await self._tried(user, lambda user: self._begun(user, residents[user]))
        await self.house.let_in()

    async def sweep(self, most: int | None, rows: bool) -> None:
        """A `Look` of `assistant.running.sweeping`; it never raises."""
        try:
            left = await self._left_over(rows)
        except Exception:
            log.exception("What was left over can't be looked for now.")
            return
        for user in sorted(left):
            if most is None or self.running < most:
                await self._tried(user, lambda user: self._swept(user, most, rows))

    async def _left_over(self, rows: bool) -> frozenset[str]:
        at, opened = self.clock(), frozenset(self._residents)
        left, known = await self.database.read(
            lambda s: (leftover.of_users(s, at, leases=at, rows=rows, but=opened), users.list(s))
        )
        for user in opened - {one.id for one in known}:
            await self._shut(user)
        return left

    async def _swept(self, user: str, most: int | None, rows: bool) -> None:
        wired = await self._wired(user)
        room = None if most is None else most - self.running
        found = await wired.recovery.run(alone=False, go_on=True, most=room, rows=rows)
        await wired.assistant.outgoing.tell_of(found.outcomes)

    # --- schedules

    async def tend(self) -> None:
        """Begins what is due of all users."""
        at = self.clock()

        def whose(s: Session) -> frozenset[str]:
            return (schedules.due_of(s, at) | slots.left_of(s, at) | deliveries.open_of(s, at)) & users.who_may_enter(s)

        for user in sorted(await self.database.read(whose) - self._tending.keys()):
            self._tending[user] = asyncio.create_task(self._tend(user))

    async def _tend(self, user: str) -> None:
        """By itself, so that accounts that are slow to open keep nobody else waiting."""
        try:
            await self._tried(user, self._tended)
        finally:
            del self._tending[user]

    async def _tended(self, user: str) -> None:
        await (await self.of(user)).schedules.tend()

    async def refresh(self) -> None:
        """Zones may be others than when this household was open last."""
        for user in await self.database.read(schedules.users):
            zone = await self.house.zone_of(user)
            await Claiming(self.database, self.clock, user, zone, "").refresh()

    async def _tried(self, user: str, work: Callable[[str], Awaitable[T]]) -> T | None:
        """Tried again in a while where it can't be done now."""
        now = self.clock()
        if timedelta() < self._waiting.get(user, now) - now <= LONGEST:  # more only where the clock was set back
            return None
        try:
            return await work(user)
        except Exception as error:
            self._waiting[user] = self.clock() + LONGEST
            log.warning("What is to be done for the user %s must wait: %s", user, error)
            return None

    # --- flows that are handed over

    @property
    def running(self) -> int:
        return sum(len(resident.wired.runner.flows) for resident in self._residents.values())

    async def take_up(self, flow: str) -> asyncio.Task[FlowState] | None:
        head = await self.database.read(lambda s: flows.head(s, flow))
        return await (await self._wired(head.user_id)).recovery.take_up(flow) if head else None

    def leave(self) -> None:
        self._left = True
        for resident in self._residents.values():
            resident.wired.journal.leave()
            resident.wired.assistant.schedules.tending.leave()

    async def stop(self) -> Sequence[FlowState]:
        stopped = await asyncio.gather(*(resident.wired.runner.stop() for resident in self._residents.values()))
        return [state for states in stopped for state in states]
