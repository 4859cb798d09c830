"""A mail as MIME, put into Outlook's Drafts. What is too large for one request goes there without its attachments, which follow."""

import asyncio
import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from integrations.actions import SaveDraft, SendMail
from integrations.common.headers import encode_header, one_line
from integrations.common.invisible import visible
from integrations.common.mail_building import build_message, message_id
from integrations.common.mail_checks import text_of
from integrations.common.mime import part_bytes, read_message
from integrations.errors import IntegrationError, InvalidResponse
from integrations.microsoft.graph import Graph
from integrations.microsoft.keys import keyed
from integrations.microsoft.messages import Message, Resource, read
from integrations.microsoft.own_mails import UNFINISHED, OwnMails
from integrations.microsoft.requests import sending
from integrations.types import Address, Attachment

LARGEST = 3_500_000
"""Bytes of a mail as it is sent, of which Graph takes 4 MB in one request."""
SMALLEST_UPLOADED = 3 * 1024 * 1024
_FILE = "#microsoft.graph.fileAttachment"


@dataclass(frozen=True)
class Original:
    """The mail that is answered; `index` is its place in its conversation, in base64."""

    message: Message
    index: str
    topic: str


@dataclass(frozen=True)
class File:
    about: Attachment
    content: bytes


@dataclass(frozen=True)
class Letter:
    """What goes to Graph: MIME in base64, and the attachments that did not fit in."""

    mime: bytes
    files: tuple[File, ...] = ()


class Drafts:
    """`clock` dates the mails, in `zone`; `owner` is the sender's address, `name` the sender's own."""

    def __init__(
        self, graph: Graph, own: OwnMails, *, owner: str, name: str, zone: ZoneInfo, clock: Callable[[], datetime]
    ) -> None:
        self._graph, self._own = graph, own
        self._owner, self._name = owner, name
        self._zone, self._clock = zone, clock

    async def create(self, action: SendMail | SaveDraft, key: str, answered: Original | None, forwarded: bytes | None) -> Resource:
        """As it stands then, checked against what was approved; what can't be finished is thrown away as far as possible."""
        letter = await asyncio.to_thread(self._letter, action, key, answered, forwarded)
        draft: Resource = await self._graph.write(lambda client: sending(client.me.messages, "POST", letter.mime, "text/plain"))
        made = draft
        try:
            for file in letter.files:
                await self._attach(str(draft["id"]), file)
            noted = self._noted(action, key, letter)
            if noted:
                draft = await self._change(str(made["id"]), noted)
            _check(read(draft), action)
        except IntegrationError as error:
            await self._own.give_up(str(made["id"]), error)
            raise
        return draft

    def _noted(self, action: SendMail | SaveDraft, key: str, letter: Letter) -> dict[str, Any]:
        """What is noted down in the draft once it is whole."""
        whole = {"internetMessageId": message_id(key, self._owner)} if letter.files else {}
        return {**whole, **(keyed(key) if isinstance(action, SendMail) else {})}

    async def _change(self, id: str, fields: Mapping[str, Any]) -> Resource:
        return await self._graph.write(lambda client: sending(client.me.messages.by_message_id(id), "PATCH", fields))

    async def _attach(self, id: str, file: File) -> None:
        if len(file.content) < SMALLEST_UPLOADED:
            fields = await asyncio.to_thread(_inside, file)
            await self._graph.write(lambda client: sending(client.me.messages.by_message_id(id).attachments, "POST", fields))
            return
        about = file.about
        item = {"attachmentType": "file", "name": about.filename, "size": len(file.content), "contentType": about.content_type}
        session = await self._graph.write(
            lambda client: sending(
                client.me.messages.by_message_id(id).attachments.create_upload_session, "POST", {"AttachmentItem": item}
            )
        )
        await self._graph.upload(str(session.get("uploadUrl") or ""), file.content)

    def _letter(self, action: SendMail | SaveDraft, key: str, answered: Original | None, forwarded: bytes | None) -> Letter:
        raw = self._built(action, key, answered, forwarded)
        coded = _coded(raw)
        if len(coded) <= LARGEST:
            return Letter(coded)
        parsed = read_message(raw)
        files = tuple(File(one, part_bytes(raw, one.part)) for one in parsed.attachments)
        if not files:
            raise InvalidResponse("The mail is larger than Outlook takes.")
        bare = action.model_copy(update={"body": text_of(raw), "forward_of": None})
        return Letter(_coded(self._built(bare, key + UNFINISHED, answered, None)), files)

    def _built(self, action: SendMail | SaveDraft, key: str, answered: Original | None, forwarded: bytes | None) -> bytes:
        return build_message(
            action,
            key=key,
            owner=self._owner,
            name=self._name,
            now=self._clock().astimezone(self._zone),
            answers=answered.message.parsed if answered else None,
            forwards=forwarded,
            more=_joining(answered, key) if answered else {},
        )


def _coded(raw: bytes) -> bytes:
    return base64.b64encode(raw.replace(b"\n", b"\r\n"))


def _inside(file: File) -> dict[str, Any]:
    about = file.about
    content = base64.b64encode(file.content).decode()
    return {"@odata.type": _FILE, "name": about.filename, "contentType": about.content_type, "contentBytes": content}


def _joining(answered: Original, key: str) -> dict[str, str]:
    """Headers that Outlook puts a mail into a conversation by: the place of the answered one, and five bytes of its own."""
    try:
        place = base64.b64decode(answered.index, validate=True)
    except ValueError:
        return {}
    if len(place) < 22:
        return {}
    own = hashlib.sha256(key.encode()).digest()[:5]
    index = base64.b64encode(place + own).decode()
    folded = "\n ".join(index[at : at + 60] for at in range(0, len(index), 60))
    topic = encode_header(" ".join(one_line(answered.topic).split()))
    return {**({"Thread-Topic": topic} if topic else {}), "Thread-Index": folded}


def _check(draft: Message, action: SendMail | SaveDraft) -> None:
    """Outlook has read the mail itself: who it goes to, and what it says, must still be what was approved."""
    read_as, shown = draft.parsed, isinstance(action, SendMail) and action.html
    same = all(_emails(getattr(read_as, line)) == _emails(getattr(action, line)) for line in ("to", "cc", "bcc"))
    worded = shown or _letters(action.body) in _letters(read_as.text)
    if not (same and worded and read_as.subject.split() == visible(action.subject).split()):
        raise InvalidResponse("Outlook has made something else of the mail than was approved; it was not kept.")


def _letters(text: str) -> str:
    """Outlook breaks lines and spaces as it likes."""
    return "".join(filter(str.isalnum, text))


def _emails(people: tuple[Address, ...]) -> set[str]:
    return {person.email for person in people}
