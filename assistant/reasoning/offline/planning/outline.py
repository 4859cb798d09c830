"""A plan in the making, and the sentence that is being read into it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.reasoning.base import Missing, Request, Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.reading.grammar import domain_of
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.values import Step

REF = re.compile(r"\{(\d+)\}")
NOUNS = frozenset({"mail", "event", "contact"})


@dataclass
class Draft:
    """A plan in the making."""

    request: Request
    memory: Memory
    steps: list[Step] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    """Steps that look up a person or group, by name."""
    goals: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    risks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    refrained: list[str] = field(default_factory=list)
    """What the message says is not to be done, before it says what is."""
    understood: list[str] = field(default_factory=list)
    check: tuple[int, bool] | None = None
    """The step that the next "if" or "else" looks at, and whether it was turned around."""
    both: bool = False
    """Whether that step is itself looked at only where another one came out right."""
    blocked: str = ""
    """Why nothing can be done, where more can be said than that it was not understood."""
    beneficiary: str = ""
    company: str = ""
    """Whom the user said to have met, or not: the guest of what is scheduled next."""

    @property
    def setting(self) -> Setting:
        return self.request.setting

    def note(self, said: str) -> None:
        """Keeps what is said beside the requests."""
        self.notes.append(said.rstrip(".!"))

    def refuse(self, said: str, why: str = "") -> None:
        """Leaves the message undone; `why` where more can be said than that the sentence was not understood."""
        self.failed.append(said)
        self.blocked = why or self.blocked


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece as it is read: `text` has in whole words what it points at, `unclear` are the words that point at nothing."""

    piece: Piece
    text: str
    found: Parse
    unclear: Sequence[str] = ()

    @property
    def call(self) -> Call:
        """Only of a sentence that was read as one."""
        assert self.found.call is not None
        return self.found.call


def tidy(text: str) -> str:
    return text.strip().rstrip("?.!").strip()


def noun_of(call: Call) -> str:
    """The kind of thing that it works on, as Memory names it; empty for others."""
    domain = domain_of(call.operation)
    return domain if domain in NOUNS else ""


def refs_in(text: str, before: Sequence[int] = ()) -> tuple[int, ...]:
    """The steps whose results the words stand on, each once, behind those known `before`."""
    return tuple(dict.fromkeys((*before, *(int(ref) for ref in REF.findall(text)))))


def note_entities(call: Call, draft: Draft) -> None:
    people = (*call.to, *call.cc, *call.bcc, *call.select.people)
    found = [person.text or person.email for person in people if not person.ref]
    found += [call.title, *call.select.words, call.select.group, call.select.company]
    times = [spec.text for spec in (call.select.when, call.time) if spec is not None and spec.text]
    draft.entities.extend(entity for entity in found if entity and entity not in draft.entities)
    draft.constraints.extend(text for text in times if text not in draft.constraints)
