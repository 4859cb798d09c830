"""The providers by name, imported only when an account of theirs is opened."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo

from integrations.errors import MissingExtra, NotFound
from integrations.readers import Readers
from integrations.types import Value
from integrations.writers import Writers

PROVIDERS = {
    "local": "integrations.local.provider",
}
EXTRAS = {"google": "google", "microsoft": "microsoft", "imap": "standards"}


class AccountConfig(Value):
    """`name` is unique for its user; `address` is the owner's; `settings` are the provider's own (for local: paths)."""

    name: str
    kind: str
    address: str
    settings: Mapping[str, str] = {}
    sample: bool = False


class Account(Protocol):
    """One connected account."""

    @property
    def config(self) -> AccountConfig: ...

    @property
    def readers(self) -> Readers: ...

    @property
    def writers(self) -> Writers: ...

    async def close(self) -> None: ...


def _now() -> datetime:
    return datetime.now(UTC)


def open_account(config: AccountConfig, *, zone: ZoneInfo, index: Path, clock: Callable[[], datetime] = _now) -> Account:
    """`zone` is the user's; `index` a folder that the provider may fill with what it can rebuild; `clock` dates what is written."""
    if config.kind not in PROVIDERS:
        raise NotFound(f"There is no provider called {config.kind}; there are: {', '.join(PROVIDERS)}.", config.name)
    try:
        provider = import_module(PROVIDERS[config.kind])
    except ModuleNotFoundError as missing:
        extra = EXTRAS.get(config.kind)
        if extra is None:
            raise
        raise MissingExtra(
            f"{config.kind} accounts need a further package: pip install 'personal-assistant[{extra}]'.", config.name
        ) from missing
    account: Account = provider.open_account(config, zone=zone, index=index, clock=clock)
    return account
