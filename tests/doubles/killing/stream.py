"""A stream of approvals: one write after another of every kind, each proposed and approved through the one door."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TypeVar

from doubles.killing.notes import Notes

from assistant.facade import Assistant, Turn
from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    DeleteContact,
    DeleteDraft,
    DeleteTemplate,
    MarkMail,
    MoveMail,
    SaveDraft,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import ARCHIVE, DRAFTS, INBOX, TRASH, Address, Contact, ContactQuery, Event, EventQuery, Mail, MailQuery
from risk.preview import Preview

T = TypeVar("T")
START = datetime(2030, 1, 7, 10, tzinfo=UTC)
FOLDERS = (ARCHIVE, ARCHIVE, "Projects", INBOX, TRASH)
ANSWERS = ("accepted", "declined", "tentative")
Make = Callable[[str], Awaitable[Action | None]]


class Stream:
    """`life` tells the names of what one program makes from those of another."""

    def __init__(self, assistant: Assistant, notes: Notes, random: Random, life: str) -> None:
        self._a, self._notes, self._random, self._life = assistant, notes, random, life
        self._account = assistant.accounts[0].name
        self._number = 0

    async def next(self) -> None:
        deeds = (self._one, self._several, self._undo, self._words, self._dropped)
        await self._random.choices(deeds, weights=(12, 3, 2, 1, 1))[0]()

    # --- ways to approve

    async def _one(self) -> None:
        await self._propose_and_approve(1)

    async def _several(self) -> None:
        await self._propose_and_approve(self._random.randint(2, 4))

    async def _undo(self) -> None:
        """Of what was done just now, where it can be."""
        await self._one()
        self._notes.note("undoing")
        turn = await self._a.undo(self._life)
        self._told(turn)
        for preview in turn.previews:
            await self._approve(preview)

    async def _words(self) -> None:
        """Low risk, and in the user's own words: it is done unasked."""
        mails = await self._mails()
        if mails:
            sender = self._random.choice(mails).sender
            self._notes.note("saying")
            self._told(await self._a.say(self._life, f"flag the last mail from {sender.name if sender else ''}"))

    async def _dropped(self) -> None:
        for preview in await self._proposed(1):
            self._notes.note("dropping")
            await self._a.cancel(preview.id)

    async def _propose_and_approve(self, number: int) -> None:
        for preview in await self._proposed(number):
            await self._approve(preview)

    async def _proposed(self, number: int) -> Sequence[Preview]:
        actions = [action for action in [await self._action() for _ in range(number)] if action]
        apart = list({_thing(action): action for action in actions}.values())
        return (await self._a.propose(self._life, apart)).previews if apart else ()

    async def _approve(self, preview: Preview) -> None:
        self._notes.note("approving", preview=preview.id, writes=len(preview.actions))
        self._told(await self._a.approve(preview.id, preview.fingerprint))

    def _told(self, turn: Turn) -> None:
        for outcome in turn.outcomes:
            self._notes.note("told", key=outcome.key, status=outcome.status)

    # --- what is written

    async def _action(self) -> Action | None:
        makes: tuple[Make, ...] = (
            self._mail, self._mail, self._later, self._reply, self._forward, self._draft, self._draft_away, self._mark, self._move,
            self._event, self._event_changed, self._event_away, self._answer, self._contact, self._contact_changed,
            self._contact_away, self._template, self._template_away,
        )  # fmt: skip
        self._number += 1
        return await self._random.choice(makes)(f"write-{self._life}-{self._number}")

    async def _mails(self, *folders: str) -> Sequence[Mail]:
        found = await self._a.look(MailQuery(folders=folders, limit=200))
        return [mail for mail in found.items if isinstance(mail, Mail)]

    async def _mail_of(self, *folders: str) -> Mail | None:
        return self._any(await self._mails(*folders))

    async def _event_of(self, invitation: bool) -> Event | None:
        found = await self._a.look(EventQuery(start=datetime(2000, 1, 1, tzinfo=UTC), end=datetime(2100, 1, 1, tzinfo=UTC)))
        return self._any([e for e in found.items if isinstance(e, Event) and bool(e.my_answer) == invitation])

    async def _person(self) -> Contact | None:
        return self._any([one for one in (await self._a.look(ContactQuery())).items if isinstance(one, Contact)])

    def _any(self, found: Sequence[T]) -> T | None:
        return self._random.choice(found) if found else None

    async def _mail(self, name: str) -> Action | None:
        return SendMail(account=self._account, to=(Address(email="anna@example.org"),), subject=name, body="hello")

    async def _later(self, name: str) -> Action | None:
        when = self._a.clock() + timedelta(seconds=self._random.uniform(0.03, 0.3))
        return SendMail(account=self._account, to=(Address(email="anna@example.org"),), subject=name, body="later", send_at=when)

    async def _reply(self, name: str) -> Action | None:
        mail = await self._mail_of()
        to = (mail.sender,) if mail and mail.sender else ()
        return SendMail(account=self._account, to=to, subject=name, body="yes", reply_to=mail.ref) if mail and to else None

    async def _forward(self, name: str) -> Action | None:
        mail = await self._mail_of()
        to = (Address(email="tom@example.org"),)
        return SendMail(account=self._account, to=to, subject=name, body="see", forward_of=mail.ref) if mail else None

    async def _draft(self, name: str) -> Action | None:
        return SaveDraft(account=self._account, to=(Address(email="anna@example.org"),), subject=name, body="hello")

    async def _draft_away(self, name: str) -> Action | None:
        draft = await self._mail_of(DRAFTS)
        return DeleteDraft(account=self._account, mail=draft.ref) if draft else None

    async def _mark(self, name: str) -> Action | None:
        mail = await self._mail_of()
        return MarkMail(account=self._account, mail=mail.ref, flagged=not mail.flagged) if mail else None

    async def _move(self, name: str) -> Action | None:
        mail = await self._mail_of()
        folder = self._random.choice([folder for folder in FOLDERS if mail is None or folder != mail.folder])
        return MoveMail(account=self._account, mail=mail.ref, folder=folder) if mail else None

    async def _event(self, name: str) -> Action | None:
        guests = (Address(email="anna@example.org"),) if self._random.random() < 0.3 else ()
        start = START + timedelta(hours=self._random.randrange(1000))
        return CreateEvent(account=self._account, title=name, start=start, end=start + timedelta(hours=1), attendees=guests)

    async def _event_changed(self, name: str) -> Action | None:
        event = await self._event_of(invitation=False)
        return UpdateEvent(account=self._account, event=event.ref, title=name) if event else None

    async def _event_away(self, name: str) -> Action | None:
        event = await self._event_of(invitation=False)
        return CancelEvent(account=self._account, event=event.ref) if event else None

    async def _answer(self, name: str) -> Action | None:
        event = await self._event_of(invitation=True)
        if event is None:
            return None
        answer = self._random.choice([answer for answer in ANSWERS if answer != event.my_answer])
        return AnswerInvitation.model_validate({"account": self._account, "event": event.ref, "answer": answer})

    async def _contact(self, name: str) -> Action | None:
        return CreateContact(account=self._account, name=name, emails=(f"{name}@example.org",))

    async def _contact_changed(self, name: str) -> Action | None:
        one = await self._person()
        return UpdateContact(account=self._account, contact=one.ref, note=name) if one else None

    async def _contact_away(self, name: str) -> Action | None:
        one = await self._person()
        return DeleteContact(account=self._account, contact=one.ref) if one else None

    async def _template(self, name: str) -> Action | None:
        return SaveTemplate(name=f"template {self._random.randrange(5)}", body=name)

    async def _template_away(self, name: str) -> Action | None:
        return DeleteTemplate(name=f"template {self._random.randrange(5)}")


def _thing(action: Action) -> str:
    """What it changes: two changes of one thing in one preview would need each other's etag."""
    changed = getattr(action, "mail", None) or getattr(action, "event", None) or getattr(action, "contact", None)
    return changed.id if changed else getattr(action, "subject", "") or getattr(action, "title", "") or getattr(action, "name", "")
