"""gmail.users.getProfile, labels.*, history.* and settings.sendAs.*"""

from typing import Any

from doubles.google.calls import ApiError, Call, Handler
from doubles.google.gmail.labels import Label
from doubles.google.gmail.mailbox import Mailbox
from doubles.google.gmail.paging import page
from doubles.google.gmail.reaching import mailbox

_SETTINGS = ("messageListVisibility", "labelListVisibility", "color")


def _profile(call: Call) -> dict[str, Any]:
    box = mailbox(call)
    return {
        "emailAddress": box.email,
        "messagesTotal": len(box.messages),
        "threadsTotal": len({message.thread_id for message in box.everything}),
        "historyId": str(box.history.last),
    }


# Labels


def _label(label: Label) -> dict[str, Any]:
    return {"id": label.id, "name": label.name, "type": "system" if label.system else "user", **label.settings}


def _labels(call: Call) -> dict[str, Any]:
    return {"labels": [_label(label) for label in mailbox(call).labels.by_id.values()]}


def _get_label(call: Call) -> dict[str, Any]:
    box = mailbox(call)
    label = box.labels.get(call.params["id"])
    messages = box.labelled(label.id)
    unread = [message for message in messages if "UNREAD" in message.labels]
    return _label(label) | {
        "messagesTotal": len(messages),
        "messagesUnread": len(unread),
        "threadsTotal": len({message.thread_id for message in messages}),
        "threadsUnread": len({message.thread_id for message in unread}),
    }


def _create_label(call: Call) -> dict[str, Any]:
    body = call.body or {}
    return _label(mailbox(call).labels.create(body.get("name", ""), _settings(body)))


def _change_label(call: Call) -> dict[str, Any]:
    labels, body = mailbox(call).labels, call.body or {}
    label = labels.own(call.params["id"])
    if call.method.endswith(".update") or "name" in body:
        labels.rename(label, body.get("name", ""))
    label.settings = (label.settings if call.method.endswith(".patch") else {}) | _settings(body)
    return _label(label)


def _delete_label(call: Call) -> None:
    box = mailbox(call)
    label = box.labels.own(call.params["id"])
    for message in box.labelled(label.id):
        box.relabel(message, set(), {label.id})
    del box.labels.by_id[label.id]


def _settings(body: dict[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in _SETTINGS if name in body}


# History


def _history(call: Call) -> dict[str, Any]:
    box = mailbox(call)
    start = call.params.get("startHistoryId")
    if start is None:
        raise ApiError(400, "invalidArgument", "Missing startHistoryId")
    kinds, label_id = call.params.get("historyTypes"), call.params.get("labelId", "")
    records = [
        record for record in box.history.since(int(start)) if record.concerns(label_id) and record.kind in (kinds or (record.kind,))
    ]
    shown, following = page(call, records, lambda record: (record.id,))
    found = {"history": [record.resource for record in shown]} if shown else {}
    return found | following | {"historyId": str(box.history.last)}


# Addresses to send from


def _addresses(box: Mailbox) -> list[dict[str, Any]]:
    primary = {
        "sendAsEmail": box.email,
        "displayName": box.name,
        "replyToAddress": "",
        "signature": "",
        "isPrimary": True,
        "isDefault": True,
    }
    aliases = [
        {
            "sendAsEmail": email,
            "displayName": name,
            "replyToAddress": "",
            "signature": "",
            "treatAsAlias": True,
            "verificationStatus": "accepted",
        }
        for email, name in box.aliases.items()
    ]
    return [primary, *aliases]


def _send_as(call: Call) -> dict[str, Any]:
    return {"sendAs": _addresses(mailbox(call))}


def _get_send_as(call: Call) -> dict[str, Any]:
    wanted = call.params["sendAsEmail"].lower()
    for address in _addresses(mailbox(call)):
        if address["sendAsEmail"] == wanted:
            return address
    raise ApiError(404, "notFound", "Requested entity was not found.")


HANDLERS: dict[str, Handler] = {
    "gmail.users.getProfile": _profile,
    "gmail.users.labels.list": _labels,
    "gmail.users.labels.get": _get_label,
    "gmail.users.labels.create": _create_label,
    "gmail.users.labels.patch": _change_label,
    "gmail.users.labels.update": _change_label,
    "gmail.users.labels.delete": _delete_label,
    "gmail.users.history.list": _history,
    "gmail.users.settings.sendAs.list": _send_as,
    "gmail.users.settings.sendAs.get": _get_send_as,
}
