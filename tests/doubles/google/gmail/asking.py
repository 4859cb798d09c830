"""Gmail asked through Google's own client library, and mails to ask it about."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

import pytest
from googleapiclient.errors import HttpError

MONDAY = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
RESOURCES = ("messages", "attachments", "threads", "drafts", "labels", "history", "settings", "sendAs")


class Users:
    """The library's gmail.users(), every method executed and its `userId` given."""

    def __init__(self, resource: Any) -> None:
        self._resource = resource

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._resource, name)
        return Users(found()) if name in RESOURCES else lambda **given: found(userId="me", **given).execute()


def letter(**given: Any) -> bytes:
    message = EmailMessage()
    message["From"] = given.get("sender", "Anna Berg <anna.berg@acme.example>")
    message["To"] = given.get("to", "me@home.example")
    message["Subject"] = given.get("subject", "Hello")
    message["Date"] = format_datetime(given.get("date", MONDAY))
    for name in ("Message-ID", "Cc", "Bcc", "In-Reply-To", "References"):
        if name in given:
            message[name] = given[name]
    message.set_content(given.get("body", "How are you?"))
    for filename, data in given.get("files", {}).items():
        message.add_attachment(data, maintype="application", subtype="pdf", filename=filename)
    return message.as_bytes()


def encoded(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode()


def sent_by_me(**given: Any) -> dict[str, str]:
    return {"raw": encoded(letter(sender="me@home.example", to="anna@acme.example", **given))}


def status(call: Any, **given: Any) -> int:
    with pytest.raises(HttpError) as caught:
        call(**given)
    return int(caught.value.status_code)


def header(message: dict[str, Any], name: str) -> str:
    return str(next(field["value"] for field in message["payload"]["headers"] if field["name"] == name))
