"""What comes in through the one door, checked. All raise UserError."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from assistant.errors import UserError
from integrations.actions import Action, RestoreContact, RestoreEvent, SendMail
from integrations.common.addresses import named, normal_email
from integrations.common.headers import is_one_line
from integrations.common.invisible import cleaned, visible
from integrations.types import Address, Value

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef]")
NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
"""What no database takes."""
LONE = re.compile(
    "(?<![\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff])[\u200b\u2060\ufeff]"
    "(?![\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff])"
)
"""A place to break a line, or to break none, as web pages put it into long words; it comes along with what is copied."""
OF_SEVERAL_LINES = frozenset({"body", "location", "description", "comment", "note"})
AS_IT_IS = frozenset({"kind", "account", "ics", "vcf"})
"""What an undo puts back is its provider's own, to the letter."""
LONGEST = 200_000
"""Characters of one message."""
FIRST_YEAR, LAST_YEAR = 1900, 2200
"""What lies further off can't be reckoned with in every zone."""


def checked_text(value: str, what: str) -> str:
    """Trimmed, and fit to be stored and shown: a lone surrogate becomes a question mark, a control character a replacement; what
    nobody sees is gone, since what was pasted may hold more than its reader knows."""
    if not isinstance(value, str):
        raise UserError(f"The {what} must be text.")
    text = CONTROL.sub("\ufffd", visible(value).strip().encode("utf-8", "replace").decode("utf-8"))
    if not text:
        raise UserError(f"There is nothing in this {what}; say what you would like.")
    if len(text) > LONGEST:
        raise UserError(f"This {what} is too long; {LONGEST} characters are the most.")
    return text


def checked_actions(actions: Sequence[Action], accounts: Iterable[str]) -> tuple[Action, ...]:
    """As they are to be taken: every write names a connected account, its addresses are valid and in their normal form, and its
    texts hold nothing that a preview would not show."""
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
    return tuple(action.model_copy(update=dict(_plain_fields(action))) for action in actions)


def none_put_back(actions: Iterable[Action], shown: Sequence[Action] = ()) -> None:
    """What an undo puts back can't be looked into, so nobody else may say that it is as it was before; `shown`: those that a
    preview holds already."""
    if any(isinstance(action, RestoreEvent | RestoreContact) and action not in shown for action in actions):
        raise UserError("Only an undo can put something back as it was.")


def _plain_fields(action: Action) -> Iterator[tuple[str, Any]]:
    for field, value in action:
        if field in AS_IT_IS:
            continue
        if isinstance(value, str):
            yield field, _plain_text(value, field)
        elif isinstance(value, tuple):
            yield field, tuple(_plain_entry(entry, field) for entry in value)


def _plain_entry(entry: Any, field: str) -> Any:
    if isinstance(entry, Address):
        return named(_plain_text(entry.name, "name of a recipient"), _plain_email(entry.email))
    if not isinstance(entry, str):
        return entry
    return _plain_email(entry) if field in ("emails", "remove_attendees") else _plain_text(entry, field)


def _plain_email(written: str) -> str:
    email = normal_email(written.strip(" "))
    if not email:
        shown = " ".join(CONTROL.sub(" ", visible(written)).split())[:80]
        raise UserError(f"“{shown}” is no mail address." if shown else "A mail address is missing.")
    return email


def _plain_text(text: str, field: str) -> str:
    """What comes with honest text that was copied, such as a soft hyphen, is taken out: its writer could not."""
    what, several = field.replace("_", " "), field in OF_SEVERAL_LINES
    text = text if several else text.strip("\r\n")
    if not several and not (is_one_line(text) and len(text.splitlines()) < 2):
        raise UserError(f"The {what} must be one line, without control characters.")
    seen = cleaned(LONE.sub("", text))
    if seen.invisible or seen.directions:
        raise UserError(f"The {what} holds characters that nobody could see in a preview; propose it without them.")
    return seen.text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for inner in value.values() for text in _texts(inner))
    elif isinstance(value, list | tuple):
        yield from (text for inner in value for text in _texts(inner))
