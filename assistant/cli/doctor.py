"""`assistant doctor`: whether everything is there that the assistant needs."""

import json as jsonlib
import os
import sqlite3
import sys
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

from assistant.bootstrap import open_assistant, settings_for, zone_of
from assistant.cli import render
from integrations.errors import IntegrationError
from integrations.types import ContactQuery, MailQuery
from storage.errors import StorageError

EXTRAS = {"google": "googleapiclient", "microsoft": "msgraph", "standards": "imap_tools"}


class Check(NamedTuple):
    """`good` None: neither good nor bad, only told."""

    what: str
    good: bool | None
    words: str


async def doctor(home: Path | None, *, json: bool) -> int:
    checks = [check async for check in _checks(home)]
    if json:
        print(jsonlib.dumps([check._asdict() for check in checks], indent=2))
    else:
        render.console().print(_table(checks))
    return 1 if any(check.good is False for check in checks) else 0


async def _checks(home: Path | None) -> AsyncIterator[Check]:
    yield Check("Python", sys.version_info >= (3, 11), sys.version.partition(" ")[0])
    yield Check("SQLite full-text search", _has_fts(), sqlite3.sqlite_version)
    settings = settings_for(home)
    yield Check("time zone", True, zone_of(settings.zone).key)
    yield Check("data directory", True, str(settings.home))
    try:
        async with open_assistant(home) as a:
            yield Check("data directory is private", _private(settings.home), oct(settings.home.stat().st_mode & 0o777))
            yield Check("database", True, "open and up to date")
            for config in a.accounts:
                yield Check(
                    f"account {config.name}",
                    None if config.sample else True,
                    f"{config.address}{' (SAMPLE)' if config.sample else ''}",
                )
            mails = await a.look(MailQuery(limit=1))
            yield Check("mail", True, f"{mails.total} mails in the index{_skipped(len(mails.skipped))}")
            contacts = await a.look(ContactQuery(limit=5000))
            yield Check("contacts", True, f"{len(contacts.items)} contacts{_skipped(len(contacts.skipped))}")
            yield Check("open previews", None, str(len(await a.open_previews())))
            yield Check("reasoner", True, a.reasoner)
    except (StorageError, IntegrationError) as error:
        yield Check("opening", False, str(error))
    for extra, module in EXTRAS.items():
        there = find_spec(module) is not None
        yield Check(f"extra {extra}", None, "installed" if there else f"not installed: pip install 'personal-assistant[{extra}]'")


def _has_fts() -> bool:
    try:
        sqlite3.connect(":memory:").execute("CREATE VIRTUAL TABLE t USING fts5(x)")
    except sqlite3.OperationalError:
        return False
    return True


def _private(home: Path) -> bool:
    return os.name != "posix" or home.stat().st_mode & 0o077 == 0


def _skipped(number: int) -> str:
    return f"; {number} could not be read" if number else ""


def _table(checks: list[Check]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2))
    marks = {True: Text("✓", style="green"), False: Text("✗", style="red"), None: Text("·", style="dim")}
    for check in checks:
        table.add_row(marks[check.good], check.what, check.words)
    return table
