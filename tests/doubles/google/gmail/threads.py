"""gmail.users.threads.*"""

from collections.abc import Callable
from typing import Any

from doubles.google.calls import Call, Handler
from doubles.google.gmail.mailbox import Mailbox
from doubles.google.gmail.message import Message
from doubles.google.gmail.messages import changes, relabel
from doubles.google.gmail.paging import estimate, page
from doubles.google.gmail.reaching import mailbox
from doubles.google.gmail.rendering import resource
from doubles.google.gmail.search import search


def _history_id(messages: list[Message]) -> str:
    return str(max(message.history_id for message in messages))


def _list(call: Call) -> dict[str, Any]:
    """A thread stands where its newest message that matches does."""
    box = mailbox(call)
    newest: dict[str, Message] = {}
    for message in search(box, call.params):
        newest.setdefault(message.thread_id, message)
    shown, following = page(call, list(newest.values()), lambda message: message.order)
    threads = [
        {"id": message.thread_id, "snippet": message.snippet, "historyId": _history_id(box.thread(message.thread_id))}
        for message in shown
    ]
    return ({"threads": threads} if threads else {}) | following | estimate(list(newest), following)


def _get(call: Call) -> dict[str, Any]:
    messages = mailbox(call).thread(call.params["id"])
    shape, headers = call.params.get("format", "full"), call.params.get("metadataHeaders")
    shown = [resource(message, shape, headers) for message in messages]
    return {"id": call.params["id"], "historyId": _history_id(messages), "messages": shown}


def _each(change: Callable[[Mailbox, Message, Call], None]) -> Handler:
    def handler(call: Call) -> dict[str, Any]:
        box = mailbox(call)
        messages = box.thread(call.params["id"])
        for message in messages:
            change(box, message, call)
        return {"id": call.params["id"], "historyId": _history_id(messages)}

    return handler


def _modify(box: Mailbox, message: Message, call: Call) -> None:
    relabel(box, message, *changes(box, call.body))


def _delete(call: Call) -> None:
    box = mailbox(call)
    for message in box.thread(call.params["id"]):
        box.delete(message)


HANDLERS: dict[str, Handler] = {
    "gmail.users.threads.list": _list,
    "gmail.users.threads.get": _get,
    "gmail.users.threads.modify": _each(_modify),
    "gmail.users.threads.trash": _each(lambda box, message, call: box.relabel(message, {"TRASH"}, set())),
    "gmail.users.threads.untrash": _each(lambda box, message, call: box.relabel(message, set(), {"TRASH"})),
    "gmail.users.threads.delete": _delete,
}
