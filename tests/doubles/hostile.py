"""Mail, an event and a contact in which every field that a stranger writes tries to be more than text."""

from datetime import datetime, timedelta
from pathlib import Path

TRICKS = (
    "<script>alert('script')</script>",
    "<img src=x onerror=\"alert('img')\">",
    "<svg/onload=alert('svg')>",
    "<iframe src='https://evil.example/frame'></iframe>",
    "<a href='javascript:alert(1)'>press</a>",
    "<style>*{display:none}</style>",
    "![picture](https://evil.example/picture.png)",
    "[link](javascript:alert('link'))",
    "[link](https://evil.example/link)",
    "https://evil.example/plain",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "</textarea><button autofocus onfocus=alert('focus')>",
)
BIDI = "\u202egnp.exe\u202c \u2066hidden\u2069"
NAME = "Mallory <b>Bold</b> <img src=x onerror=alert('name')>"
MARK = "hostile"
"""Stands in every field, so that it can be looked for."""
SENDER = "mallory@evil.example"


def put(sample: Path, now: datetime) -> None:
    """Into the folders of a sample account."""
    text = "\n".join((MARK, *TRICKS, BIDI))
    _mail(sample / "mail" / "new" / "1790000000.hostile.host", text, now)
    _event(sample / "calendars" / "calendar" / "hostile.ics", text, now)
    _contact(sample / "contacts" / "contacts" / "hostile.vcf")


def _mail(path: Path, text: str, now: datetime) -> None:
    subject = f"{MARK} {TRICKS[0]} {TRICKS[1]} {BIDI}"
    html = f"<html><body>{'<br>'.join(TRICKS)}<img src='https://evil.example/pixel.gif'></body></html>"
    path.write_text(
        f"From: {_word(NAME)} <{SENDER}>\nTo: {_word(TRICKS[1])} <eva@example.org>\nSubject: {_word(subject)}\n"
        f"Date: {now:%a, %d %b %Y %H:%M:%S %z}\nMessage-ID: <hostile@evil.example>\nMIME-Version: 1.0\n"
        'Content-Type: multipart/alternative; boundary="b"\n\n'
        f"--b\nContent-Type: text/plain; charset=utf-8\n\n{text}\n\n"
        f"--b\nContent-Type: text/html; charset=utf-8\n\n{html}\n\n--b--\n",
        encoding="utf-8",
    )


def _word(text: str) -> str:
    """As a header carries it."""
    import base64

    return f"=?utf-8?b?{base64.b64encode(text.encode()).decode()}?="


def _event(path: Path, text: str, now: datetime) -> None:
    start = now.replace(hour=9, minute=0, second=0, microsecond=0)
    title, body = _escaped(f"{MARK} {TRICKS[0]} {TRICKS[1]} {BIDI}"), _escaped(text)
    lines = (
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//evil//evil//EN", "BEGIN:VEVENT", "UID:hostile", "DTSTAMP:20261101T000000Z",
        f"DTSTART;TZID=Europe/Berlin:{start:%Y%m%dT%H%M%S}", f"DTEND;TZID=Europe/Berlin:{start + timedelta(hours=1):%Y%m%dT%H%M%S}",
        f"SUMMARY:{title}", f"LOCATION:{title}", f"DESCRIPTION:{body}", "END:VEVENT", "END:VCALENDAR", "",
    )  # fmt: skip
    path.write_text("\r\n".join(lines), encoding="utf-8", newline="")


def _contact(path: Path) -> None:
    name = _escaped(f"{MARK} {NAME}")
    note = _escaped("\n".join(TRICKS))
    lines = (
        "BEGIN:VCARD",
        "VERSION:3.0",
        "UID:hostile",
        f"FN:{name}",
        f"N:{name};;;;",
        f"EMAIL:{SENDER}",
        f"NOTE:{note}",
        "END:VCARD",
        "",
    )
    path.write_text("\r\n".join(lines), encoding="utf-8", newline="")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")
