"""What the accounts commands do."""

import json as jsonlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from assistant.bootstrap import accounts_in_use, open_database, seal_of, settings_for
from assistant.connecting import accounts, local
from assistant.connecting.browser import SIGNS_IN
from assistant.connecting.kept import Kept
from assistant.connecting.signing import SignIn
from integrations.registry import AccountConfig


@asynccontextmanager
async def kept_in(home: Path | None) -> AsyncIterator[Kept]:
    settings = settings_for(home)
    database = open_database(settings)
    try:
        yield Kept(database, seal_of(settings), settings.home / "index", lambda: datetime.now(UTC))
    finally:
        await database.close()


async def add_local(home: Path | None, name: str, address: str, folders: Mapping[str, Path | None], *, create: bool) -> int:
    async with kept_in(home) as kept:
        config = await local.connect(kept, name, address, folders, create=create)
    print(f"Connected {name} ({config.address}): " + ", ".join(f"{kind} in {path}" for kind, path in config.settings.items()) + ".")
    return 0


async def list_accounts(home: Path | None, *, json: bool) -> int:
    configs = await accounts_in_use(home)
    signed = await sign_ins(home, configs)
    if json:
        print(jsonlib.dumps([_as_json(config, signed.get(config.name, SignIn())) for config in configs], indent=2))
        return 0
    for line in _lines(configs, signed):
        print(line)
    if any(config.sample for config in configs):
        print("No account of yours is connected, so the sample account is used. Connect one: assistant accounts add --help")
    return 0


async def sign_ins(home: Path | None, configs: Sequence[AccountConfig]) -> Mapping[str, SignIn]:
    """Of each account that signs in somewhere."""
    if all(config.kind not in SIGNS_IN for config in configs):
        return {}
    async with kept_in(home) as kept:
        return await accounts.sign_ins(kept, configs)


def _as_json(config: AccountConfig, signed: SignIn) -> dict[str, object]:
    return {**config.model_dump(mode="json"), "state": signed.state, "scopes": signed.scopes, "trouble": signed.trouble}


def _lines(configs: Sequence[AccountConfig], signed: Mapping[str, SignIn]) -> Iterator[str]:
    """For each account a line in columns, and what is to be known of it below."""
    rows = [
        (c.name, c.kind, c.address, "SAMPLE" if c.sample else signed[c.name].state if c.name in signed else "") for c in configs
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for config, row in zip(configs, rows, strict=True):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        yield from (f"    {line}" for line in (_allowed(signed[config.name]) if config.name in signed else _folders(config)))


def _folders(config: AccountConfig) -> Iterator[str]:
    width = max(map(len, config.settings), default=0)
    yield from (f"{kind:{width}}  {path}" for kind, path in config.settings.items())


def _allowed(signed: SignIn) -> Iterator[str]:
    if signed.trouble:
        yield signed.trouble
    yield from (f"may {words}" for words in signed.may)


async def remove(home: Path | None, name: str) -> int:
    async with kept_in(home) as kept:
        print(await accounts.remove(kept, name))
    return 0
