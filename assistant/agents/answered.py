"""What the guests of an event have answered, as the calendar holds it. Only the organiser's calendar hears of every answer."""

from collections.abc import Sequence

from assistant.agents.base import Desk
from assistant.agents.events import events_or_nearest, select_events
from assistant.agents.people import names_to_addresses, of_result
from assistant.agents.picking import to_act_on
from assistant.agents.report import Notes, Refusal, ask, not_found
from assistant.agents.words import event_label, names, shown, tokens
from assistant.reasoning.calls import Call, Person, Selection
from assistant.values import Data
from integrations.types import Attendee, Event

SAID = {"accepted": "accepted", "declined": "declined", "tentative": "answered “maybe”"}
ASKED = {"accepted": "accepted", "declined": "declined", "tentative": "accepted tentatively", "answered": "answered"}
MOST_LISTED = 50


async def answers(call: Call, desk: Desk, notes: Notes) -> Data:
    """`field` is the answer in question; `question` whether those in `to` gave it ("any": one of all guests, "whether" without
    people: all of them), "who" did, or "which" events they gave it to; "who not", "which not" the other way round."""
    if call.question.startswith("which"):
        return await _which(call, desk, notes)
    event = await _event(call, desk, notes)
    those = await _asked(call, event, desk)
    if not those:
        return _not_invited(call, event, desk)
    truth = None if call.question.startswith("who") else _holds(call, event, those, desk)
    text = _told(call, event, those, desk)
    if event.organizer and event.organizer.email not in desk.me:
        notes.caution(f"guests answer {shown(event.organizer)}, who organises it; your calendar may lack the latest answers")
    return Data(kind="text", text=text, truth=truth, events=(event,), total=1, heading=_label(event, desk))


async def _event(call: Call, desk: Desk, notes: Notes) -> Event:
    """The one that is asked about: among several one with the people named; of a series its next date."""
    both = call.select.model_copy(update={"people": (*call.select.people, *call.to), "each": False})
    bare = call.select.model_copy(update={"each": False})
    over = {"order": "last", "each": False}
    anything = call.select == Selection()
    found = await select_events(both if anything else bare, desk, notes)
    if len(found.items) != 1 and call.to and not (anything or call.select.refs):
        closer = await select_events(both, desk, Notes())
        found = closer if closer.items else found
    if not found.items and call.select.words and not (call.select.order or call.select.when or call.select.refs):
        found = await select_events(call.select.model_copy(update=over), desk, notes)
    once = {(e.uid or e.id) if e.series else (e.id, e.start): e for e in reversed(found.items)}
    events = list(once.values())[::-1]
    one = to_act_on(events, bare, desk, noun="event", wording=found.heading, label=lambda event: _label(event, desk))
    if len(one) != 1:
        raise not_found(f"I found {len(one)} {found.heading}; ask about one of them.")
    return one[0]


def _label(event: Event, desk: Desk) -> str:
    return event_label(event, desk.setting.now, desk.me)


def _guests(event: Event, desk: Desk) -> tuple[Attendee, ...]:
    """Everybody invited but the user and who organises it."""
    host = event.organizer.email if event.organizer else ""
    return tuple(one for one in event.attendees if one.address.email not in desk.me and one.address.email != host)


async def _asked(call: Call, event: Event, desk: Desk) -> tuple[Attendee, ...]:
    """The guests in question; nobody where one of those named is no guest."""
    if not call.to:
        return _guests(event, desk)
    found: dict[str, Attendee] = {}
    for person in call.to:
        these = await _named(person, event, desk)
        if not these:
            return ()
        found.update({one.address.email: one for one in these})
    return tuple(found.values())


async def _named(person: Person, event: Event, desk: Desk) -> tuple[Attendee, ...]:
    guests = _guests(event, desk)
    if person.email or person.ref:
        emails = {person.email.lower()} if person.email else {one.email for one in of_result(person.ref, desk)}
        return tuple(one for one in guests if one.address.email in emails)
    chosen = desk.settled(person.text)
    called = set(tokens(person.text))
    fitting = [one for one in guests if called <= set(tokens(f"{one.address.name} {one.address.email.partition('@')[0]}"))]
    if chosen:
        return tuple(one for one in guests if one.address.email == chosen)
    if len(fitting) > 1:
        choices = [(str(one.address), one.address.email) for one in fitting]
        raise ask(person.text, f"Which {person.text} do you mean?", choices)
    if fitting:
        return tuple(fitting)
    known = set(await names_to_addresses(person.text, desk))
    return tuple(one for one in guests if one.address.email in known)


def _is_told(one: Attendee, event: Event, desk: Desk) -> bool:
    """Whether the calendar can know: only whoever organises an event hears that somebody has not answered."""
    mine = event.organizer is None or event.organizer.email in desk.me
    return one.answer in SAID or (one.answer == "needs-action" and mine)


