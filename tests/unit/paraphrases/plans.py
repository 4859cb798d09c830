"""What a plan comes to, without its words: two messages that ask for the same thing have the same lines.

A line is one deed: what is selected as `field=value`, what is done with it as `>field=value`. Names are those of the directory,
times are instants, wordings are compared without case and closing mark. A step that only finds an address, or the thing that a
later step works with, is written into that later step; so is a check into the steps that depend on it.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from assistant.reasoning.base import Analysis, Request, Setting
from assistant.reasoning.calls import Call, Person, Selection, TimeSpec
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.values import Step
from integrations.local.sample.people import read_people

ADDRESSES = frozenset({"contact.address", "contact.group"})
LOOKUPS = frozenset({"mail.find", "mail.check", "event.find", "event.next", "event.check", "contact.find"})
ONE_OR_ALL = frozenset(
    (
        "mail.read mail.reply mail.forward mail.mark_read mail.mark_unread mail.flag mail.unflag mail.archive mail.trash "
        "mail.restore event.move event.rename event.resize event.relocate event.cancel event.accept event.decline event.tentative "
        "contact.delete"
    ).split()
)
"""Operations for which "the mail" and "all mails" differ; who looks something up sees all of it anyway."""
UNSAID = frozenset({("mail.answer", "question"), ("event.next", "question"), ("mail.unanswered", "unanswered")})
"""What says nothing beyond its operation, or only repeats the user's words."""
WORDINGS = frozenset({"subject", "body", "about", "title", "location", "template", "company", "group", "folder"})


def wednesday_morning() -> Setting:
    """Wednesday 18 November 2026, 10:00 in Berlin, among the people of the sample account."""
    zone, people = ZoneInfo("Europe/Berlin"), read_people()
    persons = [*people.contacts.values(), *people.strangers.values()]
    return Setting(
        now=datetime(2026, 11, 18, 10, tzinfo=zone),
        zone=zone,
        names=frozenset(name for person in persons for name in (person.name, person.nickname) if name),
        groups=frozenset(group for person in persons for group in person.groups),
    )


async def plan_of(message: str, setting: Setting) -> tuple[str, ...]:
    analysis = await OfflineReasoner().analyse(Request(text=message, setting=setting))
    return tuple(sorted([*_open(analysis), *_Deeds(analysis.plan.steps, setting).lines()]))


def _open(analysis: Analysis) -> Iterator[str]:
    """What stands between the message and its deeds."""
    yield from (f"asks for {gap.what}" for gap in analysis.missing)
    if analysis.interpretations:
        yield "asks which"
    if not (analysis.plan.steps or analysis.missing or analysis.interpretations):
        yield "no plan"


