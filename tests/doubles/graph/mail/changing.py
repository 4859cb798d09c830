"""What the fields of a JSON body do to a mail."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

from doubles.graph.calls import GraphError
from doubles.graph.extended import normal
from doubles.graph.mail.content import File, Person, complete_html
from doubles.graph.mail.message import Message

ALWAYS = frozenset({"isRead", "flag", "categories", "importance", "inferenceClassification", "singleValueExtendedProperties"})
TEXTS = {"subject": "subject", "internetMessageId": "message_id"}
PEOPLE = {"toRecipients": "to", "ccRecipients": "cc", "bccRecipients": "bcc", "replyTo": "reply_to"}
DRAFTED = frozenset({*TEXTS, *PEOPLE, "body", "from", "sender"})
CREATED = frozenset({"attachments", "internetMessageHeaders"})
"""Settable with a new draft only."""


def check(fields: Mapping[str, Any], *, draft: bool, new: bool = False) -> None:
    """GraphError where one of these can't be set."""
    allowed = ALWAYS | (DRAFTED if draft else frozenset()) | (CREATED if new else frozenset())
    if refused := sorted(name for name in fields if "@" not in name and name not in allowed):
        raise GraphError(400, "ErrorInvalidPropertySet", f"Property {', '.join(refused)} is not settable.")


def apply(message: Message, fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if name in _MARKS:
            _MARKS[name](message, value)
        elif name in TEXTS:
            message.rewrite(**{TEXTS[name]: value or ""})
        elif name in PEOPLE:
            message.rewrite(**{PEOPLE[name]: tuple(map(person, value or ()))})
        elif name in ("from", "sender"):
            message.rewrite(sender=person(value))
        elif name in _CONTENT:
            _CONTENT[name](message, value)


def person(value: Mapping[str, Any]) -> Person:
    given = value.get("emailAddress") or {}
    address = given.get("address") or ""
    return Person(given.get("name") or address, address)


def file(value: Mapping[str, Any], number: int) -> File:
    """GraphError where it is none that can be attached."""
    if value.get("@odata.type") != "#microsoft.graph.fileAttachment":
        raise GraphError(400, "ErrorInvalidRequest", "Only #microsoft.graph.fileAttachment is emulated.")
    if not value.get("name"):
        raise GraphError(400, "ErrorInvalidRequest", "The name of an attachment is missing.")
    return File(
        number,
        value["name"],
        value.get("contentType") or "application/octet-stream",
        b64decode(value.get("contentBytes") or ""),
        bool(value.get("isInline")),
        value.get("contentId") or "",
    )


def _seen(message: Message, value: bool) -> None:
    message.seen = value


def _flag(message: Message, value: Mapping[str, Any]) -> None:
    if "flagStatus" in value:
        message.flag = value["flagStatus"]


def _categories(message: Message, value: list[str]) -> None:
    message.categories = tuple(value)


def _importance(message: Message, value: str) -> None:
    message.importance = value


def _extended(message: Message, value: list[dict[str, str]]) -> None:
    message.extended |= {normal(one["id"]): one["value"] for one in value}


def _body(message: Message, value: Mapping[str, Any]) -> None:
    kind = "html" if value.get("contentType", "text").lower() == "html" else "text"
    written = (value.get("content") or "").replace("\r\n", "\n").replace("\n", "\r\n")
    message.rewrite(kind=kind, body=complete_html(written) if kind == "html" else written)


def _headers(message: Message, value: list[dict[str, str]]) -> None:
    if others := [one["name"] for one in value if not one["name"].lower().startswith("x-")]:
        raise GraphError(
            400, "InvalidInternetMessageHeader", f"The internet message header name '{others[0]}' should start with 'x-' or 'X-'."
        )
    message.rewrite(headers=tuple((one["name"], one["value"]) for one in value))


def _attachments(message: Message, value: list[dict[str, Any]]) -> None:
    message.rewrite(files=tuple(file(one, number) for number, one in enumerate(value, start=1)))


_MARKS: dict[str, Callable[[Message, Any], None]] = {
    "isRead": _seen,
    "flag": _flag,
    "categories": _categories,
    "importance": _importance,
    "singleValueExtendedProperties": _extended,
}
_CONTENT: dict[str, Callable[[Message, Any], None]] = {
    "body": _body,
    "internetMessageHeaders": _headers,
    "attachments": _attachments,
}
