"""Mails as other people's programs write them."""

from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from itertools import count
from typing import Any

MONDAY = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
_count = count(1)


def letter(**given: Any) -> bytes:
    """From Anna on Monday, unless said otherwise; `files` maps names to content."""
    message = EmailMessage()
    message["From"] = given.get("sender", "Anna Berg <anna.berg@acme.example>")
    message["To"] = given.get("to", "me@home.example")
    if "cc" in given:
        message["Cc"] = given["cc"]
    message["Subject"] = given.get("subject", "Hello")
    message["Date"] = format_datetime(given.get("date", MONDAY))
    message["Message-ID"] = given.get("id", f"<{next(_count)}@acme.example>")
    for name in ("In-Reply-To", "References", "List-Id"):
        if name in given:
            message[name] = given[name]
    message.set_content(given.get("body", "How are you?"))
    for filename, data in given.get("files", {}).items():
        message.add_attachment(data, maintype="application", subtype="pdf", filename=filename)
    return message.as_bytes()
