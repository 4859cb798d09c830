"""When others have no time, as far as a calendar server tells that takes care of meetings itself (RFC 6638, section 5)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

from lxml import etree

from integrations.common.contentline import Block, Malformed, decode, made, parse, prop, render
from integrations.common.people import email_address
from integrations.common.spans import Span, joined
from integrations.types import Busy

NOBODY_KNOWS = "the calendar server does not know"
CALDAV = "{urn:ietf:params:xml:ns:caldav}"
MOST = 10_000
"""Times of one person."""


def question(owner: str, emails: Sequence[str], start: datetime, end: datetime, now: datetime) -> bytes:
    lines = [
        prop("UID", uuid4().hex),
        prop("DTSTAMP", _utc(now)),
        prop("DTSTART", _utc(start)),
        prop("DTEND", _utc(end)),
        prop("ORGANIZER", f"mailto:{owner}"),
        *(prop("ATTENDEE", f"mailto:{email}") for email in emails),
    ]
    asked = Block("VFREEBUSY", made("BEGIN:VFREEBUSY"), list(lines), made("END:VFREEBUSY"))
    head = [made(text) for text in ("VERSION:2.0", "PRODID:-//personal-assistant//EN", "METHOD:REQUEST")]
    calendar = Block("VCALENDAR", made("BEGIN:VCALENDAR"), [*head, asked], made("END:VCALENDAR"))
    return render([calendar]).encode()


def answers(content: bytes, start: datetime, end: datetime, zone: ZoneInfo) -> dict[str, Busy]:
    """By address. Raises Malformed where it is none."""
    try:
        if b"<!DOCTYPE" in content or b"\0" in content:
            raise Malformed("it is no plain XML")
        tree = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        raise Malformed("it is no XML") from error
    told = {}
    for response in tree.iter(f"{CALDAV}response"):
        email = email_address("".join(text for part in response.iterfind(f"{CALDAV}recipient") for text in part.itertext()).strip())
        if email:
            told[email] = _answer(email, response, start, end, zone)
    return told


def _answer(email: str, response: "etree._Element", start: datetime, end: datetime, zone: ZoneInfo) -> Busy:
    status = (response.findtext(f"{CALDAV}request-status") or "").strip()
    data = response.findtext(f"{CALDAV}calendar-data")
    if not status.startswith("2.") or not data:
        return Busy(email=email, unknown=NOBODY_KNOWS)
    try:
        times = list(_times(data.encode()))
    except (Malformed, ValueError, OverflowError):
        return Busy(email=email, unknown="what the calendar server says can't be read")
    local = ((begins.astimezone(zone), ends.astimezone(zone)) for begins, ends in joined(times, start, end))
    return Busy(email=email, times=tuple(local))


def _times(content: bytes) -> Iterator[Span]:
    found = 0
    for block in Block("", made(""), parse(decode(content))).walk("VFREEBUSY"):
        for line in block.all("FREEBUSY"):
            if line.params.get("FBTYPE", "BUSY").upper() == "FREE":
                continue
            for period in line.value.split(","):
                found += 1
                if found > MOST:
                    raise Malformed("it lists too many times")
                yield _period(period.strip())


def _period(written: str) -> Span:
    from icalendar import vPeriod

    start, end = vPeriod.from_ical(written)  # type: ignore[no-untyped-call]
    if not isinstance(start, datetime) or (isinstance(end, date) and not isinstance(end, datetime)):
        raise ValueError(written)
    begins = start if start.tzinfo else start.replace(tzinfo=UTC)
    if isinstance(end, timedelta):
        return begins, begins + end
    return begins, end if end.tzinfo else end.replace(tzinfo=UTC)


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
