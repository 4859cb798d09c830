"""A sub-agent's reading of an instruction: which things, and what to do with them. Any selection works with any operation."""

from datetime import datetime, timedelta
from typing import Literal

from integrations.types import Value

Operation = Literal[
    "mail.find", "mail.read", "mail.summarise", "mail.count", "mail.check", "mail.attention", "mail.unanswered", "mail.answer",
    "mail.rank",
    "mail.send", "mail.draft", "mail.reply", "mail.forward",
    "mail.mark_read", "mail.mark_unread", "mail.flag", "mail.unflag", "mail.archive", "mail.trash", "mail.restore",
    "event.find", "event.next", "event.count", "event.check", "event.free", "event.slots", "event.clashes", "event.summarise",
    "event.rank", "event.total", "event.guests", "event.answers", "event.choose",
    "event.create", "event.move", "event.rename", "event.resize", "event.relocate", "event.cancel",
    "event.invite", "event.uninvite", "event.replace", "event.swap", "event.accept", "event.decline", "event.tentative",
    "contact.find", "contact.address", "contact.count", "contact.group", "contact.add", "contact.update", "contact.delete",
    "template.list", "template.save", "template.delete",
    "revise.time", "revise.now", "revise.add_person", "revise.drop_person", "revise.replace_person", "revise.body",
    "revise.subject", "revise.draft", "revise.title", "revise.duration", "revise.location",
]  # fmt: skip
"""`mail.check`, `event.check` answer yes or no ("did he reply?", "do I have a meeting with her?"); `mail.answer` answers a question
from what mails say; `event.free` answers whether a time is free; `contact.address` finds exactly one person's address.
`mail.rank`, `event.rank`
say who or what has the most; `event.total` says how long the events take together; `event.guests` who takes part in exactly one;
`event.answers` whether those in `to` (everybody where nobody is named) gave the answer `field` (accepted, declined, tentative,
answered) to one, with `question` "any" whether one of its guests did, "who" or "who not" who did, "which" or "which not" of which
events that holds.
`event.choose` says which of the times that were shown is best, for `question`.
`revise.now` has a mail go out as soon as it is approved.
`event.swap` gives two events each other's start: those of `select`, or the one of `select` and the one of `beside`."""

Bounds = tuple[int, int | None]
"""At least and at most so many; None: any number."""


CROWD = 1000
"""More guests than any event has: no upper bound."""


class Person(Value):
    """Somebody mentioned: by address, by name or group as the user put it, or described ("Daniel from City Planning", "all
    managers"); `ref` when it stands for an earlier result. role "from": who wrote the mail, or organises the event; "except": who
    is left out of the others."""

    text: str = ""
    email: str = ""
    ref: str = ""
    role: Literal["any", "from", "to", "with", "except"] = "any"


class Window(Value):
    """[start, stop), aware."""

    start: datetime
    stop: datetime


class TimeSpec(Value):
    """An understood time. Instants are aware, in the user's zone; `stop` is exclusive. `text` is the user's wording.

    kind "point": a day (has_time False: start..stop is the whole day) or a time of day (stop None or the grain's end).
    kind "range": start..stop; either may be None (open: "before Friday", "after 11").
    kind "duration": only `duration`.  kind "repeat": `rrule` (no RRULE: prefix) with the first `start`.
    has_date False means that only a time of day was said and the date is a default.
    `windows` are the stretches meant, in order, where start..stop has holes ("Monday and Wednesday", "next week after 10").
    """

    kind: Literal["point", "range", "duration", "repeat"]
    text: str = ""
    start: datetime | None = None
    stop: datetime | None = None
    duration: timedelta | None = None
    rrule: str = ""
    has_date: bool = False
    has_time: bool = False
    windows: tuple[Window, ...] = ()
    daily: bool = False
    """These hours on any day: what begins within them."""

    @property
    def runs(self) -> tuple[Window, ...]:
        """The windows; those with the same hours on days in a row as one, from the first's start to the last's stop."""
        found: list[Window] = []
        for window in self.windows:
            before = found[-1] if found else None
            if before and _follows(before, window):
                found[-1] = Window(start=before.start, stop=window.stop)
            else:
                found.append(window)
        return tuple(found)


def _follows(before: Window, window: Window) -> bool:
    instant = timedelta(microseconds=1)
    next_day = window.start.date() - (before.stop - instant).date() == timedelta(days=1)
    within_day = window.start.date() == (window.stop - instant).date()
    return next_day and within_day and (window.start.time(), window.stop.time()) == (before.start.time(), before.stop.time())


