"""Mails of all kinds, real ones where there are any, with something broken in them; and mails built to break a reader."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "realmail" / "eml"

_HTML = (
    "<html><head><style>.pre{display:none} @media (max-width:600px){.wide{display:none!important}} td{font:14px/20px Arial}</style>"
    '</head><body bgcolor="#eeeeee"><div class="pre">Our offers of this week</div><table width="600"><tr><td style="color:#333">'
    "<p>Dear Anna,</p><ul><li>one<li>two</ul><a href='https://shop.example/a?b=c'>Look</a><br><img src=x.png alt=logo>"
    "</td></tr></table>"
    "<!--[if mso]><p>Outlook</p><![endif]--></body></html>"
)
_PLAIN = "Dear Anna,\n\nthe invoice of 1,250.00 EUR is due on 3 March.\n\n-- \nTom\n> older words\n"
_HEAD = (
    "From: =?utf-8?q?Tom_M=C3=BCller?= <tom@acme.example>\nTo: Anna Berg <anna@home.example>, team: a@x.example, b@x.example;\n"
    'Cc: "Lee, Ann" <lee@acme.example>\nSubject: =?utf-8?b?R3LDvMOfZQ==?= and more\nDate: Wed, 18 Nov 2026 09:30:00 +0100\n'
    "Message-ID: <1@acme.example>\nReferences: <0@acme.example>\n <00@acme.example>\nMIME-Version: 1.0\n"
)


def _multipart(kind: str, boundary: str, *parts: str) -> str:
    inner = "".join(f"--{boundary}\n{part}\n" for part in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n{inner}--{boundary}--\n'


def plain_ones() -> list[bytes]:
    """A mail of each common build."""
    text, rich = f"Content-Type: text/plain; charset=utf-8\n\n{_PLAIN}", f"Content-Type: text/html; charset=utf-8\n\n{_HTML}"
    file = "Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n" + "JVBERi0xLjQK" * 40
    event = "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nEND:VCALENDAR"
    inner = f"Content-Type: message/rfc822\n\n{_HEAD}\n{_PLAIN}"
    both = _multipart("alternative", "a", text, rich)
    bodies = (text, rich, both, _multipart("mixed", "m", both, file, inner), _multipart("mixed", "m", text, event, inner))
    return [f"{_HEAD}{body}".encode() for body in bodies]


def known_mails() -> list[bytes]:
    """Real ones where they are, and plain ones."""
    real = sorted(path for path in REAL.glob("**/*") if path.is_file()) if REAL.is_dir() else []
    return [*(path.read_bytes() for path in real), *plain_ones()]


# Broken ---------------------------------------------------------------------------------------------------------------

_INSERTED = (
    b"\r\n",
    b"\n",
    b"\r",
    b"<",
    b">",
    b'"',
    b"(",
    b"=?utf-8?q?=0A?=",
    b";",
    b"--",
    b"\x00",
    b"\xff\xfe",
    b"\x1b[31m",
    b"&#8203;",
    b"\xe2\x80\xae",
    b"Content-Type: multipart/mixed; boundary=a\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Type: text/html\n\n",
    b"\n\n",
    b"Content-Type: message/rfc822\n\n",
    b"charset=utf-7",
    b"charset=utf-16",
    b"<div style='display:none'>",
    b"<style>*{",
    b"<!--",
    b"</table>",
    b"Subject: two\n",
    b"From: x@evil.example\n",
    b"filename*0*=utf-8''%ff; ",
    b"=\n",
    b"<svg>",
    b"<table><tr>",
    b"font-size:0;",
)
LARGEST = 3_000_000
"""Bytes that a mail grows to at most."""


def mutated(raw: bytes, chance: random.Random) -> bytes:
    """With one to eight pieces of it changed."""
    mail = bytearray(raw)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(mail) + 1)
        end = min(len(mail), at + chance.randint(1, 400))
        match chance.randrange(6):
            case 0 if at < len(mail):
                mail[at] = chance.randrange(256)
            case 1:
                del mail[at:end]
            case 2:
                mail[at:at] = mail[at:end] * chance.choice((2, 20, 200, 2000))
            case 3:
                mail[at:at] = chance.choice(_INSERTED) * chance.choice((1, 1, 1, 50, 3000))
            case 4 if mail:
                other = chance.randrange(len(mail))
                mail[at:end] = mail[other : other + end - at]
            case _:
                del mail[end:]
                mail += raw[at:]
        del mail[LARGEST:]
    return bytes(mail)


# Built to break a reader ----------------------------------------------------------------------------------------------


def _mail(content: bytes, kind: bytes = b"text/plain; charset=utf-8", head: bytes = b"") -> bytes:
    return b"From: a@evil.example\nTo: me@home.example\n" + head + b"Content-Type: " + kind + b"\n\n" + content


def _multiparts(depth: int) -> bytes:
    opening = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(depth))
    return b"From: a@evil.example\n" + opening + b"\nhello" + b"".join(b"\n--b%d--" % n for n in reversed(range(depth)))


def _html(opening: str, closing: str = "") -> Callable[[int], bytes]:
    return lambda n: _mail((opening * n + "text" + closing * n).encode(), b"text/html; charset=utf-8")


def _styled(rule: Callable[[int], str], element: str) -> Callable[[int], bytes]:
    return lambda n: _mail(
        ("<style>" + "".join(map(rule, range(n))) + "</style>" + element * n).encode(), b"text/html; charset=utf-8"
    )


def _alternatives(plain: bytes, rich: bytes) -> bytes:
    parts = b"--B\nContent-Type: text/plain\n\n" + plain + b"\n--B\nContent-Type: text/html\n\n" + rich + b"\n--B--\n"
    return _mail(parts, b"multipart/alternative; boundary=B")


def _twice(piece: Callable[[int], bytes], padding: bytes = b"") -> Callable[[int], bytes]:
    return lambda n: _alternatives(b" ".join(map(piece, range(n))), padding * n + b" ".join(map(piece, range(n))))


_KINDS: tuple[tuple[str, Callable[[int], bytes], int], ...] = (
    ("multiparts in each other", _multiparts, 5000),
    ("messages in each other", lambda n: b"From: a@x.example\n" + b"Content-Type: message/rfc822\n\n" * n + b"\nhi", 30_000),
    ("parts", lambda n: _mail(b"--B\n" + b"Content-Type: text/plain\n\nx\n--B\n" * n, b"multipart/mixed; boundary=B"), 60_000),
    ("delimiters that are none", lambda n: _mail(b"x--B\n" * n, b"multipart/mixed; boundary=B"), 400_000),
    ("lines that begin like delimiters", lambda n: _mail(b"--\n" * n, b"multipart/mixed; boundary=B"), 600_000),
    ("recipients", lambda n: _mail(b"hi", head=b"To: " + b", ".join(b"u%d@x.example" % i for i in range(n)) + b"\n"), 100_000),
    ("comments", lambda n: _mail(b"hi", head=b"To: " + b"(a)" * n + b"b@x.example\n"), 100_000),
    ("open comments", lambda n: _mail(b"hi", head=b"To: " + b"(" * n + b"b@x.example\n"), 300_000),
    ("quotes", lambda n: _mail(b"hi", head=b"To: " + b'"' * n + b" <b@x.example>\n"), 300_000),
    ("headers", lambda n: _mail(b"hi", head=b"X-A: b\n" * n), 300_000),
    ("headers of parts", lambda n: _mail((b"--B\n" + b"X-A: b\n" * 900 + b"\nx\n") * n, b"multipart/mixed; boundary=B"), 300),
    ("encoded words", lambda n: _mail(b"hi", head=b"Subject: " + b"=?utf-8?q?a?= " * n + b"\n"), 200_000),
    ("words in strange charsets", lambda n: _mail(b"hi", head=b"".join(b"X: =?x%d?q?a?=\n" % i for i in range(n))), 60_000),
    ("references", lambda n: _mail(b"hi", head=b"References: " + b"<a@b> " * n + b"\n"), 200_000),
    ("open references", lambda n: _mail(b"hi", head=b"References: " + b"<" * n + b"\n"), 300_000),
    ("parameters", lambda n: _mail(b"hi", b"text/plain" + b';a="' * n), 200_000),
    ("pieces of a filename", lambda n: _mail(b"hi", b"text/plain" + b"".join(b"; name*%d*=a" % i for i in range(n))), 60_000),
    ("a long line", lambda n: _mail(b"a" * n), 3_000_000),
    ("quoted-printable", lambda n: _mail(b"=41" * n, head=b"Content-Transfer-Encoding: quoted-printable\n"), 1_000_000),
    ("base64", lambda n: _mail(b"!Q!U!F!B" * n, head=b"Content-Transfer-Encoding: base64\n"), 400_000),
    ("uuencoded", lambda n: _mail(b"begin 644 a\n" + b"M" * n, head=b"Content-Transfer-Encoding: x-uuencode\n"), 1_000_000),
    ("invisible characters", lambda n: _mail("a\u200b\u202eb".encode() * n), 200_000),
    ("tags", lambda n: _mail("\U000e0041".encode() * n), 300_000),
    ("open tags", _html("<div>"), 200_000),
    ("formatting in paragraphs", _html("<p><b><i><font color=red>x"), 20_000),
    ("formatting that is closed in paragraphs", _html("<b><p>", "</b></p>"), 60_000),
    ("anchors in blocks", _html("<a><div><span>"), 40_000),
    ("closed what is not open", _html("<table><td><span>", "</b></i></p>"), 30_000),
    ("tables", _html("<table>"), 60_000),
    ("lists", _html("<ul><li>"), 60_000),
    ("attributes", lambda n: _mail(b"<p " + b"a=b " * n + b">x", b"text/html"), 100_000),
    ("many attributes", _html("<p a=1 b=2 c=3 d=4 style='color:red;margin:0'>x"), 20_000),
    ("styles that differ", lambda n: _mail(b"".join(b"<p style='top:%dpx'>x" % i for i in range(n)), b"text/html"), 20_000),
    ("comments in markup", _html("<!-- a b c d e f g h i j -->"), 60_000),
    ("open comments in markup", _html("<!--"), 100_000),
    ("brackets that open nothing", _html("<"), 400_000),
    ("short paragraphs", _html("a<p>"), 100_000),
    ("hidden pieces", _html("<i hidden>abc</i>"), 40_000),
    ("rules for all", _styled(lambda n: f"*{{color:#{n % 1000:03}}}", "<p>x"), 10_000),
    ("rules by descent", _styled(lambda n: f"div div div div .a{n} p{{display:none}}", "<div class=a1>"), 8000),
    ("rules by siblings", _styled(lambda n: f"p ~ p ~ p ~ p ~ b{n % 3}{{display:none}}", "<p>x<b1>y</b1>"), 8000),
    ("rules by exclusion", _styled(lambda n: f":not(:not(:not(.a{n % 5}))) p{{opacity:0}}", "<p class=a1>x"), 8000),
    ("rules in rules", lambda n: _mail(b"<style>" + b"a{b:c;" * n + b"</style>x", b"text/html"), 50_000),
    ("open brackets in styles", lambda n: _mail(b"<style>" + b"(" * n + b"{color:red}</style>x", b"text/html"), 300_000),
    ("variables", lambda n: _mail(b"".join(b"<p style='--a%d:var(--a%d)'>x" % (i, i + 1) for i in range(n)), b"text/html"), 10_000),
    ("addresses in two parts", _twice(lambda n: b"u%d@x%d.example" % (n, n), b"a" * 40), 10_000),
    ("numbers in two parts", _twice(lambda n: b"%d-%d" % (n * 7919, n), b"1" * 40), 10_000),
    ("links in two parts", _twice(lambda n: b"http://x%d.example/" % n, b"href='http://a' "), 10_000),
    ("words in two parts", _twice(lambda n: b"w%d." % n, b"<!-- "), 20_000),
    ("one long word in two parts", _twice(lambda n: b"aaaaaaaaaaaaa"), 20_000),
    ("long selectors", lambda n: _mail(b"<style>" + b":a" * n + b"{color:red}</style>x", b"text/html"), 60_000),
    ("calculations", lambda n: _mail(b"<p style='width:" + b"calc(" * n + b"1px" + b")" * n + b"'>x", b"text/html"), 10_000),
)  # fmt: skip


def hostile(part: float = 1.0) -> Iterator[tuple[str, bytes]]:
    """(what it has too much of, a mail of that); `part` of how much."""
    for name, build, most in _KINDS:
        yield name, build(max(1, int(most * part)))


def mails(count: int, seed: int, known: Sequence[bytes]) -> Iterator[bytes]:
    chance = random.Random(seed)
    return (mutated(chance.choice(known), chance) for _ in range(count))
