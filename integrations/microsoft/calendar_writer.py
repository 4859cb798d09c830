"""Writing events at Outlook. Each is sent once; under which key it was made, and last changed, stands in the event itself.

Whom Outlook tells it decides by itself: everybody who is invited hears of what concerns them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
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
from integrations.common.remote import after_the_write
from integrations.errors import Conflict, IntegrationError, InvalidResponse, NotFound, ReadOnly, Unknowable
from integrations.microsoft import event_changes as changes
from integrations.microsoft.calendar import IN_UTC, MicrosoftCalendarReader
from integrations.microsoft.errors import reads_answers
from integrations.microsoft.event_parts import Patch, bringing_back, taking_back
from integrations.microsoft.events import Item, Place, has_others, is_mine, is_series, is_standing, my_answer, times
from integrations.microsoft.requests import sending
from integrations.microsoft.series import NOTHING, TIMES, Carried, Move, carried_in, held, removed_days
from integrations.types import Event, EventRef

if TYPE_CHECKING:
    from integrations.microsoft.graph import Graph

CHANGED = "This event was changed since it was read."
NOT_SHOWN = "Outlook no longer shows this calendar, so what has become of the event can't be told."
ANSWERS = {"accepted": "accept", "declined": "decline", "tentative": "tentatively_accept"}
Undo = CancelEvent | RestoreEvent | AnswerInvitation


@reads_answers
class MicrosoftCalendarWriter:
    def __init__(self, graph: "Graph", *, account: str, owner: str, zone: ZoneInfo) -> None:
        self._graph, self._account, self._owner, self._zone = graph, account, owner, zone
        self._reader = MicrosoftCalendarReader(graph, account=account, owner=owner, zone=zone)

    async def execute(self, action: CalendarAction, key: str) -> Receipt:
        try:
            if isinstance(action, CreateEvent):
                return await self._create(action, key)
            if isinstance(action, RestoreEvent):
                return await self._restore(action, key)
            if isinstance(action, CancelEvent):
                return await self._cancel(action, key)
            if isinstance(action, AnswerInvitation):
                return await self._answer(action, key)
            return await self._update(action, key)
        except IntegrationError as error:
            error.account = error.account or self._account
            raise

    async def find(self, action: CalendarAction, key: str) -> Receipt | None:
        if isinstance(action, CreateEvent):
            return await self._made(action, action.calendar, key)
        ref = action.event
        if isinstance(action, RestoreEvent) and "event" in changes.held_in(action.ics):
            return await self._made(action, ref.calendar, key)
        item, series = await self._looked_for(ref)
        if isinstance(action, CancelEvent):
            return None if item and is_standing(item) else self._receipt(action, key)
        if isinstance(action, AnswerInvitation):
            return await self._answered(action, key, item, series)
        return await self._done(action, key, item, series) if item and changes.written_under(item, key) else None

    # New events

    async def _create(self, action: CreateEvent, key: str) -> Receipt:
        body = changes.new_event(action, key, self._zone)
        return await self._post(action, action.calendar, body, key)

    async def _post(self, action: CreateEvent | RestoreEvent, calendar: str, body: Mapping[str, Any], key: str) -> Receipt:
        calendar = calendar or await self._reader.primary()
        try:
            item = await self._graph.write(
                lambda client: sending(client.me.calendars.by_calendar_id(calendar).events, "POST", body), headers=IN_UTC
            )
        except Conflict:  # created before under this key: whoever asks again gets the same answer
            with after_the_write(self._account):
                made = await self._made(action, calendar, key)
            if made is None:
                raise
            return made
        return await self._receipt_of_new(action, calendar, item, key, _to_carry(action))

    async def _made(self, action: CreateEvent | RestoreEvent, calendar: str, key: str) -> Receipt | None:
        """Where it was made under this key before. What was still to be written then is written now."""
        calendar = calendar or await self._reader.primary()
        try:
            item = await self._reader.made_under(calendar, key)
        except NotFound as error:
            raise Unknowable(NOT_SHOWN, self._account) from error
        left = carried_in(changes.property_of(item, changes.HELD)) if item else []
        return await self._receipt_of_new(action, calendar, item, key, left) if item else None

    async def _receipt_of_new(
        self, action: CreateEvent | RestoreEvent, calendar: str, item: Item, key: str, left: Sequence[Carried]
    ) -> Receipt:
        made = EventRef(account=self._account, calendar=calendar, id=item["id"])
        with after_the_write(self._account):
            item, note = await self._carry(made, item, left)
            event = await self._reader.read(item, None, calendar)
        return self._receipt(action, key, event, CancelEvent(account=self._account, event=event.ref), note=note)

    # Changes

    async def _update(self, action: UpdateEvent, key: str) -> Receipt:
        item, series = await self._reader.found(action.event)
        if changes.written_under(item, key):
            return await self._done(action, key, item, series)
        await self._refuse_stale(action.event, item, series)
        if not is_mine(item):
            raise ReadOnly(f"{_organizer(item)} organises this event, and nobody else can change it.")
        patch = changes.patch(action, item, await self._reader.place(action.event.calendar))
        return await self._patched(action, key, item, series, patch)

    async def _restore(self, action: RestoreEvent, key: str) -> Receipt:
        restored = changes.held_in(action.ics)
        item, series = await self._looked_for(action.event)
        if "event" in restored:
            if item and is_standing(item):
                raise Conflict(CHANGED)
            made = await self._made(action, action.event.calendar, key)
            kept = held(_to_carry(action)) if _to_carry(action) else ""
            return made or await self._post(action, action.event.calendar, changes.anew(restored["event"], key, kept), key)
        if item is None or not is_standing(item):
            raise NotFound("This event does not exist any more.")
        if changes.written_under(item, key):
            return await self._done(action, key, item, series)
        await self._refuse_stale(action.event, item, series)
        return await self._patched(action, key, item, series, restored["patch"])

    async def _patched(
        self, action: UpdateEvent | RestoreEvent, key: str, item: Item, series: Item | None, patch: Patch
    ) -> Receipt:
        ref = action.event
        place = await self._reader.place(ref.calendar)
        left = await self._to_carry(ref, item, patch)
        after = await self._patch(item, changes.marked(patch, key, item, held(left) if left else ""))
        with after_the_write(self._account):
            after, note = await self._carry(ref, after, left)
            event = await self._reader.read(after, series, ref.calendar)
        back = changes.carried({"patch": taking_back(patch, item, place)}, item, after)
        undo = RestoreEvent(account=self._account, event=_now(ref, event), ics=back)
        differs = changes.differs(after, {**item, **patch}, self._owner)
        return self._receipt(action, key, event, undo, note=note).model_copy(update={"differs": differs})

    async def _patch(self, item: Item, body: Mapping[str, Any]) -> Item:
        """As it is then. The answer leaves out what never changes."""
        answer = await self._graph.write(
            lambda client: sending(client.me.events.by_event_id(item["id"]), "PATCH", body), headers=IN_UTC | _unchanged(item)
        )
        return {**item, **answer}

    async def _done(self, action: UpdateEvent | RestoreEvent, key: str, item: Item, series: Item | None) -> Receipt:
        """For what was written before; what was still to be written then is written now."""
        left = carried_in(changes.property_of(item, changes.HELD)) if is_series(item) else []
        with after_the_write(self._account):
            after, note = await self._carry(action.event, item, left)
            event = await self._reader.read(after, series, action.event.calendar)
        return self._receipt(action, key, event, note=note)

    # What was changed in single instances of a series that gets other times

    async def _to_carry(self, ref: EventRef, item: Item, patch: Patch) -> list[Carried]:
        if not (is_series(item) and TIMES & patch.keys()):
            return []
        place = await self._reader.place(ref.calendar)
        return await self._carried_of(item, times({**item, **patch}, place.zone)[0], ref)

    async def _carried_of(self, series: Item, start: Any, ref: EventRef) -> list[Carried]:
        place, own = await self._reader.place(ref.calendar), await self._reader.exceptions(series["id"])
        return Move(series, start, place, own.get("exceptionOccurrences") or (), removed_days(own)).carried

    async def _carry(self, ref: EventRef, series: Item, left: Sequence[Carried]) -> tuple[Item, str]:
        """Writes it to the instances that take their place. The series without it, and what is to be said of it."""
        if not left:
            return series, ""
        lost = [one for one in left if not await self._carried(ref, one)]
        fresh = await self._reader.standing(ref.model_copy(update={"recurrence": None}))
        after = await self._patch(fresh or series, _holding_nothing())
        named = "; ".join(f'"{one.title}", {one.new:%-d %B}' if one.title else f"{one.new:%-d %B}" for one in lost)
        return after, f"What was changed in single instances could not be kept for {named}." if named else ""

    async def _carried(self, ref: EventRef, one: Carried) -> bool:
        """Whether it says so now. Raises where that is not known: then it is asked for again."""
        item = await self._reader.standing(ref.model_copy(update={"etag": "", "recurrence": one.new}))
        if item is None:
            return one.own is None
        try:
            if one.own is None:
                await self._delete(item)
            else:
                await self._patch(item, one.own)
        except (NotFound, Conflict, ReadOnly, InvalidResponse):
            return False
        return True

    # Removing and answering

    async def _cancel(self, action: CancelEvent, key: str) -> Receipt:
        ref = action.event
        item, series = await self._reader.found(ref)
        await self._refuse_stale(ref, item, series)
        place = await self._reader.place(ref.calendar)
        if not is_mine(item):
            _refuse_in_anothers_name(place)
            await self._delete(item)  # Outlook tells the organizer nothing of that, and has no place for words
            return self._receipt(action, key, note=gone_for_guest(_organizer(item), action.comment))
        left = await self._carried_of(item, times(item, place.zone)[0], ref) if is_series(item) else []
        if has_others(item, place):
            body = {"Comment": action.comment}
            await self._graph.write(lambda client: sending(client.me.events.by_event_id(item["id"]).cancel, "POST", body))
        else:
            await self._delete(item)
        whole = {"event": bringing_back(item, place), "carried": [one.model_dump(mode="json") for one in left]}
        undo = RestoreEvent(account=self._account, event=_now(ref), ics=changes.carried(whole, item))
        return self._receipt(action, key, None, undo)

    async def _delete(self, item: Item) -> None:
        await self._graph.write(
            lambda client: client.me.events.by_event_id(item["id"]).to_delete_request_information(), headers=_unchanged(item)
        )

    async def _answer(self, action: AnswerInvitation, key: str) -> Receipt:
        """Outlook does not go by etags here, and by default removes what is declined."""
        ref = action.event
        item, series = await self._reader.found(ref)
        await self._refuse_stale(ref, item, series)
        place = await self._reader.place(ref.calendar)
        _refuse_in_anothers_name(place)
        before = my_answer(item, place)
        if is_mine(item) or not before:
            raise NotFound("You are not among the people invited to this event.", self._account)
        await self._respond(item, action.answer, action.comment)
        with after_the_write(self._account):
            after = await self._reader.standing(ref)
            event = await self._reader.read(after, series, ref.calendar) if after else None
        if event is None:
            return self._receipt(action, key)
        if before == "needs-action" or before == action.answer:
            return self._receipt(action, key, event)
        back = AnswerInvitation(account=self._account, event=_now(ref, event), answer=before)
        return self._receipt(action, key, event, back)

    async def _respond(self, item: Item, answer: str, comment: str) -> None:
        # Outlook refuses to send what the organizer has not asked for.
        body = {"Comment": comment, "SendResponse": item.get("responseRequested") is not False}
        await self._graph.write(
            lambda client: sending(getattr(client.me.events.by_event_id(item["id"]), ANSWERS[answer]), "POST", body)
        )

    async def _answered(self, action: AnswerInvitation, key: str, item: Item | None, series: Item | None) -> Receipt | None:
        """Any answer that stands is taken for ours: it says the same."""
        if item is None:
            return self._receipt(action, key) if action.answer == "declined" else None
        event = await self._reader.read(item, series, action.event.calendar)
        return self._receipt(action, key, event) if event.my_answer == action.answer and is_standing(item) else None

    # Around them

    async def _looked_for(self, ref: EventRef) -> tuple[Item | None, Item | None]:
        """The event and its series; none where there is no such event. Unknowable where it may be one of a calendar that can't be
        seen any more."""
        item, series = await self._reader.sought(ref)
        if item is None and not await self._reader.shows(ref.calendar):
            raise Unknowable(NOT_SHOWN, self._account)
        return item, series

    async def _refuse_stale(self, ref: EventRef, item: Item, series: Item | None) -> None:
        if ref.etag and ref.etag != (await self._reader.read(item, series, ref.calendar)).etag:
            raise Conflict(CHANGED)

    def _receipt(self, action: CalendarAction, key: str, event: Event | None = None, *undo: Undo, note: str = "") -> Receipt:
        """`event` is the event or instance as it stands now."""
        id, etag = (event.id, event.etag) if event else ("", "")
        return Receipt(action=action.kind, account=self._account, key=key, id=id, etag=etag, note=note, undo=undo)


def _to_carry(action: CreateEvent | RestoreEvent) -> list[Carried]:
    given = changes.held_in(action.ics).get("carried") if isinstance(action, RestoreEvent) else None
    return [Carried.model_validate(one) for one in given or ()]


def _holding_nothing() -> dict[str, Any]:
    return {"singleValueExtendedProperties": [{"id": changes.HELD, "value": NOTHING}]}


def _unchanged(item: Item) -> dict[str, str]:
    return {"If-Match": item["@odata.etag"]}


def _now(ref: EventRef, event: Event | None = None) -> EventRef:
    return ref.model_copy(update={"etag": event.etag if event else ""})


def _refuse_in_anothers_name(place: Place) -> None:
    """What is answered in a calendar that somebody shares is their answer."""
    if place.holder:
        raise ReadOnly(f"This stands in the calendar of {place.holder}, whose answer it would be; answer it in your own.")


def _organizer(item: Item) -> str:
    address = (item.get("organizer") or {}).get("emailAddress") or {}
    return str(address.get("name") or address.get("address") or "somebody else")
