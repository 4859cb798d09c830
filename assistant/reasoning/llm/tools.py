"""What a sub-agent's model can call: typed reads, and typed proposals of writes. Each comes to one Call; code reads the dates."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from assistant.llm.messages import Tool
from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Operation, Person, Selection, TimeSpec
from assistant.reasoning.llm.visible import FromModel
from assistant.reasoning.offline.dates import merge, read_times
from assistant.values import AgentName

Email = Annotated[str, Field(description="name, address or group, as the instruction has it, or a reference such as {1}")]


class Part(FromModel):
    model_config = ConfigDict(extra="forbid")


class Arguments(Part, ABC):
    @abstractmethod
    def call(self, setting: Setting) -> Call:
        """Raises ValueError with a reason for the model."""


class Somebody(Part):
    who: Email
    role: Literal["any", "from", "to", "with"] = "any"


class Which(Part):
    """Which mails, events or contacts; everything given must hold."""

    refs: list[str] = Field([], description='earlier results to pick from: "1", "shown", "proposal"')
    people: list[Somebody] = []
    words: list[str] = Field([], description="topic or title words")
    when: str = Field("", description='in words: "last week", "Friday at 3pm"')
    order: Literal["", "first", "last", "next", "nth"] = ""
    number: int = 1
    every: bool = Field(False, description="all that fit are meant, not one")
    unread: bool | None = None
    flagged: bool | None = None
    has_attachment: bool | None = None
    unanswered: bool = False
    newsletters: bool | None = None
    folder: str = ""
    place: str = ""
    company: str = ""
    group: str = ""

    def selection(self, setting: Setting, past: bool = False) -> Selection:
        return Selection(
            refs=tuple(ref.strip("{}") for ref in self.refs),
            people=tuple(person(one.who, one.role) for one in self.people),
            words=tuple(self.words),
            when=time_of(self.when, setting, past=past),
            order=self.order,
            number=max(self.number, 1),
            each=self.every,
            unread=self.unread,
            flagged=self.flagged,
            has_attachment=self.has_attachment,
            unanswered=self.unanswered,
            bulk=self.newsletters,
            folder=self.folder,
            place=self.place,
            company=self.company,
            group=self.group,
        )


def person(said: str, role: Literal["any", "from", "to", "with", "except"] = "any") -> Person:
    said = said.strip()
    if said.startswith("{") and said.endswith("}"):
        return Person(ref=said.strip("{}"), role=role)
    return Person(email=said.lower(), role=role) if "@" in said and " " not in said else Person(text=said, role=role)


def people(said: list[str]) -> tuple[Person, ...]:
    return tuple(person(one) for one in said)


MOST_TIME = 200
"""Characters of a time in words."""


def time_of(said: str, setting: Setting, *, past: bool = False) -> TimeSpec | None:
    """A time in words, by the own grammar; nothing said is None. Raises ValueError where it can't be read."""
    if not said.strip():
        return None
    if len(said) > MOST_TIME:
        raise ValueError("a time is said in a few words")
    prefer: Literal["future", "past"] = "past" if past else "future"
    specs = [one.spec for one in read_times(said, now=setting.now, zone=setting.zone, prefer=prefer)]
    if not specs:
        raise ValueError(f"“{said}” can't be read as a time; say it as in “tomorrow at 3pm” or “24 November, 10:00”")
    whole = specs[0]
    for spec in specs[1:]:
        whole = merge(whole, spec)
    return whole.model_copy(update={"text": said})


MOST_MINUTES = 366 * 24 * 60


def minutes(given: float | None) -> timedelta | None:
    """Raises ValueError for more than a year."""
    if given is not None and not abs(given) <= MOST_MINUTES:
        raise ValueError(f"{given:g} minutes are more than a year")
    return None if given is None else timedelta(minutes=given)


SendAt = Annotated[str, Field(description='when it goes out, in words, where that is said: "tomorrow at 8"')]


