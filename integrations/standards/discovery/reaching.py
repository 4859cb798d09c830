"""Whether a server is there and can be trusted, found out before anything secret is said to it."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress

from integrations.errors import IntegrationError
from integrations.standards.certificates import ANOTHER_NAME, EXPIRED, NOT_YET, wrong_with
from integrations.standards.dialling import Private, public_address
from integrations.standards.endpoints import Endpoint, tls_context

PATIENCE = 6.0
"""Seconds for a connection with its encryption."""
LONGEST_LINE = 4096
MOST_LINES = 100


class Unreachable(IntegrationError):
    """`helps`: what to do about it, a clause, or empty."""

    kind = "not_reached"

    def __init__(self, message: str, helps: str = "") -> None:
        super().__init__(message)
        self.helps = helps


class Reach:
    """`trusted` is a file of certificates. With `public` nothing is reached but ordinary ports of the internet: whoever may not
    touch this machine's own network shall not probe it through here either."""

    def __init__(self, *, trusted: str = "", public: bool = False) -> None:
        self.trusted, self.public = trusted, public
        self._context: ssl.SSLContext | None = None

    async def context(self) -> ssl.SSLContext:
        """Raises Unreachable where the certificates can't be read."""
        if self._context is None:
            try:
                self._context = await asyncio.to_thread(tls_context, self.trusted)
            except OSError as unread:
                why = "holds no certificates" if isinstance(unread, ssl.SSLError) else unread.strerror or "can't be read"
                raise Unreachable(f"The file {self.trusted} can't be used: {why}.") from unread
        return self._context

    async def where(self, host: str, port: int) -> str:
        """What to connect to: the host itself, or, for `public`, the address that was looked at. Raises Unreachable."""
        if not self.public:
            return host
        try:
            async with asyncio.timeout(PATIENCE):
                return await asyncio.to_thread(public_address, host, port)
        except Private as private:
            raise Unreachable(str(private)) from private
        except (OSError, TimeoutError) as unknown:
            raise _not_found(host) from unknown

    async def check(self, endpoint: Endpoint) -> None:
        """That something listens there, with a certificate for this name where it is encrypted. Raises Unreachable."""
        context = await self.context()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._connect(endpoint, context)
        except (OSError, TimeoutError, EOFError, UnicodeError, ValueError) as error:
            raise _in_words(error, endpoint) from error

    async def _connect(self, endpoint: Endpoint, context: ssl.SSLContext) -> None:
        direct = {"ssl": context, "server_hostname": endpoint.host} if endpoint.security == "tls" else {}
        at = await self.where(endpoint.host, endpoint.port)
        reader, writer = await asyncio.open_connection(at, endpoint.port, limit=LONGEST_LINE, **direct)  # type: ignore[arg-type]
        try:
            if endpoint.security == "starttls":
                await STARTTLS[endpoint.protocol](reader, writer, endpoint)
                await writer.start_tls(context, server_hostname=endpoint.host)
        finally:
            writer.close()
            with suppress(OSError):
                writer.transport.abort()


async def _imap_starttls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, endpoint: Endpoint) -> None:
    await _line(reader)
    writer.write(b"a STARTTLS\r\n")
    for _ in range(MOST_LINES):
        line = await _line(reader)
        if line.startswith(b"a "):
            if not line.upper().startswith(b"A OK"):
                raise _unencrypted(endpoint)
            return
    raise ValueError("too many lines")


async def _smtp_starttls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, endpoint: Endpoint) -> None:
    await _reply(reader)
    for command in (b"EHLO [127.0.0.1]\r\n", b"STARTTLS\r\n"):
        writer.write(command)
        if not (await _reply(reader)).startswith(b"2"):
            raise _unencrypted(endpoint)


STARTTLS: dict[str, Callable[[asyncio.StreamReader, asyncio.StreamWriter, Endpoint], Awaitable[None]]] = {
    "imap": _imap_starttls,
    "smtp": _smtp_starttls,
}


async def _reply(reader: asyncio.StreamReader) -> bytes:
    """The last line of an SMTP server's reply."""
    for _ in range(MOST_LINES):
        line = await _line(reader)
        if line[3:4] != b"-":
            return line
    raise ValueError("too many lines")


async def _line(reader: asyncio.StreamReader) -> bytes:
    """Raises ValueError where it is too long."""
    line = await reader.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    return line


def _unencrypted(endpoint: Endpoint) -> Unreachable:
    return Unreachable(f"{endpoint.host} offers no encryption on port {endpoint.port}.", "nothing secret is sent to it without")


def _not_found(host: str) -> Unreachable:
    return Unreachable(f"There is no server called {host}.", "check its name, and that you are online")


def _in_words(error: Exception, endpoint: Endpoint) -> Unreachable:
    """Which of them went wrong matters to who has to put it right."""
    host, at = endpoint.host, f"{endpoint.host}, port {endpoint.port},"
    match error:
        case ssl.SSLCertVerificationError():
            return _mistrusted(error, host)
        case ssl.SSLError():
            return Unreachable(f"{at} does not encrypt as {endpoint.scheme}:// means it.", "perhaps that is another port's way")
        case socket.gaierror() | UnicodeError():
            return _not_found(host)
        case ConnectionRefusedError():
            return Unreachable(f"Nothing listens at {at.rstrip(',')}.", "check the server's name and port")
        case TimeoutError():
            return Unreachable(f"{at} does not answer.", "check the server's name and port, and that you are online")
        case EOFError() | ValueError() | ConnectionError():
            return Unreachable(f"{at} does not speak {endpoint.protocol.upper()}.", "check the server's name and port")
    why = getattr(error, "strerror", "") or type(error).__name__
    return Unreachable(f"{at} can't be reached ({why}).", "check that you are online")


def _mistrusted(error: ssl.SSLCertVerificationError, host: str) -> Unreachable:
    words = f"The certificate of {host} {wrong_with(error)}, so nothing was sent there."
    if error.verify_code in ANOTHER_NAME:
        return Unreachable(words, "give the server's name that stands in its certificate")
    if error.verify_code in (*EXPIRED, *NOT_YET):
        return Unreachable(words, "its owner has to renew it")
    return Unreachable(
        words,
        "for a server of your own, name the file of its certificate in a terminal: assistant accounts add imap --trusted FILE",
    )
