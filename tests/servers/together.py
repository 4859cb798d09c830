"""Real servers for the open standards, one set for each process of tests."""

import atexit
import json
import ssl
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from doubles.secrets import KeptSecrets

from integrations.registry import Account, AccountConfig, open_account
from servers.background import Background
from servers.certificates import LIFE, Authority, Certificate
from servers.dovecot import Dovecot
from servers.http_proxy import HttpProxy
from servers.imap_proxy import ImapProxy
from servers.mailbox import Mailbox
from servers.radicale import Radicale
from servers.smtp import Smtp
from servers.smtp_steps import SmtpSteps
from servers.xandikos import Xandikos


@dataclass
class User:
    """`settings`: as of an account, in plain text on loopback over what tests can cut off; `secret`: as an account's is stored.
    `files_sent`: what goes out by SMTP is filed in Sent by the server."""

    servers: "Servers"
    email: str
    password: str
    name: str
    zone: str
    files_sent: bool = False
    number: int = 0

    @property
    def secret(self) -> str:
        return json.dumps({"password": self.password})

    @property
    def mail_settings(self) -> dict[str, str]:
        servers = self.servers
        addresses = {"imap": f"imap://127.0.0.1:{servers.imap.port}", "smtp": f"smtp://127.0.0.1:{servers.smtp.port}"}
        return addresses | ({"files_sent": "yes"} if self.files_sent else {})

    @property
    def dav_settings(self) -> dict[str, str]:
        return dict.fromkeys(("caldav", "carddav"), f"http://127.0.0.1:{self.servers.dav.port}/")

    @property
    def xandikos_settings(self) -> dict[str, str]:
        return dict.fromkeys(("caldav", "carddav"), f"http://127.0.0.1:{self.servers.xandikos_dav.port}/")

    @property
    def settings(self) -> dict[str, str]:
        return self.mail_settings | self.dav_settings

    @property
    def secure_settings(self) -> dict[str, str]:
        """Over TLS, by an authority of the tests' own."""
        servers = self.servers
        return {
            "imap": f"imaps://localhost:{servers.dovecot.imaps}",
            "smtp": f"smtps://localhost:{servers.smtp.secure}",
            **dict.fromkeys(("caldav", "carddav"), f"https://localhost:{servers.secure_dav}/"),
            "trusted": str(servers.trusted),
        }

    @property
    def starttls_settings(self) -> dict[str, str]:
        servers = self.servers
        addresses = {
            "imap": f"imap+starttls://localhost:{servers.dovecot.imap}",
            "smtp": f"smtp+starttls://localhost:{servers.smtp.starttls}",
        }
        return {**self.secure_settings, **addresses}

    @property
    def mailbox(self) -> Mailbox:
        dovecot = self.servers.dovecot
        return Mailbox(dovecot.imap, self.email, self.password, dovecot.home(self.email) / "Maildir")


