"""`assistant doctor`: whether everything is there that the assistant needs."""

import json as jsonlib
import os
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

from assistant.bootstrap import endpoints_in_use, matrix_of, open_assistant, settings_for, zone_of
from assistant.cli import render
from assistant.cli.connecting import sign_ins
from assistant.cli.failures import of_the_disk
from assistant.connecting.signing import SignIn
from assistant.errors import AssistantError
from assistant.facade import Assistant
from assistant.llm.endpoint import DEFAULT_MODEL, Endpoint
from assistant.timetable.phrases import listed
from integrations.errors import IntegrationError
from integrations.registry import EXTRAS, AccountConfig
from integrations.types import ContactQuery, EventQuery, MailQuery, Skipped
from storage.audit import Verification
from storage.errors import StorageError
from storage.sealing import KEY_FILE

AHEAD = timedelta(days=30)


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
    matrix_of(settings)
    yield Check("risk matrix", True, str(settings.risk_matrix or "built in"))
    try:
        async with open_assistant(home, recover=False) as a:
            yield _private(settings.home)
            for check in _key(settings.home / KEY_FILE):
                yield check
            yield Check("database", True, f"{a.database.place}, open and up to date")
            yield _journal(await a.verify_audit())
            signed = await sign_ins(home, a.accounts)
            for config in a.accounts:
                yield Check(f"account {config.name}", None if config.sample else True, _named(config))
                for check in (*_folders(config), *_sign_in(config, signed)):
                    yield check
            async for check in _contents(a):
                yield check
            async for check in _sending(a):
                yield check
            yield Check("open previews", None, str(len(await a.open_previews())))
            for check in _reasoners(endpoints_in_use(settings), a.reasoner):
                yield check
    except (StorageError, IntegrationError, AssistantError) as error:
        yield Check("opening", False, str(error))
    except OSError as error:
        yield Check("opening", False, of_the_disk(error))
    for kind, extra in EXTRAS.items():
        yield Check(f"packages for {kind}", None, "installed" if extra.installed else f"not installed: {extra.command}")


def _has_fts() -> bool:
    try:
        sqlite3.connect(":memory:").execute("CREATE VIRTUAL TABLE t USING fts5(x)")
    except sqlite3.OperationalError:
        return False
    return True


def _private(home: Path) -> Check:
    mode = home.stat().st_mode & 0o777
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        return Check("data directory", False, f"{home} can't be read and written")
    if os.name == "posix" and mode & 0o077:
        return Check("data directory", False, f"{home} is open to others; make it private: chmod 700 {home}")
    return Check("data directory", True, f"{home}, private")


def _key(file: Path) -> Iterator[Check]:
    if os.name == "posix" and file.exists():
        is_open = bool(file.stat().st_mode & 0o077)
        yield Check(
            "key", not is_open, f"{file} is open to others; make it private: chmod 600 {file}" if is_open else f"{file}, private"
        )


def _journal(found: Verification) -> Check:
    entries = "1 entry" if found.count == 1 else f"{found.count} entries"
    return Check("audit journal", not found.wrong, found.wrong or f"whole, {entries}")


def _named(config: AccountConfig) -> str:
    return f"{config.address}{' (SAMPLE)' if config.sample else ''}"


def _folders(config: AccountConfig) -> Iterator[Check]:
    """A local account's settings are its folders."""
    for kind, path in config.settings.items() if config.kind == "local" else ():
        what, folder = f"{kind} of {config.name}", Path(path)
        if not folder.exists():
            yield Check(what, False, f"{folder} is not there")
        elif not folder.is_dir():
            yield Check(what, False, f"{folder} is no folder")
        elif not os.access(folder, os.R_OK | os.X_OK):
            yield Check(what, False, f"{folder} can't be read")
        elif not os.access(folder, os.W_OK):
            yield Check(what, None, f"{folder} can be read, but not written")
        else:
            yield Check(what, True, str(folder))


def _sign_in(config: AccountConfig, signed: Mapping[str, SignIn]) -> Iterator[Check]:
    if config.name in signed:
        trouble = signed[config.name].trouble
        yield Check(f"sign-in of {config.name}", not trouble, trouble or "there, and the key opens it")


def _reasoners(endpoints: Sequence[Endpoint], offline: str) -> Iterator[Check]:
    if not endpoints:
        yield Check("reasoner", True, f"no language model: {offline}")
    for endpoint in endpoints:
        model = endpoint.model or ("a model of its choice" if endpoint.base_url else DEFAULT_MODEL)
        yield Check("reasoner", None, f"{model} at {endpoint.place}: configured, not tested; `assistant models test` tries it")


async def _contents(a: Assistant) -> AsyncIterator[Check]:
    """Each kind by itself, so that one that fails hides no other."""
    now = a.clock()
    try:
        mails = await a.look(MailQuery(limit=1))
        found = "can be read" if mails.total is None else render.counted(mails.total, "mail")
        yield Check("mail", True, f"{found}{_skipped(mails.skipped)}")
    except IntegrationError as error:
        yield Check("mail", False, str(error))
    try:
        calendars = render.counted(len(await a.readers.calendar.calendars()), "calendar")
        events = await a.look(EventQuery(start=now, end=now + AHEAD, limit=5000))
        ahead = f"{render.counted(len(events.items), 'event')} in the next {AHEAD.days} days"
        yield Check("calendars", True, f"{calendars}, {ahead}{_skipped(events.skipped)}")
    except IntegrationError as error:
        yield Check("calendars", False, str(error))
    try:
        contacts = await a.look(ContactQuery())
        yield Check("contacts", True, f"{render.counted(len(contacts.items), 'contact')}{_skipped(contacts.skipped)}")
    except IntegrationError as error:
        yield Check("contacts", False, str(error))


async def _sending(a: Assistant) -> AsyncIterator[Check]:
    """Of each account that can be tried without sending a mail."""
    for config in a.accounts:
        what = f"sending mail of {config.name}"
        try:
            if await a.try_sending(config.name):
                yield Check(what, True, "signed in; no mail was sent")
        except IntegrationError as error:
            yield Check(what, False, str(error))


def _skipped(items: Sequence[Skipped]) -> str:
    """A number of items; what is more than an item by its name."""
    whole = [f"the account {one.where}" if one.account else one.where for one in items if one.account or one.whole]
    number = len(items) - len(whole)
    unread = [*([str(number)] if number else []), *whole]
    return f"; {listed(unread)} could not be read" if unread else ""


def _table(checks: list[Check]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2))
    marks = {True: Text("✓", style="green"), False: Text("✗", style="red"), None: Text("·", style="dim")}
    for check in checks:
        table.add_row(marks[check.good], check.what, render.safe(check.words))
    return table
