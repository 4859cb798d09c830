"""Listing, reading and changing mails: /me/messages and what lies below it."""

import base64
from typing import Any

from doubles.graph.calls import Call, GraphError, Handler
from doubles.graph.mail.changing import apply, check
from doubles.graph.mail.content import Content, Person
from doubles.graph.mail.deltas import changes
from doubles.graph.mail.folders import Folder
from doubles.graph.mail.mailbox import Mailbox
from doubles.graph.mail.message import Message
from doubles.graph.mail.reaching import FOLDER, MESSAGE, folder, mailbox, message, told
from doubles.graph.mail.searching import page

LARGEST = 4 * 1024 * 1024


def _list(call: Call) -> dict[str, Any]:
    return page(call, mailbox(call), None)


def _list_folder(call: Call) -> dict[str, Any]:
    return page(call, mailbox(call), folder(call))


def _get(call: Call) -> dict[str, Any]:
    return told(call, message(call))


def _mime(call: Call) -> bytes:
    return message(call).raw


def _create(call: Call) -> tuple[int, dict[str, Any]]:
    box = mailbox(call)
    place = folder(call) if "folder" in call.path else box.folders.known("drafts")
    return 201, told(call, box.draft(written(call, box, place)))


def written(call: Call, box: Mailbox, place: Folder) -> Message:
    """From MIME in base64 that says to be plain text, or from JSON."""
    if call.headers.get("content-type", "").startswith("text/plain"):
        return box.read(mime(call.raw), place)
    return from_json(call, box, place, call.body or {})


def mime(encoded: bytes) -> bytes:
    if len(encoded) > LARGEST:
        raise GraphError(413, "RequestEntityTooLarge", "The request body is larger than 4 MB.", complaint=True)
    try:
        return base64.b64decode(encoded, validate=True)
    except ValueError:
        raise GraphError(400, "ErrorMimeContentInvalidBase64String", "Invalid base64 string for MIME content.") from None


def from_json(call: Call, box: Mailbox, place: Folder, fields: dict[str, Any]) -> Message:
    check(fields, draft=True, new=True)
    now = call.world.now()
    made = box.written(Content(sender=Person(box.name, box.email), date=now), place)
    apply(made, fields)
    if not made.content.message_id:
        made.rewrite(message_id=f"<{made.number:08}.{made.change_key[-8:-1].strip('=+/')}@emulated.prod.outlook.example>")
    return made


def _change(call: Call) -> dict[str, Any]:
    one, fields = message(call), call.body or {}
    call.check_match(one.etag)
    check(fields, draft=one.draft)
    apply(one, fields)
    mailbox(call).touch(one)
    return told(call, one)


def _delete(call: Call) -> None:
    one = message(call)
    call.check_match(one.etag)
    mailbox(call).delete(one)


def _move(call: Call) -> tuple[int, dict[str, Any]]:
    box, one = mailbox(call), message(call)
    box.move(one, _destination(call, box))
    return 201, told(call, one)


def _copy(call: Call) -> tuple[int, dict[str, Any]]:
    box = mailbox(call)
    return 201, told(call, box.copy(message(call), _destination(call, box)))


def _destination(call: Call, box: Mailbox) -> Folder:
    wanted = (call.body or {}).get("DestinationId") or (call.body or {}).get("destinationId") or ""
    if not wanted:
        raise GraphError(400, "ErrorInvalidRequest", "DestinationId is missing.")
    return box.folders.get(wanted)


_FOR_ONE: dict[str, Handler] = {"GET": _get, "PATCH": _change, "DELETE": _delete}
HANDLERS: dict[str, Handler] = {
    "GET /me/messages": _list,
    f"GET {FOLDER}/messages": _list_folder,
    f"GET {FOLDER}/messages/delta": changes,
    "POST /me/messages": _create,
    f"POST {FOLDER}/messages": _create,
    **{f"{verb} /me{MESSAGE}": handler for verb, handler in _FOR_ONE.items()},
    **{f"{verb} {FOLDER}{MESSAGE}": handler for verb, handler in _FOR_ONE.items()},
    f"GET /me{MESSAGE}/$value": _mime,
    f"POST /me{MESSAGE}/move": _move,
    f"POST /me{MESSAGE}/copy": _copy,
}
_MESSAGE = "msgraph.generated.models.message.Message"
_ACTIONS = "msgraph.generated.users.item.messages.item"
MODELS = {
    **{f"POST {place}/messages": _MESSAGE for place in ("/me", FOLDER)},
    **{f"PATCH {place}{MESSAGE}": _MESSAGE for place in ("/me", FOLDER)},
    f"POST /me{MESSAGE}/move": f"{_ACTIONS}.move.move_post_request_body.MovePostRequestBody",
    f"POST /me{MESSAGE}/copy": f"{_ACTIONS}.copy.copy_post_request_body.CopyPostRequestBody",
}
ANSWERS = {operation: _MESSAGE for operation in HANDLERS if not operation.startswith("DELETE") and "$value" not in operation}
