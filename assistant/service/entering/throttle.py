"""The rate limit on signing in: how long somebody who guesses passwords has to wait.

What counts is who guesses whom, one name from one address, and above that an address, whatever names it tries. A name alone counts
for nothing, or anybody could lock anybody out. Links and passkeys can't be guessed and so are never waited for.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import NamedTuple

from assistant.service.problems import Problem

FORGOTTEN = timedelta(hours=1)
"""After the last failure."""
MOST = 10_000
"""Failures remembered, the newest."""


class Rule(NamedTuple):
    """`free` failures cost nothing; the wait then doubles from a second to `longest`, in seconds."""

    free: int
    longest: int


PAIR, CLIENT = Rule(5, 300), Rule(30, 300)


class _Failures(NamedTuple):
    times: int
    last: datetime


Key = tuple[Rule, str, str]


class Throttle:
    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._failures: dict[Key, _Failures] = {}

    def attempt(self, name: str, client: str) -> None:
        """Counts as failed until `succeeded` is called, so that many at once do not come through together. Raises Problem where
        it comes too early, which does not count."""
        now, keys = self._clock(), self._keys(name, client)
        wait = max(self._wait(key, now) for key in keys)
        if wait > 0:
            seconds = max(1, ceil(wait))
            words = f"{seconds} seconds" if seconds > 1 else "a second"
            raise Problem(429, f"That was wrong too often; try again in {words}.", headers={"Retry-After": str(seconds)})
        for key in keys:
            self._count(key, 1, now)

    def succeeded(self, name: str, client: str) -> None:
        pair, address = self._keys(name, client)
        self._failures.pop(pair, None)
        self._count(address, -1, self._clock())

    def _keys(self, name: str, client: str) -> tuple[Key, Key]:
        name, client = name.strip().casefold()[:200], _network(client)
        return (PAIR, name, client), (CLIENT, "", client)

    def _wait(self, key: Key, now: datetime) -> float:
        """Seconds."""
        failures = self._failures.get(key)
        if failures is None or failures.times < key[0].free or now - failures.last > FORGOTTEN:
            return 0
        seconds: int = min(2 ** min(failures.times - key[0].free, 20), key[0].longest)
        return seconds - (now - failures.last).total_seconds()

    def _count(self, key: Key, more: int, now: datetime) -> None:
        failures = self._failures.pop(key, None)
        before = failures.times if failures and now - failures.last <= FORGOTTEN else 0
        last = now if more > 0 or failures is None else failures.last
        if before + more > 0:
            self._failures[key] = _Failures(before + more, last)
        while len(self._failures) > MOST:
            del self._failures[next(iter(self._failures))]


def _network(client: str) -> str:
    """Of IPv6 the half that its holder can't choose, unless it is IPv4 in another spelling."""
    try:
        address = ip_address(client)
    except ValueError:
        return client
    if not isinstance(address, IPv6Address):
        return client
    return str(address.ipv4_mapped or f"{int(address) >> 64:x}::/64")
