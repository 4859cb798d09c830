"""New and moved events as proposals, with what they collide with and whom they concern."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from assistant.agents.availability import events_between, first_free, free_slots, last_free, own, taken_in, taken_words
from assistant.agents.base import Desk
from assistant.agents.events import events_to_change
from assistant.agents.free import collisions
from assistant.agents.neighbours import refuse_if_taken, settled
from assistant.agents.owners import Place, calendars_of, owners_among
from assistant.agents.people import addresses_of
from assistant.agents.report import Notes, Refusal, not_found
from assistant.agents.taken import says_whose
from assistant.agents.timing import USUAL, Timing, at_its_hour, half_timed, skipped, time_of_moved, time_of_new
from assistant.agents.words import (
    event_label,
    first_name,
    fold,
    lasting,
    later,
    length_of,
    listing,
    names,
    others,
    period,
    shown,
    span,
    when_of,
)
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.dates.wording import say_rule
from assistant.values import Data, Proposal, Slot
from integrations.actions import CreateEvent, UpdateEvent
from integrations.types import Address, Calendar, Event

FIRST_FREE, LAST_FREE = "the first free time", "the last free time"
LONG, WHOLE_DAY = timedelta(hours=14), timedelta(hours=24)
"""What lasts so long over a night was hardly meant: "from 15:00 to 14:00"."""
NO_LENGTH = ", as no duration was said"


async def create(call: Call, desk: Desk, notes: Notes) -> Data:
    call = await settled(call, call.duration or USUAL, desk, notes)
    people = tuple(p for p in await addresses_of(call.to, desk, notes) if p.email not in desk.me)
    timing, alternatives = await _placed(call, people, desk, notes)
    title = call.title or call.subject or _title(call, people, notes)
    whose = await addresses_of(call.calendars, desk, notes, with_me=True)
    account, calendar = await _calendar(desk, whose[0] if whose else None)
    action = CreateEvent(
        account=account,
        calendar=calendar,
        title=title,
        start=timing.start,
        end=timing.end,
        all_day=timing.all_day,
        attendees=people,
        location=call.location,
        description=call.body,
        rrule=call.time.rrule if call.time else "",
    )
    await refuse_if_taken(call, title, timing, desk, notes)
    await consequences(timing, people, desk, notes, title=title)
    proposals = [Proposal(action=action, says=says_create(action, desk, whose[:1]))]
    for other in whose[1:]:
        account, calendar = await _calendar(desk, other)
        again = action.model_copy(update={"account": account, "calendar": calendar})
        proposals.append(Proposal(action=again, says=says_create(again, desk, (other,))))
    return Data(kind="proposals", proposals=tuple(proposals), slots=alternatives)


def says_create(action: CreateEvent, desk: Desk, whose: Sequence[Address] = ()) -> str:
    place = "".join(f" in {shown(owner)}'s calendar" for owner in whose if owner.email not in desk.me)
    who = f" with {names(action.attendees)}" if action.attendees else ""
    again = f", repeating {say_rule(action.rrule)}" if action.rrule else ""
    where = f" in {action.location}" if action.location else ""
    when = span(action.start, action.end, desk.setting.now, all_day=action.all_day)
    return f'create "{action.title}", {when}{again}{where}{who}{place}'


async def _placed(call: Call, people: Sequence[Address], desk: Desk, notes: Notes) -> tuple[Timing, tuple[Slot, ...]]:
    """Where the event goes, and where else it could."""
    timing = time_of_new(call, desk)
    if timing.exact and call.time and (text := half_timed(call.time, desk)):
        raise Refusal("not_understood", f"I can't tell from “{text}” at what time it begins. Tell me both times, or one day.")
    _say_skipped(call, desk, notes)
    said = call.duration or (call.time.duration if call.time else None)
    if not said and not timing.all_day and not (timing.exact and call.time and call.time.kind == "range"):
        notes.caution(f"{lasting(USUAL)}{NO_LENGTH}")
    if timing.exact:
        return timing, ()
    length = said or USUAL
    look = last_free if call.slot == "last" else first_free
    found = await look(timing, length, people, desk, notes)
    if not found:
        raise Refusal("not_found", f"I found no free {lasting(length)} for everybody in that time.", reason="no free slot")
    first = found[0]
    told = says_whose(people, await taken_in(timing, people, desk, notes))
    by = f" (by {told} too)" if told else ""
    notes.guess(f"{LAST_FREE if call.slot == 'last' else FIRST_FREE}: {span(first.start, first.end, desk.setting.now)}{by}")
    if call.time and call.time.windows:
        notes.guess(f"one event, out of {period(call.time, desk.setting.now)}")
    return Timing(start=first.start, end=first.end), found[1:]


def _say_skipped(call: Call, desk: Desk, notes: Notes) -> None:
    if words := skipped(call.time, desk.setting.zone):
        notes.caution(words)


def meeting_with(people: Sequence[Address]) -> str:
    return f"Meeting with {listing([first_name(p) or p.email for p in people])}"


def _title(call: Call, people: Sequence[Address], notes: Notes) -> str:
    if call.about:
        return call.about[:1].upper() + call.about[1:]
    if people:
        return meeting_with(people)
    notes.caution('the title "Meeting"')
    return "Meeting"


async def _calendar(desk: Desk, whose: Address | None = None) -> tuple[str, str]:
    """Where a new event goes: into the calendar of `whose`, else the user's own. The account, and its calendar where the choice
    is not the account's own. Without any listed, the account decides."""
    calendars = await desk.readers.calendar.calendars()
    if not calendars:
        accounts = (*desk.addresses, *desk.readers.accounts)
        if not accounts:
            raise Refusal("refused", "There is no account with a calendar; add one first.")
        return accounts[0], ""
    owners = await owners_among(calendars, desk)
    if whose is not None and whose.email not in desk.me:
        return _theirs(whose, calendars, owners)
    writable = [one for one in calendars if not one.read_only and (one.account, one.id) not in owners]
    if not writable:
        raise Refusal("read_only", "None of your calendars can be written to.")
    return writable[0].account, writable[0].id if owners else ""


