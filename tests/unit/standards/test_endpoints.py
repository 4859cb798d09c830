"""Addresses of servers, as people give them."""

import ssl
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.errors import InvalidResponse
from integrations.standards.endpoints import SCHEMES, Protocol, endpoint_of, tls_context

PROTOCOLS: tuple[Protocol, ...] = ("imap", "smtp", "http")


@pytest.mark.parametrize(
    ("text", "protocol", "host", "port", "security", "again"),
    [
        ("imaps://mail.example.org", "imap", "mail.example.org", 993, "tls", "imaps://mail.example.org"),
        (" IMAPS://Mail.Example.Org:994/ ", "imap", "mail.example.org", 994, "tls", "imaps://mail.example.org:994"),
        ("imap+starttls://mail.example.org", "imap", "mail.example.org", 143, "starttls", "imap+starttls://mail.example.org"),
        ("imap://127.0.0.1:1143", "imap", "127.0.0.1", 1143, "none", "imap://127.0.0.1:1143"),
        ("smtp://[::1]:25", "smtp", "::1", 25, "none", "smtp://[::1]"),
        ("smtps://mail.example.org", "smtp", "mail.example.org", 465, "tls", "smtps://mail.example.org"),
        ("https://cloud.example.org/dav", "http", "cloud.example.org", 443, "tls", "https://cloud.example.org/dav"),
        ("https://cloud.example.org", "http", "cloud.example.org", 443, "tls", "https://cloud.example.org/"),
        ("https://bücher.example/", "http", "xn--bcher-kva.example", 443, "tls", "https://xn--bcher-kva.example/"),
    ],
)
def test_an_address_says_where_and_how(text: str, protocol: Protocol, host: str, port: int, security: str, again: str) -> None:
    endpoint = endpoint_of(text, protocol)
    assert (endpoint.host, endpoint.port, endpoint.security, endpoint.protocol) == (host, port, security, protocol)
    assert str(endpoint) == again


@pytest.mark.parametrize(
    "text", ["imap://mail.example.org", "smtp://10.0.0.1", "http://localhost.example.org/", "http://127.0.0.1.nip.io"]
)
def test_nothing_goes_out_in_plain_text_but_to_this_machine(text: str) -> None:
    with pytest.raises(InvalidResponse, match="without encryption"):
        endpoint_of(text, SCHEMES[text.partition(":")[0]][0])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mail.example.org",
        "imaps://",
        "https://mail.example.org",
        "imaps://a b",
        "imaps://x:99999",
        "imaps://[",
        "imaps://x\x00y",
        "ftp://x",
    ],
)
def test_what_is_no_address_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InvalidResponse) as refused:
        endpoint_of(text, "imap", "acc")
    assert refused.value.account == "acc" and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text", ["imaps://anna:tops3cret@mail.example.org", "imaps://tops3cret@mail.example.org:x", "imaps://a:tops3cret@[::1"]
)
def test_a_password_in_an_address_is_shown_to_nobody(text: str) -> None:
    with pytest.raises(InvalidResponse) as refused:
        endpoint_of(text, "imap")
    assert "tops3cret" not in str(refused.value)


@given(
    st.text(max_size=40) | st.builds("{}://{}".format, st.sampled_from(sorted(SCHEMES)), st.text(max_size=30)),
    st.sampled_from(PROTOCOLS),
)
def test_what_is_taken_means_the_same_written_again(text: str, protocol: Protocol) -> None:
    try:
        endpoint = endpoint_of(text, protocol)
    except InvalidResponse:
        return
    assert endpoint_of(str(endpoint), protocol) == endpoint
    assert endpoint.host.isascii() and endpoint.host.isprintable() and not set(endpoint.host) & set("@/\\?# ")


def test_certificates_of_ones_own_are_trusted_beside_the_usual_ones(tmp_path: Path) -> None:
    context = tls_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    with pytest.raises(OSError):
        tls_context(str(tmp_path / "missing.pem"))
