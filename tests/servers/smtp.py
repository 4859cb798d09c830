"""The servers' outgoing mail: whoever signed in may send as anybody. Users get theirs from Dovecot by LMTP; what goes to other
domains is taken and thrown away. Tests cut it off around the reply to DATA, or answer in its place."""

import asyncio
import logging
import smtplib
import ssl
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from servers.background import Background

Moment = Literal["before", "after", "told"]
UNKNOWN = "550 5.1.1 There is nobody of this name here."
LARGEST = 20 * 2**20
logging.getLogger("mail.log").setLevel(logging.ERROR)  # it warns of its own ways


class Taken(NamedTuple):
    sender: str
    recipients: tuple[str, ...]
    raw: bytes


@dataclass
class Answer:
    at: str
    reply: str
    times: int


class Smtp:
    """`taken`: the mails that were accepted."""

    def __init__(
        self,
        background: Background,
        lmtp: str,
        knows: Callable[[str, str], bool],
        users: Collection[str],
        files: Callable[[str, bytes], None],
        context: ssl.SSLContext,
    ) -> None:
        self._lmtp, self._knows, self._users, self._files = lmtp, knows, users, files
        self._moments: list[Moment] = []
        self._answers: list[Answer] = []
        self.taken: list[Taken] = []
        self.commands: Counter[str] = Counter()
        loop = background.loop
        given: dict[str, Any] = {
            "loop": loop,
            "authenticator": self._authenticate,
            "auth_require_tls": False,
            "enable_SMTPUTF8": True,
        }
        given |= {"data_size_limit": LARGEST, "hostname": "localhost", "timeout": 60}
        self.port = background.listen_with(lambda: SMTP(self, **given))
        self.starttls = background.listen_with(lambda: SMTP(self, **given, tls_context=context, require_starttls=True))
        self.secure = background.listen_with(lambda: SMTP(self, **given), context)
        self._again = lambda other: background.listen_with(lambda: SMTP(self, **given), other)

    def with_tls(self, context: ssl.SSLContext) -> int:
        """A further port, whose clients speak TLS."""
        return self._again(context)

    def lose(self, when: Moment = "before") -> None:
        """The connection of the next mail is cut off after its text: `before` the mail is taken; `after` it was, unanswered; or
        after that was `told`."""
        self._moments.append(when)

    def answer(self, at: Literal["AUTH", "MAIL", "RCPT", "DATA"], reply: str, times: int = 1) -> None:
        """Instead of the server's own; "" cuts off."""
        self._answers.append(Answer(at, reply, times))

    def reset(self) -> None:
        self._moments.clear()
        self._answers.clear()
        self.taken.clear()
        self.commands.clear()

    def _instead(self, at: str, server: SMTP) -> str | None:
        self.commands[at] += 1
        for one in self._answers:
            if one.at == at:
                one.times -= 1
                if not one.times:
                    self._answers.remove(one)
                return one.reply or _cut(server)
        return None

    def _authenticate(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, login: Any) -> AuthResult:
        if reply := self._instead("AUTH", server):
            return AuthResult(success=False, handled=False, message=reply)
        name, password = (login.login.decode(), login.password.decode()) if isinstance(login, LoginPassword) else ("", "")
        return AuthResult(success=self._knows(name, password), handled=False, auth_data=name)

    async def handle_MAIL(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:
        if reply := self._instead("MAIL", server):
            return reply
        if not session.authenticated:
            return "530 5.7.0 Who are you?"
        envelope.mail_from, envelope.mail_options = address, options
        return "250 OK"

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:
        if reply := self._instead("RCPT", server):
            return reply
        if self._is_here(address) and address.lower() not in self._users:
            return UNKNOWN
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if reply := self._instead("DATA", server):
            return reply
        moment = self._moments.pop(0) if self._moments else None
        if moment == "before":
            return _cut(server)
        raw = bytes(envelope.original_content or b"")
        one = Taken(envelope.mail_from or "", tuple(envelope.rcpt_tos), raw)
        await asyncio.to_thread(self._deliver, one)
        await asyncio.to_thread(self._files, str(session.auth_data), raw)
        self.taken.append(one)
        if moment == "after":
            return _cut(server)
        if moment == "told":
            self._answers.append(Answer("QUIT", "", 1))
        return "250 OK, taken"

    async def handle_QUIT(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        return self._instead("QUIT", server) or "221 Bye"

    def _is_here(self, address: str) -> bool:
        return address.lower().rpartition("@")[2] in {user.rpartition("@")[2] for user in self._users}

    def _deliver(self, mail: Taken) -> None:
        options = ["SMTPUTF8"] if not (mail.sender + "".join(mail.recipients)).isascii() else []
        here = [address for address in mail.recipients if self._is_here(address)]
        for one in here:  # smtplib does not read the replies to several
            with smtplib.LMTP(self._lmtp) as lmtp:
                lmtp.sendmail(mail.sender, [one], mail.raw, mail_options=options)


def _cut(server: SMTP) -> str:
    server.transport.abort()
    return "421 cut off"
