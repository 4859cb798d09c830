"""Gmail's messages as mails, and its labels as folders."""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

from integrations.common.headers import encode_header
from integrations.common.invisible import visible
from integrations.common.mail_paging import moment_of
from integrations.common.mime import SNIPPET, Parsed, read_message
from integrations.errors import InvalidResponse
from integrations.types import ARCHIVE, DRAFTS, INBOX, SENT, TRASH, Mail

Resource = Mapping[str, Any]
"""An object as the API gives it."""

SPAM = "Spam"
SYSTEM = {"TRASH": TRASH, "SPAM": SPAM, "DRAFT": DRAFTS, "INBOX": INBOX, "SENT": SENT}
"""The folder of a mail is the first of these that it carries, then its first label, else the Archive."""
UNREAD, STARRED = "UNREAD", "STARRED"
_ALONE = ("TRASH", "SPAM", "DRAFT")
_ETAG = "labels:"
_NAME = re.compile(r"[!-9;-~]+")
_CHARSET = re.compile(r";\s*charset\s*=\s*(?:\"[^\"]*\"|[^;\s]*)", re.IGNORECASE)
_FARTHEST = timezone(timedelta(hours=23)), timezone(timedelta(hours=-23))
"""A moment that has a date in these has one in every zone; who wrote a mail that was moved to Gmail may have made up any."""
_BREAKS = re.compile(r"[\r\n\0]+")


def _parts(body: str, depth: int = 4) -> str:
    inner = f",parts({_parts(body, depth - 1)})" if depth else ""
    return f"mimeType,headers,body({body}){inner}"


STATE = "id,threadId,labelIds,internalDate"
OUTLINE, WHOLE = (f"{STATE},snippet,payload({_parts(body)})" for body in ("size", "size,data"))
"""`fields` of a message in the format full: without what its parts hold, and with their text but not what is attached."""


# Labels --------------------------------------------------------------------------------------------------------------


class Labels:
    """The user's own by id, beside Gmail's. Names are taken without regard to case; a label called Archive is part of the
    Archive."""

    def __init__(self, listed: Iterable[Resource] = ()) -> None:
        own = {str(label["id"]): str(label["name"]) for label in listed if label.get("type") == "user"}
        self.own = dict(sorted(own.items(), key=lambda label: label[1].casefold()))
        ids = {name.casefold(): label for label, name in (*self.own.items(), *SYSTEM.items())}
        self.archive = ids.pop(ARCHIVE.casefold(), None)
        self._ids = ids

    @property
    def folders(self) -> tuple[str, ...]:
        own = (name for label, name in self.own.items() if label != self.archive)
        return tuple(dict.fromkeys((INBOX, SENT, DRAFTS, ARCHIVE, TRASH, SPAM, *own)))

    def knows(self, labels: Iterable[str]) -> bool:
        return all(label in self.own or label.isupper() for label in labels)

    def id(self, folder: str) -> str | None:
        """The label that makes a mail lie in that folder; None for the Archive and for folders that don't exist."""
        return self._ids.get(folder.casefold())

    def name(self, folder: str) -> str | None:
        """The folder as it is called here."""
        return next((name for name in self.folders if name.casefold() == folder.casefold()), None)

    def folder(self, labels: frozenset[str]) -> str:
        names = SYSTEM | {label: name for label, name in self.own.items() if label != self.archive}
        return next((name for label, name in names.items() if label in labels), ARCHIVE)

    def holds(self, folder: str, labels: frozenset[str]) -> bool:
        """Whether a mail with these labels is in that folder; it may be in several, but in none beside Trash, Spam and Drafts."""
        label = self.id(folder)
        alone = next((one for one in _ALONE if one in labels), None)
        if label is None:
            return folder.casefold() == ARCHIVE.casefold() == self.folder(labels).casefold()
        return label == alone if alone else label in labels

    def stays(self, folder: str, labels: frozenset[str]) -> bool:
        """Whether it is there and no longer in the inbox. What is archived keeps its labels."""
        if self.id(folder) is None and folder.casefold() == ARCHIVE.casefold():
            return not labels & {"INBOX", *_ALONE}
        return self.holds(folder, labels) and ("INBOX" not in labels or self.id(folder) == "INBOX")


def etag(labels: Iterable[str]) -> str:
    """Of folder and flags. Categories and importance are left out: Gmail gives them as it sees fit."""
    return _ETAG + ",".join(sorted(label for label in labels if label in {*SYSTEM, UNREAD, STARRED} or not label.isupper()))


def labels_of(tag: str) -> frozenset[str]:
    """The labels of an etag; none where it is empty."""
    return frozenset(filter(None, tag.removeprefix(_ETAG).split(",")))


