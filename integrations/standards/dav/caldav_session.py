"""HTTP for the caldav library, in place of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx

from integrations.standards.credentials import Login
from integrations.standards.dav.dav_transport import Answer, Transport


@dataclass(frozen=True)
class Signed:
    """What caldav says of sign-in, certificates, proxies and time limits is left aside: all that is the transport's."""

    transport: Transport
    login: Login

    def request(
        self, method: str, url: str, data: bytes | None = None, headers: Mapping[str, str] | None = None, **_: Any
    ) -> Answer:
        answer = self.transport.request(self.login, method, url, data or b"", headers or {})
        # Whatever the server calls it: caldav shows what it can't read as XML to the log, unless it was promised to be some.
        return replace(answer, headers=httpx.Headers({"Content-Type": "text/xml"}))

    def close(self) -> None: ...
