"""What every handler begins with."""

from typing import Any

from doubles.graph.calls import Call
from doubles.graph.mail.folders import Folder
from doubles.graph.mail.mailbox import Mailbox
from doubles.graph.mail.message import Message
from doubles.graph.mail.rendering import coarse, resource
from doubles.graph.mail.searching import question
from doubles.graph.odata import asked

FOLDER, MESSAGE = "/me/mailFolders/{folder}", "/messages/{message}"


def mailbox(call: Call) -> Mailbox:
    return call.world.mail(call.user.email)


def folder(call: Call) -> Folder:
    return mailbox(call).folders.get(call.path["folder"])


def message(call: Call) -> Message:
    return mailbox(call).get(call.path["message"])


def told(call: Call, one: Message) -> dict[str, Any]:
    call = question(call)
    context = {"@odata.context": f"{call.world.url}/v1.0/$metadata#users('{call.user.id}')/messages/$entity"}
    return context | coarse(asked(call).shown(resource(call, one)))
