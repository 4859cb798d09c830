"""Gathers, through readers, who the user knows and what the gate must know."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, time
from functools import partial
from time import monotonic
from typing import TypeVar
from zoneinfo import ZoneInfo

from assistant.pipeline.addressed import named_addresses
from assistant.pipeline.state import FlowState
from assistant.pipeline.surroundings import (
    of_senders,
    others_calendars,
    own_events,
    sent_before,
    shown_in,
    times_of,
    told_of,
    writes_events,
)
from assistant.reasoning.base import Setting
from integrations.actions import Action
from integrations.errors import IntegrationError, InvalidResponse, NotFound
from integrations.readers import Readers
from integrations.types import (
    Address,
    Calendar,
    Contact,
    ContactQuery,
    ContactRef,
    Correspondent,
    Event,
    EventRef,
    Mail,
    MailQuery,
    MailRef,
    Page,
)
from risk.evidence import Evidence, key_of

GONE = (NotFound, InvalidResponse)
"""What an account out of reach raises means nothing for what is in it, so it is passed on."""
T = TypeVar("T")
R = TypeVar("R", MailRef, EventRef, ContactRef)
AT_ONCE = 8
"""Looks into accounts."""
NAMES_KEPT = 5.0
"""Seconds for which the names of people are reused: they only help to recognise people in a sentence."""


class Directory:
    """Who the user is and knows. `templates` are the saved replies by name, set anew before each flow."""

    def __init__(
        self,
        readers: Readers,
        me: tuple[Address, ...],
        zone: ZoneInfo,
        clock: Callable[[], datetime],
        day_starts: time = time(9),
        day_ends: time | None = None,
    ) -> None:
        self.readers, self.me, self.zone, self.clock, self.day_starts = readers, me, zone, clock, day_starts
        self.day_ends = day_ends
        self.templates: Mapping[str, str] = {}
        self._names: frozenset[str] = frozenset()
        self._groups: frozenset[str] = frozenset()
        self._companies: frozenset[str] = frozenset()
        self._jobs: frozenset[str] = frozenset()
        self._written: Mapping[str, int] = {}
        self._read_at = float("-inf")

    def forget(self) -> None:
        """Read the names anew at the next question."""
        self._read_at = float("-inf")

    async def setting(self) -> Setting:
        if monotonic() - self._read_at > NAMES_KEPT:
            await self._read_names()
        return Setting(
            now=self.clock().astimezone(self.zone),
            zone=self.zone,
            me=self.me,
            names=self._names,
            groups=self._groups,
            companies=self._companies,
            jobs=self._jobs,
            templates=frozenset(self.templates),
            day_starts=self.day_starts,
        )

    async def _read_names(self) -> None:
        contacts = await self._contacts()
        correspondents = await _found(self.readers.mail.correspondents())
        people = {c.name for c in contacts} | {c.nickname for c in contacts} | {c.address.name for c in correspondents}
        self._names = frozenset(name for name in people if name)
        self._written = {one.address.email: one.sent for one in correspondents if one.sent}
        self._companies = frozenset(c.company.lower() for c in contacts if c.company)
        self._jobs = frozenset(c.title.lower() for c in contacts if c.title)
        self._groups = frozenset(group.name for group in await _found(self.readers.contacts.groups()))
        self.me = tuple([await self._named(own, contacts) for own in self.me])
        self._read_at = monotonic()

    async def _named(self, own: Address, contacts: Iterable[Contact]) -> Address:
        """The user's address with a name: the configured one, else that of the user's own card or mails."""
        if own.name:
            return own
        card = next((c.name for c in contacts if own.email in c.emails), "")
        written = () if card else await _found(self._written_by(own))
        said = card or next((mail.sender.name for mail in written if mail.sender and mail.sender.email == own.email), "")
        return own.model_copy(update={"name": said})

    async def _written_by(self, own: Address) -> tuple[Mail, ...]:
        return (await self.readers.mail.search(MailQuery(sender=(own.email,), limit=1))).items

    async def evidence(self, actions: Iterable[Action], state: FlowState, *, beside: bool = True) -> Evidence:
        """What stands now where the actions point, and who their recipients are; with what the gate must know `beside` that."""
        actions = tuple(actions)
        around_them = actions if beside else ()
        shown = shown_in(around_them, state)
        pointed = _refs(actions, MailRef, "mail", "reply_to", "forward_of")
        known = asyncio.gather(
            self._contacts(),
            _found(self.readers.contacts.groups()),
            self._correspondents(actions),
            _each(pointed, self.readers.mail.get),
            _each(_refs(actions, EventRef, "event"), self.readers.calendar.get),
            _each(_refs(actions, ContactRef, "contact"), self.readers.contacts.get),
        )
        others = asyncio.gather(
            self._calendars(around_them),
            self._lately(around_them),
            self._searched(of_senders(around_them)),
            _each(_others(shown.mail_refs, pointed), _kindly(self.readers.mail.get)),
            _each(shown.event_refs, _kindly(self.readers.calendar.get)),
        )
        (contacts, groups, correspondents, mails, events, cards), (calendars, lately, sent, read, seen) = await asyncio.gather(
            known, others
        )
        shared = others_calendars(calendars, contacts, self.me)
        threads, around = await asyncio.gather(self._threads(actions, mails), self._around(around_them, events))
        words = state.text if state.own_words else ""
        return Evidence(
            own=frozenset(a.email for a in self.me),
            words=words,
            said=state.said,
            contacts={email: c.name for c in contacts for email in c.emails},
            called={email: c.nickname for c in contacts if c.nickname for email in c.emails},
            groups={g.name: tuple(a.email for a in g.members) for g in groups},
            correspondents={**self._written, **correspondents},
            mails=mails,
            threads=threads,
            events=events,
            contact_cards={**told_of(contacts, around_them), **cards},
            templates=self.templates,
            named=named_addresses(words, *state.said),
            read={**sent, **shown.mails, **read},
            read_events={**shown.events, **seen},
            around=own_events(around, shared),
            lately=lately,
            shared=shared,
            hours=(self.day_starts, self.day_ends) if self.day_ends else None,
            now=self.clock().astimezone(self.zone),
            zone=self.zone.key,
        )

    async def concerned(self, actions: Sequence[Action]) -> Evidence:
        """No more than who the user is, and who is in the events and on the mails that the actions are about."""
        events, mails = await asyncio.gather(
            _each(_refs(actions, EventRef, "event"), self.readers.calendar.get),
            _each(_refs(actions, MailRef, "mail"), self.readers.mail.get),
        )
        return Evidence(own=frozenset(a.email for a in self.me), events=events, mails=mails, now=self.clock())

    async def _contacts(self) -> tuple[Contact, ...]:
        try:
            return (await self.readers.contacts.search(ContactQuery())).items
        except IntegrationError:
            return ()

    async def created(self, state: FlowState) -> FlowState:
        """The state with the events that its writes brought about, as they now stand."""
        found = list(state.made)
        for ref in (outcome.created for outcome in state.outcomes if outcome.created):
            try:
                found.append(await self.readers.calendar.get(ref))
            except IntegrationError:
                continue
        return state.but(made=tuple(found))

    async def _correspondents(self, actions: tuple[Action, ...]) -> Mapping[str, int]:
        """How often mail was sent to each recipient; 0 for one that only wrote to the user."""
        emails = list(dict.fromkeys(e for action in actions for e in recipients(action)))
        people = await _together(partial(self._known_as, email) for email in emails)
        pairs = zip(emails, people, strict=True)
        return {email: one.sent for email, found in pairs for one in found if one.address.email == email}

    async def _known_as(self, email: str) -> tuple[Correspondent, ...]:
        return await _found(self.readers.mail.correspondents(email))

    async def _calendars(self, actions: tuple[Action, ...]) -> tuple[Calendar, ...]:
        return await _found(self.readers.calendar.calendars()) if writes_events(actions) else ()

    async def _around(self, actions: tuple[Action, ...], events: Mapping[str, Event]) -> list[Event]:
        queries = times_of(actions, events)
        found = await _together(partial(_page, partial(self.readers.calendar.events, query)) for query in queries)
        return [event for page in found for event in page]

    async def _lately(self, actions: tuple[Action, ...]) -> tuple[Mail, ...]:
        return tuple((await self._searched(sent_before(actions, self.me, self.clock()))).values())

    async def _searched(self, queries: Iterable[MailQuery]) -> dict[str, Mail]:
        found = await _together(partial(_page, partial(self.readers.mail.search, query)) for query in queries)
        return {key_of(mail.ref): mail for page in found for mail in page}

    async def _threads(self, actions: tuple[Action, ...], mails: Mapping[str, Mail]) -> dict[str, tuple[Mail, ...]]:
        """The threads that are answered or forwarded: who takes part in one is known in it."""
        refs = (getattr(action, field, None) for action in actions for field in ("reply_to", "forward_of"))
        answered = [key_of(ref) for ref in refs if isinstance(ref, MailRef)]
        threads = dict.fromkeys(mails[key].thread for key in answered if key in mails and mails[key].thread)
        return {thread: await _found(self.readers.mail.thread(thread)) for thread in threads}


def _refs(actions: Iterable[Action], kind: type[R], *fields: str) -> list[R]:
    """What the actions point to, each once."""
    found = (getattr(action, field, None) for action in actions for field in fields)
    return list({key_of(ref): ref for ref in found if isinstance(ref, kind)}.values())


async def _each(refs: Sequence[R], get: Callable[[R], Awaitable[T]]) -> dict[str, T]:
    """Those of them that are there, by key."""

    async def found(ref: R) -> tuple[T, ...]:
        try:
            return (await get(ref),)
        except GONE:
            return ()

    things = await _together(partial(found, ref) for ref in refs)
    return {key_of(ref): thing for ref, found in zip(refs, things, strict=True) for thing in found}


async def _together(looks: Iterable[Callable[[], Awaitable[T]]]) -> list[T]:
    """Side by side, a few at a time."""
    few = asyncio.Semaphore(AT_ONCE)

    async def one(look: Callable[[], Awaitable[T]]) -> T:
        async with few:
            return await look()

    return await asyncio.gather(*map(one, looks))


def _others(refs: Iterable[MailRef], known: Iterable[MailRef]) -> list[MailRef]:
    there = {key_of(ref) for ref in known}
    return [ref for ref in refs if key_of(ref) not in there]


def _kindly(get: Callable[[R], Awaitable[T]]) -> Callable[[R], Awaitable[T]]:
    """What only tells where something came from holds nothing up where it can't be had."""

    async def got(ref: R) -> T:
        try:
            return await get(ref)
        except IntegrationError as error:
            raise NotFound(str(error)) from error

    return got


async def _page(asked: Callable[[], Awaitable[Page[T]]]) -> tuple[T, ...]:
    try:
        return (await asked()).items
    except IntegrationError:
        return ()


async def _found(asked: Awaitable[tuple[T, ...]]) -> tuple[T, ...]:
    """Nothing where it can't be read: people known from there alone are strangers then, and a question about it fails by itself."""
    try:
        return await asked
    except IntegrationError:
        return ()


def recipients(action: Action) -> tuple[str, ...]:
    """Every address that an action writes to or invites."""
    lists = [getattr(action, name, ()) for name in ("to", "cc", "bcc", "attendees", "add_attendees")]
    return tuple(address.email for addresses in lists for address in addresses)
