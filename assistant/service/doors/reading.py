"""What a program may look at over MCP."""

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from assistant.agents.availability import free_slots
from assistant.agents.report import Notes
from assistant.agents.timing import Timing
from assistant.errors import UserError
from assistant.running.glance import Day
from assistant.scheduling.values import Schedule
from assistant.service.briefings import BriefingView, briefing_of
from assistant.service.doors.tools import client
from assistant.service.params import Moment, check_span
from assistant.timetable.rules import MORNING, Part
from assistant.values import Slot
from integrations.common.addresses import parse_address
from integrations.types import (
    Address,
    Contact,
    ContactQuery,
    Event,
    EventQuery,
    Mail,
    MailQuery,
    Page,
    Value,
)
from risk.preview import Preview

Account = Annotated[str, Field(description="The account's name, as another tool returned it.")]
Id = Annotated[str, Field(description="The id that another tool returned.", min_length=1)]


class Previews(Value):
    items: tuple[Preview, ...]


class Slots(Value):
    """`limitations`: what could not be taken into account."""

    items: tuple[Slot, ...]
    limitations: tuple[str, ...] = ()


class Thread(Value):
    items: tuple[Mail, ...]


class Schedules(Value):
    items: tuple[Schedule, ...]


class Today(Day):
    """`mails` ask for attention, `reasons` say why; `unread` counts those in the INBOX."""

    open_previews: int


async def search_mail(
    words: Annotated[tuple[str, ...], Field(description="All must occur; one with spaces is a phrase.")] = (),
    sender: Annotated[tuple[str, ...], Field(description="Addresses, or parts of names; any of them.")] = (),
    recipient: Annotated[tuple[str, ...], Field(description="Addresses, or parts of names; any of them.")] = (),
    folder: Annotated[str, Field(description="INBOX, Sent, Drafts, Archive, Trash or another; empty for all but Trash.")] = "",
    since: Moment | None = None,
    before: Moment | None = None,
    unread: bool | None = None,
    flagged: bool | None = None,
    has_attachment: bool | None = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
    cursor: Annotated[str, Field(description="`next` of an earlier page.")] = "",
) -> Page[Mail]:
    """Finds mails, the newest first, without their bodies; read_mail gives one whole."""
    return await client().assistant.readers.mail.search(
        MailQuery(
            words=tuple(words),
            sender=tuple(sender),
            recipient=tuple(recipient),
            folders=(folder,) if folder else (),
            since=since,
            before=before,
            unread=unread,
            flagged=flagged,
            has_attachment=has_attachment,
            limit=limit,
            cursor=cursor or None,
        )
    )


async def read_mail(account: Account, id: Id) -> Mail:
    """One mail with its text. It stays unread."""
    return await client().assistant.mail(account, id)


async def read_thread(thread: Annotated[str, Field(description="`thread` of a mail.", min_length=1)]) -> Thread:
    """All mails of a conversation with their texts, the oldest first."""
    return Thread(items=await client().assistant.readers.mail.thread(thread))


async def list_events(
    start: Moment,
    end: Moment,
    words: Annotated[tuple[str, ...], Field(description="All must occur in title, place or description.")] = (),
    people: Annotated[tuple[str, ...], Field(description="Addresses, or parts of names; any of them takes part.")] = (),
    limit: Annotated[int, Field(ge=1, le=500)] = 100,
) -> Page[Event]:
    """Events that overlap this time, the earliest first; those of a series one by one."""
    check_span(start, end)
    query = EventQuery(start=start, end=end, words=tuple(words), people=tuple(people), limit=limit)
    return await client().assistant.readers.calendar.events(query)


async def find_free_time(
    start: Moment,
    end: Moment,
    minutes: Annotated[int, Field(ge=5, le=1440)] = 30,
    people: Annotated[tuple[str, ...], Field(description="Addresses of others who shall have time too.")] = (),
    limit: Annotated[int, Field(ge=1, le=100)] = 10,
) -> Slots:
    """Free slots within the person's working hours, the earliest first."""
    check_span(start, end)
    desk, notes = await client().assistant.dispatch.desk(), Notes()
    timing = Timing(start=start.astimezone(desk.setting.zone), end=end.astimezone(desk.setting.zone), exact=False)
    found = await free_slots(timing, timedelta(minutes=minutes), addresses(people), desk, notes)
    return Slots(items=found[:limit], limitations=(*notes.limitations, *notes.unread))


async def search_contacts(
    name: Annotated[str, Field(description="Part of a name, nickname or address; empty for all.")] = "",
    company: str = "",
    group: str = "",
    limit: Annotated[int, Field(ge=1, le=200)] = 50,
) -> Page[Contact]:
    """Finds people in the address book."""
    return await client().assistant.readers.contacts.search(ContactQuery(name=name, company=company, group=group, limit=limit))


async def today() -> Today:
    """The day at a glance: events, what clashes, invitations that wait for an answer, and which mails ask for attention."""
    assistant = client().assistant
    day = await assistant.glance()
    return Today(**dict(day), open_previews=len(await assistant.open_previews()))


async def briefing(
    parts: Annotated[tuple[Part, ...], Field(min_length=1, description="Any of inbox, day and week.")] = MORNING,
) -> BriefingView:
    """What needs an answer and what the day or week holds, each line with its reasons and its mail or event."""
    return briefing_of(await client().assistant.briefing(tuple(dict.fromkeys(parts))))


async def schedules() -> Schedules:
    """What the assistant does by itself at its time: what, when (`words`), and when next. The person sets it up, no tool does."""
    return Schedules(items=await client().assistant.schedules.list())


async def list_previews() -> Previews:
    """What awaits the person's approval, the newest first."""
    return Previews(items=await client().assistant.open_previews())


async def get_preview(id: Id) -> Preview:
    """A preview as it stands, whatever became of it (`status`)."""
    return await client().assistant.preview(id)


READING: tuple[Callable[..., Any], ...] = (
    search_mail,
    read_mail,
    read_thread,
    list_events,
    find_free_time,
    search_contacts,
    today,
    briefing,
    schedules,
    list_previews,
    get_preview,
)


def addresses(texts: tuple[str, ...]) -> tuple[Address, ...]:
    return tuple(map(_address, texts))


def _address(text: str) -> Address:
    found = parse_address(text)
    if found is None:
        raise UserError(f"{text!r} is not a mail address.")
    return found
