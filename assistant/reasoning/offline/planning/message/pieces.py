"""One clause of a message, with the condition it stands under."""

from dataclasses import dataclass
from typing import Literal


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
