"""Reading and building mail. Reading is lenient and never trusts a declaration; what is built is read back and compared."""

import base64
import email
import email.utils
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.charset import QP, Charset
from email.generator import BytesGenerator
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.policy import compat32
from io import BytesIO
from typing import cast

from integrations.actions import SaveDraft, SendMail
from integrations.common.addresses import normal_email, parse_addresses, wire_email
from integrations.common.headers import decode_bytes, decode_header, encode_header, is_one_line, raw_text
from integrations.common.sanitising import text_of_html, visible
from integrations.errors import InvalidResponse, NotFound
from integrations.types import Address, Attachment, Value

_ID = re.compile(r"<[^<>\s]+>")
SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_BULK = frozenset({"bulk", "list", "junk"})
_EXPECTED = frozenset({"from", "to", "subject", "date", "message-id", "received", "sender", "mime-version", "content-type"})
_LONGEST_TEXT = 400_000
_MOST_REFERENCES = 50
_DEEPEST = 50
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


# Reading -------------------------------------------------------------------------------------------------------------


def _parse(raw: bytes) -> Message:
    return email.message_from_bytes(raw, policy=compat32)


def _children(part: Message) -> list[Message]:
    return cast("list[Message]", part.get_payload())


def _leaves(part: Message, number: str = "", inside: str = "", depth: int = 0) -> Iterator[tuple[str, Message, str]]:
    """The parts that hold content: its number as IMAP counts, the part, the type of what it stands in."""
    kind = part.get_content_type()
    if not kind.startswith("multipart/") or not part.is_multipart() or depth > _DEEPEST:
        yield number or "1", part, inside
        return
    for index, child in enumerate(_children(part), start=1):
        yield from _leaves(child, f"{number}.{index}" if number else str(index), kind, depth + 1)


def _content(part: Message) -> bytes:
    if part.is_multipart() and part.get_content_maintype() == "message":
        return b"\n".join(map(flat, _children(part)))
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


class _Verbatim(BytesGenerator):
    """Writes headers and content as they were read, whatever they hold."""

    _fp: BytesIO

    def write(self, s: str) -> None:
        self._fp.write(s.encode("utf-8", "surrogateescape"))

    def _write_headers(self, msg: Message) -> None:
        for name, value in msg.raw_items():
            self.write(f"{name}: {_normal(str(value))}\n")
        self.write("\n")


def flat(message: Message) -> bytes:
    out = BytesIO()
    _Verbatim(out, mangle_from_=False).flatten(message)
    return out.getvalue()


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _filename(part: Message) -> str:
    stated = [(name, str(value)) for name, value in part.raw_items() if name.lower() in ("content-disposition", "content-type")]
    for name, value in stated:
        if not value.isascii():
            part.replace_header(name, raw_text(value))  # or the standard parser loses its bytes
    if not any("name" in value.lower() for _, value in stated):
        return ""
    try:
        name = part.get_filename() or ""
    except (LookupError, ValueError, TypeError):
        return ""
    return safe_name(decode_header(raw_text(name)))


def safe_name(filename: str) -> str:
    """Of one file, in no folder."""
    return visible(filename).replace("/", "_").replace("\\", "_")


def _is_attachment(part: Message, inside: str) -> bool:
    disposition = part.get_content_disposition()
    kind = part.get_content_type()
    if kind in SIGNATURES:
        return False
    if inside == "multipart/related" and disposition != "attachment" and "content-id" in part:
        return False  # a picture the HTML shows
    if disposition == "attachment" or _filename(part):
        return True
    return not kind.startswith(("text/", "multipart/")) or kind == "text/calendar"


def _attachment(number: str, part: Message) -> Attachment:
    kind = part.get_content_type()
    ending = {"message/rfc822": ".eml", "text/calendar": ".ics"}.get(kind, "")
    name = _filename(part) or f"part-{number}{ending}"
    return Attachment(part=number, filename=name, content_type=kind, size=len(_content(part)))


def _own_text(part: Message) -> str:
    try:
        charset = part.get_content_charset()
    except (LookupError, ValueError, TypeError):
        charset = None
    return _written(decode_bytes(_content(part), charset), html=part.get_content_type() == "text/html")


def _written(content: str, *, html: bool) -> str:
    text = _normal(content).replace("\0", "")
    return text_of_html(text) if html else text


def readable(content: str, *, html: bool) -> str:
    """A text as Parsed has it, of one that comes decoded."""
    return _shown(_written(content, html=html))


def _shown(text: str) -> str:
    return visible(text)[:_LONGEST_TEXT].strip("\n")


