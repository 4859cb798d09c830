"""What stands behind accounts and goes on when the programs that use them are killed."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal, Self

from doubles.providers.stock import Stock

from integrations.actions import Action
from integrations.registry import AccountConfig

Moment = Literal["before", "during", "after"]
ACCOUNT, OWNER = "work", "me@example.org"


class ProviderDouble(ABC):
    """One provider with many accounts, each of which is known by a folder of its own. `asks`: it can tell whether a write took
    effect. `logs`: `effects` counts what has happened, not what stands now. `connected`: its writes go over a connection, which
    can be lost. `forgets`: the kinds of writes of which it can't always be told that they did not take effect.

    Entering starts what serves it, in a process of its own; leaving ends that.
    """

    asks: ClassVar[bool] = True
    logs: ClassVar[bool] = True
    connected: ClassVar[bool] = True
    forgets: ClassVar[frozenset[str]] = frozenset()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    @abstractmethod
    def config(self, root: Path) -> AccountConfig:
        """How the registry opens the account."""

    @abstractmethod
    def stock(self, root: Path, stock: Stock) -> None:
        """Puts these into an account that is empty, as somebody else's program would."""

    @abstractmethod
    async def effects(self, root: Path, writes: Sequence[tuple[str, Action]]) -> dict[str, int]:
        """How often each of these (key, action) took effect, by key. One that logs also counts what it did under other keys."""

    def lose(self, root: Path, when: Moment | None, *, find: bool = False, kind: str = "") -> None:
        """The connection of the next write, which is of this kind, is lost before or after it took effect, or a moment before it
        does; with `find` also that of the question that comes next."""
        raise AssertionError(f"{type(self).__name__} has no connection that could be lost.")
