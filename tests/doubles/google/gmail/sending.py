"""What becomes of a message on its way out."""

import re
import secrets
from email.utils import format_datetime, formataddr, parseaddr

from doubles.emulating.mail.headers import Headers
from doubles.google.calls import ApiError
from doubles.google.gmail.mailbox import ARRIVING, Mailbox
from doubles.google.gmail.message import Message

_MESSAGE_ID = re.compile(r"<[^<>@\s]+@[^<>@\s]+>")
_ADDRESS = re.compile(r"[^@\s<>]+@[^@\s<>]+")
_RECIPIENTS = ("To", "Cc", "Bcc")


def send(box: Mailbox, raw: bytes, thread_id: str = "") -> Message:
    """Puts it into the sender's SENT, and into the mailbox of every recipient who is a user here."""
    headers = Headers(raw)
    recipients = _recipients(headers)
    _complete(box, headers)
    own = recipients & box.addresses
    sent = box.add(bytes(headers), {"SENT", *(ARRIVING if own else ())}, box.world.now(), thread_id)
    headers.remove("Bcc")
    for email in list(box.world.users):
        other = box.world.mail(email)
        if other is not box and recipients & other.addresses:
            other.deliver(bytes(headers), date=box.world.now())
    return sent


def _recipients(headers: Headers) -> set[str]:
    for name in _RECIPIENTS:
        if not all(map(_ADDRESS.fullmatch, headers.addresses(name))):
            raise ApiError(400, "invalidArgument", f"Invalid {name} header")
    recipients = set(headers.addresses(*_RECIPIENTS))
    if not recipients:
        raise ApiError(400, "invalidArgument", "Recipient address required")
    return recipients


def _complete(box: Mailbox, headers: Headers) -> None:
    headers.in_ascii()
    if parseaddr(headers.get("From"))[1].lower() not in box.addresses:
        headers.rename("From", "X-Google-Original-From")
        headers.set("From", formataddr((box.name, box.email)))
    if not _MESSAGE_ID.fullmatch(headers.get("Message-ID")):
        headers.rename("Message-ID", "X-Google-Original-Message-ID")
        headers.set("Message-ID", f"<CA{secrets.token_urlsafe(24)}@mail.gmail.com>")
    elif not box.keeps_message_ids:
        headers.set("Message-ID", f"<CA{secrets.token_urlsafe(24)}@mail.gmail.com>")
    if not headers.get("Date"):
        headers.set("Date", format_datetime(box.world.now()))