class Selection(Value):
    """Which mails, events or contacts. Everything given must hold. `refs` are earlier results ("3", "shown", "proposal") to pick
    from. `order` and `number`: "first 1", "oldest 1" (by date, where "first" of what was shown
    goes by its place), "last 2", "next 1", "nth 2" (the second), "nth_last 2" (the last but one), "longest 1" (of events);
    `each` for all/every/my meetings.
    `without`: what fits one of these is left out."""

    refs: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    words: tuple[str, ...] = ()
    """Topic or title words; one with spaces was quoted or capitalised as a phrase."""
    when: TimeSpec | None = None
    order: Literal["", "first", "oldest", "last", "next", "nth", "nth_last", "longest", "shortest"] = ""
    number: int = 1
    places: tuple[int, ...] = ()
    """Several places ("the second and the fourth"), from 1, from the end from -1; `order` is "nth" then."""
    each: bool = False
    counted: int = 0
    """How many there are, as the user put it ("the two unread mails"); 0 where that was not said."""
    unread: bool | None = None
    flagged: bool | None = None
    has_attachment: bool | None = None
    unanswered: bool = False
    bulk: bool | None = None
    folder: str = ""
    asks: Literal["", "for", "about"] = ""
    """Mails in which somebody asks for what the words say, or about it."""
    subject: tuple[str, ...] = ()
    """Words or phrases that stand in a mail's subject."""
    attached: str = ""
    """A kind of attached file ("pdf", "image") or part of its name."""
    addressed: Literal["", "only", "copy"] = ""
    """Mails to nobody but the user, or that came to the user as a copy."""
    known: bool | None = None
    """Mails from people in the contacts, or from others."""
    inside: bool | None = None
    """Mails from colleagues, who write from the user's own domain, or from others."""
    all_day: bool | None = None
    recurring: bool | None = None
    answer: Literal["", "accepted", "declined", "tentative"] = ""
    place: str = ""
    guests: tuple[int, int] | None = None
    """Events with at least and at most so many others."""
    lasting: tuple[timedelta, timedelta] | None = None
    """Events longer than the one and shorter than the other; just as long where both are the same."""
    company: str = ""
    title: str = ""
    group: str = ""
    lacking: str = ""
    """Contacts whose card says nothing of this field."""
    without: tuple["Selection", ...] = ()
    either: bool = False
    """Events with any of the people, not with all of them."""
    next_to: tuple[Literal["after", "before"], "Selection"] | None = None
    """The event that comes right after or before this one, on the same day."""
    overlapping: "Selection | None" = None
    """Events that overlap one of these, which are left out themselves."""


class Call(Value):
    """One operation over one selection. What a mail shall say is `body` when dictated word for word, else `about`; a `subject`
    that is a reference ("{2}") is the title of the event found there.

    `to` are recipients or people to invite; `time` is the (new) time of what is created, moved or looked for as a slot, or when a
    mail goes out, for whose change `field` is "send" where sending was spoken of;
    `shift` moves or lengthens by a difference; `field` is the contact field asked for ("phone"), "all" for a reply to all,
    "reply" for a draft that answers `select` (with a `question` where it was asked how), "them" where others owe the answer; of a
    ranking what is ranked (person, hour, day,
    weekday, week, month, quarter, season, year, title, event for single ones, time for whether `select` has more than at
    `time`, times for which), whose `question` is the measure (most, least,
    longest, shortest, largest) and whose `to` are the people compared; `details` are a contact's fields to set
    (name, nickname, email, phone, company, title, group, note), "also phone" for one more, "without group" for what is taken off.
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
    factor: float | None = None
    """Of `event.resize`: what the length is multiplied with."""
    location: str = ""
    all_day: bool = False
    field: str = ""
    details: tuple[tuple[str, str], ...] = ()
    question: str = ""
    gap: timedelta | None = None
    """How far a free time keeps from what stands before and behind it."""
    prefer: TimeSpec | None = None
    """Where a free time is best; others will do."""
    bounds: Bounds | None = None
    """Of a check: it holds where so many are found."""
    beside: Selection | None = None
    """The event that its time is right after or before, by `side`; a person with the ref "beside" stands for those in that
    event."""
    side: Literal["", "after", "before"] = ""
    fits: Selection | None = None
    """Of a check: what the one that was chosen must be like besides."""
    apart: bool = False
    """Everybody in `to` gets a mail of their own."""
    calendars: tuple[Person, ...] = ()
    """Whose calendars a new event goes into; the user's own where nobody is named."""
    leaving: tuple[Person, ...] = ()
    """Of `event.replace`: whose place the people in `to` take; nobody named: that of the only other one."""
    together: tuple[timedelta, timedelta] | None = None
    """Of a check: it holds where the events take longer than the one and less than the other in all."""
    slot: Literal["", "first", "last"] = ""
    """The first or last free time within `time` is meant."""
    guarded: bool = False
    """Made only where nothing is in the way."""


class Reading(Value):
    """`certain` is False where the grammar had to guess; `guesses` says what; `unread` are words it could not place."""

    call: Call | None = None
    certain: bool = False
    guesses: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
