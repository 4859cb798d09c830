"""One clause of a message, with the condition it stands under, and what is cut off or passed over around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item


@dataclass(frozen=True, slots=True)
class Piece:
    """One clause of a message. `role`: "check" is a condition to look at first; "if" and "else" run when the check before them
    holds or does not; "waits" is for something to happen; "told" is said beside a request; "unclear" may be meant for the
    assistant or for who reads a mail. `negated` turns the check around ("if she hasn't written", "unless")."""

    text: str
    role: Literal["plain", "check", "if", "else", "waits", "told", "unclear"] = "plain"
    negated: bool = False
    also: bool = False
    """Of a check: only looked at where the check before it came out right."""
    of_it: bool = False
    """Of a check: about the very thing that is acted on, to which "it" goes on to point."""


def polite_if(words: Sequence[str]) -> bool:
    """ "if you can", "if that's ok": nothing that is looked at."""
    closing = lexicon().polite["closers"].at(words, 0)
    return (
        closing is not None
        or " ".join(words[:3]) in ("if you can", "if you could", "if you please")
        or " ".join(words[:2])
        in (
            "if possible",
            "if needed",
            "if necessary",
            "if any",
        )
    )


def trimmed(items: Sequence[Item]) -> Sequence[Item]:
    while items and items[0].low in (",", "then", ";"):
        items = items[1:]
    while items and items[-1].low in (",", ";", "and"):
        items = items[:-1]
    return items
