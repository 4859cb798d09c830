"""What the accounts commands do."""

import json as jsonlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from assistant.bootstrap import accounts_in_use, open_database, settings_for
from assistant.errors import UserError
from integrations.common.addresses import parse_address
from integrations.errors import IntegrationError
from integrations.local.standing import remember_folders
from integrations.registry import AccountConfig, provider_of, reconnect
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


async def list_accounts(home: Path | None, *, json: bool) -> int:
    configs = await accounts_in_use(home)
    scopes = await sign_ins(home, configs)
    if json:
        print(jsonlib.dumps([_as_json(config, scopes) for config in configs], indent=2))
        return 0
    for config in configs:
        mark = "  SAMPLE" if config.sample else ""
        print(f"{config.name}  {config.kind}  {config.address}{mark}  {_state(config, scopes)}")
    if any(config.sample for config in configs):
        print("No account of yours is connected, so the sample account is used. Connect one: assistant accounts add --help")
    return 0


async def sign_ins(home: Path | None, configs: Sequence[AccountConfig]) -> Mapping[str, tuple[str, ...] | None]:
    """For each account that signs in the scopes it does so for; None where it must be connected again."""
    if all(config.kind != "google" for config in configs):
        return {}
    from assistant.cli import connecting_google

    return await connecting_google.sign_ins(home)


def _as_json(config: AccountConfig, scopes: Mapping[str, tuple[str, ...] | None]) -> dict[str, object]:
    allowed = scopes.get(config.name, ())
    state = "connect again" if allowed is None else "connected"
    return {**config.model_dump(mode="json"), "state": state, "scopes": allowed or ()}


def _state(config: AccountConfig, scopes: Mapping[str, tuple[str, ...] | None]) -> str:
    if config.name not in scopes:
        return "  ".join(f"{k}: {v}" for k, v in config.settings.items())
    allowed = scopes[config.name]
    if allowed is None:
        return reconnect(config.kind, config.name)
    from integrations.google.oauth import SCOPES

    return "\n    ".join(("connected; it may", *(SCOPES.get(scope, scope) for scope in allowed)))


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
