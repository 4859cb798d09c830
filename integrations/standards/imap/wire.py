"""One connection to an IMAP server: commands go out, answers come back, neither without bounds. Blocking."""

import binascii
import contextlib
import imaplib
import re
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from imap_tools.errors import ImapToolsError
from imap_tools.mailbox import BaseMailBox

from integrations.errors import IntegrationError, InvalidResponse
from integrations.standards.credentials import Login
from integrations.standards.dialling import dialled
from integrations.standards.endpoints import Endpoint, tls_context
from integrations.standards.imap.imap_errors import Server
from integrations.standards.imap.responses import Piece

CONNECTING, ANSWERING = 20.0, 60.0
"""Seconds that the server may be silent: until it is signed in to, and afterwards."""
LONGEST_LINE, LARGEST_ANSWER = 20_000_000, 150_000_000
"""Bytes. A search tells of two million mails in a line of the first size."""
_AT_ONCE = 65_536
_INLINE = 4096
_PLAIN = re.compile(rb"[ !#-\[\]-~]{0,900}")
_CHANGES = {"EXISTS", "EXPUNGE", "VANISHED"}
_UNSENDABLE = re.compile(rb"[\r\n\0]")


_OF_A_LINE = 80
"""Bytes that a line takes up here, however short it is."""
Held = Callable[[socket.socket], None]
"""Is given the connection before anything goes over it."""


class Content(bytes):
    """A message as it is stored, lines and all. Other strings have one line."""


R = TypeVar("R")
Argument = str | bytes
"""str goes out as it is; bytes as a string, however it has to be written."""


class Answer(NamedTuple):
    """`words` are those of its last line; `told` what came before it, by kind."""

    status: str
    words: bytes
    told: dict[str, list[Piece | None]]

    @property
    def ok(self) -> bool:
        return self.status == "OK"


class _Client(imaplib.IMAP4):
    """As the standard library's, but it takes no more from a server than it should, and keeps no password."""

    def __init__(self, endpoint: Endpoint, context: ssl.SSLContext | None, held: Held) -> None:
        self._endpoint, self._context, self._held = endpoint, context, held
        super().__init__(endpoint.host, endpoint.port, CONNECTING)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        sock = dialled(self._endpoint, CONNECTING)
        self._held(sock)
        if self._endpoint.security != "tls" or self._context is None:
            return sock
        return self._context.wrap_socket(sock, server_hostname=self._endpoint.host)

    def open(self, host: str = "", port: int = 143, timeout: float | None = None) -> None:
        super().open(host, port, timeout)
        self.debug = 0
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def begin(self) -> None:
        self._left = LARGEST_ANSWER
        self.untagged_responses.clear()

    def readline(self) -> bytes:
        line: bytes = self.file.readline(LONGEST_LINE + 1)  # type: ignore[assignment]
        self._take(len(line) + _OF_A_LINE)
        return line

    def read(self, size: int) -> bytes:
        self._take(size)
        data: bytes = self.file.read(size)  # type: ignore[assignment]
        if len(data) < size:
            raise self.abort("EOF in a literal")
        return data

    def send(self, data: Any) -> None:
        """In parts, for the time limit holds for each."""
        view = memoryview(data)
        for at in range(0, len(view), _AT_ONCE):
            self.sock.sendall(view[at : at + _AT_ONCE])

    def _take(self, size: int) -> None:
        self._left = getattr(self, "_left", LONGEST_LINE) - size
        if self._left < 0:
            raise self.abort("unexpected size")

    def _log(self, line: str) -> None:
        """The standard library would keep the last lines, passwords among them."""


class _MailBox(BaseMailBox):
    """What imap-tools works on, over a connection of ours."""

    def __init__(self, endpoint: Endpoint, context: ssl.SSLContext | None, held: Held) -> None:
        self._endpoint, self._context, self._held = endpoint, context, held
        super().__init__()

    def _get_mailbox_client(self) -> imaplib.IMAP4:
        client = _Client(self._endpoint, self._context, self._held)
        if self._endpoint.security == "starttls":
            _secured(client, self._context)
        return client


def _secured(client: _Client, context: ssl.SSLContext | None) -> None:
    """Nothing that was told before counts any more."""
    try:
        client.begin()
        client.starttls(context)
    except BaseException:
        with contextlib.suppress(OSError):
            client.shutdown()
        raise


class _Replies:
    """What is sent, part by part, whenever the server asks for more."""

    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts = iter(parts)

    def following(self, asked: object) -> bytes:
        try:
            return next(self._parts)
        except StopIteration:
            raise imaplib.IMAP4.abort("unexpected continuation") from None


