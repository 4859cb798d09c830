"""Slots into a selection: which mails, events or contacts are meant."""

from itertools import pairwise

from assistant.reasoning.calls import Person, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.gathered import Gathered
from assistant.reasoning.offline.reading.nouns.objects import own_draft, read_object
from assistant.reasoning.offline.reading.nouns.persons import Named
from assistant.reasoning.offline.reading.nouns.phrases import READ
from assistant.reasoning.offline.reading.nouns.states import Domain, named_state
from assistant.reasoning.offline.reading.slots import Parts, Slot, lows
from assistant.reasoning.offline.reading.text.items import Item


def gather(parts: Parts, domain: Domain) -> Gathered:
    """Reads every slot as part of a selection."""
    found = Gathered()
    for before, slot in zip((None, *parts.slots), parts.slots, strict=False):
        ending = lows(before.items)[-1:] if before else []
        if domain == "mail" and slot.marker == "to" and ending in (["i"], ["we"]):
            found.select["folder"] = "Sent"
        if domain == "event" and slot.marker == "with" and OVERLAPS & set(ending):
            found.select["overlapping"] = gather(Parts([Slot("", slot.items)]), "event").selection()
            continue
        if domain == "event" and slot.marker == "":
            slot = _without_overlap(slot, parts, found)
        slot = _without_state(_without_subject(_without_idle(slot, domain), domain, found), domain, found)
        READ.get(slot.marker, read_object)(slot, domain, found)
    if any(one.marker == "" and lows(one.items)[-1:] == ["one"] and of.marker == "of" for one, of in pairwise(parts.slots)):
        found.select["each"] = False
    if domain == "mail" and own_draft(parts) and not found.select.get("folder") and not found.select.get("refs"):
        found.select["folder"] = "Drafts"
    if found.select.pop("host", "") == "me":
        found.people.append(Named(Person(text="me", role="from"), -1, -1))
    return found


OVERLAPS = frozenset(
    "overlap overlaps overlapping clash clashes clashing conflict conflicts conflicting collide collides colliding".split()
)


def _without_overlap(slot: Slot, parts: Parts, found: Gathered) -> Slot:
    """The object without the verb that says what it overlaps."""
    if (cut_off := _overlapping_time(slot, parts)) is not None:
        found.select["overlapping"], slot = Selection(), cut_off
    overlaps = parts.of("with") and OVERLAPS & set(lows(slot.items)[-1:])
    return Slot("", slot.items[:-1]) if overlaps else slot


def _overlapping_time(slot: Slot, parts: Parts) -> Slot | None:
    """ "whatever clashes with 10 to 11": the object without the verb, where only a time is what it overlaps."""
    words = lows(slot.items)
    at = next((n for n in range(1, len(words)) if words[n] in OVERLAPS), None)
    if at is None or parts.of("with"):
        return None
    each = words[at - 1] in lexicon().small["each"] | {"that", "which"} or lexicon().nouns.at(words, at - 1) is not None
    return Slot("", slot.items[:at]) if each and all(word in ("with", "to", "into") for word in words[at + 1 :]) else None


def _without_idle(slot: Slot, domain: Domain) -> Slot:
    """Without "happening", "lately", which narrow nothing; "most recent" is an order."""
    if domain not in ("mail", "event"):
        return slot
    words, lex, kept, at = lows(slot.items), lexicon(), list[Item](), 0
    while at < len(words):
        plain = slot.items[at].kind == "word"
        length = lex.orders.at(words, at) or (lex.idle.at(words, at) if plain else None)
        if length is None or lex.orders.at(words, at) is not None:
            kept.extend(slot.items[at : at + (length[0] if length else 1)])
        at += length[0] if length else 1
    return Slot(slot.marker, tuple(kept))


def _without_subject(slot: Slot, domain: Domain, found: Gathered) -> Slot:
    """What the subject shall hold is no part of any slot; an event is found by its title's words."""
    said = tuple(item.text for item in slot.items if item.kind == "subject")
    if not said:
        return slot
    if domain == "mail":
        found.select["subject"] = (*found.select.get("subject", ()), *said)
    else:
        found.words.extend(said)
    return Slot(slot.marker, tuple(item for item in slot.items if item.kind != "subject"))


def _without_state(slot: Slot, domain: Domain, found: Gathered) -> Slot:
    """ "with a pdf", "to me only", "from strangers": the marker belongs to a state; what follows is more of the object."""
    if not slot.marker:
        return slot
    taken = named_state([slot.marker, *lows(slot.items)], 0, domain, found.select)
    return Slot("", slot.items[taken - 1 :]) if taken else slot