# Messages ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Message:
    """`moment` is when Gmail took it in, by which it sorts and searches; sizes are Gmail's too. Where only the outline was read,
    there is no text in `parsed`."""

    id: str
    thread: str
    labels: frozenset[str]
    milliseconds: int
    snippet: str
    parsed: Parsed

    @property
    def moment(self) -> datetime:
        return moment_of(self.milliseconds)

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands among all, oldest first."""
        return self.milliseconds, self.id

    @property
    def etag(self) -> str:
        return etag(self.labels)

    def mail(self, account: str, labels: Labels, zone: ZoneInfo, *, answered: bool = False, body: bool = False) -> Mail:
        head = self.parsed
        return Mail(
            account=account,
            id=self.id,
            etag=self.etag,
            folder=labels.folder(self.labels),
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
            date=self.moment.astimezone(zone),
            snippet=self.snippet,
            body=head.text if body else "",
            attachments=head.attachments,
            unread=UNREAD in self.labels,
            flagged=STARRED in self.labels,
            answered=answered,
            bulk=head.bulk,
            oddities=head.oddities,
        )


def state(resource: Resource) -> frozenset[str]:
    return frozenset(resource.get("labelIds", ()))


def read(resource: Resource) -> Message:
    """Of a message with the fields of OUTLINE or WHOLE. InvalidResponse where it can't be read."""
    try:
        parsed = _parsed(resource.get("payload", {}))
        for zone in _FARTHEST:
            moment_of(int(resource["internalDate"])).astimezone(zone)
        return Message(
            id=resource["id"],
            thread=resource["threadId"],
            labels=state(resource),
            milliseconds=int(resource["internalDate"]),
            snippet=parsed.snippet or " ".join(visible(unescape(resource.get("snippet", ""))).split())[:SNIPPET],
            parsed=parsed,
        )
    except Exception as error:  # whatever the standard parser trips over in it
        raise InvalidResponse(f"the mail is malformed ({type(error).__name__}: {error})") from error


def raw_bytes(resource: Resource) -> bytes:
    """Of a message in the format raw."""
    try:
        return decoded(resource["raw"])
    except (KeyError, TypeError, binascii.Error) as error:
        raise InvalidResponse("Gmail gave a message that can't be read.") from error


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "==")


def coded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()


def _parsed(payload: Resource) -> Parsed:
    """By the one parser of mails, from the same message with nothing in its parts but the text that Gmail gave."""
    parsed = read_message("\n".join(_lines(payload)).encode("utf-8", "replace"))
    sizes = dict(_sizes(payload))
    attachments = tuple(one.model_copy(update={"size": sizes.get(one.part, one.size)}) for one in parsed.attachments)
    return parsed.model_copy(update={"attachments": attachments})


def _children(part: Resource) -> tuple[Resource, ...]:
    """A mail within the mail is one part to us, which Gmail takes apart."""
    return tuple(part.get("parts", ())) if part.get("mimeType", "").startswith("multipart/") else ()


def _lines(part: Resource, boundary: str = "part") -> Iterator[str]:
    children, text = _children(part), _text(part)
    for header in part.get("headers", ()):
        name, value = str(header.get("name", "")), _BREAKS.sub(" ", str(header.get("value", "")))
        if name.lower() == "content-type":
            value = f'{part["mimeType"]}; boundary="{boundary}"' if children else _in_utf_8(value) if text else value
        elif name.lower() == "subject":
            value = encode_header(value.strip())  # it comes decoded: what looks like an encoded word in it was written so
        if _NAME.fullmatch(name) and not (text and name.lower() == "content-transfer-encoding"):
            yield f"{name}: {value}"
    if text:
        yield "Content-Transfer-Encoding: base64"
    yield from ("", text)
    for index, child in enumerate(children):
        yield f"--{boundary}"
        yield from _lines(child, f"{boundary}.{index}")
    if children:
        yield f"--{boundary}--"


def _text(part: Resource) -> str:
    """In base64; empty where there is none, or it wasn't asked for."""
    data = part.get("body", {}).get("data", "") if part.get("mimeType", "").startswith("text/") else ""
    return base64.b64encode(decoded(data)).decode()


def _in_utf_8(kind: str) -> str:
    """Of a part's text: Gmail gives it so whatever its charset was."""
    return _CHARSET.sub("", kind) + '; charset="utf-8"'


def _sizes(part: Resource, number: str = "") -> Iterator[tuple[str, int]]:
    """By the part's number, as IMAP counts."""
    children = _children(part)
    if not children:
        yield number or "1", int(part.get("body", {}).get("size", 0))
    for index, child in enumerate(children, start=1):
        yield from _sizes(child, f"{number}.{index}" if number else str(index))
