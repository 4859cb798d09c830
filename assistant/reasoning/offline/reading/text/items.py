"""What a sentence is made of once its entities are one item each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.reading.text.tokens import Kind, Token


@dataclass(frozen=True, slots=True)
class Item:
    """A token, or several that form one entity. "person" is a name the setting knows, "name" an unknown capitalised one."""

    kind: Kind
    text: str
    low: str
    begin: int
    end: int
    time: TimeSpec | None = None


Prefer = Literal["future", "past"]


PERSONAL = frozenset({"person", "name", "address", "ref"})
"""Kinds of items that stand for somebody; a reference may stand for an event or a mail, too."""


NAMED = PERSONAL - {"ref"}


OPAQUE = "¤"
"""Stands in for what must not be searched for times: quotes, references, addresses."""


def text_of(items: Sequence[Item]) -> str:
    text = ""
    for before, item in zip((None, *items), items, strict=False):
        text += ("" if before is None or before.end == item.begin else " ") + item.text
    return text


def is_hour(token: Token | Item) -> bool:
    """A bare number that can be an hour of the day."""
    return token.kind == "number" and token.low.isdecimal() and len(token.low) <= 2 and int(token.low) <= 24


HOURS = frozenset("one two three four five six seven eight nine ten eleven twelve noon midnight".split())


def names_hour(token: Token | Item) -> bool:
    """The same in figures or in words."""
    return is_hour(token) or (token.kind in ("word", "number") and token.low in HOURS)


def as_written(item: Item) -> str:
    return f'"{item.text}"' if item.kind == "quote" else f"{{{item.text}}}" if item.kind == "ref" else item.text


def said(items: Sequence[Item]) -> str:
    """As they were written, with one blank between words and quotes in quotation marks."""
    text = ""
    for n, item in enumerate(items):
        word = as_written(item)
        text += word if not n or item.begin == items[n - 1].end else f" {word}"
    return text
