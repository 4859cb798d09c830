"""The line between a client and an SMTP server, on which a test does something at one step of a mail's way: cuts it, or kills the
client."""

import asyncio
from collections.abc import Callable
from typing import Literal

from servers.background import LIMIT, Background

Step = Literal[
    "before MAIL", "before RCPT", "after RCPT", "before DATA", "after DATA", "in the text", "before the reply", "after the reply"
]
STEPS: tuple[Step, ...] = (
    "before MAIL",
    "before RCPT",
    "after RCPT",
    "before DATA",
    "after DATA",
    "in the text",
    "before the reply",
    "after the reply",
)
"""In this order. From "before the reply" on the server has the mail."""
END = b"\r\n.\r\n"


class SmtpSteps:
    """In front of the server that listens at `upstream`. At a step it does something, once, and cuts the line or goes on."""

    def __init__(self, background: Background, upstream: int) -> None:
        self._upstream = upstream
        self._step: Step | None = None
        self._act: Callable[[], object] = lambda: None
        self._cuts = True
        self.port = background.listen(self._serve)

    def at(self, step: Step, act: Callable[[], object] = lambda: None, *, cuts: bool = True) -> None:
        self._step, self._act, self._cuts = step, act, cuts

    def reset(self) -> None:
        self._step = None

    async def _reached(self, step: str) -> None:
        if step == self._step:
            self._step = None
            await asyncio.to_thread(self._act)
            if self._cuts:
                raise ConnectionAbortedError

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._upstream, limit=LIMIT)
        try:
            writer.write(await _reply(from_server))
            while line := await reader.readline():
                await self._command(line, reader, writer, from_server, to_server)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()
            to_server.transport.abort()

    async def _command(
        self,
        line: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        from_server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        verb = line[:4].decode("ascii", "replace").upper().strip()
        await self._reached(f"before {verb}")
        to_server.write(line)
        reply = await _reply(from_server)
        await self._reached(f"after {verb}")
        writer.write(reply)
        if verb == "DATA" and reply.startswith(b"354"):
            await self._text(reader, writer, from_server, to_server)

    async def _text(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        from_server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        text = await reader.readuntil(END)
        half = len(text) // 2
        to_server.write(text[:half])
        await to_server.drain()
        await self._reached("in the text")
        to_server.write(text[half:])
        reply = await _reply(from_server)
        await self._reached("before the reply")
        writer.write(reply)
        await writer.drain()
        await self._reached("after the reply")


async def _reply(server: asyncio.StreamReader) -> bytes:
    lines = [await server.readline()]
    while lines[-1][3:4] == b"-":
        lines.append(await server.readline())
    if not lines[-1]:
        raise ConnectionAbortedError
    return b"".join(lines)