def _theirs(whose: Address, calendars: Sequence[Calendar], owners: Mapping[Place, Address]) -> tuple[str, str]:
    place = calendars_of([whose.email], owners).get(whose.email)
    if place is None or all(one.read_only for one in calendars if (one.account, one.id) == place):
        raise Refusal(
            "refused", f"There is no calendar of {shown(whose)} that I can write to; I can invite {shown(whose)} instead."
        )
    return place


async def consequences(
    timing: Timing, people: Sequence[Address], desk: Desk, notes: Notes, *, title: str = "", moved: Event | None = None
) -> None:
    """Says what the time collides with, for the user and for those invited, and whether it is over already."""
    now = desk.setting.now
    if timing.end <= now:
        notes.guess("that time is in the past")
    over_night = timing.start.date() != timing.end.date() and LONG < timing.end - timing.start < WHOLE_DAY
    if over_night and not timing.all_day and moved is None:
        notes.guess(f"it ends before it begins, so it goes on until the next day, {timing.end:%A %H:%M}")
    events = [e for e in await events_between(timing, desk, notes) if not (moved and _same(e, moved))]
    mine = own(events, desk)
    for event in collisions(mine, timing.start, timing.end):
        if fold(event.title) == fold(title) and event.start == timing.start:
            notes.caution(f'there is already a "{event.title}" at that time')
        elif not (event.all_day or timing.all_day):
            notes.caution(f"collides with {event.title or 'another event'}, {when_of(event, now)}")
    emails = {p.email: p for p in people}
    for event in collisions([e for e in events if e not in mine], timing.start, timing.end):
        busy = [shown(emails[a.email]) for a in others(event, desk.me) if a.email in emails]
        if busy:
            notes.caution(f"{listing(busy)} then has {event.title or 'another event'}, {when_of(event, now)}")
    for words in await taken_words(timing, people, events, desk, notes, moved):
        notes.caution(words)


