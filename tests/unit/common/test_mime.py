"""Reading any mail, and building exactly the mail that was approved."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from integrations.actions import SaveDraft, SendMail
from integrations.common.headers import decode_header, encode_header, is_one_line
from integrations.common.mail_building import build_message
from integrations.common.mime import part_bytes, read_message
from integrations.common.sanitising import text_of_html
from integrations.errors import InvalidResponse, NotFound
from integrations.types import Address, MailRef

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
ANNA = Address(email="anna@x.example", name="Anna")
SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "realmail"

MIXED = b"""From: a@x.example
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: multipart/related; boundary=r

--r
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/html; charset=utf-8

<p>Rich</p>
--a
Content-Type: text/plain; charset=utf-8

Plain
--a--
--r
Content-Type: image/png
Content-ID: <logo>

png
--r--
--m
Content-Type: message/rfc822

From: b@x.example
Subject: inner
Bad\xe9Header: x

text \xff
--m
Content-Type: application/pgp-signature; name=signature.asc

sig
--m
Content-Type: text/calendar

BEGIN:VCALENDAR
--m--
"""


def built(**fields: object) -> bytes:
    given = {"account": "home", "to": (ANNA,), "subject": "Plan", "body": "All set.", **fields}
    return build_message(SendMail.model_validate(given), key="00ff", owner="me@home.example", now=NOW)


@given(st.text(max_size=300))
@example("=?utf-8?q?=0A?=")
@example("a" * 2000)
@example(" =?x?= ")
def test_any_one_line_survives_its_header(text: str) -> None:
    line = "".join(character for character in text if is_one_line(character) and not "\ud800" <= character <= "\udfff")
    encoded = encode_header(line)
    assert encoded.isascii() and all(len(part) <= 998 for part in encoded.split("\n"))
    assert decode_header(encoded) == line.strip()


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=200))
@example("Hi 💩 =?UTF-8?Q?=0A?=Bcc: injected@evil.example", "=?utf-8?q?=0ABcc:_x@evil.example?=", ".\n\n--\nFrom x")
def test_what_is_built_says_what_was_approved_or_is_refused(subject: str, name: str, body: str) -> None:
    try:
        raw = built(subject=subject, body=body, to=(Address(email="anna@x.example", name=name),))
    except InvalidResponse:
        return
    message = message_from_bytes(raw)
    assert {key.lower() for key in message} <= {
        *("from", "to", "subject", "date", "message-id", "mime-version", "content-type", "content-transfer-encoding")
    }
    payload = message.get_payload(decode=True)
    assert isinstance(payload, bytes)
    assert payload.decode() == body.replace("\r\n", "\n").replace("\r", "\n")


def test_ordinary_mail_is_never_refused() -> None:
    for subject in ("", "Re: Plan", "Größe: 100 %", "=?", "🎉" * 90, "x" * 1500):
        for body in ("", "\n", "Hi\r\n\r\nAnna", "From here\n.\n", "ü" * 3000, "tab\tand trailing  \n\n"):
            assert read_message(built(subject=subject, body=body)).subject == subject


def test_other_programs_read_what_was_built() -> None:
    raw = built(subject="Größe", cc=(Address(email="jörg@bücher.example", name="Jörg, Groß"), ANNA), bcc=(ANNA,))
    message = message_from_bytes(built(subject="Größe", body="Grüße", bcc=(ANNA,)), policy=default)
    assert message["Subject"] == "Größe"
    assert message["Bcc"].addresses[0].addr_spec == "anna@x.example"
    assert message["Date"].datetime == NOW
    assert message.get_content().strip() == "Grüße"
    assert b"xn--bcher-kva" in raw


def test_a_draft_needs_no_recipient_but_a_mail_does() -> None:
    draft = SaveDraft(account="home", subject="Later")
    assert read_message(build_message(draft, key="00ff", owner="me@home.example", now=NOW)).to == ()
    with pytest.raises(InvalidResponse):
        built(to=())


def test_a_forward_attaches_what_was_attached() -> None:
    action = SendMail(account="home", to=(ANNA,), subject="Fwd", body="Look:", forward_of=MailRef(account="home", id="1"))
    raw = build_message(action, key="00ff", owner="me@home.example", now=NOW, forwards=MIXED)
    forward = read_message(raw)
    assert forward.text.startswith("Look:\n\n-") and forward.text.endswith("Plain")
    assert [one.content_type for one in forward.attachments] == ["message/rfc822", "text/calendar"]
    assert b"Subject: inner" in part_bytes(raw, forward.attachments[0].part)


def test_parts_are_numbered_as_imap_numbers_them() -> None:
    parsed = read_message(MIXED)
    assert parsed.text == "Plain"
    assert [(one.part, one.filename) for one in parsed.attachments] == [("2", "part-2.eml"), ("4", "part-4.ics")]
    assert b"text \xff" in part_bytes(MIXED, "2")
    assert part_bytes(MIXED, "1.2") == b"png"
    with pytest.raises(NotFound):
        part_bytes(MIXED, "9")


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        (b"Content-Type: text/plain; charset=x-nonsense", "Grüße".encode(), "Grüße"),
        (b"Content-Type: text/plain; charset=us-ascii", "Grüße".encode("cp1252"), "Grüße"),
        (b"Content-Type: text/plain; charset=hex", b"6869", "6869"),
        (b"Content-Type: text/plain; charset=gb2312", "会议".encode("gb18030"), "会议"),
        (b"Content-Type: text/plain; charset*=utf-8''\"%ff\"", b"plain", "plain"),
        (b"Content-Transfer-Encoding: base64", b"R3J1w5/", None),
        (b"Content-Type: multipart/mixed", b"no boundary", "no boundary"),
        (b"Content-Type: text/html", b"<p>a&amp;b<br>c<script>x</script>", "a&b\nc"),
    ],
)
def test_a_body_is_read_whatever_its_header_claims(head: bytes, body: bytes, text: str | None) -> None:
    parsed = read_message(b"From: a@x.example\n" + head + b"\n\n" + body)
    assert parsed.text == text if text is not None else parsed.sender is not None


def test_bytes_that_are_not_ascii_are_read_in_headers() -> None:
    raw = 'From: "Jörg" <j@x.example>\nSubject: Grüße\nContent-Disposition: attachment; filename="Über.txt"\n\nx'
    for charset in ("utf-8", "cp1252"):
        parsed = read_message(raw.encode(charset))
        assert (parsed.subject, parsed.sender, parsed.attachments[0].filename) == (
            *("Grüße", Address(email="j@x.example", name="Jörg"), "Über.txt"),
        )


@pytest.mark.parametrize("date", ["", "yesterday", "Mon, 99 Foo 2026 99:99:99", "Fri, 20 Nov 99999 10:00:00 +0000"])
def test_an_unreadable_date_falls_back_to_when_it_was_received(date: str) -> None:
    raw = f"From: a@x.example\nDate: {date}\nReceived: by x; Fri, 20 Nov 2026 10:30:00 +0100\n\nx".encode()
    assert read_message(raw).date == NOW
    assert read_message(raw.replace(b"Received", b"X-Received")).date is None


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    raw = b"From: a@x.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n" + data
    parsed = read_message(raw)
    assert parsed.sender is not None
    for attachment in parsed.attachments:
        assert len(part_bytes(raw, attachment.part)) == attachment.size


@pytest.mark.parametrize("header", ["List-Id: <x.y>", "List-Unsubscribe: <mailto:x@y>", "Precedence: BULK"])
def test_bulk_mail_is_recognised(header: str) -> None:
    assert read_message(f"{header}\nFrom: a@x.example\n\nx".encode()).bulk
    assert not read_message(b"Precedence: first-class\nFrom: a@x.example\n\nx").bulk


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One<p>Two", "One\nTwo"),
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ('see <span style="display : NONE">secret</span>this', "see this"),
        ('see <span style="display&#58;none">secret</span>this', "see this"),
        ("see <div hidden>secret<div>more</div></div>this", "see this"),
        ('see <span style="font-size:0px">secret</span>this', "see this"),
        ('<td style="font-size:0px"><div style="font-size:13px">layout</div></td>', "layout"),
        ('<span style="opacity:0.9">faint</span>', "faint"),
        ('<a title="hidden">shown</a>', "shown"),
        ('<img alt="a > b">after', "after"),
        ("<!-- comment -->after<!-- open", "after"),
        ("1 < 2 && 3 &gt; 2", "1 < 2 && 3 > 2"),
        ("<style>x</style><SCRIPT>y</SCRIPT><title>t</title>z", "z"),
        ("a<b", "a"),
    ],
)
def test_html_gives_the_text_that_shows(html: str, text: str) -> None:
    assert text_of_html(html) == text


@pytest.mark.parametrize("piece", ["<!--", "<", "<a ", "</", "<![", '<a b="', "<?", "<script>", "&", "<p style='"])
def test_endless_markup_is_read_to_the_end(piece: str) -> None:
    assert isinstance(text_of_html(piece * 50_000), str)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="needs the sample mails in ../shared/data")
def test_nearly_all_real_mails_are_read() -> None:
    files = [path for path in SAMPLES.glob("eml/**/*") if path.is_file()]
    read = [read_message(path.read_bytes()) for path in files]
    assert len(read) > 100
    assert sum(parsed.empty for parsed in read) <= 2
    assert sum(parsed.sender is not None for parsed in read) > 90
