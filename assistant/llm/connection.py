"""What became of a connection, told by what the SDK, its client or the transport beneath raised."""

import ssl
from collections.abc import Iterator
from typing import Literal

Fate = Literal["no address", "no host", "nobody", "slow", "untrusted", "no tls", "broken", "late", "unreadable", "unreachable"]
"""`slow`: no connection in good time; `late`: one, but no answer on it; `unreadable`: bytes that can't be decoded."""


def fate(error: BaseException) -> Fate | None:
    """None for what is no fault of a connection."""
    import httpx2
    import openai

    causes = list(_causes(error))
    kinds = (openai.APIConnectionError, httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError, TimeoutError, *_transport())
    if not isinstance(error, kinds):
        return None
    return _worded(" ".join(str(cause).lower() for cause in causes)) or _named(causes)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _transport() -> tuple[type[Exception], ...]:
    import aiohttp

    # aiohttp's own: the SDK passes some of them on as they are
    return (aiohttp.ClientError,)


def _worded(said: str) -> Fate | None:
    """The exact reason lies somewhere in the chain of causes, in words of the system's."""
    if "wrong version number" in said or "wrong_version_number" in said or "record layer" in said:
        return "no tls"
    if "certificate" in said:
        return "untrusted"
    if any(words in said for words in ("getaddrinfo", "name or service", "nodename", "name resolution")):
        return "no host"
    return None


def _named(causes: list[BaseException]) -> Fate:
    """By the innermost that is known: those further out are taken for timeouts where they are none."""
    import aiohttp
    import httpx2

    fates: list[tuple[type[BaseException], Fate]] = [
        (httpx2.DecodingError, "unreadable"),
        (httpx2.InvalidURL, "no address"),
        (httpx2.UnsupportedProtocol, "no address"),
        (ConnectionRefusedError, "nobody"),
        (aiohttp.ConnectionTimeoutError, "slow"),
        (aiohttp.ServerTimeoutError, "late"),
        (aiohttp.ClientConnectorError, "unreachable"),
        (aiohttp.ClientError, "broken"),
        (httpx2.ConnectTimeout, "slow"),
        (TimeoutError, "late"),
        (httpx2.TimeoutException, "late"),
        (httpx2.ReadError, "broken"),
        (httpx2.RemoteProtocolError, "broken"),
    ]
    for kind, told in fates:
        if any(isinstance(cause, kind) for cause in causes):
            return told
    return "unreachable"
