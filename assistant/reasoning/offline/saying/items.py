"""One mail, event, contact, slot or clash in a line of words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from itertools import groupby
from zoneinfo import ZoneInfo

from assistant.reasoning.oddities import told
from assistant.values import Clash, Slot
from integrations.types import SENT, Address, Contact, Event, Mail
from risk.times import DASH, clock_words, day_words, last_day

ALONE, AMONG = 6000, 1200
"""Characters of a body that are shown: of a mail by itself, of one among several."""


@dataclass(frozen=True)
class View:
    """Who looks at it and when: times are told in `zone`, and the user's own addresses (`me`) need no mention."""

    now: datetime
    zone: tzinfo
    me: frozenset[str] = frozenset()

    def others(self, addresses: Iterable[Address]) -> tuple[Address, ...]:
        return tuple({one.email: one for one in addresses if one.email not in self.me}.values())


def one_line(text: str) -> str:
    """Without line breaks, and without characters that a terminal would obey."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def plain_text(text: str) -> str:
    """Lines and tabs stay; other characters that a terminal would obey do not."""
    return "".join(char for char in text.replace("\r\n", "\n") if char.isprintable() or char in "\n\t").strip()


def numbered(lines: Iterable[str]) -> list[str]:
    return [f"{number}. {line}" for number, line in enumerate(lines, start=1)]


def bracketed(marks: Iterable[str]) -> str:
    said = ", ".join(filter(None, marks))
    return f" ({said})" if said else ""


def person(address: Address | None) -> str:
    return one_line(address.name or address.email) if address else "unknown sender"


def people(addresses: Sequence[Address], most: int = 3) -> str:
    names = [person(address) for address in addresses]
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def day(moment: datetime, view: View) -> str:
    """ "today", "yesterday", "tomorrow", else "Fri 20 Nov", with the year where it is not this one."""
    that, today = moment.astimezone(view.zone).date(), view.now.astimezone(view.zone).date()
    near = {0: "today", 1: "tomorrow", -1: "yesterday"}
    return near.get((that - today).days) or day_words(that, today)


def full_day(moment: datetime, view: View) -> str:
    """ "Friday 27 Nov", and "tomorrow" beside it where that is so."""
    that, today = moment.astimezone(view.zone).date(), view.now.astimezone(view.zone).date()
    near = day(moment, view)
    named = day_words(that, today, weekday="%A")
    return f"{named} ({near})" if near in ("today", "tomorrow", "yesterday") else named


def mail_line(mail: Mail, view: View) -> str:
    sent = mail.folder == SENT or (mail.sender is not None and mail.sender.email in view.me)
    who = f"to {people(mail.to)}" if sent and mail.to else person(mail.sender)
    when = f"{day(mail.date, view)} {mail.date.astimezone(view.zone):%H:%M}"
    marks = [word for word, is_so in (("unread", mail.unread), ("flagged", mail.flagged)) if is_so]
    if mail.attachments:
        marks.append("1 attachment" if len(mail.attachments) == 1 else f"{len(mail.attachments)} attachments")
    return f"{one_line(mail.subject) or '(no subject)'} {DASH} {who}, {when}{bracketed(marks)}"


def full_mail(mail: Mail, view: View, *, label: str, alone: bool) -> list[str]:
    sample = " (sample account)" if mail.sample else ""
    lines = [
        f"{label}{one_line(mail.subject) or '(no subject)'}{sample}",
        f"From: {one_line(str(mail.sender or 'unknown sender'))}",
        f"To: {people(mail.to + mail.cc, most=6)}" if mail.to or mail.cc else "",
        f"Date: {full_day(mail.date, view)}, {mail.date.astimezone(view.zone):%H:%M}",
        f"Attachments: {', '.join(one_line(attachment.filename) for attachment in mail.attachments)}" if mail.attachments else "",
        f"Note: {odd}" if (odd := told(mail.oddities)) else "",
    ]
    most, body = (ALONE if alone else AMONG), plain_text(mail.body)
    rest = f"\n[{len(body) - most} more characters]" if len(body) > most else ""
    return [*filter(None, lines), "", body[:most].rstrip() + rest]


def source_line(mail: Mail, view: View) -> str:
    return f"Source: “{one_line(mail.subject) or '(no subject)'}”, {person(mail.sender)}, {day(mail.date, view)}"


def event_lines(events: Sequence[Event], view: View) -> list[str]:
    """Numbered through, under a heading for each day."""
    lines: list[str] = []
    number = 0
    for _, group in groupby(events, key=lambda event: event.start.astimezone(view.zone).date()):
        of_day = tuple(group)
        lines.append(full_day(of_day[0].start, view))
        for event in of_day:
            number += 1
            lines.append(f"{number}. {event_line(event, view)}")
    return lines


def event_line(event: Event, view: View) -> str:
    """The time, what, where and with whom; the day stands in the heading above."""
    marks = [
        "cancelled" if event.status == "cancelled" else "",
        "tentative" if event.status == "tentative" else "",
        "not answered yet" if event.my_answer == "needs-action" else "",
    ]
    where = f", {one_line(event.location)}" if event.location else ""
    invited = (attendee.address for attendee in event.attendees)
    others = view.others((*((event.organizer,) if event.organizer else ()), *invited))
    company = f", with {people(others)}" if others else ""
    return f"{event_time(event, view)} {one_line(event.title) or '(no title)'}{where}{company}{bracketed(marks)}"


def event_time(event: Event, view: View) -> str:
    start, end = event.start.astimezone(view.zone), event.end.astimezone(view.zone)
    if event.all_day:
        last = last_day(start, end)
        return "all day:" if last == start.date() else f"all day until {day_words(last, start.date())}:"
    if start.date() != end.date() and end - start >= timedelta(hours=1) and end.time() != datetime.min.time():
        return f"{start:%H:%M} {DASH} {day_words(end.date(), start.date())} {end:%H:%M}{_elsewhere(event, view)}"
    return f"{clock_words(start, end)}{_elsewhere(event, view)}"


def _elsewhere(event: Event, view: View) -> str:
    """The local time of an event written in a zone that now differs from the user's: " (New York 09:00)"."""
    if not event.zone:
        return ""
    try:
        there = event.start.astimezone(ZoneInfo(event.zone))
    except (KeyError, ValueError, OSError):
        return ""
    if there.utcoffset() == event.start.astimezone(view.zone).utcoffset() or event.zone in ("UTC", "Etc/UTC"):
        return ""
    return f" ({event.zone.rpartition('/')[2].replace('_', ' ')} {there:%H:%M})"


