"""A throw-away PostgreSQL server in a folder of its own, reached through a socket there.

with Server() as server:
    database = Database.open(server.fresh())
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from storage.database import store_at
from storage.migrations import bring_up_to_date

OWNER = "assistant"
MISSING = "no PostgreSQL server is installed here: apt-get install postgresql"
PATIENCE = 30.0
QUICK = {"fsync": "off", "full_page_writes": "off", "deadlock_timeout": "20ms"}


class NotInstalled(Exception):
    pass


class Server:
    """`synced`: what is committed is on disk, as it is by default; else a crash of the machine would lose it."""

    def __init__(self, *, synced: bool = False) -> None:
        self._binaries = _binaries()
        self._as = _unprivileged()
        self._options = {} if synced else QUICK
        self.folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._data = self.folder / "data"
        self._running: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        self._template = ""

    def __enter__(self) -> "Server":
        if self._as:
            os.chown(self.folder, self._as["user"], self._as["group"])
        initdb = [
            "initdb",
            "--no-sync",
            "--auth=trust",
            f"--username={OWNER}",
            "--encoding=UTF8",
            "--locale=C",
            f"--pgdata={self._data}",
        ]
        subprocess.run(self._command(initdb), check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self._as)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        options = {"listen_addresses": "", "unix_socket_directories": str(self.folder), **self._options}
        command = ["postgres", "-D", str(self._data), *(f"--{name}={value}" for name, value in options.items())]
        with (self.folder / "log").open("ab") as log:
            self._running = subprocess.Popen(self._command(command), stdout=log, stderr=log, cwd=self.folder, **self._as)
        giving_up = time.monotonic() + PATIENCE
        while True:
            try:
                return psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                if time.monotonic() > giving_up or self._running.poll() is not None:
                    raise
                time.sleep(0.02)

    def stop(self, *, crash: bool = False) -> None:
        """Connections are cut off; of a crash the server recovers when it starts again."""
        if self._running:
            self._running.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
            self._running.wait(PATIENCE)
            self._running = None

    def url(self, database: str) -> str:
        return f"postgresql://{OWNER}@/{database}?host={self.folder}"

    def fresh(self) -> str:
        """The address of a new database with its tables."""
        if not self._template:
            self._template = "tables"
            bring_up_to_date(store_at(self.empty(self._template)))
        return self.empty(template=self._template)

    def empty(self, name: str = "", template: str = "template1") -> str:
        name = name or f"database{next(self._numbers)}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def drop(self, url: str) -> None:
        self._execute(f"DROP DATABASE IF EXISTS {psycopg.conninfo.conninfo_to_dict(url)['dbname']} WITH (FORCE)")

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def _command(self, command: list[str]) -> list[str]:
        return [str(self._binaries / command[0]), *command[1:]]


def _binaries() -> Path:
    """The newest there are."""
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    on_path = [Path(found).resolve().parent] if (found := shutil.which("postgres")) else []
    for folder in (*packaged, *on_path):
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NotInstalled(MISSING)


def _unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root, so somebody else does."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
