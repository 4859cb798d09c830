"""Other people in a proposal: mails get other recipients, events other guests; a list of changes can lose one of its items."""

import re
from collections.abc import Callable, Sequence

from assistant.agents import events, mails
from assistant.agents.base import Desk
from assistant.agents.booking import meeting_with, says_create
from assistant.agents.changing import named_in
from assistant.agents.people import addresses_of
from assistant.agents.proposed import is_event, is_mail, proposed, target, unfit, with_changed
from assistant.agents.report import Notes, Refusal, Unsettled, not_found
from assistant.agents.words import first_name, fold, listing, names, resembles, shown, tokens
from assistant.reasoning.calls import Call, Person, Selection
from assistant.values import Data, Proposal
from integrations.actions import CreateEvent, SaveDraft, SendMail, UpdateEvent
from integrations.types import Address, Event, Mail

LINES = ("to", "cc", "bcc", "attendees", "add_attendees")
GREETING = re.compile(r"^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b[^\n]*", re.IGNORECASE)


def people_in(proposal: Proposal) -> tuple[Address, ...]:
    """Whom the action itself names."""
    return tuple(a for line in LINES for a in getattr(proposal.action, line, ()))


def takes_people(proposal: Proposal) -> bool:
    return is_mail(proposal) or is_event(proposal)


async def add_person(call: Call, desk: Desk, notes: Notes) -> Data:
    said = {"to": call.to, "cc": call.cc, "bcc": call.bcc}
    if call.field in ("cc", "bcc"):
        said[call.field], said["to"] = (*said[call.field], *call.to), ()
    new = {line: await addresses_of(people, desk, notes) for line, people in said.items()}
    if not any(new.values()):
        raise Refusal("not_understood", "Tell me who should be added.")
    places = target(call, desk, takes_people, "people")
    everybody = tuple(a for people in new.values() for a in people)
    there = {a.email for n in places for a in people_in(proposed(desk)[n])}
    if all(a.email in there for a in everybody):
        raise Refusal("refused", f"{names(everybody)}: already in it.")

    def change(proposal: Proposal) -> Proposal:
        if is_mail(proposal):
            return _with_lines(proposal, {line: (*getattr(proposal.action, line), *people) for line, people in new.items()}, desk)
        line = "attendees" if isinstance(proposal.action, CreateEvent) else "add_attendees"
        return _with_lines(proposal, {line: (*getattr(proposal.action, line), *everybody)}, desk)

    return with_changed(proposed(desk), places, change)


def _with_lines(proposal: Proposal, lines: dict[str, tuple[Address, ...]], desk: Desk) -> Proposal:
    """The proposal with these lines, nobody twice, and its words in step."""
    action = proposal.action.model_copy(update=_each_once(lines))
    changed = proposal.model_copy(update={"action": action})
    if isinstance(action, CreateEvent):
        composed = isinstance(proposal.action, CreateEvent) and action.title == meeting_with(proposal.action.attendees)
        if composed and action.attendees:
            action = action.model_copy(update={"title": meeting_with(action.attendees)})
        return changed.model_copy(update={"action": action, "says": says_create(action, desk)})
    if proposal.brief and isinstance(action, SendMail | SaveDraft):
        changed = changed.model_copy(update={"brief": proposal.brief.model_copy(update={"to": action.to})})
    return changed.model_copy(update={"says": _retold(proposal, changed)})


def _each_once(lines: dict[str, tuple[Address, ...]]) -> dict[str, tuple[Address, ...]]:
    seen: set[str] = set()
    once: dict[str, tuple[Address, ...]] = {}
    for line, people in lines.items():
        once[line] = tuple({a.email: a for a in people if a.email not in seen}.values())
        seen |= {a.email for a in people}
    return once


def _retold(before: Proposal, after: Proposal) -> str:
    old, new = names(people_in(before)), names(people_in(after))
    if old and new and old in before.says:
        return before.says.replace(old, new)
    return f"{before.says}, with {new}" if new else before.says


async def drop_person(call: Call, desk: Desk, notes: Notes) -> Data:
    leaving = call.to or call.select.people
    proposals: Sequence[Proposal] = proposed(desk)
    described = call.select.model_copy(update={"refs": (), "order": "", "number": 1})
    if call.field == "others" and not call.to and described != Selection():
        return Data(kind="proposals", proposals=_only_such(described, desk))
    if leaving and call.field == "others":
        return Data(kind="proposals", proposals=await _with_only(leaving, proposals, desk, notes))
    if not leaving and (call.select.words or call.select.order):
        return Data(kind="proposals", proposals=_without_items(call, desk))
    if not leaving:
        raise Refusal("not_understood", "Tell me who should be left out.")
    for person in leaving:
        proposals = await _without(person, proposals, desk, notes)
    return Data(kind="proposals", proposals=tuple(proposals))