def _text(part: Message, inside: str = "", depth: int = 0) -> str:
    kind = part.get_content_type()
    if kind.startswith("multipart/") and part.is_multipart():
        if depth > _DEEPEST:
            return ""
        texts = [(child.get_content_type() != "text/plain", _text(child, kind, depth + 1)) for child in _children(part)]
        written = [(rich, text) for rich, text in texts if text.strip()]
        if kind == "multipart/alternative":
            return min(written, key=lambda choice: choice[0], default=(False, ""))[1]
        return "\n\n".join(text.strip("\n") for _, text in written) if len(written) != 1 else written[0][1]
    if not kind.startswith(("text/", "multipart/")) or _is_attachment(part, inside):
        return ""
    return _own_text(part)


def _date(headers: dict[str, str]) -> datetime | None:
    for value in (headers.get("date", ""), headers.get("received", "").rpartition(";")[2]):
        try:
            found = email.utils.parsedate_to_datetime(value.strip())
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def ids_in(value: str) -> tuple[str, ...]:
    """Message ids in order, each once; a long chain keeps its root and its end."""
    found = tuple(dict.fromkeys(_ID.findall(value)))
    return found if len(found) <= _MOST_REFERENCES else (found[0], *found[1 - _MOST_REFERENCES :])


def id_in(value: str) -> str:
    """The first message id, or what stands in its place."""
    written = value.strip("<> \t").split()
    return next(iter(ids_in(value)), f"<{written[0].strip('<>')}>" if written else "")


def read_message(raw: bytes) -> Parsed:
    """What `raw` says, as far as it can be read."""
    message = _parse(raw)
    wire = [(name.lower(), raw_text(str(value))) for name, value in message.raw_items()]
    first = dict(reversed(wire))
    people = {name: parse_addresses(", ".join(value for key, value in wire if key == name)) for name in ("to", "cc", "bcc")}
    senders = parse_addresses(first.get("from", "")) or parse_addresses(first.get("sender", ""))
    attachments = [(number, part) for number, part, inside in _leaves(message) if _is_attachment(part, inside)]
    return Parsed(
        headers=tuple((name, decode_header(value)) for name, value in wire),
        message_id=id_in(first.get("message-id", "")),
        in_reply_to=next(iter(ids_in(first.get("in-reply-to", ""))), ""),
        references=ids_in(first.get("references", "")),
        sender=senders[0] if senders else None,
        reply_to=parse_addresses(first.get("reply-to", "")),
        **people,
        subject=visible(decode_header(first.get("subject", ""))),
        date=_date(first),
        text=_shown(_text(message)),
        attachments=tuple(_attachment(number, part) for number, part in attachments),
        bulk=is_bulk(first),
    )


def is_bulk(headers: Mapping[str, str]) -> bool:
    """By their names in lower case."""
    return "list-id" in headers or "list-unsubscribe" in headers or headers.get("precedence", "").strip().lower() in _BULK


def part_bytes(raw: bytes, part: str) -> bytes:
    """The decoded content of the part that `Attachment.part` names; NotFound where there is none."""
    for number, leaf, _ in _leaves(_parse(raw)):
        if number == part:
            return _content(leaf)
    raise NotFound(f"The mail has no part {part}.")


# Building ------------------------------------------------------------------------------------------------------------


def message_id(key: str, owner: str) -> str:
    """The Message-ID that a mail written under `key` carries."""
    return f"<{key}@{wire_email(owner).rpartition('@')[2]}>"


def _phrase(name: str) -> str:
    if not name.isascii() or "=?" in name or len(name) > 200:
        return encode_header(name)
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def mailbox(address: Address) -> str:
    if normal_email(address.email) != address.email or not is_one_line(address.name):
        raise InvalidResponse(f"{address.email!r} is not an address a mail can be sent to.")
    return f"{_phrase(address.name)} <{wire_email(address.email)}>" if address.name else wire_email(address.email)


