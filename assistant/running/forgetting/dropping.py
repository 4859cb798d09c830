"""A conversation with all that belongs to it, taken out of storage."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from assistant.pipeline import auditing
from assistant.pipeline.execute import UNDO
from assistant.pipeline.laying import DELIVER
from assistant.running.batches import BATCH, batches, write_batch
from assistant.running.forgetting import typed
from assistant.running.forgetting.redaction import loaded
from assistant.running.forgetting.scrubbing import GONE, UNBEGUN
from storage import audit, conversations, forgetting, notes, previews, schedules
from storage.database import Database
from storage.session import Session
from storage.tables import StoredFlow

EVERY = 10_000_000


class _Doomed(NamedTuple):
    """A flow, and what goes with it; `writes` are ids of outbox rows, `entries` numbers of the journal. Flows of one preview share
    them."""

    flow: str
    permits: tuple[str, ...]
    previews: int
    writes: frozenset[int]
    entries: frozenset[int]


@dataclass
class Drop:
    """With `really` False it only counts. `missed` counts flows that run, or of which a write is in hand, so that they are there
    still."""

    database: Database
    clock: Callable[[], datetime]
    user: str
    home: Path
    name: str
    really: bool
    missed: int = 0

    async def run(self) -> Counter[str]:
        """How much of each kind belongs to the conversation."""
        said = await self.database.read(lambda s: conversations.messages(s, self.name, EVERY, user_id=self.user))
        found: Counter[str] = Counter(messages=len(said))
        writes: set[int] = set()
        entries: set[int] = set()
        if self.really:
            await self.database.write(lambda s: forgetting.unsay(s, self.name, user_id=self.user))
        async for batch in batches(self.database, "", self._doomed):
            for one in batch:
                found.update(tasks=1, previews=one.previews)
                writes |= one.writes
                entries |= one.entries
            if self.really:
                self.missed += len(batch) - await write_batch(self.database, batch, self._drop)
        found.update(writes=len(writes), journal=len(entries), schedules=await self._schedules(), notes=await self._notes())
        words = {message.text for message in said if message.role == "user"}
        history = self.home / typed.NAME
        found["typed"] = typed.rewritten(history, lambda text: None if text.strip() in words else text, really=self.really)
        if self.really and not self.missed:
            await self.database.write(lambda s: forgetting.drop_conversation(s, self.name, user_id=self.user))
        return found

    async def _schedules(self) -> int:
        """What would tell of itself in the conversation."""

        def work(s: Session) -> int:
            return sum(schedules.remove(s, one.id, user_id=self.user) for one in schedules.within(s, self.name, user_id=self.user))

        if self.really:
            return await self.database.write(work)
        return len(await self.database.read(lambda s: schedules.within(s, self.name, user_id=self.user)))

    async def _notes(self) -> int:
        """What was said in it to be remembered."""
        numbers = [one.number for one in await self.database.read(lambda s: notes.within(s, self.name, user_id=self.user))]
        if self.really:
            await self.database.write(lambda s: notes.remove(s, numbers, user_id=self.user))
        return len(numbers)

    def _doomed(self, s: Session, after: str) -> tuple[str, list[_Doomed]]:
        found = forgetting.flows_in(s, self.name, after, BATCH, user_id=self.user)
        return found[-1].id if found else after, [self._with_all(s, flow) for flow in found]

    def _with_all(self, s: Session, flow: StoredFlow) -> _Doomed:
        permits = permits_of(s, flow)
        entries = [*audit.of_flow(s, flow.id, user_id=self.user)]
        entries += [entry for permit in permits for entry in audit.of_permit(s, permit, user_id=self.user)]
        return _Doomed(
            flow.id,
            permits,
            previews=len(previews.by_flow(s, flow.id)),
            writes=frozenset(row.id for row in forgetting.rows_under(s, permits)),
            entries=frozenset(entry.seq for entry in entries if entry.content is not None and entry.kind != "forgotten"),
        )

    def _drop(self, s: Session, batch: list[_Doomed]) -> int:
        forgetting.unsay(s, self.name, user_id=self.user)  # what was said since
        rows = {one.flow: forgetting.held_fast(s, one.permits) for one in batch}
        free = [one for one in batch if not any(row.status == "started" for row in rows[one.flow])]
        dropped = [one for one in free if forgetting.drop_flow(s, one.flow, one.permits)]
        for row in {row.id: row for one in dropped for row in rows[one.flow] if row.status in UNBEGUN}.values():
            auditing.withdrawn(s, row, GONE, self.clock())
        audit.forget(s, sorted({seq for one in dropped for seq in one.entries}), self.clock(), user_id=self.user)
        return len(dropped)


def permits_of(s: Session, flow: StoredFlow) -> tuple[str, ...]:
    """All that a flow wrote under or was asked to, what its result was sent under, and what took it back."""
    state = loaded(flow.snapshot) or {}
    own = dict.fromkeys((f"{flow.id}-low", *(one.id for one in previews.by_flow(s, flow.id)), *state.get("permits", ())))
    noted = (entry.preview_id for entry in audit.of_flow(s, flow.id, user_id=flow.user_id))
    own |= dict.fromkeys(permit for permit in noted if permit.startswith(DELIVER))
    return tuple(dict.fromkeys((*own, *(f"{UNDO}{permit}" for permit in own))))
