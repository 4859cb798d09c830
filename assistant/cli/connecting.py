"""What the accounts commands do."""

import json as jsonlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from assistant.bootstrap import configured_accounts, open_database, settings_for
from assistant.errors import UserError
from integrations.common.addresses import parse_address
from storage import accounts
from storage.errors import Duplicate


async def add_local(
    home: Path | None, name: str, address: str, folders: Mapping[str, Path | None], *, create: bool, quiet: bool = False
) -> int:
    owner = parse_address(address)
    if owner is None:
        raise UserError(f"{address!r} is not a mail address.")
    given = {kind: path.expanduser().absolute() for kind, path in folders.items() if path is not None}
    if not given:
        raise UserError("Give at least one of --mail, --calendars and --contacts.")
    for kind, path in given.items():
        _usable(kind, path, create)
    database = open_database(settings_for(home).home)
    settings = {kind: str(path) for kind, path in given.items()}
    try:
        await database.write(
            lambda s: accounts.add(s, name=name, kind="local", address=owner.email, settings=settings, at=datetime.now(UTC))
        )
    except Duplicate as taken:
        raise UserError(f"There is an account called {name} already; choose another --name, or remove that one.") from taken
    finally:
        await database.close()
    if not quiet:
        print(f"Connected {name} ({owner.email}): " + ", ".join(f"{kind} in {path}" for kind, path in given.items()) + ".")
    return 0


def _usable(kind: str, path: Path, create: bool) -> None:
    if not path.exists() and create:
        path.mkdir(parents=True)
    if not path.exists():
        raise UserError(f"There is no folder {path} for {kind}; check the path, or add --create to make it.")
    if not path.is_dir():
        raise UserError(f"{path} is a file; {kind} must be a folder. To take it in, use: assistant import {path}")


async def list_accounts(home: Path | None, *, json: bool) -> int:
    database = open_database(settings_for(home).home)
    try:
        configs = await configured_accounts(database)
    finally:
        await database.close()
    if json:
        print(jsonlib.dumps([config.model_dump(mode="json") for config in configs], indent=2))
    elif not configs:
        print("No account is connected; the SAMPLE account is used. Connect your own: assistant accounts add local --help")
    for config in () if json else configs:
        print(f"{config.name}  {config.kind}  {config.address}  " + "  ".join(f"{k}: {v}" for k, v in config.settings.items()))
    return 0


async def remove(home: Path | None, name: str) -> int:
    database = open_database(settings_for(home).home)
    try:
        removed = await database.write(lambda s: accounts.remove(s, name))
    finally:
        await database.close()
    if not removed:
        raise UserError(f"There is no account called {name}.")
    print(f"Disconnected {name}. Its folders were left as they are.")
    return 0
