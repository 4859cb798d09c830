"""What awaits approval, as a value, and its fingerprint."""

from datetime import datetime
from typing import Literal

from integrations.actions import Action
from integrations.types import Address, Value

Level = Literal["low", "medium", "high"]
Status = Literal["open", "approved", "superseded", "cancelled", "stale"]


class Recipient(Value):
    """`origin` says in words where the address came from ("your contacts", "you wrote it", "sent the mail you answer",
    "group Marketing team"); `known` is False for one that only a stranger's text named, or nobody."""

    address: Address
    line: Literal["to", "cc", "bcc", "invited", "removed", "told"]
    origin: str
    known: bool


class Change(Value):
    """One field before and after, in words for people."""

    field: str
    before: str
    after: str


class Item(Value):
    """One action of a preview. `says` is one clause; `guesses` what it rests on that the user did not say."""

    action: Action
    says: str
    recipients: tuple[Recipient, ...] = ()
    changes: tuple[Change, ...] = ()
    guesses: tuple[str, ...] = ()


class Preview(Value):
    """`fingerprint` is of exactly these actions with their etags. `differs` tells what changed underneath when it replaces a stale
    one (`replaces`)."""

    id: str
    flow: str
    conversation: str
    fingerprint: str
    level: Level
    reasons: tuple[str, ...]
    items: tuple[Item, ...]
    created: datetime
    expires: datetime
    status: Status = "open"
    replaces: str = ""
    differs: tuple[Change, ...] = ()

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(item.action for item in self.items)
