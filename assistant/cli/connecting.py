"""What the accounts commands do."""

import json as jsonlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from assistant.bootstrap import accounts_in_use, open_database, settings_for
from assistant.errors import UserError
from integrations.common.addresses import parse_address
from integrations.errors import IntegrationError
from integrations.local.standing import remember_folders
from integrations.registry import AccountConfig, provider_of
from integrations.types import Address
from storage import accounts, secrets
from storage.errors import Duplicate


async def add_local(home: Path | None, name: str, address: str, folders: Mapping[str, Path | None], *, create: bool) -> int:
    owner = owner_of(address)
    given = {kind: path.expanduser().absolute() for kind, path in folders.items() if path is not None}
    if not given:
        raise UserError("Give at least one of --mail, --calendars and --contacts.")
    settings = settings_for(home)
    for kind, path in given.items():
        _usable(kind, path, create)
    database = open_database(settings)
    stored = {kind: str(path) for kind, path in given.items()}
    try:
        await database.write(
            lambda s: accounts.add(
                s, name=name, kind="local", address=owner.email, owner=owner.name, settings=stored, at=datetime.now(UTC)
            )
        )
    except Duplicate as there:
        raise taken(name) from there
    finally:
        await database.close()
    remember_folders(name, given.values(), settings.home / "index")
    print(f"Connected {name} ({owner.email}): " + ", ".join(f"{kind} in {path}" for kind, path in given.items()) + ".")
    return 0


def taken(name: str) -> UserError:
    return UserError(f"There is an account called {name} already; choose another --name, or remove that one.")


def owner_of(address: str) -> Address:
    owner = parse_address(address)
    if owner is None:
        raise UserError(f"{address!r} is not a mail address.")
    return owner


def _usable(kind: str, path: Path, create: bool) -> None:
    if not path.exists() and create:
        path.mkdir(parents=True)
    if not path.exists():
        raise UserError(f"There is no folder {path} for {kind}; check the path, or add --create to make it.")
    if not path.is_dir():
        raise UserError(f"{path} is a file; {kind} must be a folder. To take it in, use: assistant import {path}")


def check_provider(kind: str) -> None:
    """Raises UserError that says what is missing for an account of this kind."""
    try:
        provider_of(kind)
    except IntegrationError as missing:
        raise UserError(str(missing)) from missing


class SignIn(NamedTuple):
    """Of an account: the scopes it signs in for, or a sentence that says why it does not, and what helps."""

    state: str = "connected"
    scopes: tuple[str, ...] = ()
    trouble: str = ""


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
    if all(config.kind != "google" for config in configs):
        return {}
    from assistant.cli import connecting_google

    return await connecting_google.sign_ins(home)


def _as_json(config: AccountConfig, signed: SignIn) -> dict[str, object]:
    return {**config.model_dump(mode="json"), **signed._asdict()}


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
    from integrations.google.oauth import SCOPES

    if signed.trouble:
        yield signed.trouble
    yield from (f"may {SCOPES.get(scope, scope)}" for scope in signed.scopes)


async def remove(home: Path | None, name: str) -> int:
    database = open_database(settings_for(home))
    try:
        account = await database.read(lambda s: accounts.get(s, name))
        if account is None:
            raise UserError(f"There is no account called {name}.")
        told = await _revoked(home, name) if account.kind == "google" else "Its folders were left as they are."
        await database.write(lambda s: (accounts.remove(s, name), secrets.remove(s, name)))
    finally:
        await database.close()
    print(f"Disconnected {name}. {told}")
    return 0


async def _revoked(home: Path | None, name: str) -> str:
    from assistant.cli import connecting_google

    return await connecting_google.revoke(home, name)
