"""A person taken out of everything stored, table by table."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from assistant.pipeline import auditing
from assistant.running.batches import BATCH, batches, write_batch
from assistant.running.forgetting import typed
from assistant.running.forgetting.redaction import Redaction, contents_of, loaded
from assistant.running.thinning import dumped, thinned, without_texts
from storage import audit, flows, forgetting, notes, schedules, slots, templates
from storage.database import Database
from storage.flows import ENDED
from storage.session import Session
from storage.tables import (
    AuditEntry,
    OutboxRow,
    StoredFlow,
    StoredMessage,
    StoredPreview,
    StoredSchedule,
    StoredSlot,
    StoredTemplate,
)

T = TypeVar("T", StoredMessage, StoredFlow, StoredPreview, OutboxRow)
UNBEGUN = ("held", "pending")
UNDER_WAY = ("open", *UNBEGUN, "started", "unknown")
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
    _under_way: set[str] = field(default_factory=set)
    """Permits and flows whose previews are open, or whose writes have not come to an end."""
    _flows: set[str] = field(default_factory=set)
    """Those that have the address or the name."""
    _said: set[str] = field(default_factory=set)
    """The messages that tell of the person."""

    async def run(self) -> Counter[str]:
        """How much of each kind tells of the person. What could go out comes first."""
        found: Counter[str] = Counter()
        found["writes"] = await self._each(OutboxRow, 0, lambda _, row: self._met(row), self._row)
        found["previews"] = await self._each(StoredPreview, "", lambda _, preview: self._met(preview), self._preview)
        found["tasks"] = await self._each(StoredFlow, "", self._tells, self._flow)
        found["messages"] = await self._each(StoredMessage, 0, lambda _, message: self._says(message), self._message)
        found["templates"] = await self._templates()
        found["schedules"] = await self._schedules()
        found["notes"] = await self._notes()
        found["journal"] = await self._journal()
        found["typed"] = typed.rewritten(self.home / typed.NAME, self._typed, really=self.really)
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

    def _met(self, row: StoredPreview | OutboxRow) -> bool:
        under_way = row.status in UNDER_WAY or row.id in self._under_way
        if row.status in UNDER_WAY:
            self._under_way |= {row.preview_id} if isinstance(row, OutboxRow) else {row.id, row.flow_id}
        return self._concerned(contents_of(row), under_way=under_way)

    def _concerned(self, contents: Iterable[Any], *, under_way: bool) -> bool:
        """Nothing that is under way is given up for a part of a name, which may be a word."""
        return any(map(self.redaction.names if under_way else self.redaction.meets, contents))

    def _tells(self, s: Session, flow: StoredFlow) -> bool:
        told = [value for event in flows.events(s, flow.id) for value in (event.text, event.data)]
        contents = [flow.about, flow.goal, *contents_of(flow), *told]
        if any(map(self.redaction.names, contents)):
            self._flows.add(flow.id)
            return True
        return self._concerned(contents, under_way=flow.status not in ENDED or flow.id in self._under_way)

    def _says(self, message: StoredMessage) -> bool:
        met = self.redaction.meets(message.text) or self._is_told_in(message.flow_id, message.text)
        if met:
            self._said.add(message.text)
        return met

    def _is_told_in(self, flow: str | None, value: Any) -> bool:
        """In a flow that has the address or the name a part of it is no mere word."""
        return flow in self._flows and bool(self.redaction.of_json(value) != value)

    def _typed(self, text: str) -> str:
        return self.redaction.of(text) if self.redaction.meets(text) or text.strip() in self._said else text

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
        met = [one for one in saved if self.redaction.meets([one.name, one.subject, one.body])]
        if self.really and met:
            await write_batch(self.database, met, lambda s, batch: sum(self._template(s, one) for one in batch))
        return len(met)

    def _template(self, s: Session, old: StoredTemplate) -> int:
        name, subject, body = (self.redaction.of(text) for text in (old.name, old.subject, old.body))
        templates.delete(s, old.name, user_id=self.user)
        templates.save(s, name=name, subject=subject, body=body, user_id=self.user)
        return 1

    async def _notes(self) -> int:
        """A note that tells of the person would say nothing without the name, so it goes whole."""
        kept = await self.database.read(lambda s: notes.every(s, user_id=self.user))
        met = [one.number for one in kept if self.redaction.meets([one.text, one.said])]
        if self.really and met:
            await self.database.write(lambda s: notes.remove(s, met, user_id=self.user))
        return len(met)

    async def _schedules(self) -> int:
        """With what their runs have told."""
        own, runs = await self.database.read(lambda s: (schedules.list(s, self.user), slots.every(s, self.user)))
        met = [one for one in own if self.redaction.meets([one.name, loaded(one.task)])]
        told = [run for run in runs if self.redaction.meets([run.result, loaded(run.covered)])]
        if self.really:
            done = await write_batch(self.database, met, lambda s, batch: sum(self._schedule(s, one) for one in batch))
            self.missed += len(met) - done
            await write_batch(self.database, told, lambda s, batch: sum(self._run(s, one) for one in batch))
        return len({one.id for one in met} | {run.schedule_id for run in told})

    def _schedule(self, s: Session, old: StoredSchedule) -> int:
        task = dumped(self.redaction.of_json(loaded(old.task)))
        return schedules.retell(s, old, name=self.redaction.of(old.name), task=task)

    def _run(self, s: Session, old: StoredSlot) -> int:
        covered = dumped(self.redaction.of_json(loaded(old.covered))) if old.covered else ""
        return slots.retell(s, old, result=self.redaction.of(old.result), covered=covered)

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
        content = audit.content_of(entry)
        if entry.preview_id in self._permits or self._is_told_in(entry.flow_id, content):
            return True
        return self._concerned((content,), under_way=entry.preview_id in self._under_way)
