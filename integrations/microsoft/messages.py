"""Outlook's messages as mails."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from integrations.common.addresses import MOST_ADDRESSES, named, normal_email
from integrations.common.invisible import visible
from integrations.common.mail_paging import moment_of
from integrations.common.mime import SIGNATURES, Parsed, id_in, ids_in, is_bulk, note_headers, readable, safe_name, snippet_of
from integrations.common.mime_parsing import MOST_FIELDS, MOST_PARTS
from integrations.common.oddities import Finds
from integrations.common.remote import Unreadable
from integrations.errors import InvalidResponse
from integrations.microsoft.folders import Folders
from integrations.types import Address, Attachment, Mail, Skipped

Resource = Mapping[str, Any]
"""An object as Graph gives it."""

STATE = ("id", "parentFolderId", "receivedDateTime", "isRead", "isDraft", "flag", "categories", "changeKey")
PEOPLE = (*STATE, "from", "sender", "replyTo", "toRecipients", "ccRecipients", "bccRecipients")
HEAD = (*PEOPLE, "conversationId", "internetMessageId", "subject", "bodyPreview", "internetMessageHeaders")
WHOLE = (*HEAD, "body")
"""`$select` of a message: its state; who wrote to whom; all but its text; all."""
IN_REPLY_TO, REFERENCES, LAST_VERB = "String 0x1042", "String 0x1039", "Integer 0x1081"
"""MAPI's properties, of which drafts and sent mails have the first two as well, for which Graph shows no headers."""
ANSWERED = {"102", "103"}
"""What was done last to a mail: an answer to its sender, or to all."""
_PROPERTIES = " or ".join(f"id eq '{one}'" for one in (IN_REPLY_TO, REFERENCES, LAST_VERB))
EXPAND = (
    "attachments($select=id,name,contentType,size,isInline)",
    f"singleValueExtendedProperties($filter={_PROPERTIES})",
)
"""`$expand` of a head, or a whole mail."""
FLAGGED = "flagged"
_FARTHEST = timezone(timedelta(hours=23)), timezone(timedelta(hours=-23))
"""A moment that has a date in these has one in every zone."""
_LONGEST_SUBJECT = 5000
_LINES = {"reply_to": "replyTo", "to": "toRecipients", "cc": "ccRecipients", "bcc": "bccRecipients"}
_ITEM = "#microsoft.graph.itemAttachment"


