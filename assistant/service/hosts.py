"""Under which names the service answers, and which pages it answers.

A page of another site reaches a service on this machine under a name of its own (DNS rebinding), or by having the browser send
what carries its cookies (CSRF). The first shows in Host, the second in Origin and Sec-Fetch-Site. Cookies don't tell ports apart,
so that a page at another port of this machine is one of another site, too."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from assistant.service import problems
from assistant.service.problems import Problem

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OURSELVES = frozenset({"same-origin", "none"})
"""Of Sec-Fetch-Site: a page of ours, or the user's own doing, such as an address typed in."""


class Hosts:
    """`names` are further ones that are ours; `public_url` is the address that people use, empty for none."""

    def __init__(self, app: ASGIApp, names: frozenset[str] = frozenset(), public_url: str = "") -> None:
        self._app = app
        self._public = urlsplit(public_url)
        public = {self._public.hostname} if self._public.hostname else set()
        self._names = LOOPBACK | {name.lower() for name in names} | public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        problem = self._objection(scope)
        if problem is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            response = await problems.answer(Request(scope), problem)
            await response(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _objection(self, scope: Scope) -> Problem | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(_split(f"//{hosts[0]}"), scope):
            return Problem(421, "This service is not known under that name; the setting public_url tells it one.")
        if scope["type"] != "http" or _is_of_program(headers):
            return None
        fitting = _is_looked_at(headers) if scope["method"] in SAFE else self._from_us(headers, scope)
        return None if fitting else Problem(403, "This was sent by a page of another site.")

    def _is_ours(self, host: SplitResult, scope: Scope) -> bool:
        """An address in numbers can't be another site's name: it is ours where it is the one that was reached."""
        name = host.hostname or ""
        if name in self._names:
            return True
        server = scope.get("server") or ("", 0)
        return is_number(name) and _same_number(name, str(server[0]))

    def _from_us(self, headers: Headers, scope: Scope) -> bool:
        site, origin = headers.get("sec-fetch-site", ""), headers.get("origin", "")
        if site and site not in OURSELVES:
            return False
        if origin in ("", "null"):  # with Referrer-Policy no-referrer a browser sends null for some of our own
            return not origin or bool(site)
        given = _split(origin)
        ours = f"{scope['scheme']}://{headers['host']}".lower()
        return origin.lower() == ours or (bool(self._public.netloc) and given[:2] == self._public[:2])


def _is_of_program(headers: Headers) -> bool:
    """No browser sends such a token by itself."""
    return headers.get("authorization", "").lower().startswith("bearer ")


def _is_looked_at(headers: Headers) -> bool:
    """By a page of ours, or by the user, who may follow a link of another page to ours. How long an answer takes, or whether it
    comes, tells nothing to other pages then."""
    opened = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")
    return opened or headers.get("sec-fetch-site", "none") in OURSELVES


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return SplitResult("", "", "", "", "")
    return parts


def is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _same_number(one: str, other: str) -> bool:
    return is_number(other) and ip_address(one) == ip_address(other)
