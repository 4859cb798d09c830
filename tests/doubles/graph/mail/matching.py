"""Which mails a condition describes."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

from doubles.emulating.mail.words import contains, words
from doubles.graph.calls import GraphError
from doubles.graph.mail.kql import All, Condition, Either, Not, Term
from doubles.graph.mail.mailbox import Mailbox
from doubles.graph.mail.message import Message

ANYWHERE = ("from", "subject", "body")
"""Where words are looked for that name no property."""
_UNITS = {"": 1, "kb": 1024, "mb": 1024 * 1024}


def matches(box: Mailbox, condition: Condition, message: Message) -> bool:
    match condition:
        case All(items):
            return all(matches(box, item, message) for item in items)
        case Either(items):
            return any(matches(box, item, message) for item in items)
        case Not(item):
            return not matches(box, item, message)
        case Term(property=name):
            return _term(box, name, condition, message)


def _term(box: Mailbox, name: str, term: Term, message: Message) -> bool:
    if name and not box.searches_fields:
        return False
    match name:
        case "received" | "sent":
            return _when(box, term, message)
        case "size":
            return _compared(len(message.raw), term.operator, _size(term.value))
        case "hasattachments":
            return any(not file.inline for file in message.content.files) == _truth(term.value)
        case "importance":
            return message.importance == term.value.lower()
        case "kind":
            return term.value.lower() == ("meetings" if message.content.meeting else "email")
        case _:
            return any(_said(text, term) for field in ((name,) if name else ANYWHERE) for text in message.content.words[field])


def _said(text: Sequence[str], term: Term) -> bool:
    """Signs alone are found nowhere."""
    wanted = _wanted(term.value)
    if not wanted:
        return False
    if not term.open:
        return contains(text, wanted)
    *whole, begun = wanted
    size = len(whole)
    return any(list(text[at : at + size]) == whole and text[at + size].startswith(begun) for at in range(len(text) - size))


@cache
def _wanted(value: str) -> tuple[str, ...]:
    return words(value)


def _truth(value: str) -> bool:
    if value.lower() not in ("true", "false", "yes", "no", "1", "0"):
        raise GraphError(400, "BadRequest", f"Syntax error: '{value}' is neither true nor false.")
    return value.lower() in ("true", "yes", "1")


def _size(value: str) -> int:
    found = re.fullmatch(r"(\d+)\s*([km]b)?", value, re.IGNORECASE)
    if found is None:
        raise GraphError(400, "BadRequest", f"Syntax error: '{value}' is no size.")
    return int(found[1]) * _UNITS[(found[2] or "").lower()]


def _compared(value: int, operator: str, other: int) -> bool:
    known = {">": value > other, "<": value < other, ">=": value >= other, "<=": value <= other, "<>": value != other}
    return known.get(operator, value == other)


def _when(box: Mailbox, term: Term, message: Message) -> bool:
    """A day is a whole one."""
    moment = message.received if term.property == "received" else message.sent
    first, _, last = term.value.partition("..")
    start, end = _span(box, first)
    if last:
        return start <= moment < _span(box, last)[1]
    inside = start <= moment < end
    known = {">": moment >= end, "<": moment < start, ">=": moment >= start, "<=": moment < end, "<>": not inside}
    return known.get(term.operator, inside)


def _span(box: Mailbox, written: str) -> tuple[datetime, datetime]:
    """From its beginning to its end, both where the mailbox is unless another zone is named."""
    try:
        start = datetime.fromisoformat(written)
    except ValueError:
        raise GraphError(400, "BadRequest", f"Syntax error: '{written}' is no date.") from None
    start = start if start.tzinfo else start.replace(tzinfo=box.zone)
    return start, start + (timedelta(seconds=1) if "T" in written else timedelta(days=1))
