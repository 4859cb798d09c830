"""Connecting plain folders."""

from collections.abc import Mapping
from pathlib import Path

from assistant.connecting.kept import Kept, check_name, taken
from assistant.errors import UserError
from integrations.common.addresses import parse_address
from integrations.local.standing import remember_folders
from integrations.registry import AccountConfig
from integrations.types import Address
from storage import accounts
from storage.errors import Duplicate

KIND = "local"


def owner_of(address: str) -> Address:
    owner = parse_address(address)
    if owner is None:
        raise UserError(f"{address!r} is not a mail address.")
    return owner


async def connect(kept: Kept, name: str, address: str, folders: Mapping[str, Path | None], *, create: bool) -> AccountConfig:
    """`folders` by kind: mail, calendars, contacts; with `create` they are made where they are missing."""
    check_name(name)
    owner = owner_of(address)
    given = {kind: path.expanduser().absolute() for kind, path in folders.items() if path is not None}
    if not given:
        raise UserError("Give at least one folder: for mail, calendars or contacts (--mail, --calendars, --contacts).")
    if await kept.account(name):
        raise taken(name)
    for kind, path in given.items():
        _usable(kind, path, create)
    config = AccountConfig(
        name=name, kind=KIND, address=owner.email, owner=owner.name, settings={kind: str(path) for kind, path in given.items()}
    )
    try:
        await kept.database.write(lambda s: accounts.add(s, **config.model_dump(), at=kept.clock(), user_id=kept.user))
    except Duplicate as there:
        raise taken(name) from there
    remember_folders(name, given.values(), kept.index)
    return config


def _usable(kind: str, path: Path, create: bool) -> None:
    try:
        if not path.exists() and create:
            path.mkdir(parents=True)
        there, folder = path.exists(), path.is_dir()
    except OSError as refused:
        raise UserError(f"The folder {path} for {kind} can't be used: {refused.strerror or refused}.") from refused
    if not there:
        raise UserError(f"There is no folder {path} for {kind}; check the path, or have it made (--create).")
    if not folder:
        raise UserError(f"{path} is a file; {kind} must be a folder. To take it in, use: assistant import {path}")
