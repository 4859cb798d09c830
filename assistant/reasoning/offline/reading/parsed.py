"""What a sentence was read as, with where its people and its object stand in the text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.reasoning.calls import Call, Operation, Reading
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import Named
from assistant.reasoning.offline.reading.slots import Slot, Timed
from assistant.reasoning.offline.reading.text.items import Item


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

    def go_to(self, people: Sequence[Named]) -> None:
        """Whom it goes to, and who therefore must have an address."""
        self.fields["to"] = tuple(named.person for named in people)
        self.recipients.extend(people)

    def parse(self, clause: Clause, verb: str = "") -> Parse:
        call = Call(operation=self.operation, **{name: value for name, value in self.fields.items() if value not in (None, "", ())})
        certain = not self.guesses and not self.unread
        reading = Reading(call=call, certain=certain, guesses=tuple(self.guesses), unread=tuple(self.unread))
        return Parse(clause, reading, tuple(self.recipients), self.thing, verb)


def span_of(items: Sequence[Item]) -> tuple[int, int] | None:
    return (items[0].begin, items[-1].end) if items else None


def verbatim(clause: Clause, items: Sequence[Item]) -> str:
    while items and items[-1].kind == "punct" and items[-1].low in (",", ";"):
        items = items[:-1]
    if not items:
        return ""
    if len(items) == 1 and items[0].kind == "quote":
        return items[0].text
    return clause.text[items[0].begin : items[-1].end].strip(" ,")


def span_of_parts(slots: Sequence[Slot], times: Sequence[Timed]) -> tuple[int, int] | None:
    spots = [(item.begin, item.end) for slot in slots for item in slot.items] + [(timed.begin, timed.end) for timed in times]
    return (min(begin for begin, _ in spots), max(end for _, end in spots)) if spots else None


def unread(clause: Clause) -> Reading:
    """No call, with all words of the clause left over."""
    return Reading(unread=tuple(item.text for item in clause.items if item.kind == "word" and item.text))
