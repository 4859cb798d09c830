"""HTTP for Google's client library. Nothing is ever sent a second time here: whether that is safe is known further up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import httplib2
import httpx2

from integrations.common import certificates

CONNECT, ANSWER = 10.0, 30.0
"""Seconds to wait for a connection, and for the next piece of an answer."""


class Transport:
    """May be used by many threads at once. Without `keep_alive` each request has a connection of its own: one that was kept could
    have been closed by the other side just when a write goes out, and then nobody knows whether it arrived."""

    def __init__(self, *, keep_alive: bool) -> None:
        self._kept = None if keep_alive else 0
        self._opening = Lock()

    @cached_property
    def _client(self) -> httpx2.Client:
        """Made at the first request, since reading the certificates takes its time."""
        return httpx2.Client(
            verify=certificates.usual(),
            timeout=httpx2.Timeout(ANSWER, connect=CONNECT),
            limits=httpx2.Limits(max_keepalive_connections=self._kept),
        )

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        **_: Any,
    ) -> tuple[httplib2.Response, bytes]:
        """Raises the errors of httpx2."""
        with self._opening:
            client = self._client
        answer = client.request(method, uri, content=body, headers=headers)
        response = httplib2.Response({**answer.headers, "status": str(answer.status_code)})
        response.reason = answer.reason_phrase
        return response, answer.content

    def close(self) -> None:
        with self._opening:
            if "_client" in self.__dict__:
                self._client.close()


@dataclass(frozen=True)
class Signed:
    """A transport as googleapiclient wants it: every request carries the token, and what else is given, and goes to `endpoint`
    where the APIs are not Google's own."""

    transport: Transport
    token: str = field(repr=False)
    further: Mapping[str, str] = field(default_factory=dict)
    endpoint: str = ""

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        **_: Any,
    ) -> tuple[httplib2.Response, bytes]:
        signed = {**(headers or {}), **self.further, "authorization": f"Bearer {self.token}"}
        return self.transport.request(self._there(uri), method, body, signed)

    def _there(self, uri: str) -> str:
        if not self.endpoint:
            return uri
        _, _, _, path = uri.split("/", 3)
        return f"{self.endpoint}/{path}"
