"""One clause of a message, with the condition it stands under."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Piece:
    """One clause of a message. `role`: "check" is a condition to look at first; "if" and "else" run when the check before them
    holds or does not. `negated` turns the check around ("if she hasn't written", "unless")."""

    text: str
    role: Literal["plain", "check", "if", "else"] = "plain"
    negated: bool = False
