"""One message in a mailbox."""

import html
import re
from dataclasses import dataclass, field
from functools import cached_property

from doubles.emulating.mail.mime import Part, read
from doubles.emulating.mail.words import words

_TAGS = re.compile(r"<(style|script|head)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_MESSAGE_ID = re.compile(r"<[^<>\s]+>")
_PREFIX = re.compile(r"^\s*(?:(?:re|r|fwd?|aw|wg|sv|vs|tr|rif)\s*(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)
LONGEST_SNIPPET = 200


@dataclass(eq=False)
class Message:
    """`date` is Gmail's internalDate, in milliseconds. While it is not `indexed`, listings have it but no search finds it."""

    id: str
    thread_id: str
    raw: bytes
    date: int
    labels: set[str] = field(default_factory=set)
    history_id: int = 0
    indexed: bool = True

    @cached_property
    def root(self) -> Part:
        return read(self.raw)

    @property
    def order(self) -> tuple[int, int]:
        """Newest first."""
        return -self.date, -int(self.id, 16)

    @cached_property
    def message_id(self) -> str:
        return next(iter(_MESSAGE_ID.findall(self.root.header("Message-ID"))), "")

    @cached_property
    def references(self) -> frozenset[str]:
        return frozenset(_MESSAGE_ID.findall(self.root.header("References") + " " + self.root.header("In-Reply-To")))

    @cached_property
    def subject(self) -> str:
        """As threads compare it: without Re: and its like."""
        return " ".join(_PREFIX.sub("", self.root.header("Subject")).split()).casefold()

    @cached_property
    def text(self) -> str:
        """The plain text, or what the HTML says."""
        for kind in ("text/plain", "text/html"):
            shown = [part for part in self.root.shown() if part.kind == kind]
            if shown:
                return "\n".join(_readable(part) for part in shown)
        return ""

    @cached_property
    def snippet(self) -> str:
        """Escaped as for HTML, quotations included."""
        return html.escape(" ".join(self.text[:4000].split())[:LONGEST_SNIPPET]).replace("&#x27;", "&#39;")

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """What a search for words looks through, field by field."""
        texts = [*(self.root.header(name) for name in ("Subject", "From", "To", "Cc", "Bcc")), self.text, *self.files]
        return tuple(map(words, texts))

    @property
    def files(self) -> list[str]:
        return [part.filename for part in self.root.walk() if part.filename]


def _readable(part: Part) -> str:
    text = part.content.decode("utf-8", "replace")
    return html.unescape(_TAGS.sub(" ", text)) if part.kind == "text/html" else text
