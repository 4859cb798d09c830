"""A throw-away Xandikos, which keeps calendars as Git repositories and tells its own users of meetings by itself (RFC 6638). It
believes what is in front of it about who somebody is: its proxy here."""

import tempfile
from pathlib import Path

from servers import installed
from servers.process import Process, free_port

UNSYNCED = "import os; os.fsync = lambda file: None; from xandikos.__main__ import cli_main; cli_main()"
"""What it keeps need not outlast the machine."""


class Xandikos(Process):
    def __init__(self) -> None:
        program = installed.xandikos()
        self.folder = Path(tempfile.mkdtemp(prefix="xandikos-"))
        self.port = free_port()
        places = ["-d", str(self.folder / "kept"), "--state-dir", str(self.folder / "state")]
        heard = ["-l", "127.0.0.1", "-p", str(self.port), "--no-detect-systemd", "--trust-x-remote-user-from", "127.0.0.1"]
        (self.folder / "kept").mkdir()
        super().__init__([program, "-c", UNSYNCED, "multi-user", *places, *heard, "--defaults"], self.port, self.folder)
