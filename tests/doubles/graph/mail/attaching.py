"""Attachments: looked at, fetched, added in one piece, or above 3 MB in an upload session."""

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from secrets import token_urlsafe
from typing import Any

from doubles.emulating.wire import Answer, told
from doubles.graph.calls import Call, GraphError, Handler, not_found
from doubles.graph.mail.changing import file
from doubles.graph.mail.content import File
from doubles.graph.mail.mailbox import Mailbox
from doubles.graph.mail.message import Message
from doubles.graph.mail.reaching import MESSAGE, mailbox, message
from doubles.graph.mail.rendering import attachment, attachment_id
from doubles.graph.odata import asked
from doubles.graph.paging import listed

LARGEST = 3 * 1024 * 1024
LARGEST_UPLOADED = 150 * 1024 * 1024
STEP, LARGEST_PIECE = 320 * 1024, 4 * 1024 * 1024
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


@dataclass
class Upload:
    """A session: what is to come, and what has."""

    message: Message
    file: File
    size: int
    received: bytes = b""


def _list(call: Call) -> dict[str, Any]:
    one = message(call)
    items = [attachment(one, held) for held in one.content.files]
    return listed(call, items, default_top=1000, context=f"users('{call.user.id}')/messages('{one.id}')/attachments")


def _get(call: Call) -> dict[str, Any]:
    return asked(call).shown(attachment(message(call), _file(call)))


def _value(call: Call) -> Answer:
    held = _file(call)
    return Answer(200, held.data, {"content-type": held.kind})


def _file(call: Call) -> File:
    one = message(call)
    for held in one.content.files:
        if attachment_id(one, held) == call.path["attachment"]:
            return held
    if not re.fullmatch(r"[\w=-]{16,}", call.path["attachment"]):
        raise GraphError(400, "ErrorInvalidIdMalformed", "Id is malformed.")
    raise not_found()


def _add(call: Call) -> tuple[int, dict[str, Any]]:
    one = message(call)
    added = file(call.body or {}, one.content.next_number)
    if len(added.data) > LARGEST:
        raise GraphError(413, "ErrorAttachmentSizeLimitExceeded", "Above 3 MB an upload session is needed.", complaint=True)
    _attach(mailbox(call), one, added)
    return 201, attachment(one, added)


def _attach(box: Mailbox, one: Message, added: File) -> None:
    one.rewrite(files=(*one.content.files, added))
    box.touch(one)


def _remove(call: Call) -> None:
    one, gone = message(call), _file(call)
    one.rewrite(files=tuple(held for held in one.content.files if held is not gone))
    mailbox(call).touch(one)


def _session(call: Call) -> tuple[int, dict[str, Any]]:
    item, one = (call.body or {}).get("AttachmentItem") or {}, message(call)
    size = item.get("size") or 0
    if item.get("attachmentType") != "file" or not item.get("name"):
        raise GraphError(400, "ErrorInvalidRequest", "AttachmentItem wants attachmentType, name and size.")
    if not LARGEST <= size <= LARGEST_UPLOADED:
        raise GraphError(400, "ErrorAttachmentSizeShouldNotBeLessThanMinimumSize", "An upload session is for 3 to 150 MB.")
    kind = item.get("contentType") or "application/octet-stream"
    added = File(0, item["name"], kind, b"", bool(item.get("isInline")), item.get("contentId") or "")
    token = token_urlsafe(24)
    mailbox(call).uploads[token] = Upload(one, added, size)
    until = {"expirationDateTime": _later(call), "nextExpectedRanges": ["0-"]}
    return 201, {"uploadUrl": f"{call.world.url}/v1.0/uploads/{token}", **until}


def _later(call: Call) -> str:
    return f"{call.world.now() + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"


def _piece(call: Call) -> Answer:
    box, upload = _upload(call)
    start, end, size = _place(call)
    if start != len(upload.received) or size != upload.size or end - start + 1 != len(call.raw) or end >= size:
        raise GraphError(
            416, "InvalidRange", f"{call.headers.get('content-range')} where {len(upload.received)}- is expected.", complaint=True
        )
    if len(call.raw) > LARGEST_PIECE or (end + 1 < size and len(call.raw) % STEP):
        raise GraphError(400, "InvalidContentLength", "A piece has at most 4 MB, and any but the last a multiple of 320 KiB.")
    upload.received += call.raw
    if len(upload.received) < size:
        return told({"expirationDateTime": _later(call), "nextExpectedRanges": [f"{len(upload.received)}-"]})
    one = upload.message
    added = replace(upload.file, number=one.content.next_number, data=upload.received)
    _attach(box, one, added)
    del box.uploads[call.path["session"]]
    return Answer(201, b"", {"location": f"{call.world.url}/v1.0/me/messages/{one.id}/attachments/{attachment_id(one, added)}"})


def _upload(call: Call) -> tuple[Mailbox, Upload]:
    """Whoever has the address may send: it says whose mailbox it is."""
    for email in call.world.users:
        box = call.world.mail(email)
        if upload := box.uploads.get(call.path["session"]):
            return box, upload
    raise GraphError(404, "ErrorItemNotFound", "There is no such upload session.")


def _place(call: Call) -> tuple[int, int, int]:
    found = _RANGE.fullmatch(call.headers.get("content-range", ""))
    if found is None:
        raise GraphError(400, "InvalidRange", "Content-Range is missing.")
    return int(found[1]), int(found[2]), int(found[3])


_ALL = f"/me{MESSAGE}/attachments"
_ONE = f"{_ALL}/{{attachment}}"
HANDLERS: dict[str, Handler] = {
    f"GET {_ALL}": _list,
    f"GET {_ONE}": _get,
    f"GET {_ONE}/$value": _value,
    f"POST {_ALL}": _add,
    f"DELETE {_ONE}": _remove,
    f"POST {_ALL}/createUploadSession": _session,
    "PUT /uploads/{session}": _piece,
}
_ATTACHMENT = "msgraph.generated.models.attachment.Attachment"
_UPLOADING = "msgraph.generated.users.item.messages.item.attachments.create_upload_session.create_upload_session_post_request_body"
MODELS = {f"POST {_ALL}": _ATTACHMENT, f"POST {_ALL}/createUploadSession": f"{_UPLOADING}.CreateUploadSessionPostRequestBody"}
ANSWERS = {
    **dict.fromkeys((f"GET {_ALL}", f"GET {_ONE}", f"POST {_ALL}"), _ATTACHMENT),
    f"POST {_ALL}/createUploadSession": "msgraph.generated.models.upload_session.UploadSession",
}
