"""The only holder of writers. Every write passes the outbox: on disk before it goes out, held there until its time has come, one
attempt, and after a lost reply the provider is asked before anything is said about it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, NamedTuple

from pydantic import TypeAdapter

from assistant.pipeline import auditing, sent_copy
from assistant.pipeline.dependence import rests_on, waits_for
from assistant.pipeline.hands import Hands
from assistant.pipeline.laying import UNDO as UNDO
from assistant.pipeline.laying import Permit as Permit
from assistant.pipeline.laying import check_reach, held_until, may_have_been_done, row_of, rows_of
from assistant.pipeline.outcomes import TAKEN_BACK, held_outcome, outcome_of, saying, waiting, worded
from assistant.pipeline.rebase import as_left
from assistant.pipeline.template_writer import TemplateWriter
from assistant.values import Outcome
from integrations.actions import (
    Action,
    CalendarAction,
    ContactAction,
    DeleteTemplate,
    MailAction,
    Receipt,
    SaveTemplate,
)
from integrations.errors import IntegrationError, InvalidResponse, NotFound, Unavailable, Unknowable
from integrations.registry import Account
from integrations.writers import CalendarWriter, ContactWriter, MailWriter
from storage import audit, outbox
from storage.audit import NewEntry
from storage.database import Database
from storage.errors import StorageError
from storage.session import Session
from storage.tables import OutboxRow, OutboxStatus

ACTION: TypeAdapter[Action] = TypeAdapter(Action)
UNCLEAR = (Unavailable, InvalidResponse)
"""After these a write may or may not have happened; any other refusal is certain."""
SETTLED = ("done", "failed", "taken_back")
NOT_BEGUN = "It was not begun, because what comes before it {}."

log = logging.getLogger(__name__)


Refuses = Callable[[Sequence[Action]], Awaitable[str]]


async def _nothing_against(actions: Sequence[Action]) -> str:
    return ""


class Inverse(NamedTuple):
    """`says` is the clause under which it was done."""

    action: Action
    says: str


@dataclass(frozen=True)
class Executor:
    """`on_held` hears of rows that are laid down held. `refuses` says why the user wants none of these done, empty where nothing
    speaks against it. `zone` is the user's. No attempt takes as long as `longest`."""

    accounts: Mapping[str, Account]
    database: Database
    clock: Callable[[], datetime]
    user: str
    zone: tzinfo = UTC
    on_held: Callable[[Sequence[OutboxRow]], None] = lambda rows: None
    longest: timedelta = timedelta(minutes=5)
    refuses: Refuses = _nothing_against
    _hands: Hands = field(default_factory=Hands)

    async def carry_out(
        self,
        permit: Permit,
        actions: Sequence[Action],
        says: Sequence[str],
        entry: NewEntry,
        claim: Callable[[Session], bool] = lambda _: True,
        window: timedelta = timedelta(),
    ) -> tuple[Outcome, ...] | None:
        """One outcome per action, in order. `entry` notes the permit in the audit journal. `claim` is settled in the same
        transaction that lays the rows down: None when it was lost, because the permit was used already. Rows that a flow laid down
        before it broke off are gone on with. A mail that leaves is held for the `window`."""
        check_reach(permit, actions, {name: account.config.address.lower() for name, account in self.accounts.items()})
        rows = rows_of(permit, actions, lambda action: self._held_until(action, window))

        def lay_down(session: Session) -> tuple[bool, tuple[OutboxRow, ...]] | None:
            """Whether the rows are new, and the rows."""
            if not claim(session):
                return None
            if earlier := outbox.by_preview(session, permit.reference):
                return False, earlier
            at = self.clock()
            new = outbox.add_all(session, rows, at, user_id=self.user)
            audit.append(session, at, entry, user_id=self.user)
            return True, new

        laid = await self.database.write_synced(lay_down)
        if laid is None:
            return None
        new, stored = laid
        if held := [row for row in stored if row.status == "held"]:
            self.on_held(held)
        return tuple([saying(await self._course(row, new), row, says) for row in stored])

    async def _course(self, row: OutboxRow, new: bool) -> Outcome:
        """A row that was begun before may be somebody else's by now, so it is only told."""
        action = ACTION.validate_json(row.action)
        if row.status != "pending":
            return await self.outcome(row)
        return await self._send(row, action) if new else await self._settle(row, action)

    async def laid_down(self, permit: str) -> tuple[OutboxRow, ...]:
        """The rows under this permit, in the order of their actions."""
        return await self.database.read(lambda s: outbox.by_preview(s, permit))

    async def reach(self, permit: Permit, actions: Sequence[Action]) -> None:
        """Raises Unavailable where an account of these is out of reach: then nothing need be begun."""
        for position, action in {action.account: (n, action) for n, action in enumerate(actions)}.values():
            try:
                await self._find(action, row_of(permit, position, action).key)
            except Unavailable:
                raise
            except IntegrationError as refused:
                log.info("%s is asked in vain before a write: %s", action.account, refused)

    def _held_until(self, action: Action, window: timedelta) -> datetime | None:
        """Where a mail waits in an Outbox for the user's own mail program, it can be taken back from there."""
        account = self.accounts.get(action.account)
        leaves = window and account is not None and account.sends
        own = frozenset(account.config.address.lower() for account in self.accounts.values())
        return held_until(action, self.clock(), window if leaves else timedelta(), own)

    async def _send(self, row: OutboxRow, action: Action) -> Outcome:
        """One attempt at a pending row; it goes on waiting where its beginning can't be stored, or where what it rests on waits. A
        caller who is cancelled meanwhile hears of it when the attempt has come to its end."""
        return await self.database.finished(asyncio.ensure_future(self._sent(row, action)))

    async def _sent(self, row: OutboxRow, action: Action) -> Outcome:
        try:
            if obstacle := await self._obstacle(row, action):
                return await self._not_begun(row, action, obstacle)
            begun, doubtful = await self.database.write_synced(lambda s: self._begin(s, row, action))
        except StorageError as refused:
            return waiting(action, row.key, str(refused))
        if doubtful:
            return await self._ask_first(row, action)
        if begun is None:
            return await self.outcome(row)
        with self._hands.at(row, begun):
            return await self._attempt(row, action)

    def _begin(self, s: Session, row: OutboxRow, action: Action) -> tuple[datetime | None, bool]:
        """When it is begun by this, and whether it is not yet, since it may have been done before a backup was restored."""
        if may_have_been_done(s, row):
            return None, True
        return self._started(s, row, action), False

    def _started(self, s: Session, row: OutboxRow, action: Action) -> datetime | None:
        at = self.clock()
        if not outbox.start(s, row.id, at):
            return None
        auditing.started(s, row, action, at)
        return at

    async def _ask_first(self, row: OutboxRow, action: Action) -> Outcome:
        """What the account never tells becomes unknown; while it can't be asked the row waits."""
        receipt, doubt = None, ""
        try:
            receipt = await self._find(action, row.key)
        except Unknowable as error:
            doubt = worded(error)
        except Exception as error:
            return waiting(action, row.key, worded(error))
        return await self._asked(row, action, receipt, doubt)

    async def _asked(self, row: OutboxRow, action: Action, receipt: Receipt | None, doubt: str = "") -> Outcome:
        """A row that waits, after its provider was asked: it knows what is done already where the database is an older one that was
        put back."""
        try:
            begun = await self.database.write_synced(lambda s: self._started(s, row, action))
        except StorageError as refused:
            return waiting(action, row.key, str(refused))
        if begun is None:
            return await self.outcome(row)
        with self._hands.at(row, begun):
            if doubt:
                return await self._finish(row, action, "unknown", error=doubt)
            if receipt is not None:
                return await self._finish(row, action, "done", receipt=receipt, found=True)
            return await self._attempt(row, action)

    async def _again(self, row: OutboxRow, action: Action, *, alone: bool) -> Outcome:
        """A second attempt at a row that had begun and certainly came to nothing, brought to its end as the first."""
        return await self.database.finished(asyncio.ensure_future(self._sent_again(row, action, alone=alone)))

    async def _sent_again(self, row: OutboxRow, action: Action, *, alone: bool) -> Outcome:
        def work(session: Session) -> datetime | None:
            begun = outbox.take_over(session, row, self.clock()) if self.is_over(row, alone=alone) else None
            if begun is not None:
                auditing.started(session, row, action, begun)
            return begun

        try:
            begun = await self.database.write_synced(work)
        except StorageError as refused:
            return waiting(action, row.key, str(refused))
        if begun is None:
            return await self.outcome(row)
        with self._hands.at(row, begun):
            return await self._attempt(row, action)

    def is_over(self, row: OutboxRow, *, alone: bool = False) -> bool:
        """Whether certainly nobody is at a started row any more. `alone`: whatever other processes had begun, they have died."""
        if self._hands.hold(row):
            return False
        return alone or self._hands.have_let_go(row) or row.updated <= self.clock() - self.longest

    async def _obstacle(self, row: OutboxRow, action: Action) -> OutboxRow | None:
        """The first row before it that it rests on and that is not done. What is held may come after it, unless it waits for
        that."""
        for earlier in await self.laid_down(row.preview_id) if row.position else ():
            undone = earlier.position < row.position and earlier.status != "done"
            needs = waits_for if earlier.status == "held" else rests_on
            if undone and needs(action, ACTION.validate_json(earlier.action)):
                return earlier
        return None

    async def _not_begun(self, row: OutboxRow, action: Action, obstacle: OutboxRow) -> Outcome:
        if obstacle.status in outbox.UNFINISHED:
            return waiting(action, row.key, "What comes before it is not done yet.")
        error = NOT_BEGUN.format("was not done" if obstacle.status == "failed" else "may not have been done")
        await self._advance([row], ("pending",), error)
        return await self.outcome(row)

    async def _advance(
        self, rows: Sequence[OutboxRow], expect: tuple[OutboxStatus, ...], error: str, words: str = ""
    ) -> list[OutboxRow]:
        """Those of the rows that this has failed, before anything of them had begun."""

        def work(session: Session) -> list[OutboxRow]:
            at = self.clock()
            gone = [r for r in rows if outbox.advance(session, r.id, expect=expect, to="failed", at=at, error=error)]
            for row in gone:
                if error != TAKEN_BACK:  # what is taken back is told to who does that
                    outbox.failed_late(session, row)
                auditing.withdrawn(session, row, error, at, words=words)
            return gone

        return await self.database.write_synced(work)

    async def take_back(self, rows: Sequence[OutboxRow], says: Sequence[str] = (), words: str = "") -> tuple[Outcome, ...]:
        """What of these had not begun, and by now never will. `says` are the clauses by position, `words` the user's own."""
        await self._advance(rows, ("held", "pending"), TAKEN_BACK, words)
        now = await self.database.read(lambda s: [outbox.by_key(s, row.key) for row in rows])
        taken = [row for row in now if row and row.status == "failed" and row.error == TAKEN_BACK]
        back = (Outcome(action=ACTION.validate_json(r.action), status="taken_back", key=r.key) for r in taken)
        return tuple(saying(outcome, row, says) for outcome, row in zip(back, taken, strict=True))

    async def _attempt(self, row: OutboxRow, action: Action) -> Outcome:
        if refused := await self._refused(action):
            return await self._finish(row, action, "failed", error=refused)
        try:
            receipt = await self._write(await self._as_left(row, action), row.key)
        except Exception as error:
            if isinstance(error, IntegrationError) and not isinstance(error, UNCLEAR):
                return await self._finish(row, action, "failed", error=str(error))
            return await self._reconcile(row, action, worded(error))
        return await self._finish(row, action, "done", receipt=receipt)

    async def _refused(self, action: Action) -> str:
        """Asked at each attempt: it may have been approved long ago. While that can't be told it is not done."""
        try:
            return await self.refuses([action])
        except Exception as error:
            return worded(error)

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
            return await self._finish(row, action, "failed", error=error, found=True)
        return await self._finish(row, action, "done", receipt=receipt, found=True)

    async def _finish(
        self,
        row: OutboxRow,
        action: Action,
        status: Literal["done", "failed", "unknown"],
        receipt: Receipt | None = None,
        error: str = "",
        *,
        found: bool = False,
    ) -> Outcome:
        """What can't be stored is settled at the next start: what was done is done, what was not is tried again then. A row that
        somebody else has settled is told as it stands, unless there is a receipt. `found`: the provider was asked whether it had
        happened. What was done is compared with what was approved before it is stored, so that after a crash it is compared too."""
        if receipt is not None and (account := self.accounts.get(action.account)):
            receipt = await sent_copy.compared(account, action, receipt)
        told = receipt.model_dump_json() if receipt else None

        def work(session: Session) -> OutboxRow | None:
            """The row as it stands, where this has changed nothing."""
            at = self.clock()
            if not outbox.finish(session, row.id, status=status, at=at, receipt=told, error=error):
                return outbox.get(session, row.id)
            if status == "failed":
                outbox.failed_late(session, row)
            auditing.answered(session, row, status, at, receipt=receipt, error=error, found=found)
            if receipt is not None and receipt.differs:
                auditing.differs(session, row, receipt.differs, at)
            return None

        try:
            theirs = await self.database.write_synced(work)
            self._hands.stored(row)
            if theirs is not None and receipt is None:
                return await self.outcome(theirs)
        except StorageError as refused:
            if status == "failed":
                return waiting(action, row.key, str(refused))
        return outcome_of(action, status, row.key, receipt, error)

    async def outcome(self, row: OutboxRow) -> Outcome:
        """What is known of a row by now."""
        current = await self.database.read(lambda s: outbox.by_key(s, row.key))
        row = current or row
        action = ACTION.validate_json(row.action)
        if row.status == "held":
            return held_outcome(action, row, self.clock(), self.zone)
        receipt = Receipt.model_validate_json(row.receipt) if row.receipt else None
        return outcome_of(action, row.status, row.key, receipt, row.error)

    async def as_known(self, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
        """The same as they stand by now."""
        return tuple([await self._as_known(outcome) for outcome in outcomes])

    async def _as_known(self, outcome: Outcome) -> Outcome:
        row = None if outcome.status in SETTLED else await self.database.read(lambda s: outbox.by_key(s, outcome.key))
        if row is None or row.status == outcome.status:
            return outcome
        return (await self.outcome(row)).model_copy(update={"says": outcome.says})

    async def inverse(self, permits: Sequence[str], outcomes: Sequence[Outcome]) -> tuple[Inverse, ...]:
        """What takes back everything done under these permits, the last first; empty when nothing of it can be."""
        says = {outcome.key: outcome.says for outcome in outcomes}
        rows = await self.database.read(lambda s: [row for permit in permits for row in outbox.by_preview(s, permit)])
        receipts = [Receipt.model_validate_json(row.receipt) for row in rows if row.status == "done" and row.receipt]
        return tuple(Inverse(action, says.get(r.key, r.action)) for r in reversed(receipts) for action in r.undo)

    async def settle(self, rows: Sequence[OutboxRow], says: Sequence[str] = (), *, alone: bool = False) -> tuple[Outcome, ...]:
        """Rows that a crash left: one that was never begun is sent, one that was begun is asked about first, one that is unknown is
        asked about and no more; one that somebody may still be at is only told. `alone`: nobody else is at anything. Never raises;
        a row that can't be read is left out. `says` are the clauses by position."""
        outcomes = []
        for row in rows:
            try:
                outcomes.append(saying(await self._settle(row, ACTION.validate_json(row.action), alone=alone), row, says))
            except Exception:
                log.exception("The outbox row %s can't be settled.", row.key)
        return tuple(outcomes)

    async def _settle(self, row: OutboxRow, action: Action, *, alone: bool = False) -> Outcome:
        if row.status == "unknown":
            return await self._reconcile(row, action, row.error)
        if row.status not in ("pending", "started") or (row.status == "started" and not self.is_over(row, alone=alone)):
            return await self.outcome(row)
        try:
            receipt = await self._find(action, row.key)
        except Exception as error:
            if row.status == "started":
                return await self._finish(row, action, "unknown", error=worded(error))
            if not isinstance(error, Unknowable):
                return waiting(action, row.key, worded(error))
            receipt = None
        if row.status == "pending":
            return await (self._send(row, action) if receipt is None else self._asked(row, action, receipt))
        if receipt is not None:
            return await self._finish(row, action, "done", receipt=receipt, found=True)
        return await self._again(row, action, alone=alone)

    async def _write(self, action: Action, key: str) -> Receipt:
        if isinstance(action, SaveTemplate | DeleteTemplate):
            return await self._templates.execute(action, key)
        if isinstance(action, MailAction):
            return await self._mail(action).execute(action, key)
        if isinstance(action, CalendarAction):
            return await self._calendar(action).execute(action, key)
        return await self._contacts(action).execute(action, key)

    async def _find(self, action: Action, key: str) -> Receipt | None:
        if isinstance(action, SaveTemplate | DeleteTemplate):
            return await self._templates.find(action, key)
        if isinstance(action, MailAction):
            return await self._mail(action).find(action, key)
        if isinstance(action, CalendarAction):
            return await self._calendar(action).find(action, key)
        return await self._contacts(action).find(action, key)

    @property
    def _templates(self) -> TemplateWriter:
        return TemplateWriter(self.database, self.user)

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
