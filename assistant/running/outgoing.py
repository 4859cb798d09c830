"""The clock of the outbox: what is held goes out when it is due, and what came of it is told."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from assistant.pipeline.dependence import waits_for
from assistant.pipeline.execute import ACTION
from assistant.running.late import Late
from assistant.running.outbox import Outbox
from assistant.values import Outcome
from integrations.actions import SendMail
from storage import outbox as rows
from storage.errors import StorageError
from storage.session import Session
from storage.tables import OutboxRow

LOOK = 30.0
"""Seconds after which the clock looks again: for rows of other processes, and for accounts that were out of reach."""

log = logging.getLogger(__name__)

Chosen = Callable[[Sequence[OutboxRow]], Sequence[OutboxRow]]


class News(NamedTuple):
    """What came of a row that was released; `flow`: the task that shows it again, where it could not be done."""

    outcome: Outcome
    flow: str = ""


@dataclass
class Outgoing:
    """Ticks in real time, and goes by `clock`."""

    outbox: Outbox
    late: Late
    clock: Callable[[], datetime]
    _waiting: list[OutboxRow] = field(default_factory=list)
    """Released, but the account was out of reach: nothing of them has begun."""
    _own: set[str] = field(default_factory=set)
    """Keys of what was laid down here."""
    _ticking: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _closing: bool = False
    _sending: asyncio.Lock = field(default_factory=asyncio.Lock)
    _listeners: list[asyncio.Queue[News]] = field(default_factory=list)

    async def check(self) -> tuple[News, ...]:
        """Asks the provider once more about what is unknown. What certainly did not happen is shown again."""
        return tuple([await self._settled(row) for row in await self.outbox.rows() if row.status == "unknown"])

    async def release(self, *, at_once: Chosen = lambda held: ()) -> tuple[News, ...]:
        """Sends what is due, whoever laid it down, and of what is held also what is wanted `at_once`. What failed before and could
        not be shown then comes first."""
        async with self._sending:
            released = await self._released(at_once)
            found = await self._shown()
            again, self._waiting = self._waiting, []
            for row in (*again, *released):
                # What is left over when the program ends is certainly not begun, and is sent at the next start.
                if not self._closing and (news := await self._tried(row, again=row in again)):
                    found.append(news)
            return tuple(found)

    async def _released(self, at_once: Chosen) -> tuple[OutboxRow, ...]:
        now = self.clock()
        held = [row for row in await self.outbox.rows() if row.status == "held"]
        early = at_once(held)
        if not early and all(row.not_before is None or row.not_before > now for row in held):
            return ()

        def work(s: Session) -> tuple[OutboxRow, ...]:
            taken = [row for row in early if rows.advance(s, row.id, expect=("held",), to="pending", at=now)]
            due = rows.release_due(s, now, user_id=self.outbox.user)
            return (*(row.model_copy(update={"status": "pending"}) for row in taken), *due)

        return await self.outbox.database.write_synced(work)

    async def _tried(self, row: OutboxRow, *, again: bool) -> News | None:
        try:
            return await self._sent(row, again=again)
        except Exception:
            log.exception("The outbox row %s can't be sent now.", row.key)
            self._waiting.append(row)
            return None

    async def _sent(self, row: OutboxRow, *, again: bool) -> News | None:
        """None where it still waits, as was told before, or where somebody else has seen to it."""
        now = await self.outbox.database.read(lambda s: rows.get(s, row.id))
        if now is None or now.status != "pending":
            return None
        news = await self._settled(row)
        if news.outcome.status == "pending":
            self._waiting.append(row)
            if again:
                return None
        self._tell(news)
        return news

    def _tell(self, news: News) -> None:
        for queue in self._listeners:
            queue.put_nowait(news)

    async def _shown(self) -> list[News]:
        """It never raises, since what is due must not wait for it."""
        found: list[News] = []
        try:
            for row in await self.late.unshown(self.outbox.user):
                if flow := await self.late.shown_again(row):
                    found.append(News(await self.outbox.told(row), flow))
                    self._tell(found[-1])
        except Exception:
            log.exception("What failed before can't be shown now.")
        return found

    async def _settled(self, row: OutboxRow) -> News:
        outcomes = await self.outbox.executor.settle([row], await self.outbox.clauses(row))
        outcome = outcomes[0] if outcomes else await self.outbox.told(row)
        return News(outcome, await self.late.shown_again(row) if outcome.status == "failed" else "")

    async def hurry(self) -> tuple[News, ...]:
        """Nobody is here any more to take back what was held here for that: it goes out now. What has its own time stays held."""
        return await self.release(at_once=lambda held: [row for row in _of_window(held) if row.key in self._own])

    async def tell_of(self, outcomes: Sequence[Outcome]) -> None:
        """Of writes that other processes had left; what is due now, and what is to be shown again of them, comes first."""
        told = {news.outcome.key for news in await self.overdue()} if outcomes else ()
        for outcome in outcomes:
            if outcome.status in ("done", "failed") and outcome.key not in told:
                self._tell(News(outcome))

    async def overdue(self) -> tuple[News, ...]:
        """What fell due while no assistant was there to send it; it never raises."""
        try:
            return await self.release()
        except Exception:
            log.exception("What is due can't be sent now.")
            return ()

    def start(self) -> None:
        self._ticking = asyncio.create_task(self._tick())

    def hear(self, held: Sequence[OutboxRow]) -> None:
        """Of rows that were laid down here."""
        self._own |= {row.key for row in held}
        self.wake()

    def follow(self, former: "Outgoing") -> None:
        """Takes the place of one that was closed: what waited there, and who listened to it."""
        self._waiting, self._own, self._listeners = former._waiting, former._own, former._listeners

    def wake(self) -> None:
        """Looks again at once."""
        self._changed.set()

    async def close(self) -> None:
        """A write that has begun is finished; what is held stays so."""
        self._closing = True
        self.wake()
        if self._ticking is not None:
            await asyncio.wait([self._ticking])

    async def _tick(self) -> None:
        while not self._closing:
            try:
                await self.release()
                pause = await self._pause()
            except Exception:
                log.exception("What is due can't be sent now.")
                pause = LOOK
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), pause)
            self._changed.clear()

    async def _pause(self) -> float:
        with suppress(StorageError):
            if due := await self.outbox.database.read(lambda s: rows.next_due(s, user_id=self.outbox.user)):
                return min(max((due - self.clock()).total_seconds(), 0.05), LOOK)
        return LOOK

    @contextmanager
    def listening(self) -> Iterator[asyncio.Queue[News]]:
        """What goes out, or can't, while this process runs the clock."""
        queue = asyncio.Queue[News]()
        self._listeners.append(queue)
        try:
            yield queue
        finally:
            self._listeners.remove(queue)


def _of_window(held: Sequence[OutboxRow]) -> list[OutboxRow]:
    """Those for which no time was set, nor for what they wait for."""
    actions = {row.id: ACTION.validate_json(row.action) for row in held}
    timed = [row for row in held if isinstance(mail := actions[row.id], SendMail) and mail.send_at is not None]

    def waits(row: OutboxRow) -> bool:
        return any(row.preview_id == mail.preview_id and waits_for(actions[row.id], actions[mail.id]) for mail in timed)

    return [row for row in held if row not in timed and not waits(row)]
