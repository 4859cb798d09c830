"""What DNS says of a domain's servers (RFC 6186, 6764 and 8314). Whoever stands on the way can make it up."""

import asyncio
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dns.asyncresolver import Resolver

PATIENCE = 4.0
"""Seconds for one question."""
MOST = 8
"""Records of one answer that are looked at."""
HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*")
PATH = re.compile(r"/[\w~!$&'()*+,;=:@%/.-]{0,200}", re.ASCII)


class Place(NamedTuple):
    host: str
    port: int


class Answer(NamedTuple):
    """`refused`: the domain says that it has no such service."""

    places: tuple[Place, ...] = ()
    refused: bool = False


class Names:
    """`resolver` is that of the machine unless another one is given."""

    def __init__(self, resolver: "Resolver | None" = None) -> None:
        self._resolver = resolver

    async def servers(self, service: str, domain: str) -> Answer:
        """Of a service such as "imaps", best first."""
        records = sorted(await self._asked(f"_{service}._tcp.{domain}", "SRV"), key=lambda one: (one.priority, -one.weight))
        named = [(_host(record.target), record.port) for record in records]
        places = tuple(Place(host, port) for host, port in named if HOST.fullmatch(host) and port)
        return Answer(places, refused=bool(named) and all(host == "" for host, _ in named))

    async def path(self, service: str, domain: str) -> str:
        """Where at such a server, empty where it is not said (RFC 6764, 4)."""
        for record in await self._asked(f"_{service}._tcp.{domain}", "TXT"):
            for text in record.strings:
                key, _, value = bytes(text).decode("ascii", "replace").partition("=")
                if key.lower() == "path" and PATH.fullmatch(value):
                    return value
        return ""

    async def exchangers(self, domain: str) -> tuple[str, ...]:
        """Who takes in its mail, best first."""
        records = sorted(await self._asked(domain, "MX"), key=lambda one: one.preference)
        return tuple(host for record in records if HOST.fullmatch(host := _host(record.exchange)))

    async def _asked(self, name: str, kind: str) -> Iterable[Any]:
        """Nothing where nobody answers: then the rest of discovery has to do."""
        from dns.asyncresolver import Resolver
        from dns.exception import DNSException

        try:
            if self._resolver is None:
                self._resolver = await asyncio.to_thread(Resolver)
            answer = await self._resolver.resolve(f"{name}.", kind, lifetime=PATIENCE, raise_on_no_answer=False)
        except (DNSException, OSError, ValueError):
            return ()
        return tuple(answer)[:MOST]


def _host(name: Any) -> str:
    return str(name.to_text(omit_final_dot=True)).lower().removesuffix(".")
