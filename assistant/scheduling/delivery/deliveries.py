"""The results of schedules at the places where the user wants them, each made once. What was certainly refused is tried again, what
may have arrived never is, and either is said in the next run."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from assistant.errors import AssistantError
from assistant.pipeline import auditing
from assistant.pipeline.laying import DELIVER
from assistant.pipeline.state import FlowState
from assistant.running.recall import Recall
from assistant.running.recovery import LONGEST
from assistant.scheduling.delivery.content import Content, content_of
from assistant.scheduling.delivery.mailing import NO_ACCOUNT, Mailing
from assistant.scheduling.delivery.targets import MAIL, Targets
from assistant.scheduling.values import Delivery as Delivery
from assistant.values import Outcome
from risk.text import line
from risk.times import moment_words
from storage import audit, deliveries, outbox, restored
from storage.audit import NewEntry
from storage.database import Database
from storage.deliveries import Run
from storage.session import Session
from storage.tables import StoredDelivery

PAUSES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
"""Before each further attempt at what was refused."""
CUT_SHORT = "The program ended while it was being sent."
MAYBE_BEFORE = "It may have been sent before the database was put back from a backup."
NOT_KEPT = "What was to be sent is not kept any more."

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Deliveries:
    """Of one user, whose zone this is. `base_url` is where people reach the page, empty where that is not known."""

    database: Database
    recall: Recall
    mailing: Mailing
    targets: Targets
    clock: Callable[[], datetime]
    user: str
    zone: ZoneInfo
    base_url: str = ""
    _said: dict[str, tuple[StoredDelivery, ...]] = field(default_factory=dict)
    """Of which deliveries the notices were handed out last, by schedule."""

    def record(self, s: Session, schedule: str, slot: str, targets: Iterable[str]) -> None:
        """That this result is to go there; belongs into the transaction that ends the run."""
        deliveries.record(s, schedule, slot, targets, self.clock(), user_id=self.user)

    async def make(self, schedule: str, slot: str) -> None:
        """Tries what of this result is due. Never raises."""
        await self._each(lambda s: deliveries.of_slot(s, schedule, slot, user_id=self.user))

    async def retry(self) -> None:
        """Tries what is due of all results, and settles what was left. Never raises."""

        def left(s: Session) -> tuple[StoredDelivery, ...]:
            now = self.clock()
            return deliveries.open(s, now, user_id=self.user) + deliveries.askable(s, user_id=self.user)

        await self._each(left)

    async def listed(self, schedule: str) -> Mapping[str, tuple[Delivery, ...]]:
        """By slot."""
        found: defaultdict[str, tuple[Delivery, ...]] = defaultdict(tuple)
        for row in await self.database.read(lambda s: deliveries.of_schedule(s, schedule, user_id=self.user)):
            found[row.slot] += (_shown(row),)
        return found

    async def notices(self, schedule: str) -> tuple[str, ...]:
        """Sentences about what of earlier results did not arrive, or may not have."""

        def work(s: Session) -> list[tuple[StoredDelivery, Run | None]]:
            rows = deliveries.untold(s, schedule, user_id=self.user)
            return [(row, deliveries.run_of(s, schedule, row.slot, user_id=self.user)) for row in rows]

        found = await self.database.read(work)
        self._said[schedule] = tuple(row for row, _ in found)
        return tuple(self._notice(row, run) for row, run in found if run)

    def told(self, s: Session, schedule: str) -> None:
        """That the user has heard the notices handed out last; belongs into the transaction that stores them."""
        deliveries.tell(s, self._said.get(schedule, ()))

    def _notice(self, row: StoredDelivery, run: Run) -> str:
        zone = ZoneInfo(run.zone) if run.zone else self.zone
        when = moment_words(run.due, zone=zone, today=self.clock().astimezone(zone).date())
        place = "you by mail" if row.target == MAIL else row.target
        why = row.error.rstrip(".")
        if row.status == "failed":
            return f"The result of {when} could not be sent to {place}: {why}."
        return f"It is not certain whether the result of {when} reached {place} ({why}); it was not sent again."

    # --- one after another

    async def _each(self, chosen: Callable[[Session], tuple[StoredDelivery, ...]]) -> None:
        try:
            rows = await self.database.read(chosen)
        except Exception:
            log.exception("What is to be delivered can't be looked for now.")
            return
        for row in rows:
            try:
                await self._see_to(row)
            except Exception:
                log.exception("The delivery of %s, %s can't be made now.", row.schedule_id, row.slot)

    async def _see_to(self, row: StoredDelivery) -> None:
        now = self.clock()
        if row.status == "pending" and row.not_before is not None and row.not_before <= now:
            # Whoever is cancelled meanwhile hears of it when the attempt has come to its end.
            await self.database.finished(asyncio.ensure_future(self._tried(row)))
        elif row.key and row.status in ("started", "unknown"):
            await self._as_in_outbox(row)
        elif row.status == "started" and row.updated <= now - LONGEST:
            await self._finish(row, "unknown", CUT_SHORT)

    async def _tried(self, row: StoredDelivery) -> None:
        found = await self._content(row)
        if found is None:
            await self._finish(row, "failed", NOT_KEPT)
        elif row.target == MAIL:
            await self._by_mail(row, *found)
        else:
            await self._by_note(row, *found)

    async def _content(self, row: StoredDelivery) -> tuple[FlowState, Run, Content] | None:
        run = await self.database.read(lambda s: deliveries.run_of(s, row.schedule_id, row.slot, user_id=self.user))
        if run is None or run.flow_id is None:
            return None
        try:
            state = await self.recall.load(run.flow_id)
        except AssistantError:
            return None
        opened = [preview for id in state.previews if (preview := await self.recall.open_preview(id))]
        return state, run, content_of(state, run.name, opened, self.base_url)

    # --- by mail

    async def _by_mail(self, row: StoredDelivery, state: FlowState, run: Run, content: Content) -> None:
        if self.mailing.account is None:
            if await self.database.write(lambda s: deliveries.start(s, row, self.clock())):
                await self._refused(_begun(row), NO_ACCOUNT)
            return
        outcome = await self.mailing.send(row, state, run.name, content)
        if outcome is not None:
            await self._came(_begun(row, outcome.key), outcome)

    async def _as_in_outbox(self, row: StoredDelivery) -> None:
        """What the outbox has found out since."""
        sent = await self.database.read(lambda s: outbox.by_key(s, row.key))
        if sent is None and row.status == "started":
            await self._finish(row, "unknown", NOT_KEPT)
        elif sent is not None and sent.status != row.status:
            await self._came(row, await self.mailing.executor.outcome(sent))

    async def _came(self, row: StoredDelivery, outcome: Outcome) -> None:
        match outcome.status:
            case "done":
                differs = f"It is not as it was to be: {outcome.differs}. " if outcome.differs else ""
                await self._finish(row, "done", f"{differs}{outcome.note}")  # which may tell that it waits in a folder
            case "failed":
                await self._refused(row, outcome.note)
            case "unknown":
                await self._finish(row, "unknown", outcome.note)
            case "taken_back":
                await self._finish(row, "failed", "You took it back.")
            case _:  # the outbox goes on with it
                return

    # --- through Apprise

    async def _by_note(self, row: StoredDelivery, state: FlowState, run: Run, content: Content) -> None:
        permit = f"{DELIVER}{row.schedule_id}-{row.slot}-{row.target}-{row.attempts + 1}"
        if not await self.database.write_synced(lambda s: self._begin(s, row, run, permit, state, content)):
            return
        begun = _begun(row)
        sent = await self.targets.send(row.target, content.title, content.text, content.link)
        error = f"{row.target} {sent.error}." if sent.error else ""
        entry = _noted(sent.status, permit, state, receipt=None, error=error, found=False)
        await (self._refused(begun, error, entry) if sent.status == "failed" else self._finish(begun, sent.status, error, entry))

    def _begin(self, s: Session, row: StoredDelivery, run: Run, permit: str, state: FlowState, content: Content) -> bool:
        at, back = self.clock(), restored.at(s)
        if back is not None and run.due <= back:
            deliveries.finish(s, row, "unknown", at, error=MAYBE_BEFORE)
            return False
        if not deliveries.start(s, row, at):
            return False
        says = f"send “{line(content.title)}” to {row.target}"
        wanted = auditing.delivered(permit, state, run.name, says)
        audit.append(s, at, wanted, _noted("started", permit, state, operation="", action={}), user_id=self.user)
        return True

    # --- to an end

    async def _refused(self, row: StoredDelivery, error: str, *entries: NewEntry) -> None:
        """Nothing has arrived for certain, so it is tried again, for a while."""
        if row.attempts > len(PAUSES):
            await self._finish(row, "failed", error, *entries)
        else:
            await self._finish(row, "pending", error, *entries, not_before=self.clock() + PAUSES[row.attempts - 1])

    async def _finish(
        self, row: StoredDelivery, status: str, error: str, *entries: NewEntry, not_before: datetime | None = None
    ) -> None:
        def work(s: Session) -> None:
            at = self.clock()
            changed = deliveries.finish(s, row, status, at, error=error, not_before=not_before)
            if changed and entries:
                audit.append(s, at, *entries, user_id=self.user)

        await self.database.write_synced(work)


def _begun(row: StoredDelivery, key: str = "") -> StoredDelivery:
    """As `storage.deliveries.start` leaves it."""
    return row.model_copy(update={"status": "started", "attempts": row.attempts + 1, "key": key})


def _noted(kind: audit.Kind, permit: str, state: FlowState, **content: object) -> NewEntry:
    return NewEntry(kind=kind, flow_id=state.id, preview_id=permit, content={"position": 0, **content})


def _shown(row: StoredDelivery) -> Delivery:
    status = "pending" if row.status == "started" else row.status
    return Delivery.model_validate({"target": row.target, "status": status, "error": row.error, "attempts": row.attempts})
