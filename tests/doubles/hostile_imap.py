"""A mail server that means no good, on this machine: it signs everybody in, and answers what it is told to."""

import contextlib
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from io import BufferedReader

HONEST = {
    b"CAPABILITY": b"* CAPABILITY IMAP4rev1 AUTH=PLAIN IDLE\r\n%t OK done\r\n",
    b"AUTHENTICATE": b"+ \r\n%t OK come in\r\n",
    b"LIST": b'* LIST () "/" INBOX\r\n%t OK done\r\n',
    b"": b"%t OK done\r\n",
}
HANDSHAKE = b"\x16"
"""What TLS begins with; such a server speaks none, and hangs up."""
COMMAND = re.compile(rb"(\S+) (?:UID )?([A-Z]+)")


class Hostile:
    """`replies` by command, "%t" being its tag; what ends in "…" is followed by "* OK still at it" again and again, and no more is
    answered. `greeting` likewise. `lines` are those that came in."""

    def __init__(self, replies: Mapping[bytes, bytes] | None = None, greeting: bytes = b"* OK hello\r\n") -> None:
        self._replies, self._greeting = {**HONEST, **(replies or {})}, greeting
        self._over = threading.Event()
        self.lines: list[bytes] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"imap://127.0.0.1:{self._listening.getsockname()[1]}"

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._guarded, args=(client,), daemon=True).start()

    def close(self) -> None:
        self._over.set()
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _guarded(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client, client.makefile("rb") as lines:
            self._answered(client, lines)

    def _answered(self, client: socket.socket, lines: BufferedReader) -> None:
        self._say(client, self._greeting)
        while lines.peek(1)[:1] != HANDSHAKE and (line := lines.readline()):
            self.lines.append(line)
            command = COMMAND.match(line)
            if command:
                reply = self._replies.get(command[2], self._replies[b""])
                head, more, tail = reply.partition(b"+ \r\n")
                if more:
                    client.sendall(more)
                    lines.readline()
                self._say(client, (tail if more else head).replace(b"%t", command[1]))

    def _say(self, client: socket.socket, words: bytes) -> None:
        client.sendall(words.removesuffix("…".encode()))
        while words.endswith("…".encode()):
            client.sendall(b"* OK still at it\r\n")
            if self._over.wait(0.01):
                raise OSError


@contextlib.contextmanager
def hostile(replies: Mapping[bytes, bytes] | None = None, greeting: bytes = b"* OK hello\r\n") -> Iterator[Hostile]:
    server = Hostile(replies, greeting)
    threading.Thread(target=server.serve, daemon=True).start()
    try:
        yield server
    finally:
        server.close()
