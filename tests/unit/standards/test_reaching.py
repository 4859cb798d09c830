"""What is found out about a server before anything secret is said to it."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers.certificates import Authority

from integrations.standards.dialling import of_the_internet
from integrations.standards.discovery.reaching import Reach, Unreachable
from integrations.standards.endpoints import endpoint_of


@asynccontextmanager
async def saying(*lines: bytes, context: ssl.SSLContext | None = None) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server that says each line after one of the client's, the first at once; with what was said to it."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for line in lines:
                writer.write(line)
                await writer.drain()
                heard.append(await reader.readline())
        except (OSError, ValueError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    yield server.sockets[0].getsockname()[1], heard
    server.close()


async def trouble(address: str, reach: Reach | None = None) -> str:
    with pytest.raises(Unreachable) as raised:
        await (reach or Reach()).check(endpoint_of(address, "smtp" if address.startswith("smtp") else "imap"))
    told = str(raised.value)
    assert told.isprintable() and len(told.split()) > 3
    return told


async def test_nothing_there_is_told():
    assert "Nothing listens at localhost, port 1." in await trouble("imaps://localhost:1")
    assert "There is no server called nowhere.invalid" in await trouble("imaps://nowhere.invalid")


async def test_a_server_that_offers_no_encryption_is_left_at_once():
    async with saying(b"* OK hello\r\n", b"a BAD what?\r\n") as (port, heard):
        assert "offers no encryption" in await trouble(f"imap+starttls://localhost:{port}")
    assert heard[0] == b"a STARTTLS\r\n"
    async with saying(b"220-hello\r\n220 there\r\n", b"250-here\r\n250 SIZE\r\n", b"502 what?\r\n") as (port, heard):
        assert "offers no encryption" in await trouble(f"smtp+starttls://localhost:{port}")
    assert heard[:2] == [b"EHLO [127.0.0.1]\r\n", b"STARTTLS\r\n"]


SOMETHING_ELSE = (
    b"\x00\xff\n" * 3,
    b"x" * 100_000,
    b"* y\r\n" * 1000,
    b"a\r\n" * 500,
    b"220-x\r\n" * 500,
    b"",
    b"HTTP/1.1 400 Bad\r\n\r\n",
)


@pytest.mark.parametrize("line", SOMETHING_ELSE)
@pytest.mark.parametrize("scheme", ["imap+starttls", "smtp+starttls", "imaps"])
async def test_a_server_that_speaks_something_else_is_told(scheme, line):
    async with saying(line) as (port, _):
        await trouble(f"{scheme}://localhost:{port}")


async def test_a_server_that_says_nothing_is_given_up(monkeypatch):
    monkeypatch.setattr("integrations.standards.discovery.reaching.PATIENCE", 0.2)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    assert "does not answer" in await trouble(f"imap+starttls://localhost:{port}")
    server.close()


@pytest.mark.parametrize(("name", "works"), [("localhost", True), ("elsewhere.example", False)])
async def test_a_certificate_has_to_be_for_the_name_that_was_asked_for(tmp_path: Path, name: str, works: bool):
    authority = Authority()
    certificate, trusted = authority.certificate(name), tmp_path / "authority.pem"
    trusted.write_bytes(authority.pem)
    (tmp_path / "chain.pem").write_bytes(certificate.chain + certificate.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "chain.pem")
    async with saying(b"* OK\r\n", context=context) as (port, _):
        address = f"imaps://localhost:{port}"
        assert "nobody that this machine trusts" in await trouble(address)
        if works:
            await Reach(trusted=str(trusted)).check(endpoint_of(address, "imap"))
        else:
            assert "is for another name" in await trouble(address, Reach(trusted=str(trusted)))


OURS = "127.0.0.1 10.1.2.3 172.16.0.1 192.168.0.1 169.254.169.254 100.64.0.1 0.0.0.0 255.255.255.255 224.0.0.1 198.18.0.1"
OURS_BY_IPV6 = "::1 :: fe80::1%eth0 fd00::1 ::ffff:10.0.0.1 2002:7f00:1:: 64:ff9b::a00:1 ff02::1 ::7f00:1"


@pytest.mark.parametrize("address", f"{OURS} {OURS_BY_IPV6}".split())
def test_an_address_of_a_private_network_is_not_of_the_internet(address):
    assert not of_the_internet(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_an_address_of_the_internet_is(address):
    assert of_the_internet(address)


@given(st.ip_addresses(v=4, network="10.0.0.0/8") | st.ip_addresses(v=4, network="127.0.0.0/8"))
def test_a_private_address_stays_one_however_it_is_written(address):
    for written in (f"::ffff:{address}", f"64:ff9b::{address}", str(address)):
        assert not of_the_internet(written)


async def test_only_ordinary_ports_of_the_internet_are_reached_for_a_guest():
    reach = Reach(public=True)
    assert await reach.where("8.8.8.8", 993) == "8.8.8.8"
    for host, port in (("8.8.8.8", 22), ("127.0.0.1", 993), ("localhost", 443), ("127.1", 993)):
        with pytest.raises(Unreachable, match="not a server on the internet"):
            await reach.where(host, port)
