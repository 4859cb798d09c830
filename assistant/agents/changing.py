"""Changes to events that are there: title, place, people, cancelling, answering an invitation."""

from collections.abc import Awaitable, Callable
from typing import Literal

from assistant.agents.base import Desk, Handler
from assistant.agents.booking import warn_of_others
from assistant.agents.events import events_to_change, select_events
from assistant.agents.people import addresses_of
from assistant.agents.report import AlreadySo, Notes, Refusal
from assistant.agents.words import event_label, listing, names, others, shown, tokens, when_of
from assistant.reasoning.calls import Call, Selection
from assistant.values import Data, Proposal
from integrations.actions import AnswerInvitation, CancelEvent, UpdateEvent
from integrations.types import Address, Event

Change = Callable[[Event], Awaitable[Proposal]]


def _label(event: Event, desk: Desk) -> str:
    return f'"{event.title or "(no title)"}", {when_of(event, desk.setting.now)}'


async def rename(call: Call, desk: Desk, notes: Notes) -> Data:
    title = call.title or call.subject
    if not title:
        raise Refusal("not_understood", "Tell me the new title.")
    proposals = []
    for event in await events_to_change(call.select, desk, notes):
        warn_of_others(event, desk, notes)
        action = UpdateEvent(account=event.account, event=event.ref, title=title)
        proposals.append(Proposal(action=action, says=f'rename {_label(event, desk)} to "{title}"', before=event))
    return Data(kind="proposals", proposals=tuple(proposals))


async def relocate(call: Call, desk: Desk, notes: Notes) -> Data:
    if not call.location:
        raise Refusal("not_understood", "Tell me the new place.")
    proposals = []
    for event in await events_to_change(call.select, desk, notes):
        warn_of_others(event, desk, notes)
        action = UpdateEvent(account=event.account, event=event.ref, location=call.location)
        proposals.append(Proposal(action=action, says=f"hold {_label(event, desk)} in {call.location}", before=event))
    return Data(kind="proposals", proposals=tuple(proposals))


async def cancel(call: Call, desk: Desk, notes: Notes) -> Data:
    proposals = []
    for event in await events_to_change(call.select, desk, notes):
        whole = " (the whole series)" if event.series and event.recurrence is None else ""
        label = f"{event_label(event, desk.setting.now, desk.me)}{whole}"
        if event.guest:
            _say_untold(event, call, notes)
            says = f"remove {label} from your calendar"
        else:
            warn_of_others(event, desk, notes)
            says = f"cancel {label}{_telling(call)}"
        action = CancelEvent(account=event.account, event=event.ref, comment=call.body)
        proposals.append(Proposal(action=action, says=says, before=event))
    return Data(kind="proposals", proposals=tuple(proposals))


def _say_untold(event: Event, call: Call, notes: Notes) -> None:
    organiser = shown(event.organizer) if event.organizer else "somebody else"
    notes.caution(f"{organiser} organises it; it goes from your calendar only, and nobody is told")
    if call.body:
        notes.caution("your words go to nobody; decline the invitation to tell them")


async def invite(call: Call, desk: Desk, notes: Notes) -> Data:
    people = tuple(p for p in await addresses_of(call.to, desk, notes) if p.email not in desk.me)
    if not people:
        raise Refusal("not_understood", "Tell me whom to invite.")
    proposals, there_already = [], []
    for event in await events_to_change(call.select, desk, notes):
        there = {attendee.address.email for attendee in event.attendees}
        new = tuple(p for p in people if p.email not in there)
        if not new:
            there_already.append(event)
            continue
        warn_of_others(event, desk, notes)
        action = UpdateEvent(account=event.account, event=event.ref, add_attendees=new)
        proposals.append(Proposal(action=action, says=f"invite {names(new)} to {_label(event, desk)}", before=event))
    said = f"{_names(people)} already invited to {listing([_label(event, desk) for event in there_already])}"
    if not proposals:
        raise AlreadySo(f"{said}.", there_already)
    if there_already:
        notes.caution(said)
    return Data(kind="proposals", proposals=tuple(proposals))


def _names(people: tuple[Address, ...]) -> str:
    return f"{names(people)} {'is' if len(people) == 1 else 'are'}"


async def uninvite(call: Call, desk: Desk, notes: Notes) -> Data:
    proposals = []
    for event in await events_to_change(call.select, desk, notes):
        leaving = await _leaving(call, event, desk, notes)
        warn_of_others(event, desk, notes)
        action = UpdateEvent(account=event.account, event=event.ref, remove_attendees=tuple(p.email for p in leaving))
        says = f"remove {names(leaving)} from {_label(event, desk)}"
        proposals.append(Proposal(action=action, says=says, before=event))
    return Data(kind="proposals", proposals=tuple(proposals))


