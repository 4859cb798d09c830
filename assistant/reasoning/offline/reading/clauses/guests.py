"""Clauses that change who comes to an event: invited, taken off, one in the place of another."""

from collections.abc import Sequence

from assistant.reasoning.calls import Operation
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built, span_of, span_of_parts
from assistant.reasoning.offline.reading.slots import Parts, Slot, cut, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times.moments import merged


def guests(clause: Clause, form: Form, rest: Sequence[Item], operation: Operation) -> Built:
    """ "invite Tom to the budget review", "remove Anna from it": the object are people, the other slot the event."""
    built = Built(operation)
    side = ("to", "for", "in") if operation == "event.invite" else ("from", "of", "to", "for")
    parts = cut(clause.text, rest, dictates=False)
    events = [slot for slot in parts.slots if slot.marker in side]
    whole = operation == "event.invite" and bool(events)
    named, behind = (parts.object, ()) if whole else _guests_first(parts.object, _of_day(rest))
    people = list(people_in(named))
    events = events or ([Slot("", tuple(behind))] if behind else [])
    others = [slot for slot in parts.slots if slot.marker not in (*side, "")]
    events = [slot for slot in map(_without_list, events) if slot.items]
    chosen = [*(Slot("", slot.items) for slot in events), *others]
    built.fields["select"] = gather(Parts(chosen, parts.times), "event").selection(merged(parts.times))
    built.fields["to"] = tuple(named.person for named in people)
    built.thing = span_of_parts(chosen, parts.times)
    if operation == "event.invite":
        built.recipients.extend(people)
    return built


OF_GUESTS = frozenset(
    "the its guest guests attendee attendees participant invitee invitees invitation invite participants list lists".split()
)
""" "Take Tom off the guest list": of the event that is spoken of."""


def _without_list(slot: Slot) -> Slot:
    """ "from the guest list of the review": the event alone."""
    words = lows(slot.items)
    begin = next((n for n, word in enumerate(words) if word not in OF_GUESTS), len(words))
    return Slot(slot.marker, slot.items[begin:]) if set(words[:begin]) - {"the", "its"} else slot


def _of_day(items: Sequence[Item]) -> bool:
    """ "from Friday's review": the day took the word before the event with it."""
    return any(item.time is not None and item.low.endswith(("'s", "\u2019s")) for item in items)


def _guests_first(items: Sequence[Item], of_day: bool) -> tuple[Sequence[Item], Sequence[Item]]:
    """ "take Tom and Anna off the review": the people right behind the verb, and the event that follows them."""
    end = next((n for n, item in enumerate(items) if item.kind not in PERSONAL and item.low not in ("and", ",", "&")), len(items))
    pointed = end < len(items) and end and (of_day or items[end].low in lexicon().small["articles"])
    return (items[:end], items[end:]) if pointed else (items, ())


BEHIND = frozenset(
    "as the a participant participants guest guests attendee attendees "
    "person people of in for at from 's place stead instead on".split()
)
"""What may stand between the people and the event."""
PLACE = frozenset({"place", "stead", "instead"})


def replaces(form: Form, rest: Sequence[Item]) -> bool:
    """Whether two people are named, one of whom takes the other's place."""
    if form.verb == "reassign":
        return _hands_over(rest)
    found = _pairs(rest)
    if found is None:
        return False
    first, between, _, behind = found
    words = lows(rest)
    placed = bool(PLACE & set(words[between[0] : between[1]]) or PLACE & set(words[behind : behind + 2]))
    return placed or (form.verb == "replace" and bool({"with", "by", "for"} & set(words[between[0] : between[1]])) and bool(first))


def replace_guests(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    if form.verb == "reassign":
        return _reassigned(clause, rest)
    found = _pairs(rest)
    assert found is not None
    first, _, second, behind = found
    words = lows(rest)
    leaving, coming = (second, first) if form.verb != "replace" or form.lemma == "substitute" else (first, second)
    while behind < len(rest) and (words[behind] in BEHIND) and not _names_event(words, behind):
        behind += 1
    return _built(clause, rest[behind:], leaving, coming)


def _built(clause: Clause, event: Sequence[Item], leaving: Sequence[Named], coming: Sequence[Named]) -> Built:
    built = Built("event.replace")
    parts = cut(clause.text, event, dictates=False)
    select = gather(Parts([_as_event(slot) for slot in parts.slots], parts.times), "event").selection(merged(parts.times))
    gone = tuple(named.person.model_copy(update={"role": "with"}) for named in leaving)
    there = {person.text.lower() or person.ref for person in select.people}
    if event:
        people = (*select.people, *(person for person in gone if (person.text.lower() or person.ref) not in there))
        select = select.model_copy(update={"people": people})
    built.fields["select"] = select
    built.fields["leaving"] = gone
    built.go_to(coming)
    built.thing = span_of(event)
    return built


def _as_event(slot: Slot) -> Slot:
    return Slot("", slot.items) if slot.marker in ("of", "in", "for", "at", "on", "from", "to") else slot


def _names_event(words: Sequence[str], at: int) -> bool:
    """The article of the event itself: nothing of the way there follows it."""
    if words[at] not in lexicon().small["articles"]:
        return False
    return words[at + 1 : at + 2] != [] and words[at + 1] not in BEHIND


def _pairs(items: Sequence[Item]) -> tuple[list[Named], tuple[int, int], list[Named], int] | None:
    """The people right behind the verb, the words between, the people behind those, and where the rest begins."""
    first = _run(items, 0)
    if not first:
        return None
    at = first
    while at < len(items) and items[at].kind == "word" and items[at].low in BEHIND | {"with", "by"}:
        at += 1
    second = _run(items, at)
    if at == first or not second:
        return None
    return list(people_in(items[:first])), (first, at), list(people_in(items[at:second])), second


def _run(items: Sequence[Item], begin: int) -> int:
    """Where the people who stand at `begin` end; 0 where none do."""
    end = begin
    while end < len(items) and (items[end].kind in PERSONAL or (end > begin and items[end].low in ("and", ",", "&"))):
        end += 1
    while end > begin and items[end - 1].kind not in PERSONAL:
        end -= 1
    return end if end > begin else 0


def _hands_over(items: Sequence[Item]) -> bool:
    return _handed(items) is not None


def _handed(items: Sequence[Item]) -> tuple[int, int] | None:
    """Where "to Anna" stands behind an event."""
    words = lows(items)
    for at in range(len(items) - 2, 0, -1):
        if words[at] == "to" and items[at + 1].kind in PERSONAL:
            eventish = any((noun := lexicon().nouns.at(words, n)) and noun[1][0] in ("event", "occasion") for n in range(at))
            return (at, _run(items, at + 1)) if eventish or items[0].kind == "ref" else None
    return None


def _reassigned(clause: Clause, rest: Sequence[Item]) -> Built:
    """Whoever the meeting is with leaves it, and whom it is handed to comes instead."""
    found = _handed(rest)
    assert found is not None
    at, end = found
    coming = list(people_in(rest[at + 1 : end]))
    built = _built(clause, [*rest[:at], *rest[end:]], (), coming)
    built.fields["leaving"] = tuple(person for person in built.fields["select"].people if person.role == "with")
    return built
