"""Mails put together from what a server tells of how they are built."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from integrations.errors import InvalidResponse
from integrations.standards.mailbox.structure import parsed, part_of

TEXT = ["text", "plain", [b"charset", b"utf-8"], None, None, b"8bit", 12, 1, None, None, None, None]
HTML = ["text", "html", [b"charset", b"utf-8"], None, None, b"quoted-printable", 30, 1, None, None, None, None]
HEADER = b"From: Anna <anna@acme.example>\r\nSubject: Hello\r\n\r\n"


def attached(name: list[bytes] | None, *, size: int = 4, encoding: bytes = b"base64") -> list[Any]:
    return ["application", "pdf", None, None, None, encoding, size, None, [b"attachment", name], None, None]


def multipart(kind: str, *parts: list[Any]) -> list[Any]:
    return [*parts, kind, [b"boundary", b"x"], None, None, None]


def test_attachments_are_told_with_name_kind_and_number() -> None:
    built = part_of(multipart("mixed", TEXT, attached([b"filename", b"plan.pdf"])))
    (attachment,) = parsed(HEADER, built, {}).attachments
    assert (attachment.part, attachment.filename, attachment.content_type) == ("2", "plan.pdf", "application/pdf")


@pytest.mark.parametrize(
    "name",
    [
        [b"filename*", b"utf-8''%C3%9Cberblick.pdf"],
        [b"filename", b"=?utf-8?q?=C3=9Cberblick=2Epdf?="],
        [b"filename", "Überblick.pdf".encode()],
        [b"FILENAME*0*", b"utf-8''%C3%9Cber", b"FILENAME*1", b"blick.pdf"],
    ],
)
def test_names_of_any_script_are_read_however_they_are_written(name: list[bytes]) -> None:
    (attachment,) = parsed(HEADER, part_of(multipart("mixed", TEXT, attached(name))), {}).attachments
    assert attachment.filename == "Überblick.pdf"


@pytest.mark.parametrize("number", range(0, 4000, 97))
def test_the_size_of_what_is_attached_is_nearly_its_own(number: int) -> None:
    sent = base64.encodebytes(b"x" * number).replace(b"\n", b"\r\n")
    (attachment,) = parsed(HEADER, part_of(attached([b"filename", b"x"], size=len(sent))), {}).attachments
    assert abs(attachment.size - number) <= 2


def test_pictures_that_html_shows_are_no_attachments() -> None:
    picture = ["image", "png", None, b"<logo>", None, b"base64", 100, None, [b"inline", [b"filename", b"logo.png"]], None, None]
    assert parsed(HEADER, part_of(multipart("related", HTML, picture)), {}).attachments == ()


def test_parts_are_numbered_as_imap_does() -> None:
    forwarded = ["message", "rfc822", None, None, None, b"7bit", 400, [None] * 10, TEXT, 12, None, None, None, None]
    built = part_of(multipart("mixed", multipart("alternative", TEXT, HTML), forwarded, attached(None)))
    assert [leaf.number for leaf in built.leaves] == ["1.1", "1.2", "2", "3"]
    assert [one.part for one in parsed(HEADER, built, {}).attachments] == ["2", "3"]
    assert [leaf.number for leaf in part_of(TEXT).leaves] == ["1"]


def test_the_text_is_read_as_its_encoding_and_charset_say() -> None:
    text = ["text", "plain", [b"charset", b"iso-8859-1"], None, None, b"quoted-printable", 9, 1, None, None, None, None]
    assert parsed(HEADER, part_of(text), {"1": b"Gr=FC=DFe"}).text == "Grüße"


def test_a_text_cannot_pass_for_further_parts() -> None:
    text = b'Hi\r\n--x\r\nContent-Disposition: attachment; filename="evil.exe"\r\n\r\nx\r\n--x--\r\n'
    head = parsed(HEADER, part_of(multipart("mixed", TEXT, HTML)), {"1": text})
    assert head.attachments == () and "evil.exe" in head.text


def test_a_name_cannot_pass_for_further_headers() -> None:
    name = [b"filename", b'a.pdf"\r\nSubject: forged\r\n\r\n<b>']
    head = parsed(HEADER, part_of(attached(name)), {})
    assert head.subject == "Hello" and len(head.attachments) == 1


JUNK = some.recursive(
    some.none()
    | some.integers(-5, 10**30)
    | some.binary(max_size=12)
    | some.text(max_size=8)
    | some.sampled_from([b"text", "multipart"]),
    lambda inner: some.lists(inner, max_size=12),
    max_leaves=40,
)


@given(JUNK)
def test_whatever_a_server_tells_is_read_or_refused(told: object) -> None:
    try:
        built = part_of(told)
    except InvalidResponse:
        return
    assert parsed(HEADER, built, {leaf.number: b"\xff\x00" for leaf in built.leaves}).subject == "Hello"


def test_what_is_nested_without_end_is_refused() -> None:
    told: list[Any] = TEXT
    for _ in range(200):
        told = multipart("mixed", told)
    with pytest.raises(InvalidResponse):
        part_of(told)