class LookAtMails(Arguments):
    """Finds, reads, counts or sums up mails. check: whether there is one. attention: what needs the user. unanswered: who waits."""

    which: Which
    want: Literal["find", "read", "summarise", "count", "check", "attention", "unanswered"]

    def call(self, setting: Setting) -> Call:
        return Call(operation=_operation("mail", self.want), select=self.which.selection(setting, past=True))


class AnswerFromMails(Arguments):
    """Answers a question with the sentence of a mail that says it."""

    question: str
    which: Which

    def call(self, setting: Setting) -> Call:
        return Call(operation="mail.answer", select=self.which.selection(setting, past=True), question=self.question)


class WriteMail(Arguments):
    """Proposes a new mail. `body`: dictated words; else `about`: what it shall say. `draft`: it is only saved."""

    to: list[Email]
    cc: list[Email] = []
    bcc: list[Email] = []
    subject: str = ""
    body: str = ""
    about: str = ""
    send_at: SendAt = ""
    draft: bool = False

    def call(self, setting: Setting) -> Call:
        return Call(
            operation="mail.draft" if self.draft else "mail.send",
            to=people(self.to),
            cc=people(self.cc),
            bcc=people(self.bcc),
            subject=self.subject,
            body=self.body,
            about=self.about,
            time=None if self.draft else time_of(self.send_at, setting),
        )


ASKED_HOW = "How should this be answered?"


class ReplyToMail(Arguments):
    """Proposes a reply. `body`: dictated words; else `about`. asked_how: the user asks what to answer; a suggestion is drafted."""

    which: Which
    body: str = ""
    about: str = ""
    send_at: SendAt = ""
    to_all: bool = False
    asked_how: bool = False

    def call(self, setting: Setting) -> Call:
        select = self.which.selection(setting, past=True)
        if self.asked_how:
            return Call(operation="mail.draft", select=select, about=self.about, field="reply", question=ASKED_HOW)
        return Call(
            operation="mail.reply",
            select=select,
            body=self.body,
            about=self.about,
            time=time_of(self.send_at, setting),
            field="all" if self.to_all else "",
        )


class ForwardMails(Arguments):
    """Proposes to pass mails on."""

    which: Which
    to: list[Email]
    body: str = ""
    send_at: SendAt = ""

    def call(self, setting: Setting) -> Call:
        select, when = self.which.selection(setting, past=True), time_of(self.send_at, setting)
        return Call(operation="mail.forward", select=select, to=people(self.to), body=self.body, time=when)


class FileMails(Arguments):
    """Proposes to mark or put away mails."""

    which: Which
    how: Literal["mark_read", "mark_unread", "flag", "unflag", "archive", "trash", "restore"]

    def call(self, setting: Setting) -> Call:
        return Call(operation=_operation("mail", self.how), select=self.which.selection(setting, past=True))


class Templates(Arguments):
    """Lists, saves or deletes reply templates."""

    want: Literal["list", "save", "delete"]
    name: str = ""
    body: str = ""

    def call(self, setting: Setting) -> Call:
        return Call(operation=_operation("template", self.want), template=self.name, body=self.body)


class LookAtEvents(Arguments):
    """Looks into the calendar. check: whether there is one. total: how long together. guests: who takes part in the one."""

    which: Which
    want: Literal["find", "next", "count", "check", "clashes", "summarise", "total", "guests"]

    def call(self, setting: Setting) -> Call:
        return Call(operation=_operation("event", self.want), select=self.which.selection(setting))


class ChooseTime(Arguments):
    """Which of the free times that were shown ("shown") or found ("1") is best."""

    of: str = "shown"
    question: str = Field("", description="what the user asks, with what shall be weighed")

    def call(self, setting: Setting) -> Call:
        select = Selection(refs=(self.of.strip("{}"),))
        return Call(operation="event.choose", select=select, question=self.question)


class FreeTime(Arguments):
    """`want` free: whether the time is free. slots: free times of so many minutes, for the user and these people."""

    want: Literal["free", "slots"]
    when: str
    people: list[Email] = []
    minutes: float | None = None

    def call(self, setting: Setting) -> Call:
        when, length = time_of(self.when, setting), minutes(self.minutes)
        return Call(operation=_operation("event", self.want), to=people(self.people), time=when, duration=length)


