"""One write of every kind, on what `doubles.providers.stock` holds."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from doubles.providers.base import ACCOUNT

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
from integrations.readers import Readers
from integrations.types import ARCHIVE, DRAFTS, Address, ContactQuery, ContactRef, EventQuery, EventRef, MailQuery, MailRef

EVER = EventQuery(start=datetime(2000, 1, 1, tzinfo=UTC), end=datetime(2100, 1, 1, tzinfo=UTC))
START = datetime(2030, 1, 7, 10, tzinfo=UTC)
ANNA = Address(email="anna@example.org")
Make = Callable[[Readers], Awaitable[Action]]


async def mail(readers: Readers, *folders: str) -> MailRef:
    return (await readers.mail.search(MailQuery(folders=folders, limit=1))).items[0].ref


async def event(readers: Readers, *, invited: bool = False) -> EventRef:
    return next(found.ref for found in (await readers.calendar.events(EVER)).items if bool(found.my_answer) == invited)


async def contact(readers: Readers) -> ContactRef:
    return (await readers.contacts.search(ContactQuery())).items[0].ref


async def new_mail(readers: Readers) -> Action:
    return SendMail(account=ACCOUNT, to=(ANNA,), subject="New", body="hello")


async def reply(readers: Readers) -> Action:
    return SendMail(account=ACCOUNT, to=(ANNA,), subject="Reply", body="yes", reply_to=await mail(readers))


async def forward(readers: Readers) -> Action:
    return SendMail(account=ACCOUNT, to=(ANNA,), subject="Forward", body="see", forward_of=await mail(readers))


async def draft(readers: Readers) -> Action:
    return SaveDraft(account=ACCOUNT, to=(ANNA,), subject="A draft", body="not yet")


async def draft_away(readers: Readers) -> Action:
    return DeleteDraft(account=ACCOUNT, mail=await mail(readers, DRAFTS))


async def mark(readers: Readers) -> Action:
    return MarkMail(account=ACCOUNT, mail=await mail(readers), flagged=True)


async def move(readers: Readers) -> Action:
    return MoveMail(account=ACCOUNT, mail=await mail(readers), folder=ARCHIVE)


async def new_event(readers: Readers) -> Action:
    return CreateEvent(account=ACCOUNT, title="New", start=START, end=START + timedelta(hours=1))


async def event_changed(readers: Readers) -> Action:
    return UpdateEvent(account=ACCOUNT, event=await event(readers), title="Changed")


async def event_away(readers: Readers) -> Action:
    return CancelEvent(account=ACCOUNT, event=await event(readers))


async def answer(readers: Readers) -> Action:
    return AnswerInvitation(account=ACCOUNT, event=await event(readers, invited=True), answer="accepted")


async def new_contact(readers: Readers) -> Action:
    return CreateContact(account=ACCOUNT, name="New Person", emails=("new@example.org",))


async def contact_changed(readers: Readers) -> Action:
    return UpdateContact(account=ACCOUNT, contact=await contact(readers), note="changed")


async def contact_away(readers: Readers) -> Action:
    return DeleteContact(account=ACCOUNT, contact=await contact(readers))


async def template(readers: Readers) -> Action:
    return SaveTemplate(name="thanks", body="Thank you!")


async def template_away(readers: Readers) -> Action:
    return DeleteTemplate(name="thanks")


WRITES: dict[str, Make] = {
    "send_mail": new_mail,
    "send_mail (reply)": reply,
    "send_mail (forward)": forward,
    "save_draft": draft,
    "delete_draft": draft_away,
    "mark_mail": mark,
    "move_mail": move,
    "create_event": new_event,
    "update_event": event_changed,
    "cancel_event": event_away,
    "answer_invitation": answer,
    "create_contact": new_contact,
    "update_contact": contact_changed,
    "delete_contact": contact_away,
}
UNDONE: dict[str, Make] = {"restore_event": event_changed, "restore_contact": contact_changed}
"""Writes that only an undo makes, by what is undone."""
OWN: dict[str, Make] = {"save_template": template, "delete_template": template_away}
"""Writes that reach no provider."""


async def ready(a: Assistant, kind: str) -> Callable[[Assistant], Awaitable[Turn]]:
    """Everything but the word that lets a write of this kind go: what is returned says it, to whichever program."""
    make = WRITES.get(kind) or UNDONE[kind]
    preview = (await a.propose("c", [await make(a.readers)], ["do it"])).previews[0]
    if kind in UNDONE:
        await a.approve(preview.id, preview.fingerprint)
        return lambda a: a.undo("c")
    return lambda a: a.approve(preview.id, preview.fingerprint)
