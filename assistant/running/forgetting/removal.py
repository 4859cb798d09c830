"""Forgetting a conversation, or a person, in everything but the journal's hashes. The mailboxes themselves are not touched."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assistant.errors import FlowError, Unknown, UserError
from assistant.pipeline.execute import ACTION
from assistant.pipeline.propose import as_preview
from assistant.running.forgetting.dropping import EVERY, Drop, permits_of
from assistant.running.forgetting.people import Person, known, meant, words_of
from assistant.running.forgetting.redaction import Redaction, contents_of
from assistant.running.forgetting.scrubbing import Scrub
from assistant.running.recall import TO_GO_ON_WITH, Recall
from integrations.readers import Readers
from integrations.types import Address, Value
from risk.operations import OPERATIONS, operation_of
from storage import conversations, flows, forgetting, outbox, previews, schedules
from storage.database import Database
from storage.errors import StorageError
from storage.session import Session
from storage.tables import OutboxRow, StoredFlow, StoredPreview

BUSY = "Something of it is being done at this moment; wait until that has ended."
CHANGED = "While this was being forgotten, something of it changed; forget it once more."
TRACES = "It is forgotten, but traces may be left in unused parts of the database: {} Then {}."
COMPACTING = "run: assistant keep"
COMPACTING_A_SERVER = f"have its server run: VACUUM FULL {', '.join(forgetting.TABLES)}"
Concerns = Callable[[StoredFlow | StoredPreview | OutboxRow], bool]


class Removal(Value):
    """What is forgotten, or would be. `about` says it for people; a person is looked for by `words`; `under_way` are clauses for
    what would still have been done and is dropped; `named` are conversations called like a person, which stay.

    The counts: messages, tasks, previews, writes in the outbox, reply templates, schedules, notes, entries of the journal that lose
    their content, and what was typed in the chat."""

    conversation: str = ""
    person: str = ""
    about: str
    words: tuple[str, ...] = ()
    under_way: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    messages: int = 0
    tasks: int = 0
    previews: int = 0
    writes: int = 0
    templates: int = 0
    schedules: int = 0
    notes: int = 0
    journal: int = 0
    typed: int = 0


@dataclass(frozen=True)
class Forgetting:
    """Each is done only with `really`, else only told. Raises UserError where there is nothing of that name, or several, and
    FlowError while something of it is being done."""

    database: Database
    clock: Callable[[], datetime]
    user: str
    me: tuple[Address, ...]
    readers: Readers
    recall: Recall
    home: Path

    async def conversation(self, name: str, *, really: bool) -> Removal:
        if not await self.database.read(lambda s: forgetting.is_there(s, name, user_id=self.user)):
            names = await self.database.read(lambda s: conversations.list(s, user_id=self.user))
            raise Unknown(f"There is no conversation {name}; there are: {', '.join(names) or 'none'}.")
        under_way = await self.database.read(lambda s: self._under_way_in(s, name) + self._scheduled_in(s, name))
        drop = Drop(self.database, self.clock, self.user, self.home, name, really)
        found = await drop.run()
        await self._ended(really, drop.missed)
        return Removal(conversation=name, about=f"the conversation {name}", under_way=under_way, **found)

    async def person(self, said: str, *, really: bool) -> Removal:
        """`said` is an address, or a name or part of one. What is under way is dropped only where it has the address or the name,
        and not for a part of the name."""
        person, others = await self._meant(said)
        words = words_of(person, said, others)
        redaction = Redaction(*words)
        under_way = await self.database.read(
            lambda s: tuple(self._under_way(s, lambda row: any(map(redaction.names, contents_of(row)))))
        )
        scrub = Scrub(self.database, self.clock, self.user, self.home, redaction, really)
        found = await scrub.run()
        if not found.total():
            raise UserError(f"Nothing is stored about {said}.")
        await self._ended(really, scrub.missed)
        names = await self.database.read(lambda s: conversations.list(s, user_id=self.user, limit=EVERY))
        named = tuple(name for name in names if redaction.of(name) != name)
        looked_for = (*words.names, *words.parts)
        return Removal(person=said, about=str(person) or said, words=looked_for, under_way=under_way, named=named, **found)

    async def _meant(self, said: str) -> tuple[Person, tuple[Person, ...]]:
        """The person, who may be known by nothing but an address or a name of several words, and all others."""
        people = await known(self.database, self.readers, self.user)
        found = meant(said, people)
        if not found and "@" not in said and len(said.split()) < 2:
            raise UserError(f"Nobody called {said} is known; give an address or a full name.")
        if len(found) > 1:
            raise UserError(f"Several people are called {said}; give an address: {'; '.join(map(str, found[:10]))}.")
        one = found[0] if found else Person(emails=(said.casefold(),) if "@" in said else ())
        if {address.email for address in self.me} & set(one.emails):
            raise UserError(f"{said} is yourself.")
        return one, tuple(person for person in people if person != one)

    def _under_way_in(self, s: Session, name: str) -> tuple[str, ...]:
        found = (flows.get(s, head.id) for head in flows.list(s, self.user, name, limit=EVERY))
        permits = {permit for flow in found if flow for permit in permits_of(s, flow)}

        def belongs(row: StoredFlow | StoredPreview | OutboxRow) -> bool:
            return row.preview_id in permits if isinstance(row, OutboxRow) else row.conversation == name

        return tuple(self._under_way(s, belongs))

    def _under_way(self, s: Session, concerns: Concerns) -> Iterator[str]:
        """FlowError for what can't be dropped, since it is being done."""
        for preview in filter(concerns, previews.list_open(s, self.user)):
            yield f"awaiting approval: {'; '.join(item.says for item in as_preview(preview).items)}"
        for row in filter(concerns, outbox.unfinished(s, user_id=self.user) + outbox.unknown(s, user_id=self.user)):
            if row.status == "started":
                raise FlowError(BUSY)
            state = "not certain whether it happened" if row.status == "unknown" else "approved, but not gone out"
            yield f"{state}: it {OPERATIONS[operation_of(ACTION.validate_json(row.action))]}"
        for head in flows.list(s, self.user, statuses=(*TO_GO_ON_WITH, "running"), limit=EVERY):
            flow = flows.get(s, head.id)
            if flow is None or not concerns(flow):
                continue
            if flow.status == "running":
                raise FlowError(BUSY)
            yield f"{flow.status}: {flow.about}"

    def _scheduled_in(self, s: Session, name: str) -> tuple[str, ...]:
        return tuple(f"scheduled: {one.name}" for one in schedules.within(s, name, user_id=self.user))

    async def _ended(self, really: bool, missed: int) -> None:
        """Nothing is left of it in memory, nor in unused parts of the file."""
        if really:
            self.recall.forget()
            try:
                await self.database.compact(forgetting.TABLES)
            except StorageError as refused:
                raise FlowError(TRACES.format(refused, then_compact(self.database))) from refused
        if missed:
            raise FlowError(CHANGED)


def then_compact(database: Database) -> str:
    """What is to be done by hand."""
    return COMPACTING_A_SERVER if database.shared else COMPACTING