class CreateEvent(Arguments):
    """Proposes an event; without a time of day, and with people, the first free time within `when`."""

    title: str = ""
    when: str
    minutes: float | None = None
    people: list[Email] = []
    place: str = ""
    all_day: bool = False

    def call(self, setting: Setting) -> Call:
        return Call(
            operation="event.create",
            title=self.title,
            to=people(self.people),
            time=time_of(self.when, setting),
            duration=minutes(self.minutes),
            location=self.place,
            all_day=self.all_day,
        )


class ChangeEvent(Arguments):
    """Proposes one change of events: `to_when` or `by_minutes` moves, `length` (minutes) lengthens or shortens to, `title` renames,
    `place` relocates, `add` invites, `remove` takes people out, `cancel` cancels, `answer` answers an invitation; `message` is told
    to the others with a cancellation or an answer, in the user's own words."""

    which: Which
    change: Literal["move", "resize", "rename", "relocate", "invite", "uninvite", "cancel", "accept", "decline", "tentative"]
    to_when: str = ""
    by_minutes: float | None = None
    length: float | None = None
    title: str = ""
    place: str = ""
    people: list[Email] = []
    message: str = ""

    def call(self, setting: Setting) -> Call:
        return Call(
            operation=_operation("event", self.change),
            select=self.which.selection(setting),
            time=time_of(self.to_when, setting),
            shift=minutes(self.by_minutes),
            duration=minutes(self.length),
            title=self.title,
            location=self.place,
            to=people(self.people),
            body=self.message,
        )


class LookAtContacts(Arguments):
    """find: cards, or of one card only `field`. address: one person's mail address. group: its members."""

    which: Which
    want: Literal["find", "address", "count", "group"]
    field: Literal["", "email", "phone", "company", "title", "nickname", "note", "address"] = ""

    def call(self, setting: Setting) -> Call:
        return Call(operation=_operation("contact", self.want), select=self.which.selection(setting), field=self.field)


class Detail(Part):
    field: Literal["name", "nickname", "email", "phone", "company", "title", "group", "note"]
    value: str
    also: bool = Field(False, description="in addition to what is there")


class ChangeContact(Arguments):
    """Proposes to add a contact, to change fields of one, or to delete one."""

    change: Literal["add", "update", "delete"]
    which: Which
    details: list[Detail] = []

    def call(self, setting: Setting) -> Call:
        details = tuple((f"also {one.field}" if one.also else one.field, one.value) for one in self.details)
        return Call(operation=_operation("contact", self.change), select=self.which.selection(setting), details=details)


class NotPossible(Part):
    """No tool fits the instruction; `why` in one sentence."""

    why: str = Field(max_length=1000)


def _operation(domain: str, name: str) -> Operation:
    return f"{domain}.{name}"  # type: ignore[return-value]


def _named(*arguments: type[Arguments]) -> Mapping[str, type[Arguments | NotPossible]]:
    kinds: tuple[type[Arguments | NotPossible], ...] = (*arguments, NotPossible)
    return {_snake(kind.__name__): kind for kind in kinds}


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


TOOLS: Mapping[AgentName, Mapping[str, type[Arguments | NotPossible]]] = {
    "email": _named(LookAtMails, AnswerFromMails, WriteMail, ReplyToMail, ForwardMails, FileMails, Templates),
    "calendar": _named(LookAtEvents, FreeTime, ChooseTime, CreateEvent, ChangeEvent),
    "contacts": _named(LookAtContacts, ChangeContact),
}


def tools_of(agent: AgentName) -> tuple[Tool, ...]:
    """What has a default may be left out, which keeps the calls short."""
    return tuple(
        Tool(name=name, description=" ".join((one.__doc__ or "").split()), parameters=one.model_json_schema())
        for name, one in TOOLS[agent].items()
    )
