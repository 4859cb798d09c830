"""What mail, calendars and address books hold, whichever provider they come from."""

from datetime import datetime
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field


class Value(BaseModel):
    """A frozen value that crosses a boundary; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


T = TypeVar("T")

Capability = Literal["busy", "changes", "dates", "invite", "restore"]
"""What not every account can do: tell when others have time; tell what has happened to mails since; keep single extra dates of a
series; carry invitations, and the answers to them, to others; bring back a removed event as the very same, and an answer to one as
not given."""

INBOX, SENT, DRAFTS, OUTBOX, ARCHIVE, TRASH = "INBOX", "Sent", "Drafts", "Outbox", "Archive", "Trash"
"""The special folders by the names used everywhere here; other folders keep the provider's name."""


class Address(Value):
    """`email` is lower-cased and valid, or the item that carries it was skipped."""

    email: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>" if self.name else self.email


class Oddity(Value):
    """What reading has removed, or found strange: what a person would not have seen, or not expected. `where` is the field it was
    in ("body", "subject", "sender", "title", "name", …); `count` of characters or things."""

    kind: Literal[
        "hidden_text",
        "invisible",
        "bidi",
        "parts_differ",
        "double_header",
        "too_deep",
        "too_many",
        "cut",
        "charset",
        "forged",
        "unclear",
    ]
    where: str = ""
    count: int = 1


class Attachment(Value):
    """`part` addresses it inside its message; `size` in bytes."""

    part: str
    filename: str
    content_type: str
    size: int


class MailRef(Value):
    account: str
    id: str
    etag: str = ""


class EventRef(Value):
    """One event; `recurrence` (the RECURRENCE-ID) names a single instance of a series, None the series itself."""

    account: str
    calendar: str
    id: str
    etag: str = ""
    recurrence: datetime | None = None


class ContactRef(Value):
    account: str
    id: str
    etag: str = ""


class Mail(Value):
    """`body` is the readable text; searches leave it empty and give `snippet` (at most 200 characters)."""

    account: str
    id: str
    etag: str
    folder: str
    message_id: str = ""
    thread: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    sender: Address | None = None
    reply_to: tuple[Address, ...] = ()
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    bcc: tuple[Address, ...] = ()
    subject: str = ""
    date: datetime
    snippet: str = ""
    body: str = ""
    attachments: tuple[Attachment, ...] = ()
    unread: bool = False
    flagged: bool = False
    answered: bool = False
    bulk: bool = False
    """Sent to a list or in bulk: List-Id, List-Unsubscribe or Precedence says so."""
    sample: bool = False
    oddities: tuple[Oddity, ...] = ()
    """Of what was read: a search that gives no body may not know those of the body."""

    @property
    def ref(self) -> MailRef:
        return MailRef(account=self.account, id=self.id, etag=self.etag)

    @property
    def recipients(self) -> tuple[Address, ...]:
        return self.to + self.cc + self.bcc


Answer = Literal["needs-action", "accepted", "declined", "tentative", ""]


class Attendee(Value):
    address: Address
    answer: Answer = "needs-action"
    optional: bool = False


class Event(Value):
    """One event, or one instance of a series (`recurrence` set). Times are aware, in the user's zone; an all-day event runs
    from local midnight to the local midnight after its last day. `zone` is the IANA name it was written in."""

    account: str
    calendar: str
    id: str
    etag: str
    uid: str
    title: str
    start: datetime
    end: datetime
    all_day: bool = False
    zone: str = ""
    recurrence: datetime | None = None
    series: bool = False
    rrule: str = ""
    location: str = ""
    description: str = ""
    organizer: Address | None = None
    attendees: tuple[Attendee, ...] = ()
    status: Literal["confirmed", "tentative", "cancelled"] = "confirmed"
    busy: bool = True
    my_answer: Answer = ""
    """The account owner's own answer; empty where the owner isn't an attendee."""
    guest: bool = False
    """Whether it is only the owner's copy of what somebody else organises: removing it tells nobody. Only where that is sure."""
    sample: bool = False
    oddities: tuple[Oddity, ...] = ()

    @property
    def ref(self) -> EventRef:
        return EventRef(account=self.account, calendar=self.calendar, id=self.id, etag=self.etag, recurrence=self.recurrence)


