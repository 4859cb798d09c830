"""A DNS server on loopback."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import cast

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
from dns.asyncresolver import Resolver

from integrations.standards.discovery.naming import Names

Zone = Mapping[tuple[str, str], Sequence[str]]
"""Records as in a zone file, by name (without the last dot) and type."""


class _Answering(asyncio.DatagramProtocol):
    def __init__(self, zone: Zone, asked: list[str]) -> None:
        self._zone, self._asked = zone, asked

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        query = dns.message.from_wire(data)
        (question,) = query.question
        name, kind = question.name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(question.rdtype)
        self._asked.append(f"{name} {kind}")
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.RA
        records = self._zone.get((name, kind), ())
        if records:
            answer.answer.append(dns.rrset.from_text_list(question.name, 60, "IN", kind, list(records)))
        elif not any(known == name for known, _ in self._zone):
            answer.set_rcode(dns.rcode.NXDOMAIN)
        self._transport.sendto(answer.to_wire(), address)


@asynccontextmanager
async def naming(zone: Zone, asked: list[str] | None = None) -> AsyncIterator[Names]:
    """`asked` gets what was looked up."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: _Answering(zone, asked if asked is not None else []), local_addr=("127.0.0.1", 0)
    )
    resolver = Resolver(configure=False)
    resolver.nameservers = ["127.0.0.1"]
    resolver.port = transport.get_extra_info("sockname")[1]
    try:
        yield Names(resolver)
    finally:
        transport.close()