def _only_such(described: Selection, desk: Desk) -> tuple[Proposal, ...]:
    """Those that change a mail or an event of this description."""
    proposals = proposed(desk)
    left = tuple(p for p in proposals if _is_such(p, described, desk))
    if not left or len(left) == len(proposals):
        raise unfit(proposals, "such item")
    return left


def _is_such(proposal: Proposal, described: Selection, desk: Desk) -> bool:
    before = proposal.before
    if isinstance(before, Mail):
        return mails.fits(before, described, desk)
    if isinstance(before, Event):
        return events.fits(before, described, desk)
    return bool(described.words) and resembles(described.words, proposal.says)


async def _with_only(staying: Sequence[Person], proposals: Sequence[Proposal], desk: Desk, notes: Notes) -> tuple[Proposal, ...]:
    """Without everybody else; who is to stay must be there."""
    tests = [await _meaning(person, proposals, desk, notes) for person in staying]
    there = [a for p in proposals for a in people_in(p)]
    for person, is_meant in zip(staying, tests, strict=True):
        if not any(is_meant(a) for a in there):
            raise _not_in_it(person, there)
    kept = [_less(p, lambda a: not any(is_meant(a) for is_meant in tests), desk) for p in proposals]
    return tuple(p for p in kept if p is not None)


async def _without(person: Person, proposals: Sequence[Proposal], desk: Desk, notes: Notes) -> list[Proposal]:
    """First as a recipient or guest, else as somebody who is in the event, else as what an item is about."""
    is_meant = await _meaning(person, proposals, desk, notes)
    if any(is_meant(a) for p in proposals for a in people_in(p)):
        kept = [_less(p, is_meant, desk) for p in proposals]
        left = [p for p in kept if p is not None]
    elif any(is_meant(a) for p in proposals if isinstance(p.action, UpdateEvent) for a in _guests(p)):
        left = [_uninviting(p, is_meant) for p in proposals]
    else:
        left = [p for p in proposals if not _is_about(p, person, is_meant)]
        if len(left) == len(proposals):
            raise _not_in_it(person, [a for p in proposals for a in people_in(p)])
    if not left:
        raise Refusal("refused", f"Without {person.text or person.email} nothing would be left of it; you can cancel it instead.")
    return left


def _not_in_it(person: Person, there: Sequence[Address]) -> Refusal:
    who = person.text or person.email
    return not_found(f"{who} is not in this proposal{f'; in it: {names(there)}' if there else ''}.")


async def _meaning(person: Person, proposals: Sequence[Proposal], desk: Desk, notes: Notes) -> Callable[[Address], bool]:
    if person.ref:
        emails = {a.email for a in await addresses_of((person,), desk, notes)}
        return lambda address: address.email in emails
    chosen = desk.settled(person.text)
    email = person.email or (chosen if "@" in chosen else "")
    there = [a for p in proposals for a in (*people_in(p), *_guests(p))]
    exact = {a.email for a in there if person.text and fold(a.name) == fold(person.text)}
    if not exact and not any(named_in(person.text, email, a) for a in there):
        exact = {a.email for a in there} & await _called(person, desk)
    return lambda a: a.email in exact if exact else named_in(person.text, email, a)


async def _called(person: Person, desk: Desk) -> set[str]:
    """The addresses of whoever goes by that name in the contacts: by a nickname, as the group of that name."""
    try:
        return {a.email for a in await addresses_of((person,), desk, Notes())}
    except (Refusal, Unsettled):
        return set()


def _guests(proposal: Proposal) -> tuple[Address, ...]:
    return tuple(a.address for a in proposal.before.attendees) if isinstance(proposal.before, Event) else ()


def _less(proposal: Proposal, is_meant: Callable[[Address], bool], desk: Desk) -> Proposal | None:
    """Without these people; None where a mail would go to nobody, or an invitation would invite nobody."""
    there = {line: getattr(proposal.action, line, ()) for line in LINES}
    if not any(is_meant(a) for people in there.values() for a in people):
        return proposal
    lines = {line: tuple(a for a in people if not is_meant(a)) for line, people in there.items() if people}
    if not any(lines.values()) and not _stands_alone(proposal):
        return None
    return _with_lines(proposal, lines, desk)


def _stands_alone(proposal: Proposal) -> bool:
    """Whether anything is left of it with nobody in it."""
    action = proposal.action
    if isinstance(action, UpdateEvent):
        return any(getattr(action, field) is not None for field in ("title", "start", "end", "location"))
    return isinstance(action, CreateEvent | SaveDraft)