def slot_line(slot: Slot, view: View) -> str:
    start, end = slot.start.astimezone(view.zone), slot.end.astimezone(view.zone)
    if start.date() == end.date():
        return f"{full_day(start, view)}, {clock_words(start, end)}"
    return f"{full_day(start, view)}, {start:%H:%M} {DASH} {full_day(end, view)}, {end:%H:%M}"


def clash_line(clash: Clash, view: View) -> str:
    first, second = (
        f"{one_line(event.title) or '(no title)'} ({event_time(event, view)})" for event in (clash.first, clash.second)
    )
    return f"{full_day(max(clash.first.start, clash.second.start), view)}: {first} and {second}"


def contact_line(contact: Contact) -> str:
    known = (*contact.emails, *contact.phones, contact.company, contact.title)
    return ", ".join(filter(None, (one_line(contact.name), *map(one_line, known))))


def contact_card(contact: Contact) -> list[str]:
    fields = (
        ("Nickname", contact.nickname),
        ("Address", ", ".join(contact.emails)),
        ("Phone", ", ".join(contact.phones)),
        ("Company", contact.company),
        ("Title", contact.title),
        ("Groups", ", ".join(contact.groups)),
        ("Lives at", contact.address),
        ("Birthday", contact.birthday),
        ("Note", contact.note),
    )
    sample = " (sample account)" if contact.sample else ""
    return [f"{one_line(contact.name)}{sample}", *(f"{label}: {one_line(value)}" for label, value in fields if value)]
