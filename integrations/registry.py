"""The providers by name, imported only when an account of theirs is opened."""

import shlex
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable
from zoneinfo import ZoneInfo

from integrations.errors import MissingExtra, NotFound
from integrations.readers import Readers
from integrations.types import Capability, Value
from integrations.writers import Writers


class Extra(NamedTuple):
    """The optional packages that a kind of account needs; `module` is there where they are installed."""

    name: str
    module: str

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None

    @property
    def command(self) -> str:
        return f"pip install -e '.[{self.name}]'"


PROVIDERS = {
    "local": "integrations.local.provider",
    "google": "integrations.google.provider",
    "microsoft": "integrations.microsoft.provider",
    "imap": "integrations.standards.provider",
}
EXTRAS = {
    "google": Extra("google", "googleapiclient"),
    "microsoft": Extra("microsoft", "msgraph"),
    "imap": Extra("standards", "imap_tools"),
}


class AccountConfig(Value):
    """`name` is unique for its user; `address` is the owner's; `owner` the name that mail carries beside it; `settings` are the
    provider's own (for local: paths)."""

    name: str
    kind: str
    address: str
    owner: str = ""
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

    @property
    def sends(self) -> bool:
        """Whether a mail leaves when it is sent; False where it waits in an Outbox for the user's own mail program."""

    @property
    def lacks(self) -> Mapping[Capability, str]:
        """What this account can't do, each with the reason in a clause."""

    async def prepare(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Reads ahead what the first question would wait for; `on_progress` hears (done, all). The number of mails."""

    async def close(self) -> None: ...


@runtime_checkable
class Tells(Protocol):
    """An account that tells by itself of new mail."""

    async def news(self) -> None:
        """Returns once something may have come into the inbox since this was last asked. Raises AuthExpired where the account must
        be connected again, NotFound where it has no inbox."""


@runtime_checkable
class TriesSending(Protocol):
    """An account that can try whether its mail would leave."""

    async def try_sending(self) -> None:
        """Signs in where its mail leaves, and sends nothing. NotFound where there is no such place, else raises as sending does."""


class Secrets(Protocol):
    """What accounts sign in with, a text of the provider's own for each account's name."""

    async def load(self, account: str) -> str | None:
        """None where there is none, or none that can be read: then the account must be connected again."""

    async def save(self, account: str, secret: str) -> None: ...


class NoSecrets:
    """For accounts that need none."""

    async def load(self, account: str) -> str | None:
        return None

    async def save(self, account: str, secret: str) -> None:
        raise NotFound(f"There is no place to keep the secret of the account {account}.", account)


NO_SECRETS = NoSecrets()


def _now() -> datetime:
    return datetime.now(UTC)


def reconnect(kind: str, account: str) -> str:
    """The end of a sentence about an account that signs in no more."""
    return f"connect it again: assistant accounts add {kind} --name {shlex.quote(account)}"


def provider_of(kind: str, account: str = "") -> str:
    """The module of a provider. Raises MissingExtra where its packages are not installed, NotFound where there is none."""
    extra = EXTRAS.get(kind)
    if extra and not extra.installed:
        raise MissingExtra(f"{kind} accounts need further packages; in the project's folder: {extra.command}", account)
    if kind in PROVIDERS:
        return PROVIDERS[kind]
    if extra:
        raise NotFound(f"This version has no provider for {kind} accounts yet; there are: {', '.join(PROVIDERS)}.", account)
    raise NotFound(f"There is no provider called {kind}; there are: {', '.join(PROVIDERS)}.", account)


def open_account(
    config: AccountConfig,
    *,
    zone: ZoneInfo,
    index: Path,
    clock: Callable[[], datetime] = _now,
    secrets: Secrets = NO_SECRETS,
) -> Account:
    """`zone` is the user's; `index` a folder that the provider may fill with what it can rebuild; `clock` dates what is written."""
    provider = import_module(provider_of(config.kind, config.name))
    account: Account = provider.open_account(config, zone=zone, index=index, clock=clock, secrets=secrets)
    return account
