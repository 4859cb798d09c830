"""/me/mailFolders."""

from typing import Any

from doubles.graph.calls import Call, Handler
from doubles.graph.mail.deltas import folder_changes
from doubles.graph.mail.folders import ROOT, Folder
from doubles.graph.mail.reaching import FOLDER, folder, mailbox
from doubles.graph.mail.rendering import folder_resource
from doubles.graph.odata import asked
from doubles.graph.paging import listed


def _list(call: Call) -> dict[str, Any]:
    return _below(call, mailbox(call).folders.known(ROOT))


def _children(call: Call) -> dict[str, Any]:
    return _below(call, folder(call))


def _below(call: Call, parent: Folder) -> dict[str, Any]:
    box = mailbox(call)
    hidden = call.query.get("includeHiddenFolders", "").lower() == "true"
    found = sorted(box.folders.children(parent.id, hidden=hidden), key=lambda one: one.name.casefold())
    return listed(call, [folder_resource(box, one) for one in found], context=f"users('{call.user.id}')/mailFolders")


def _get(call: Call) -> dict[str, Any]:
    return asked(call).shown(folder_resource(mailbox(call), folder(call)))


HANDLERS: dict[str, Handler] = {
    "GET /me/mailFolders": _list,
    "GET /me/mailFolders/delta": folder_changes,
    f"GET {FOLDER}": _get,
    f"GET {FOLDER}/childFolders": _children,
}
MODELS: dict[str, str] = {}
ANSWERS = dict.fromkeys(HANDLERS, "msgraph.generated.models.mail_folder.MailFolder")
