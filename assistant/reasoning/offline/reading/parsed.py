"""What a sentence was read as, with where its people and its object stand in the text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.reasoning.calls import Call, Operation, Reading
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import Named


@dataclass(frozen=True)
class Parse:
    """`recipients` are the people who must have an address; `thing` is the span of the words that select."""

    clause: Clause
    reading: Reading
    recipients: tuple[Named, ...] = ()
    thing: tuple[int, int] | None = None
    verb: str = ""

    @property
    def call(self) -> Call | None:
        return self.reading.call

    @property
    def begin(self) -> int:
        return self.clause.items[0].begin if self.clause.items else 0

    @property
    def end(self) -> int:
        return max((item.end for item in self.clause.items), default=len(self.clause.text))


@dataclass
class Built:
    """A call in the making."""

    operation: Operation
    fields: dict[str, Any] = field(default_factory=dict)
    recipients: list[Named] = field(default_factory=list)
    thing: tuple[int, int] | None = None
    guesses: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def parse(self, clause: Clause, verb: str = "") -> Parse:
        call = Call(operation=self.operation, **{name: value for name, value in self.fields.items() if value not in (None, "", ())})
        certain = not self.guesses and not self.unread
        reading = Reading(call=call, certain=certain, guesses=tuple(self.guesses), unread=tuple(self.unread))
        return Parse(clause, reading, tuple(self.recipients), self.thing, verb)


def span_of(items: Sequence[Item]) -> tuple[int, int] | None:
    return (items[0].begin, items[-1].end) if items else None
