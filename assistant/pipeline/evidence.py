"""Gathers, through readers, who the user knows and what the gate must know."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, time
from functools import partial
from time import monotonic
from typing import TypeVar
from zoneinfo import ZoneInfo

from assistant.pipeline.state import FlowState
from assistant.reasoning.base import Setting
from integrations.actions import Action
from integrations.errors import IntegrationError, InvalidResponse, NotFound
from integrations.readers import Readers
from integrations.types import Address, Contact, ContactQuery, ContactRef, Correspondent, EventRef, Mail, MailQuery, MailRef
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
    ) -> None:
        self.readers, self.me, self.zone, self.clock, self.day_starts = readers, me, zone, clock, day_starts
        self.templates: Mapping[str, str] = {}
        self._names: frozenset[str] = frozenset()
        self._groups: frozenset[str] = frozenset()
        self._companies: frozenset[str] = frozenset()
        self._jobs: frozenset[str] = frozenset()
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

    async def evidence(self, actions: Iterable[Action], state: FlowState) -> Evidence:
        """What stands now where the actions point, and who their recipients are."""
        actions = tuple(actions)
        contacts, groups, correspondents, mails, events, cards = await asyncio.gather(
            self._contacts(),
            _found(self.readers.contacts.groups()),
            self._correspondents(actions),
            _each(_refs(actions, MailRef, "mail", "reply_to", "forward_of"), self.readers.mail.get),
            _each(_refs(actions, EventRef, "event"), self.readers.calendar.get),
            _each(_refs(actions, ContactRef, "contact"), self.readers.contacts.get),
        )
        return Evidence(
            own=frozenset(a.email for a in self.me),
            words=state.text if state.own_words else "",
            said=state.said,
            contacts={email: c.name for c in contacts for email in c.emails},
            groups={g.name: tuple(a.email for a in g.members) for g in groups},
            correspondents=correspondents,
            mails=mails,
            threads=await self._threads(actions, mails),
            events=events,
            contact_cards=cards,
            templates=self.templates,
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

    async def _threads(self, actions: tuple[Action, ...], mails: Mapping[str, Mail]) -> dict[str, tuple[Mail, ...]]:
        """The threads that are answered: who takes part in one is known in it."""
        answered = [key_of(ref) for action in actions if isinstance(ref := getattr(action, "reply_to", None), MailRef)]
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
