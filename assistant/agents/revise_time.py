"""Another time or length for a proposed event."""

from datetime import timedelta

from assistant.agents.availability import first_free
from assistant.agents.base import Desk
from assistant.agents.booking import FIRST_FREE, NO_LENGTH, consequences, says_create, says_move
from assistant.agents.proposed import is_event, proposed, target
from assistant.agents.report import Notes, Refusal, not_found
from assistant.agents.taken import BUSY_THEN
from assistant.agents.timing import Timing, time_of_moved
from assistant.agents.words import lasting, later, length_of, others, span
from assistant.reasoning.calls import Call
from assistant.values import Data, Proposal, Slot
from integrations.actions import CreateEvent, UpdateEvent
from integrations.types import Attendee, Event

OF_TIME = (FIRST_FREE, "collides with ", "there is already a ", "that time is in the past")
"""How the guesses and cautions begin that a new time does away with."""
OF_OTHERS = (f" {BUSY_THEN} (", " then has ")
"""What stands behind a name in them."""


async def revise_time(call: Call, desk: Desk, notes: Notes) -> Data:
    if call.time is None and call.shift is None:
        raise Refusal("not_understood", "Tell me the new time.")
    return await _retimed(call, desk, notes, "time")


async def revise_duration(call: Call, desk: Desk, notes: Notes) -> Data:
    if call.duration is None and call.shift is None and not call.factor and not (call.time and call.time.duration):
        raise Refusal("not_understood", "Tell me how long it should be.")
    return await _retimed(call, desk, notes, "length")


async def _retimed(call: Call, desk: Desk, notes: Notes, what: str) -> Data:
    places = target(call, desk, _has_time, what)
    changed: list[Proposal] = list(proposed(desk))
    slots: tuple[Slot, ...] = ()
    for n in places:
        changed[n], slots = await _with_time(changed[n], call, what, desk, notes)
    return Data(kind="proposals", proposals=tuple(changed), slots=slots)


def _has_time(proposal: Proposal) -> bool:
    return is_event(proposal) and (isinstance(proposal.action, CreateEvent) or isinstance(proposal.before, Event))


async def _with_time(proposal: Proposal, call: Call, what: str, desk: Desk, notes: Notes) -> tuple[Proposal, tuple[Slot, ...]]:
    event = _as_event(proposal, desk)
    timing = _lengthened(event, call) if what == "length" else time_of_moved(event, call, desk)
    slots: tuple[Slot, ...] = ()
    fresh = Notes()
    people = others(event, desk.me)
    if not timing.exact:
        length = call.duration or length_of(event)
        slots = await first_free(timing, length, people, desk, notes)
        if not slots:
            raise not_found(f"I found no free {lasting(length)} in that time.", reason="no free slot")
        timing = Timing(start=slots[0].start, end=slots[0].end)
        fresh.guess(f"{FIRST_FREE}: {span(timing.start, timing.end, desk.setting.now)}")
    elif call.duration and what == "time":
        timing = timing.model_copy(update={"end": later(timing.start, call.duration)})
    moved = proposal.before if isinstance(proposal.before, Event) else None
    await consequences(timing, people, desk, fresh, title=event.title, moved=moved)
    notes.limitations += fresh.limitations
    settled = what == "length" or bool(call.duration)

    def kept(lines: tuple[str, ...]) -> tuple[str, ...]:
        timely = (line for line in lines if line.startswith(OF_TIME) or any(words in line for words in OF_OTHERS))
        gone = {*timely, *(line for line in lines if settled and line.endswith(NO_LENGTH))}
        return tuple(line for line in lines if line not in gone)

    said = {"guesses": (*kept(proposal.guesses), *fresh.guesses), "notes": (*kept(proposal.notes), *fresh.cautions)}
    return _timed(proposal, event, timing, desk).model_copy(update=said), slots[1:]


def _lengthened(event: Event, call: Call) -> Timing:
    length = call.duration or (call.time.duration if call.time else None)
    if length is None and call.factor:
        length = length_of(event) * call.factor
    if length is None:
        length = length_of(event) + (call.shift or timedelta())
    if length <= timedelta():
        raise Refusal("not_understood", "That would leave no time at all.")
    end = event.start + length if event.all_day else later(event.start, length)
    return Timing(start=event.start, end=end, all_day=event.all_day)


def _as_event(proposal: Proposal, desk: Desk) -> Event:
    """The event as it would be after the proposal."""
    action = proposal.action
    if isinstance(action, UpdateEvent) and isinstance(proposal.before, Event):
        start, end = action.start or proposal.before.start, action.end or proposal.before.end
        title = action.title or proposal.before.title
        all_day = proposal.before.all_day if action.all_day is None else action.all_day
        return proposal.before.model_copy(update={"start": start, "end": end, "title": title, "all_day": all_day})
    assert isinstance(action, CreateEvent)
    zone = desk.setting.zone
    return Event(
        account=action.account,
        calendar=action.calendar,
        id="",
        etag="",
        uid="",
        title=action.title,
        start=action.start.astimezone(zone),
        end=action.end.astimezone(zone),
        all_day=action.all_day,
        attendees=tuple(Attendee(address=address) for address in action.attendees),
    )


def _timed(proposal: Proposal, event: Event, timing: Timing, desk: Desk) -> Proposal:
    action = proposal.action
    if isinstance(action, CreateEvent):
        new = action.model_copy(update={"start": timing.start, "end": timing.end, "all_day": timing.all_day})
        return proposal.model_copy(update={"action": new, "says": says_create(new, desk)})
    assert isinstance(action, UpdateEvent) and isinstance(proposal.before, Event)
    all_day = timing.all_day if timing.all_day != proposal.before.all_day else None
    moved = action.model_copy(update={"start": timing.start, "end": timing.end, "all_day": all_day})
    return proposal.model_copy(update={"action": moved, "says": says_move(proposal.before, timing, desk)})
