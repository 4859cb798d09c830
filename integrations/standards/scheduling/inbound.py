"""Invitations that came by mail and lie in no calendar yet, and what mails say of events that do (iMIP, RFC 6047).

Anybody can write such a mail, so it counts only where it comes from the one it names as the organiser, and names the owner as
invited; and nobody but that organiser changes it or calls it off.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from integrations.common.calendar_objects import CHANGED, matches, unanswered
from integrations.common.contentline import Malformed
from integrations.common.ical import CalendarObject, read_objects
from integrations.common.ical_events import Place, Timeline, attendee_email
from integrations.common.people import plain
from integrations.errors import Conflict, InvalidResponse, NotFound
from integrations.readers import MailReader
from integrations.standards.dav.calendar_edits import sequence_of
from integrations.standards.scheduling.imip import method_of
from integrations.standards.scheduling.itip import organiser
from integrations.types import INBOX, Event, EventQuery, EventRef, Mail, MailQuery, MailRef

CALENDAR = INBOX
"""Stands in an EventRef for the calendar, which there is none of yet."""
LOOKED_BACK = timedelta(days=60)
MOST_MAILS = 200
MOST_PARTS = 4
LARGEST = 256 * 1024
MOST_KEPT = 500
MOST_SHOWN = 50
"""Instances of one series: a stranger's shall not crowd out the owner's own events."""
STAMP = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
KINDS = ("text/calendar", "application/ics")
GONE = "This invitation does not exist any more."
Known = Mapping[str, CalendarObject]
"""What lies in calendars, by its UID."""


class About(NamedTuple):
    """Somebody else's event of the same UID is another. `instance` is empty for the series, or an event that is none."""

    uid: str
    organiser: str
    instance: str


class Message(NamedTuple):
    """What one mail says of one event; `sent` is when."""

    method: str
    source: CalendarObject
    id: str
    sent: datetime

    @property
    def about(self) -> About:
        inviting = organiser(self.source)
        alone = "" if self.source.master else self.source.blocks[0].value("RECURRENCE-ID")
        return About(self.source.uid, inviting.email if inviting else "", alone)

    @property
    def turn(self) -> tuple[int, str, datetime]:
        """The newest counts: by SEQUENCE, then by DTSTAMP (RFC 5546, 2.1.5), then by when the mail was sent: what is sent once more
        does not overtake what was written after it."""
        return sequence_of(self.source), _stamp(self.source), self.sent

    def overtakes(self, stored: CalendarObject) -> bool:
        """Whether it says of the whole of an event what the calendar does not know yet."""
        inviting = organiser(stored)
        if inviting is None or self.about != About(stored.uid, inviting.email, ""):
            return False
        needed = sequence_of(stored) + (self.method == "REQUEST")
        return sequence_of(self.source) >= needed


class Looked(NamedTuple):
    """What was found in mails since then, as of a cursor of the mail reader's."""

    cursor: str
    since: datetime
    messages: Sequence[Message]


