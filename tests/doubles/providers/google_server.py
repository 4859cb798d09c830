"""Emulated Googles in a process of their own, one for each account's folder: they outlive whoever writes to them.

python -m doubles.providers.google_server prints the port on loopback on which it is told what to do, one line of JSON a connection;
when its standard input ends it prints what was wrong with the requests it has seen.
"""

import json
import socketserver
import sys
import threading
from contextlib import ExitStack
from typing import Any

from doubles.google import GoogleEmulator
from doubles.google.emulator import TRIES
from doubles.google.loading import contact_in, event_in
from doubles.google.methods import METHODS
from doubles.google.putting import deliver, put_contact, put_event
from doubles.providers.base import OWNER

from integrations.types import DRAFTS


class Accounts:
    """By folder."""

    def __init__(self, entered: ExitStack) -> None:
        self.googles: dict[str, GoogleEmulator] = {}
        self._entered, self._lock = entered, threading.Lock()

    def do(self, asked: dict[str, Any]) -> Any:
        with self._lock:
            google = self._google(asked["root"])
            match asked["do"]:
                case "sign in":
                    return {"endpoint": google.url, "secret": google.secret(google.account(OWNER))}
                case "stock":
                    stock(google, **asked["stock"])
                case "lose":
                    lose(google, asked["when"], asked["kind"], deaf=asked["find"])
                case other:
                    raise ValueError(f"nobody can {other} here")
            return None

    def _google(self, root: str) -> GoogleEmulator:
        if root not in self.googles:
            self.googles[root] = self._entered.enter_context(GoogleEmulator())
        return self.googles[root]


def stock(google: GoogleEmulator, mails: list[str], drafts: list[str], events: list[str], contacts: list[str]) -> None:
    google.account(OWNER)
    mailbox, calendar = google.world.mail(OWNER), google.world.calendars.primary(OWNER)
    mailbox.labels.ensure("Projects")
    mailbox.keeps_message_ids = False
    for mail in mails:
        deliver(mailbox, mail.encode(), seen=True)
    for draft in drafts:
        deliver(mailbox, draft.encode(), DRAFTS, seen=True)
    for event in events:
        put_event(calendar, event_in(event))
    for contact in contacts:
        put_contact(google.world.people(OWNER), contact_in(contact))


def lose(google: GoogleEmulator, when: str | None, kind: str, *, deaf: bool) -> None:
    """Only one thing happens at a time here, so that what is still at work when its connection is gone can't be told from what has
    taken effect."""
    if when is None:
        google.fail("drop_before", times=TRIES)
    else:
        google.fail("drop_before" if when == "before" else "drop_after", METHODS[kind], then="drop_before" if deaf else None)


class Told(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        if line := self.rfile.readline():
            answer = self.server.accounts.do(json.loads(line))  # type: ignore[attr-defined]
            self.wfile.write(json.dumps(answer).encode() + b"\n")


def main() -> None:
    with ExitStack() as entered, socketserver.ThreadingTCPServer(("127.0.0.1", 0), Told) as server:
        server.accounts = accounts = Accounts(entered)  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()  # until whoever started it is gone
        server.shutdown()
        for complaint in {complaint for google in accounts.googles.values() for complaint in google.complaints}:
            print(complaint)


if __name__ == "__main__":
    main()
