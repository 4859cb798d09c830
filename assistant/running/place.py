"""How far somebody has followed a conversation: made of what is stored alone, so that another process can go on from there."""

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assistant.errors import UserError
from assistant.events import FlowEvent
from storage.following import OpenFlow, OpenRow, Standing

UNKNOWN = "This is no place in a conversation; begin again without it."
MOST = 100
"""Flows and rows that a cursor tells of, the newest."""


def mark(event: FlowEvent) -> str:
    """Tells an event from another of the same number."""
    told = f"{event.seq} {event.at.timestamp()} {event.step} {event.text}"
    return hashlib.blake2s(told.encode("utf-8", "replace"), digest_size=4).hexdigest()


@dataclass
class Known:
    """Of one flow: the version that was looked at, the last stored event that was heard, and marks of those heard behind it, which
    were not stored yet."""

    version: int = 0
    seq: int = 0
    ahead: list[str] = field(default_factory=list)

    @property
    def last(self) -> int:
        return self.seq + len(self.ahead)

    def has(self, event: FlowEvent) -> bool:
        if event.seq <= self.seq:
            return True
        return event.seq <= self.last and self.ahead[event.seq - self.seq - 1] == mark(event)

    def heard(self, event: FlowEvent) -> None:
        """It is not stored yet, and is the next, or takes the place of one that was heard."""
        self.ahead[event.seq - self.seq - 1 :] = [mark(event)]

    def stored(self, event: FlowEvent) -> bool:
        """Of one behind `seq`; whether it is new."""
        known = self.has(event)
        self.ahead = self.ahead[event.seq - self.seq :] if known else []
        self.seq = event.seq
        return not known

    def saved(self, seq: int) -> bool:
        """What was told up to `seq` is stored; whether all of it was heard."""
        count = min(max(seq - self.seq, 0), len(self.ahead))
        self.seq, self.ahead = self.seq + count, self.ahead[count:]
        return seq <= self.seq


class Sight(NamedTuple):
    """What a look at everything of a user has found, for each place to compare itself with."""

    newest: dict[str, int]
    flows: dict[str, OpenFlow]
    rows: dict[int, OpenRow]

    @classmethod
    def of(cls, standing: Standing) -> "Sight":
        return cls(standing.newest, {flow.id: flow for flow in standing.flows}, {row.id: row for row in standing.rows})


@dataclass
class Place:
    """`message`: the number of the last one heard; `flows` that were not at their end; `rows` of the outbox that were shown as
    open, with the status in which."""

    message: int = 0
    flows: dict[str, Known] = field(default_factory=dict)
    rows: dict[int, str] = field(default_factory=dict)

    def cursor(self) -> str:
        flows = {flow: (known.version, known.seq, *known.ahead) for flow, known in _newest(self.flows)}
        told = json.dumps((self.message, flows, dict(_newest(self.rows))), separators=(",", ":"))
        return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")

    @classmethod
    def at(cls, cursor: str) -> "Place":
        """The beginning for an empty one. Raises UserError."""
        if not cursor:
            return cls()
        try:
            padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
            message, flows, rows = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
            known = {str(flow): _known(*facts) for flow, facts in flows.items()}
            return cls(_number(message), known, {_number(int(row)): str(status) for row, status in rows.items()})
        except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error) as wrong:
            raise UserError(UNKNOWN) from wrong

    def behind(self, conversation: str, sight: Sight, me: str | None) -> bool:
        """Whether something was stored that was not heard yet. What is run by `me` is heard anyway."""
        if sight.newest.get(conversation, 0) > self.message:
            return True
        for flow, known in self.flows.items():
            now = sight.flows.get(flow)
            if now is None or (now.version != known.version and not (now.status == "running" and now.owner == me)):
                return True
        return any(row not in sight.rows or sight.rows[row].status != status for row, status in self.rows.items())


def _newest(entries: dict[Any, Any]) -> Sequence[tuple[Any, Any]]:
    return list(entries.items())[-MOST:]


def _known(version: int, seq: int, *ahead: str) -> Known:
    return Known(_number(version), _number(seq), [str(one) for one in ahead])


def _number(value: int) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**63:
        raise ValueError(value)
    return value
