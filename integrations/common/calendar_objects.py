"""What every store of calendar objects does with one: finds an event in it, changes it, tells whether that was done before."""

from datetime import datetime, timedelta

from integrations.actions import AnswerInvitation, CancelEvent, UpdateEvent
from integrations.common.calendar_checks import check_changed
from integrations.common.contentline import Malformed, decode
from integrations.common.ical import CalendarObject, read_objects
from integrations.common.ical_edit import CalendarFile, answer_event, cancel_instance, update_event
from integrations.common.ical_events import Place, Timeline, haystack, later
from integrations.common.people import is_person
from integrations.errors import IntegrationError, InvalidResponse, NotFound
from integrations.types import Event, EventRef

CHANGED = "This event was changed since it was read."
GONE = "This event does not exist any more."
GONE_INSTANCE = "This instance of the series does not exist any more."
INVITATIONS_AHEAD = timedelta(days=400)
Change = UpdateEvent | CancelEvent | AnswerInvitation


def opened(content: bytes, uid: str | None = None) -> tuple[CalendarFile, CalendarObject]:
    """The file and the one object in it, or that of `uid`; NotFound where there is none, or more than one."""
    file = CalendarFile(decode(content))
    wanted = [source.uid for source in read_objects(content) if uid is None or source.uid == uid]
    source = file.object(wanted[0]) if len(wanted) == 1 else None
    if source is None:
        raise NotFound(GONE)
    return file, source


def only(found: tuple[CalendarObject, ...], uid: str | None = None) -> CalendarObject:
    matching = [source for source in found if uid is None or source.uid == uid]
    if len(matching) != 1:
        raise InvalidResponse("A calendar with exactly one event was expected.")
    return matching[0]


def timeline_of(source: CalendarObject, place: Place) -> Timeline:
    """InvalidResponse where it can't be read."""
    timeline = Timeline(source, place)
    try:
        timeline.first  # noqa: B018
    except Malformed as reason:
        raise InvalidResponse(f"This event can't be read: {reason}.") from reason
    return timeline


def event_in(timeline: Timeline, ref: EventRef) -> Event | None:
    """The event, or the instance that `ref` names."""
    return timeline.first if ref.recurrence is None else timeline.instance(ref.recurrence)


def etags_of(source: CalendarObject, event: Event) -> tuple[str, ...]:
    """What it may have been read at: alone, as one of its series, or the series by way of an ordinary instance."""
    master = source.master
    return (event.etag, source.etag, *([source.instance_etag(master)] if master and event.recurrence is None else []))


def apply(file: CalendarFile, timeline: Timeline, action: Change, *, now: datetime) -> None:
    """Carries the action out in the file; InvalidResponse where its text would then say anything else than what was approved."""
    owner, before = timeline.place.owner, [block.copy() for block in timeline.source.blocks]
    if isinstance(action, UpdateEvent):
        update_event(file, timeline, action, owner=owner, now=now)
    elif isinstance(action, AnswerInvitation):
        answer_event(file, timeline, action, owner=owner, now=now)
    elif action.event.recurrence is not None:
        cancel_instance(file, timeline, action.event.recurrence, now=now)
    else:
        file.remove(timeline.source.blocks)
    check_changed(before, file.object(timeline.source.uid), action, owner)


def took_effect(action: Change, content: bytes, place: Place, uid: str | None = None, *, now: datetime) -> bool:
    """Whether what is there now is what the action would have made of it."""
    _, source = opened(content, uid)
    event = event_in(timeline_of(source, place), action.event)
    if event is None or isinstance(action, CancelEvent):
        return event is None and isinstance(action, CancelEvent)
    if action.event.etag in etags_of(source, event):
        return False
    return _would_change_nothing(action, content, place, uid, event, now)


def _would_change_nothing(action: Change, content: bytes, place: Place, uid: str | None, event: Event, now: datetime) -> bool:
    file, source = opened(content, uid)
    try:
        apply(file, timeline_of(source, place), action, now=now)
    except IntegrationError:
        return False
    after = file.object(source.uid)
    again = event_in(timeline_of(after, place), action.event) if after else None
    return again is not None and again.model_copy(update={"etag": event.etag}) == event


def unanswered(timeline: Timeline, now: datetime) -> list[Event]:
    """What of it awaits the owner's answer: a series once, at its next instance, and single instances asked for by themselves."""
    try:
        upcoming = timeline.between(now, later(now, INVITATIONS_AHEAD)) if timeline.recurs else [timeline.first]
        asked = [event for event in upcoming if event.my_answer == "needs-action" and event.status != "cancelled"]
        waiting = [event for event in asked if event.end > now]
        if waiting and timeline.recurs and timeline.source.master is not None and timeline.first.my_answer == "needs-action":
            following = min(waiting, key=lambda event: event.start)
            return [following.model_copy(update={"recurrence": None})]
        return waiting
    except Malformed:
        return []


def matches(event: Event, words: list[str], people: tuple[str, ...]) -> bool:
    """`words` as `integrations.common.people.plain` has them. What is cancelled matches nothing."""
    if event.status == "cancelled":
        return False
    if words:
        text = haystack(event)
        if not all(word in text for word in words):
            return False
    if not people:
        return True
    known = [attendee.address for attendee in event.attendees] + ([event.organizer] if event.organizer else [])
    return any(is_person(person, [address.name], [address.email]) for person in people for address in known)
