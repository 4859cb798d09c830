"""gmail.users.drafts.*"""

from typing import Any

from doubles.google.calls import ApiError, Call, Handler
from doubles.google.gmail.mailbox import Mailbox
from doubles.google.gmail.message import Message
from doubles.google.gmail.paging import estimate, page
from doubles.google.gmail.reaching import mailbox, uploaded
from doubles.google.gmail.rendering import brief, labelled, resource
from doubles.google.gmail.search import search
from doubles.google.gmail.sending import send


def _held(box: Mailbox, draft_id: str) -> Message:
    if draft_id not in box.drafts:
        raise ApiError(404, "notFound", "Requested entity was not found.")
    return box.messages[box.drafts[draft_id]]


def _write(call: Call) -> Message:
    body = (call.body or {}).get("message", {})
    box = mailbox(call)
    return box.add(uploaded(call, body), {"DRAFT"}, call.world.now(), body.get("threadId", ""))


def _create(call: Call) -> dict[str, Any]:
    message = _write(call)
    return {"id": mailbox(call).draft(message), "message": labelled(message)}


def _update(call: Call) -> dict[str, Any]:
    """The draft keeps its id, its message becomes another one."""
    box, draft_id = mailbox(call), call.params["id"]
    before = _held(box, draft_id)
    after = _write(call)
    box.delete(before)
    box.drafts[draft_id] = after.id
    return {"id": draft_id, "message": labelled(after)}


def _get(call: Call) -> dict[str, Any]:
    message = _held(mailbox(call), call.params["id"])
    return {"id": call.params["id"], "message": resource(message, call.params.get("format", "full"))}


def _list(call: Call) -> dict[str, Any]:
    box = mailbox(call)
    names = {message_id: draft_id for draft_id, message_id in box.drafts.items()}
    found = [message for message in search(box, call.params) if message.id in names]
    shown, following = page(call, found, lambda message: message.order)
    drafts = [{"id": names[message.id], "message": brief(message)} for message in shown]
    return ({"drafts": drafts} if drafts else {}) | following | estimate(found, following)


def _delete(call: Call) -> None:
    box = mailbox(call)
    box.delete(_held(box, call.params["id"]))


def _send(call: Call) -> dict[str, Any]:
    """The draft is gone afterwards, and what was sent is another message."""
    box = mailbox(call)
    draft = _held(box, (call.body or {}).get("id", ""))
    changed = (call.body or {}).get("message", {})
    sent = send(box, uploaded(call, changed) if changed.get("raw") or call.media else draft.raw, draft.thread_id)
    box.delete(draft)
    return labelled(sent)


HANDLERS: dict[str, Handler] = {
    "gmail.users.drafts.create": _create,
    "gmail.users.drafts.update": _update,
    "gmail.users.drafts.get": _get,
    "gmail.users.drafts.list": _list,
    "gmail.users.drafts.delete": _delete,
    "gmail.users.drafts.send": _send,
}