@dataclass(frozen=True)
class State:
    """What of a mail can change. `folder` is an id, `flag` one of notFlagged, flagged and complete; `change` is new with every
    version of a draft, and empty for other mails: Outlook keeps books on those, which would make them look changed."""

    id: str
    folder: str
    milliseconds: int
    seen: bool
    flag: str
    categories: tuple[str, ...]
    draft: bool
    change: str

    @property
    def moment(self) -> datetime:
        return moment_of(self.milliseconds)

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands among all, oldest first."""
        return self.milliseconds, self.id

    @property
    def flagged(self) -> bool:
        return self.flag == FLAGGED

    @property
    def etag(self) -> str:
        told = [self.folder, self.seen, self.flag, sorted(self.categories), self.change]
        return "state:" + json.dumps(told, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Message:
    """Where only the head was read, there is no text in `parsed`."""

    state: State
    thread: str
    snippet: str
    answered: bool
    parsed: Parsed

    @property
    def id(self) -> str:
        return self.state.id

    @property
    def moment(self) -> datetime:
        return self.state.moment

    @property
    def place(self) -> tuple[int, str]:
        return self.state.place

    def mail(self, account: str, folders: Folders, zone: ZoneInfo, *, answered: bool = False, body: bool = False) -> Mail:
        head, state = self.parsed, self.state
        return Mail(
            account=account,
            id=state.id,
            etag=state.etag,
            folder=folders.folder(state.folder),
            message_id=head.message_id,
            thread=self.thread,
            in_reply_to=head.in_reply_to,
            references=head.references,
            sender=head.sender,
            reply_to=head.reply_to,
            to=head.to,
            cc=head.cc,
            bcc=head.bcc,
            subject=head.subject,
            date=state.moment.astimezone(zone),
            snippet=self.snippet,
            body=head.text if body else "",
            attachments=head.attachments,
            unread=not state.seen,
            flagged=state.flagged,
            answered=answered or self.answered,
            bulk=head.bulk,
            oddities=head.oddities,
        )


def read(resource: Resource) -> Message:
    """Of a message with the fields of PEOPLE, HEAD or WHOLE. Unreadable where it can't be read."""
    try:
        parsed = _parsed(resource)
        return Message(
            state=_state(resource),
            thread=str(resource.get("conversationId") or resource["id"]),
            snippet=parsed.snippet or snippet_of(visible(resource.get("bodyPreview") or "")),
            answered=_extended(resource).get(LAST_VERB) in ANSWERED,
            parsed=parsed,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Unreadable(f"the mail is malformed ({type(error).__name__}: {error})", "") from error


def read_state(resource: Resource) -> State:
    """Of a message with the fields of STATE. Unreadable where it can't be read."""
    try:
        return _state(resource)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Unreadable(f"the mail is malformed ({type(error).__name__}: {error})", "") from error


def state_of(etag: str, now: State) -> State:
    """The state that an etag tells of, as far as it does; `now` where it tells nothing."""
    try:
        folder, seen, flag, categories, change = json.loads(etag.removeprefix("state:"))
        return replace(now, folder=folder, seen=seen, flag=flag, categories=tuple(categories), change=change)
    except (ValueError, TypeError):
        return now


def readable_of(resources: Iterable[Resource]) -> tuple[list[Message], list[Skipped]]:
    """What can't be read is named."""
    messages, skipped = [], []
    for resource in resources:
        try:
            messages.append(read(resource))
        except InvalidResponse as error:
            skipped.append(Skipped(where=f"message {resource.get('id', '')}", reason=str(error)))
    return messages, skipped


def _state(resource: Resource) -> State:
    moment = datetime.fromisoformat(resource["receivedDateTime"])
    for zone in _FARTHEST:
        moment.astimezone(zone)
    draft = bool(resource.get("isDraft"))
    return State(
        id=str(resource["id"]),
        folder=str(resource["parentFolderId"]),
        milliseconds=round(moment.astimezone(UTC).timestamp() * 1000),
        seen=bool(resource.get("isRead")),
        flag=str((resource.get("flag") or {}).get("flagStatus") or "notFlagged"),
        categories=tuple(map(str, resource.get("categories") or ())),
        draft=draft,
        change=str(resource.get("changeKey") or "") if draft else "",
    )


def _parsed(resource: Resource) -> Parsed:
    told, extended, finds = _headers(resource), _extended(resource), Finds()
    headers = dict(reversed(told))
    body = resource.get("body") or {}
    senders = _people([resource.get("from") or resource.get("sender")], "sender", finds)
    lines = {field: _people(resource.get(name), field, finds) for field, name in _LINES.items()}
    subject = finds.line(resource.get("subject") or "", "subject", _LONGEST_SUBJECT)
    text = readable(body.get("content") or "", finds, html=body.get("contentType") == "html")
    attachments = tuple(_attachment(one, finds) for one in (resource.get("attachments") or ())[:MOST_PARTS] if _is_shown(one))
    note_headers(told, finds)
    return Parsed(
        headers=(),
        message_id=id_in(resource.get("internetMessageId") or ""),
        in_reply_to=next(iter(ids_in(extended.get(IN_REPLY_TO) or headers.get("in-reply-to", ""))), ""),
        references=ids_in(extended.get(REFERENCES) or headers.get("references", "")),
        sender=senders[0] if senders else None,
        **lines,
        subject=subject,
        date=datetime.fromisoformat(resource["receivedDateTime"]),
        text=text,
        attachments=attachments,
        bulk=is_bulk(headers),
        oddities=finds.found,
    )


def _headers(resource: Resource) -> list[tuple[str, str]]:
    """In their order, names in small letters."""
    given = (resource.get("internetMessageHeaders") or ())[:MOST_FIELDS]
    return [(str(one["name"]).lower(), str(one.get("value") or "")) for one in given]


def _extended(resource: Resource) -> dict[str, str]:
    """MAPI's properties; which letters are large in their names, Graph sees as it likes."""
    names = {one.lower(): one for one in (IN_REPLY_TO, REFERENCES, LAST_VERB)}
    given = resource.get("singleValueExtendedProperties") or ()
    return {names.get(str(one["id"]).lower(), str(one["id"])): str(one.get("value") or "") for one in given}


def _people(entries: Sequence[Resource | None] | None, where: str, finds: Finds) -> tuple[Address, ...]:
    """Those with a valid address; somebody of the same organisation may have one of Exchange's own instead."""
    given = [(entry or {}).get("emailAddress") or {} for entry in entries or ()]
    finds.add("too_many", where, len(given) - MOST_ADDRESSES)
    found = (
        (normal_email(str(one.get("address") or "").strip()), finds.line(str(one.get("name") or ""), where))
        for one in given[:MOST_ADDRESSES]
    )
    return tuple(named(name, email) for email, name in found if email)


def _is_shown(attachment: Resource) -> bool:
    """Not the pictures that the text shows."""
    kind = _kind(attachment)
    return kind not in SIGNATURES and not (attachment.get("isInline") and kind.startswith("image/"))


def _kind(attachment: Resource) -> str:
    kind = "message/rfc822" if attachment.get("@odata.type") == _ITEM else "application/octet-stream"
    return str(attachment.get("contentType") or kind).partition(";")[0].strip().lower()


def _attachment(attachment: Resource, finds: Finds) -> Attachment:
    kind = _kind(attachment)
    name = safe_name(finds.line(str(attachment.get("name") or "attachment"), "attachment"))
    ending = ".eml" if kind == "message/rfc822" and not name.lower().endswith(".eml") else ""
    return Attachment(
        part=str(attachment["id"]), filename=name + ending, content_type=kind, size=max(0, int(attachment.get("size") or 0))
    )
