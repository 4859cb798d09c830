"""`assistant import`: fills a local account from exported files. It only ever creates."""

import asyncio
import getpass
from collections import Counter
from pathlib import Path

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from assistant.bootstrap import configured_accounts, open_database, settings_for
from assistant.cli import render
from assistant.cli.connecting import add_local
from assistant.errors import UserError
from integrations.local.importing import ImportReport, LocalFolders
from integrations.local.importing import import_files as fill
from integrations.registry import AccountConfig

SHOWN = 20


async def import_files(home: Path | None, paths: list[Path], account: str, address: str, *, json: bool) -> int:
    config = await _account(home, account, address, quiet=json)
    folders = LocalFolders.of(config.settings)
    out = render.console(error=json)
    bar = Progress(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), console=out, transient=True)
    with bar:
        task = bar.add_task("Importing…", total=None)

        def progress(done: int, total: int, where: str) -> None:
            bar.update(task, completed=done, total=total, description=f"Importing {Path(where).name[:40]}")

        report = await asyncio.to_thread(fill, paths, folders, on_progress=progress)
    if json:
        print(report.model_dump_json(indent=2))
    else:
        _tell(report, config)
    return 0


async def _account(home: Path | None, name: str, address: str, *, quiet: bool) -> AccountConfig:
    """The local account meant; with none connected, a new one in the home."""
    settings = settings_for(home)
    local = await _local_accounts(settings.home)
    if not local and not name:
        base = settings.home / "local"
        owner = address or f"{getpass.getuser()}@localhost"
        folders = {kind: base / kind for kind in ("mail", "calendars", "contacts")}
        await add_local(home, "local", owner, folders, create=True, quiet=quiet)
        if not address and not quiet:
            print(f"Your own address is taken to be {owner}; give --address to say another.")
        local = await _local_accounts(settings.home)
    fits = [config for config in local if name in ("", config.name)]
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(config.name for config in local) or "none"
    raise UserError(f"Say which local account to fill with --account; there are: {names}.")


async def _local_accounts(home: Path) -> list[AccountConfig]:
    database = open_database(home)
    try:
        return [config for config in await configured_accounts(database) if config.kind == "local"]
    finally:
        await database.close()


def _tell(report: ImportReport, config: AccountConfig) -> None:
    counts = f"{report.mails} mails, {report.events} calendar items and {report.contacts} contacts"
    print(f"Taken into {config.name}: {counts}.")
    print(f"Already there: {report.duplicates}. Skipped: {len(report.skipped)}.")
    for skipped in report.skipped[:SHOWN]:
        print(f"  {skipped.where}: {skipped.reason}")
    rest = Counter(skipped.reason for skipped in report.skipped[SHOWN:])
    for reason, number in rest.most_common():
        print(f"  … and {number} more: {reason}")
