"""MAPI properties of mails, by the names that Graph has for them: "String 0x1042", "String {guid} Name Colour"."""

import re

from doubles.graph.mail.message import Message

_TAGGED = re.compile(r"\b(\w+) 0[xX]0*([0-9a-fA-F]+)(?=')")


def normal_in(query: str) -> str:
    """A query with all names as they are shown: the number of a tag in small letters and without leading zeros."""
    return _TAGGED.sub(lambda found: f"{found[1]} 0x{found[2].lower()}", query)


def of(message: Message) -> list[dict[str, str]]:
    """Those that are set, headers and bookkeeping of Exchange's own among them."""
    content = message.content
    known = {
        "String 0x1035": content.message_id,
        "String 0x1042": content.header("In-Reply-To"),
        "String 0x1039": content.header("References"),
        "String 0x70": content.topic,
        "String 0x7d": "\r\n".join(f"{name}: {value}" for name, value in content.headers) if message.came_in else "",
        "Integer 0xe07": str(_flags(message)),
        "Integer 0xe08": str(len(message.raw)),
    }
    return [{"id": name, "value": value} for name, value in (known | message.extended).items() if value]


def _flags(message: Message) -> int:
    """MAPI's bits: read, submitted, not sent yet, with attachments, from oneself."""
    known = {1: message.seen, 4: message.lingering > 0, 8: message.draft, 16: bool(message.content.files), 32: not message.came_in}
    return sum(bit for bit, on in known.items() if on)