async def replace(call: Call, desk: Desk, notes: Notes) -> Data:
    """Somebody takes somebody else's place: of the one named, or of the only other one."""
    coming = tuple(p for p in await addresses_of(call.to, desk, notes) if p.email not in desk.me)
    if not coming:
        raise Refusal("not_understood", "Tell me who should take part instead.")
    proposals = []
    for event in await events_to_change(call.select, desk, notes):
        named = call.model_copy(update={"to": call.leaving})
        leaving = await _leaving(named, event, desk, notes) if call.leaving else _only(event, desk)
        there = {attendee.address.email for attendee in event.attendees}
        new = tuple(p for p in coming if p.email not in there)
        warn_of_others(event, desk, notes)
        gone = tuple(p.email for p in leaving)
        action = UpdateEvent(account=event.account, event=event.ref, add_attendees=new, remove_attendees=gone)
        says = f"replace {names(leaving)} by {names(coming)} in {_label(event, desk)}"
        proposals.append(Proposal(action=action, says=says, before=event))
    return Data(kind="proposals", proposals=tuple(proposals))


def _only(event: Event, desk: Desk) -> tuple[Address, ...]:
    there = others(event, desk.me)
    if len(there) != 1:
        invited = names(there) or "nobody"
        raise Refusal("not_understood", f"Tell me whose place is taken in {_label(event, desk)}: {invited} is invited.")
    return there


async def _leaving(call: Call, event: Event, desk: Desk, notes: Notes) -> tuple[Address, ...]:
    """Names are looked for among those invited first: nobody else can be meant."""
    there = {a.address.email: a.address for a in event.attendees}
    leaving: dict[str, Address] = {}
    for person in call.to:
        fitting = {e: a for e, a in there.items() if named_in(person.text, person.email, a)}
        if len(fitting) != 1:
            known = await addresses_of((person,), desk, notes)
            fitting = {p.email: there[p.email] for p in known if p.email in there}
        if not fitting:
            invited = names(others(event, desk.me)) or "nobody else"
            raise Refusal(
                "not_found", f"{person.text or person.email} is not invited to {_label(event, desk)}; invited: {invited}."
            )
        leaving |= fitting
    if not leaving:
        raise Refusal("not_understood", "Tell me who should be left out.")
    return tuple(leaving.values())


def named_in(text: str, email: str, address: Address) -> bool:
    """Whether a name as said, or an address, means this address."""
    if email:
        return address.email == email.lower()
    return bool(text) and set(tokens(text)) <= set(tokens(f"{address.name} {address.email.partition('@')[0]}"))


def _answering(answer: Literal["accepted", "declined", "tentative"], verb: str) -> Handler:
    async def handle(call: Call, desk: Desk, notes: Notes) -> Data:
        events = await events_to_change(await _invitations(call.select, desk), desk, notes)
        open_ones = [event for event in events if event.my_answer != answer]
        if not open_ones:
            raise AlreadySo(f"You have already {verb} {listing([_label(event, desk) for event in events])}.", events)
        for event in open_ones:
            if not event.my_answer:
                raise Refusal("refused", f"You are not invited to {_label(event, desk)}, so there is nothing to answer.")
        proposals = (
            Proposal(
                action=AnswerInvitation(account=event.account, event=event.ref, answer=answer, comment=call.body),
                says=f"answer {_label(event, desk)}: {answer}{_to_organizer(event, desk)}{_telling(call)}",
                before=event,
            )
            for event in open_ones
        )
        return Data(kind="proposals", proposals=tuple(proposals))

    return handle


async def _invitations(selection: Selection, desk: Desk) -> Selection:
    """ "The invitation" means those not answered yet; "the invitation from Anna" does where there is one."""
    if selection.refs or selection.words or selection.when or selection.unanswered:
        return selection
    open_ones = selection.model_copy(update={"unanswered": True})
    if selection.people and not (await select_events(open_ones, desk, Notes(), writing=True)).items:
        return selection
    return open_ones


def _telling(call: Call) -> str:
    return f", saying “{call.body}”" if call.body else ""


def _to_organizer(event: Event, desk: Desk) -> str:
    if event.organizer and event.organizer.email not in desk.me:
        return f" (to {shown(event.organizer)})"
    return ""


accept = _answering("accepted", "accepted")
decline = _answering("declined", "declined")
tentative = _answering("tentative", "tentatively accepted")
