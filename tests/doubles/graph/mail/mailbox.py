"""A user's mail. Tests play somebody else's program through it."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from doubles.graph import ids
from doubles.graph.calls import GraphError, not_found
from doubles.graph.deltas import Journal
from doubles.graph.mail.changing import apply
from doubles.graph.mail.content import Content
from doubles.graph.mail.conversations import Conversations
from doubles.graph.mail.folders import DUMPSTER, Folder, Folders, entry_id
from doubles.graph.mail.message import Message

if TYPE_CHECKING:
    from doubles.graph.mail.attaching import Upload
    from doubles.graph.world import World

_UNEVEN = 37
"""Milliseconds between what came at one time, so that no two come at the same."""


class Mailbox:
    """`messages` may be looked at; what changes them goes through the methods.

    What comes in while `indexing` is off is listed, but found by no search until `index()`. Without `keeps_message_ids` whatever is
    sent gets a Message-ID of Exchange's own; without `keeps_sent_ids` what was sent is another mail than the draft was, as has been
    seen. `lingers`: how many looks at a mail that was sent, or at a list it is in, find it on its way still, in the folder
    `lingers_in`. `recoverable`: a mail that was deleted is shown to whoever knows its immutable id, in a folder that nobody sees.
    `zone`: where a day of a search begins."""

    def __init__(self, email: str, world: "World") -> None:
        self.email = email
        self.world = world
        self.messages: dict[str, Message] = {}
        self.folders = Folders()
        self.folder_journal = Journal()
        self.indexing = True
        self.keeps_message_ids = True
        self.keeps_sent_ids = True
        self.recoverable = True
        self.lingers, self.lingers_in = 0, "outbox"
        self.uploads: dict[str, Upload] = {}
        self.zone = ZoneInfo("America/Los_Angeles")
        self._journals: dict[str, Journal] = defaultdict(Journal)
        self._entries: dict[str, Message] = {}
        self._left: dict[tuple[str, str], str] = {}
        self._conversations = Conversations()
        self._numbers = count(1)
        for folder in self.folders.by_id:
            self._note(folder)

    # Somebody else's program

    def deliver(
        self, raw: bytes, folder: str = "inbox", *, seen: bool = False, flagged: bool = False, date: datetime | None = None
    ) -> str:
        """Gives the mail's immutable id. `folder` is an id or a well-known name; `date` is when it arrived: that of its Date header
        unless given."""
        place = self.folders.get(folder)
        message = self._read(raw, place, date, seen=seen, flag="flagged" if flagged else "notFlagged")
        message.draft = place.known in ("drafts", "outbox")
        message.came_in = place.known not in ("drafts", "outbox", "sentitems")
        message.index = self._conversations.index(message.content, drafted=False)
        return self._keep(message).id

    def raw(self, message_id: str) -> bytes:
        return self.messages[message_id].raw

    def change(self, message_id: str, **fields: Any) -> None:
        """As PATCH does: isRead, flag, categories, subject …"""
        message = self.messages[message_id]
        apply(message, fields)
        self.touch(message)

    def file(self, message_id: str, folder: str) -> None:
        """`folder` as a path below the top, made where it is missing."""
        self.move(self.messages[message_id], self.folder(folder))

    def remove(self, message_id: str) -> None:
        """For good."""
        self._forget(self.messages[message_id])

    def folder(self, path: str) -> Folder:
        """Made where it is missing; "/" divides."""
        known = len(self.folders.by_id)
        folder = self.folders.ensure(path)
        for made in list(self.folders.by_id)[known:]:
            self._note(made)
        return folder

    def remove_folder(self, path: str) -> None:
        """With all that is in it."""
        for folder in list(self.folders.below(self.folders.ensure(path))):
            for message in self.within(folder):
                self._forget(message)
            del self.folders.by_id[folder.id]
            self.folder_journal.remove(folder.id)

    def forget_changes(self) -> None:
        """Whatever token was given out before is good no more."""
        for journal in (self.folder_journal, *self._journals.values()):
            journal.forget()

    def index(self) -> None:
        """The search has caught up."""
        self.indexing = True
        for message in self.everything:
            message.indexed = True

    # What the handlers do

    @property
    def everything(self) -> list[Message]:
        """In the order they came; a list of its own, for a test may change the mailbox while a handler looks through it."""
        hidden = self.folders.known(DUMPSTER).id
        return [message for message in list(self.messages.values()) if message.folder != hidden]

    @property
    def searches_fields(self) -> bool:
        """At a personal account a search that names a property has been seen to find nothing."""
        user = self.world.users.get(self.email)
        return user is None or user.kind == "work"

    @property
    def name(self) -> str:
        user = self.world.users.get(self.email)
        return (user.name if user else "") or self.email

    def within(self, folder: Folder) -> list[Message]:
        return [message for message in list(self.messages.values()) if message.folder == folder.id]

    def journal(self, folder: Folder) -> Journal:
        return self._journals[folder.id]

    def get(self, wanted: str) -> Message:
        """By either of its ids."""
        message = self.messages.get(wanted) or self._entries.get(wanted)
        if message is None:
            ids.check(wanted)
            raise not_found()
        self.look(message)
        return message

    def look(self, message: Message) -> None:
        """A mail on its way out is a step further then."""
        if message.lingering:
            message.lingering -= 1
            if not message.lingering:
                self.settle(message)

    def entry_in(self, folder: Folder, message_id: str) -> str:
        """The id that a mail had in a folder it has left, for whoever does not ask for immutable ones."""
        return self._left[folder.id, message_id]

    def draft(self, message: Message) -> Message:
        message.draft, message.came_in, message.seen = True, False, True
        message.index = self._conversations.index(message.content, drafted=True)
        return self._keep(message)

    def read(self, raw: bytes, folder: Folder) -> Message:
        return self._read(raw, folder, self.world.now())

    def written(self, content: Content, folder: Folder) -> Message:
        return self._made(folder, self.world.now(), content=content)

    def touch(self, message: Message) -> None:
        """It was changed."""
        message.version += 1
        message.changed = self.world.now()
        self._journals[message.folder].touch(message.id)
        self._note(message.folder)

    def move(self, message: Message, folder: Folder) -> None:
        """Its entry id becomes another one, its immutable id stays."""
        self._leave(message)
        message.folder = folder.id
        self._entries.pop(message.entry, None)
        message.entry = entry_id()
        self._entries[message.entry] = message
        self.touch(message)

    def copy(self, message: Message, folder: Folder) -> Message:
        kept = ("content", "original", "index", "draft", "came_in", "seen", "flag", "categories", "importance")
        same = {name: getattr(message, name) for name in kept}
        copied = self._made(folder, message.received, extended=dict(message.extended), **same)
        return self._keep(copied)

    def delete(self, message: Message) -> None:
        dumpster = self.folders.known(DUMPSTER)
        if message.folder == dumpster.id:
            raise GraphError(403, "ErrorCannotDeleteObject", "Object cannot be deleted.")
        if self.recoverable:
            self.move(message, dumpster)
        else:
            self._forget(message)

    def settle(self, message: Message) -> None:
        """It has gone out."""
        message.draft, message.lingering = False, 0
        sent = self.folders.known("sentitems")
        if self.keeps_sent_ids:
            self.move(message, sent)
        else:
            self.copy(message, sent)
            self._forget(message)

    def _read(self, raw: bytes, folder: Folder, date: datetime | None, **given: Any) -> Message:
        fields = self._fields(folder, date)
        message = Message.read(raw, **{**fields, **given})
        if date is None and message.content.date:
            message.received = self._finely(message.content.date, message.number)
        return message

    def _made(self, folder: Folder, date: datetime, **given: Any) -> Message:
        return Message(**{**self._fields(folder, date), **given})

    def _fields(self, folder: Folder, date: datetime | None) -> dict[str, Any]:
        now, number = self.world.now(), next(self._numbers)
        received = self._finely(date or now, number)
        known = {"id": ids.new(), "entry": entry_id(), "folder": folder.id, "number": number, "indexed": self.indexing}
        return {**known, "received": received, "created": now, "changed": now}

    def _finely(self, moment: datetime, number: int) -> datetime:
        return moment.replace(microsecond=0) + timedelta(milliseconds=number * _UNEVEN % 1000)

    def _keep(self, message: Message) -> Message:
        self.messages[message.id] = self._entries[message.entry] = message
        self._conversations.add(message)
        self.touch(message)
        return message

    def _note(self, folder_id: str) -> None:
        """What nobody sees is not told of, nor the top."""
        folder = self.folders.by_id[folder_id]
        if folder.parent and not folder.hidden:
            self.folder_journal.touch(folder_id)

    def _leave(self, message: Message) -> None:
        self._left[message.folder, message.id] = message.entry
        self._journals[message.folder].remove(message.id)
        self._note(message.folder)

    def _forget(self, message: Message) -> None:
        self._leave(message)
        del self.messages[message.id]
        self._entries.pop(message.entry, None)
        self._conversations.remove(message)


def latest_sent_first(messages: Iterable[Message]) -> list[Message]:
    """By when they say to have been sent, whenever they came."""
    return sorted(messages, key=lambda message: (message.sent, message.number), reverse=True)