def _uninviting(proposal: Proposal, is_meant: Callable[[Address], bool]) -> Proposal:
    if not isinstance(proposal.action, UpdateEvent):
        return proposal
    gone = tuple(a for a in _guests(proposal) if is_meant(a))
    if not gone:
        return proposal
    off = tuple(dict.fromkeys((*proposal.action.remove_attendees, *(a.email for a in gone))))
    action = proposal.action.model_copy(update={"remove_attendees": off})
    return proposal.model_copy(update={"action": action, "says": f"{proposal.says}, without {names(gone)}"})


def _is_about(proposal: Proposal, person: Person, is_meant: Callable[[Address], bool]) -> bool:
    before = proposal.before
    if isinstance(before, Mail) and before.sender and is_meant(before.sender):
        return True
    return bool(person.text) and resembles([person.text], proposal.says)


def _without_items(call: Call, desk: Desk) -> tuple[Proposal, ...]:
    proposals = proposed(desk)
    if call.select.words:
        left = tuple(p for p in proposals if not resembles(call.select.words, p.says))
    else:
        dropped = set(_places(call, proposals))
        if call.field == "others":
            dropped = set(range(len(proposals))) - dropped
        left = tuple(p for n, p in enumerate(proposals) if n not in dropped)
    if not left or len(left) == len(proposals):
        raise unfit(proposals, listing(call.select.words) or "such item")
    return left


def _places(call: Call, proposals: Sequence[Proposal]) -> Sequence[int]:
    """Which items are meant by place; the last of several mails is the newest, the oldest of anything the oldest."""
    number, order = max(call.select.number, 1), call.select.order
    dated = [p.before.date if isinstance(p.before, Mail) else None for p in proposals]
    known = [date for date in dated if date is not None]
    if order in ("last", "oldest") and len(known) == len(proposals):
        by_age = sorted(range(len(proposals)), key=lambda n: known[n], reverse=order == "last")
        return by_age[:number]
    places = {"last": range(len(proposals) - number, len(proposals)), "nth": range(number - 1, number)}
    return places.get(order, range(number))


async def replace_person(call: Call, desk: Desk, notes: Notes) -> Data:
    """Without a word on whom: the one with a name in common, else the only one there is."""
    new = await addresses_of(call.to, desk, notes)
    if not new:
        raise Refusal("not_understood", "Tell me who it should be instead.")
    proposals = proposed(desk)
    there = list({a.email: a for p in proposals for a in people_in(p)}.values())
    if not there:
        raise unfit(proposals, "people")
    old = await _replaced(call, there, new, proposals, desk, notes)

    def change(proposal: Proposal) -> Proposal:
        lines = {line: getattr(proposal.action, line, ()) for line in LINES}
        if not any(a.email in old for people in lines.values() for a in people):
            return proposal
        swapped = {line: _swapped(people, old, new) for line, people in lines.items() if people}
        return _greeting(_with_lines(proposal, swapped, desk), [a for a in there if a.email in old], new, notes)

    return with_changed(proposals, range(len(proposals)), change)


async def _replaced(
    call: Call, there: Sequence[Address], new: Sequence[Address], proposals: Sequence[Proposal], desk: Desk, notes: Notes
) -> set[str]:
    if call.select.people:
        is_meant = await _meaning(call.select.people[0], proposals, desk, notes)
        old = {a.email for a in there if is_meant(a)}
        if not old:
            raise _not_in_it(call.select.people[0], there)
        return old
    alike = [a for a in there if set(tokens(a.name)) & {t for n in new for t in tokens(n.name)}]
    candidates = alike if len(alike) == 1 else there
    if len(candidates) != 1:
        raise Refusal("not_understood", f"Tell me whom {names(new)} should replace: {listing([shown(a) for a in there], 12)}?")
    return {candidates[0].email}


def _swapped(people: Sequence[Address], old: set[str], new: Sequence[Address]) -> tuple[Address, ...]:
    swapped: list[Address] = []
    for address in people:
        swapped += new if address.email in old else [address]
    return tuple({a.email: a for a in swapped}.values())


def _greeting(proposal: Proposal, old: Sequence[Address], new: Sequence[Address], notes: Notes) -> Proposal:
    """A greeting by name follows the new person, which is said."""
    action = proposal.action
    if not isinstance(action, SendMail | SaveDraft) or not (greeting := GREETING.match(action.body)):
        return proposal
    before = greeting.group()
    after = before
    for person in old:
        for name in (person.name, first_name(person)):
            if name:
                after = re.sub(rf"\b{re.escape(name)}\b", lambda _: listing([first_name(n) for n in new]), after)
    if after == before:
        return proposal
    notes.caution(f'the greeting now reads "{after}"')
    body = after + action.body[len(before) :]
    return proposal.model_copy(update={"action": action.model_copy(update={"body": body})})
