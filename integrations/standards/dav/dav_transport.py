"""HTTP for CalDAV and CardDAV: bounded, without cookies, to where the password may go alone. Nothing is ever sent a second time
here, unless the sign-in was refused: whether that is safe is known further up. It blocks."""

import logging
import re
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from threading import Lock
from typing import Any
from urllib.parse import urljoin

import httpx

from integrations.common.remote import Unreached
from integrations.errors import IntegrationError, InvalidResponse
from integrations.standards.credentials import Login
from integrations.standards.dav.dav_errors import Server, refusal, unanswered
from integrations.standards.dav.origins import may_go
from integrations.standards.dialling import public_address
from integrations.standards.endpoints import SCHEMES, Endpoint, tls_context

CONNECT, ANSWER, ALL_OF_IT = 10.0, 30.0, 120.0
"""Seconds to wait for a connection, for the next piece of an answer, and for the last one."""
LARGEST = 64 * 2**20
"""Bytes of an answer."""
READS = {"GET", "OPTIONS", "PROPFIND", "REPORT"}
XML = {"PROPFIND", "REPORT"}
SCHEME = re.compile(r"(?:^|,)\s*(basic|digest|bearer)\s", re.IGNORECASE)
"""In WWW-Authenticate, which may name several."""


class Moved(Exception):
    """The server names another address for this; whoever asked resolves what it says against that."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


@dataclass(frozen=True)
class Answer:
    """As the caldav library reads the answers of its own HTTP libraries, too."""

    status_code: int
    headers: httpx.Headers
    content: bytes
    reason: str = ""

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")


class Transport:
    """May be used by many threads at once. Without `keep_alive` each request has a connection of its own: one that was kept could
    have been closed by the other side just when a write goes out, and then nobody knows whether it arrived."""

    def __init__(self, server: Server, start: Endpoint, *, trusted: str, keep_alive: bool) -> None:
        self.server, self.start, self._trusted = server, start, trusted
        self._kept = 8 if keep_alive else 0
        self._opening = Lock()
        self._digests: dict[Login, httpx.DigestAuth] = {}

    @cached_property
    def _client(self) -> httpx.Client:
        """Made at the first request, since reading the certificates takes its time."""
        for name in ("httpx", "httpcore"):  # paths tell whose they are
            logging.getLogger(name).setLevel(logging.WARNING)
        secure = self.start.security == "tls"
        try:
            verify: Any = tls_context(self._trusted) if secure else False
        except OSError as unread:
            raise Unreached(f"The certificates in {self._trusted} can't be read.", self.server.account) from unread
        return httpx.Client(
            verify=verify,
            timeout=httpx.Timeout(ANSWER, connect=CONNECT),
            limits=httpx.Limits(max_keepalive_connections=self._kept),
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
            # What goes out in plain text stays on this machine, so no proxy may carry it; nor may one choose the address.
            trust_env=secure and not self.start.public,
        )

    def request(self, login: Login, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Any answer of success. Raises the errors of `integrations.errors`, and Moved where a read is sent elsewhere."""
        if not may_go(self.start, url):
            raise self.server.elsewhere
        try:
            answer = self._sent(login, method, url, body, headers)
        except IntegrationError:
            raise
        except Exception as error:
            raise unanswered(error, self.server) from error
        if 300 <= answer.status_code < 400:
            raise self._moved(method, url, answer)
        if not 200 <= answer.status_code < 300:
            raise refusal(answer.status_code, answer.headers, self.server)
        if method in XML and (answer.status_code not in (200, 207) or b"<!DOCTYPE" in answer.content or b"\0" in answer.content):
            raise self.server.unreadable
        return answer

    def _sent(self, login: Login, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        answer = self._once(login, method, url, body, headers)
        offered = {scheme.lower() for scheme in SCHEME.findall(answer.headers.get("www-authenticate", ""))}
        if answer.status_code == 401 and offered == {"digest"} and not login.token and login not in self._digests:
            self._digests = {login: _Digest(login.username, login.secret)}
            return self._once(login, method, url, body, headers)
        return answer

    def _once(self, login: Login, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        with self._opening:
            client = self._client
        until = time.monotonic() + ALL_OF_IT
        content = bytearray()
        # Unpacked: what is packed could be of any size, and on the way its ETag may have been changed with it.
        given = {**headers, "Accept-Encoding": "identity", **_bearer(login)}
        encoded = {name: value.encode() for name, value in given.items()}  # ETags may hold any letters
        auth = self._digests.get(login) or _basic(login)
        with client.stream(method, content=body or None, auth=auth, **self._at(url, encoded)) as answer:
            for piece in answer.iter_raw(2**16):
                content += piece
                if len(content) > LARGEST:
                    raise self.server.too_large
                if time.monotonic() > until:
                    raise httpx.ReadTimeout("too slow")
        if content and answer.headers.get("content-encoding", "identity").lower() != "identity":
            raise self.server.unreadable
        return Answer(answer.status_code, answer.headers, bytes(content), answer.reason_phrase)

    def _at(self, url: str, headers: Mapping[str, bytes]) -> dict[str, Any]:
        """Whom to connect to, and as whom."""
        if not self.start.public:
            return {"url": url, "headers": headers}
        named = httpx.URL(url)
        address = public_address(named.host, named.port or SCHEMES[named.scheme][2])
        return {
            "url": named.copy_with(host=address),
            "headers": {**headers, "Host": named.netloc},
            "extensions": {"sni_hostname": named.host},
        }

    def _moved(self, method: str, url: str, answer: Answer) -> Exception:
        to = answer.headers.get("location", "")
        if method in READS and to and answer.status_code in (301, 302, 307, 308):
            try:
                return Moved(urljoin(url, to))
            except ValueError:
                return self.server.unreadable
        return InvalidResponse(f"The {self.server.thing} says that this is elsewhere.", self.server.account)

    def close(self) -> None:
        with self._opening:
            if "_client" in self.__dict__:
                self._client.close()


class _Digest(httpx.DigestAuth):
    """Raises LocalProtocolError where a server asks for what it should not, or httpx can't do."""

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        try:
            yield from super().auth_flow(request)
        except (KeyError, NotImplementedError, UnicodeError, httpx.ProtocolError) as odd:  # all four are httpx's, on odd challenges
            raise httpx.LocalProtocolError("no digest that is known") from odd


def _basic(login: Login) -> httpx.Auth:
    return httpx.Auth() if login.token else httpx.BasicAuth(login.username, login.secret)


def _bearer(login: Login) -> dict[str, str]:
    return {"Authorization": f"Bearer {login.secret}"} if login.token else {}
