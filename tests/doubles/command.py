"""The `assistant` command, each time in a process of its own that is forked off one which has imported it already, and has used it
once: that takes most of the time of a short command."""

import atexit
import gc
import json
import os
import select
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
    "assistant.cli.main assistant.cli.chat assistant.cli.commands assistant.cli.render assistant.cli.serve assistant.bootstrap "
    "assistant.household assistant.hosting assistant.service.serving assistant.reasoning.offline.reasoner "
    "assistant.reasoning.offline.planning.planner integrations.local.provider integrations.local.sample storage.sqlite"
)
PROGRAM = """
import asyncio, importlib, sys, tempfile
for name in sys.argv[2].split():
    importlib.import_module(name)
from assistant import open_assistant
async def used():
    with tempfile.TemporaryDirectory() as home:
        async with open_assistant(home) as assistant:
            await assistant.say("c", "find mails from Anna")
asyncio.run(used())
from doubles.command import ends, forked
forked(int(sys.argv[1]))
from assistant.cli.main import main
try:
    main()
except SystemExit as ended:
    ends(ended.code)
"""
SETTINGS = "ASSISTANT_"


class Running:
    """A command at work: what `subprocess.Popen` of it would be, with text in its pipes."""

    def __init__(self, status: socket.socket, stdin: IO[str], stdout: IO[str], stderr: IO[str] | None) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.returncode: int | None = None
        self._status = status
        self.pid = int.from_bytes(_received(status, 4))

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._status.settimeout(timeout)
            self.returncode = int.from_bytes(_received(self._status, 4), signed=True)
            self._status.close()
        return self.returncode

    def poll(self) -> int | None:
        with suppress(BlockingIOError):
            self.wait(0)
        return self.returncode

    def send_signal(self, sent: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sent)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it still says, when it has ended."""
        with suppress(BrokenPipeError):
            self.stdin.close()
        said = self.stdout.read(), self.stderr.read() if self.stderr else ""
        self.wait(timeout)
        return said

    def close(self) -> None:
        self.kill()
        self.wait()
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream:
                with suppress(BrokenPipeError):
                    stream.close()


class Commands:
    """Runs commands, also several at once. The first one pays for the imports. `program` may be another one than `assistant`,
    made alike."""

    def __init__(self, program: str = PROGRAM, imported: str = IMPORTED) -> None:
        self._ours, theirs = socket.socketpair()
        given = [sys.executable, "-c", program, str(theirs.fileno()), imported]
        here = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
        own = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
        self._source = subprocess.Popen(given, pass_fds=[theirs.fileno()], env=own | here)
        self._one = threading.Lock()
        theirs.close()

    def run(
        self, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` of the command with its output captured."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            reading, writing = os.pipe()
            status = self._asked(arguments, env, cwd, (reading, out.fileno(), err.fileno()))
            os.close(reading)
            threading.Thread(target=_fed, args=(writing, stdin.encode()), daemon=True).start()
            with status:
                process = int.from_bytes(_received(status, 4))
                killer = threading.Timer(timeout, os.kill, (process, signal.SIGKILL))
                killer.start()
                ended = int.from_bytes(_received(status, 4), signed=True)
                killer.cancel()
            return subprocess.CompletedProcess(["assistant", *arguments], ended, _all_of(out), _all_of(err))

    def start(self, *arguments: str, env: Mapping[str, str] | None = None, together: bool = False) -> Running:
        """As `subprocess.Popen` of the command with pipes for its streams; `together`: what it says of errors comes with the
        rest. `close` what comes of it."""
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        ours_err, theirs_err = (None, theirs_out) if together else os.pipe()
        status = self._asked(arguments, env, None, (theirs_in, theirs_out, theirs_err))
        for stream in {theirs_in, theirs_out, theirs_err}:
            os.close(stream)
        errors = None if ours_err is None else os.fdopen(ours_err, encoding="utf-8")
        return Running(status, os.fdopen(ours_in, "w", encoding="utf-8"), os.fdopen(ours_out, encoding="utf-8"), errors)

    def _asked(
        self, arguments: tuple[str, ...], env: Mapping[str, str] | None, cwd: Path | None, streams: tuple[int, int, int]
    ) -> socket.socket:
        """From which its process id comes, and how it ended."""
        wanted = json.dumps([["assistant", *arguments], dict(os.environ if env is None else env), str(cwd or Path.cwd())])
        ours, theirs = socket.socketpair()
        message = wanted.encode()
        with self._one, theirs:
            socket.send_fds(self._ours, [len(message).to_bytes(4)], [*streams, theirs.fileno()])
            self._ours.sendall(message)
        return ours

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
    gc.collect()
    gc.freeze()
    waking, woken = socket.socketpair()
    waking.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking.fileno())
    running: dict[int, socket.socket] = {}
    with socket.socket(fileno=number) as asked:
        while True:
            ready, _, _ = select.select([asked, woken], [], [])
            if woken in ready:
                woken.recv(1024)
                _tell_who_ended(running)
            if asked not in ready:
                continue
            length, given, _, _ = socket.recv_fds(asked, 4, 4)
            if not length:
                os._exit(0)
            arguments, environment, folder = json.loads(_received(asked, int.from_bytes(length)))
            *streams, status = given
            process = os.fork()
            if process == 0:
                for one in (asked, waking, woken, socket.socket(fileno=status), *running.values()):
                    one.close()
                return _becomes(arguments, environment, folder, streams)
            for stream in streams:
                os.close(stream)
            running[process] = socket.socket(fileno=status)
            running[process].sendall(process.to_bytes(4))


def _tell_who_ended(running: dict[int, socket.socket]) -> None:
    while running:
        process, ended = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        with running.pop(process) as told, suppress(BrokenPipeError):
            told.sendall(os.waitstatus_to_exitcode(ended).to_bytes(4, signed=True))


def _becomes(arguments: list[str], environment: dict[str, str], folder: str, streams: list[int]) -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the suite runs in the background of a shell
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    # What there was may know of itself that it can be sought in.
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = arguments


def ends(status: str | int | None) -> None:
    """As the interpreter does, but for taking apart all that was imported, of which the memory would be copied."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status if isinstance(status, int) else int(status is not None))