def _same(event: Event, other: Event) -> bool:
    """The same event, or another instance of the series that moves as a whole."""
    if (event.account, event.calendar, event.id) != (other.account, other.calendar, other.id):
        return False
    return other.recurrence is None or event.recurrence == other.recurrence


async def move(call: Call, desk: Desk, notes: Notes) -> Data:
    near = call.time.start.date() if call.time and call.time.has_date and call.time.start else None
    events = await events_to_change(call.select, desk, notes, near=near)
    if len(events) == 1:
        proposal, slots = await _moved(events[0], call, desk, notes)
        return Data(kind="proposals", proposals=(proposal,), slots=slots)
    placed: list[tuple[Event, Timing]] = []
    proposals = []
    for event in events:
        proposal, _ = await _moved(event, call, desk, notes, beside=placed)
        assert isinstance(proposal.action, UpdateEvent) and proposal.action.start and proposal.action.end
        timing = Timing(
            start=proposal.action.start, end=proposal.action.end, all_day=bool(proposal.action.all_day or event.all_day)
        )
        _refuse_together(event, timing, placed)
        placed.append((event, timing))
        proposals.append(proposal)
    return Data(kind="proposals", proposals=tuple(proposals))


def _refuse_together(event: Event, timing: Timing, placed: Sequence[tuple[Event, Timing]]) -> None:
    """Nobody who names one time for several events wants those at once that were apart before."""
    for other, there in placed:
        apart = event.end <= other.start or other.end <= event.start
        if apart and timing.start < there.end and there.start < timing.end and not (event.all_day or other.all_day):
            both = f'"{other.title}" and "{event.title}"' if other.title != event.title else f'several of "{event.title}"'
            raise Refusal("not_understood", f"That would put {both} at the same time. Tell me when each of them should be.")


async def _moved(
    event: Event, call: Call, desk: Desk, notes: Notes, *, beside: Sequence[tuple[Event, Timing]] | None = None
) -> tuple[Proposal, tuple[Slot, ...]]:
    """`beside`: others that move with it, with where they go; None where it moves alone."""
    call = await settled(call, length_of(event), desk, notes, keeping=event.start)
    if not call.time and call.shift is None and not call.slot:
        raise Refusal("not_understood", f'Tell me when "{event.title}" should be instead.')
    timing = time_of_moved(event, call, desk)
    if beside is not None:
        timing = at_its_hour(event, timing, desk) or timing
    _say_skipped(call, desk, notes)
    alternatives: tuple[Slot, ...] = ()
    if not timing.exact:
        timing, alternatives = await _elsewhere(event, timing, call, desk, notes, [there for _, there in beside or ()])
    now = desk.setting.now
    if (timing.start, timing.end, timing.all_day) == (event.start, event.end, event.all_day):
        raise Refusal("refused", f'"{event.title}" is already then: {when_of(event, now)}.')
    await refuse_if_taken(call, event.title, timing, desk, notes, moved=event)
    if not alternatives:
        await consequences(timing, others(event, desk.me), desk, notes, moved=event)
    warn_of_others(event, desk, notes)
    action = UpdateEvent(
        account=event.account,
        event=event.ref,
        start=timing.start,
        end=timing.end,
        all_day=timing.all_day if timing.all_day != event.all_day else None,
    )
    return Proposal(action=action, says=says_move(event, timing, desk), before=event), alternatives


def says_move(event: Event, timing: Timing, desk: Desk) -> str:
    now, people = desk.setting.now, others(event, desk.me)
    who = f" ({names(people)})" if people else ""
    new = span(timing.start, timing.end, now, all_day=timing.all_day)
    return f'move "{event.title}"{who} from {when_of(event, now)} to {new}'


