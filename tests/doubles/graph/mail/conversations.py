"""Which conversation a mail belongs to: told by an index of 22 bytes, to which every answer adds five."""

import base64
from secrets import token_bytes

from doubles.graph.mail.content import Content
from doubles.graph.mail.message import Message

_HEAD, _CHILD = 22, 5


class Conversations:
    def __init__(self) -> None:
        self._related: dict[str, Message] = {}

    def add(self, message: Message) -> None:
        for name in (message.content.message_id, *message.content.references):
            self._related.setdefault(name, message)

    def remove(self, message: Message) -> None:
        self._related = {name: other for name, other in self._related.items() if other is not message}

    def index(self, content: Content, *, drafted: bool) -> bytes:
        """Of the conversation that the mail says it belongs to. What comes in is also joined to what it answers."""
        if stated := _stated(content):
            return stated
        names = () if drafted else (content.message_id, *sorted(content.references))
        for related in filter(None, map(self._related.get, names)):
            if related.content.topic.casefold() == content.topic.casefold():
                return related.index + token_bytes(_CHILD)
        return b"\x01" + token_bytes(_HEAD - 1)


def _stated(content: Content) -> bytes:
    try:
        index = base64.b64decode(content.header("Thread-Index"), validate=True)
    except ValueError:
        return b""
    whole = len(index) >= _HEAD and (len(index) - _HEAD) % _CHILD == 0 and index[:1] == b"\x01"
    return index if whole else b""
