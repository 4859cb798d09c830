"""Words for people, times and likeness that all operations share."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time, timedelta

from assistant.reasoning.calls import TimeSpec
from integrations.types import Address, Contact, Event, Mail

_TOKEN = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Without case and accents."""
    if text.isascii():
        return text.casefold().strip()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c)).strip()


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold(text))


def alike(word: str, other: str) -> bool:
    """The same word, or two forms of one: review and reviews, plan and planning."""
    if word == other:
        return True
    short, long = sorted((word, other), key=len)
    return len(short) >= 4 and len(long) - len(short) <= 4 and long.startswith(short if len(short) == 4 else short[:-1])


def resembles(words: Iterable[str], text: str) -> bool:
    """Every word has a like one in the text, in any order."""
    there = tokens(text)
    return all(any(alike(word, other) for other in there) for phrase in words for word in tokens(phrase))


def contains(words: Iterable[str], text: str) -> bool:
    """Every word or phrase stands in the text as it is, without regard to case and accents."""
    folded = fold(text)
    return all(fold(word) in folded for word in words)


def listing(items: Sequence[str], most: int = 4) -> str:
    """ "a, b and c"; beyond `most` the rest is counted."""
    if len(items) > most:
        rest = len(items) - (most - 1)
        return f"{', '.join(items[: most - 1])} and {rest} others"
    return " and ".join((", ".join(items[:-1]), items[-1])) if len(items) > 1 else "".join(items)


def count(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}es" if noun.endswith(("s", "sh", "ch")) else f"{number} {noun}s"


def shown(address: Address) -> str:
    return address.name or address.email


def names(people: Iterable[Address]) -> str:
    return listing([shown(person) for person in people])


def first_name(address: Address) -> str:
    """For a greeting; from an address alone its first part: "anna.berg@…" gives Anna."""
    if address.name:
        last, comma, first = address.name.partition(",")
        return (first.strip() if comma else last).split()[0] if address.name.strip(" ,") else ""
    local = re.split(r"[._+\-\d]", address.email.partition("@")[0])[0]
    return local.capitalize()


def day(moment: datetime, now: datetime) -> str:
    year = f" {moment.year}" if moment.year != now.year else ""
    return f"{moment:%a} {moment.day} {moment:%b}{year}"


def moment(when: datetime, now: datetime) -> str:
    """ "Mon 23 Nov, 08:00", in the zone of `now`."""
    local = when.astimezone(now.tzinfo)
    return f"{day(local, now)}, {local:%H:%M}"


def span(start: datetime, end: datetime, now: datetime, *, all_day: bool = False) -> str:
    if all_day:
        last = end - timedelta(microseconds=1)
        return day(start, now) if last.date() <= start.date() else f"{day(start, now)} - {day(last, now)}"
    if start.date() == end.date():
        if start.utcoffset() != end.utcoffset():  # in the night in which the clocks change
            return f"{day(start, now)}, {start:%H:%M} {start.tzname()}-{end:%H:%M} {end.tzname()}"
        return f"{day(start, now)}, {start:%H:%M}-{end:%H:%M}"
    return f"{day(start, now)}, {start:%H:%M} - {day(end, now)}, {end:%H:%M}"


def when_of(event: Event, now: datetime) -> str:
    return span(event.start, event.end, now, all_day=event.all_day)


def period(spec: TimeSpec, now: datetime) -> str:
    """An understood time in words."""
    if spec.windows:
        return listing([_run(run.start, run.stop, now) for run in spec.runs])
    start, stop = spec.start, spec.stop
    if start is None and stop is None:
        return spec.text
    if start is None or stop is None:
        edge = start or stop
        assert edge is not None
        at = f"{day(edge, now)}, {edge:%H:%M}"
        if spec.kind == "point":
            return at if spec.has_date or not spec.has_time else f"at {edge:%H:%M}"
        if stop is not None and not spec.has_time:
            edge -= timedelta(microseconds=1)  # the day named belongs to it
        return f"{'from' if start else 'until'} {at if spec.has_time else day(edge, now)}"
    if not spec.has_time:
        return span(start, stop, now, all_day=True)
    return f"{day(start, now)}, {start:%H:%M}" if spec.kind == "point" else span(start, stop, now)


def _run(start: datetime, stop: datetime, now: datetime) -> str:
    """One stretch of a time with holes: a day, hours of a day, or the same hours of several days."""
    if start == stop:
        return f"{day(start, now)}, {start:%H:%M}"
    whole_days = start.time() == stop.time() == time()
    if whole_days or start.date() == (stop - timedelta(microseconds=1)).date():
        return span(start, stop, now, all_day=whole_days)
    days = span(start, stop, now, all_day=True)
    return f"{days}, {start:%H:%M}-{stop:%H:%M} each day"


def lasting(length: timedelta) -> str:
    minutes = round(length.total_seconds() / 60)
    hours, rest = divmod(minutes, 60)
    if minutes % (24 * 60) == 0 and minutes:
        return count(minutes // (24 * 60), "day")
    parts = [count(hours, "hour")] if hours else []
    return " ".join([*parts, *([count(rest, "minute")] if rest or not hours else [])])


def later(moment: datetime, by: timedelta) -> datetime:
    """`by` of real time later, in the same zone."""
    return (moment.astimezone(UTC) + by).astimezone(moment.tzinfo)


def length_of(event: Event) -> timedelta:
    """Real time for timed events, wall time for all-day ones."""
    return event.end - event.start if event.all_day else event.end.astimezone(UTC) - event.start.astimezone(UTC)


def mail_label(mail: Mail, now: datetime) -> str:
    who = shown(mail.sender) if mail.sender else "unknown sender"
    return f'"{mail.subject or "(no subject)"}" from {who}, {day(mail.date, now)}, {mail.date:%H:%M}'


def event_label(event: Event, now: datetime, me: frozenset[str] = frozenset()) -> str:
    people = others(event, me)
    who = f" with {names(people)}" if people else ""
    return f"{event.title or '(no title)'}, {when_of(event, now)}{who}"


def contact_label(contact: Contact) -> str:
    work = ", ".join(part for part in (contact.company, contact.title) if part)
    address = f" <{contact.emails[0]}>" if contact.emails else ""
    return f"{contact.name}{address}{f' ({work})' if work else ''}"


def others(event: Event, me: frozenset[str]) -> tuple[Address, ...]:
    """Everybody in it but the owner; the organiser comes first."""
    people = ([event.organizer] if event.organizer else []) + [a.address for a in event.attendees]
    named = {p.email: p for p in people if p.name}
    return tuple({p.email: named.get(p.email, p) for p in people if p.email not in me}.values())
