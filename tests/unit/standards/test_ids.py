"""What mails at IMAP are called."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as some

from integrations.standards.mailbox.ids import belongs, etag, mail_id, parts_of, state_of

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
LATEST = NOON.replace(year=3000, tzinfo=None)
HEADER = b"From: Anna <anna@acme.example>\r\nTo: me@home.example\r\nSubject: Hello\r\nMessage-ID: <1@acme.example>\r\n\r\n"


def test_an_id_is_the_same_in_whatever_order_and_folding_the_headers_are_told() -> None:
    lines = HEADER.strip().split(b"\r\n")
    folded = b"\r\n".join([*reversed(lines)]).replace(b"Anna <", b"Anna\r\n  <") + b"\r\n"
    assert mail_id(NOON, 900, HEADER) == mail_id(NOON, 900, folded)


def test_an_id_is_the_same_in_whatever_zone_the_server_tells_the_date() -> None:
    assert mail_id(NOON, 900, HEADER) == mail_id(NOON.astimezone(timezone(timedelta(hours=-5))), 900, HEADER)


def test_headers_that_are_not_asked_for_do_not_change_an_id() -> None:
    assert mail_id(NOON, 900, HEADER) == mail_id(NOON, 900, b"Received: from x\r\nX-Subject: y\r\n" + HEADER)


@pytest.mark.parametrize(
    "other", [HEADER.replace(b"Hello", b"Hallo"), HEADER.replace(b"<1@", b"<2@"), b"", HEADER + b"Subject: Hello\r\n"]
)
def test_mails_that_say_different_things_have_different_ids(other: bytes) -> None:
    if other.endswith(b"Subject: Hello\r\n"):
        other = HEADER.rstrip() + b"\r\nSubject: Hello\r\n"
    assert mail_id(NOON, 900, other) != mail_id(NOON, 900, HEADER)


def test_a_value_cannot_pass_for_another_header() -> None:
    assert mail_id(NOON, 1, b"From: a\r\n TO:b\r\n") != mail_id(NOON, 1, b"From: a\r\nTO:b\r\n")


@given(
    some.datetimes(timezones=some.just(UTC), max_value=LATEST),
    some.integers(0, 10**10),
    some.binary(max_size=200),
)
def test_every_id_can_be_taken_apart_again(moment: datetime, size: int, header: bytes) -> None:
    id = mail_id(moment, size, header)
    parts = parts_of(id)
    assert parts is not None and parts.size == size
    assert belongs(id, moment, size) and not belongs(id, moment, size + 1)
    assert parts.moment == max(moment, datetime(1970, 1, 1, tzinfo=UTC)).replace(microsecond=0)


@given(some.text(max_size=60))
def test_what_is_no_id_is_none(text: str) -> None:
    assert parts_of(text) is None
    assert parts_of(mail_id(NOON, 1, HEADER) + "\n") is None


@pytest.mark.parametrize(
    ("flags", "tag"),
    [((), "INBOX:"), (("\\Seen",), "INBOX:S"), (("\\Flagged", "\\seen", "\\Answered", "\\Recent", "$Label"), "INBOX:FS")],
)
def test_an_etag_tells_folder_and_flags_that_people_set(flags: tuple[str, ...], tag: str) -> None:
    assert etag("INBOX", flags) == tag
    assert state_of(tag) == ("INBOX", tag.partition(":")[2])


def test_an_etag_may_be_of_a_folder_with_a_colon_in_its_name() -> None:
    assert state_of(etag("Lists: all/python", ("\\Seen",))) == ("Lists: all/python", "S")
    assert state_of("") == ("", "")
