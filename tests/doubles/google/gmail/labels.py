"""Labels: the system's, and the user's with their names."""

import re
from dataclasses import dataclass
from typing import Any

from doubles.google.calls import ApiError

_CATEGORIES = tuple(f"CATEGORY_{name}" for name in ("PERSONAL", "SOCIAL", "PROMOTIONS", "UPDATES", "FORUMS"))
MUTABLE = ("INBOX", "SPAM", "TRASH", "UNREAD", "STARRED", "IMPORTANT", *_CATEGORIES)
SYSTEM = ("SENT", "DRAFT", "CHAT", *MUTABLE)
_RESERVED = frozenset(
    {name.casefold() for name in SYSTEM} | {"drafts", "chats", "all mail", "muted", "snoozed", "scheduled", "bin"}
)
_SEPARATORS = re.compile(r"[\s/&()|\"]")
_LONGEST_NAME = 225


@dataclass
class Label:
    id: str
    name: str
    settings: dict[str, Any]

    @property
    def system(self) -> bool:
        return self.id in SYSTEM


class Labels:
    """A name is taken once, without regard to case. `Parent/Child` needs no parent."""

    def __init__(self) -> None:
        self.by_id = {name: Label(name, name, {}) for name in SYSTEM}
        self._made = 0

    def get(self, label_id: str) -> Label:
        if label_id not in self.by_id:
            raise ApiError(404, "notFound", "Requested entity was not found.")
        return self.by_id[label_id]

    def named(self, name: str) -> Label | None:
        return next((label for label in self.by_id.values() if label.name.casefold() == name.casefold()), None)

    def as_searched(self, name: str) -> str:
        """The id of the label that a search names; spaces and slashes may be written as hyphens. Empty where there is none."""
        wanted = _searchable(name)
        return next((label.id for label in self.by_id.values() if _searchable(label.name) == wanted), "")

    def create(self, name: str, settings: dict[str, Any] | None = None) -> Label:
        self._check(name)
        self._made += 1
        label = Label(f"Label_{self._made}", name, settings or {})
        self.by_id[label.id] = label
        return label

    def ensure(self, name: str) -> Label:
        return self.named(name) or self.create(name)

    def rename(self, label: Label, name: str) -> None:
        self._check(name, label)
        label.name = name

    def own(self, label_id: str) -> Label:
        label = self.get(label_id)
        if label.system:
            raise ApiError(400, "invalidArgument", "Invalid update request")
        return label

    def refuse_unknown(self, label_ids: list[str], allowed: tuple[str, ...] = SYSTEM) -> None:
        for label_id in label_ids:
            if label_id not in self.by_id or (label_id in SYSTEM and label_id not in allowed):
                raise ApiError(400, "invalidArgument", f"Invalid label: {label_id}")

    def _check(self, name: str, label: Label | None = None) -> None:
        segments = name.split("/")
        if not all(segment.strip() for segment in segments) or name.casefold() in _RESERVED or len(name) > _LONGEST_NAME:
            raise ApiError(400, "invalidArgument", "Invalid label name")
        taken = self.named(name)
        if taken and taken is not label:
            raise ApiError(409, "aborted", "Label name exists or conflicts")


def _searchable(name: str) -> str:
    return _SEPARATORS.sub("-", name.casefold())
