"""Briefings to word."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from assistant.briefing.facts import Briefing, Line, Looked, Section, SectionKind
from integrations.types import Address, Event, Mail

BERLIN = ZoneInfo("Europe/Berlin")
AT = datetime(2026, 11, 18, 8, 0, tzinfo=BERLIN)
TITLES: dict[SectionKind, str] = {
    "answer": "Needs an answer",
    "waiting": "Waiting for others",
    "newsletters": "Newsletters",
    "phishing": "Looks like phishing",
    "agenda": "Today",
    "conflicts": "Conflicts",
    "invitations": "Invitations",
    "free": "Free",
    "open": "Still open",
}


def mail(id: str, subject: str, sender: str = "Dana Levi <dana@example.com>", **more: Any) -> Mail:
    name, _, email = sender.rstrip(">").rpartition(" <")
    given = {
        "account": "desk",
        "etag": "1",
        "folder": "INBOX",
        "date": AT - timedelta(hours=3),
        "message_id": f"<{id}@example.com>",
    }
    return Mail(id=id, subject=subject, sender=Address(email=email, name=name), **(given | more))


def event(id: str, title: str, hour: int = 10, **more: Any) -> Event:
    start = AT.replace(hour=hour)
    given = {"account": "desk", "calendar": "main", "etag": "1", "uid": id, "start": start, "end": start + timedelta(hours=1)}
    return Event(id=id, title=title, **(given | more))


def line(thing: Mail | Event, number: int = 0, *reasons: str, **more: Any) -> Line:
    if isinstance(thing, Mail):
        name = (thing.sender.name or thing.sender.email) if thing.sender else ""
        return Line(text=f"{name}: “{thing.subject}”", number=number, reasons=reasons, mail=thing, **more)
    text = f"{thing.start:%H:%M}\u2013{thing.end:%H:%M} “{thing.title}”"
    return Line(text=text, number=number, reasons=reasons, event=thing, **more)


def section(kind: SectionKind, *lines: Line, note: str = "") -> Section:
    return Section(kind=kind, title=TITLES[kind], lines=lines, note=note)


def briefing(*sections: Section, **more: Any) -> Briefing:
    looked = (
        Looked(account="desk", since=AT - timedelta(days=1), until=AT, mails=11, events=3),
        Looked(account="private", since=AT - timedelta(days=1), until=AT, mails=1, events=0),
    )
    given = {"parts": ("inbox", "day"), "at": AT, "title": "Wednesday 18 November", "looked": looked}
    return Briefing(sections=sections, **(given | more))


MORNING = briefing(
    section(
        "answer",
        line(mail("m1", "Which figures for the budget?"), 1, "asks you a question", "due today", "unanswered for 2 days"),
        line(mail("m2", "Offsite in March", "Tom Weber <tom@example.com>"), 2, "asks you for something"),
    ),
    section("waiting", line(mail("m3", "Draft contract", "Legal <legal@example.com>"), 3, "no answer for 6 days")),
    section("newsletters", Line(text="4 newsletters, among them The Weekly Bridge and Running News")),
    section("phishing", line(mail("m4", "Your account is locked", "Support <x@evil.example>"), 4, "the sender's address is new")),
    section(
        "agenda",
        line(event("e1", "Budget review"), 5, with_whom=("Dana Levi wrote on Monday about the figures.",)),
        line(event("e2", "Dentist"), 6),
    ),
    section(
        "conflicts",
        Line(text="“Budget review” and “Dentist” overlap from 10:00 to 11:00", number=5, event=event("e1", "Budget review")),
    ),
    section("invitations", line(event("e3", "Design critique", 15), 7, "not answered yet")),
    section("free", Line(text="09:00\u201310:00 and 11:00\u201315:00")),
    lead="Two mails need an answer, above all Dana Levi's “Which figures for the budget?”, which is due today.",
)
