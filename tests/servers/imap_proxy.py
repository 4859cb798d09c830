"""A connection to an IMAP server that tests cut, or answer in the server's place.

A rule is meant for the next command whose line matches its pattern; what stands in literals matches nothing.
"""

import asyncio
import contextlib
import re
import ssl
from dataclasses import dataclass
from typing import Literal

from servers.background import LIMIT, Background
from servers.dovecot import limited

When = Literal["before", "after"]
LITERAL = re.compile(rb"\{(\d+)(\+?)\}\r?\n$")
CAPABILITIES = re.compile(rb"^(?:\* |[^*]\S* OK \[|\* OK \[)CAPABILITY ([^\]\r\n]*)")
COMMAND = re.compile(rb"^\S+ (?:UID )?([A-Z]+)", re.IGNORECASE)


@dataclass
class Rule:
    """`reply`: sent in place of the answer, "%t" being the command's tag."""

    pattern: bytes
    when: When
    reply: bytes | None
    times: int


class ImapProxy:
    """`lines`: the commands' lines that clients sent, without passwords. `port`: in plain text, `secure`: with TLS."""

    def __init__(self, background: Background, upstream: int) -> None:
        self._background, self._upstream = background, upstream
        self._rules: list[Rule] = []
        self._open: set[asyncio.StreamWriter] = set()
        self._refusing = False
        self._from = ""
        self.hidden: frozenset[bytes] = frozenset()
        self.lines: list[bytes] = []
        self.port = background.listen(self._serve)

    def with_tls(self, context: ssl.SSLContext) -> int:
        """A further port, whose clients speak TLS."""
        return self._background.listen(self._serve, context)

    def lose(self, pattern: bytes, when: When = "before", times: int = 1) -> None:
        """The command is not forwarded; or is forwarded and answered, but the answer does not arrive."""
        self._rules.append(Rule(pattern, when, None, times))

    def instead(self, pattern: bytes, reply: bytes, times: int = 1) -> None:
        """The command is not forwarded; this is the reply to it, "%t" its tag."""
        self._rules.append(Rule(pattern, "before", reply, times))

    def cut(self) -> None:
        """All connections there are."""
        for one in list(self._open):
            self._background.loop.call_soon_threadsafe(one.transport.abort)

    def refuse(self, refusing: bool = True) -> None:
        """New connections end at once, as those there are."""
        self._refusing = refusing
        self.cut()

    def limit(self, connections: int) -> None:
        """How many further ones the server lets each user have at a time, up to 9."""
        self._from = limited(connections)

    def hide(self, *capabilities: bytes) -> None:
        """The server doesn't name these any more."""
        self.hidden = frozenset(capabilities)

    def shown(self, line: bytes) -> bytes:
        listed = CAPABILITIES.search(line) if self.hidden else None
        if listed is None:
            return line
        kept = b" ".join(one for one in listed[1].split(b" ") if one not in self.hidden)
        return line[: listed.start(1)] + kept + line[listed.end(1) :]

    def reset(self) -> None:
        self._rules.clear()
        self.lines.clear()
        self._refusing = False
        self._from = ""
        self.hidden = frozenset()

    def heard(self, line: bytes) -> Rule | None:
        """What is to be done about this command, if anything is."""
        if (command := COMMAND.match(line)) is None:
            return None
        self.lines.append(command[0] if command[1].upper() in (b"LOGIN", b"AUTHENTICATE") else line.rstrip())
        for rule in self._rules:
            if re.search(rule.pattern, line, re.IGNORECASE):
                rule.times -= 1
                if not rule.times:
                    self._rules.remove(rule)
                return rule
        return None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refusing:
            return writer.transport.abort()
        try:
            from_server, to_server = await asyncio.open_connection(
                "127.0.0.1", self._upstream, limit=LIMIT, local_addr=(self._from, 0) if self._from else None
            )
        except OSError:
            return writer.transport.abort()
        self._open.add(writer)
        line = Line(reader, writer, from_server, to_server)
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await line.last(self)
        finally:
            self._open.discard(writer)
            writer.transport.abort()
            to_server.transport.abort()
        return None


class Line:
    """One client's."""

    def __init__(
        self,
        client: asyncio.StreamReader,
        to_client: asyncio.StreamWriter,
        server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        self._client, self._to_client, self._server, self._to_server = client, to_client, server, to_server
        self._lost = b""
        """The tag of the command whose answer is lost."""
        self._answered = asyncio.Event()
        self._granted = False

    async def last(self, proxy: ImapProxy) -> None:
        halves = [asyncio.create_task(self._up(proxy)), asyncio.create_task(self._down(proxy))]
        try:
            await asyncio.wait(halves, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for half in halves:
                half.cancel()
            await asyncio.gather(*halves, return_exceptions=True)

    async def _up(self, proxy: ImapProxy) -> None:
        while line := await self._client.readline():
            rule = proxy.heard(line)
            if rule and rule.reply is not None:
                self._to_client.write(rule.reply.replace(b"%t", line.split(b" ")[0].strip()))
                if rule.reply.startswith(b"* BYE"):
                    self._to_client.write_eof()
            elif rule and rule.when == "before":
                return
            else:
                self._lost = line.split(b" ")[0] if rule else self._lost
                await self._forward(line)

    async def _forward(self, line: bytes) -> None:
        """With all literals and lines that belong to it."""
        while line:
            self._answered.clear()
            self._to_server.write(line)
            literal = LITERAL.search(line)
            if literal is None:
                return
            if not literal[2]:
                await self._answered.wait()
                if not self._granted:
                    return
            self._to_server.write(await self._client.readexactly(int(literal[1])))
            line = await self._client.readline()

    async def _down(self, proxy: ImapProxy) -> None:
        while line := await self._server.readline():
            literal = LITERAL.search(line)
            if literal:
                line += await self._server.readexactly(int(literal[1]))
            elif line.startswith(b"+") or not line.startswith(b"* "):
                self._granted = line.startswith(b"+")
                self._answered.set()
            if self._lost and line.startswith(self._lost + b" "):
                return
            if not self._lost or line.startswith(b"+"):
                self._to_client.write(proxy.shown(line))
                await self._to_client.drain()
