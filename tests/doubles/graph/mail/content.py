"""What a mail says, apart from where it lies and how it is marked: read from MIME, or from JSON piece by piece."""

import html
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from doubles.emulating.mail.words import words

MESSAGE_ID = re.compile(r"<[^<>\s]+>")
_PREFIX = re.compile(r"^\s*(?:(?:re|r|fwd?|aw|wg|sv|vs|tr|rif)\s*:\s*)+", re.IGNORECASE)
_HIDDEN = re.compile(r"<(style|script|head)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<br\b[^>]*>|</(p|div|tr|li|h\d|blockquote)\s*>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
ENVELOPE = ("from", "sender", "to", "cc", "bcc", "reply-to", "subject", "date", "message-id", "mime-version")
META = '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">'


@dataclass(frozen=True)
class Person:
    name: str
    address: str


@dataclass(frozen=True)
class File:
    """An attachment; `number` tells it apart within its mail. An `item` is a mail of its own."""

    number: int
    name: str
    kind: str
    data: bytes
    inline: bool = False
    content_id: str = ""
    item: bool = False


@dataclass(frozen=True)
class Content:
    """`headers` as they came but unfolded. `meeting` is empty, or what an invitation is about."""

    subject: str = ""
    sender: Person | None = None
    to: tuple[Person, ...] = ()
    cc: tuple[Person, ...] = ()
    bcc: tuple[Person, ...] = ()
    reply_to: tuple[Person, ...] = ()
    date: datetime | None = None
    message_id: str = ""
    kind: Literal["text", "html"] = "text"
    body: str = ""
    files: tuple[File, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    meeting: str = ""

    def header(self, name: str) -> str:
        return next((value for known, value in self.headers if known.lower() == name.lower()), "")

    @cached_property
    def references(self) -> frozenset[str]:
        return frozenset(MESSAGE_ID.findall(f"{self.header('References')} {self.header('In-Reply-To')}"))

    @cached_property
    def topic(self) -> str:
        """The subject as conversations compare it: without Re: and its like."""
        return " ".join(_PREFIX.sub("", self.subject).split())

    @cached_property
    def text(self) -> str:
        """Lines end in CRLF."""
        return as_text(self.body) if self.kind == "html" else self.body

    @cached_property
    def words(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """What a search looks through, by its name for it."""
        people = {"from": _words_of((self.sender,) if self.sender else ()), "to": _words_of(self.to)}
        people |= {"cc": _words_of(self.cc), "bcc": _words_of(self.bcc)}
        recipients = people["to"] + people["cc"] + people["bcc"]
        return people | {
            "recipients": recipients,
            "participants": people["from"] + recipients,
            "subject": (words(self.subject),),
            "body": (words(self.text),),
            "attachment": tuple(words(file.name) for file in self.files),
        }

    @property
    def next_number(self) -> int:
        return max((file.number for file in self.files), default=0) + 1


def _words_of(people: tuple[Person, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(words(f"{person.name} {person.address}") for person in people)


def as_text(markup: str) -> str:
    """What HTML says, as Exchange writes it down."""
    bare = _BREAK.sub("\n", " ".join(_HIDDEN.sub("", markup).split()))
    lines = (" ".join(html.unescape(line).split()) for line in _TAG.sub("", bare).split("\n"))
    return "\r\n".join(lines).strip()


def as_html(text: str) -> str:
    shown = html.escape(text, quote=False).replace("\r\n", "<br>\r\n")
    return f'<html><head>\r\n{META}</head><body><div class="PlainText">{shown}</div></body></html>'


def complete_html(markup: str) -> str:
    """Exchange keeps whole documents only, and says of each that it is UTF-8."""
    if re.search(r"<html\b", markup, re.IGNORECASE):
        return markup
    return f"<html><head>\r\n{META}</head><body>{markup}</body></html>"
