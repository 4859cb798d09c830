"""Schedules over a real database by a clock that a test moves, with runs that cost nothing."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

from assistant.pipeline.state import FlowState
from assistant.running.recall import Recall
from assistant.running.scheduled import Run
from assistant.scheduling.claiming import Claiming
from assistant.scheduling.delivery.deliveries import Deliveries
from assistant.scheduling.delivery.targets import Targets
from assistant.scheduling.runs import Runs
from assistant.scheduling.schedules import Schedules
from assistant.scheduling.tending import Tending
from storage.database import Database
from storage.sealing import Seal
from storage.session import Session
from storage.tables import OWNER


@dataclass
class Flows:
    """Each run is done once the conversation is `free`, in a transaction of its own; `ran` are those whose claim was won."""

    database: Database
    ran: list[Run] = field(default_factory=list)
    free: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.free.set()

    async def begin(self, run: Run, claim: Callable[[Session, str], bool]) -> FlowState:
        await self.free.wait()
        flow = uuid4().hex[:12]
        assert await self.database.write(lambda s: claim(s, flow))
        self.ran.append(run)
        return self._done(flow, run.conversation)

    async def go_on(self, flow: str) -> FlowState:
        return self._done(flow, "")

    def _done(self, flow: str, conversation: str) -> FlowState:
        at = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
        return FlowState(id=flow, user=OWNER, conversation=conversation, text="", created=at, status="done", reply="Done.")


@dataclass
class Clockwork:
    """What one process would have of the owner's schedules; `at` is its time."""

    database: Database
    at: datetime
    zone: str = "Europe/Berlin"
    owner: str = "one"
    stirred: int = 0

    def __post_init__(self) -> None:
        def clock() -> datetime:
            return self.at

        self.flows = Flows(self.database)
        zone = ZoneInfo(self.zone)
        targets = Targets(self.database, Seal(Path("/nowhere")), clock, OWNER)
        deliveries = Deliveries(self.database, Recall(self.database, OWNER), None, targets, clock, OWNER, zone)  # type: ignore[arg-type]
        self.claiming = Claiming(self.database, clock, OWNER, zone, self.owner)
        self.runs = Runs(self.database, clock, self.claiming, self.flows, deliveries)  # type: ignore[arg-type]
        self.tending = Tending(self.claiming, self.runs, self._stir)
        self.schedules = Schedules(self.database, clock, OWNER, self.claiming, self.tending, deliveries, targets, self._stir)

    def again(self, *, at: datetime | None = None, zone: str = "", owner: str = "") -> "Clockwork":
        """Another process on the same database."""
        return Clockwork(self.database, at or self.at, zone or self.zone, owner or self.owner)

    @property
    def lates(self) -> Sequence[str]:
        return [run.late for run in self.flows.ran]

    def _stir(self) -> None:
        self.stirred += 1