class Contact(Value):
    account: str
    id: str
    etag: str
    uid: str
    name: str
    nickname: str = ""
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    company: str = ""
    title: str = ""
    groups: tuple[str, ...] = ()
    address: str = ""
    birthday: str = ""
    note: str = ""
    sample: bool = False
    oddities: tuple[Oddity, ...] = ()

    @property
    def ref(self) -> ContactRef:
        return ContactRef(account=self.account, id=self.id, etag=self.etag)


class Group(Value):
    """A vCard group or category with its members that have an address."""

    name: str
    members: tuple[Address, ...]


class Calendar(Value):
    account: str
    id: str
    name: str
    read_only: bool = False


class Correspondent(Value):
    """Somebody mail was exchanged with: `received` from them, `sent` to them, `last` either way."""

    address: Address
    received: int = 0
    sent: int = 0
    last: datetime | None = None


class Busy(Value):
    """When somebody has no time, in order; `unknown` says in a clause why that can't be told, `unreached`: just now, because an
    account is out of reach."""

    email: str
    times: tuple[tuple[datetime, datetime], ...] = ()
    unknown: str = ""
    unreached: bool = False


class Changes(Value):
    """What has happened to mails since an earlier `cursor`: `changed` have come, were marked or were moved, `gone` exist no
    more. Not `complete`: it can't be told any more, and everything must be looked at again."""

    cursor: str
    changed: tuple[MailRef, ...] = ()
    gone: tuple[MailRef, ...] = ()
    complete: bool = True


class Skipped(Value):
    """An item that could not be read: `where` names it, `reason` is one clause for people. `account`: it is a whole account, and
    the reason a sentence. `whole`: it is no single item, but a folder or calendar with all that it holds."""

    where: str
    reason: str
    account: bool = False
    whole: bool = False


class Page(Value, Generic[T]):
    """`total` counts all matches where the provider knows it; `next` is the cursor for the following page."""

    items: tuple[T, ...] = ()
    next: str | None = None
    total: int | None = None
    skipped: tuple[Skipped, ...] = ()


class MailQuery(Value):
    """Every field given must match; within a tuple of people or folders any one is enough.

    `words` must all occur (sender, recipients, subject or body); a word with spaces is a phrase. `sender` and `recipient`
    entries are addresses, or parts of a name or address. No `folders`: all but Trash, Drafts and Outbox.
    `since` is inclusive, `before` exclusive. Newest first unless `oldest_first`.
    """

    words: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    sender: tuple[str, ...] = ()
    recipient: tuple[str, ...] = ()
    with_person: tuple[str, ...] = ()
    since: datetime | None = None
    before: datetime | None = None
    folders: tuple[str, ...] = ()
    unread: bool | None = None
    flagged: bool | None = None
    has_attachment: bool | None = None
    bulk: bool | None = None
    thread: str = ""
    message_id: str = ""
    oldest_first: bool = False
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    cursor: str | None = None


class EventQuery(Value):
    """Instances that overlap [start, end), expanded, earliest first. `words` must all occur in title, location or
    description; `people` entries (addresses or parts of names): any one attends or organises. Cancelled ones are left out."""

    start: datetime
    end: datetime
    words: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    calendars: tuple[str, ...] = ()
    limit: Annotated[int, Field(ge=1, le=5000)] = 1000


EVERYBODY = 100_000
"""More contacts than anybody keeps."""


class ContactQuery(Value):
    """Every field given must match, without regard to case or accents. `name` matches parts of name, nickname or address;
    the rest are substrings of their fields. An empty query lists all, by name."""

    name: str = ""
    email: str = ""
    phone: str = ""
    company: str = ""
    title: str = ""
    group: str = ""
    words: tuple[str, ...] = ()
    limit: Annotated[int, Field(ge=1, le=EVERYBODY)] = EVERYBODY
