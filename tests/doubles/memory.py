"""Readers over plain lists, under the same protocols as every provider's; recurrence is given as ready instances."""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from integrations.errors import NotFound
from integrations.types import (
    DRAFTS,
    OUTBOX,
    TRASH,
    Address,
    Busy,
    Calendar,
    Changes,
    Contact,
    ContactQuery,
    ContactRef,
    Correspondent,
    Event,
    EventQuery,
    EventRef,
    Group,
    Mail,
    MailQuery,
    MailRef,
    Page,
    Skipped,
)

Taken = Mapping[str, Sequence[tuple[datetime, datetime]]]


def fold(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def mentions(wanted: str, *texts: object) -> bool:
    return any(fold(wanted) in fold(str(text)) for text in texts)


class MemoryMail:
    def __init__(self, mails: Sequence[Mail], me: frozenset[str], skipped: Sequence[Skipped] = ()) -> None:
        self.mails, self.me, self.skipped = list(mails), me, tuple(skipped)
        self.searches: list[MailQuery] = []

    async def search(self, query: MailQuery) -> Page[Mail]:
        self.searches.append(query)
        found = [m for m in self.mails if self._fits(m, query)]
        found.sort(key=lambda m: m.date, reverse=not query.oldest_first)
        items = tuple(m.model_copy(update={"body": "", "snippet": m.body[:200]}) for m in found[: query.limit])
        return Page(items=items, total=len(found), skipped=self.skipped)

    def _fits(self, mail: Mail, query: MailQuery) -> bool:
        people = [str(a) for a in (mail.sender, *mail.recipients) if a]
        text = " ".join((mail.subject, mail.body, *people))
        folders = query.folders
        return all(
            (
                mail.folder in folders if folders else mail.folder not in (TRASH, DRAFTS, OUTBOX),
                all(mentions(word, text) for word in query.words),
                not query.sender or any(mentions(s, mail.sender or "") for s in query.sender),
                not query.recipient or any(mentions(r, *mail.recipients) for r in query.recipient),
                not query.with_person or any(mentions(w, *people) for w in query.with_person),
                query.since is None or mail.date >= query.since,
                query.before is None or mail.date < query.before,
                query.unread is None or mail.unread == query.unread,
                query.flagged is None or mail.flagged == query.flagged,
                query.bulk is None or mail.bulk == query.bulk,
                query.has_attachment is None or bool(mail.attachments) == query.has_attachment,
            )
        )

    async def get(self, ref: MailRef) -> Mail:
        for mail in self.mails:
            if mail.id == ref.id:
                return mail
        raise NotFound("That mail is gone.", ref.account)

    async def thread(self, thread: str) -> tuple[Mail, ...]:
        return tuple(sorted((m for m in self.mails if m.thread == thread), key=lambda m: m.date))

    async def attachment(self, ref: MailRef, part: str) -> bytes:
        raise NotFound("There is no such part.", ref.account)

    async def correspondents(self, name: str = "") -> tuple[Correspondent, ...]:
        counts: dict[str, list[object]] = {}
        for mail in self.mails:
            sent = bool(mail.sender and mail.sender.email in self.me)
            for address in mail.recipients if sent else ((mail.sender,) if mail.sender else ()):
                row = counts.setdefault(address.email, [address, 0, 0])
                row[2 if sent else 1] += 1  # type: ignore[operator]
        parts = fold(name).split()
        found = [
            Correspondent(address=a, received=received, sent=sent)  # type: ignore[arg-type]
            for a, received, sent in counts.values()
            if all(mentions(part, a) for part in parts)
        ]
        return tuple(sorted(found, key=lambda c: c.received + c.sent, reverse=True))

    async def folders(self) -> tuple[str, ...]:
        return tuple(sorted({"INBOX", "Sent", "Drafts", "Archive", "Trash", *(m.folder for m in self.mails)}))

    async def changes(self, since: str = "") -> Changes:
        return Changes(cursor=str(len(self.mails)), complete=not since)


class MemoryCalendar:
    """`taken`: what the calendars of others tell, by address."""

    def __init__(self, events: Sequence[Event], calendars: Sequence[Calendar], taken: Taken = MappingProxyType({})) -> None:
        self._events, self._calendars, self._taken = list(events), tuple(calendars), taken
        self.queries: list[EventQuery] = []

    async def calendars(self) -> tuple[Calendar, ...]:
        return self._calendars

    async def events(self, query: EventQuery) -> Page[Event]:
        self.queries.append(query)
        found = [e for e in self._events if self._fits(e, query)]
        return Page(items=tuple(sorted(found, key=lambda e: (e.start, e.end))[: query.limit]), total=len(found))

    def _fits(self, event: Event, query: EventQuery) -> bool:
        people = [event.organizer or "", *(a.address for a in event.attendees)]
        return (
            event.status != "cancelled"
            and not (event.series and event.recurrence is None)
            and event.start < query.end
            and event.end > query.start
            and all(mentions(w, event.title, event.location, event.description) for w in query.words)
            and (not query.people or any(mentions(p, *people) for p in query.people))
        )

    async def get(self, ref: EventRef) -> Event:
        for event in self._events:
            if event.id == ref.id and event.recurrence == ref.recurrence:
                return event
        raise NotFound("That event is gone.", ref.account)

    async def invitations(self, now: datetime) -> tuple[Event, ...]:
        return tuple(e for e in self._events if e.my_answer == "needs-action" and e.end > now)

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        told = {email: tuple((s, e) for s, e in times if s < end and start < e) for email, times in self._taken.items()}
        return tuple(Busy(email=e, times=told[e]) if e in told else Busy(email=e, unknown="nobody told") for e in emails)


class MemoryContacts:
    def __init__(self, contacts: Sequence[Contact], skipped: Sequence[Skipped] = ()) -> None:
        self._contacts, self._skipped = list(contacts), tuple(skipped)

    async def search(self, query: ContactQuery) -> Page[Contact]:
        found = [c for c in self._contacts if self._fits(c, query)]
        items = tuple(sorted(found, key=lambda c: c.name)[: query.limit])
        return Page(items=items, total=len(found), skipped=self._skipped)

    def _fits(self, contact: Contact, query: ContactQuery) -> bool:
        return (
            mentions(query.name, contact.name, contact.nickname, *contact.emails)
            and mentions(query.email, "", *contact.emails)
            and mentions(query.company, contact.company)
            and mentions(query.title, contact.title)
            and (not query.group or any(mentions(query.group, g) for g in contact.groups))
            and all(mentions(w, contact.name, contact.company, contact.title, contact.note) for w in query.words)
        )

    async def get(self, ref: ContactRef) -> Contact:
        for contact in self._contacts:
            if contact.id == ref.id:
                return contact
        raise NotFound("That contact is gone.", ref.account)

    async def groups(self) -> tuple[Group, ...]:
        members: dict[str, list[Address]] = {}
        for contact in self._contacts:
            for name in contact.groups:
                if contact.emails:
                    members.setdefault(name, []).append(Address(email=contact.emails[0], name=contact.name))
        return tuple(Group(name=name, members=tuple(people)) for name, people in members.items())


class MemoryReaders:
    def __init__(self, mail: MemoryMail, calendar: MemoryCalendar, contacts: MemoryContacts) -> None:
        self.accounts = ("work",)
        self.mail, self.calendar, self.contacts = mail, calendar, contacts
