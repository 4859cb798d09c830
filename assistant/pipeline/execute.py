"""The only holder of writers. Every write passes the outbox: on disk before it goes out, one attempt, and after a lost reply the
provider is asked before anything is said about it."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from pydantic import TypeAdapter

from assistant.pipeline.rebase import as_left
from assistant.values import Outcome
from integrations.actions import (
    Action,
    CalendarAction,
    CancelEvent,
    ContactAction,
    CreateEvent,
    DeleteTemplate,
    MailAction,
    Receipt,
    SaveTemplate,
)
from integrations.errors import IntegrationError, InvalidResponse, NotFound, Unavailable
from integrations.registry import Account
from integrations.writers import CalendarWriter, ContactWriter, MailWriter
from risk.operations import OPERATIONS, operation_of
from storage import outbox, templates
from storage.database import Database
from storage.errors import StorageError
from storage.outbox import NewRow
from storage.session import Session
from storage.tables import OutboxRow

UNDO = "undo-"
"""Begins the reference under which something is taken back: once only, since each permit is used once."""

ACTION: TypeAdapter[Action] = TypeAdapter(Action)
UNCLEAR = (Unavailable, InvalidResponse)
"""After these a write may or may not have happened; any other refusal is certain."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Permit:
    """Why a write may be carried out: the gate's word for low risk, a person's approval of exactly this preview, or the stored
    inverse of something done. `reference` names the preview or the flow; each permit is used once."""

    by: Literal["gate", "approval", "undo"]
    reference: str


class Inverse(NamedTuple):
    """`says` is the clause under which it was done."""

    action: Action
    says: str


