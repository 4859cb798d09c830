"""HTTP for Graph. Nothing is ever sent twice here, nor anywhere else than asked: whether that is safe is known further up."""

import logging
import ssl
from collections.abc import Mapping
from functools import cache, cached_property
from threading import Lock

import httpx

CONNECT, ANSWER = 10.0, 30.0
"""Seconds to wait for a connection, and for the next piece of an answer."""


@cache
def trusting() -> ssl.SSLContext:
    """The certificates that a client of httpx trusts anyway. To read them takes longer than many requests, so all share them."""
    return httpx.create_ssl_context()


def quiet_client(timeout: httpx.Timeout, kept: int | None = None) -> httpx.Client:
    """Tells no log of addresses: they say what was searched for, and that of an upload is a secret. Follows no redirects."""
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    limits = httpx.Limits(max_keepalive_connections=kept)
    return httpx.Client(verify=trusting(), timeout=timeout, limits=limits, follow_redirects=False)


class Transport:
    """May be used by many threads at once. Without `keep_alive` each request has a connection of its own: one that was kept could
    have been closed by the other side just when a write goes out, and then nobody knows whether it arrived."""

    def __init__(self, *, keep_alive: bool) -> None:
        self._kept = None if keep_alive else 0
        self._opening = Lock()

    @cached_property
    def _client(self) -> httpx.Client:
        """Made at the first request, since reading the certificates takes its time."""
        return quiet_client(httpx.Timeout(ANSWER, connect=CONNECT), self._kept)

    def send(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> httpx.Response:
        """Raises the errors of httpx."""
        with self._opening:
            client = self._client
        return client.request(method, url, headers=headers, content=content)

    def close(self) -> None:
        with self._opening:
            if "_client" in self.__dict__:
                self._client.close()
