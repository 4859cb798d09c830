"""Emulated services in a process of their own, one for each account's folder: they outlive whoever writes to them.

`run` prints the port on loopback on which it is told what to do, one line of JSON a connection; when standard input ends it prints
what was wrong with the requests that the services have seen.
"""

import json
import socketserver
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from doubles.emulating.faults import TRIES
from doubles.providers.base import OWNER

Make = Callable[[], AbstractContextManager[Any]]
"""Starts one service: an emulator."""
Stocks = Callable[..., None]
"""Puts mails, drafts, events and contacts, each a list of texts, into the owner's account at a service."""


class Accounts:
    """By folder."""

    def __init__(self, make: Make, stock: Stocks, methods: Mapping[str, str], entered: ExitStack) -> None:
        self.services: dict[str, Any] = {}
        self._make, self._stock, self._methods = make, stock, methods
        self._entered, self._lock = entered, threading.Lock()

    def do(self, asked: dict[str, Any]) -> Any:
        with self._lock:
            service = self._service(asked["root"])
            match asked["do"]:
                case "sign in":
                    return {"endpoint": service.url, "secret": service.secret(service.account(OWNER))}
                case "stock":
                    service.account(OWNER)
                    self._stock(service, **asked["stock"])
                case "lose":
                    self._lose(service, asked["when"], asked["kind"], deaf=asked["find"])
                case other:
                    raise ValueError(f"nobody can {other} here")
            return None

    def _lose(self, service: Any, when: str | None, kind: str, *, deaf: bool) -> None:
        """Only one thing happens at a time here, so that what is still at work when its connection is gone can't be told from what
        has taken effect."""
        if when is None:
            service.fail("drop_before", times=TRIES)
        else:
            fault = "drop_before" if when == "before" else "drop_after"
            service.fail(fault, self._methods[kind], then="drop_before" if deaf else None)

    def _service(self, root: str) -> Any:
        if root not in self.services:
            self.services[root] = self._entered.enter_context(self._make())
        return self.services[root]


class Told(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        if line := self.rfile.readline():
            answer = self.server.accounts.do(json.loads(line))  # type: ignore[attr-defined]
            self.wfile.write(json.dumps(answer).encode() + b"\n")


def run(make: Make, stock: Stocks, methods: Mapping[str, str]) -> None:
    """`methods`: in which request each kind of action takes effect."""
    with ExitStack() as entered, socketserver.ThreadingTCPServer(("127.0.0.1", 0), Told) as server:
        server.accounts = accounts = Accounts(make, stock, methods, entered)  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()  # until whoever started it is gone
        server.shutdown()
        for complaint in {complaint for service in accounts.services.values() for complaint in service.complaints}:
            print(complaint)
