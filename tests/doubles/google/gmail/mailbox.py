"""A user's mail. Tests play somebody else's program through it."""

from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from zlib import crc32

from doubles.emulating.mail.headers import Headers, with_network_lines
from doubles.google.calls import ApiError
from doubles.google.gmail.history import History
from doubles.google.gmail.labels import SYSTEM, Labels
from doubles.google.gmail.message import Message

if TYPE_CHECKING:
    from doubles.google.world import World

_FIRST_ID, _ID_STEP, _APART = 0x1900_0000_0000_0001, 0x1_0F3B, 0x1000_0000
ARRIVING = ("INBOX", "UNREAD", "CATEGORY_PERSONAL")
_LEAVES = {"TRASH": {"INBOX", "SPAM"}, "SPAM": {"INBOX", "TRASH"}}


class Mailbox:
    """`messages` and `drafts` (draft id to message id) may be looked at; what changes them goes through the methods. `aliases` are
    further addresses to send from, with the name that goes with each. What comes in while `indexing` is off is listed, but found by
    no query until `index()`. Without `keeps_message_ids` whatever is sent gets a Message-ID of Gmail's own, as has been seen."""

    def __init__(self, email: str, world: "World") -> None:
        self.email = email
        self.world = world
        self.messages: dict[str, Message] = {}
        self.drafts: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.labels = Labels()
        self.history = History()
        self.indexing = True
        self.keeps_message_ids = True
        self._first_id = _FIRST_ID + crc32(self.email.encode()) * _APART
        self._ids = self._draft_ids = 0

    # Somebody else's program

    def deliver(self, raw: bytes, labels: Iterable[str] = ARRIVING, date: datetime | None = None) -> str:
        """Gives the message's id. `labels` are ids, or names of the user's labels, which are made where they are missing; `date` is
        when it arrived: that of its Date header unless given."""
        known = {name if name in SYSTEM else self.labels.ensure(name).id for name in labels}
        moment = date or date_of(raw) or self.world.now()
        message = self.add(raw, known, moment)
        if "DRAFT" in known:
            self.draft(message)
        return message.id

    def raw(self, message_id: str) -> bytes:
        return self.messages[message_id].raw

    def change(self, message_id: str, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
        self.relabel(self.messages[message_id], set(add), set(remove))

    def remove(self, message_id: str) -> None:
        self.delete(self.messages[message_id])

    def forget_history(self) -> None:
        self.history.forget()

    def index(self) -> None:
        """The search has caught up."""
        self.indexing = True
        for message in self.everything:
            message.indexed = True

    def labelled(self, label_id: str) -> list[Message]:
        """Newest first."""
        return self.newest_first(message for message in self.everything if label_id in message.labels)

    # What the handlers do

    @property
    def everything(self) -> list[Message]:
        """In no order; a list of its own, for a test may change the mailbox while a handler looks through it."""
        return list(self.messages.values())

    @property
    def addresses(self) -> set[str]:
        return {self.email.lower(), *map(str.lower, self.aliases)}

    @property
    def name(self) -> str:
        user = self.world.users.get(self.email)
        return user.name if user else ""

    def get(self, message_id: str) -> Message:
        return self.messages[known_id(message_id, self.messages)]

    def thread(self, thread_id: str) -> list[Message]:
        """Oldest first."""
        members = [message for message in self.everything if message.thread_id == thread_id]
        known_id(thread_id, {message.thread_id for message in members})
        return sorted(members, key=lambda message: message.order, reverse=True)

    def newest_first(self, messages: Iterable[Message]) -> list[Message]:
        return sorted(messages, key=lambda message: message.order)

    def add(self, raw: bytes, labels: set[str], moment: datetime, thread_id: str = "") -> Message:
        if thread_id:
            self.thread(thread_id)
        self._ids += 1
        new = f"{self._first_id + self._ids * _ID_STEP:016x}"
        message = Message(new, new, with_network_lines(raw), int(moment.timestamp() * 1000), set(labels), indexed=self.indexing)
        message.thread_id = self._thread_for(message, thread_id) or new
        self.messages[new] = message
        self.history.note("messageAdded", message)
        return message

    def _thread_for(self, message: Message, wanted: str) -> str:
        """A thread has one subject, and its messages refer to one another; asking for a thread does not do without."""
        related = [
            other.thread_id
            for other in self.everything
            if other.subject == message.subject
            and (
                other.message_id in message.references
                or message.message_id in other.references
                or message.references & other.references
            )
        ]
        return wanted if wanted in related else next(iter(related), "")

    def relabel(self, message: Message, add: set[str], remove: set[str]) -> None:
        """Trash and Spam take a message out of the inbox."""
        remove = (remove | {left for label in add for left in _LEAVES.get(label, ())}) - add
        added, removed = add - message.labels, remove & message.labels
        if added:
            message.labels = message.labels | added
            self.history.note("labelAdded", message, added)
        if removed:
            message.labels = message.labels - removed
            self.history.note("labelRemoved", message, removed)

    def delete(self, message: Message) -> None:
        del self.messages[message.id]
        self.drafts = {draft: held for draft, held in self.drafts.items() if held != message.id}
        self.history.note("messageDeleted", message)

    def draft(self, message: Message) -> str:
        self._draft_ids += 1
        draft_id = f"r{7_000_000_000_000 + self._draft_ids * 104_729}"
        self.drafts[draft_id] = message.id
        return draft_id


def date_of(raw: bytes) -> datetime | None:
    try:
        written = parsedate_to_datetime(Headers(raw).get("Date"))
    except ValueError:
        return None
    return written if written.tzinfo else written.replace(tzinfo=UTC)


def known_id(wanted: str, known: Iterable[str]) -> str:
    """An id that Gmail never gives out is another fault than one that is gone."""
    if wanted in known:
        return wanted
    try:
        int(wanted, 16)
    except ValueError:
        raise ApiError(400, "invalidArgument", "Invalid id value") from None
    raise ApiError(404, "notFound", "Requested entity was not found.")