class Servers:
    """Each server is started when it is first wanted. `imap` and `dav` are the proxies in front of `dovecot` and `radicale`, as
    `xandikos_dav` is in front of `xandikos`. `folder` lasts as long as they."""

    def __init__(self) -> None:
        self._background = Background()
        self._made = TemporaryDirectory(prefix="servers-")
        self.folder = Path(self._made.name)
        self._authority = Authority()
        self._numbers = count(1)
        self.users: dict[str, User] = {}
        self.trusted = self.folder / "authority.pem"
        self.trusted.write_bytes(self._authority.pem)
        self._here = self._authority.certificate("localhost", "127.0.0.1")

    @cached_property
    def dovecot(self) -> Dovecot:
        dovecot = Dovecot(self._here)
        dovecot.start()
        return dovecot

    @cached_property
    def imap(self) -> ImapProxy:
        return ImapProxy(self._background, self.dovecot.imap)

    @cached_property
    def smtp(self) -> Smtp:
        return Smtp(self._background, self.dovecot.lmtp, self._knows, self.users, self._file_sent, self._context(self._here))

    @cached_property
    def smtp_steps(self) -> SmtpSteps:
        """In front of `smtp`."""
        return SmtpSteps(self._background, self.smtp.port)

    @cached_property
    def radicale(self) -> Radicale:
        radicale = Radicale()
        for user in self.users.values():
            radicale.put_user(user.email, user.password)
            radicale.wipe(user.email)
        radicale.start()
        return radicale

    @cached_property
    def dav(self) -> HttpProxy:
        return HttpProxy(self._background, self.radicale.port)

    @cached_property
    def xandikos(self) -> Xandikos:
        xandikos = Xandikos()
        xandikos.start()
        return xandikos

    @cached_property
    def xandikos_dav(self) -> HttpProxy:
        return HttpProxy(self._background, self.xandikos.port, self._principal)

    @cached_property
    def secure_dav(self) -> int:
        return self.dav.with_tls(self._context(self._here))

    @cached_property
    def _elsewhere(self) -> ssl.SSLContext:
        return self._context(self._authority.certificate("elsewhere.example"))

    @cached_property
    def _wrong_name(self) -> dict[str, str]:
        dav = f"https://localhost:{self.dav.with_tls(self._elsewhere)}/"
        return {
            "imap": f"imaps://localhost:{self.imap.with_tls(self._elsewhere)}",
            "smtp": f"smtps://localhost:{self.smtp.with_tls(self._elsewhere)}",
            "caldav": dav,
            "carddav": dav,
            "trusted": str(self.trusted),
        }

    def wrong_name_settings(self, user: User) -> dict[str, str]:
        """Over TLS, by certificates for another host."""
        return dict(self._wrong_name)

    def imaps(self, *names: str, by: Authority | None = None, life: timedelta = LIFE) -> str:
        """The address of the IMAP server behind another certificate for these names, signed by whom tests trust unless told."""
        certificate = (by or self._authority).certificate(*names, life=life)
        return f"imaps://localhost:{self.imap.with_tls(self._context(certificate))}"

    def user(
        self,
        email: str,
        *,
        name: str = "",
        zone: str = "Europe/Berlin",
        password: str = "",
        files_sent: bool = False,
        dovecot: Mapping[str, str] | None = None,
    ) -> User:
        """With an empty mailbox, calendar and address book, also where there was one of this address. `dovecot`: settings of
        Dovecot's for this user."""
        user = User(self, email, password or f"secret of {email}", name, zone, files_sent, next(self._numbers))
        self.users[email.lower()] = user
        self.dovecot.put_user(email, user.password, str(user.number), dovecot or {})
        if "radicale" in self.__dict__:
            self.radicale.put_user(email, user.password)
            self.radicale.wipe(email)
        return user

    def change_password(self, user: User, password: str) -> None:
        """On the servers; the user here goes on with the old one."""
        self.users[user.email.lower()] = replace(user, password=password)
        self.dovecot.change_password(user.email, password)
        if "radicale" in self.__dict__:
            self.radicale.put_user(user.email, password)

    def open(self, user: User, index: Path, *, name: str = "acc", **settings: str) -> Account:
        """An account of this user's, its settings changed by `settings`."""
        config = AccountConfig(name=name, kind="imap", address=user.email, owner=user.name, settings={**user.settings, **settings})
        return open_account(config, zone=ZoneInfo(user.zone), index=index, secrets=KeptSecrets(**{name: user.secret}))

    def reset(self) -> None:
        """Forgets what tests have told the proxies."""
        for name in ("imap", "dav", "smtp", "smtp_steps", "xandikos_dav"):
            if name in self.__dict__:
                self.__dict__[name].reset()

    def close(self) -> None:
        self._background.close()
        for name in ("dovecot", "radicale", "xandikos"):
            if name in self.__dict__:
                self.__dict__[name].close()
        self._made.cleanup()

    def _context(self, certificate: Certificate) -> ssl.SSLContext:
        chain = self.folder / f"{next(self._numbers)}.pem"
        chain.write_bytes(certificate.chain + certificate.key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context

    def _knows(self, name: str, password: str) -> bool:
        user = self.users.get(name.lower())
        return user is not None and user.password == password

    def _principal(self, authorization: str) -> str:
        """At Xandikos each user is a new one."""
        kind, _, given = authorization.partition(" ")
        name, _, password = b64decode(given if kind.lower() == "basic" else "").decode().partition(":")
        return f"{self.users[name.lower()].number}-{name}" if self._knows(name, password) else ""

    def _file_sent(self, name: str, raw: bytes) -> None:
        user = self.users[name.lower()]
        if user.files_sent:
            user.mailbox.append(raw, "Sent", flags=["\\Seen"])


@cache
def shared() -> Servers:
    """One set for all tests of this process, until it ends."""
    servers = Servers()
    atexit.register(servers.close)
    return servers
