"""The pages of a search through mails: each begins after the last mail of the one before, wherever that stands by then."""

import re
from datetime import UTC, datetime
from typing import Generic, NamedTuple, TypeVar

from integrations.errors import NotFound
from integrations.types import Skipped

M = TypeVar("M")
_CURSOR = re.compile(r"(-?\d{1,15})\.([\w=-]{1,512})\.(\d*)", re.ASCII)


class Found(NamedTuple, Generic[M]):
    messages: list[M]
    total: int | None
    next: str | None
    skipped: list[Skipped]


class Cursor(NamedTuple):
    """The last mail given, by milliseconds and id, and how many match in all."""

    place: tuple[int, str]
    total: int | None

    def __str__(self) -> str:
        return f"{self.place[0]}.{self.place[1]}.{'' if self.total is None else self.total}"

    @property
    def moment(self) -> datetime:
        return moment_of(self.place[0])


def cursor_of(text: str | None, account: str) -> Cursor | None:
    """NotFound where it is none of ours."""
    if text is None:
        return None
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise NotFound("There is no such page of mails.", account)
    return Cursor((int(found[1]), found[2]), int(found[3]) if found[3] else None)


def moment_of(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