def _gave(one: Attendee, field: str) -> bool:
    return one.answer in SAID if field == "answered" else one.answer == field


def _holds(call: Call, event: Event, those: Sequence[Attendee], desk: Desk) -> bool:
    """Raises where an answer that it hangs on is not known."""
    gave = [_gave(one, call.field) for one in those]
    known = [_is_told(one, event, desk) for one in those]
    if call.question == "any":
        settled, truth = any(gave) or all(known), any(gave)
    else:
        settled, truth = all(known) or any(k and not g for k, g in zip(known, gave, strict=True)), all(gave)
    if not settled:
        raise _unknown([one for one, told in zip(those, known, strict=True) if not told], event, desk)
    return truth


def _unknown(those: Sequence[Attendee], event: Event, desk: Desk) -> Refusal:
    who = f" of {names([one.address for one in those])}" if those else ""
    whom = f": guests answer {shown(event.organizer)}, who organises it" if event.organizer else ""
    if event.organizer and event.organizer.email in desk.me:
        whom = ""
    return not_found(f"I can't tell: your calendar holds no answer{who} to {_label(event, desk)}{whom}.")


def _not_invited(call: Call, event: Event, desk: Desk) -> Data:
    """Nobody to answer, or somebody who was not asked; of another's event the guests may be hidden."""
    told = {"kind": "text", "events": (event,), "total": 1, "heading": _label(event, desk)}
    host = event.organizer
    if host and host.email not in desk.me:
        raise _unknown((), event, desk)
    who = " and ".join(person.text or person.email for person in call.to)
    text = f"No, {who} is not among its guests." if len(call.to) == 1 else "No, they are not all among its guests."
    text = "No, nobody else is invited to it." if not _guests(event, desk) else text
    return Data.model_validate({**told, "text": text, "truth": None if call.question.startswith("who") else False})


def _told(call: Call, event: Event, those: Sequence[Attendee], desk: Desk) -> str:
    """Who answered what, those first who are asked for."""
    told = [one for one in those if _is_told(one, event, desk)]
    if not told:
        raise _unknown(those, event, desk)
    first = "needs-action" if call.question == "who not" and call.field == "answered" else call.field
    order = sorted(("accepted", "declined", "tentative", "needs-action"), key=lambda answer: answer != first)
    said = [_sentence(answer, [one for one in told if one.answer == answer]) for answer in order]
    unknown = [one for one in those if one not in told]
    said.append(f"What {names([one.address for one in unknown])} answered I can't tell." if unknown else "")
    return " ".join([*_nobody(call, told, unknown), *(line for line in said if line)])


def _nobody(call: Call, told: Sequence[Attendee], unknown: Sequence[Attendee]) -> list[str]:
    """Of those asked for there is none: said only where every answer is known."""
    if unknown or call.to or not call.question.startswith("who"):
        return []
    gave = [_gave(one, call.field) for one in told]
    if call.question == "who" and not any(gave):
        return [f"Nobody has {ASKED[call.field]} yet."]
    return [f"Everybody has {ASKED[call.field]}."] if call.question == "who not" and all(gave) else []


def _sentence(answer: str, those: Sequence[Attendee]) -> str:
    if not those:
        return ""
    who = names([one.address for one in those])
    if answer == "needs-action":
        return f"There is no answer from {who} in your calendar yet."
    return f"{who} {'has' if len(those) == 1 else 'have'} {SAID[answer]}."


async def _which(call: Call, desk: Desk, notes: Notes) -> Data:
    """The events of which every person named gave (or did not give) the answer; "any" guest where nobody is named."""
    both = call.select.model_copy(update={"people": (*call.select.people, *call.to), "each": True})
    found = await events_or_nearest(both, desk, notes)
    kept, unknown = list[Event](), list[Event]()
    for event in found.items:
        those = await _asked(call, event, desk)
        asked = call if call.to else call.model_copy(update={"question": "any"})
        try:
            if those and _holds(asked, event, those, desk) != (call.question == "which not"):
                kept.append(event)
        except Refusal:
            unknown.append(event)
    if unknown:
        first = f"{_label(unknown[0], desk)}{f' and {len(unknown) - 1} more' if len(unknown) > 1 else ''}"
        notes.limit(f"the answers to {first} I can't tell: guests answer whoever organises it")
    if unknown and not kept:
        raise _unknown((), unknown[0], desk)
    who = " and ".join(shown for person in call.to if (shown := person.text or person.email)) or "anybody"
    not_ = "not " if call.question == "which not" else ""
    heading = f"events that {who} has {not_}{ASKED[call.field]}"
    return Data(kind="events", events=tuple(kept[:MOST_LISTED]), total=len(kept), heading=heading)
