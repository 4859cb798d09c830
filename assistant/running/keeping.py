"""How long what has ended is kept in full. Never touched: what runs or rests, awaits approval, or is not done for certain."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.running.batches import BATCH, write_batches
from assistant.running.thinning import rewritten, thinned, without_texts
from integrations.types import Value
from storage import keeping, schedules, slots
from storage.database import Database
from storage.session import Session
from storage.tables import StoredFlow, StoredPreview

RUNS = 100
TEXTLESS, THIN = 1, 2
"""How far a flow was made smaller: without the texts of mails; to what the list of flows needs."""


class Terms(Value):
    """How long each is kept after its end; None for ever. `mails`: the texts of mails in snapshots and previews; `runs`: those of
    schedules, of each of which the newest `RUNS` are kept in any case, as long as it is not over."""

    snapshots: timedelta | None = None
    events: timedelta | None = None
    mails: timedelta | None = None
    runs: timedelta | None = None


class Kept(Value):
    """How many flows were thinned to what their list needs, flows and previews lost the texts of mails, and events and runs of
    schedules were removed."""

    thinned: int = 0
    textless: int = 0
    events: int = 0
    runs: int = 0


@dataclass(frozen=True)
class Keeping:
    database: Database
    clock: Callable[[], datetime]
    terms: Terms

    async def run(self) -> Kept:
        now, terms = self.clock(), self.terms
        return Kept(
            thinned=await self._flows(now - terms.snapshots, THIN) if terms.snapshots is not None else 0,
            textless=await self._texts(now - terms.mails) if terms.mails is not None else 0,
            events=await self._events(now - terms.events) if terms.events is not None else 0,
            runs=await self._runs(now - terms.runs) if terms.runs is not None else 0,
        )

    async def _texts(self, before: datetime) -> int:
        return await self._flows(before, TEXTLESS) + await self._previews(before)

    async def _flows(self, before: datetime, level: int) -> int:
        change = thinned if level == THIN else without_texts

        def read(s: Session, after: str) -> tuple[str, list[tuple[StoredFlow, str]]]:
            found = keeping.old_flows(s, before, level=level, after=after, most=BATCH)
            awaiting, unsettled = keeping.flows_awaiting_approval(s), keeping.unsettled(s)
            free = [flow for flow in found if flow.id not in awaiting and not _permits(flow) & unsettled]
            return _last(found, after), [(flow, rewritten(flow.snapshot, change)) for flow in free]

        def write(s: Session, batch: list[tuple[StoredFlow, str]]) -> int:
            return sum(keeping.thin_flow(s, flow, snapshot, level) for flow, snapshot in batch)

        return await write_batches(self.database, "", read, write)

    async def _previews(self, before: datetime) -> int:
        def read(s: Session, after: str) -> tuple[str, list[tuple[StoredPreview, str]]]:
            found = keeping.old_previews(s, before, after=after, most=BATCH)
            unsettled = keeping.unsettled(s)
            return _last(found, after), [(one, rewritten(one.body, without_texts)) for one in found if one.id not in unsettled]

        def write(s: Session, batch: list[tuple[StoredPreview, str]]) -> int:
            return sum(keeping.thin_preview(s, preview, body) for preview, body in batch)

        return await write_batches(self.database, "", read, write)

    async def _events(self, before: datetime) -> int:
        def read(s: Session, after: str) -> tuple[str, list[str]]:
            flows = keeping.telling(s, before, after=after, most=BATCH)
            return flows[-1] if flows else after, list(flows)

        return await write_batches(self.database, "", read, keeping.drop_events)

    async def _runs(self, before: datetime) -> int:
        def read(s: Session, after: str) -> tuple[str, list[str]]:
            found = slots.old(s, before, after=after, most=BATCH)
            return found[-1] if found else after, list(found)

        thinned = await write_batches(
            self.database, "", read, lambda s, batch: sum(slots.thin(s, one, before, RUNS) for one in batch)
        )
        await self.database.write(lambda s: schedules.remove_over(s, before))
        return thinned


def _last(found: Sequence[StoredFlow] | Sequence[StoredPreview], after: str) -> str:
    return found[-1].id if found else after


def _permits(flow: StoredFlow) -> frozenset[str]:
    """What a flow wrote under."""
    try:
        return frozenset(json.loads(flow.snapshot).get("permits", ()))
    except (ValueError, AttributeError):
        return frozenset()
