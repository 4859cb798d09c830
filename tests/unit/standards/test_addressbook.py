"""Address books at real servers, also where these answer as no server should."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from unittest.mock import patch

import httpx
import pytest
from doubles.secrets import KeptSecrets
from servers import Servers, User
from servers.http_proxy import HttpProxy

from integrations.common import retrying
from integrations.common.remote import Down, Unreached
from integrations.errors import AuthExpired, Conflict, InvalidResponse, NotFound, RateLimited, Unavailable
from integrations.standards.credentials import Credentials
from integrations.standards.dav import addressbook, dav_transport
from integrations.standards.dav.addressbook import AddressBook
from integrations.standards.dav.dav_books import Collection
from integrations.standards.endpoints import endpoint_of
from integrations.types import ContactQuery

XML = {"Content-Type": "application/xml; charset=utf-8"}


@pytest.fixture(autouse=True)
def no_pauses() -> object:
    with patch.multiple(retrying, PAUSE=0.0, LONGEST_PAUSE=0.0):
        yield


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example")


@pytest.fixture(params=["radicale", "xandikos"])
def proxy(request: pytest.FixtureRequest, servers: Servers) -> HttpProxy:
    return servers.dav if request.param == "radicale" else servers.xandikos_dav


@pytest.fixture
async def book(anna: User, proxy: HttpProxy) -> AsyncIterator[AddressBook]:
    opened = book_of(anna, carddav=f"http://127.0.0.1:{proxy.port}/")
    yield opened
    await opened.close()


@pytest.fixture
async def plain_book(anna: User) -> AsyncIterator[AddressBook]:
    opened = book_of(anna)
    yield opened
    await opened.close()


def book_of(user: User, **settings: str) -> AddressBook:
    given = {**user.settings, **settings}
    credentials = Credentials("acc", KeptSecrets(acc=user.secret), user.email)
    return AddressBook("acc", endpoint_of(given["carddav"], "http"), credentials, trusted=given.get("trusted", ""))


def card(name: str, *lines: str, uid: str = "") -> str:
    return "\r\n".join(["BEGIN:VCARD", "VERSION:3.0", f"UID:{uid or name}", f"FN:{name}", f"N:{name};;;;", *lines, "END:VCARD", ""])


async def put(book: AddressBook, user: User, name: str, content: str) -> str:
    """As another program would. Its id."""
    url = f"{(await book.collections())[0].url}{name}.vcf"
    async with httpx.AsyncClient(auth=(user.email, user.password)) as client:
        (await client.put(url, content=content.encode(), headers={"Content-Type": "text/vcard"})).raise_for_status()
    return httpx.URL(url).raw_path.decode()


async def names(book: AddressBook) -> list[str]:
    return [contact.name for contact in (await book.current()).search(ContactQuery()).items]


def asked(proxy: HttpProxy) -> list[str]:
    return [request.method for request in proxy.requests]


# Finding them


async def test_address_books_are_found_from_the_root_a_principal_a_home_or_one_of_them(
    anna: User, book: AddressBook, proxy: HttpProxy
) -> None:
    found = await book.collections()
    assert found
    home = httpx.URL(found[0].url).join("../").raw_path.decode()
    for path in ("/", home, found[0].path, found[0].path.rstrip("/")):
        other = book_of(anna, carddav=f"http://127.0.0.1:{proxy.port}{path}")
        assert [one.url for one in await other.collections()] == [one.url for one in found], path
        await other.close()


async def test_where_there_is_no_address_book_it_says_so(anna: User, servers: Servers) -> None:
    servers.dav.instead("PROPFIND", 405, times=9)
    book = book_of(anna)
    with pytest.raises(NotFound, match="No address book was found"):
        await book.current()
    await book.close()


async def test_the_well_known_address_leads_there(anna: User, servers: Servers) -> None:
    servers.dav.instead("PROPFIND", 404, path="^/$")
    servers.dav.instead("PROPFIND", 301, {"Location": "/"}, path="well-known")
    book = book_of(anna)
    assert await book.names() == ("Contacts",)
    await book.close()


async def test_a_redirect_to_another_server_is_not_followed(anna: User, servers: Servers) -> None:
    elsewhere = servers.xandikos_dav
    servers.dav.instead("PROPFIND", 302, {"Location": f"http://127.0.0.1:{elsewhere.port}/"}, times=9)
    book = book_of(anna)
    with pytest.raises(InvalidResponse, match="another server"):
        await book.current()
    assert elsewhere.requests == []
    await book.close()


async def test_a_home_on_another_server_is_not_asked(anna: User, servers: Servers) -> None:
    elsewhere = servers.xandikos_dav
    home = f'<C:addressbook-home-set xmlns:C="urn:ietf:params:xml:ns:carddav"><href>http://127.0.0.1:{elsewhere.port}/</href></C:addressbook-home-set>'
    servers.dav.instead("PROPFIND", 207, XML, _answer("/", home))
    book = book_of(anna)
    with pytest.raises(InvalidResponse, match="another server"):
        await book.current()
    assert elsewhere.requests == []
    await book.close()


def _answer(href: str, props: str) -> bytes:
    found = f"<propstat><prop>{props}</prop><status>HTTP/1.1 200 OK</status></propstat>"
    return f'<multistatus xmlns="DAV:"><response><href>{href}</href>{found}</response></multistatus>'.encode()


# Reading


async def test_changes_by_others_are_seen_at_the_next_look(book: AddressBook, anna: User, proxy: HttpProxy) -> None:
    assert await names(book) == []
    path = await put(book, anna, "a", card("Anna"))
    await put(book, anna, "b", card("Ben"))
    assert await names(book) == ["Anna", "Ben"]
    await put(book, anna, "a", card("Zoe", uid="Anna"))
    assert await names(book) == ["Ben", "Zoe"]
    await book.delete(await book.stored(path))
    assert await names(book) == ["Ben"]


async def test_where_nothing_has_changed_it_is_asked_once(book: AddressBook, anna: User, proxy: HttpProxy) -> None:
    await put(book, anna, "a", card("Anna"))
    await names(book)
    before = len(proxy.requests)
    assert await names(book) == ["Anna"]
    assert asked(proxy)[before:] == ["PROPFIND"]


async def test_only_what_has_changed_is_fetched(book: AddressBook, anna: User, proxy: HttpProxy) -> None:
    for number in range(3):
        await put(book, anna, f"c{number}", card(f"Person {number}"))
    await names(book)
    await put(book, anna, "c1", card("Somebody else", uid="Person 1"))
    before = len(proxy.requests)
    assert "Somebody else" in await names(book)
    fetched = proxy.requests[-1].body
    assert fetched.count(b"<D:href>") == 1 and b"c1.vcf" in fetched and len(proxy.requests) - before == 3


async def test_a_sync_token_that_the_server_has_forgotten_costs_a_new_listing_only(
    plain_book: AddressBook, anna: User, servers: Servers
) -> None:
    await put(plain_book, anna, "a", card("Anna"))
    await names(plain_book)
    await put(plain_book, anna, "b", card("Ben"))
    servers.dav.instead("REPORT", 403, XML, b'<error xmlns="DAV:"><valid-sync-token/></error>')
    assert await names(plain_book) == ["Anna", "Ben"]


async def test_a_server_without_sync_is_listed_by_etags(book: AddressBook, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    async def without(*given: object) -> tuple[Collection, ...]:
        return tuple(one._replace(syncs=False, state="") for one in await listed(*given))  # type: ignore[arg-type]

    listed = addressbook.list_books
    monkeypatch.setattr(addressbook, "list_books", without)
    await put(book, anna, "a", card("Anna"))
    path = await put(book, anna, "b", card("Ben"))
    assert await names(book) == ["Anna", "Ben"]
    await put(book, anna, "a", card("Zoe", uid="Anna"))
    await book.delete(await book.stored(path))
    assert await names(book) == ["Zoe"]


async def test_a_card_that_cannot_be_read_is_skipped_with_a_reason(plain_book: AddressBook, anna: User, servers: Servers) -> None:
    await put(plain_book, anna, "a", card("Anna"))
    home = servers.radicale.home(anna.email) / "contacts"
    (home / "bad.vcf").write_text("BEGIN:VCARD\r\nVERSION:3.0\r\nUID:bad\r\nFN:\r\nN:;;;;\r\nEND:VCARD\r\n")
    page = (await plain_book.current()).search(ContactQuery())
    assert [contact.name for contact in page.items] == ["Anna"]
    assert [(one.where.rpartition("/")[2], one.reason) for one in page.skipped] == [
        ("bad.vcf", "it has neither a name nor an address")
    ]


async def test_one_card_that_spoils_the_answer_does_not_end_the_listing(
    plain_book: AddressBook, anna: User, servers: Servers
) -> None:
    await put(plain_book, anna, "a", card("Anna"))
    await put(plain_book, anna, "b", card("Ben"))
    await plain_book.collections()
    original, spoilt = plain_book._dav.report, 0

    async def report(url: str, body: bytes, *, depth: int = 1) -> object:
        nonlocal spoilt
        if b"a.vcf" in body:
            spoilt += 1
            raise plain_book._dav.server.unreadable
        return await original(url, body, depth=depth)

    with patch.object(plain_book._dav, "report", report):
        page = (await plain_book.current()).search(ContactQuery())
    assert [contact.name for contact in page.items] == ["Ben"]
    assert [one.reason for one in page.skipped] == ["the server does not show it"]
    assert spoilt == 2


async def test_contacts_of_all_address_books_are_together(servers: Servers, anna: User) -> None:
    servers.dav  # noqa: B018 - starts it
    servers.radicale.add(anna.email, "second", {"tag": "VADDRESSBOOK", "D:displayname": "Second"})
    (servers.radicale.home(anna.email) / "second" / "x.vcf").write_text(card("Xaver"))
    book = book_of(anna)
    await put(book, anna, "a", card("Anna"))
    assert await names(book) == ["Anna", "Xaver"]
    assert set(await book.names()) == {"Contacts", "Second"}
    await book.close()


# Troubles


async def test_a_password_that_has_changed_ends_the_sign_in(plain_book: AddressBook, anna: User, servers: Servers) -> None:
    await names(plain_book)
    servers.change_password(anna, "another")
    with pytest.raises(AuthExpired, match="connect"):
        await names(plain_book)


async def test_a_password_that_was_changed_here_meanwhile_is_tried(anna: User, servers: Servers) -> None:
    class Renewed(KeptSecrets):
        async def load(self, account: str) -> str | None:
            given = await super().load(account)
            await self.save(account, json.dumps({"password": "another"}))
            return given

    servers.dav  # noqa: B018
    servers.change_password(anna, "another")
    credentials = Credentials("acc", Renewed(acc=anna.secret), anna.email)
    book = AddressBook("acc", endpoint_of(anna.settings["carddav"], "http"), credentials)
    assert await names(book) == []
    await book.close()


async def test_a_server_that_wants_a_digest_gets_one(plain_book: AddressBook, servers: Servers) -> None:
    servers.dav.instead("PROPFIND", 401, {"WWW-Authenticate": 'Digest realm="x", nonce="abc", qop="auth", algorithm=MD5'}, times=2)
    with pytest.raises(AuthExpired):
        await names(plain_book)
    sent = [request.headers.get("authorization", "").partition(" ")[0] for request in servers.dav.requests]
    assert sent == ["Basic", "", "Digest"]


async def test_a_redirect_out_of_encryption_is_not_followed(anna: User, servers: Servers) -> None:
    servers.dav.instead("PROPFIND", 301, {"Location": f"http://localhost:{servers.dav.port}/"}, times=9)
    book = book_of(anna, **anna.secure_settings)
    with pytest.raises(InvalidResponse, match="another server"):
        await book.current()
    assert {request.path for request in servers.dav.requests} == {"/", "/.well-known/carddav"}
    await book.close()


async def test_cards_that_a_server_names_elsewhere_are_not_its_own(plain_book: AddressBook, anna: User, servers: Servers) -> None:
    await put(plain_book, anna, "a", card("Anna"))
    hrefs = (
        "http://evil.example/a.vcf",
        "/anna@home.example/calendar/x.ics",
        "../x.vcf",
        "javascript:a",
        "http://[",
        "a/b.vcf",
        "",
    )
    props = "<propstat><prop><getetag>x</getetag></prop><status>HTTP/1.1 200 OK</status></propstat>"
    told = "".join(f"<response><href>{href}</href>{props}</response>" for href in hrefs)
    servers.dav.instead("REPORT", 207, XML, f'<multistatus xmlns="DAV:">{told}<sync-token>t</sync-token></multistatus>'.encode())
    assert await names(plain_book) == []
    assert [request.method for request in servers.dav.requests].count("REPORT") == 1


@pytest.mark.parametrize("href", ["javascript:a", "http://[", "", "//user@evil.example/", "\n"])
async def test_a_home_that_is_nowhere_is_none(anna: User, servers: Servers, href: str) -> None:
    home = f'<C:addressbook-home-set xmlns:C="urn:ietf:params:xml:ns:carddav"><href>{href}</href></C:addressbook-home-set>'
    servers.dav.instead("PROPFIND", 207, XML, _answer("/", home), times=9)
    book = book_of(anna)
    with pytest.raises((NotFound, InvalidResponse)):
        await book.current()
    await book.close()


@pytest.mark.parametrize(
    ("status", "headers", "error"),
    [(429, {"Retry-After": "0"}, RateLimited), (503, {"Retry-After": "0"}, Down), (500, {}, Down), (507, {}, InvalidResponse)],
)
async def test_what_a_server_refuses_is_told_in_words(
    plain_book: AddressBook, servers: Servers, status: int, headers: dict[str, str], error: type[Exception]
) -> None:
    await names(plain_book)
    servers.dav.instead("PROPFIND", status, headers, b"<html>secret of anna</html>", times=20)
    with pytest.raises(error) as raised:
        await names(plain_book)
    assert "html" not in str(raised.value) and raised.value.account == "acc"  # type: ignore[attr-defined]


async def test_a_pause_that_the_server_asks_for_is_kept_and_the_question_asked_again(
    plain_book: AddressBook, servers: Servers
) -> None:
    servers.dav.instead("PROPFIND", 503, {"Retry-After": "0"})
    assert await names(plain_book) == []


async def test_an_answer_without_end_is_cut(plain_book: AddressBook, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    await put(plain_book, anna, "a", card("Anna", f"NOTE:{'x' * 9000}"))
    monkeypatch.setattr(dav_transport, "LARGEST", 8000)
    with pytest.raises(InvalidResponse, match="too large"):
        await plain_book.current()


async def test_a_packed_answer_is_not_unpacked(plain_book: AddressBook, servers: Servers) -> None:
    servers.dav.instead("PROPFIND", 207, {**XML, "Content-Encoding": "gzip"}, b"\x1f\x8b", times=9)
    with pytest.raises(InvalidResponse):
        await names(plain_book)


async def test_cookies_are_neither_kept_nor_sent(plain_book: AddressBook, servers: Servers) -> None:
    servers.dav.instead("PROPFIND", 503, {"Set-Cookie": "a=b; Path=/"})
    await names(plain_book)
    assert not any("cookie" in request.headers for request in servers.dav.requests)


async def test_a_server_that_is_down_was_not_reached(anna: User, servers: Servers) -> None:
    servers.dav  # noqa: B018
    free = book_of(anna, carddav="http://127.0.0.1:1/")
    with pytest.raises(Unreached):
        await free.current()
    await free.close()


async def test_a_certificate_for_another_name_is_refused_before_anything_is_sent(anna: User, servers: Servers) -> None:
    book = book_of(anna, **servers.wrong_name_settings(anna))
    with pytest.raises(Unavailable, match="certificate"):
        await book.current()
    assert servers.dav.requests == []
    await book.close()


async def test_a_server_of_an_authority_of_ones_own_is_reached(anna: User, tmp_path: Path) -> None:
    book = book_of(anna, **anna.secure_settings)
    assert await book.names() == ("Contacts",)
    await book.close()
    (tmp_path / "none.pem").write_text("nothing")
    for unread in (tmp_path / "none.pem", tmp_path / "missing.pem"):
        book = book_of(anna, **{**anna.secure_settings, "trusted": str(unread)})
        with pytest.raises(Unreached, match="certificates"):
            await book.current()
        await book.close()


async def test_nothing_but_cards_of_the_account_can_be_named(book: AddressBook) -> None:
    path = (await book.collections())[0].path
    for id in (
        "",
        "/",
        path,
        f"{path}../x.vcf",
        f"{path}..",
        f"{path}a/b.vcf",
        f"{path}%2e%2e",
        "http://evil.example/x.vcf",
        f"{path}a%0d%0ab.vcf",
    ):
        with pytest.raises(NotFound):
            await book.stored(id)


@pytest.mark.parametrize("location", ["http://[", "//[x/", "http://a b/", "http://127.0.0.1:99999/", "ftp://x/"])
async def test_a_redirect_that_leads_nowhere_is_told(plain_book: AddressBook, servers: Servers, location: str) -> None:
    servers.dav.instead("PROPFIND", 302, {"Location": location}, times=9)
    with pytest.raises(InvalidResponse):
        await plain_book.current()


@pytest.mark.parametrize(
    "challenge", ['realm="x"', 'realm="x", nonce="a", qop="auth-int"', 'realm="x", nonce="a", algorithm=SHA-512-256']
)
async def test_a_digest_that_nobody_could_give_is_told(plain_book: AddressBook, servers: Servers, challenge: str) -> None:
    servers.dav.instead("PROPFIND", 401, {"WWW-Authenticate": f"Digest {challenge}"}, times=9)
    with pytest.raises(InvalidResponse, match="can't be read"):
        await plain_book.current()


async def test_an_etag_of_any_letters_is_compared_as_it_is(plain_book: AddressBook, anna: User, servers: Servers) -> None:
    id = await put(plain_book, anna, "a", card("Anna"))
    props = f'<getetag>"ä“"</getetag><C:address-data xmlns:C="urn:ietf:params:xml:ns:carddav">{card("Anna")}</C:address-data>'
    servers.dav.instead("REPORT", 207, XML, _answer(id, props))
    with pytest.raises(Conflict):
        await plain_book.delete(await plain_book.stored(id))


async def test_a_password_that_was_refused_is_not_shown_again_until_it_has_changed(anna: User, servers: Servers) -> None:
    servers.dav  # noqa: B018
    servers.change_password(anna, "another")
    kept = KeptSecrets(acc=anna.secret)
    book = AddressBook("acc", endpoint_of(anna.settings["carddav"], "http"), Credentials("acc", kept, anna.email))
    for _ in range(3):
        with pytest.raises(AuthExpired, match="connect it again"):
            await book.current()
    assert len(servers.dav.requests) == 1
    await kept.save("acc", json.dumps({"password": "another"}))
    assert await names(book) == []
    await book.close()
