"""One mail in a mailbox."""

import base64
import hashlib
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from doubles.emulating.mail.headers import Headers, with_network_lines
from doubles.graph.mail.composing import compose
from doubles.graph.mail.content import Content
from doubles.graph.mail.reading import from_mime


@dataclass(eq=False)
class Message:
    """`id` is its immutable one, `entry` the one that changes when it is moved. `received` is finer than what is shown. A mail that
    `came_in` has the headers it was transported with. While it is not `indexed`, listings have it but no search finds it."""

    id: str
    entry: str
    folder: str
    number: int
    content: Content
    received: datetime
    created: datetime
    changed: datetime
    index: bytes = b""
    draft: bool = False
    came_in: bool = True
    seen: bool = False
    flag: str = "notFlagged"
    categories: tuple[str, ...] = ()
    importance: str = "normal"
    extended: dict[str, str] = field(default_factory=dict)
    indexed: bool = True
    version: int = 0
    lingering: int = 0
    """So many looks at it are still to come until it has gone out."""
    original: bytes = b""
    shown: dict[str, Any] = field(default_factory=dict)
    """As it was last told of, by the version that was."""

    @classmethod
    def read(cls, raw: bytes, **given: Any) -> "Message":
        return cls(content=from_mime(raw), original=with_network_lines(raw), **given)

    @property
    def raw(self) -> bytes:
        """As it came, or composed where that was changed since."""
        return self.original or compose(self.content)

    @property
    def sent(self) -> datetime:
        return self.content.date or self.received

    @property
    def conversation(self) -> str:
        """By the number in its index that all mails of a conversation share."""
        number = hashlib.sha256(self.index[6:22]).digest()[:16]
        return f"AAQkAGI2THVSAAAAAAEMAADF{base64.urlsafe_b64encode(b'ABC' + number).decode()}"

    @property
    def change_key(self) -> str:
        made = hashlib.sha256(f"{self.id}/{self.version}".encode()).digest()[:12]
        return base64.b64encode(b"\x09\x00\x00\x00\x16\x00\x00\x00" + made).decode()

    @property
    def etag(self) -> str:
        return f'W/"{self.change_key}"'

    def rewrite(self, **fields: Any) -> None:
        """Says something else from now on."""
        self.content = replace(self.content, **fields)
        self.original = b""

    def rename(self, message_id: str) -> None:
        """Gets another Message-ID, and is left as it came otherwise."""
        headers = Headers(self.raw)
        headers.set("Message-ID", message_id)
        self.original = bytes(headers)
        self.content = replace(self.content, message_id=message_id)
