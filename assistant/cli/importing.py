"""`assistant import`: fills a local account from exported files. It only ever creates."""

import asyncio
import getpass
import sys
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from assistant.bootstrap import configured_accounts, open_database, settings_for
from assistant.cli import render
from assistant.cli.text import counted
from assistant.connecting.local import owner_of
from assistant.errors import UserError
from integrations.local.importing import ImportReport, LocalFolders
from integrations.local.importing import import_files as fill
from integrations.local.mail_index import index_file
from integrations.local.standing import remember_folders
from integrations.registry import AccountConfig
from integrations.types import Address
from storage import accounts
from storage.session import Session

SHOWN = 20
KINDS = ("mail", "calendars", "contacts")
TOOK_NOTHING = 1


async def import_files(home: Path | None, paths: list[Path], account: str, address: str, *, json: bool) -> int:
    base = settings_for(home).home
    owner = owner_of(address) if address else None
    there = await _account(home, account)
    config = there or _new(base, owner)
    report = await asyncio.to_thread(_fill, paths, config, base / "index", json=json)
    empty = not report.taken and not report.duplicates
    if there is None and empty:
        _clear(config)
    elif there is None or (owner and (owner.email, owner.name) != (there.address, there.owner)):
        changed = {"address": owner.email, "owner": owner.name} if owner else {}
        config = await _keep(home, config.model_copy(update=changed), there)
        _say_address(config, there, given=bool(owner))
    if json:
        print(report.model_dump_json(indent=2))
    else:
        _tell(report, config.name)
    if empty:
        connected = "" if there else "; no account was made"
        print(f"assistant: Nothing could be taken in{connected}.", file=sys.stderr)
    return TOOK_NOTHING if empty else 0


async def _account(home: Path | None, name: str) -> AccountConfig | None:
    """The local account meant; None where there is none yet and none was named."""
    database = open_database(settings_for(home))
    try:
        local = [config for config in await configured_accounts(database) if config.kind == "local"]
    finally:
        await database.close()
    if not local and not name:
        return None
    fits = [config for config in local if name in ("", config.name)]
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(config.name for config in local) or "none"
    raise UserError(f"Say which local account to fill with --account; there are: {names}.")


def _new(base: Path, owner: Address | None) -> AccountConfig:
    """An account in the home, its folders made, itself not yet connected."""
    folders = {kind: base / "local" / kind for kind in KINDS}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    settings = {kind: str(folder.absolute()) for kind, folder in folders.items()}
    owner = owner or Address(email=f"{getpass.getuser()}@localhost")
    return AccountConfig(name="local", kind="local", address=owner.email, owner=owner.name, settings=settings)


def _clear(config: AccountConfig) -> None:
    """Takes away the folders of an account that came to nothing, as far as they are empty."""
    for folder in map(Path, config.settings.values()):
        for part in sorted(folder.rglob("*"), reverse=True):
            with suppress(OSError):
                part.rmdir()
        with suppress(OSError):
            folder.rmdir()
            folder.parent.rmdir()


async def _keep(home: Path | None, config: AccountConfig, old: AccountConfig | None) -> AccountConfig:
    """Connects the account, or changes its address; the index of its mail, which knows the owner, is made anew."""

    def work(session: Session) -> None:
        before = accounts.get(session, config.name)
        accounts.remove(session, config.name)
        at = before.created if before else datetime.now(UTC)
        address, owner, settings = config.address, config.owner, config.settings
        accounts.add(session, name=config.name, kind="local", address=address, owner=owner, settings=settings, at=at)

    database = open_database(settings_for(home))
    try:
        await database.write(work)
    finally:
        await database.close()
    if old and (mail := config.settings.get("mail")):
        _forget_index(index_file(settings_for(home).home / "index", config.name, Path(mail)))
    return config


def _forget_index(index: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{index}{suffix}").unlink(missing_ok=True)


def _say_address(config: AccountConfig, old: AccountConfig | None, *, given: bool) -> None:
    if old:
        words = f"Your own address in {config.name} was {old.address} and is now {config.address}."
    elif given:
        words = f"Connected {config.name} ({config.address}) in {Path(config.settings['mail']).parent}."
    else:
        words = (
            f"Connected {config.name} in {Path(config.settings['mail']).parent}. You gave no --address, so your own is taken to be "
            f"{config.address}, and mail that you wrote is not known as yours; repeat the import with --address to change that."
        )
    print(words, file=sys.stderr)


def _fill(paths: list[Path], config: AccountConfig, index: Path, *, json: bool) -> ImportReport:
    remember_folders(config.name, (Path(folder).expanduser() for folder in config.settings.values() if folder), index)
    out = render.console(error=json)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task("Importing…", total=None)

        def progress(done: int, total: int, where: str) -> None:
            name = "".join(c if c.isprintable() else "?" for c in Path(where).name)[:40]
            bar.update(task, completed=done, total=total, description=f"Importing {name}")

        return fill(paths, LocalFolders.of(config.settings), on_progress=progress)


def _tell(report: ImportReport, account: str) -> None:
    parts = [counted(report.mails, "mail"), counted(report.events, "calendar item"), counted(report.contacts, "contact")]
    print(f"Taken into {account}: {parts[0]}, {parts[1]} and {parts[2]}.")
    print(f"Already there: {report.duplicates}. Skipped: {len(report.skipped)}.")
    for skipped in report.skipped[:SHOWN]:
        print(render.safe(f"  {skipped.where}: {skipped.reason}").plain)
    rest = Counter(skipped.reason for skipped in report.skipped[SHOWN:])
    for reason, number in rest.most_common():
        print(render.safe(f"  … and {number} more: {reason}").plain)
