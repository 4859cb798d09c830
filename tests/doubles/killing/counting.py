"""Counts what took effect against what was approved."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from doubles.killing.journal import unnoted
from doubles.killing.notes import Noted
from doubles.killing.verdict import Verdict
from doubles.providers import ProviderDouble
from pydantic import TypeAdapter
from sqlalchemy import select

from assistant.facade import Assistant
from assistant.pipeline.execute import UNDO
from assistant.pipeline.outcomes import TAKEN_BACK
from integrations.actions import Action, DeleteTemplate, Receipt, SaveTemplate
from storage import flows, outbox, templates
from storage.session import Prepared, Session
from storage.tables import OUTBOX, PREVIEW, OutboxRow

ACTION: TypeAdapter[Action] = TypeAdapter(Action)
MADE_BY = {"send_mail": "subject", "save_draft": "subject", "create_event": "title", "create_contact": "name"}
"""By what the things that a write makes are known."""
_REPLACED = Prepared(select(PREVIEW.c.replaces))
_EVERY_ROW = Prepared(select(OUTBOX).order_by(OUTBOX.c.id))


class Write(NamedTuple):
    row: OutboxRow
    action: Action
    receipt: Receipt | None

    def __str__(self) -> str:
        return f"{self.row.key} ({self.action.kind}, {self.row.status})"

    @property
    def things(self) -> frozenset[str]:
        """What it made or changed."""
        refs = (getattr(self.action, name, None) for name in ("mail", "event", "contact"))
        return frozenset(filter(None, (self.receipt.id if self.receipt else "", *(ref.id for ref in refs if ref))))


class UnderWay(NamedTuple):
    flows: tuple[str, ...]
    rows: tuple[str, ...]


async def under_way(a: Assistant) -> UnderWay:
    """What is not brought to its end; what is held until a time that is still to come does not count."""

    def work(s: Session) -> UnderWay:
        running = (f"the flow {head.id} ({head.about})" for head in flows.list(s, statuses=("running",), limit=1000))
        rows = (f"the write {row.key} ({row.status})" for row in outbox.unfinished(s) if row.status != "held")
        return UnderWay(tuple(running), tuple(rows))

    return await a.database.read(work)


@dataclass
class Counting:
    """Call after the last recovery."""

    a: Assistant
    provider: ProviderDouble
    root: Path
    noted: Noted

    async def verdict(self) -> Verdict:
        rows, replaced = await self.a.database.read(lambda s: (s.every(OutboxRow, _EVERY_ROW), set(s.column(_REPLACED))))
        writes = [_write(row) for row in rows]
        effects = await self._effects(writes)
        verdict = Verdict()
        await self._count_approved(writes, verdict)
        for number, write in enumerate(writes):
            # Only a log tells what a later change of the same thing has overwritten.
            hidden = not self.provider.logs and any(write.things & later.things for later in writes[number + 1 :])
            self._count(write, effects.get(write.row.key, 0), verdict, hidden=hidden, shown=write.row.preview_id in replaced)
        self._count_strays({row.key for row in rows}, effects, verdict)
        for flow in (await under_way(self.a)).flows:
            verdict.complain(f"It ends with {flow} still running.", stuck=1)
        for sentence in await unnoted(self.a, rows):
            verdict.complain(sentence)
        return verdict

    async def _count_approved(self, writes: Sequence[Write], verdict: Verdict) -> None:
        laid_down = Counter(write.row.preview_id for write in writes)
        for preview, number in self.noted.approving.items():
            status = (await self.a.preview(preview)).status
            expected, found = number if status == "approved" else 0, laid_down.pop(preview, 0)
            verdict.approved += expected
            if found < expected:
                verdict.complain(f"Of the approved {preview}, {expected - found} writes are stored nowhere.", lost=expected - found)
            elif found > expected:
                verdict.complain(f"{preview} is {status}, but writes are stored of it.", doubled=found - expected)
        verdict.approved += laid_down.total()
        undone = [permit for permit in laid_down if permit.startswith(UNDO)]
        low = [permit for permit in laid_down.keys() - undone if permit.endswith("-low")]
        asked = len(undone) <= self.noted.counts["undoing"] and len(low) <= self.noted.counts["saying"]
        if not asked or len(undone) + len(low) < len(laid_down):
            verdict.complain(f"There are writes that nobody asked for: {sorted(laid_down)}.", doubled=1)

    def _count(self, write: Write, times: int, verdict: Verdict, *, hidden: bool, shown: bool) -> None:
        """`hidden`: that it took effect can't be seen any more; `shown`: a later preview has taken the place of its own."""
        told = self.noted.told.get(write.row.key, "")
        missing, happened = not times and not hidden, bool(times) and not hidden
        if times > 1:
            verdict.complain(f"{write} took effect {times} times.", doubled=times - 1)
        match write.row.status:
            case "done":
                verdict.done += 1
                if missing:
                    verdict.complain(f"{write} never took effect.", lost=1, falsely_told=int(told == "done"))
            case "failed":
                taken_back = write.row.error == TAKEN_BACK
                verdict.taken_back += taken_back
                verdict.failed += not taken_back
                if happened:
                    verdict.complain(f"{write} took effect, but was told as not done: {write.row.error}", falsely_told=1)
                elif not taken_back and not shown:
                    verdict.complain(f"{write} was not done and is not shown again: {write.row.error}", lost=1)
            case "unknown":
                verdict.unknown += 1
                if self.provider.asks and write.action.kind not in self.provider.forgets:
                    verdict.complain(f"{write} could be asked about.")
            case _:
                verdict.complain(f"{write} is stuck.", stuck=1)
        if told == "done" and write.row.status != "done":
            verdict.complain(f"{write} was told as done.", falsely_told=1)

    def _count_strays(self, known: set[str], effects: Mapping[str, int], verdict: Verdict) -> None:
        for key in effects.keys() - known:
            verdict.complain(f"{key} took effect, though nobody approved it.", doubled=effects[key])
        for key in self.noted.told.keys() - known:
            verdict.complain(f"{key} was told as {self.noted.told[key]}, but is stored nowhere.", lost=1)

    async def _effects(self, writes: Sequence[Write]) -> dict[str, int]:
        """By key. Reply templates are the assistant's own: their effects are seen by what is stored."""
        own = [w for w in writes if isinstance(w.action, SaveTemplate | DeleteTemplate)]
        effects = await self.provider.effects(self.root, [(w.row.key, w.action) for w in writes if w not in own])
        if not self.provider.logs:
            _share_out(effects, writes)
        saved = await self.a.database.read(lambda s: {template.name: template.body for template in templates.list(s)})
        latest = {w.row.key for w in {w.action.name: w for w in own if w.row.status == "done"}.values()}
        for w in own:
            body = w.action.body if isinstance(w.action, SaveTemplate) else None
            effects[w.row.key] = int(w.row.key not in latest or saved.get(w.action.name) == body) if w.row.status == "done" else 0
        return effects


def _share_out(effects: dict[str, int], writes: Sequence[Write]) -> None:
    """Writes that make the same cannot be told apart by what stands in an account: those that are done come first."""
    alike: dict[str, list[Write]] = {}
    for write in writes:
        if made := getattr(write.action, MADE_BY.get(write.action.kind, ""), ""):
            alike.setdefault(f"{write.action.kind} {made}", []).append(write)
    for same in alike.values():
        same.sort(key=lambda write: write.row.status != "done")
        left = effects[same[0].row.key]
        for write in same:
            effects[write.row.key] = min(left, 1)
            left -= effects[write.row.key]
        effects[same[0].row.key] += left


def _write(row: OutboxRow) -> Write:
    receipt = Receipt.model_validate_json(row.receipt) if row.receipt else None
    return Write(row, ACTION.validate_json(row.action), receipt)