class Inbound:
    """The invitations to `owner`. They take none of the owner's time as long as they lie in no calendar."""

    def __init__(self, mail: MailReader, *, account: str, owner: str, zone: ZoneInfo) -> None:
        self._mail, self._account, self._owner, self._zone = mail, account, owner.lower(), zone
        self._read: OrderedDict[str, Message | None] = OrderedDict()
        self._looked: Looked | None = None

    def holds(self, ref: EventRef) -> bool:
        return ref.calendar == CALENDAR

    async def invitations(self, now: datetime, known: Known) -> tuple[Event, ...]:
        """Those that await an answer, but for events that are `known` as they are."""
        found: list[Event] = []
        for message in await self._news(now, known):
            found += await asyncio.to_thread(unanswered, self._timeline(message.source, message.id), now)
        return tuple(sorted(map(_free, found), key=lambda event: (event.start, event.id)))

    async def events(self, query: EventQuery, now: datetime, known: Known) -> list[Event]:
        """What of them would take place at the time that is asked about, and matches the rest of the query."""
        found: list[Event] = []
        for message in await self._news(now, known) if query.end > now else []:
            matching = await asyncio.to_thread(self._matching, message, query)
            if message.source.uid in known:
                found += matching
            else:
                found += (_free(event) for event in matching if event.my_answer == "needs-action")
        return [event for event in found if event.end > now]

    async def overtaken(self, now: datetime, known: Known) -> Mapping[str, str]:
        """The UIDs of what is `known` otherwise than its organiser's last mail has it, with that mail's method."""
        newest = _newest(await self._messages(now - LOOKED_BACK)).values()
        about = [(message, known[message.source.uid]) for message in newest if message.source.uid in known]
        return {one.source.uid: one.method for one, stored in about if one.overtakes(stored) and self._readable(one)}

    async def get(self, ref: EventRef) -> Event:
        timeline = self._timeline(await self.source(ref), ref.id)
        try:
            event = timeline.first if ref.recurrence is None else await asyncio.to_thread(timeline.instance, ref.recurrence)
        except Malformed as reason:
            raise InvalidResponse(f"This invitation can't be read: {reason}.", self._account) from reason
        if event is None:
            raise NotFound(GONE, self._account)
        return _free(event)

    async def source(self, ref: EventRef) -> CalendarObject:
        return (await self.request(ref)).source

    async def request(self, ref: EventRef) -> Message:
        """As it came, for putting it into a calendar. NotFound where it was called off since, Conflict where it was changed."""
        id, _, part = ref.id.rpartition("/")
        mail = await self._mail.get(MailRef(account=self._account, id=id))
        if part not in (attachment.part for attachment in mail.attachments):
            raise NotFound(GONE, self._account)
        message = await self._message(mail, part)
        if message is None or message.method != "REQUEST":
            raise NotFound(GONE, self._account)
        standing = _standing([message, *await self._found(mail.date - timedelta(days=1))]).get(message.about)
        if standing is None:
            raise NotFound(GONE, self._account)
        if standing.source.etag != message.source.etag:
            raise Conflict(CHANGED, self._account)
        return message

    async def _news(self, now: datetime, known: Known) -> list[Message]:
        standing = _standing(await self._messages(now - LOOKED_BACK)).values()
        stored = ((message, known.get(message.source.uid)) for message in standing)
        return [message for message, source in stored if source is None or message.overtakes(source)]

    def _readable(self, message: Message) -> bool:
        timeline = self._timeline(message.source, message.id)
        try:
            return bool(timeline.first.uid)
        except Malformed:
            return False

    async def _messages(self, since: datetime) -> Sequence[Message]:
        """The newest mails are looked through again only where anything has happened to mails."""
        last = self._looked
        happened = await self._mail.changes(last.cursor if last else "")
        nothing_new = happened.complete and not happened.changed and not happened.gone
        if last is None or not nothing_new or not last.since <= since < last.since + timedelta(days=1):
            last = Looked(happened.cursor, since, await self._found(since))
        self._looked = last._replace(cursor=happened.cursor)
        return last.messages

    async def _found(self, since: datetime) -> list[Message]:
        query = MailQuery(folders=(INBOX,), since=since, has_attachment=True, limit=MOST_MAILS)
        messages = []
        for mail in (await self._mail.search(query)).items:
            parts = [one.part for one in mail.attachments if one.content_type in KINDS and one.size <= LARGEST]
            for part in parts[:MOST_PARTS]:
                if message := await self._message(mail, part):
                    messages.append(message)
                    break
        return messages

    async def _message(self, mail: Mail, part: str) -> Message | None:
        """None where it is none, or is not to be believed. Mails never change, so it is read once."""
        id = f"{mail.id}/{part}"
        if id not in self._read:
            try:
                content = await self._mail.attachment(mail.ref, part)
            except NotFound:
                return None
            self._read[id] = await asyncio.to_thread(self._believed, mail, id, content)
            while len(self._read) > MOST_KEPT:
                self._read.popitem(last=False)
        self._read.move_to_end(id)
        return self._read[id]

    def _believed(self, mail: Mail, id: str, content: bytes) -> Message | None:
        if len(content) > LARGEST:
            return None
        try:
            method, found = method_of(content), read_objects(content)
        except Malformed:
            return None
        if method not in ("REQUEST", "CANCEL") or len(found) != 1:
            return None
        message = Message(method, found[0], id, mail.date)
        return message if self._concerns(found[0], mail) and not _is_doubtful(mail) else None

    def _concerns(self, source: CalendarObject, mail: Mail) -> bool:
        """Whether it invites the owner and comes from the one who organises it, who is somebody else."""
        organisers = {attendee_email(line) for block in source.blocks for line in block.all("ORGANIZER")}
        sender = mail.sender.email if mail.sender else ""
        named = all(block.get("ORGANIZER") and block.value("UID") for block in source.blocks)
        return named and organisers == {sender} and sender not in ("", self._owner) and self._timeline(source, "").invites

    def _matching(self, message: Message, query: EventQuery) -> list[Event]:
        words = [plain(word) for word in query.words]
        try:
            upcoming = self._timeline(message.source, message.id).between(query.start, query.end)
        except Malformed:
            return []
        return [event for event in upcoming if matches(event, words, query.people)][:MOST_SHOWN]

    def _timeline(self, source: CalendarObject, id: str) -> Timeline:
        place = Place(self._account, CALENDAR, id, source.etag, self._owner, self._zone)
        return Timeline(source, place)


def _stamp(source: CalendarObject) -> str:
    """When it was written, in UTC, in an order of letters; empty where that can't be read."""
    return max(stamp if STAMP.fullmatch(stamp := block.value("DTSTAMP")) else "" for block in source.blocks)


def _standing(messages: Iterable[Message]) -> dict[About, Message]:
    """The newest invitation to each event, or single instance, that was not called off since."""
    newest = _newest(messages)
    return {about: message for about, message in newest.items() if not _called_off(message, newest)}


def _newest(messages: Iterable[Message]) -> dict[About, Message]:
    return {message.about: message for message in sorted(messages, key=lambda message: message.turn)}


def _called_off(message: Message, newest: Mapping[About, Message]) -> bool:
    whole = newest.get(message.about._replace(instance=""))
    return message.method == "CANCEL" or (whole is not None and whole.method == "CANCEL" and whole.turn > message.turn)


def _is_doubtful(mail: Mail) -> bool:
    """Whether the server that took it in has found that it does not come from where it says, or it says so of several: nobody
    knows which of them was checked."""
    return any(odd.kind in ("forged", "double_header") and odd.where == "sender" for odd in mail.oddities)


def _free(event: Event) -> Event:
    return event.model_copy(update={"busy": False})
