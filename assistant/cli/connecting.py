"""What the accounts commands do."""

import json as jsonlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from assistant.bootstrap import accounts_in_use, open_database, settings_for
from assistant.errors import UserError
from integrations.common.addresses import parse_address
from integrations.errors import IntegrationError
from integrations.local.standing import remember_folders
from integrations.registry import provider_of
from integrations.types import Address
from storage import accounts
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
    except Duplicate as taken:
        raise UserError(f"There is an account called {name} already; choose another --name, or remove that one.") from taken
    finally:
        await database.close()
    remember_folders(name, given.values(), settings.home / "index")
    print(f"Connected {name} ({owner.email}): " + ", ".join(f"{kind} in {path}" for kind, path in given.items()) + ".")
    return 0


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


async def list_accounts(home: Path | None, *, json: bool) -> int:
    configs = await accounts_in_use(home)
    if json:
        print(jsonlib.dumps([config.model_dump(mode="json") for config in configs], indent=2))
        return 0
    for config in configs:
        mark = "  SAMPLE" if config.sample else ""
        folders = "  ".join(f"{k}: {v}" for k, v in config.settings.items())
        print(f"{config.name}  {config.kind}  {config.address}{mark}  {folders}")
    if any(config.sample for config in configs):
        print("No account of yours is connected, so the sample account is used. Connect one: assistant accounts add local --help")
    return 0


async def remove(home: Path | None, name: str) -> int:
    database = open_database(settings_for(home))
    try:
        removed = await database.write(lambda s: accounts.remove(s, name))
    finally:
        await database.close()
    if not removed:
        raise UserError(f"There is no account called {name}.")
    print(f"Disconnected {name}. Its folders were left as they are.")
    return 0
