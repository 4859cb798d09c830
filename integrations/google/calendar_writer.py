"""Writing events at Google. Each is sent once; under which key it was last written stands in the event itself."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from integrations.actions import (
    AnswerInvitation,
    CalendarAction,
    CancelEvent,
    CreateEvent,
    Receipt,
    RestoreEvent,
    UpdateEvent,
)
from integrations.common.people import gone_for_guest
from integrations.errors import Conflict, IntegrationError, InvalidResponse, NotFound, ReadOnly, Unknowable
from integrations.google import event_changes as changes
from integrations.google.calendar import GONE, GoogleCalendarReader
from integrations.google.events import Item, Place, has_others, is_guests, is_standing, moment
from integrations.google.series import Carried, Move, carried_in, held, held_in
from integrations.types import EventRef

if TYPE_CHECKING:
    from integrations.google.google import Google

CHANGED = "This event was changed since it was read."
WORDLESS = "Google tells those invited that it is cancelled, but takes no words along: yours were not told."
CONFUSED = "Instances of this series that were changed or removed by themselves would be taken for others; move them one by one."
NOTHING: Mapping[str, str | None] = MappingProxyType({})
Change = UpdateEvent | AnswerInvitation
Undo = CancelEvent | RestoreEvent


class GoogleCalendarWriter:
    def __init__(self, google: "Google", *, account: str, owner: str, zone: ZoneInfo) -> None:
        self._google, self._account, self._owner, self._zone = google, account, owner, zone
        self._reader = GoogleCalendarReader(google, account=account, owner=owner, zone=zone)

    async def execute(self, action: CalendarAction, key: str) -> Receipt:
        try:
            if isinstance(action, CreateEvent):
                return await self._create(action, key)
            if isinstance(action, RestoreEvent):
                return await self._restore(action, key)
            if isinstance(action, CancelEvent):
                return await self._cancel(action, key)
            return await self._change(action, key)
        except IntegrationError as error:
            error.account = error.account or self._account
            raise

    async def find(self, action: CalendarAction, key: str) -> Receipt | None:
        if isinstance(action, CreateEvent):
            return await self._created(action, await self._calendar_for(action), key)
        item = await self._looked_for(action.event)
        if isinstance(action, CancelEvent):
            return None if item and is_standing(item) else self._receipt(action, key)
        return await self._done(action, key, item) if item and changes.written_under(item, key) else None

    async def _looked_for(self, ref: EventRef) -> Item | None:
        """None where there is no such event; Unknowable where it may be one of a calendar that can't be seen any more."""
        item = await self._reader.standing(ref)
        if item is None and not await self._reader.shows(ref.calendar):
            raise Unknowable("Google no longer shows this calendar, so what has become of the event can't be told.", self._account)
        return item

    async def _calendar_for(self, action: CreateEvent) -> str:
        return action.calendar or await self._reader.primary()

    async def _create(self, action: CreateEvent, key: str) -> Receipt:
        body = changes.new_event(action, key, self._zone)
        calendar, telling = await self._calendar_for(action), _telling(bool(action.attendees))
        try:
            item = await self._google.write(
                lambda api: api.calendar.events().insert(calendarId=calendar, body=body, sendUpdates=telling)
            )
        except Conflict:  # Google has an event of this id: created before under this key, whoever asks again gets the same answer
            created = await self._created(action, calendar, key)
            if created is None:
                raise
            return created
        return self._receipt_of_new(action, calendar, item, key)

    async def _created(self, action: CreateEvent, calendar: str, key: str) -> Receipt | None:
        """The id alone tells, for it is made of the key."""
        item = await self._looked_for(EventRef(account=self._account, calendar=calendar, id=changes.event_id(key)))
        return self._receipt_of_new(action, calendar, item, key) if item else None

    async def _change(self, action: Change, key: str) -> Receipt:
        ref = action.event
        item, _ = await self._reader.found(ref)
        if changes.written_under(item, key):
            return await self._done(action, key, item)
        _refuse_stale(ref, item)
        patch = changes.patch(action, item, self._reader.place(ref.calendar))
        after, undo, note = await self._patched(ref, item, patch, key)
        differs = changes.differs(after, {**item, **patch}, self._owner)
        return self._receipt(action, key, after, undo, note=note).model_copy(update={"differs": differs})

    async def _cancel(self, action: CancelEvent, key: str) -> Receipt:
        ref = action.event
        item, _ = await self._reader.found(ref)
        _refuse_stale(ref, item)
        place = self._reader.place(ref.calendar)
        telling = _telling(has_others(item, place) and not is_guests(item, place))
        await self._google.write(
            lambda api: api.calendar.events().delete(calendarId=place.calendar, eventId=item["id"], sendUpdates=telling),
            headers=_unchanged(item),
        )
        undo = RestoreEvent(account=self._account, event=_now(ref), ics=changes.carried(changes.bringing_back(item), item))
        return self._receipt(action, key, None, undo, note=_note_of_removed(item, place, action.comment))

    async def _restore(self, action: RestoreEvent, key: str) -> Receipt:
        ref = action.event
        item = await self._reader.standing(ref)
        if item is None:
            raise NotFound(GONE)
        if changes.written_under(item, key):
            return await self._done(action, key, item)
        if is_standing(item):
            if item["etag"] != ref.etag:
                raise Conflict(CHANGED)
        elif ref.etag:
            raise NotFound(GONE)
        after, undo, note = await self._patched(ref, item, changes.patch_in(action.ics), key)
        if is_standing(item):
            return self._receipt(action, key, after, undo, note=note)
        return self._receipt(action, key, after, CancelEvent(account=self._account, event=_now(ref, after)))

    async def _done(self, action: Change | RestoreEvent, key: str, item: Item) -> Receipt:
        """For what was written before; what was still to be written then is written now."""
        after, note = await self._carry(action.event, item, carried_in(item) if action.event.recurrence is None else [], key)
        return self._receipt(action, key, after, note=note)

    async def _patched(self, ref: EventRef, item: Item, patch: changes.Patch, key: str) -> tuple[Item, RestoreEvent, str]:
        """The event as it is then, what takes that back, and what is to be said of it."""
        move = await self._move(ref, item, patch)
        before = item
        if move:
            patch = {**patch, "recurrence": [*patch["recurrence"], *move.left_out]}
            before = {**item, "recurrence": [*item["recurrence"], *move.left_out_before]}
        carried = move.carried if move else []
        after = await self._patch(ref, item, patch, key, held(carried))
        after, note = await self._carry(ref, after, carried, key)
        back = changes.carried(changes.taking_back(patch, before), item, after)
        return after, RestoreEvent(account=self._account, event=_now(ref, after), ics=back), note

    async def _patch(
        self, ref: EventRef, item: Item, patch: changes.Patch, key: str, private: Mapping[str, str | None] = NOTHING
    ) -> Item:
        place = self._reader.place(ref.calendar)
        telling = _telling(has_others(item, place) or has_others(patch, place)) if patch else "none"
        body = changes.marked(patch, key, item, private)
        return await self._google.write(
            lambda api: api.calendar.events().patch(calendarId=place.calendar, eventId=item["id"], body=body, sendUpdates=telling),
            headers=_unchanged(item),
        )

    async def _move(self, ref: EventRef, item: Item, patch: changes.Patch) -> Move | None:
        """None where no series moves. InvalidResponse where that can't be told apart from single instances that have moved."""
        place = self._reader.place(ref.calendar)
        if not (item.get("recurrence") and patch.get("recurrence") and "start" in patch):
            return None
        start = moment(patch["start"], place.zone)
        if start == moment(item["start"], place.zone):
            return None
        move = Move(item, start, place, await self._reader.exceptions(item, place))
        if move.confuses:
            raise InvalidResponse(CONFUSED)
        return move

    async def _carry(self, ref: EventRef, series: Item, carried: Sequence[Carried], key: str) -> tuple[Item, str]:
        """Writes what single instances of a series that has moved said by themselves to those that take their place. The series
        without it, and what is to be said of it."""
        lost = [one for one in carried if not await self._carried(ref, one, key)]
        after = await self._patch(ref, series, {}, key, dict.fromkeys(held_in(series))) if carried else series
        named = "; ".join(f'"{one.title}", {one.new:%-d %B}' for one in lost)
        return after, f"What was changed in single instances could not be kept for {named}." if named else ""

    async def _carried(self, ref: EventRef, one: Carried, key: str) -> bool:
        """Whether it says so now. Raises where that is not known: then it is asked for again."""
        old = ref.model_copy(update={"etag": "", "recurrence": one.old})
        if await self._reader.standing(old):  # Google has kept it
            return True
        new = old.model_copy(update={"recurrence": one.new})
        try:
            item, _ = await self._reader.found(new)
            await self._patch(new, item, one.own, key, dict.fromkeys(held_in(item)))
        except (NotFound, Conflict, ReadOnly, InvalidResponse):
            return False
        return True

    def _receipt_of_new(self, action: CreateEvent, calendar: str, item: Item, key: str) -> Receipt:
        ref = EventRef(account=self._account, calendar=calendar, id=item["id"], etag=item.get("etag", ""))
        invited = {"attendees": [{"email": address.email} for address in action.attendees]}
        made = self._receipt(action, key, item, CancelEvent(account=self._account, event=ref))
        return made.model_copy(update={"differs": changes.differs(item, invited, self._owner)})

    def _receipt(self, action: CalendarAction, key: str, item: Item | None = None, *undo: Undo, note: str = "") -> Receipt:
        """`item` is the event or instance as it stands now."""
        id = (item.get("recurringEventId") or item["id"]) if item else ""
        etag = item.get("etag", "") if item else ""
        return Receipt(action=action.kind, account=self._account, key=key, id=id, etag=etag, note=note, undo=undo)


def _telling(others: bool) -> Literal["all", "none"]:
    """Google mails nobody unless told to, and people at other providers have nothing but that mail: so whoever takes part hears of
    every change. "none" where nobody does: an event of one's own needs no mail."""
    return "all" if others else "none"


def _unchanged(item: Item) -> dict[str, str]:
    return {"If-Match": item["etag"]}


def _refuse_stale(ref: EventRef, item: Item) -> None:
    if ref.etag and ref.etag != item["etag"]:
        raise Conflict(CHANGED)


def _now(ref: EventRef, item: Item | None = None) -> EventRef:
    return ref.model_copy(update={"etag": item["etag"] if item else ""})


def _note_of_removed(item: Item, place: Place, comment: str) -> str:
    if not is_guests(item, place):
        return WORDLESS if comment else ""
    organizer = item["organizer"]
    return gone_for_guest(organizer.get("displayName") or organizer.get("email") or "somebody else", comment)