@dataclass(frozen=True)
class Executor:
    accounts: Mapping[str, Account]
    database: Database
    clock: Callable[[], datetime]
    user: str

    async def carry_out(
        self, permit: Permit, actions: Sequence[Action], says: Sequence[str], claim: Callable[[Session], bool] = lambda _: True
    ) -> tuple[Outcome, ...] | None:
        """One outcome per action, in order. `claim` is settled in the same transaction that lays the rows down: None when it was
        lost, because the permit was used already. Rows that a flow laid down before it broke off are gone on with."""
        rows = [self._row(permit, position, action) for position, action in enumerate(actions)]

        def lay_down(session: Session) -> bool | None:
            """Whether the rows are new."""
            if not claim(session):
                return None
            if outbox.by_preview(session, permit.reference):
                return False
            outbox.add_all(session, rows, self.clock(), user_id=self.user)
            return True

        new = await self.database.write_synced(lay_down)
        if new is None:
            return None
        stored = await self.laid_down(permit.reference)
        return tuple([_saying(await self._course(row, new), row, says) for row in stored])

    async def _course(self, row: OutboxRow, new: bool) -> Outcome:
        """A row that was begun before may be somebody else's by now, so it is only told."""
        action = ACTION.validate_json(row.action)
        if new:
            return await self._send(row, action)
        return await self._settle(row, action) if row.status == "pending" else await self.outcome(row)

    async def laid_down(self, permit: str) -> tuple[OutboxRow, ...]:
        """The rows under this permit, in the order of their actions."""
        return await self.database.read(lambda s: outbox.by_preview(s, permit))

    async def reach(self, permit: Permit, actions: Sequence[Action]) -> None:
        """Raises Unavailable where an account of these is out of reach: then nothing need be begun."""
        for position, action in {action.account: (n, action) for n, action in enumerate(actions)}.values():
            try:
                await self._find(action, self._row(permit, position, action).key)
            except Unavailable:
                raise
            except IntegrationError as refused:
                log.info("%s is asked in vain before a write: %s", action.account, refused)

    def _row(self, permit: Permit, position: int, action: Action) -> NewRow:
        key = uuid5(NAMESPACE_URL, f"{permit.by}:{permit.reference}:{position}").hex
        return NewRow(
            preview_id=permit.reference,
            position=position,
            key=key,
            account=action.account,
            action=action.model_dump_json(),
        )

    async def _send(self, row: OutboxRow, action: Action) -> Outcome:
        """One attempt at a pending row; it goes on waiting where its beginning can't be stored."""
        try:
            begun = await self.database.write_synced(lambda s: outbox.start(s, row.id, self.clock()))
        except StorageError as refused:
            return waiting(action, row.key, str(refused))
        return await self._attempt(row, action) if begun else await self.outcome(row)

    async def _attempt(self, row: OutboxRow, action: Action) -> Outcome:
        try:
            receipt = await self._write(await self._as_left(row, action), row.key)
        except Exception as error:
            if isinstance(error, IntegrationError) and not isinstance(error, UNCLEAR):
                return await self._finish(row, action, "failed", error=str(error))
            return await self._reconcile(row, action, worded(error))
        return await self._finish(row, action, "done", receipt=receipt)

    async def _as_left(self, row: OutboxRow, action: Action) -> Action:
        if not row.position:
            return action
        earlier = [
            r for r in await self.laid_down(row.preview_id) if r.position < row.position and r.status == "done" and r.receipt
        ]
        return as_left(action, [(ACTION.validate_json(r.action), Receipt.model_validate_json(r.receipt or "")) for r in earlier])

    async def _reconcile(self, row: OutboxRow, action: Action, error: str) -> Outcome:
        """Ask the provider; what can't be settled is unknown and never repeated."""
        try:
            receipt = await self._find(action, row.key)
        except Exception:
            return await self._finish(row, action, "unknown", error=error)
        if receipt is None:
            return await self._finish(row, action, "failed", error=error)
        return await self._finish(row, action, "done", receipt=receipt)

    async def _finish(
        self,
        row: OutboxRow,
        action: Action,
        status: Literal["done", "failed", "unknown"],
        receipt: Receipt | None = None,
        error: str = "",
    ) -> Outcome:
        """What can't be stored is settled at the next start: what was done is done, what was not is tried again then."""
        told = receipt.model_dump_json() if receipt else None
        try:
            await self.database.write_synced(
                lambda s: outbox.finish(s, row.id, status=status, at=self.clock(), receipt=told, error=error)
            )
        except StorageError as refused:
            if status == "failed":
                return waiting(action, row.key, str(refused))
        return outcome_of(action, status, row.key, receipt, error)

    async def outcome(self, row: OutboxRow) -> Outcome:
        """What is known of a row by now."""
        current = await self.database.read(lambda s: outbox.by_key(s, row.key))
        row = current or row
        receipt = Receipt.model_validate_json(row.receipt) if row.receipt else None
        return outcome_of(ACTION.validate_json(row.action), row.status, row.key, receipt, row.error)

    async def inverse(self, permits: Sequence[str], outcomes: Sequence[Outcome]) -> tuple[Inverse, ...]:
        """What takes back everything done under these permits, the last first; empty when nothing of it can be."""
        says = {outcome.key: outcome.says for outcome in outcomes}
        rows = await self.database.read(lambda s: [row for permit in permits for row in outbox.by_preview(s, permit)])
        receipts = [Receipt.model_validate_json(row.receipt) for row in rows if row.status == "done" and row.receipt]
        return tuple(Inverse(action, says.get(r.key, r.action)) for r in reversed(receipts) for action in r.undo)

    async def settle(self, rows: Sequence[OutboxRow], says: Sequence[str] = ()) -> tuple[Outcome, ...]:
        """Rows that a crash left: one that was never begun is sent, one that was begun is asked about first. Never raises; a row
        that can't be read is left out. `says` are the clauses by position."""
        outcomes = []
        for row in rows:
            try:
                outcomes.append(_saying(await self._settle(row, ACTION.validate_json(row.action)), row, says))
            except Exception:
                log.exception("The outbox row %s can't be settled.", row.key)
        return tuple(outcomes)

    async def _settle(self, row: OutboxRow, action: Action) -> Outcome:
        if row.status not in ("pending", "started"):
            return await self.outcome(row)
        try:
            receipt = await self._find(action, row.key)
        except Exception as error:
            if row.status == "pending":
                return waiting(action, row.key, worded(error))
            return await self._finish(row, action, "unknown", error=worded(error))
        if row.status == "pending":
            return await self._send(row, action)
        if receipt is not None:
            return await self._finish(row, action, "done", receipt=receipt)
        return await self._attempt(row, action)

    async def _write(self, action: Action, key: str) -> Receipt:
        if isinstance(action, SaveTemplate | DeleteTemplate):
            return await self._write_template(action, key)
        if isinstance(action, MailAction):
            return await self._mail(action).execute(action, key)
        if isinstance(action, CalendarAction):
            return await self._calendar(action).execute(action, key)
        return await self._contacts(action).execute(action, key)

    async def _find(self, action: Action, key: str) -> Receipt | None:
        if isinstance(action, SaveTemplate | DeleteTemplate):
            return None
        if isinstance(action, MailAction):
            return await self._mail(action).find(action, key)
        if isinstance(action, CalendarAction):
            return await self._calendar(action).find(action, key)
        return await self._contacts(action).find(action, key)

    def _account(self, action: Action) -> Account:
        if action.account not in self.accounts:
            raise NotFound(f"The account {action.account} is not connected any more.", action.account)
        return self.accounts[action.account]

    def _mail(self, action: MailAction) -> MailWriter:
        return self._account(action).writers.mail

    def _calendar(self, action: CalendarAction) -> CalendarWriter:
        return self._account(action).writers.calendar

    def _contacts(self, action: ContactAction) -> ContactWriter:
        return self._account(action).writers.contacts

    async def _write_template(self, action: SaveTemplate | DeleteTemplate, key: str) -> Receipt:
        """A reply template is a row of our own, so writing it twice is writing it once."""

        def work(session: Session) -> Action | None:
            old = templates.get(session, action.name, user_id=self.user)
            if isinstance(action, SaveTemplate):
                templates.save(session, name=action.name, subject=action.subject, body=action.body, user_id=self.user)
            else:
                templates.delete(session, action.name, user_id=self.user)
            if old is not None:
                return SaveTemplate(name=old.name, subject=old.subject, body=old.body)
            return DeleteTemplate(name=action.name) if isinstance(action, SaveTemplate) else None

        inverse = await self.database.write_synced(work)
        return Receipt(action=action.kind, account="", key=key, id=action.name, undo=(inverse,) if inverse else ())


