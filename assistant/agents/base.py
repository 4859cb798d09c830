"""A sub-agent: an instruction in words in, a report out. It reads freely and proposes writes; it can do none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time
from typing import Protocol

from assistant.reasoning.base import Reasoner, Setting
from assistant.values import AgentName, Data, Report
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


class Agent(Protocol):
    @property
    def name(self) -> AgentName: ...

    async def run(self, instruction: str, desk: Desk) -> Report: ...
