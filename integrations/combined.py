"""Several accounts read as one. An account that can't be reached doesn't hide what the others hold: it is named in `skipped`."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from integrations.errors import IntegrationError, NotFound
from integrations.readers import CalendarReader, ContactReader, MailReader, Readers
from integrations.types import (
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

R = TypeVar("R")
T = TypeVar("T")


async def _each(readers: Sequence[R], ask: Callable[[R], Awaitable[T]]) -> tuple[list[tuple[int, T]], list[IntegrationError]]:
    """(answers with the reader's position, errors); raises where there is no answer at all."""
    results = await asyncio.gather(*map(ask, readers), return_exceptions=True)
    answers: list[tuple[int, T]] = []
    errors: list[IntegrationError] = []
    for position, result in enumerate(results):
        if isinstance(result, IntegrationError):
            errors.append(result)
        elif isinstance(result, BaseException):
            raise result
        else:
            answers.append((position, result))
    if errors and not answers:
        raise errors[0]
    return answers, errors


async def _joined(readers: Sequence[R], ask: Callable[[R], Awaitable[tuple[T, ...]]]) -> list[T]:
    answers, _ = await _each(readers, ask)
    return [item for _, items in answers for item in items]


def _skipped(pages: Iterable[Page[T]], errors: Iterable[IntegrationError]) -> tuple[Skipped, ...]:
    unread = (Skipped(where=error.account or "of yours", reason=str(error), account=True) for error in errors)
    return (*(one for page in pages for one in page.skipped), *unread)


def _total(pages: Iterable[Page[T]]) -> int | None:
    totals = [page.total for page in pages]
    known = [total for total in totals if total is not None]
    return sum(known) if len(known) == len(totals) else None


class _Routed:
    """Finds the reader of the account that a reference names."""

    def __init__(self, accounts: Sequence[str]) -> None:
        self._accounts = list(accounts)

    def _position(self, account: str) -> int:
        if account not in self._accounts:
            raise NotFound(f"There is no account called {account}.", account)
        return self._accounts.index(account)


class _Place:
    """How far one account's mails have been given: the cursor of the page at hand, and how many of that page."""

    def __init__(self, account: str, reader: MailReader, cursor: str | None = None, given: int = 0) -> None:
        self.account, self.cursor, self.given = account, cursor, given
        self.page = Page[Mail]()
        self._reader = reader

    @property
    def mail(self) -> Mail | None:
        """The next one to give; None at the end."""
        return self.page.items[self.given] if self.given < len(self.page.items) else None

    async def load(self, query: MailQuery) -> Page[Mail]:
        self.page = await self._reader.search(query.model_copy(update={"cursor": self.cursor}))
        return self.page

    async def advance(self, query: MailQuery) -> None:
        self.given += 1
        if self.mail is None and self.page.next is not None:
            self.cursor, self.given = self.page.next, 0
            await self.load(query)


async def _merge(places: Sequence[_Place], query: MailQuery) -> list[Mail]:
    merged: list[Mail] = []
    while len(merged) < query.limit:
        waiting = [(place.mail.date, place) for place in places if place.mail is not None]
        if not waiting:
            break
        first = min if query.oldest_first else max
        _, place = first(waiting, key=lambda one: one[0])
        merged += [place.mail] if place.mail else []
        await place.advance(query)
    return merged


class CombinedMail(_Routed):
    def __init__(self, accounts: Sequence[str], readers: Sequence[MailReader]) -> None:
        super().__init__(accounts)
        self._readers = readers

    def _start(self, cursor: str | None) -> tuple[list[_Place], int]:
        """Where each account is read on, and the total of those read to their end."""
        if cursor is None:
            return [_Place(account, reader) for account, reader in zip(self._accounts, self._readers, strict=True)], 0
        try:
            ended, places = json.loads(cursor)
            return [_Place(name, self._readers[self._position(name)], page, int(given)) for name, page, given in places], int(ended)
        except (ValueError, TypeError):
            raise NotFound("There is no such page of mails.") from None

    async def search(self, query: MailQuery) -> Page[Mail]:
        """As long as the limit stays the same, pages follow each other without a gap."""
        places, ended = self._start(query.cursor)
        answers, errors = await _each(places, lambda place: place.load(query))
        pages = [page for _, page in answers]
        read = [places[position] for position, _ in answers]
        mails = await _merge(read, query)
        total = _total(pages)
        left = [(place.account, place.cursor, place.given) for place in read if place.mail is not None]
        ended_now = sum(place.page.total or 0 for place in read if place.mail is None)
        return Page[Mail](
            items=tuple(mails),
            next=json.dumps([ended + ended_now, left]) if left else None,
            total=None if total is None else total + ended,
            skipped=_skipped(pages, errors),
        )

    async def get(self, ref: MailRef) -> Mail:
        return await self._readers[self._position(ref.account)].get(ref)

    async def thread(self, thread: str) -> tuple[Mail, ...]:
        mails = await _joined(self._readers, lambda reader: reader.thread(thread))
        return tuple(sorted(mails, key=lambda mail: mail.date))

    async def attachment(self, ref: MailRef, part: str) -> bytes:
        return await self._readers[self._position(ref.account)].attachment(ref, part)

    async def correspondents(self, name: str = "") -> tuple[Correspondent, ...]:
        people: dict[str, Correspondent] = {}
        for one in await _joined(self._readers, lambda reader: reader.correspondents(name)):
            known = people.get(one.address.email)
            people[one.address.email] = _merged(known, one) if known else one
        return tuple(sorted(people.values(), key=lambda one: one.received + one.sent, reverse=True))

    async def folders(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(await _joined(self._readers, lambda reader: reader.folders())))

    async def changes(self, since: str = "") -> Changes:
        """An account that can't be reached keeps its place; one that has come since makes it incomplete, as does the cursor of a
        single account."""
        known = _cursors(since)
        accounts = list(zip(self._accounts, self._readers, strict=True))
        answers, _ = await _each(accounts, lambda one: one[1].changes(known.get(one[0], "")))
        cursors = known | {self._accounts[position]: told.cursor for position, told in answers}
        return Changes(
            cursor=json.dumps(cursors),
            changed=tuple(ref for _, told in answers for ref in told.changed),
            gone=tuple(ref for _, told in answers for ref in told.gone),
            complete=all(told.complete for _, told in answers) and (not since or known.keys() >= set(self._accounts)),
        )


def _cursors(since: str) -> dict[str, str]:
    """By account."""
    try:
        found = json.loads(since)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _merged(one: Correspondent, other: Correspondent) -> Correspondent:
    times = [time for time in (one.last, other.last) if time is not None]
    return Correspondent(
        address=Address(email=one.address.email, name=one.address.name or other.address.name),
        received=one.received + other.received,
        sent=one.sent + other.sent,
        last=max(times) if times else None,
    )


class CombinedCalendars(_Routed):
    def __init__(self, accounts: Sequence[str], readers: Sequence[CalendarReader]) -> None:
        super().__init__(accounts)
        self._readers = readers

    async def calendars(self) -> tuple[Calendar, ...]:
        return tuple(await _joined(self._readers, lambda reader: reader.calendars()))

    async def events(self, query: EventQuery) -> Page[Event]:
        answers, errors = await _each(self._readers, lambda reader: reader.events(query))
        pages = [page for _, page in answers]
        events = sorted((event for page in pages for event in page.items), key=lambda event: event.start)
        return Page[Event](items=tuple(events[: query.limit]), total=_total(pages), skipped=_skipped(pages, errors))

    async def get(self, ref: EventRef) -> Event:
        return await self._readers[self._position(ref.account)].get(ref)

    async def invitations(self, now: datetime) -> tuple[Event, ...]:
        events = await _joined(self._readers, lambda reader: reader.invitations(now))
        return tuple(sorted(events, key=lambda event: event.start))

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        """Known wherever one account knows."""
        answers, errors = await _each(self._readers, lambda reader: reader.busy(emails, start, end))
        unreached = str(errors[0]).removesuffix(".") if errors else ""
        return tuple(_busy(told, unreached) for told in zip(*(told for _, told in answers), strict=True))


def _busy(told: Sequence[Busy], unreached: str) -> Busy:
    known = [one for one in told if not one.unknown]
    if not known:
        return Busy(email=told[0].email, unknown=unreached, unreached=True) if unreached else told[0]
    times = {span for one in known for span in one.times}
    return Busy(email=told[0].email, times=tuple(sorted(times)))


class CombinedContacts(_Routed):
    def __init__(self, accounts: Sequence[str], readers: Sequence[ContactReader]) -> None:
        super().__init__(accounts)
        self._readers = readers

    async def search(self, query: ContactQuery) -> Page[Contact]:
        answers, errors = await _each(self._readers, lambda reader: reader.search(query))
        pages = [page for _, page in answers]
        contacts = sorted((contact for page in pages for contact in page.items), key=lambda contact: contact.name.casefold())
        return Page[Contact](items=tuple(contacts[: query.limit]), total=_total(pages), skipped=_skipped(pages, errors))

    async def get(self, ref: ContactRef) -> Contact:
        return await self._readers[self._position(ref.account)].get(ref)

    async def groups(self) -> tuple[Group, ...]:
        members: dict[str, dict[str, Address]] = {}
        for group in await _joined(self._readers, lambda reader: reader.groups()):
            members.setdefault(group.name, {}).update({address.email: address for address in group.members})
        return tuple(Group(name=name, members=tuple(people.values())) for name, people in members.items())


class CombinedReaders:
    """The readers of several accounts, one account each. A single one answers unwrapped."""

    def __init__(self, readers: Sequence[Readers]) -> None:
        self._readers = list(readers)
        self._names = [reader.accounts[0] for reader in readers]

    @property
    def single(self) -> Sequence[Readers]:
        """One account each."""
        return tuple(self._readers)

    @property
    def accounts(self) -> Sequence[str]:
        return tuple(self._names)

    @cached_property
    def mail(self) -> MailReader:
        if len(self._readers) == 1:
            return self._readers[0].mail
        return CombinedMail(self._names, [reader.mail for reader in self._readers])

    @cached_property
    def calendar(self) -> CalendarReader:
        if len(self._readers) == 1:
            return self._readers[0].calendar
        return CombinedCalendars(self._names, [reader.calendar for reader in self._readers])

    @cached_property
    def contacts(self) -> ContactReader:
        if len(self._readers) == 1:
            return self._readers[0].contacts
        return CombinedContacts(self._names, [reader.contacts for reader in self._readers])


def each_account(readers: Readers) -> Sequence[Readers]:
    """One account each, to tell which of them fails."""
    return readers.single if isinstance(readers, CombinedReaders) else (readers,)
