"""A throw-away Radicale, which keeps calendars and address books as files in its folder."""

import json
import shutil
import tempfile
from pathlib import Path

from servers import installed
from servers.process import Process, free_port

CONFIG = """
[server]
hosts = 127.0.0.1:{port}
max_connections = 100
[auth]
type = htpasswd
htpasswd_filename = {folder}/users
htpasswd_encryption = plain
delay = 0
[rights]
type = from_file
file = {folder}/rights
[storage]
filesystem_folder = {folder}/kept
[web]
type = none
[logging]
level = warning
"""
RIGHTS = """
[everybody sees the root]
user: .+
collection:
permissions: R
[one's own]
user: .+
collection: {user}
permissions: RW
[nobody changes these]
user: .+
collection: {user}/readonly[^/]*
permissions: r
[what is one's own]
user: .+
collection: {user}/[^/]+
permissions: rw
"""
PROGRAM = """
import os
from functools import cache

import pytz
from radicale.__main__ import run
from vobject import icalendar

found, known = icalendar.getTransition, cache(icalendar.getTransition)
icalendar.getTransition = lambda to, year, zone: (known if isinstance(zone, pytz.tzinfo.BaseTzInfo) else found)(to, year, zone)
os.fsync = lambda file: None
run()
"""
"""What it keeps need not outlast the machine. When the clocks of a zone change is worked out for 31 years at each PUT, which
takes longer than all else, so it is worked out once for each zone that never changes (pytz has one object for each)."""
CALENDAR = {"tag": "VCALENDAR", "C:supported-calendar-component-set": "VEVENT"}
BOOK = {"tag": "VADDRESSBOOK"}


class Radicale(Process):
    def __init__(self) -> None:
        program = installed.radicale()
        self.folder = Path(tempfile.mkdtemp(prefix="radicale-"))
        self.port = free_port()
        self._passwords: dict[str, str] = {}
        (self.folder / "config").write_text(CONFIG.format(port=self.port, folder=self.folder))
        (self.folder / "rights").write_text(RIGHTS)
        self._write_passwords()
        super().__init__([program, "-c", PROGRAM, "--config", str(self.folder / "config")], self.port, self.folder)

    def put_user(self, name: str, password: str) -> None:
        if self._passwords.get(name) != password:
            self._passwords[name] = password
            self._write_passwords()

    def wipe(self, name: str) -> None:
        """One calendar and one address book, both empty."""
        shutil.rmtree(self.home(name), ignore_errors=True)
        self.add(name, "calendar", CALENDAR | {"D:displayname": "Calendar"})
        self.add(name, "contacts", BOOK | {"D:displayname": "Contacts"})

    def add(self, name: str, collection: str, properties: dict[str, str]) -> Path:
        """A calendar or address book; nobody may change one whose name begins with "readonly"."""
        folder = self.home(name) / collection
        folder.mkdir(parents=True)
        (folder / ".Radicale.props").write_text(json.dumps(properties))
        return folder

    def home(self, name: str) -> Path:
        return self.folder / "kept" / "collection-root" / name

    def _write_passwords(self) -> None:
        aside = self.folder / "users.new"
        aside.write_text("".join(f"{name}:{password}\n" for name, password in self._passwords.items()))
        aside.replace(self.folder / "users")
