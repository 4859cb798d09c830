"""gmail.users.messages.*"""

from typing import Any

from doubles.emulating.mail.headers import Headers
from doubles.google.calls import ApiError, Call, Handler
from doubles.google.gmail.labels import MUTABLE
from doubles.google.gmail.mailbox import Mailbox, date_of
from doubles.google.gmail.message import Message
from doubles.google.gmail.paging import estimate, page
from doubles.google.gmail.reaching import mailbox, uploaded
from doubles.google.gmail.rendering import attachment, brief, labelled, resource
from doubles.google.gmail.search import search
from doubles.google.gmail.sending import send

_MOST_LABELS, _MOST_IDS = 100, 1000


def _list(call: Call) -> dict[str, Any]:
    found = search(mailbox(call), call.params)
    shown, following = page(call, found, lambda message: message.order)
    return ({"messages": [brief(message) for message in shown]} if shown else {}) | following | estimate(found, following)


def _get(call: Call) -> dict[str, Any]:
    message = mailbox(call).get(call.params["id"])
    return resource(message, call.params.get("format", "full"), call.params.get("metadataHeaders"))


def _attachment(call: Call) -> dict[str, Any]:
    return attachment(mailbox(call).get(call.params["messageId"]), call.params["id"])


def _send(call: Call) -> dict[str, Any]:
    body = call.body or {}
    return labelled(send(mailbox(call), uploaded(call, body), body.get("threadId", "")))


def _insert(call: Call) -> dict[str, Any]:
    """`import` differs by the date it takes unless told otherwise, which is a default of the parameter."""
    box, body = mailbox(call), call.body or {}
    raw = uploaded(call, body)
    label_ids = body.get("labelIds", [])
    box.labels.refuse_unknown(label_ids)
    own = box.addresses.intersection(Headers(raw).addresses("From"))
    dated = date_of(raw) if call.params.get("internalDateSource") == "dateHeader" else None
    labels = {*label_ids, *(("SENT",) if own else ())}
    return labelled(box.add(raw, labels, dated or call.world.now(), body.get("threadId", "")))


def changes(box: Mailbox, body: dict[str, Any] | None) -> tuple[set[str], set[str]]:
    """The labels to add and to remove."""
    add, remove = (body or {}).get("addLabelIds", []), (body or {}).get("removeLabelIds", [])
    if not add and not remove:
        raise ApiError(400, "invalidArgument", "No label add or removes specified")
    if max(len(add), len(remove)) > _MOST_LABELS:
        raise ApiError(400, "invalidArgument", "Too many labels")
    if set(add) & set(remove):
        raise ApiError(400, "invalidArgument", "Cannot both add and remove the same label")
    box.labels.refuse_unknown([*add, *remove], MUTABLE)
    return set(add), set(remove)


def relabel(box: Mailbox, message: Message, add: set[str], remove: set[str]) -> None:
    if "DRAFT" in message.labels:
        raise ApiError(400, "invalidArgument", "Labels cannot be applied to draft messages")
    box.relabel(message, add, remove)


def _modify(call: Call) -> dict[str, Any]:
    box = mailbox(call)
    message = box.get(call.params["id"])
    relabel(box, message, *changes(box, call.body))
    return labelled(message)


def _listed(box: Mailbox, body: dict[str, Any] | None) -> list[Message]:
    """Those of the listed messages that exist."""
    ids = (body or {}).get("ids", [])
    if not 0 < len(ids) <= _MOST_IDS:
        raise ApiError(400, "invalidArgument", "Between 1 and 1000 message ids are required")
    return [box.messages[message_id] for message_id in ids if message_id in box.messages]


def _batch_modify(call: Call) -> None:
    box = mailbox(call)
    add, remove = changes(box, call.body)
    for message in _listed(box, call.body):
        relabel(box, message, add, remove)


def _batch_delete(call: Call) -> None:
    box = mailbox(call)
    for message in _listed(box, call.body):
        box.delete(message)


def _trash(call: Call) -> dict[str, Any]:
    box = mailbox(call)
    message = box.get(call.params["id"])
    box.relabel(message, {"TRASH"}, set())
    return labelled(message)


def _untrash(call: Call) -> dict[str, Any]:
    """It goes back to all mail, not to the inbox."""
    box = mailbox(call)
    message = box.get(call.params["id"])
    box.relabel(message, set(), {"TRASH"})
    return labelled(message)


def _delete(call: Call) -> None:
    box = mailbox(call)
    box.delete(box.get(call.params["id"]))


HANDLERS: dict[str, Handler] = {
    "gmail.users.messages.list": _list,
    "gmail.users.messages.get": _get,
    "gmail.users.messages.attachments.get": _attachment,
    "gmail.users.messages.send": _send,
    "gmail.users.messages.insert": _insert,
    "gmail.users.messages.import": _insert,
    "gmail.users.messages.modify": _modify,
    "gmail.users.messages.batchModify": _batch_modify,
    "gmail.users.messages.batchDelete": _batch_delete,
    "gmail.users.messages.trash": _trash,
    "gmail.users.messages.untrash": _untrash,
    "gmail.users.messages.delete": _delete,
}
