"""Any account, with something that happens before and after each of its writes."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from integrations import registry
from integrations.actions import Action, Receipt
from integrations.registry import Account, AccountConfig, Secrets

Hook = Callable[[], Awaitable[None]]


class Hooks(NamedTuple):
    before: Hook
    after: Hook


registry.PROVIDERS["wrapped"] = __name__
_hooks: list[Hooks] = []


def wrapped(config: AccountConfig, before: Hook, after: Hook) -> AccountConfig:
    """The same account, in this process and those forked from it."""
    settings = {"account": config.model_dump_json(), "hooks": hook(before, after)}
    return config.model_copy(update={"kind": "wrapped", "settings": settings})


def hook(before: Hook, after: Hook) -> str:
    """The number under which accounts that are stored name these."""
    _hooks.append(Hooks(before, after))
    return str(len(_hooks) - 1)


class WrappedWriter:
    def __init__(self, writer: Any, hooks: Hooks) -> None:
        self._writer, self._hooks = writer, hooks

    async def execute(self, action: Action, key: str) -> Receipt:
        await self._hooks.before()
        receipt: Receipt = await self._writer.execute(action, key)
        await self._hooks.after()
        return receipt

    async def find(self, action: Action, key: str) -> Receipt | None:
        found: Receipt | None = await self._writer.find(action, key)
        return found


class WrappedWriters:
    def __init__(self, account: Account, hooks: Hooks) -> None:
        self.mail = WrappedWriter(account.writers.mail, hooks)
        self.calendar = WrappedWriter(account.writers.calendar, hooks)
        self.contacts = WrappedWriter(account.writers.contacts, hooks)


class WrappedAccount:
    def __init__(self, account: Account, hooks: Hooks) -> None:
        self._account = account
        self.writers = WrappedWriters(account, hooks)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._account, name)


def open_account(
    config: AccountConfig, *, zone: ZoneInfo, index: Path, clock: Callable[[], datetime], secrets: Secrets
) -> WrappedAccount:
    inner = AccountConfig.model_validate_json(config.settings["account"])
    account = registry.open_account(inner, zone=zone, index=index, clock=clock, secrets=secrets)
    return WrappedAccount(account, _hooks[int(config.settings["hooks"])])