def _headers(
    action: SendMail | SaveDraft, key: str, owner: str, name: str, now: datetime, answers: Parsed | None
) -> dict[str, str]:
    if not is_one_line(action.subject):
        raise InvalidResponse("The subject holds a line break or a control character.")
    headers = {
        "From": mailbox(Address(email=owner, name=name)),
        "To": ",\n ".join(map(mailbox, action.to)),
        "Cc": ",\n ".join(map(mailbox, action.cc)),
        "Bcc": ",\n ".join(map(mailbox, action.bcc)),
        "Subject": encode_header(action.subject.strip()),
        "Date": email.utils.format_datetime(now),
        "Message-ID": message_id(key, owner),
    }
    if answers and answers.message_id:
        before = answers.references or ((answers.in_reply_to,) if answers.in_reply_to else ())
        chain = ids_in(" ".join((*before, answers.message_id)))
        headers |= {"In-Reply-To": answers.message_id, "References": "\n ".join(chain)}
    if _html_of(action):
        headers |= {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All"}
    return {name: value for name, value in headers.items() if value}


def _html_of(action: SendMail | SaveDraft) -> str:
    return action.html if isinstance(action, SendMail) else ""


def text_part(text: str, kind: str = "plain") -> Message:
    charset = Charset("utf-8")
    charset.body_encoding = QP
    part = MIMENonMultipart("text", kind, charset="utf-8")
    part.set_payload(text, charset)
    return part


def _quoted(original: Parsed) -> str:
    lines = [
        "---------- Forwarded message ----------",
        f"From: {original.sender or 'unknown'}",
        f"Date: {original.date:%a, %d %b %Y %H:%M %z}" if original.date else "",
        f"Subject: {original.subject}",
        f"To: {', '.join(map(str, original.to))}" if original.to else "",
        f"Cc: {', '.join(map(str, original.cc))}" if original.cc else "",
    ]
    return "\n".join(line for line in lines if line) + f"\n\n{original.text}"


def _alternatives(body: str, html: str, key: str) -> Message:
    whole = MIMEMultipart("alternative", boundary=f"=_{key}")
    for part in (text_part(body), text_part(html, "html")):
        whole.attach(part)
    return whole


def _content_part(body: str, html: str, key: str, forwards: bytes | None) -> Message:
    if forwards is None:
        return _alternatives(body, html, key) if html else text_part(body)
    text = text_part(f"{body}\n\n{_quoted(read_message(forwards))}".lstrip("\n") if body else _quoted(read_message(forwards)))
    attached = [part for _, part, inside in _leaves(_parse(forwards)) if _is_attachment(part, inside)]
    if not attached:
        return text
    whole = MIMEMultipart("mixed", boundary=f"=_{key}")
    for part in (text, *map(_passed_on, attached)):
        whole.attach(part)
    return whole


def _passed_on(part: Message) -> Message:
    """Of the same content, in lines that every server takes."""
    if not part.is_multipart() and any(len(line) > 998 or not line.isascii() for line in flat(part).split(b"\n")):
        part.set_payload(base64.encodebytes(_content(part)).decode())
        del part["Content-Transfer-Encoding"]
        part["Content-Transfer-Encoding"] = "base64"
    return part


def _check(raw: bytes, action: SendMail | SaveDraft, names: list[str], key: str, owner: str, answers: Parsed | None) -> None:
    """What the bytes say must be what was approved: a header may have been smuggled in by a name or a subject."""
    built = read_message(raw)
    body = visible(_normal(action.body)).strip("\n")
    same = {
        "headers": [name for name, _ in built.headers] == names,
        "sender": built.sender is not None and built.sender.email == owner,
        "recipients": all(
            [address.email for address in getattr(built, line)] == [address.email for address in getattr(action, line)]
            for line in ("to", "cc", "bcc")
        ),
        "subject": built.subject == visible(action.subject).strip(),
        "id": built.message_id == message_id(key, owner),
        "thread": built.in_reply_to == (answers.message_id if answers else ""),
        "text": built.text.startswith(body) if action.forward_of else built.text == body,
    }
    wrong = [what for what, holds in same.items() if not holds]
    if wrong:
        raise InvalidResponse(f"The mail was not written: its {' and '.join(wrong)} would not be as approved.")


def build_message(
    action: SendMail | SaveDraft,
    *,
    key: str,
    owner: str,
    now: datetime,
    name: str = "",
    answers: Parsed | None = None,
    forwards: bytes | None = None,
) -> bytes:
    """The mail as bytes, lines ending in LF, Bcc included; `owner` is the sender's address, `name` the sender's own.

    `answers` is the mail that `action.reply_to` names, `forwards` the one that `action.forward_of` names. InvalidResponse where
    the result would not say exactly what the action says.
    """
    if isinstance(action, SendMail) and not (action.to or action.cc or action.bcc):
        raise InvalidResponse("The mail has no recipient.")
    try:
        headers = _headers(action, key, normal_email(owner), name, now, answers)
        part = _content_part(_normal(action.body), _normal(_html_of(action)), key, forwards)
        content = flat(part)
        head = "".join(f"{field}: {value}\n" for field, value in headers.items())
        raw = head.encode() + content
    except (UnicodeError, LookupError) as broken:
        raise InvalidResponse(f"The mail could not be written: {broken}.") from broken
    names = [field.lower() for field in (*headers, *part)]
    _check(raw, action, names, key, normal_email(owner), answers)
    return raw
