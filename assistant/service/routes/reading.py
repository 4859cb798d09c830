"""Reading mails, events and contacts; of mails the text alone, never HTML."""

from typing import Annotated

from fastapi import APIRouter, Query

from assistant.service import views
from assistant.service.callers import Reading
from assistant.service.params import Cursor, Id, Limit, Moment, Words, check_span, phrases
from assistant.service.views import Items, Mails
from integrations.types import Contact, ContactQuery, Event, EventQuery, Mail, MailQuery

router = APIRouter(prefix="/api", tags=["reading"])


@router.get("/mails")
async def search_mails(
    served: Reading,
    words: Words = "",
    sender: Words = "",
    folder: Words = "",
    unread: bool | None = None,
    limit: Limit = 50,
    cursor: Cursor | None = None,
) -> Mails:
    """Without their texts, the newest first. `words` must all occur, phrases in quotation marks as they are; `sender` is an address
    or part of a name. Without a `folder`: all but Trash, Drafts and Outbox."""
    query = MailQuery(
        words=phrases(words),
        sender=(sender,) if sender.strip() else (),
        folders=(folder,) if folder.strip() else (),
        unread=unread,
        limit=limit,
        cursor=cursor or None,
    )
    return views.mails_of(await served.assistant.look(query))


@router.get("/mails/{account}/{id:path}/thread")
async def show_thread(served: Reading, account: Id, id: Id) -> Items[Mail]:
    """All of its thread with their texts, the oldest first."""
    return views.items(await served.assistant.thread(account, id))


@router.get("/mails/{account}/{id:path}")
async def show_mail(served: Reading, account: Id, id: Id) -> Mail:
    """With its text. It stays unread."""
    return await served.assistant.mail(account, id)


@router.get("/calendar")
async def list_events(served: Reading, start: Annotated[Moment, Query()], end: Annotated[Moment, Query()]) -> Items[Event]:
    """What overlaps [start, end), the earliest first; of series each instance."""
    check_span(start, end)
    return views.items((await served.assistant.look(EventQuery(start=start, end=end))).items)


@router.get("/calendar/{account}/{calendar}/{id:path}")
async def show_event(served: Reading, account: Id, calendar: Id, id: Id, recurrence: Moment | None = None) -> Event:
    """One event; of a series the instance whose `recurrence` is given."""
    return await served.assistant.event(account, calendar, id, recurrence)


@router.get("/contacts")
async def search_contacts(served: Reading, name: Words = "", limit: Limit = 50) -> Items[Contact]:
    """`name` is part of a name, nickname or address."""
    return views.items((await served.assistant.look(ContactQuery(name=name, limit=limit))).items)
