"""The process around a command: its arguments and streams made safe, its signals and its ending."""

import asyncio
import errno
import os
import re
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

from assistant.cli.logs import log_in_sentences

SURROGATES = re.compile("[\ud800-\udfff]")
CANT_WRITE, INTERRUPTED, TERMINATED = 1, 130, 143
"""Exit statuses; that nobody reads the output is no failure."""


def sound(text: str) -> str:
    """Bytes that were no text in the terminal's encoding come as lone surrogates, which nothing else can hold."""
    return SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)


GRACE = 8.0
"""Seconds that a termination leaves for what has begun; what takes longer is found out at the next start."""


def run(work: Coroutine[Any, Any, int], *, terminated: int = TERMINATED) -> int:
    """The exit status. A termination, or the end of the terminal, is an orderly end, with a status of its own: a write in hand is
    finished, and whatever runs is suspended."""
    try:
        return asyncio.run(_terminable(work, terminated))
    except asyncio.CancelledError:
        return terminated
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _unheard()


async def _terminable(work: Coroutine[Any, Any, int], status: int) -> int:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None

    def terminate() -> None:
        for ending in endings:
            loop.add_signal_handler(ending, lambda: None)  # once is enough
        # A thread that writes can't be cancelled, and the interpreter would wait for it.
        timer = Timer(GRACE, os._exit, (status,))
        timer.daemon = True
        timer.start()
        task.cancel()

    endings = _endings()
    with suppress(NotImplementedError, RuntimeError):  # where there are no signals, or not in this thread
        for ending in endings:
            loop.add_signal_handler(ending, terminate)
    return await work


def _endings() -> list[signal.Signals]:
    """What ends the program: a termination, and a terminal that is closed, unless it was started to outlive that."""
    hangup: signal.Signals | None = getattr(signal, "SIGHUP", None)
    if hangup is None or signal.getsignal(hangup) is signal.SIG_IGN:
        return [signal.SIGTERM]
    return [signal.SIGTERM, hangup]


def guarded(command: Callable[[], Any]) -> int:
    """Runs it to the exit status; every error is one sentence on standard error."""
    _mend_streams()
    log_in_sentences()
    sys.argv[1:] = [arg if SURROGATES.search(arg) and Path(arg).exists() else sound(arg) for arg in sys.argv[1:]]
    status = _status(command)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return _unheard()
    except OSError as full:
        return _unwritable(full)
    return status


def _status(command: Callable[[], Any]) -> int:
    try:
        command()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except OSError as error:
        nameless = error.filename is None and error.errno == errno.ENOSPC
        return _unwritable(error) if nameless else _reported(error)
    except Exception as error:
        return _reported(error)
    return 0


def _reported(error: Exception) -> int:
    from assistant.cli.failures import report

    return report(error)


def _unwritable(error: OSError) -> int:
    _unheard()
    print(f"assistant: The output can't be written: {error.strerror or error}.", file=sys.stderr)
    return CANT_WRITE


def _unheard() -> int:
    """What is left in the buffer goes nowhere, so that the interpreter's last flush has nothing to complain about."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _mend_streams() -> None:
    """A closed stream becomes an empty one, and characters that a stream can't hold are replaced."""
    sys.stdin = sys.stdin or _nothing("r")
    sys.stdout = sys.stdout or _nothing("w")
    sys.stderr = sys.stderr or _nothing("w")
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")


def _nothing(mode: str) -> Any:
    return os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8")
