"""`python -m doubles.providers.standards_server`: the real servers, told what to do as those of `doubles.providers.emulated_server`
are; one user for each account's folder. In the end it prints which mails, those about events among them, have left twice."""

import socketserver
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

from doubles.providers.emulated_server import Told
from servers import Servers, User
from servers.http_proxy import Rule as Request
from servers.imap_proxy import Rule as Command

from integrations.common.mime import read_message
from integrations.types import DRAFTS

COMMANDS: Mapping[str, bytes] = {
    "save_draft": rb"APPEND",
    "delete_draft": rb"UID (MOVE|EXPUNGE)",
    "mark_mail": rb"UID STORE",
    "move_mail": rb"UID MOVE",
}
"""In which IMAP command each kind of action takes effect."""
REMOVALS = ("cancel_event", "delete_contact")


class Accounts:
    def __init__(self, servers: Servers) -> None:
        self._servers, self._lock = servers, threading.Lock()
        self._users: dict[str, User] = {}
        self._deaf = Deaf(servers)

    def do(self, asked: dict[str, Any]) -> Any:
        with self._lock:
            user = self._user(asked["root"])
            match asked["do"]:
                case "sign in":
                    return {**user.settings, "username": user.email, "secret": user.secret}
                case "stock":
                    self._stock(user, **asked["stock"])
                case "lose":
                    self._lose(user, asked["when"], asked["kind"], deaf=asked["find"])
                case "listen":
                    self._deaf.listen()
                case other:
                    raise ValueError(f"nobody can {other} here")
            return None

    def _user(self, root: str) -> User:
        if root not in self._users:
            self._users[root] = self._servers.user(f"account{len(self._users)}@accounts.example")
        return self._users[root]

    def _stock(self, user: User, mails: list[str], drafts: list[str], events: list[str], contacts: list[str]) -> None:
        with user.mailbox as imap:
            imap.create("Projects")
        for mail in mails:
            user.mailbox.append(mail.encode(), flags=("\\Seen",))
        for draft in drafts:
            user.mailbox.append(draft.encode(), DRAFTS, flags=("\\Seen", "\\Draft"))
        home = self._servers.radicale.home(user.email)
        for number, event in enumerate(events):
            (home / "calendar" / f"stock-{number}.ics").write_text(event, newline="")
        for number, contact in enumerate(contacts):
            (home / "contacts" / f"person-{number}.vcf").write_text(contact, newline="")

    def _lose(self, user: User, when: str | None, kind: str, *, deaf: bool) -> None:
        """Only one thing happens at a time here, so that what is still at work when its connection is gone can't be told from what
        has taken effect. A mail whose receipt is lost is told by the copy that the server itself files."""
        moment = "before" if when == "before" else "after"
        if when is None:
            self._deaf.begin()
        elif kind == "send_mail":
            user.files_sent = moment == "after"
            if moment == "before" and not deaf:
                self._servers.smtp.answer("RCPT", "")
            else:
                self._servers.smtp.lose(moment)
        elif kind in COMMANDS:
            self._servers.imap.lose(COMMANDS[kind], moment)
        else:
            self._servers.dav.lose("DELETE" if kind in REMOVALS else "PUT", moment)
        if deaf and when is not None:
            self._deaf.begin_after_the_next()


class Deaf:
    """What lets nobody be heard any more, at once or from the next loss on."""

    def __init__(self, servers: Servers) -> None:
        self._servers, self._soon, self._now = servers, False, False
        self._commands, self._requests, self._texts = servers.imap.heard, servers.dav._rule, servers.smtp._instead
        servers.imap.heard = self._command  # type: ignore[method-assign]
        servers.dav._rule = self._request  # type: ignore[method-assign]
        servers.smtp._instead = self._text  # type: ignore[method-assign]

    def begin(self) -> None:
        self._now = True

    def begin_after_the_next(self) -> None:
        self._soon = True

    def listen(self) -> None:
        self._soon = self._now = False

    def _command(self, line: bytes) -> Command | None:
        if self._now:
            return Command(b"", "before", None, 1)
        return self._noticed(self._commands(line))

    def _request(self, request: Any) -> Request | None:
        if self._now:
            return Request("", "", "before", None, 1)
        return self._noticed(self._requests(request))

    def _text(self, at: str, server: Any) -> str | None:
        """The connection for outgoing mail is lost after the text, or not at all."""
        self._now = self._now or (self._soon and at == "DATA" and bool(self._servers.smtp._moments))
        return self._texts(at, server)

    def _noticed(self, rule: Any) -> Any:
        self._now = self._now or (self._soon and rule is not None)
        return rule


def run() -> None:
    servers = Servers()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Told) as listening:
        listening.daemon_threads = True
        listening.accounts = Accounts(servers)  # type: ignore[attr-defined]
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        print(listening.server_address[1], flush=True)
        sys.stdin.read()  # until whoever started it is gone
        listening.shutdown()
    for name, times in Counter(read_message(mail.raw).message_id for mail in servers.smtp.taken).items():
        if times > 1:
            print(f"{name} was sent {times} times")
    servers.close()


if __name__ == "__main__":
    run()
