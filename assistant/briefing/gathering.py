"""Gathers what a briefing tells, through readers, account by account: one that is down hides nothing of the others."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assistant.agents.base import Desk
from assistant.agents.reading import known_people
from assistant.agents.report import Notes
from assistant.agents.trying import attempted
from assistant.briefing.calendar import Agenda
from assistant.briefing.company import met
from assistant.briefing.coverage import Told, begins
from assistant.briefing.days import Span, known_until, read_events, span_of
from assistant.briefing.days import key as event_key
from assistant.briefing.facts import Briefing, Coverage, Covered, Line, Looked, Section, Wanted
from assistant.briefing.inbox import Inbox
from assistant.briefing.post import Post, read_post
from assistant.timetable.rules import Part
from integrations.combined import each_account
from integrations.types import Event

MOST_OPEN = 6
CALENDAR: tuple[Part, ...] = ("week", "day")
"""The week holds the day."""


@dataclass
class Found:
    """What one account gave; None is what could not be read, and `notes` say why."""

    account: str
    covered: Covered
    post: Post | None = None
    known: frozenset[str] = frozenset()
    events: tuple[Event, ...] | None = None
    invitations: tuple[Event, ...] | None = None
    notes: Notes = field(default_factory=Notes)

    @property
    def trouble(self) -> str:
        return " ".join(f"{words[:1].upper()}{words[1:]}." for words in self.notes.limitations)


async def gather(desk: Desk, wanted: Wanted, *, explain: bool = False) -> Briefing:
    """Its `lead` is left empty. With `explain` also how all was ranked."""
    calendar: Part | None = next((part for part in CALENDAR if part in wanted.parts), None)
    span = span_of(calendar, desk) if calendar else None
    readers = each_account(desk.readers)
    found = await asyncio.gather(*(_read(replace(desk, readers=one), wanted, span) for one in readers))
    told = Told(wanted.since.told if wanted.since else {})
    agenda = _agenda(found, span, told, desk) if span else None
    inbox = _inbox(found, told, desk, agenda) if "inbox" in wanted.parts else None
    sections = await inbox.sections() if inbox else []
    sections += agenda.sections(await met(agenda.listed, desk), "" if inbox else f"Your {calendar}") if agenda else []
    still = [*(inbox.still if inbox else ()), *(agenda.still if agenda else ())]
    weighed = (*(inbox.weighed if inbox else ()), *(agenda.weighed if agenda else ()))
    return Briefing(
        parts=wanted.parts,
        at=desk.setting.now,
        title=_title(wanted.parts, span, desk),
        sections=_numbered([*sections, *_open(still)]),
        looked=tuple(_looked(one, inbox, span, desk) for one in found),
        notices=wanted.notices,
        coverage=_coverage(found, told, desk),
        weighed=weighed if explain else (),
    )


async def _read(desk: Desk, wanted: Wanted, span: Span | None) -> Found:
    """`desk` reads one account."""
    (account,) = desk.readers.accounts
    found = Found(account, begins(wanted, account, desk.setting.now))
    notes = found.notes

    async def mail() -> None:
        if "inbox" in wanted.parts:
            found.post = await attempted(read_post(desk, found.covered), None, notes)
            found.known = await attempted(known_people(desk), frozenset(), notes)

    async def calendar() -> None:
        if span:
            found.events = await attempted(read_events(desk, span), None, notes)
            found.invitations = await attempted(desk.readers.calendar.invitations(desk.setting.now), None, notes)

    await asyncio.gather(mail(), calendar())
    return found


def _agenda(found: Sequence[Found], span: Span, told: Told, desk: Desk) -> Agenda:
    events = [event for one in found for event in one.events or ()]
    invitations = [event for one in found for event in one.invitations or ()]
    reached = [one.account for one in found if one.events is not None]
    return Agenda(events, invitations, span, told, desk, reached=reached, whole=len(reached) == len(found))


def _inbox(found: Sequence[Found], told: Told, desk: Desk, agenda: Agenda | None) -> Inbox:
    posts = [one.post for one in found if one.post]
    known = frozenset[str]().union(*(one.known for one in found))
    return Inbox(posts, {one.account: one.covered for one in found}, known, told, desk, agenda.asked if agenda else ())


def _open(still: Sequence[Line]) -> list[Section]:
    """What was told before; events come first, there are few of them."""
    lines = sorted(still, key=lambda line: (line.event is None, -line.score))
    more = len(lines) - MOST_OPEN
    note = f"And {more} more." if more > 0 else ""
    return [Section(kind="open", title="Still open", lines=tuple(lines[:MOST_OPEN]), note=note, more=max(more, 0))] if lines else []


def _numbered(sections: Sequence[Section]) -> tuple[Section, ...]:
    """What stands in two places has one number."""
    numbers: dict[str, int] = {}

    def with_number(line: Line) -> Line:
        thing = event_key(line.event) if line.event else f"mail/{line.mail.account}/{line.mail.id}" if line.mail else ""
        return line.model_copy(update={"number": numbers.setdefault(thing, len(numbers) + 1)}) if thing else line

    return tuple(section.model_copy(update={"lines": tuple(map(with_number, section.lines))}) for section in sections)


def _looked(one: Found, inbox: Inbox | None, span: Span | None, desk: Desk) -> Looked:
    mails = sum(mail.account == one.account for mail in inbox.new) if inbox else 0
    return Looked(
        account=one.account,
        since=one.covered.until,
        until=desk.setting.now,
        mails=mails,
        events=len(one.events or ()),
        ahead=known_until(span) if span else None,
        trouble=one.trouble,
        partly=bool(one.trouble) and (one.post is not None or bool(one.events)),
    )


def _coverage(found: Sequence[Found], told: Told, desk: Desk) -> Coverage:
    """What could not be read stays to be covered, and what was told of it stays told."""
    accounts: dict[str, Covered] = {}
    for one in found:
        if one.post is not None:
            accounts[one.account] = Covered(until=desk.setting.now, cursor=one.post.cursor)
        else:
            accounts[one.account] = one.covered
            for kind in ("mail", "waiting", "seen", "phishing"):
                told.keep(f"{kind}/{one.account}/")
        if one.events is None:
            told.keep("conflict/")  # either of the two events may be its own
            for kind in ("event", "unprepared"):
                told.keep(f"{kind}/{one.account}/")
        if one.invitations is None:
            told.keep(f"invitation/{one.account}/")
    return Coverage(accounts=accounts, told=told.after)


def _title(parts: Sequence[Part], span: Span | None, desk: Desk) -> str:
    """ "Your inbox and today, Monday 23 November" """
    now = desk.setting.now
    if span is None:
        return f"Your inbox, {now:%A} {now.day} {now:%B}"
    return f"Your inbox and {span.title[0].lower()}{span.title[1:]}" if "inbox" in parts else span.title
