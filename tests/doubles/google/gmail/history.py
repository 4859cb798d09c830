"""What changed in a mailbox, in numbered records."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from doubles.google.calls import ApiError
from doubles.google.gmail.message import Message

Kind = Literal["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"]
_FIELDS = {
    "messageAdded": "messagesAdded",
    "messageDeleted": "messagesDeleted",
    "labelAdded": "labelsAdded",
    "labelRemoved": "labelsRemoved",
}
_STEP = 7


@dataclass(frozen=True)
class Record:
    """`labels` are the message's at that moment, `changed` those that were added or removed."""

    id: int
    kind: Kind
    message_id: str
    thread_id: str
    labels: tuple[str, ...]
    changed: tuple[str, ...]

    def concerns(self, label_id: str) -> bool:
        return not label_id or label_id in self.labels or label_id in self.changed

    @property
    def resource(self) -> dict[str, Any]:
        message: dict[str, Any] = {"id": self.message_id, "threadId": self.thread_id}
        shown = {**message, "labelIds": list(self.labels)} if self.labels else message
        change = {"message": shown, **({"labelIds": list(self.changed)} if self.changed else {})}
        return {"id": str(self.id), "messages": [message], _FIELDS[self.kind]: [change]}


class History:
    """Ids grow, with gaps."""

    def __init__(self) -> None:
        self.last = 1000
        self._first_known = self.last
        self._records: list[Record] = []

    def note(self, kind: Kind, message: Message, changed: Iterable[str] = ()) -> None:
        self.last += _STEP
        message.history_id = self.last
        record = Record(self.last, kind, message.id, message.thread_id, tuple(sorted(message.labels)), tuple(sorted(changed)))
        self._records.append(record)

    def since(self, start: int) -> list[Record]:
        if not self._first_known <= start <= self.last:
            raise ApiError(404, "notFound", "Requested entity was not found.")
        return [record for record in self._records if record.id > start]

    def forget(self) -> None:
        """Whatever id was given out before is too old from now on."""
        self.last += _STEP
        self._first_known = self.last
        self._records.clear()
