"""Reading mail: lenient, bounded, and never trusting a declaration."""

import email.utils
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from integrations.common.addresses import MOST_ADDRESSES, parse_addresses
from integrations.common.authentication import is_forged
from integrations.common.headers import decode_header, one_line, raw_text, strange_charsets
from integrations.common.mime_parsing import Split, parse_message, split_message
from integrations.common.mime_parts import (
    SIGNATURES,
    attachment,
    content_of,
    filename_of,
    flat,
    is_attachment,
    leaves,
    plain_lines,
    safe_name,
)
from integrations.common.mime_texts import Texts, readable
from integrations.common.oddities import Finds
from integrations.errors import NotFound
from integrations.types import Address, Attachment, Oddity, Value

__all__ = [
    "SIGNATURES",
    "SNIPPET",
    "Parsed",
    "content_of",
    "filename_of",
    "flat",
    "id_in",
    "ids_in",
    "is_attachment",
    "is_bulk",
    "leaves",
    "note_headers",
    "parse_message",
    "part_bytes",
    "plain_lines",
    "read_message",
    "readable",
    "safe_name",
    "snippet_of",
]

_ID = re.compile(r"<[^<>\s]+>")
_BULK = frozenset({"bulk", "list", "junk"})
_EXPECTED = frozenset({"from", "to", "subject", "date", "message-id", "received", "sender", "mime-version", "content-type"})
_MOST_REFERENCES = 50
_LONGEST_ID = 1000
_LONGEST_SUBJECT = 5000
_LONGEST_VALUE = 20_000
_LINES = ("to", "cc", "bcc")
_ONCE = {
    "from": "sender",
    "subject": "subject",
    "date": "date",
    "message-id": "message_id",
    "reply-to": "reply_to",
    **{line: line for line in _LINES},
    **dict.fromkeys(("content-type", "content-transfer-encoding"), "body"),
}
"""What a mail has only one of, and the field that says so."""
_PEOPLE = {"from": "sender", "reply-to": "reply_to", **{line: line for line in _LINES}}
SNIPPET = 200
"""Characters of the body that a listing shows."""


class Parsed(Value):
    """One mail as read. `headers` are decoded, in order, names in lower case; `date` is None where none can be read; `text` is
    the plain text, or what the HTML shows. Message ids keep their angle brackets."""

    headers: tuple[tuple[str, str], ...]
    message_id: str
    in_reply_to: str
    references: tuple[str, ...]
    sender: Address | None
    reply_to: tuple[Address, ...]
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    bcc: tuple[Address, ...]
    subject: str
    date: datetime | None
    text: str
    attachments: tuple[Attachment, ...]
    bulk: bool
    oddities: tuple[Oddity, ...] = ()

    @property
    def empty(self) -> bool:
        """Nothing in it that makes it a mail."""
        return not any(name in _EXPECTED for name, _ in self.headers)

    @property
    def snippet(self) -> str:
        return snippet_of(self.text)


def snippet_of(text: str) -> str:
    """The beginning of what was newly written."""
    own = [line for line in text[: SNIPPET * 20].splitlines() if not line.lstrip().startswith(">")]
    return " ".join(" ".join(own).split())[:SNIPPET]


def _date(headers: Mapping[str, str]) -> datetime | None:
    for value in (headers.get("date", ""), headers.get("received", "").rpartition(";")[2]):
        try:
            found = email.utils.parsedate_to_datetime(value.strip()[:_LONGEST_ID])
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def ids_in(value: str) -> tuple[str, ...]:
    """Message ids in order, each once; a long chain keeps its root and its end."""
    found = tuple(dict.fromkeys(one for one in _ID.findall(value) if len(one) <= _LONGEST_ID))
    return found if len(found) <= _MOST_REFERENCES else (found[0], *found[1 - _MOST_REFERENCES :])


def id_in(value: str) -> str:
    """The first message id, or what stands in its place."""
    written = value[:_LONGEST_ID].strip("<> \t").split()
    return next(iter(ids_in(value)), f"<{written[0].strip('<>')}>" if written else "")


