"""Backing up a home while it is in use, and putting a backup in its place."""

import asyncio
import os
import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from assistant.errors import FlowError, UserError
from assistant.pipeline import auditing
from assistant.running.lease import Presence
from integrations.types import Value
from storage import backup, invitations, outbox, passkeys, restored, schedules, sessions, slots, tokens, users
from storage.backup import Manifest
from storage.database import Database
from storage.errors import BadBackup, CorruptDatabase, NewerDatabase
from storage.session import Session

CUT = "A backup was restored that had been made in the middle of it."
DOUBT = "A backup was restored that had been made before it went out."


class Restored(Value):
    """`made`: when the backup was; `aside`: where what lay there before is now; `doubted`: how many writes were under way then, so
    that their providers are asked before anything is said about them; `scheduled`: how many wait for their time again, whatever has
    become of them since; `skipped`: schedules, by name, of which a run was due since then, which is not made up for; `tokens`: how
    many were good then, and are revoked; `sign_ins`: whether there are passwords or passkeys, which are those of then; `journal`:
    what is wrong with the audit journal, if anything is."""

    made: datetime
    aside: Path | None
    doubted: int
    scheduled: int = 0
    skipped: tuple[str, ...] = ()
    tokens: int = 0
    sign_ins: bool = False
    journal: str = ""


class _Settled(NamedTuple):
    """As in `Restored`."""

    doubted: int
    scheduled: int
    skipped: tuple[str, ...]
    tokens: int
    sign_ins: bool


def back_up(home: Path, file: Path, *, version: str, at: datetime) -> Manifest:
    if not (home / backup.DATABASE).exists():
        raise UserError(f"There is nothing to back up: {home} holds no data of the assistant.")
    file = file.expanduser().absolute()
    if file.exists():
        raise UserError(f"{file} is there already; give another name, so that no earlier backup is lost.")
    if not file.parent.is_dir():
        raise UserError(f"There is no folder {file.parent} for the backup.")
    if file.resolve().is_relative_to(home.resolve()):
        raise UserError(f"Keep the backup outside {home}: it would be lost with it.")
    return backup.make(home, file, version=version, at=at)


async def restore(home: Path, file: Path, *, replace: bool, at: datetime) -> Restored:
    """What lay in the home stays there, in a folder of its own."""
    file = _given(file, home)
    presence = Presence(home)
    try:
        if not presence.enter() and presence.known:
            raise FlowError(f"An assistant has {home} open; end it first.")
        if backup.holds_data(home) and not replace:
            raise UserError(f"{home} holds data already; add --replace to put them aside, or restore into another --home.")
        with backup.room_in(home):
            return await _restored(home, file, at)
    finally:
        presence.leave()


def _given(file: Path, home: Path) -> Path:
    """The backup's full path; the home is there afterwards."""
    file = file.expanduser().absolute()
    if not file.is_file():
        raise UserError(f"There is no backup {file}.")
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return file


async def _restored(home: Path, file: Path, at: datetime) -> Restored:
    manifest, unpacked = await asyncio.to_thread(backup.unpack, file, home)
    try:
        settled = await _fitted(manifest, unpacked, home, file, at)
        journal = await asyncio.to_thread(backup.journal_of, unpacked / backup.DATABASE)
    except BaseException:
        shutil.rmtree(unpacked, ignore_errors=True)
        raise
    _sync()
    aside = await asyncio.to_thread(backup.put_in_place, unpacked, home, at)
    return Restored(made=manifest.made, aside=aside, journal=journal, **settled._asdict())


async def _fitted(manifest: Manifest, unpacked: Path, home: Path, file: Path, at: datetime) -> _Settled:
    """The unpacked database checked, brought up to date and settled."""
    path = unpacked / backup.DATABASE
    if not path.exists():
        raise BadBackup(f"The backup {file} holds no database; choose another.")
    backup.check(path)
    try:
        database = Database.open(path)
    except NewerDatabase as newer:
        raise backup.newer(file) from newer
    try:
        return await database.write_synced(lambda s: _settled(s, manifest, home.absolute(), at))
    finally:
        await database.close()


def _settled(s: Session, manifest: Manifest, home: Path, at: datetime) -> _Settled:
    """What was under way, or whose time has come since, may have been done: writes become unknown, and no run is made up for. The
    other writes stay held."""
    backup.move_accounts(s, manifest.home, home)
    restored.note(s, at)
    revoked = _locked(s)
    with suppress(CorruptDatabase):  # a journal without its head is told of
        auditing.restored(s, manifest.made, at)
    unfinished = outbox.unfinished(s)
    doubtful = [row for row in unfinished if row.status != "held" or row.not_before is None or row.not_before <= at]
    for row in doubtful:
        outbox.advance(s, row.id, expect=outbox.UNFINISHED, to="unknown", at=at, error=DOUBT)
        auditing.answered(s, row, "unknown", at, error=DOUBT)
    skipped = schedules.skip(s, at)
    slots.close_claimed(s, at, CUT)
    sign_ins = passkeys.any(s) or any(user.password for user in users.list(s))
    return _Settled(len(doubtful), len(unfinished) - len(doubtful), skipped, revoked, sign_ins)


def _locked(s: Session) -> int:
    """Sessions, links and tokens that were ended since would be good again. How many tokens there were."""
    sessions.remove_every(s)
    invitations.remove_every(s)
    return tokens.remove_every(s)


def _sync() -> None:
    """All that was unpacked is on disk before anything is put aside for it."""
    if hasattr(os, "sync"):
        os.sync()
