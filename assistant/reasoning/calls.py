"""A sub-agent's reading of an instruction: which things, and what to do with them. Any selection works with any operation."""

from datetime import datetime, timedelta
from typing import Literal

from integrations.types import Value

Operation = Literal[
    "mail.find", "mail.read", "mail.summarise", "mail.count", "mail.check", "mail.attention", "mail.unanswered", "mail.answer",
    "mail.send", "mail.draft", "mail.reply", "mail.forward",
    "mail.mark_read", "mail.mark_unread", "mail.flag", "mail.unflag", "mail.archive", "mail.trash", "mail.restore",
    "event.find", "event.next", "event.count", "event.check", "event.free", "event.slots", "event.clashes", "event.summarise",
    "event.create", "event.move", "event.rename", "event.resize", "event.relocate", "event.cancel",
    "event.invite", "event.uninvite", "event.accept", "event.decline", "event.tentative",
    "contact.find", "contact.address", "contact.count", "contact.group", "contact.add", "contact.update", "contact.delete",
    "template.list", "template.save", "template.delete",
    "revise.time", "revise.add_person", "revise.drop_person", "revise.replace_person", "revise.body", "revise.subject",
    "revise.draft", "revise.title", "revise.duration", "revise.location",
]  # fmt: skip
"""`mail.check`, `event.check` answer yes or no ("did he reply?", "do I have a meeting with her?"); `mail.answer` answers a question
from what mails say; `event.free` answers whether a time is free; `contact.address` finds exactly one person's address."""


class Person(Value):
    """Somebody mentioned: by address, or by name or group as the user put it; `ref` when it stands for an earlier result."""

    text: str = ""
    email: str = ""
    ref: str = ""
    role: Literal["any", "from", "to", "with"] = "any"


class TimeSpec(Value):
    """An understood time. Instants are aware, in the user's zone; `stop` is exclusive. `text` is the user's wording.

    kind "point": a day (has_time False: start..stop is the whole day) or a time of day (stop None or the grain's end).
    kind "range": start..stop; either may be None (open: "before Friday", "after 11").
    kind "duration": only `duration`.  kind "repeat": `rrule` (no RRULE: prefix) with the first `start`.
    has_date False means that only a time of day was said and the date is a default.
    """

    kind: Literal["point", "range", "duration", "repeat"]
    text: str = ""
    start: datetime | None = None
    stop: datetime | None = None
    duration: timedelta | None = None
    rrule: str = ""
    has_date: bool = False
    has_time: bool = False


class Selection(Value):
    """Which mails, events or contacts. Everything given must hold. `refs` are earlier results ("3", "shown", "proposal") to pick
    from. `order` and `number`: "first 1", "oldest 1" (by date, where "first" of what was shown
    goes by its place), "last 2", "next 1", "nth 2" (the second); `each` for all/every/my meetings."""

    refs: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    words: tuple[str, ...] = ()
    """Topic or title words; one with spaces was quoted or capitalised as a phrase."""
    when: TimeSpec | None = None
    order: Literal["", "first", "oldest", "last", "next", "nth"] = ""
    number: int = 1
    each: bool = False
    unread: bool | None = None
    flagged: bool | None = None
    has_attachment: bool | None = None
    unanswered: bool = False
    bulk: bool | None = None
    folder: str = ""
    all_day: bool | None = None
    company: str = ""
    title: str = ""
    group: str = ""


class Call(Value):
    """One operation over one selection. What a mail shall say is `body` when dictated word for word, else `about`.

    `to` are recipients or people to invite; `time` is the (new) time of what is created, moved or looked for as a slot;
    `shift` moves or lengthens by a difference; `field` is the contact field asked for ("phone"), "all" for a reply to all,
    "reply" for a draft that answers `select`, "them" where others owe the answer; `details` are a contact's fields to set
    (name, nickname, email, phone, company, title, group, note).
    """

    operation: Operation
    select: Selection = Selection()
    to: tuple[Person, ...] = ()
    cc: tuple[Person, ...] = ()
    bcc: tuple[Person, ...] = ()
    subject: str = ""
    body: str = ""
    about: str = ""
    template: str = ""
    title: str = ""
    time: TimeSpec | None = None
    duration: timedelta | None = None
    shift: timedelta | None = None
    location: str = ""
    all_day: bool = False
    field: str = ""
    details: tuple[tuple[str, str], ...] = ()
    question: str = ""


class Reading(Value):
    """`certain` is False where the grammar had to guess; `guesses` says what; `unread` are words it could not place."""

    call: Call | None = None
    certain: bool = False
    guesses: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