def waiting(action: Action, key: str, error: str) -> Outcome:
    """Nothing has gone out for certain, so it will be tried again."""
    note = f"{error} Nothing has gone out yet; it is tried again when the assistant starts next."
    return Outcome(action=action, status="pending", note=note, key=key)


def worded(error: Exception) -> str:
    """One sentence for people, whatever was raised."""
    if isinstance(error, IntegrationError | StorageError):
        return str(error)
    why = " ".join(str(error).split())[:200]
    return f"Something unexpected went wrong ({type(error).__name__}: {why})."


def _saying(outcome: Outcome, row: OutboxRow, says: Sequence[str]) -> Outcome:
    words = says[row.position] if row.position < len(says) else OPERATIONS[operation_of(outcome.action)]
    return outcome.model_copy(update={"says": words})


def outcome_of(action: Action, status: str, key: str, receipt: Receipt | None, error: str) -> Outcome:
    note = receipt.note if receipt else error
    if status == "unknown":
        note = f"It is not certain whether this happened ({error}). Please check before doing it again."
    undo = receipt.undo if receipt else ()
    created = next((a.event for a in undo if isinstance(action, CreateEvent) and isinstance(a, CancelEvent)), None)
    return Outcome.model_validate(
        {"action": action, "status": status, "note": note, "key": key, "undoable": bool(undo), "created": created}
    )
