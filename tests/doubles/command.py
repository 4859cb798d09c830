"""The `assistant` command, each time in a process of its own that is forked off one which has imported it already: that takes most
of the time of a short command."""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

IMPORTED = (
    "assistant.cli.main assistant.cli.chat assistant.cli.commands assistant.cli.render assistant.bootstrap assistant.household "
    "assistant.reasoning.offline.reasoner assistant.reasoning.offline.planning.planner integrations.local.provider "
    "integrations.local.sample storage.sqlite"
)
PROGRAM = """
import importlib, sys
for name in sys.argv[2].split():
    importlib.import_module(name)
from doubles.command import forked
forked(int(sys.argv[1]))
from assistant.cli.main import main
main()
"""


class Commands:
    """Runs one command after the other. The first one pays for the imports."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        given = [sys.executable, "-c", PROGRAM, str(theirs.fileno()), IMPORTED]
        here = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
        self._source = subprocess.Popen(given, pass_fds=[theirs.fileno()], env=os.environ | here)
        self._one = threading.Lock()
        theirs.close()

    def run(
        self, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` of the command with its output captured."""
        wanted = json.dumps([["assistant", *arguments], dict(os.environ if env is None else env), str(cwd or Path.cwd())])
        with self._one, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            reading, writing = os.pipe()
            message = wanted.encode()
            socket.send_fds(self._ours, [len(message).to_bytes(4)], [reading, out.fileno(), err.fileno()])
            self._ours.sendall(message)
            os.close(reading)
            threading.Thread(target=_fed, args=(writing, stdin.encode()), daemon=True).start()
            process = int.from_bytes(_received(self._ours, 4))
            killer = threading.Timer(timeout, os.kill, (process, signal.SIGKILL))
            killer.start()
            status = int.from_bytes(_received(self._ours, 4), signed=True)
            killer.cancel()
            return subprocess.CompletedProcess(["assistant", *arguments], status, _all_of(out), _all_of(err))

    def close(self) -> None:
        self._ours.close()
        self._source.wait(10)


def _fed(pipe: int, text: bytes) -> None:
    with suppress(BrokenPipeError), os.fdopen(pipe, "wb") as stream:
        stream.write(text)


def _all_of(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode()


def _received(connection: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        more = connection.recv(length - len(found))
        if not more:
            raise EOFError
        found += more
    return found


def forked(number: int) -> None:
    """Returns in each process that is to run a command, and ends the one that they come from when nobody asks for more."""
    gc.freeze()
    with socket.socket(fileno=number) as asked:
        while True:
            length, streams, _, _ = socket.recv_fds(asked, 4, 3)
            if not length:
                os._exit(0)
            arguments, environment, folder = json.loads(_received(asked, int.from_bytes(length)))
            process = os.fork()
            if process == 0:
                for target, stream in enumerate(streams):
                    os.dup2(stream, target)
                    os.close(stream)
                os.environ.clear()
                os.environ.update(environment)
                os.chdir(folder)
                sys.argv = arguments
                return
            for stream in streams:
                os.close(stream)
            asked.sendall(process.to_bytes(4))
            _, ended = os.waitpid(process, 0)
            asked.sendall(os.waitstatus_to_exitcode(ended).to_bytes(4, signed=True))
