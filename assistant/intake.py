"""What comes in through the one door, checked. All raise UserError."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from assistant.errors import UserError
from integrations.actions import Action, SendMail
from integrations.types import Value

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef]")
NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
"""What no database takes."""
LONGEST = 200_000
"""Characters of one message."""
FIRST_YEAR, LAST_YEAR = 1900, 2200
"""What lies further off can't be reckoned with in every zone."""


def checked_text(value: str, what: str) -> str:
    """Trimmed, and fit to be stored and shown: a lone surrogate becomes a question mark, a control character a replacement."""
    if not isinstance(value, str):
        raise UserError(f"The {what} must be text.")
    text = CONTROL.sub("\ufffd", value.strip().encode("utf-8", "replace").decode("utf-8"))
    if not text:
        raise UserError(f"There is nothing in this {what}; say what you would like.")
    if len(text) > LONGEST:
        raise UserError(f"This {what} is too long; {LONGEST} characters are the most.")
    return text


def check_actions(actions: Sequence[Action], accounts: Iterable[str]) -> None:
    """Every write must name a connected account."""
    names = set(accounts)
    for action in actions:
        if not isinstance(action, Value) or not hasattr(action, "account"):
            raise UserError("Propose actions from integrations.actions.")
        if any(NO_TEXT.search(text) for text in _texts(action.model_dump())):
            raise UserError("There are characters in an action that are no text.")
        if any(isinstance(value, datetime) and not FIRST_YEAR <= value.year <= LAST_YEAR for _, value in action):
            raise UserError(f"Propose times between the years {FIRST_YEAR} and {LAST_YEAR}.")
        if isinstance(action, SendMail) and action.html:
            raise UserError("Propose a mail with its text alone, without html.")
        if action.account not in {"", *names}:
            raise UserError(f"There is no account {action.account!r}; there are: {', '.join(sorted(names))}.")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for inner in value.values() for text in _texts(inner))
    elif isinstance(value, list | tuple):
        yield from (text for inner in value for text in _texts(inner))
