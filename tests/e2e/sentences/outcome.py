"""What came of a message, in the notation's terms."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from e2e.sentences.account import BERLIN, PERSON_OF, key_of

from assistant.facade import Turn
from assistant.values import Data, Slot
from integrations.actions import (
    Action,
    AnswerInvitation,
    CreateContact,
    CreateEvent,
    MarkMail,
    SaveDraft,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import Address, Event, EventRef
from risk.operations import operation_of


@dataclass(frozen=True)
class Write:
    """`level` of the preview that shows it, or what became of it."""

    level: str
    operation: str
    target: str
    fields: Mapping[str, str]

    def __str__(self) -> str:
        fields = (f'{name}="{value}"' if " " in value else f"{name}={value}" for name, value in self.fields.items() if value)
        return " ".join([self.level, self.operation, *([self.target] if self.target else []), *fields])


@dataclass
class Found:
    """Everything that the steps of a turn found, by key."""

    items: dict[str, list[str]] = field(default_factory=lambda: {"mails": [], "events": [], "contacts": [], "addresses": []})
    truths: list[bool] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    clashes: list[str] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)

    def add(self, data: Data) -> None:
        self.items["mails"] += [key_of(mail.id) for mail in data.mails]
        self.items["events"] += [event_key(event) for event in data.events]
        self.items["contacts"] += [key_of(contact.id) for contact in data.contacts]
        self.items["addresses"] += [person(address) for address in data.addresses]
        self.truths += [] if data.truth is None else [data.truth]
        self.counts += [] if data.count is None else [data.count]
        self.clashes += [f"{event_key(clash.first)}/{event_key(clash.second)}" for clash in data.clashes]
        self.slots += data.slots


def found(turn: Turn) -> Found:
    result = Found()
    for step in turn.steps:
        report = turn.reports.get(step.id)
        if report is not None and report.status != "error" and report.data.kind != "proposals":
            result.add(report.data)
    return result


def writes(turn: Turn) -> list[Write]:
    shown = [_write(preview.level, item.action) for preview in turn.previews for item in preview.items]
    return shown + [_write(outcome.status, outcome.action) for outcome in turn.outcomes]


def event_key(event: Event) -> str:
    return _of_event(event.ref, event.series)


def person(address: Address) -> str:
    return PERSON_OF.get(address.email, address.email)


def moment(at: datetime) -> str:
    return f"{at.astimezone(BERLIN):%m-%d/%H:%M}"


def _write(level: str, action: Action) -> Write:
    return Write(level, operation_of(action), _target(action), {name: value for name, value in _fields(action) if value})


def _target(action: Action) -> str:
    for name in ("mail", "contact", "reply_to", "forward_of"):
        if ref := getattr(action, name, None):
            return key_of(ref.id)
    if isinstance(ref := getattr(action, "event", None), EventRef):
        return _of_event(ref, key_of(ref.id) in SERIES)
    return action.name if action.kind in ("save_template", "delete_template") else ""


SERIES = frozenset(["studio", "one-to-one", "pilates"])


def _of_event(ref: EventRef, series: bool) -> str:
    key = key_of(ref.id)
    if not series:
        return key
    return f"{key}@{ref.recurrence.astimezone(BERLIN):%m-%d}" if ref.recurrence else f"{key}@all"


def _fields(action: Action) -> Iterator[tuple[str, str]]:
    for kinds, fields in FIELDS:
        if isinstance(action, kinds):
            yield from fields(action)


def _mail_fields(action: SendMail | SaveDraft) -> Iterator[tuple[str, str]]:
    yield from (("to", _people(action.to)), ("cc", _people(action.cc)), ("bcc", _people(action.bcc)))
    yield from (("subject", action.subject), ("body", action.body))
    if isinstance(action, SendMail) and action.send_at:
        yield "later", moment(action.send_at)


def _mark_fields(action: MarkMail) -> Iterator[tuple[str, str]]:
    for name, value in (("seen", action.seen), ("flagged", action.flagged)):
        yield name, "" if value is None else "yes" if value else "no"


def _event_fields(action: CreateEvent) -> Iterator[tuple[str, str]]:
    yield from (("title", action.title), ("where", action.location), ("rrule", action.rrule), ("with", _people(action.attendees)))
    yield "at", f"{action.start.astimezone(BERLIN):%m-%d}" if action.all_day else moment(action.start)
    yield "length", _length(action.end - action.start)


def _change_fields(action: UpdateEvent) -> Iterator[tuple[str, str]]:
    yield from (("title", action.title or ""), ("where", action.location or ""))
    yield from (("at", moment(action.start) if action.start else ""), ("ends", moment(action.end) if action.end else ""))
    yield from (("add", _people(action.add_attendees)), ("drop", _keys(action.remove_attendees)))


def _card_fields(action: CreateContact | UpdateContact) -> Iterator[tuple[str, str]]:
    for name in ("name", "nickname", "company", "title", "note"):
        yield name, getattr(action, name) or ""
    for name in ("emails", "phones", "groups"):
        yield name, ",".join(getattr(action, name) or ())


FIELDS: tuple[tuple[Any, Callable[[Any], Iterator[tuple[str, str]]]], ...] = (
    ((SendMail, SaveDraft), _mail_fields),
    (MarkMail, _mark_fields),
    (CreateEvent, _event_fields),
    (UpdateEvent, _change_fields),
    (AnswerInvitation, lambda action: iter([("answer", action.answer)])),
    ((CreateContact, UpdateContact), _card_fields),
    (SaveTemplate, lambda action: iter([("body", action.body)])),
)


def _people(addresses: Iterable[Address]) -> str:
    return ",".join(sorted(person(address) for address in addresses))


def _keys(emails: Iterable[str]) -> str:
    return ",".join(sorted(PERSON_OF.get(email, email) for email in emails))


def _length(length: timedelta) -> str:
    return f"{length.days}d" if length.days else f"{length.seconds // 60}m"
