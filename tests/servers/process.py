"""A server in a process of its own, which ends with whoever started it, however that ends."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PATIENCE = 20.0
WATCH = 'read _; kill -s KILL -- "-$0"; rm -rf "$1"'
"""Waits for the end of whoever holds the other end of its input."""


class Process:
    """`folder`: all that it keeps; `identity`: of whom it runs as, as subprocess.Popen takes it."""

    def __init__(self, command: Sequence[str], port: int, folder: Path, identity: dict[str, Any] | None = None) -> None:
        self._command, self._port, self._folder, self._identity = command, port, folder, identity or {}
        self._running: subprocess.Popen[bytes] | None = None
        self._watch: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        output = self._folder / "output"
        with output.open("ab") as log:
            started = {"stdout": log, "stderr": log, "cwd": self._folder, "start_new_session": True}
            self._running = subprocess.Popen(self._command, **started, **self._identity)
        watch = ["sh", "-c", WATCH, str(self._running.pid), str(self._folder)]
        self._watch = subprocess.Popen(watch, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        giving_up = time.monotonic() + PATIENCE
        while not _listens(self._port):
            if self._running.poll() is not None or time.monotonic() > giving_up:
                raise RuntimeError(f"{self._command} did not start: {output.read_text()[-2000:]}")
            time.sleep(0.01)

    def stop(self, *, crash: bool = False) -> None:
        if self._running is None or self._watch is None:
            return
        self._watch.kill()
        self._watch.communicate()
        if crash:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._running.pid, signal.SIGKILL)
        else:
            self._running.terminate()
        self._running.wait(PATIENCE)
        self._running = None

    def restart(self, *, crash: bool = False) -> None:
        """All connections end, with a word of goodbye or without."""
        self.stop(crash=crash)
        self.start()

    def close(self) -> None:
        self.stop(crash=True)
        shutil.rmtree(self._folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
