"""Where a password may go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.standards.dav.origins import may_go
from integrations.standards.endpoints import endpoint_of


@pytest.mark.parametrize(
    ("start", "url"),
    [
        ("https://dav.example.org/", "https://dav.example.org/x"),
        ("https://dav.example.org:8443/", "https://DAV.example.org:8443/x"),
        ("http://127.0.0.1:5232/", "http://127.0.0.1:5232/x"),
        ("https://caldav.icloud.com/", "https://p42-caldav.icloud.com:443/123/calendars/"),
        ("https://caldav.icloud.com/", "https://icloud.com/"),
        ("https://[::1]/", "https://[::1]/x"),
    ],
)
def test_to_the_server_itself_and_those_beside_it(start: str, url: str) -> None:
    assert may_go(endpoint_of(start, "http"), url)


@pytest.mark.parametrize(
    ("start", "url"),
    [
        ("https://dav.example.org/", "http://dav.example.org/"),
        ("https://dav.example.org/", "https://dav.example.org:8443/"),
        ("https://dav.example.org/", "https://example.com/"),
        ("https://dav.example.org/", "https://dav.example.org.evil.example/"),
        ("https://dav.example.org/", "https://evilexample.org/"),
        ("https://dav.example.org/", "https://dav.example.org@evil.example/"),
        ("https://dav.example.org/", "https://user@dav.example.org/"),
        ("https://dav.example.org/", "/relative"),
        ("https://dav.example.org/", "https:///x"),
        ("https://dav.example.org/", "https://[/"),
        ("https://dav.example.org/", "https://dav.example.org:port/"),
        ("https://example.org/", "https://other.org/"),
        ("https://example.co.uk/", "https://evil.co.uk/"),
        ("https://icloud.com/", "https://evil.com/"),
        ("https://10.0.0.1/", "https://9.0.0.1/"),
        ("https://[::1]/", "https://[::2]/"),
        ("http://127.0.0.1:5232/", "http://127.0.0.1:80/"),
        ("http://localhost/", "https://localhost/"),
    ],
)
def test_to_nobody_else(start: str, url: str) -> None:
    assert not may_go(endpoint_of(start, "http"), url)


@given(st.text())
def test_whatever_a_server_names_is_answered(url: str) -> None:
    may_go(endpoint_of("https://dav.example.org/", "http"), url)
    assert not may_go(endpoint_of("https://dav.example.org/", "http"), f"http://{url}")