async def _elsewhere(
    event: Event, timing: Timing, call: Call, desk: Desk, notes: Notes, taken: Sequence[Timing] = ()
) -> tuple[Timing, tuple[Slot, ...]]:
    length = length_of(event)
    look = last_free if call.slot == "last" else free_slots if taken else first_free
    found = await look(timing, length, others(event, desk.me), desk, notes)
    found = tuple(
        slot
        for slot in found
        if slot.start != event.start and all(slot.end <= there.start or there.end <= slot.start for there in taken)
    )
    if not found:
        raise not_found(f'I found no free {lasting(length)} for "{event.title}" in that time.', reason="no free slot")
    notes.guess(f"{LAST_FREE if call.slot == 'last' else FIRST_FREE}: {span(found[0].start, found[0].end, desk.setting.now)}")
    return Timing(start=found[0].start, end=found[0].end), found[1:]


def warn_of_others(event: Event, desk: Desk, notes: Notes) -> None:
    if event.organizer and event.organizer.email not in desk.me and event.attendees:
        notes.caution(f"{shown(event.organizer)} organises it; a change in your calendar may not reach the others")


async def swap(call: Call, desk: Desk, notes: Notes) -> Data:
    """Two events trade their starts; each keeps its length."""
    events = await events_to_change(call.select, desk, notes)
    if call.beside is not None:
        events = (*events, *await events_to_change(call.beside, desk, notes))
    if len(events) != 2 or _same(*events):
        found = listing([event_label(event, desk.setting.now, desk.me) for event in events])
        raise Refusal("not_understood", f"I can swap the times of exactly two events, and found {found}.")
    one, other = events
    if one.start == other.start or one.all_day != other.all_day:
        raise Refusal("refused", "These two can't swap their times: they begin together, or only one of them lasts all day.")
    proposals = []
    for event, start in ((one, other.start), (other, one.start)):
        length = length_of(event)
        timing = Timing(start=start, end=start + length if event.all_day else later(start, length), all_day=event.all_day)
        warn_of_others(event, desk, notes)
        action = UpdateEvent(account=event.account, event=event.ref, start=timing.start, end=timing.end)
        proposals.append(Proposal(action=action, says=says_move(event, timing, desk), before=event))
    return Data(kind="proposals", proposals=tuple(proposals))


async def resize(call: Call, desk: Desk, notes: Notes) -> Data:
    events = await events_to_change(call.select, desk, notes)
    if call.duration is not None and len(events) > 1:
        events = tuple(event for event in events if length_of(event) != call.duration) or events[:1]
    return Data(kind="proposals", proposals=tuple([await _resized(event, call, desk, notes) for event in events]))


async def _resized(event: Event, call: Call, desk: Desk, notes: Notes) -> Proposal:
    length = call.duration or (call.time.duration if call.time else None)
    if length is None and call.shift is not None:
        length = length_of(event) + call.shift
    if length is None and call.factor is not None:
        length = length_of(event) * call.factor
    if length is None and call.time is not None and (end := call.time.start or call.time.stop) and call.time.has_time:
        length = datetime.combine(event.end.date(), end.astimezone(event.end.tzinfo).time(), event.end.tzinfo) - event.start
    if length is None or not timedelta() < length <= timedelta(days=31):
        raise Refusal("not_understood", f'Tell me how long "{event.title}" should be.')
    end = event.start + length if event.all_day else later(event.start, length)
    if end == event.end:
        raise Refusal("refused", f'"{event.title}" already lasts {lasting(length)}.')
    if end > event.end:
        await refuse_if_taken(call, event.title, Timing(start=event.end, end=end, all_day=event.all_day), desk, notes, moved=event)
        added = Timing(start=event.end, end=end, all_day=event.all_day)
        await consequences(added, others(event, desk.me), desk, notes, moved=event)
    warn_of_others(event, desk, notes)
    action = UpdateEvent(account=event.account, event=event.ref, start=event.start, end=end)
    says = f'make "{event.title}", {when_of(event, desk.setting.now)}, last {lasting(length)}'
    return Proposal(action=action, says=says, before=event)
