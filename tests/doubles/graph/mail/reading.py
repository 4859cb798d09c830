"""What a raw message says, as Exchange takes it in."""

import re
from datetime import UTC, datetime
from email.utils import getaddresses, parsedate_to_datetime
from typing import Literal

from doubles.emulating.mail.headers import Headers
from doubles.emulating.mail.mime import Part, read
from doubles.graph.mail.content import MESSAGE_ID, Content, File, Person, complete_html

_LINE_END = re.compile(r"\r?\n")
_MEETINGS = {"REQUEST": "meetingRequest", "CANCEL": "meetingCancelled", "REPLY": "meetingAccepted"}


def from_mime(raw: bytes) -> Content:
    root = read(raw)
    kind, body, files = _Parts().read(root)
    headers = tuple(_unfolded(field) for field in Headers(raw).fields)
    return Content(
        subject=root.header("Subject"),
        sender=next(iter(people(root.header("From") or root.header("Sender"))), None),
        to=_named(root, "To"),
        cc=_named(root, "Cc"),
        bcc=_named(root, "Bcc"),
        reply_to=_named(root, "Reply-To"),
        date=_date(root.header("Date")),
        message_id=next(iter(MESSAGE_ID.findall(root.header("Message-ID"))), ""),
        kind=kind,
        body=body,
        files=tuple(files),
        headers=headers,
        meeting=_meeting(root),
    )


def people(header: str) -> tuple[Person, ...]:
    """An address without a name is its own name."""
    return tuple(Person(name or email, email) for name, email in getaddresses([header]) if name or email)


def _named(root: Part, name: str) -> tuple[Person, ...]:
    return people(", ".join(value for known, value in root.headers if known.lower() == name.lower()))


def _unfolded(field: bytes) -> tuple[str, str]:
    name, _, value = re.sub(r"\r?\n[ \t]+", " ", field.decode("utf-8", "replace")).partition(":")
    return name.strip(), value.strip()


def _date(written: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(written)
    except ValueError:
        return None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def _meeting(root: Part) -> str:
    for part in root.walk():
        if part.kind == "text/calendar" and (method := re.search(rb"(?m)^METHOD:(\w+)", part.content)):
            return _MEETINGS.get(method[1].decode().upper(), "none")
    return ""


class _Parts:
    """Exchange keeps one body, of alternatives the richest; every other text becomes an attachment."""

    def __init__(self) -> None:
        self._body: Part | None = None
        self._files: list[File] = []
        self._nameless = 0

    def read(self, root: Part) -> tuple[Literal["text", "html"], str, list[File]]:
        self._take(root, "")
        if self._body is None:
            return "text", "", self._files
        written = _LINE_END.sub("\r\n", self._body.content.decode("utf-8", "replace"))
        if self._body.kind == "text/html":
            return "html", complete_html(written), self._files
        return "text", written, self._files

    def _take(self, part: Part, inside: str) -> None:
        if part.kind.startswith("multipart/"):
            self._several(part)
        elif part.kind == "text/calendar":
            return
        elif self._body is None and part.kind in ("text/plain", "text/html") and not _attached(part):
            self._body = part
        else:
            self._files.append(self._file(part, inside))

    def _several(self, part: Part) -> None:
        if part.kind == "multipart/alternative":
            best = [one for one in part.parts if one.kind != "text/calendar"][-1:]
            rest = [one for one in part.parts if one.kind.startswith("multipart/") and one not in best]
            for one in [*best, *rest]:
                self._take(one, part.kind)
            return
        for one in part.parts:
            self._take(one, part.kind)

    def _file(self, part: Part, inside: str) -> File:
        content_id = part.header("Content-ID").strip("<> ")
        inline = bool(content_id) and inside == "multipart/related" and not part.header("Content-Disposition").startswith("attach")
        item = part.kind == "message/rfc822"
        return File(len(self._files) + 1, self._name(part, item), part.kind, part.content, inline, content_id, item)

    def _name(self, part: Part, item: bool) -> str:
        if item:
            return read(part.content).header("Subject") or part.filename
        if part.filename:
            return part.filename
        self._nameless += 1
        ending = {"text/plain": ".txt", "text/html": ".htm"}.get(part.kind, ".dat")
        return f"ATT{self._nameless:05}{ending}"


def _attached(part: Part) -> bool:
    return bool(part.filename) or part.header("Content-Disposition").lower().startswith("attachment")
