"""Text as its reader sees it: characters that hide in it, or that a terminal or a model obeys, are no part of it."""

import re
from typing import Any

from pydantic import BaseModel, model_validator

from risk.text import undisguised

LINE_END = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
JOINER = "\u200c\u200d"
LOOSE = re.compile(f"(?<![^\x00-\x7f{JOINER}])[{JOINER}]|[{JOINER}](?![^\x00-\x7f{JOINER}])")
"""Joiners stay where they shape what is seen: inside of an emoji, or of a word in a script that needs them."""
SELECTORS = re.compile("[\U000e0100-\U000e01ef]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]")
"""Of an emoji's variation selectors one is enough; more can carry a message that nobody sees."""


def visible(text: str) -> str:
    """Lines end in "\\n"; other spaces are blanks; control, format and unassigned characters are gone."""
    lines = LINE_END.sub("\n", text).split("\n")
    return "\n".join(line if line.isascii() and line.isprintable() else _line(line) for line in lines)


def one_line(text: str, most: int) -> str:
    """At most so many characters of it, as one line."""
    line = " ".join(visible(text).split())
    return line if len(line) <= most else f"{line[:most].rstrip()} […]"


def _line(line: str) -> str:
    seen = (char if char.isprintable() or char in JOINER else " " if char.isspace() else "" for char in line)
    return undisguised(LOOSE.sub("", SELECTORS.sub("", "".join(seen))))


class FromModel(BaseModel):
    """What a model has written: its texts hold only what can be seen."""

    @model_validator(mode="before")
    @classmethod
    def _is_visible(cls, given: Any) -> Any:
        return _seen(given)


def _seen(given: Any) -> Any:
    if isinstance(given, str):
        return visible(given)
    if isinstance(given, dict):
        return {key: _seen(value) for key, value in given.items()}
    return [_seen(value) for value in given] if isinstance(given, list) else given
