"""A day at a glance: what it holds, and what asks for attention, each with its reasons."""

import asyncio
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from assistant.agents.base import Desk
from assistant.agents.free import clashes
from assistant.agents.reading import ranked_mails
from assistant.agents.report import Notes
from assistant.agents.trying import attempted
from assistant.reasoning.calls import Selection
from assistant.values import Clash
from integrations.types import INBOX, Event, EventQuery, Mail, MailQuery, Value

MAILS, INVITATIONS = 10, 50


class Noteworthy(Value):
    """A mail that asks for attention; `reasons` are clauses in order of their weight."""

    mail: Mail
    reasons: tuple[str, ...]


class Day(Value):
    """`date` in `zone`; work lies between `day_starts` and `day_ends`. `events` and `clashes` are of that day, all else is as it
    stands now. `skipped`: sentences about what could not be read."""

    date: date
    zone: str
    day_starts: time
    day_ends: time
    events: tuple[Event, ...]
    clashes: tuple[Clash, ...]
    invitations: tuple[Event, ...]
    mails: tuple[Noteworthy, ...]
    unread: int
    skipped: tuple[str, ...]


@dataclass(frozen=True)
class Glance:
    desk: Desk

    async def of(self, day: date | None = None) -> Day:
        """Today, unless told otherwise."""
        notes, setting = Notes(), self.desk.setting
        day = day or setting.now.date()
        events, invitations, mails, unread = await asyncio.gather(
            attempted(self._events(day, notes), (), notes),
            attempted(self.desk.readers.calendar.invitations(setting.now), (), notes),
            attempted(ranked_mails(Selection(), self.desk, notes), (), notes),
            attempted(self._unread(notes), 0, notes),
        )
        return Day(
            date=day,
            zone=setting.zone.key,
            day_starts=self.desk.day_starts,
            day_ends=self.desk.day_ends,
            events=events,
            clashes=tuple(clashes(events)),
            invitations=invitations[:INVITATIONS],
            mails=tuple(Noteworthy(mail=one.mail, reasons=one.reasons) for one in mails[:MAILS]),
            unread=unread,
            skipped=tuple(f"{words[:1].upper()}{words[1:]}." for words in notes.limitations),
        )

    async def _events(self, day: date, notes: Notes) -> tuple[Event, ...]:
        midnight = datetime.combine(day, time(), self.desk.setting.zone)
        found = await self.desk.readers.calendar.events(EventQuery(start=midnight, end=midnight + timedelta(days=1)))
        notes.skipped(found.skipped)
        return found.items

    async def _unread(self, notes: Notes) -> int:
        found = await self.desk.readers.mail.search(MailQuery(folders=(INBOX,), unread=True, limit=1))
        notes.skipped(found.skipped)
        return len(found.items) if found.total is None else found.total
