"""The tables' notation: what a case says, and what must come of each of its messages.

    email Daniel                                    the first message of a case
        asks ambiguous Daniel Kern | Daniel Roth    must hold after it, all lines
    + Roth                                          the next message of the same conversation
        asks missing
        or                                          the lines below will do as well
        medium send to=roth

What can be expected:

    mails lunch todo      found are exactly these, in any order ("none": nothing); also events, contacts, addresses
    mails+ lunch          found are at least these         mails- lunch   found are not these
    yes, no, count 3      the answer                       clashes review/interview
    slots length=60m from=11-24/08:00 till=11-24/18:00 avoid=11-24/14:00-14:30
    says "a" not "b"      the reply holds a, and not b, whatever the case
    asks TRIGGER A | B    a question, with just these choices, each named by a part of its label
    nothing               neither a write nor a question
    medium send to=lena   proposed at this level           done archive lunch   carried out
    outbox 1              so many mails lie in the Outbox on disk

An instance of a series is studio@11-23, the series studio@all. Every write that comes out must be named; people, times and
what a mail answers must be named with it.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TRIGGERS = ("interpretations", "missing", "high_risk", "preference", "confirmation", "retries", "confidence", "ambiguous")
LEVELS = ("low", "medium", "high", "done", "failed")
ITEMS = ("mails", "events", "contacts", "addresses")
HEADS = frozenset((*ITEMS, *(f"{item}{sign}" for item in ITEMS for sign in "+-"), *LEVELS, "yes", "no", "count", "clashes",
                   "slots", "says", "asks", "nothing", "outbox"))  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One expectation: its first word, and what follows."""

    head: str
    rest: str

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(shlex.split(self.rest))

    def __str__(self) -> str:
        return f"{self.head} {self.rest}".strip()


@dataclass(frozen=True)
class Said:
    """A message, and the alternatives of which one must hold whole."""

    text: str
    expected: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True)
class Case:
    """A conversation of one message or several."""

    table: str
    turns: tuple[Said, ...]

    def __str__(self) -> str:
        return f"{self.table}: {' + '.join(turn.text for turn in self.turns)}"


def read_table(path: Path) -> tuple[Case, ...]:
    return tuple(_cases(path.stem, path.read_text("utf-8").splitlines()))


def _cases(table: str, lines: Iterable[str]) -> Iterator[Case]:
    turns: list[Said] = []
    text, below = "", list[str]()
    for line in [*lines, "end"]:
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("    "):
            below.append(line.strip())
            continue
        if text:
            turns.append(Said(text.replace("\\n", "\n"), tuple(_alternatives(text, below))))
        if turns and not line.startswith("+ "):
            yield Case(table, tuple(turns))
            turns = []
        text, below = line.removeprefix("+ "), []


def _alternatives(text: str, below: Sequence[str]) -> Iterator[tuple[Line, ...]]:
    if not below:
        raise ValueError(f"Nothing is expected of {text!r}.")
    lines: list[Line] = []
    for line in [*below, "or"]:
        head, _, rest = line.partition(" ")
        if line == "or":
            yield tuple(lines)
            lines = []
        elif head in HEADS:
            lines.append(Line(head, rest.strip()))
        else:
            raise ValueError(f"{line!r} is nothing that can be expected.")
