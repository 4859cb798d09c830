"""A sub-agent: an instruction in words in, a report out. It reads freely and proposes writes; it can do none."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import time, timedelta
from typing import Protocol

from assistant.agents.noticing import Noticing
from assistant.agents.report import AlreadySo, Notes, Refusal, Unsettled, already_so, refused, unsettled
from assistant.reasoning.base import Instruction, Reasoner, Setting
from assistant.reasoning.calls import Call, Operation, Reading
from assistant.reasoning.oddities import told_of
from assistant.values import AgentName, Data, Failure, Report
from integrations.errors import IntegrationError
from integrations.readers import Readers
from integrations.types import Value


class Template(Value):
    name: str
    subject: str
    body: str


@dataclass(frozen=True)
class Desk:
    """What a sub-agent works with. `results` are earlier results by reference ("3", "shown", "proposal"); `bindings` what the user
    settled, by entity ("David" -> "david.smith@example.com"). `addresses` maps each account to its owner's address."""

    readers: Readers
    reasoner: Reasoner
    setting: Setting
    addresses: Mapping[str, str]
    results: Mapping[str, Data] = field(default_factory=dict)
    bindings: Mapping[str, str] = field(default_factory=dict)
    templates: tuple[Template, ...] = ()
    day_starts: time = time(9)
    day_ends: time = time(18)

    @property
    def me(self) -> frozenset[str]:
        """The user's own addresses."""
        return frozenset(self.addresses.values()) | {address.email for address in self.setting.me}

    def settled(self, entity: str) -> str:
        """What the user chose for it; empty while nothing was asked."""
        if not self.bindings:
            return ""
        wanted = entity.casefold()
        return next((value for said, value in self.bindings.items() if said.casefold() == wanted), "")


class Agent(Protocol):
    @property
    def name(self) -> AgentName: ...

    async def run(self, instruction: str, desk: Desk) -> Report: ...


Handler = Callable[[Call, Desk, Notes], Awaitable[Data]]


class SubAgent:
    """The course all three take: read the instruction, perform the operation, report."""

    name: AgentName
    can: str
    """What it can do, as the end of a sentence."""
    handlers: Mapping[Operation, Handler]

    async def run(self, instruction: str, desk: Desk) -> Report:
        reading = await self._read(instruction, desk)
        if reading.call is None or reading.call.operation not in self.handlers:
            return self._not_understood(instruction, reading.unread)
        return await self.perform(reading.call, desk, guesses=_guessed(reading))

    async def perform(self, call: Call, desk: Desk, guesses: tuple[str, ...] = ()) -> Report:
        """`guesses` are what the reading of the instruction rests on."""
        handler = self.handlers.get(call.operation)
        if handler is None:
            return self._not_understood(call.operation.replace(".", " "), ())
        notes = Notes(guesses=list(guesses))
        try:
            _check_times(call)
            _check_values(call)
            data = await handler(call, replace(desk, readers=Noticing(desk.readers, notes)), notes)
            _tell_what_was_removed(data, notes)
            return notes.report(data)
        except AlreadySo as found:
            return notes.report(already_so(found))
        except Unsettled as question:
            return unsettled(question)
        except Refusal as refusal:
            return refused(refusal, notes)
        except IntegrationError as error:
            return Failure(type=error.kind, message=str(error), context={"account": error.account, "operation": call.operation})

    async def _read(self, instruction: str, desk: Desk) -> Reading:
        from assistant.reasoning.offline.reading.grammar import read

        reading = read(instruction, desk.setting, self.name)
        if reading.certain and reading.call is not None:
            return reading
        question = Instruction(agent=self.name, text=instruction, setting=desk.setting, grammar=reading)
        return await desk.reasoner.choose_calls(question)

    def _not_understood(self, said: str, unread: tuple[str, ...]) -> Failure:
        return Failure(
            type="not_understood",
            message=f'I did not understand "{said}"; with {SUBJECTS[self.name]} I can {self.can}.',
            context={"unread": list(unread)},
        )


SUBJECTS: Mapping[AgentName, str] = {"email": "mail", "calendar": "the calendar", "contacts": "contacts"}


def _tell_what_was_removed(data: Data, notes: Notes) -> None:
    """From what is shown as it was read; a preview says by itself what was odd about what it rests on."""
    if data.proposals:
        return
    shown = [
        one.model_copy(update={"oddities": tuple(odd for odd in one.oddities if odd.where != "description")}) for one in data.events
    ]
    told = (
        told_of([mail for mail in data.mails if mail.body], "mail"),
        told_of(shown, "event"),
        told_of(data.contacts if len(data.contacts) == 1 else (), "contact"),
    )
    for words in filter(None, told):
        notes.caution(words)


def _check_times(call: Call) -> None:
    """Times that can't be, whoever read them: a length of nothing or less, an end before the start."""
    specs = [spec for spec in (call.time, call.select.when) if spec]
    for length in (call.duration, *(spec.duration for spec in specs)):
        if length is not None and length <= timedelta():
            raise Refusal("not_understood", "A duration must be longer than nothing.")
    for spec in specs:
        if spec.start and spec.stop and spec.stop <= spec.start:
            raise Refusal("not_understood", f'"{spec.text or "That time"}" would end before it begins.')


PLACEHOLDER = re.compile(r"\{(?:shown|line|proposal|\d)\w*\}")


def _check_values(call: Call) -> None:
    """What is written down is never the sign that stands for an earlier result."""
    said = (call.title, call.location, *(value for _, value in call.details))
    if any(PLACEHOLDER.search(value) for value in said):
        raise Refusal("not_understood", "I could not read what is to be written there. Tell me the new words or number themselves.")


def _guessed(reading: Reading) -> tuple[str, ...]:
    if reading.certain or reading.guesses:
        return reading.guesses
    return ("I am not sure that I read this as you meant it",)
