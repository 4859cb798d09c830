"""What changed in a folder, and which folders did."""

from typing import Any

from doubles.graph.calls import Call
from doubles.graph.deltas import delta_page
from doubles.graph.mail.reaching import folder, mailbox
from doubles.graph.mail.rendering import coarse, folder_resource, resource, wants_immutable


def changes(call: Call) -> dict[str, Any]:
    box, place = mailbox(call), folder(call)
    context = f"users('{call.user.id}')/mailFolders('{place.id}')/messages/$delta"
    body = delta_page(call, box.journal(place), lambda one: resource(call, box.messages[one]), context=context)
    return body | {"value": [_named(call, coarse(item)) for item in body["value"]]}


def folder_changes(call: Call) -> dict[str, Any]:
    box = mailbox(call)
    context = f"users('{call.user.id}')/mailFolders/$delta"
    return delta_page(call, box.folder_journal, lambda one: folder_resource(box, box.folders.by_id[one]), context=context)


def _named(call: Call, item: dict[str, Any]) -> dict[str, Any]:
    """A mail that has left the folder, by the kind of id that was asked for."""
    if "@removed" not in item or wants_immutable(call):
        return item
    return item | {"id": mailbox(call).entry_in(folder(call), item["id"])}
