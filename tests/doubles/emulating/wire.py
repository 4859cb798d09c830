"""Requests and answers as values."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from doubles.http1 import head


class Dropped(Exception):
    """The connection ends here, unanswered."""


@dataclass(frozen=True)
class Request:
    """`path` without its leading slash and still encoded; header names are small."""

    verb: str
    path: str
    query: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def to(cls, verb: str, target: str, headers: Mapping[str, str], body: bytes) -> Self:
        parts = urlsplit(target)
        return cls(verb, parts.path.lstrip("/"), parse_qsl(parts.query, keep_blank_values=True), headers, body)

    @property
    def asked(self) -> dict[str, str]:
        return dict(self.query)

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


@dataclass
class RequestSeen:
    """`api` is the id of the method or operation ("batch" for a batch, empty where nothing was found), `status` 0 where the
    connection was dropped; `batched` those that came inside a batch."""

    method: str
    path: str
    user: str = ""
    api: str = ""
    status: int = 0
    batched: bool = False


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def written(self) -> bytes:
        return head(self.status, self.sent) + self.body

    @property
    def sent(self) -> dict[str, str]:
        """An answer without content has neither a type nor a length."""
        return dict(self.headers) if self.status == 204 else {**self.headers, "content-length": str(len(self.body))}


@dataclass(frozen=True)
class Part:
    """Of a multipart body, its content as it came; header names are small."""

    headers: Mapping[str, str]
    content: bytes

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "")


def parts(kind: str, body: bytes) -> list[Part]:
    """Empty where the body's type names no boundary."""
    about = Message()
    about["content-type"] = kind
    boundary = about.get_boundary()
    if not boundary:
        return []
    pieces = re.split(rb"(?:^|\r?\n)--" + re.escape(boundary.encode()) + rb"(?:--)?[ \t]*(?=\r?\n|$)", body)
    return [_part(piece.lstrip(b"\r\n")) for piece in pieces[1:-1]]


def _part(piece: bytes) -> Part:
    return Part(*split_head(piece))


def split_head(text: bytes) -> tuple[dict[str, str], bytes]:
    """Headers with small names, none of them folded, and what follows the empty line."""
    first, *rest = re.split(rb"\r?\n\r?\n", text, maxsplit=1)
    fields = (line.partition(":") for line in first.decode("latin-1").splitlines())
    return {name.strip().lower(): value.strip() for name, colon, value in fields if colon}, rest[0] if rest else b""


def told(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Answer(status, content, {"content-type": "application/json; charset=UTF-8", **(headers or {})})
