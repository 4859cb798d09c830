"""A person taken out of everything stored, table by table."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from assistant.pipeline import auditing
from assistant.running.batches import BATCH, batches, write_batch
from assistant.running.forgetting import typed
from assistant.running.forgetting.redaction import Redaction, contents_of, loaded
from assistant.running.thinning import dumped, thinned, without_texts
from storage import audit, flows, forgetting, templates
from storage.database import Database
from storage.flows import ENDED
from storage.session import Session
from storage.tables import AuditEntry, OutboxRow, StoredFlow, StoredMessage, StoredPreview, StoredTemplate

T = TypeVar("T", StoredMessage, StoredFlow, StoredPreview, OutboxRow)
UNBEGUN = ("held", "pending")
THIN = 2
GONE = "What it was about is forgotten."


@dataclass
class Scrub:
    """With `really` False it only counts. `missed` counts what somebody changed at the same moment, so that it is there still."""

    database: Database
    clock: Callable[[], datetime]
    user: str
    home: Path
    redaction: Redaction
    really: bool
    missed: int = 0
    _permits: set[str] = field(default_factory=set)

    async def run(self) -> Counter[str]:
        """How much of each kind tells of the person. What could go out comes first."""
        found: Counter[str] = Counter()
        found["writes"] = await self._each(OutboxRow, 0, lambda _, row: self._met(row), self._row)
        found["previews"] = await self._each(StoredPreview, "", lambda _, preview: self._met(preview), self._preview)
        found["tasks"] = await self._each(StoredFlow, "", self._tells, self._flow)
        found["messages"] = await self._each(StoredMessage, 0, lambda _, said: self.redaction.meets(said.text), self._message)
        found["templates"] = await self._templates()
        found["journal"] = await self._journal()
        found["typed"] = typed.rewritten(self.home / typed.NAME, self.redaction.of, really=self.really)
        return found

    async def _each(self, kind: type[T], first: Any, met: Callable[[Session, T], bool], change: Callable[[Session, T], int]) -> int:
        def read(s: Session, after: Any) -> tuple[Any, list[T]]:
            page = forgetting.page(s, kind, after, BATCH, user_id=self.user)
            return page[-1].id if page else after, [one for one in page if met(s, one)]

        number = 0
        async for batch in batches(self.database, first, read):
            number += len(batch)
            if isinstance(batch[0], OutboxRow):
                self._permits.update(row.preview_id for row in batch if isinstance(row, OutboxRow))
            if self.really:
                done = await write_batch(self.database, batch, lambda s, batch: sum(change(s, one) for one in batch))
                self.missed += len(batch) - done
        return number

    def _met(self, row: StoredFlow | StoredPreview | OutboxRow) -> bool:
        return any(map(self.redaction.meets_json, contents_of(row)))

    def _tells(self, s: Session, flow: StoredFlow) -> bool:
        if self.redaction.meets(flow.about, flow.goal) or self._met(flow):
            return True
        return any(self.redaction.meets(event.text) or self.redaction.meets_json(event.data) for event in flows.events(s, flow.id))

    # --- what becomes of each

    def _row(self, s: Session, row: OutboxRow) -> int:
        """One that had not begun never goes out, and nobody asks any more about one that is uncertain. What was done can't be taken
        back: an inverse would write the name again."""
        unbegun, uncertain = row.status in UNBEGUN, row.status == "unknown"
        receipt = loaded(row.receipt) if row.receipt else None
        at = self.clock()
        changed = forgetting.replace_row(
            s,
            row,
            at,
            action=dumped(self.redaction.of_json(without_texts(loaded(row.action)))),
            receipt=dumped({**self.redaction.of_json(receipt), "undo": []}) if receipt else None,
            error=GONE if unbegun or uncertain else self.redaction.of(row.error),
            status="failed" if unbegun or uncertain else row.status,
        )
        if changed and unbegun:
            auditing.withdrawn(s, row, GONE, at)
        if changed and uncertain:
            auditing.answered(s, row, "failed", at, error=GONE)
        return changed

    def _preview(self, s: Session, preview: StoredPreview) -> int:
        status = "cancelled" if preview.status == "open" else preview.status
        body = dumped(self.redaction.of_json(without_texts(loaded(preview.body))))
        return forgetting.replace_preview(s, preview, body=body, status=status, thinned=1)

    def _flow(self, s: Session, flow: StoredFlow) -> int:
        status = flow.status if flow.status in ENDED else "cancelled"
        state = loaded(flow.snapshot)
        if state is not None:
            state = self.redaction.of_json(thinned(state)) | {"status": status, "version": flow.version + 1}
        changed = forgetting.replace_flow(
            s,
            flow,
            about=self.redaction.of(flow.about),
            goal=self.redaction.of(flow.goal),
            snapshot=dumped(state) if state is not None else flow.snapshot,
            status=status,
            thinned=THIN,
        )
        if changed:
            forgetting.drop_events(s, flow.id)
        return changed

    def _message(self, s: Session, message: StoredMessage) -> int:
        return forgetting.retext(s, message, self.redaction.of(message.text))

    async def _templates(self) -> int:
        saved = await self.database.read(lambda s: templates.list(s, user_id=self.user))
        met = [one for one in saved if self.redaction.meets(one.name, one.subject, one.body)]
        if self.really and met:
            await write_batch(self.database, met, lambda s, batch: sum(self._template(s, one) for one in batch))
        return len(met)

    def _template(self, s: Session, old: StoredTemplate) -> int:
        name, subject, body = (self.redaction.of(text) for text in (old.name, old.subject, old.body))
        templates.delete(s, old.name, user_id=self.user)
        templates.save(s, name=name, subject=subject, body=body, user_id=self.user)
        return 1

    async def _journal(self) -> int:
        def read(s: Session, after: int) -> tuple[int, list[int]]:
            page = audit.page(s, after)
            return page[-1].seq if page else after, [entry.seq for entry in page if self._recorded(entry)]

        number = 0
        async for batch in batches(self.database, 0, read):
            number += len(batch)
            if self.really:
                await write_batch(self.database, batch, lambda s, batch: audit.forget(s, batch, self.clock(), user_id=self.user))
        return number

    def _recorded(self, entry: AuditEntry) -> bool:
        if entry.user_id != self.user or entry.content is None or entry.kind == "forgotten":
            return False
        return entry.preview_id in self._permits or self.redaction.meets_json(audit.content_of(entry))
