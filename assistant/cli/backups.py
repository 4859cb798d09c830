"""`assistant backup` and `assistant restore`."""

import json as jsonlib
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from assistant.bootstrap import settings_for
from assistant.cli.commands import called
from assistant.cli.text import counted
from assistant.errors import UserError
from assistant.running import backups
from storage.backup import Manifest

SERVER = "The data are in PostgreSQL: use {tool} for them, and copy the home for the rest."


async def back_up(home: Path | None, file: Path, *, json: bool) -> int:
    where = _home(home, "pg_dump")
    made = backups.back_up(where, file, version=version("personal-assistant"), at=datetime.now(UTC))
    if json:
        print(jsonlib.dumps({"file": str(file), **made.model_dump(mode="json")}, indent=2))
    else:
        _tell_made(where, file, made)
    return 0


def _home(home: Path | None, tool: str) -> Path:
    settings = settings_for(home)
    if settings.database_url.get_secret_value():
        raise UserError(SERVER.format(tool=tool))
    return settings.home


def _tell_made(where: Path, file: Path, made: Manifest) -> None:
    size = file.expanduser().stat().st_size / 2**20
    print(f"Backed up {where} to {file}: the database and {counted(made.files, 'file')}, {size:.1f} MB, checked.")
    print("Not in it: folders of mail, calendars and contacts elsewhere, and the search index, which is made again by itself.")
    print("Whoever has the file can read your conversations and keys: keep it where only you can.")
    if made.journal:
        print(f"The audit journal is not whole: {made.journal}")


async def restore(home: Path | None, file: Path, *, replace: bool, json: bool) -> int:
    where = _home(home, "pg_restore")
    restored = await backups.restore(where, file, replace=replace, at=datetime.now(UTC))
    if json:
        print(restored.model_dump_json(indent=2))
        return 0
    print(f"Restored {where} as it was {restored.made.astimezone():%d %b %Y %H:%M}.")
    if restored.aside:
        print(f"What lay there before is in {restored.aside}; delete that folder when you need nothing of it any more.")
    if restored.doubted:
        print(
            f"{counted(restored.doubted, 'write')} had not gone out when the backup was made and may have since: "
            "the next start asks, and sends nothing again by itself."
        )
    if restored.scheduled:
        print(
            f"Scheduled again, as it was then: {counted(restored.scheduled, 'write')}, also what you have taken back since; "
            f"see {called(home)} outbox."
        )
    if restored.skipped:
        print(
            f"Due since the backup was made, and not run again by this: {', '.join(restored.skipped)}; "
            f"run what you have not had with: {called(home)} schedules run NAME"
        )
    if restored.tokens:
        print(f"{counted(restored.tokens, 'token')} for programs ended with the restore; make new ones: {called(home)} tokens add.")
    if restored.sign_ins:
        print("Everybody signs in anew, with the passwords and passkeys of then, also those that were changed or removed since.")
    print("What you have forgotten, dropped or taken back since then is there again; which that was is not known here.")
    if restored.journal:
        print(f"The audit journal is not whole: {restored.journal}")
    return 0
