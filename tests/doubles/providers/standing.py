"""Counts effects by what stands in an account, for providers that keep no log of their own."""

from collections.abc import Awaitable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeVar

from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    DeleteContact,
    DeleteDraft,
    MarkMail,
    MoveMail,
    RestoreContact,
    RestoreEvent,
    SaveDraft,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.errors import NotFound
from integrations.readers import Readers
from integrations.types import DRAFTS, TRASH, Contact, ContactQuery, Event, EventQuery, Mail, MailQuery

T = TypeVar("T")
EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))


class Standing:
    """What is made is told apart by its subject, title or name. A change that has been overwritten since is not seen any more."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    async def times(self, action: Action) -> int:
        """How often it can be seen to have taken effect; a change is seen once or not at all."""
        match action:
            case SendMail() | SaveDraft():
                return await self._mails(action)
            case CreateEvent():
                found = (await self._readers.calendar.events(EventQuery(start=EVER[0], end=EVER[1]))).items
                return sum(event.title == action.title for event in found)
            case CreateContact():
                return sum(c.name == action.name for c in (await self._readers.contacts.search(ContactQuery())).items)
            case _:
                return int(await self._changed(action))

    async def _mails(self, action: SendMail | SaveDraft) -> int:
        """A draft that is left of a mail which was not sent does not count."""
        left = {DRAFTS} if isinstance(action, SendMail) else set()
        folders = tuple(folder for folder in await self._readers.mail.folders() if folder not in left)
        found = await self._readers.mail.search(MailQuery(subject=(action.subject,), folders=folders))
        return sum(mail.subject == action.subject for mail in found.items)

    async def _changed(self, action: Action) -> bool:
        match action:
            case DeleteDraft() | MarkMail() | MoveMail():
                return _mail_shows(action, await found(self._readers.mail.get(action.mail)))
            case UpdateEvent() | CancelEvent() | AnswerInvitation() | RestoreEvent():
                return _event_shows(action, await found(self._readers.calendar.get(action.event)))
            case RestoreContact():
                return await self._restored(action)
            case UpdateContact() | DeleteContact():
                return _contact_shows(action, await found(self._readers.contacts.get(action.contact)))
        raise ValueError(f"{action.kind} is not a provider's")

    async def _restored(self, action: RestoreContact) -> bool:
        """Under its id, or as another one where ids don't come back."""
        there = (await self._readers.contacts.search(ContactQuery())).items
        return any(f"FN:{now.name}\r\n" in action.vcf and now.note in action.vcf for now in there)


async def found(asked: Awaitable[T]) -> T | None:
    with suppress(NotFound):
        return await asked
    return None


def _mail_shows(action: DeleteDraft | MarkMail | MoveMail, now: Mail | None) -> bool:
    match action:
        case DeleteDraft():
            return now is None or now.folder == TRASH
        case MoveMail():
            return now is not None and now.folder == action.folder
        case MarkMail():
            return now is not None and action.seen in (None, not now.unread) and action.flagged in (None, now.flagged)


def _event_shows(action: UpdateEvent | CancelEvent | AnswerInvitation | RestoreEvent, now: Event | None) -> bool:
    if now is None or isinstance(action, CancelEvent):
        return now is None and isinstance(action, CancelEvent)
    match action:
        case UpdateEvent():
            return action.title in (None, now.title) and action.start in (None, now.start)
        case AnswerInvitation():
            return now.my_answer == action.answer
        case RestoreEvent():
            return now.title in action.ics


def _contact_shows(action: UpdateContact | DeleteContact, now: Contact | None) -> bool:
    if now is None or isinstance(action, DeleteContact):
        return now is None and isinstance(action, DeleteContact)
    return action.name in (None, now.name) and action.note in (None, now.note)
