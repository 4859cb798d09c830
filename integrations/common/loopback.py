"""Where an authorisation server sends the browser back to: a port of this machine, open for one answer."""

import asyncio
import html
import secrets
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

LONGEST = 16_384
"""Bytes of a request."""
PATIENCE = 10.0
"""Seconds for a request to arrive whole."""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Personal assistant</title>
<body style="font: 1.2em sans-serif; margin: 4em auto; max-width: 30em"><p>{}</p></body></html>"""
DONE = "That was all here. You can close this window; the terminal tells what came of it."
NOTHING = "This is no answer to what the terminal waits for. Open the address that it shows once more."


class Loopback:
    """Listens on 127.0.0.1, on a port that is free. `host` is how the server knows it; `state` is what the server has to give back
    with its answer."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._host = host
        self.state = secrets.token_urlsafe(32)

    async def __aenter__(self) -> Self:
        """Raises OSError."""
        self._answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=LONGEST)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.close()

    @property
    def uri(self) -> str:
        return f"http://{self._host}:{self._server.sockets[0].getsockname()[1]}/"

    def is_answer(self, address: str) -> bool:
        """Whether an address carries what the authorisation server answers, rather than what any other page made up."""
        try:
            told = parse_qs(urlsplit(address).query)
        except ValueError:
            return False
        state = "".join(told.get("state", ()))
        return bool({"code", "error"} & told.keys()) and secrets.compare_digest(state.encode(), self.state.encode())

    async def answer(self) -> str:
        """The address that the browser was sent to, with the answer in its query."""
        return await asyncio.shield(self._answer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
            await self._respond(head.split(b" ", 2), writer)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, TimeoutError):
            pass
        finally:
            writer.close()

    async def _respond(self, head: list[bytes], writer: asyncio.StreamWriter) -> None:
        """Browsers ask for an icon as well."""
        target = head[1].decode("ascii", "replace") if len(head) > 1 and head[0] == b"GET" else ""
        wanted = target.startswith("/?") and self.is_answer(target)
        body = PAGE.format(html.escape(DONE if wanted else NOTHING)).encode()
        status = "200 OK" if wanted else "404 Not Found"
        fields = ("Content-Type: text/html; charset=utf-8", f"Content-Length: {len(body)}", "Referrer-Policy: no-referrer")
        writer.write("\r\n".join((f"HTTP/1.1 {status}", *fields, "Connection: close", "", "")).encode() + body)
        await writer.drain()
        if wanted and not self._answer.done():
            self._answer.set_result(self.uri.rstrip("/") + target)
