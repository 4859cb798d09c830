"""Which messages of a mailbox a condition describes."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from email.utils import getaddresses
from zoneinfo import ZoneInfo

from doubles.emulating.mail.words import contains, words
from doubles.google.gmail.mailbox import Mailbox
from doubles.google.gmail.message import Message
from doubles.google.gmail.query import All, Condition, Either, Not, Term

_PACIFIC = ZoneInfo("America/Los_Angeles")
_DATE = re.compile(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})")
_AGE = re.compile(r"(\d+)([hdmy])")
_DAYS = {"h": 1 / 24, "d": 1, "m": 30, "y": 365}
_SIZE = re.compile(r"(\d+)([km]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024 * 1024}
_NEVER_ARCHIVED = {"INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "CHAT"}
_LOCATIONS = {"draft": "DRAFT", "drafts": "DRAFT", "chats": "CHAT", "bin": "TRASH"}
_CATEGORIES = {"primary": "CATEGORY_PERSONAL", "reservations": "CATEGORY_UPDATES", "purchases": "CATEGORY_UPDATES"}


def matches(box: Mailbox, condition: Condition, message: Message) -> bool:
    match condition:
        case All(items):
            return all(matches(box, item, message) for item in items)
        case Either(items):
            return any(matches(box, item, message) for item in items)
        case Not(item):
            return not matches(box, item, message)
        case Term(field=field):
            return _MATCHERS[field](box, condition, message)


def _text(box: Mailbox, term: Term, message: Message) -> bool:
    wanted = words(term.value)
    return any(contains(text, wanted) for text in message.words)


def _people(*names: str) -> Callable[[Mailbox, Term, Message], bool]:
    """By name, address, or part of an address; a whole address means just that."""

    def found(box: Mailbox, term: Term, message: Message) -> bool:
        values = [message.root.header(name) for name in names]
        if term.value.lower() == "me":
            return bool(box.addresses & _emails(values))
        if re.fullmatch(r"[^@\s]+@[^@\s]+", term.value):
            return term.value.lower() in _emails(values)
        return any(contains(words(value), words(term.value)) for value in values)

    return found


def _emails(values: list[str]) -> set[str]:
    return {email.lower() for _, email in getaddresses(values)}


def _header(*names: str) -> Callable[[Mailbox, Term, Message], bool]:
    def found(box: Mailbox, term: Term, message: Message) -> bool:
        return any(contains(words(message.root.header(name)), words(term.value)) for name in names)

    return found


def _label(box: Mailbox, term: Term, message: Message) -> bool:
    return box.labels.as_searched(term.value) in message.labels


def _in(box: Mailbox, term: Term, message: Message) -> bool:
    place = term.value.lower()
    if place == "anywhere":
        return True
    if place == "archive":
        return not message.labels & _NEVER_ARCHIVED
    return _LOCATIONS.get(place, box.labels.as_searched(place)) in message.labels


def _is(box: Mailbox, term: Term, message: Message) -> bool:
    state = term.value.lower()
    if state == "read":
        return "UNREAD" not in message.labels
    return state in ("unread", "starred", "important", "sent", "draft") and state.upper() in message.labels


def _has(box: Mailbox, term: Term, message: Message) -> bool:
    own = {label for label in message.labels if not box.labels.by_id[label].system}
    known = {"attachment": bool(message.files), "userlabels": bool(own), "nouserlabels": not own}
    return known.get(term.value.lower(), False)


def _filename(box: Mailbox, term: Term, message: Message) -> bool:
    return any(contains(words(name), words(term.value)) for name in message.files)


def _category(box: Mailbox, term: Term, message: Message) -> bool:
    name = term.value.lower()
    return _CATEGORIES.get(name, f"CATEGORY_{name.upper()}") in message.labels


def _message_id(box: Mailbox, term: Term, message: Message) -> bool:
    return message.message_id == f"<{term.value.strip('<>')}>"


def _after(box: Mailbox, term: Term, message: Message) -> bool:
    """A day from its beginning. Whether a given second is part of what is after it is nowhere said: here it isn't."""
    if term.value.isdecimal():
        return message.date // 1000 > int(term.value)
    start = _midnight(term.value)
    return start is not None and message.date >= start


def _before(box: Mailbox, term: Term, message: Message) -> bool:
    if term.value.isdecimal():
        return message.date // 1000 < int(term.value)
    start = _midnight(term.value)
    return start is not None and message.date < start


def _midnight(day: str) -> int | None:
    """In milliseconds. A day is California's, wherever the user is."""
    found = _DATE.fullmatch(day)
    try:
        start = datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=_PACIFIC) if found else None
    except ValueError:
        return None
    return int(start.timestamp() * 1000) if start else None


def _older_than(box: Mailbox, term: Term, message: Message) -> bool:
    limit = _ago(box, term)
    return limit is not None and message.date < limit


def _newer_than(box: Mailbox, term: Term, message: Message) -> bool:
    limit = _ago(box, term)
    return limit is not None and message.date >= limit


def _ago(box: Mailbox, term: Term) -> int | None:
    found = _AGE.fullmatch(term.value.lower())
    if not found:
        return None
    return int((box.world.now() - timedelta(days=int(found[1]) * _DAYS[found[2]])).timestamp() * 1000)


def _larger(box: Mailbox, term: Term, message: Message) -> bool:
    size = _bytes(term.value)
    return size is not None and len(message.raw) >= size


def _smaller(box: Mailbox, term: Term, message: Message) -> bool:
    size = _bytes(term.value)
    return size is not None and len(message.raw) < size


def _bytes(size: str) -> int | None:
    found = _SIZE.fullmatch(size)
    return int(found[1]) * _UNITS[found[2].lower()] if found else None


_MATCHERS: dict[str, Callable[[Mailbox, Term, Message], bool]] = {
    "": _text,
    "from": _people("From"),
    "to": _people("To", "Cc", "Bcc"),
    "cc": _people("Cc"),
    "bcc": _people("Bcc"),
    "deliveredto": _people("Delivered-To", "To"),
    "subject": _header("Subject"),
    "list": _header("List-Id", "Mailing-List", "List-Post"),
    "label": _label,
    "in": _in,
    "is": _is,
    "has": _has,
    "filename": _filename,
    "category": _category,
    "rfc822msgid": _message_id,
    "after": _after,
    "newer": _after,
    "before": _before,
    "older": _before,
    "older_than": _older_than,
    "newer_than": _newer_than,
    "larger": _larger,
    "size": _larger,
    "smaller": _smaller,
}