class Wire:
    """Raises the errors of `integrations.errors` only. Once `broken` it is of no use any more."""

    def __init__(self, server: Server, endpoint: Endpoint, trusted: str = "") -> None:
        """`trusted` is a file of certificates."""
        self.server, self._endpoint, self._trusted = server, endpoint, trusted
        self.capabilities = frozenset[str]()
        self.broken = self.changed = self._cut = False
        self._handle: socket.socket | None = None

    def connect(self) -> None:
        try:
            context = tls_context(self._trusted) if self._endpoint.security != "none" else None
        except OSError:
            raise InvalidResponse(f"The certificates in {self._trusted} can't be read.", self.server.account) from None
        try:
            self.mailbox = _MailBox(self._endpoint, context, self._hold)
        except (imaplib.IMAP4.error, OSError, ValueError) as error:
            raise self.server.unreached(error) from None
        self._client = cast(_Client, self.mailbox.client)
        self.capabilities = frozenset(self._client.capabilities)

    def _hold(self, sock: socket.socket) -> None:
        """A second handle, below all encryption: what is cut there is cut for whoever is at work on the connection."""
        self._handle = sock.dup()
        if self._cut:
            self.cut()

    def sign_in(self, login: Login) -> None:
        if self._client.state == "NONAUTH":
            answer = self._authenticated(login)
            if not answer.ok:
                raise self.server.refused_login(answer.words)
        self._client.state = "AUTH"
        self.sock.settimeout(ANSWERING)
        told = self.must("CAPABILITY").told.get("CAPABILITY", [])
        self.capabilities = frozenset(b" ".join(one for one in told if isinstance(one, bytes)).decode("latin-1").upper().split())

    def _authenticated(self, login: Login) -> Answer:
        name, secret = login.username.encode(errors="replace"), login.secret.encode(errors="replace")
        if login.token:
            first = b"user=" + name + b"\1auth=Bearer " + secret + b"\1\1"
            return self.ask("AUTHENTICATE", "XOAUTH2", replies=(_base64(first), b""))
        if b"\0" in name + secret:
            raise self.server.unauthorized()
        if "AUTH=PLAIN" in self.capabilities:
            return self.ask("AUTHENTICATE", "PLAIN", replies=(_base64(b"\0" + name + b"\0" + secret),))
        return self.ask("LOGIN", name, secret)

    @property
    def sock(self) -> socket.socket:
        return self._client.sock

    def selected(self, whether: bool) -> None:
        """Tells the client whether a folder is open. `changed` from now on: whether mails may have come to it, or left it."""
        self.changed = False
        self._client.state = "SELECTED" if whether else "AUTH"

    def must(self, name: str, *arguments: Argument) -> Answer:
        """Raises what a refusal means."""
        answer = self.ask(name, *arguments)
        if not answer.ok:
            raise self.server.refusal(answer.words)
        return answer

    def ask(self, name: str, *arguments: Argument, replies: Sequence[bytes] = ()) -> Answer:
        """`replies` are what follows once the server asks for more."""
        first, *rest = self._lines(arguments)
        self._client.begin()
        if rest or replies:
            self._client.literal = _Replies([*rest, *replies]).following  # type: ignore[assignment]
        return self._guarded(lambda: self._answer(name, first))

    def _answer(self, name: str, line: bytes) -> Answer:
        client: Any = self._client
        status, words = client._get_tagged_response(client._command(name, line[1:] or None))
        self.changed |= not _CHANGES.isdisjoint(client.untagged_responses)
        return Answer(status, words[-1] or b"", dict(client.untagged_responses))

    def idle(self) -> bool:
        """The server tells by itself from now on, and nothing else is asked of it until `done`. Whether it has told already."""

        def begun() -> bool:
            self._client.begin()
            self.mailbox.idle.start()  # type: ignore[no-untyped-call]
            self.sock.settimeout(0)
            with contextlib.suppress(ssl.SSLWantReadError):
                return bool(self._client.file.peek(1))  # type: ignore[union-attr]
            return False

        self.changed = True
        told = self._guarded(begun)
        self.sock.settimeout(ANSWERING)
        return told

    def done(self) -> None:
        self._guarded(self.mailbox.idle.stop)

    def _guarded(self, exchange: Callable[[], R]) -> R:
        """A connection on which anything went wrong is used no more."""
        self.broken, usable = True, not self.broken
        try:
            if not usable:
                raise self.server.lost()
            result = exchange()
        except (imaplib.IMAP4.error, ImapToolsError, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise self._trouble(error) from None
        self.broken = self._cut or "BYE" in self._client.untagged_responses
        return result

    def _trouble(self, error: Exception) -> IntegrationError:
        bye = self._client.untagged_responses.get("BYE")
        if bye and self._client.state == "NONAUTH":
            return self.server.bye(bye[-1] if isinstance(bye[-1], bytes) else b"")
        lost = bye or isinstance(error, OSError) or (isinstance(error, imaplib.IMAP4.abort) and "unexpected" not in str(error))
        return self.server.lost() if lost else self.server.unreadable()

    def _lines(self, arguments: Sequence[Argument]) -> list[bytes]:
        """The command, and after each literal that the server must ask for what follows it."""
        lines = [b""]
        for argument in arguments:
            if isinstance(argument, str):
                lines[-1] += b" " + self._plain(argument)
            elif _PLAIN.fullmatch(argument):
                lines[-1] += b' "' + argument + b'"'
            elif not isinstance(argument, Content) and _UNSENDABLE.search(argument):
                raise InvalidResponse("A line break can't be part of a name or of what is looked for.", self.server.account)
            elif len(argument) <= _INLINE and not self.capabilities.isdisjoint({"LITERAL+", "LITERAL-"}):
                lines[-1] += b" {%d+}\r\n" % len(argument) + argument
            else:
                lines[-1] += b" {%d}" % len(argument)
                lines.append(bytes(argument))
        return lines

    def _plain(self, word: str) -> bytes:
        if not word.isascii() or not word.isprintable():
            raise InvalidResponse("This can't be asked of a mail server.", self.server.account)
        return word.encode()

    def hang_up(self) -> None:
        """Says so, but waits for no answer: who knows when that would end."""
        with contextlib.suppress(Exception):
            if not self.broken:
                self.sock.settimeout(1.0)
                self._client.begin()
                self._client._command("LOGOUT")
        self.broken = True
        with contextlib.suppress(Exception):
            self._client.shutdown()
        if self._handle is not None:
            self._handle.close()

    def cut(self) -> None:
        """At once, from any thread. What is not connected yet will not be."""
        self.broken = self._cut = True
        with contextlib.suppress(OSError):
            if self._handle is not None:
                self._handle.shutdown(socket.SHUT_RDWR)


def _base64(text: bytes) -> bytes:
    return binascii.b2a_base64(text, newline=False)
