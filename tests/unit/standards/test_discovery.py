"""Which servers an address leads to, with a DNS server and web servers of the tests' own."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from doubles.naming import Zone, naming
from hypothesis import given
from hypothesis import strategies as st
from servers.certificates import Authority

from integrations.errors import InvalidResponse
from integrations.standards.discovery.discovery import WHICH, Discovery, Found, Which, told
from integrations.standards.discovery.naming import HOST, PATH
from integrations.standards.discovery.reaching import Reach, Unreachable
from integrations.standards.endpoints import endpoint_of

ANNA = "anna@home.example"
NOBODY: Zone = {}


class Nowhere(Reach):
    """Nothing is there."""

    async def where(self, host: str, port: int) -> str:
        raise Unreachable("There is nothing.")


class Redirected(Reach):
    """Every host of the internet is this machine; `asked` are those that were reached."""

    def __init__(self, trusted: str, ports: Mapping[int, int]) -> None:
        super().__init__(trusted=trusted)
        self.asked: list[str] = []
        self._ports = ports

    async def where(self, host: str, port: int) -> str:
        self.asked.append(host)
        return "127.0.0.1"


async def found(zone: Zone, email: str = ANNA, wanted: tuple[Which, ...] = WHICH, reach: Reach | None = None) -> Found:
    async with naming(zone) as names:
        return await Discovery(names, reach or Nowhere(), wanted).of(email)


def servers(found: Found, which: Which) -> list[str]:
    return [one.server for one in found.candidates.get(which, ())]


async def test_a_known_service_needs_no_dns():
    asked: list[str] = []
    async with naming(NOBODY, asked) as names:
        fastmail = await Discovery(names, Nowhere()).of("anna@fastmail.com")
    assert fastmail.service and fastmail.service.name == "Fastmail"
    assert servers(fastmail, "imap") == ["imaps://imap.fastmail.com"]
    assert servers(fastmail, "carddav") == ["https://carddav.fastmail.com/"]
    assert not fastmail.elsewhere and asked == []


async def test_srv_records_name_the_servers():
    home = await found(
        {
            ("_imaps._tcp.home.example", "SRV"): ["10 1 993 spare.home.example.", "0 1 9993 imap.home.example."],
            ("_imap._tcp.home.example", "SRV"): ["0 1 143 imap.home.example."],
            ("_submission._tcp.home.example", "SRV"): ["0 1 587 out.home.example."],
            ("_caldavs._tcp.home.example", "SRV"): ["0 1 443 dav.home.example."],
            ("_caldavs._tcp.home.example", "TXT"): ['"path=/calendars/"'],
        }
    )
    assert servers(home, "imap") == [
        "imaps://imap.home.example:9993",
        "imaps://spare.home.example:993",
        "imap+starttls://imap.home.example:143",
    ]
    assert servers(home, "smtp") == ["smtp+starttls://out.home.example:587"]
    assert servers(home, "caldav") == ["https://dav.home.example:443/calendars/"]
    assert servers(home, "carddav") == [] and not home.elsewhere


async def test_a_server_of_another_domain_has_to_be_asked_for():
    home = await found({("_imaps._tcp.home.example", "SRV"): ["0 1 993 mail.evil.example.", "1 1 993 home.example.evil.example."]})
    assert home.elsewhere == ("mail.evil.example", "home.example.evil.example")
    assert servers(home.without(home.elsewhere), "imap") == []


async def test_a_service_behind_a_domain_of_its_own_has_to_be_asked_for():
    home = await found({("home.example", "MX"): ["10 in1-smtp.messagingengine.com."]})
    assert home.service and home.service.name == "Fastmail"
    assert servers(home, "caldav") == ["https://caldav.fastmail.com/"]
    assert "imap.fastmail.com" in home.elsewhere


async def test_what_a_domain_says_it_has_not_got_is_not_looked_for():
    reach = Redirected("", {})
    home = await found({("_imaps._tcp.home.example", "SRV"): ["0 0 0 ."]}, wanted=("imap",), reach=reach)
    assert home.refused == {"imap"} and servers(home, "imap") == [] and reach.asked == []


async def test_one_way_that_is_not_offered_leaves_the_other():
    home = await found(
        {
            ("_submissions._tcp.home.example", "SRV"): ["0 0 0 ."],
            ("_submission._tcp.home.example", "SRV"): ["0 1 587 out.home.example."],
        }
    )
    assert servers(home, "smtp") == ["smtp+starttls://out.home.example:587"] and "smtp" not in home.refused


async def test_a_calendar_server_without_encryption_is_taken_on_this_machine_only():
    home = await found(
        {
            ("_caldav._tcp.home.example", "SRV"): ["0 1 80 dav.home.example.", "0 1 5232 localhost."],
            ("_caldav._tcp.home.example", "TXT"): ['"path=/"'],
        },
        wanted=("caldav",),
    )
    assert servers(home, "caldav") == ["http://localhost:5232/"]
    assert home.elsewhere == ("localhost",)


async def test_a_domain_in_another_script_is_looked_up_as_dns_writes_it():
    asked: list[str] = []
    async with naming(NOBODY, asked) as names:
        await Discovery(names, Nowhere(), ("imap",)).of("anna@münchen.example")
    assert "_imaps._tcp.xn--mnchen-3ya.example SRV" in asked


async def test_without_any_dns_the_rest_goes_on():
    async with naming(NOBODY) as names:
        pass  # it has ended, so that nobody answers
    assert servers(await Discovery(names, Nowhere(), ("imap",)).of(ANNA), "imap") == []


@pytest.mark.parametrize(
    "path",
    ['"path=http://evil.example/"', '"path=evil"', '"path=/a b"', '"path=/a\\013\\010"', '"path=/\\228"', '"other=/x"', '"path="'],
)
async def test_a_path_that_is_none_is_not_used(path):
    zone = {("_caldavs._tcp.home.example", "SRV"): ["0 1 443 dav.home.example."], ("_caldavs._tcp.home.example", "TXT"): [path]}
    assert servers(await found(zone, wanted=("caldav",)), "caldav") == []


@pytest.mark.parametrize("host", ["a\\032b.home.example.", "a\\013\\010b.example.", "a\\064b.home.example.", "a\\047b.example."])
async def test_a_name_that_is_no_host_is_not_used(host):
    assert servers(await found({("_imaps._tcp.home.example", "SRV"): [f"0 1 993 {host}"]}, wanted=("imap",)), "imap") == []


@given(st.text(max_size=80))
def test_what_dns_gives_never_leads_an_address_elsewhere(text):
    if HOST.fullmatch(text):
        assert endpoint_of(f"imaps://{text}:993", "imap").host == text
    if PATH.fullmatch(text):
        endpoint = endpoint_of(f"https://dav.home.example:443{text}", "http")
        assert endpoint.host == "dav.home.example" and str(endpoint).isascii() and str(endpoint).isprintable()


# --- well-known addresses and usual names, at web servers on this machine

Page = tuple[int, Mapping[str, str]]


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def trusted(authority: Authority, tmp_path: Path) -> str:
    file = tmp_path / "authority.pem"
    file.write_bytes(authority.pem)
    return str(file)


@asynccontextmanager
async def web(authority: Authority, tmp_path: Path, pages: Callable[[str, str], Page], *names: str) -> AsyncIterator[list[str]]:
    """On port 443 of every host, for who is told so by `Here`; the requests, as a method, a host and a path."""
    certificate = authority.certificate(*names)
    chain = tmp_path / "chain.pem"
    chain.write_bytes(certificate.chain + certificate.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    requests: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, path, _ = head.split(" ", 2)
        host = next(line for line in head.split("\r\n") if line.lower().startswith("host:"))[5:].strip()
        requests.append(f"{method} {host} {path}")
        assert "authorization" not in head.lower() and "cookie" not in head.lower()
        status, headers = pages(host, path)
        fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n{fields}Connection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    Here.port = server.sockets[0].getsockname()[1]
    try:
        yield requests
    finally:
        server.close()


class Here(Discovery):
    """With another port in place of 443, which needs a privilege."""

    port = 0

    async def _asked(self, address: str) -> tuple[int, str]:
        before, _, path = address.removeprefix("https://").partition("/")
        return await super()._asked(f"https://{before.partition(':')[0]}:{self.port}/{path}")


async def looked(zone: Zone, reach: Reach, *wanted: Which) -> Found:
    async with naming(zone) as names:
        return await Here(names, reach, wanted).of(ANNA)


async def test_a_well_known_address_leads_to_the_calendars(authority, trusted, tmp_path):
    def pages(host: str, path: str) -> Page:
        if path == "/.well-known/caldav" and host.startswith("home.example"):
            return 301, {"Location": "/remote.php/dav/"}
        return (401, {"Set-Cookie": "a=b"}) if path == "/remote.php/dav/" else (404, {})

    async with web(authority, tmp_path, pages, "home.example") as requests:
        home = await looked(NOBODY, Redirected(trusted, {}), "caldav")
    assert servers(home, "caldav") == ["https://home.example/remote.php/dav/"]
    assert f"PROPFIND home.example:{Here.port} /.well-known/caldav" in requests and not home.elsewhere


async def test_a_redirect_into_another_domain_has_to_be_asked_for(authority, trusted, tmp_path):
    def pages(host: str, path: str) -> Page:
        if host.startswith("evil.example"):
            return 401, {}
        return 302, {"Location": "https://evil.example/dav/"}

    async with web(authority, tmp_path, pages, "home.example", "evil.example"):
        home = await looked(NOBODY, Redirected(trusted, {}), "caldav")
    assert servers(home, "caldav") == ["https://evil.example/dav/"] and home.elsewhere == ("evil.example",)


NO_WAY_ON = (
    "http://home.example/dav/",
    "http://127.0.0.1:1/",
    "ftp://home.example/",
    "https://a@home.example/",
    "https://[",
    "",
    "\\x",
)


@pytest.mark.parametrize("onward", NO_WAY_ON)
async def test_a_redirect_to_what_is_no_encrypted_address_is_not_followed(authority, trusted, tmp_path, onward):
    def pages(host: str, path: str) -> Page:
        return (302, {"Location": onward}) if path == "/.well-known/caldav" else (404, {})

    async with web(authority, tmp_path, pages, "home.example") as requests:
        home = await looked(NOBODY, Redirected(trusted, {}), "caldav")
    assert servers(home, "caldav") == [] and len(requests) <= 2


async def test_redirects_without_end_end(authority, trusted, tmp_path):
    async with web(authority, tmp_path, lambda host, path: (302, {"Location": path + "x"}), "home.example") as requests:
        home = await looked(NOBODY, Redirected(trusted, {}), "caldav")
    assert servers(home, "caldav") == [] and len(requests) < 10


async def test_a_page_that_answers_everything_is_no_calendar_server(authority, trusted, tmp_path):
    async with web(authority, tmp_path, lambda host, path: (200, {}), "home.example"):
        assert servers(await looked(NOBODY, Redirected(trusted, {}), "caldav"), "caldav") == []


async def test_a_certificate_for_another_name_is_no_server(authority, trusted, tmp_path):
    async with web(authority, tmp_path, lambda host, path: (401, {}), "other.example") as requests:
        assert servers(await looked(NOBODY, Redirected(trusted, {}), "caldav"), "caldav") == []
    assert requests == []


def test_what_the_user_names_is_not_asked_about():
    one = told("imap", "imaps://mail.other.example")
    assert not one.elsewhere and one.host == "mail.other.example"


@pytest.mark.parametrize(
    "server", ["mail.example.org", "https://mail.example.org", "imap://mail.example.org", "imaps://a@b.example"]
)
def test_what_the_user_names_is_encrypted_mail(server):
    with pytest.raises(InvalidResponse):
        told("imap", server)
