"""Building mail: what is built is read back and compared with what was approved."""

import base64
import email.utils
import re
from collections.abc import Mapping
from datetime import datetime
from email.charset import QP, Charset
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart

from integrations.actions import SaveDraft, SendMail
from integrations.common import mail_checks
from integrations.common.addresses import normal_email, unwritable, wire_email
from integrations.common.headers import encode_header
from integrations.common.mime import (
    Parsed,
    content_of,
    flat,
    ids_in,
    is_attachment,
    leaves,
    parse_message,
    plain_lines,
    read_message,
)
from integrations.errors import InvalidResponse
from integrations.types import Address

_PLAIN_ID = re.compile(r"<[!-;=?-~]{1,900}>")
_CHARSET = re.compile(r"[\w-]{1,40}", re.ASCII)
_PEOPLE = ("to", "cc", "bcc")


def message_id(key: str, owner: str) -> str:
    """The Message-ID that a mail written under `key` carries."""
    return f"<{key}@{wire_email(owner).rpartition('@')[2]}>"


def _phrase(name: str) -> str:
    if not name.isascii() or "=?" in name or len(name) > 200:
        return encode_header(name)
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def mailbox(address: Address) -> str:
    if why := unwritable(address) or ("has a name that ends a line" if mail_checks.hides_a_break(address.name) else ""):
        raise InvalidResponse(f"{address.email!r} is not written to: it {why}.")
    return f"{_phrase(address.name)} <{wire_email(address.email)}>" if address.name else wire_email(address.email)


def _headers(
    action: SendMail | SaveDraft, key: str, owner: str, name: str, now: datetime, answers: Parsed | None
) -> dict[str, str]:
    headers = {
        "From": mailbox(Address(email=owner, name=name)),
        "To": ",\n ".join(map(mailbox, action.to)),
        "Cc": ",\n ".join(map(mailbox, action.cc)),
        "Bcc": ",\n ".join(map(mailbox, action.bcc)),
        "Subject": encode_header(action.subject.strip()),
        "Date": email.utils.format_datetime(now),
        "Message-ID": message_id(key, owner),
    }
    if answers and _PLAIN_ID.fullmatch(answers.message_id):
        before = answers.references or ((answers.in_reply_to,) if answers.in_reply_to else ())
        chain = ids_in(" ".join((*filter(_PLAIN_ID.fullmatch, before), answers.message_id)))
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


def _texts(action: SendMail | SaveDraft, forwards: bytes | None) -> list[tuple[str, str]]:
    """What people read of it, by type."""
    body, html = plain_lines(action.body), plain_lines(_html_of(action))
    if forwards is not None:
        quoted = _quoted(read_message(forwards))
        return [("text/plain", f"{body}\n\n{quoted}".lstrip("\n") if body else quoted)]
    return [("text/plain", body), *([("text/html", html)] if html else [])]


def _content_part(texts: list[tuple[str, str]], key: str, forwards: bytes | None) -> Message:
    (_, body), *others = texts
    if others:
        return _alternatives(body, others[0][1], key)
    text = text_part(body)
    found = leaves(parse_message(forwards)) if forwards is not None else ()
    attached = [part for _, part, inside in found if is_attachment(part, inside)]
    if not attached:
        return text
    whole = MIMEMultipart("mixed", boundary=f"=_{key}")
    for part in (text, *map(_passed_on, attached)):
        whole.attach(part)
    return whole


def _passed_on(part: Message) -> Message:
    """Of the same content, in lines that every server takes; its head tells of nothing else, and nothing in it is to be guessed."""
    for field in {name for name in part if not name.lower().startswith("content-")}:
        del part[field]
    if not all(_is_plain(str(value)) for _, value in part.raw_items()):
        _described_anew(part)
    content = flat(part)
    if not part.is_multipart() and (
        b"\0" in content or any(len(line) > 998 or not line.isascii() for line in content.split(b"\n"))
    ):
        part.set_payload(base64.encodebytes(content_of(part)).decode())
        del part["Content-Transfer-Encoding"]
        part["Content-Transfer-Encoding"] = "base64"
    return part


def _travels(content: bytes) -> bool:
    return b"\0" not in content and all(len(line) <= 998 and line.isascii() for line in content.split(b"\n"))


def _is_plain(value: str) -> bool:
    lines = plain_lines(value).replace("\t", " ")
    text = mail_checks.unfolded(lines)
    return text.isascii() and not mail_checks.hides_a_break(text) and all(len(line) < 900 for line in lines.split("\n"))


def _described_anew(part: Message) -> None:
    name, kind = mail_checks.filename_of(part), part.get_content_type()
    charset = part.get_param("charset")
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    for field in set(part):
        del part[field]
    params = {"charset": charset} if isinstance(charset, str) and _CHARSET.fullmatch(charset) else {}
    part.add_header("Content-Type", kind, **params)
    part.add_header("Content-Disposition", "attachment", **({"filename": ("utf-8", "", name)} if name else {}))
    if encoding in ("base64", "quoted-printable"):
        part["Content-Transfer-Encoding"] = encoding


def _refuse_what_nobody_sees(action: SendMail | SaveDraft) -> None:
    if mail_checks.hides_a_break(action.subject):
        raise InvalidResponse("The subject holds a line break or a control character.")
    if "\0" in action.body or any(map(mail_checks.hides_words, (action.subject, action.body, _html_of(action)))):
        raise InvalidResponse("The mail holds characters that nobody would see.")


def build_message(
    action: SendMail | SaveDraft,
    *,
    key: str,
    owner: str,
    now: datetime,
    name: str = "",
    answers: Parsed | None = None,
    forwards: bytes | None = None,
    more: Mapping[str, str] | None = None,
) -> bytes:
    """The mail as bytes, lines ending in LF, Bcc included; `owner` is the sender's address, `name` the sender's own.

    `answers` is the mail that `action.reply_to` names, `forwards` the one that `action.forward_of` names; `more` are headers of the
    provider's own, which come first. InvalidResponse where the result would not say exactly what the action says.
    """
    if isinstance(action, SendMail) and not (action.to or action.cc or action.bcc):
        raise InvalidResponse("The mail has no recipient.")
    _refuse_what_nobody_sees(action)
    try:
        headers = {**(more or {}), **_headers(action, key, normal_email(owner), name, now, answers)}
        texts = _texts(action, forwards)
        content = flat(_content_part(texts, key, forwards))
        head = "".join(f"{field}: {value}\n" for field, value in headers.items())
        raw = head.encode() + content
    except (UnicodeError, LookupError) as broken:
        raise InvalidResponse(f"The mail could not be written: {broken}.") from broken
    people = {"From": (Address(email=normal_email(owner)),)} | {line.capitalize(): getattr(action, line) for line in _PEOPLE}
    enclosed = mail_checks.enclosed_in(forwards) if forwards is not None else []
    mail_checks.check(raw, mail_checks.Said(headers, people, action.subject.strip(), texts, enclosed))
    return raw
