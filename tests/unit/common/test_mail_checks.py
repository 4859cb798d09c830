"""What is about to leave is read from its bytes: nothing stands in it that was not approved."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.actions import SendMail
from integrations.common.mail_building import build_message
from integrations.common.mail_checks import fields_of, hides_a_break, hides_words, strict_text
from integrations.common.mime import read_message
from integrations.errors import InvalidResponse
from integrations.types import Address, MailRef

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
ANNA = Address(email="anna@x.example", name="Anna")
FORWARD = MailRef(account="home", id="1")
NASTY = st.text(
    alphabet=st.one_of(st.sampled_from('=?QqbB0Aan:,;<>@"\\\r\n\t \x00\x0b\x85\u2028é💩'), st.characters()), max_size=60
)


def built(forwards: bytes | None = None, **fields: object) -> bytes:
    action = SendMail.model_validate({"account": "home", "to": (ANNA,), "subject": "Plan", "body": "All set.", **fields})
    return build_message(action, key="00ff", owner="me@home.example", now=NOW, forwards=forwards, more={"X-Key": "00ff"})


@given(NASTY, NASTY, NASTY)
def test_nasty_texts_make_no_header_or_no_mail(subject: str, name: str, body: str) -> None:
    try:
        raw = built(subject=subject, body=body, to=(Address(email="anna@x.example", name=name),))
    except InvalidResponse:
        return
    names = [name for name, _ in fields_of(raw)]
    mime = ["Content-Type", "MIME-Version", "Content-Transfer-Encoding"]
    subjects = ["Subject"] if subject.strip() else []
    assert sorted(names) == sorted(["X-Key", "From", "To", *subjects, "Date", "Message-ID", *mime])
    assert strict_text(dict(fields_of(raw)).get("Subject", "")) == subject.strip()


@pytest.mark.parametrize(
    "raw",
    [
        b"Subject: x\nBcc: a@b.example\nbcc: c@d.example\n\n",
        b"Subject: x\r\n\r\n",
        b"Subject: x\ry\n\n",
        b"Subject: x\0\n\n",
        b"Subject: x\xff\n\n",
        "Subject: x\u2028Bcc: a@b.example\n\n".encode(),
        b"no colon\n\n",
        b"Subject : x\n\n",
        b"Subject: " + b"x" * 1000 + b"\n\n",
        b"Subject: x\n",
    ],
    ids=repr,
)
def test_a_head_that_others_may_read_otherwise_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidResponse):
        fields_of(raw)


@pytest.mark.parametrize(
    ("text", "hides"),
    [
        ("Hi 💩 =?UTF-8?Q?=0A?=Bcc: x@e.example", True),
        ("=?utf-8?b?DQpCY2M6IHg=?=", True),
        ("=?utf-7?q?+AAo-?=", True),
        ("=?x-nonsense?q?=0d?=", True),
        ("a\rb", True),
        ("=?utf-8?q?Gr=C3=B6=C3=9Fe?=", False),
        ("2 + 2 =? 4", False),
    ],
)
def test_what_some_program_decodes_into_a_line_end_counts_as_one(text: str, hides: bool) -> None:
    assert hides_a_break(text) is hides


def test_letters_that_nobody_sees_are_refused_and_flags_are_not() -> None:
    wales = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"
    assert hides_words("See you\U000e0063\U000e006f") and not hides_words(f"Cymru {wales} 👩‍👩‍👧 שלום")
    with pytest.raises(InvalidResponse):
        built(body="See you\U000e0063\U000e006f")


def test_what_is_attached_is_passed_on_with_nothing_in_its_head_to_be_guessed() -> None:
    head = b"From: a@x.example\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\n"
    name = b'"=?UTF-8?Q?=0A?=Bcc: x.pdf"'
    part = b"X-Evil: y\r\nContent-Type: application/pdf; name=" + name + b"\r\nContent-Disposition: attachment; filename=" + name
    raw = built(head + part + b"\r\n\r\n%PDF \x00\xff\r\n--m--\r\n", forward_of=FORWARD)
    (attachment,) = read_message(raw).attachments
    assert attachment.content_type == "application/pdf" and "\n" not in attachment.filename
    assert b"X-Evil" not in raw and b"=?UTF-8?Q?=0A?=" not in raw and raw.isascii()


def test_ids_of_others_that_are_no_plain_ascii_are_not_taken_over() -> None:
    action = SendMail(account="home", to=(ANNA,), subject="Re: x", body="y")
    for odd in (b"<=?UTF-8?Q?=0A?=Bcc:x@evil.example\x01>", "<ü@x.example>".encode()):
        answers = read_message(b"From: a@x.example\nMessage-ID: " + odd + b"\nSubject: x\n\ny\n")
        raw = build_message(action, key="00ff", owner="me@home.example", now=NOW, answers=answers)
        assert "In-Reply-To" not in dict(fields_of(raw))