def read_message(raw: bytes) -> Parsed:
    """What `raw` says, as far as it can be read within bounds; `oddities` tell what was left out or is strange."""
    split, finds = split_message(raw), Finds()
    message = split.message
    wire = [(name.lower(), raw_text(str(value))) for name, value in message.raw_items()]
    headers = tuple((name, _decoded(value)) for name, value in wire)
    first = dict(reversed(wire))
    people = {line: _people([value for name, value in wire if name == line], line, finds) for line in ("from", *_LINES, "reply-to")}
    senders = people["from"] if first.get("from", "").strip() else parse_addresses(first.get("sender", ""))
    finds.add("unclear", "sender", "@" in first.get("from", "") and not senders)
    attachments = [(number, part) for number, part, inside in leaves(message) if is_attachment(part, inside)]
    subject = finds.line(_decoded(first.get("subject", "")), "subject", _LONGEST_SUBJECT)
    bulk = is_bulk(first)
    text = Texts(finds, bulk=bulk).of(message)
    enclosed = tuple(attachment(number, part, finds) for number, part in attachments)
    for name, value in headers:
        if name in _PEOPLE:
            finds.line(value, _PEOPLE[name])
    note_headers(headers, finds)
    _note_bounds(split, first, finds)
    return Parsed(
        headers=headers,
        message_id=id_in(first.get("message-id", "")),
        in_reply_to=next(iter(ids_in(first.get("in-reply-to", ""))), ""),
        references=ids_in(first.get("references", "")),
        sender=senders[0] if senders else None,
        reply_to=people["reply-to"],
        **{line: people[line] for line in _LINES},
        subject=subject,
        date=_date(first),
        text=text,
        attachments=enclosed,
        bulk=bulk,
        oddities=finds.found,
    )


def _decoded(value: str) -> str:
    return decode_header(value) if len(value) <= _LONGEST_VALUE else one_line(decode_header(value[:_LONGEST_VALUE]))


def _people(lines: Sequence[str], name: str, finds: Finds) -> tuple[Address, ...]:
    """Of each line by itself, or one that is broken would spoil the next; only the first sender line counts."""
    each = [parse_addresses(line) for line in (lines[:1] if name in ("from", "reply-to") else lines)]
    found = [address for people in each for address in people]
    finds.add(
        "too_many", _PEOPLE[name], sum(len(people) >= MOST_ADDRESSES for people in each) + max(0, len(found) - MOST_ADDRESSES)
    )
    finds.add("double_header", "sender", len(found) - 1 if name == "from" else 0)
    return tuple(found[:MOST_ADDRESSES])


def note_headers(headers: Sequence[tuple[str, str]], finds: Finds) -> None:
    """What is strange in the headers of a mail, names in lower case, values decoded, in their order."""
    met: dict[str, set[str]] = {}
    for name, value in headers:
        if name in _ONCE:
            met.setdefault(name, set()).add(" ".join(value.split()))
    for name, values in met.items():
        finds.add("double_header", _ONCE[name], len(values) - 1)
    finds.add("forged", "sender", is_forged(headers))


def _note_bounds(split: Split, first: Mapping[str, str], finds: Finds) -> None:
    finds.add("too_deep", "body", split.deep)
    finds.add("too_many", "body", split.many)
    finds.add("cut", "headers", split.cut)
    for name in ("subject", "from"):
        finds.add("charset", _ONCE[name], strange_charsets(first.get(name, "")[:_LONGEST_VALUE]))
        finds.add("cut", _ONCE[name], len(first.get(name, "")) > _LONGEST_VALUE)


def is_bulk(headers: Mapping[str, str]) -> bool:
    """By their names in lower case."""
    return "list-id" in headers or "list-unsubscribe" in headers or headers.get("precedence", "").strip().lower() in _BULK


def part_bytes(raw: bytes, part: str) -> bytes:
    """The decoded content of the part that `Attachment.part` names; NotFound where there is none."""
    for number, leaf, _ in leaves(parse_message(raw)):
        if number == part:
            return content_of(leaf)
    raise NotFound(f"The mail has no part {part}.")
