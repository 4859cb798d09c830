"""Mails, attachments and folders as Graph shows them."""

import base64
from datetime import UTC, datetime
from typing import Any

from doubles.graph.calls import Call
from doubles.graph.mail import properties
from doubles.graph.mail.content import Content, File, Person, as_html
from doubles.graph.mail.folders import Folder
from doubles.graph.mail.mailbox import Mailbox
from doubles.graph.mail.message import Message

PREVIEW = 255
Item = dict[str, Any]


def wants_immutable(call: Call) -> bool:
    return call.prefers.get("idtype", "").lower() == "immutableid"


def resource(call: Call, message: Message) -> Item:
    """All that may be asked for, `receivedDateTime` as fine as it is compared; what is costly only where the question names it."""
    shown = _whole(message) | {"id": message.id if wants_immutable(call) else message.entry}
    asked = f"{call.query.get('$select', '')},{call.query.get('$expand', '')},{call.query.get('$filter', '')}"
    if "body" in asked or "$select" not in call.query:
        shown["body"] = body(message.content, call.prefers.get("outlook.body-content-type", ""))
    if "internetMessageHeaders" in asked and message.came_in:
        shown["internetMessageHeaders"] = [{"name": name, "value": value} for name, value in message.content.headers]
    if "singleValueExtendedProperties" in asked:
        shown["singleValueExtendedProperties"] = properties.of(message)
    if "attachments" in asked:
        shown["attachments"] = [attachment(message, file) for file in message.content.files]
    return shown


def coarse(item: Item) -> Item:
    """With times as they are shown."""
    if "receivedDateTime" in item:
        item["receivedDateTime"] = f"{item['receivedDateTime'][:19]}Z"
    return item


def _whole(message: Message) -> Item:
    """Made once for each version."""
    if message.shown.get("changeKey") != message.change_key:
        message.shown = _rendered(message, message.content)
    return message.shown


def _rendered(message: Message, content: Content) -> Item:
    meeting = {"@odata.type": "#microsoft.graph.eventMessage", "meetingMessageType": content.meeting} if content.meeting else {}
    sender = {"sender": _recipient(content.sender), "from": _recipient(content.sender)} if content.sender else {}
    return {
        **meeting,
        "@odata.etag": message.etag,
        "createdDateTime": _time(message.created),
        "lastModifiedDateTime": _time(message.changed),
        "changeKey": message.change_key,
        "categories": list(message.categories),
        "receivedDateTime": _fine(message.received),
        "sentDateTime": _time(message.sent),
        "hasAttachments": any(not file.inline for file in content.files),
        "internetMessageId": content.message_id,
        "subject": content.subject,
        "bodyPreview": content.text[:PREVIEW],
        "importance": message.importance,
        "parentFolderId": message.folder,
        "conversationId": message.conversation,
        "conversationIndex": base64.b64encode(message.index).decode(),
        "isDeliveryReceiptRequested": None,
        "isReadReceiptRequested": False,
        "isRead": message.seen,
        "isDraft": message.draft,
        "webLink": "https://outlook.office365.com/owa/?exvsurl=1&viewmodel=ReadMessageItem",
        "inferenceClassification": "focused",
        **sender,
        "toRecipients": list(map(_recipient, content.to)),
        "ccRecipients": list(map(_recipient, content.cc)),
        "bccRecipients": list(map(_recipient, content.bcc)),
        "replyTo": list(map(_recipient, content.reply_to)),
        "flag": {"flagStatus": message.flag},
    }


def body(content: Content, wanted: str) -> Item:
    """As it is kept unless text or html is wanted."""
    kind = wanted.lower() or content.kind
    if kind == content.kind:
        return {"contentType": kind, "content": content.body}
    return {"contentType": kind, "content": content.text if kind == "text" else as_html(content.body)}


def attachment(message: Message, file: File) -> Item:
    about = {
        "@odata.type": f"#microsoft.graph.{'item' if file.item else 'file'}Attachment",
        "@odata.mediaContentType": file.kind,
        "id": attachment_id(message, file),
        "lastModifiedDateTime": _time(message.created),
        "name": file.name,
        "contentType": None if file.item else file.kind,
        "size": len(file.data),
        "isInline": file.inline,
    }
    if file.item:
        return about
    content = {"contentId": file.content_id or None, "contentLocation": None}
    return about | content | {"contentBytes": base64.b64encode(file.data).decode()}


def attachment_id(message: Message, file: File) -> str:
    return f"{message.id.rstrip('=')}BEgAQA{file.number:04}="


def folder_resource(box: Mailbox, folder: Folder) -> Item:
    held = box.within(folder)
    return {
        "id": folder.id,
        "displayName": folder.name,
        "parentFolderId": folder.parent or folder.id,
        "childFolderCount": len(box.folders.children(folder.id)),
        "unreadItemCount": sum(not message.seen for message in held),
        "totalItemCount": len(held),
        "isHidden": folder.hidden,
    }


def _recipient(person: Person | None) -> Item:
    return {"emailAddress": {"name": person.name, "address": person.address}} if person else {}


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _fine(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
