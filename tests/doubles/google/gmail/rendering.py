"""Messages as the API gives them."""

import itertools
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from doubles.emulating.mail.mime import Part
from doubles.google.calls import ApiError
from doubles.google.gmail.message import Message

_TOKEN = "ANGjdJ"
_serial = itertools.count(1)


def brief(message: Message) -> dict[str, Any]:
    return {"id": message.id, "threadId": message.thread_id}


def labelled(message: Message) -> dict[str, Any]:
    return brief(message) | ({"labelIds": sorted(message.labels)} if message.labels else {})


def resource(message: Message, shape: str = "full", headers: list[str] | None = None) -> dict[str, Any]:
    """`shape` is minimal, metadata, full or raw; `headers` narrow metadata down."""
    shown = labelled(message) | {
        "snippet": message.snippet,
        "sizeEstimate": len(message.raw),
        "historyId": str(message.history_id),
        "internalDate": str(message.date),
    }
    if shape == "raw":
        return shown | {"raw": base64url(message.raw)}
    if shape == "metadata":
        wanted = {name.lower() for name in headers or ()}
        return shown | {"payload": {"mimeType": message.root.kind, "headers": _headers(message.root, wanted)}}
    return shown | {"payload": _part(message, message.root)} if shape == "full" else shown


def _headers(part: Part, wanted: set[str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in part.headers if not wanted or name.lower() in wanted]


def _part(message: Message, part: Part) -> dict[str, Any]:
    shown = {
        "partId": part.id,
        "mimeType": part.kind,
        "filename": part.filename,
        "headers": _headers(part, set()),
        "body": _body(message, part),
    }
    return shown | ({"parts": [_part(message, child) for child in part.parts]} if part.parts else {})


def _body(message: Message, part: Part) -> dict[str, Any]:
    if part.held_apart:
        return {"attachmentId": _attachment_id(message, part), "size": len(part.content)}
    return {"size": len(part.content), **({"data": base64url(part.content)} if part.content else {})}


def _attachment_id(message: Message, part: Part) -> str:
    """Another one each time that the message is read; all of them work."""
    return _TOKEN + base64url(f"{message.id}/{part.id}/{next(_serial)}".encode())


def attachment(message: Message, attachment_id: str) -> dict[str, Any]:
    try:
        message_id, number, _ = urlsafe_b64decode(attachment_id.removeprefix(_TOKEN)).decode().split("/")
    except ValueError:
        message_id, number = "", ""
    found = [part for part in message.root.walk() if part.id == number and part.held_apart and message_id == message.id]
    if not found:
        raise ApiError(400, "invalidArgument", "Invalid attachment token")
    return {"size": len(found[0].content), "data": base64url(found[0].content)}


def base64url(data: bytes) -> str:
    return urlsafe_b64encode(data).decode()
