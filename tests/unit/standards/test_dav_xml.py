"""What a CardDAV server answers, whatever it answers."""

import contextlib
from urllib.parse import unquote_to_bytes, urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from integrations.standards.dav.dav_xml import Malformed, multiget, multistatus, resolved, spelt, sync

BASE = "https://dav.example.org/anna/book/"
HREFS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="ab/.:@\\?#%2F\t\r\n[]", max_size=30),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["https://", "//", "http:", "https:\\\\", "/", ""]),
        st.text(max_size=20),
        st.text(max_size=9),
    ),
)


def answer(*responses: str, more: str = "") -> bytes:
    spaces = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"'
    return f"<D:multistatus {spaces}>{''.join(responses)}{more}</D:multistatus>".encode()


def response(href: str, props: str = "", status: str = "HTTP/1.1 200 OK") -> str:
    found = f"<D:propstat><D:prop>{props}</D:prop><D:status>{status}</D:status></D:propstat>"
    return f"<D:response><D:href>{href}</D:href>{found}</D:response>"


@given(HREFS)
def test_an_href_leads_where_it_was_checked_to_lead(href: str) -> None:
    """The library that sends a request reads its address as it was read here."""
    try:
        url = resolved(BASE, href)
    except ValueError:
        return
    here, there = urlsplit(url), httpx.URL(url)
    assert (there.scheme, there.raw_host.decode(), there.port) == (here.scheme, here.hostname, here.port)
    assert there.userinfo == b"" and not there.query and not there.fragment


@given(HREFS)
def test_the_same_place_is_named_alike(href: str) -> None:
    try:
        url = resolved(BASE, href)
    except ValueError:
        return
    assert resolved(BASE, url) == url


@given(st.text(max_size=40))
def test_another_spelling_of_a_path_means_the_same(path: str) -> None:
    assert list(map(unquote_to_bytes, spelt(path).split("/"))) == list(map(unquote_to_bytes, path.split("/")))
    assert spelt(spelt(path)) == spelt(path)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode) | st.text(max_size=50).map(lambda text: answer(text)))
def test_no_answer_is_too_strange(content: bytes) -> None:
    with contextlib.suppress(Malformed):
        multistatus(content, BASE)


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Cn"]), max_size=50))
def test_what_is_asked_is_xml_whatever_a_server_calls_its_things(text: str) -> None:
    url = f"https://dav.example.org{spelt('/' + text)}"
    assert [element.text for element in etree.fromstring(multiget([url])).iter("{DAV:}href")] == [urlsplit(url).path]
    token = etree.fromstring(sync(text)).findtext("{DAV:}sync-token")
    assert token == text


@pytest.mark.parametrize(
    "before",
    [
        b'<!DOCTYPE x [<!ENTITY a "aaaa">]>',
        b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">',
    ],
)
def test_an_answer_with_a_dtd_is_refused(before: bytes) -> None:
    with pytest.raises(Malformed):
        multistatus(before + answer(response("/a")), BASE)


@pytest.mark.parametrize("character", ["\x0b", "&#x0b;", "&#11;", "\x1f", "&#X1F;"])
def test_a_card_with_a_character_that_no_xml_may_hold_spoils_nothing(character: str) -> None:
    (found,) = multistatus(answer(response("a.vcf", f"<C:address-data>x{character}y</C:address-data>")), BASE).resources
    assert found.content("C:address-data") == "xy"


def test_tabs_and_line_ends_stay() -> None:
    (found,) = multistatus(answer(response("a.vcf", "<C:address-data>a\tb\nc&#13;&#10;&#9;</C:address-data>")), BASE).resources
    assert found.content("C:address-data") == "a\tb\nc\r\n\t"


def test_properties_that_the_server_refuses_are_none() -> None:
    (found,) = multistatus(answer(response("a.vcf", "<D:getetag>x</D:getetag>", "HTTP/1.1 404 Not Found")), BASE).resources
    assert (found.etag, found.status) == ("", 200)


def test_what_is_gone_says_so() -> None:
    gone = "<D:response><D:href>/anna/book/a.vcf</D:href><D:status>HTTP/1.1 404 Not Found</D:status></D:response>"
    found = multistatus(answer(gone, more="<D:sync-token>t:1</D:sync-token>"), BASE)
    assert (found.resources[0].url, found.resources[0].status, found.token) == (f"{BASE}a.vcf", 404, "t:1")