class _Deeds:
    def __init__(self, steps: Iterable[Step], setting: Setting) -> None:
        self.setting = setting
        self.steps = {str(step.id): step for step in steps}
        self.calls = {number: read(step.instruction, setting, step.agent).call for number, step in self.steps.items()}

    def lines(self) -> Iterator[str]:
        taken_up = set(self._taken_up())
        yield from (self._line(number) for number in self.steps if number not in taken_up)

    def _taken_up(self) -> Iterator[str]:
        for number, call in self.calls.items():
            when = self.steps[number].when
            if when:
                yield str(when.step)
            if call:
                yield from (ref for ref in call.select.refs if self._is(ref, LOOKUPS))
                yield from (person.ref for person in _people(call) if self._is(person.ref, ADDRESSES))

    def _is(self, ref: str, operations: frozenset[str]) -> bool:
        call = self.calls.get(ref)
        return call is not None and call.operation in operations

    def _line(self, number: str) -> str:
        step, call = self.steps[number], self.calls[number]
        deed = " | ".join(self._parts(call)) if call else f"not understood by {step.agent}: {step.instruction}"
        if not step.when:
            return deed
        return f"{'if' if step.when.holds else 'unless'} [{self._line(str(step.when.step))}] {deed}"

    def _parts(self, call: Call) -> Iterator[str]:
        yield call.operation
        call = _on_one_day(call.model_copy(update={"select": self._selection(call)}))
        yield from self._fields(call.operation, call.select, "")
        yield from self._fields(call.operation, call, ">")

    def _selection(self, call: Call) -> Selection:
        """With the things that an earlier step looked up in the place of the reference to them."""
        select = call.select
        for ref in (ref for ref in select.refs if self._is(ref, LOOKUPS)):
            found = self.calls[ref]
            assert found
            said = {name: value for name, value, default in _values(select) if value != default}
            said["refs"] = tuple(other for other in select.refs if other != ref)
            select = self._selection(found).model_copy(update=said)
        return select

    def _fields(self, operation: str, source: Selection | Call, lead: str) -> Iterator[str]:
        for name, value, default in _values(source):
            if name in ("operation", "select") or value == default:
                continue
            if (name == "each" and operation not in ONE_OR_ALL) or (operation, name) in UNSAID:
                continue
            yield f"{lead}{name}={self._value(name, value, operation)}"

    def _value(self, name: str, value: Any, operation: str) -> str:
        match value:
            case TimeSpec():
                return _time(value)
            case timedelta():
                return _length(value)
            case (Person(), *_):
                return ", ".join(sorted(self._person(person, operation) for person in value if isinstance(person, Person)))
            case (str(), *_):
                return " ".join(sorted({word for phrase in value for word in str(phrase).lower().split()}))
            case ((_, _), *_):
                return ", ".join(sorted(f"{key} {_plain(text)}" for key, text in value))
            case _:
                return _plain(str(value)) if name in WORDINGS else str(value)

    def _person(self, person: Person, operation: str) -> str:
        found = self.calls.get(person.ref)
        if found and found.operation in ADDRESSES:
            named = found.select.people or (Person(text=found.select.group),)
            return self._person(named[0].model_copy(update={"role": person.role}), operation)
        name = person.email or self._full_name(person.text) or f"{{{person.ref}}}"
        return f"{person.role} {name}" if person.role in ("from", "to") else name

    def _full_name(self, said: str) -> str:
        parts = said.lower().split()
        names = sorted(name for name in self.setting.names if set(parts) <= set(name.lower().split()))
        return names[0] if len(names) == 1 else said.lower()


def _values(source: Selection | Call) -> Iterator[tuple[str, Any, Any]]:
    yield from ((name, getattr(source, name), field.default) for name, field in type(source).model_fields.items())


def _people(call: Call) -> Iterator[Person]:
    for people in (call.select.people, call.to, call.cc, call.bcc):
        yield from people


def _on_one_day(call: Call) -> Call:
    """A move names its day once: for the old time, for the new, or for both."""
    old, new = call.select.when, call.time
    if call.operation != "event.move" or not (old and new and old.start and new.start):
        return call
    if old.has_date and not new.has_date:
        return call.model_copy(update={"time": _on(new, old.start)})
    if new.has_date and not old.has_date:
        return call.model_copy(update={"select": call.select.model_copy(update={"when": _on(old, new.start)})})
    return call


def _on(spec: TimeSpec, day: datetime) -> TimeSpec:
    moved = {
        name: datetime.combine(day.date(), at.timetz())
        for name, at in (("start", spec.start), ("stop", spec.stop))
        if at is not None
    }
    return spec.model_copy(update=moved)


def _time(spec: TimeSpec) -> str:
    if spec.kind == "duration" and spec.duration is not None:
        return _length(spec.duration)
    if spec.kind == "point" and spec.has_time:
        return _moment(spec.start)
    return f"{_moment(spec.start)} … {_moment(spec.stop)} {spec.rrule}".rstrip()


def _moment(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}".removesuffix(" 00:00")


def _length(time: timedelta) -> str:
    return f"{time.total_seconds() / 60:g} minutes"


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".!?")
