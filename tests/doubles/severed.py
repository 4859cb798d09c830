"""A line to a PostgreSQL server that breaks at a commit."""

import contextlib
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from doubles.postgres import Server

SOCKET = ".s.PGSQL.5432"


class Line:
    """`loses`: the next commit, "before" it reaches the server or "after" the server has made it, with the connection; before one
    does not arrive, `meanwhile` is called. `closed`: nobody is let through any more."""

    def __init__(self, server: Server) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="line-"))
        self.loses: Literal["", "before", "after"] = ""
        self.closed = False
        self.meanwhile: Callable[[], None] = lambda: None
        self.lost = 0
        self._server = server
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.folder / SOCKET))
        self._listener.listen()
        self._open: list[socket.socket] = []

    def url(self, url: str) -> str:
        return url.replace(str(self._server.folder), str(self.folder))

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                self._open += [client, server]
                if self.closed or server.connect_ex(str(self._server.folder / SOCKET)):
                    _end(client, server)
                    continue
                awaited = threading.Event()
                threading.Thread(target=self._ask, args=(client, server, awaited), daemon=True).start()
                threading.Thread(target=self._answer, args=(client, server, awaited), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, awaited: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while told := client.recv(65536):
                if self.loses and told.endswith(b"COMMIT\0"):
                    self.lost += 1
                    lost, self.loses = self.loses, ""
                    if lost == "before":
                        self.meanwhile()
                        break
                    awaited.set()
                server.sendall(told)
        _end(client, server)

    def _answer(self, client: socket.socket, server: socket.socket, awaited: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while told := server.recv(65536):
                if awaited.is_set():
                    break
                client.sendall(told)
        _end(client, server)

    def end(self) -> None:
        _end(self._listener, *self._open)
        shutil.rmtree(self.folder, ignore_errors=True)


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


@contextmanager
def line(server: Server) -> Iterator[Line]:
    made = Line(server)
    thread = threading.Thread(target=made.accept, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.end()
        thread.join()
