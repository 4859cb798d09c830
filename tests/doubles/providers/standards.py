"""Accounts at real servers of the open standards, which run beside a process of their own."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Self
from zoneinfo import ZoneInfo

from doubles.providers.base import ACCOUNT, OWNER, Moment
from doubles.providers.emulated import Emulated
from doubles.providers.stock import Stock
from doubles.secrets import KeptSecrets
from servers import User, installed

from integrations import registry
from integrations.actions import Action
from integrations.registry import Account, AccountConfig, Secrets

registry.PROVIDERS["served"] = __name__


class Standards(Emulated):
    forgets: ClassVar[frozenset[str]] = frozenset({"send_mail"})
    kind: ClassVar[str] = "imap"
    server: ClassVar[str] = "doubles.providers.standards_server"

    def __enter__(self) -> Self:
        """Raises NotInstalled."""
        installed.dovecot(), installed.radicale()
        return super().__enter__()

    def config(self, root: Path) -> AccountConfig:
        return AccountConfig(name=ACCOUNT, kind="served", address=OWNER, settings=self._ask(root, do="sign in"))

    def stock(self, root: Path, stock: Stock) -> None:
        self._ask(root, do="stock", stock=asdict(stock))

    async def effects(self, root: Path, writes: Sequence[tuple[str, Action]]) -> dict[str, int]:
        self._ask(root, do="listen")
        return await super().effects(root, writes)

    def lose(self, root: Path, when: Moment | None, *, find: bool = False, kind: str = "") -> None:
        """With `find` nothing answers any more, until it is counted what took effect."""
        self._ask(root, do="lose", when=when, find=find, kind=kind.partition(" ")[0])


def open_account(config: AccountConfig, *, zone: ZoneInfo, index: Path, clock: Callable[[], datetime], secrets: Secrets) -> Account:
    settings = {name: value for name, value in config.settings.items() if name != "secret"}
    real = config.model_copy(update={"kind": Standards.kind, "settings": settings})
    kept = KeptSecrets(**{config.name: config.settings["secret"]})
    return registry.open_account(real, zone=zone, index=index, clock=clock, secrets=kept)


def served(name: str, user: User) -> AccountConfig:
    """An account of this user's that is signed in wherever it is opened."""
    settings = {**user.settings, "username": user.email, "secret": user.secret}
    return AccountConfig(name=name, kind="served", address=user.email, owner=user.name, settings=settings)
