"""Lines from a pipe, read so that nobody has to wait for the pipe when the program is told to end."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from threading import Thread

CHUNK = 65536


async def lines() -> AsyncIterator[str]:
    """Of standard input, stripped, without empty ones; what is no text is replaced."""
    loop = asyncio.get_running_loop()
    chunks: asyncio.Queue[bytes] = asyncio.Queue()
    descriptor, encoding = sys.stdin.fileno(), sys.stdin.encoding or "utf-8"

    def read() -> None:
        # Past Python's own buffer, whose lock would keep the interpreter from ending while a read waits.
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            while chunk := _chunk(descriptor):
                loop.call_soon_threadsafe(chunks.put_nowait, chunk)
            loop.call_soon_threadsafe(chunks.put_nowait, b"")

    Thread(target=read, name="standard-input", daemon=True).start()
    rest = b""
    while chunk := await chunks.get():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if text := line.decode(encoding, "replace").strip():
                yield text
    if text := rest.decode(encoding, "replace").strip():
        yield text


def _chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK)
    except OSError:
        return b""
