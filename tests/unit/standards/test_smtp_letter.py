"""A mail as it goes over the line to an outgoing server."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from integrations.actions import SendMail
from integrations.common.mail_building import build_message
from integrations.common.mime import part_bytes, read_message
from integrations.errors import InvalidResponse
from integrations.standards.sending.smtp import letter_of, with_crlf
from integrations.types import Address, MailRef

BEN = "ben@north.example"
MAIL = b"From: anna@home.example\nTo: ben@north.example\nSubject: Plan\n\nAll set.\n"


@given(st.binary(max_size=300))
@example(b"a\n.\r\n..\rb\r\r\n")
def test_lines_end_in_one_way_only(raw: bytes) -> None:
    text = with_crlf(raw)
    assert text.endswith(b"\r\n")
    assert b"\r" not in text.replace(b"\r\n", b"") and b"\n" not in text.replace(b"\r\n", b"")
    assert with_crlf(text) == text


BLIND = st.sampled_from(["Bcc", "bcc", "BCC", "bCc"])
FOLDED = st.lists(st.sampled_from(["boss@secret.example", "Boss <other@secret.example>", '"A, B" <ab@secret.example>']), min_size=1)


@given(BLIND, FOLDED, st.sampled_from([",\n ", ",\r\n\t", ", "]), st.integers(0, 3))
def test_blind_copies_are_in_no_byte_that_is_sent(name: str, people: list[str], fold: str, place: int) -> None:
    head = MAIL.partition(b"\n\n")[0].split(b"\n")
    head.insert(place, f"{name}: {fold.join(people)}".encode())
    raw = b"\n".join(head) + b"\n\nBcc: this is text\n"
    letter = letter_of(raw, "anna@home.example", [BEN])
    assert b"secret.example" not in letter.text
    assert read_message(letter.text).to == read_message(MAIL).to
    assert letter.text.endswith(b"\r\n\r\nBcc: this is text\r\n")


def test_a_head_that_mail_programs_read_in_different_ways_is_not_sent() -> None:
    with pytest.raises(InvalidResponse):
        letter_of(b"Bcc : boss@secret.example\n" + MAIL, "anna@home.example", [BEN])


def test_each_recipient_is_named_once_as_servers_write_addresses() -> None:
    letter = letter_of(MAIL, "anna@home.example", [BEN, "jg@bücher.example", BEN])
    assert letter.recipients == (BEN, "jg@xn--bcher-kva.example")


@pytest.mark.parametrize(
    "recipients",
    [[], ["not an address"], ["a@b.example>\r\nRCPT TO:<x@evil.example"], ["a@b.example x@evil.example"], [""]],
    ids=repr,
)
def test_nobody_is_written_to_who_has_no_address(recipients: list[str]) -> None:
    with pytest.raises(InvalidResponse):
        letter_of(MAIL, "anna@home.example", recipients)


@pytest.mark.parametrize("raw", [MAIL + b"\0", b"From: anna@home.example", b""])
def test_what_is_no_mail_is_not_sent(raw: bytes) -> None:
    with pytest.raises(InvalidResponse):
        letter_of(raw, "anna@home.example", [BEN])


def test_one_person_written_in_two_ways_is_named_once() -> None:
    one = letter_of(MAIL, "anna@home.example", ["Ben@North.example", BEN])
    assert one.recipients == (BEN,)


@pytest.mark.parametrize("coding", ["8bit", "7bit", "binary", "quoted-printable"])
def test_an_attachment_that_is_passed_on_keeps_its_content_and_has_no_line_that_servers_refuse(coding: str) -> None:
    head = "text/csv; charset=utf-8; name=a.csv\nContent-Disposition: attachment; filename=a.csv"
    content = ("ü," * 3000).encode()
    original = (
        b"From: x@y.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
        + f"Content-Type: {head}\nContent-Transfer-Encoding: {coding}\n\n".encode()
        + content
        + b"\n--b--\n"
    )
    action = SendMail(account="acc", to=(Address(email=BEN),), subject="Fwd", forward_of=MailRef(account="acc", id="1"))
    raw = build_message(action, key="0" * 32, owner="anna@home.example", now=datetime(2026, 11, 18, tzinfo=UTC), forwards=original)
    text = letter_of(raw, "anna@home.example", [BEN]).text
    assert text.isascii() and max(map(len, text.split(b"\r\n"))) <= 998
    (attached,) = read_message(text).attachments
    assert part_bytes(text, attached.part) == content
