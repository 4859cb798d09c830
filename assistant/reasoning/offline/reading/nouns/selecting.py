"""Slots into a selection: which mails, events or contacts are meant."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from assistant.reasoning.calls import Person, Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.nouns.persons import Named, Role, is_job, people_in, text_of
from assistant.reasoning.offline.reading.nouns.states import Domain as Domain
from assistant.reasoning.offline.reading.nouns.states import counted_at, named_state, state_at
from assistant.reasoning.offline.reading.slots import Parts, Slot, lows
from assistant.reasoning.offline.reading.times.stretches import whole_days


@dataclass
class Gathered:
    """What has been read of a clause so far; `unread` are words that found no place."""

    select: dict[str, Any] = field(default_factory=dict)
    people: list[Named] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def selection(self, when: TimeSpec | None = None) -> Selection:
        chosen = dict(self.select)
        if when is not None:
            chosen["when"] = when
        if when is not None and chosen.get("overlapping") is not None and chosen["overlapping"].when is None:
            chosen["overlapping"] = chosen["overlapping"].model_copy(update={"when": when})
            chosen["when"] = whole_days(when)
        people = tuple(dict.fromkeys(named.person for named in self.people))
        if chosen.get("folder") == "Received" and any(person.role == "from" for person in people):
            del chosen["folder"]
        return Selection(people=people, words=tuple(dict.fromkeys(self.words)), **chosen)


def topic_words(items: Sequence[Item], *, phrase: bool = False) -> tuple[str, ...]:
    """Content words; quoted text and capitalised names stay whole."""
    stop = lexicon().small["stop"]
    words = [
        item.text.strip()
        for item in items
        if item.kind in ("quote", "name", "person", "number", "address")
        or (item.kind == "word" and item.text and item.low not in stop and not item.low.startswith("'"))
    ]
    return (" ".join(words),) if phrase and words else tuple(words)


def gather(parts: Parts, domain: Domain) -> Gathered:
    """Reads every slot as part of a selection."""
    found = Gathered()
    for before, slot in zip((None, *parts.slots), parts.slots, strict=False):
        if before and slot.marker == "to" and domain == "mail" and lows(before.items)[-1:] in (["i"], ["we"]):
            found.select["folder"] = "Sent"
        if domain == "event" and slot.marker == "" and (cut_off := _overlapping_time(slot, parts)) is not None:
            found.select["overlapping"], slot = Selection(), cut_off
        if domain == "event" and slot.marker == "" and parts.of("with") and OVERLAPS & set(lows(slot.items)[-1:]):
            slot = Slot("", slot.items[:-1])
        if (
            before
            and domain == "event"
            and slot.marker == "with"
            and lows(before.items)[-1:]
            and lows(before.items)[-1] in OVERLAPS
        ):
            found.select["overlapping"] = gather(Parts([Slot("", slot.items)]), "event").selection()
            continue
        slot = _without_state(_without_subject(_without_idle(slot, domain), domain, found), domain, found)
        _READ.get(slot.marker, _read_object)(slot, domain, found)
    if any(
        before.marker == "" and lows(before.items)[-1:] == ["one"] and after.marker == "of"
        for before, after in pairwise(parts.slots)
    ):
        found.select["each"] = False
    if domain == "mail" and _own_draft(parts) and not found.select.get("folder") and not found.select.get("refs"):
        found.select["folder"] = "Drafts"
    if found.select.pop("host", "") == "me":
        found.people.append(Named(Person(text="me", role="from"), -1, -1))
    return found


OVERLAPS = frozenset(
    "overlap overlaps overlapping clash clashes clashing conflict conflicts conflicting collide collides colliding".split()
)


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


def _read_object(slot: Slot, domain: Domain, found: Gathered) -> None:
    items = [item for item in slot.items if item.kind != "punct"]
    words = lows(items)
    lex = lexicon()
    at = 0
    plural = False
    noun_seen = False
    while at < len(items):
        item = items[at]
        if item.kind == "ref":
            found.select["refs"] = tuple(dict.fromkeys((*found.select.get("refs", ()), item.low)))
        elif number := counted_at(items, words, at, domain):
            found.select["counted"] = number
        elif step := state_at(items, words, at, domain, found.select):
            at += step
            continue
        elif item.kind in ("person", "address") or (item.kind == "name" and at + 1 < len(items) and words[at + 1] == "'s"):
            at = _mentioned(items, words, at, domain, found, noun_seen)
            continue
        elif match := lex.nouns.at(words, at) if item.kind == "word" and item.low != "where" else None:
            plural |= match[1][1]
            noun_seen = True
            if match[1][2] == "mail" and {"my", "any", "all"} & set(words[:at]):
                plural = True
            if not _is_title(items, words, at, match, domain):
                at += match[0]
                continue
            found.words.append(item.text)
        elif item.kind == "word" and item.low in lex.small["each"]:
            found.select["each"] = True
        elif (
            item.kind in ("quote", "name")
            or (item.kind == "word" and item.text and item.low not in lex.small["stop"])
            or (item.kind == "number" and not item.low.isdigit())
        ):
            found.words.append(item.text)
        at += 1
    several = domain == "event" and plural and (found.select.get("each") or "upcoming" in words)
    if several and (found.select.get("order"), found.select.get("number")) == ("next", 1):
        del found.select["order"], found.select["number"]  # "all upcoming meetings": every one of them
    if plural and not found.select.get("order"):
        found.select["each"] = True


def _own_draft(parts: Parts) -> bool:
    """ "the draft to Felix", "my drafts"; not "Helena's draft", "the draft of the contract"."""
    items = next((slot.items for slot in parts.slots if slot.marker == ""), ())
    words = lows(items)
    others = "'s" in words or any(item.kind in ("person", "name") for item in items)
    return words[-1:] in (["draft"], ["drafts"]) and not others and not parts.of("of", "from", "with")


HEADS = frozenset("event invitation slot clash time name place length".split())


def _is_title(items: Sequence[Item], words: Sequence[str], at: int, match: tuple[int, Any], domain: Domain) -> bool:
    """A noun that belongs to a title: "standup", "budget meeting plan"; the generic head noun is none."""
    noun, _, lemma = match[1]
    if domain != "event":
        return noun not in _OWN[domain] and noun not in ("field",)
    return lemma not in lexicon().generic and noun not in HEADS


_OWN: dict[str, frozenset[str]] = {
    "mail": frozenset({"mail", "newsletter", "attachment", "reply", "draft", "invitation"}),
    "contact": frozenset({"contact", "field", "group"}),
    "template": frozenset({"template"}),
}


def _mentioned(items: Sequence[Item], words: Sequence[str], at: int, domain: Domain, found: Gathered, noun_seen: bool) -> int:
    """Somebody inside the object: "Anna's last mail", "the mail Anna sent", "Anna and Tom"."""
    role: Role = {"mail": "from", "event": "with"}.get(domain, "any")  # type: ignore[assignment]
    if domain == "event" and not noun_seen and not (at + 1 < len(items) and words[at + 1] == "'s"):
        follower = lexicon().nouns.at(words, at + 1)
        if follower is not None and follower[1][0] in ("event", "occasion"):
            found.words.append(items[at].text)
            return at + 1
    if domain == "event" and (verb := lexicon().hosting.at(words, at + 1)) is not None:
        found.people.extend(people_in(items[at : at + 1], "from"))
        return at + 1 + verb[0]
    found.people.extend(people_in(items[at : at + 1], role))
    at += 1
    while at < len(items) and (
        words[at] in ("'s", "send", "sent", "wrote", "write", "has", "have", "did", "sends") or items[at].low == "me"
    ):
        at += 1
    return at


def _read_people(role: Role) -> Any:
    def read(slot: Slot, domain: Domain, found: Gathered) -> None:
        if domain == "event" and role == "to" and not any(item.kind in ("person", "name", "ref", "address") for item in slot.items):
            _read_object(slot, domain, found)
            return
        if role == "from" and domain == "event" and _names_calendar(slot.items):
            return
        if role == "to" and domain == "mail" and [item.low for item in slot.items] == ["do"]:
            return
        kept, tail = _until_tail(slot.items)
        if domain == "contact" and role == "from":
            if any((noun := lexicon().nouns.at(lows(kept), at)) and noun[1][0] == "contact" for at in range(len(kept))):
                return
            company = " ".join(topic_words(kept))
            found.select["company"] = company
            return
        me = [item for item in kept if item.kind == "word" and item.low in lexicon().small["me"]]
        found.people.extend(named for named in people_in(kept, role) if not (me and len(kept) == 1))
        if me and len(kept) == 1 and domain == "mail" and role in ("from", "to"):
            found.select.setdefault("folder", "Sent" if role == "from" else "Received")
        if tail:
            _read_object(Slot("", tuple(tail)), domain, found)

    return read


def _names_calendar(items: Sequence[Item]) -> bool:
    words = lows(items)
    noun = lexicon().nouns.at(words, len(words) - 1) if words else None
    return noun is not None and noun[1][2] in ("calendar", "schedule", "agenda", "diary")


def _until_tail(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """A person's place ends where something else begins: a relative clause, a state, a quote."""
    words = lows(items)
    for at, item in enumerate(items):
        relative = item.kind == "word" and item.low in ("that", "which", "who", "older", "newer") and at > 0
        if item.kind == "quote" or relative or (at > 0 and lexicon().states.at(words, at) is not None):
            return list(items[:at]), list(items[at + (1 if relative else 0) :])
    return list(items), []


def _read_with(slot: Slot, domain: Domain, found: Gathered) -> None:
    words = lows(slot.items)
    if domain == "event" and (taken := state_at(slot.items, words, 0, domain, found.select)):
        _read_object(Slot("", slot.items[taken:]), domain, found)
        return
    if domain == "mail" and any(word.startswith("attachment") for word in words):
        found.select["has_attachment"] = "no" not in words
        return
    quotes = [item for item in slot.items if item.kind == "quote"]
    if quotes:
        found.words.extend(item.text for item in quotes)
        return
    kept, tail = _until_tail(slot.items)
    if domain == "mail" and kept and not _names_people(kept):
        found.words.extend(topic_words(kept))
    else:
        found.people.extend(people_in(kept, "with"))
        if domain == "event" and "or" in lows(kept):
            found.select["either"] = True
    if tail:
        _read_object(Slot("", tuple(tail)), domain, found)


def _names_people(items: Sequence[Item]) -> bool:
    words = lows(items)
    groups = any((noun := lexicon().nouns.at(words, at)) and noun[1][0] in ("group", "contact") for at in range(len(words)))
    return groups or any(item.kind in ("person", "name", "address", "ref") for item in items) or any(map(is_job, words))


def _read_copy(slot: Slot, domain: Domain, found: Gathered) -> None:
    """ "where I'm in cc"; "with Tom in cc" names who else got it."""
    if domain == "mail" and not _names_people(slot.items):
        found.select["addressed"] = "copy"
    elif domain == "mail":
        found.people.extend(people_in(slot.items, "to"))


def _read_topic(slot: Slot, domain: Domain, found: Gathered) -> None:
    found.words.extend(topic_words(slot.items))


def _read_in(slot: Slot, domain: Domain, found: Gathered) -> None:
    """ "in my inbox", "in my calendar", "in the marketing team", "in their title", "on the budget"."""
    words = lows(slot.items)
    lex = lexicon()
    for at in range(len(words)):
        folder = lex.folders.at(words, at)
        if folder is not None and domain == "mail":
            found.select["folder"] = folder[1]
            return
        noun = lex.nouns.at(words, at)
        if (
            noun is not None
            and not topic_words(slot.items[:at])
            and noun[1][2]
            in (
                "calendar",
                "schedule",
                "agenda",
                "diary",
                "address book",
                "contact",
                "mail",
                "email",
            )
        ):
            tail = slot.items[at + noun[0] :]
            if tail:
                _read_object(Slot("", tuple(tail)), domain, found)
            return
    if domain == "contact":
        _contact_place(slot, found)
    elif slot.marker == "in" and any(word in ("subject", "title", "body", "text") for word in words):
        return
    elif domain == "event" and (place := place_of(slot)):
        found.select["place"] = place
    else:
        _read_object(slot, domain, found)


def place_of(slot: Slot) -> str:
    """ "in Room 2", "at the Old Mill": a room, or what is written in capitals and is no title."""
    if slot.marker not in ("in", "at"):
        return ""
    words = lows(slot.items)
    nouns = [match[1][0] for at in range(len(words)) if (match := lexicon().nouns.at(words, at))]
    kept = [item for item in slot.items if item.kind != "punct" and item.low not in lexicon().small["articles"] | {"'s"}]
    named = any(item.text[:1].isupper() for item in kept) or "place" in nouns
    return text_of(kept) if kept and named and not {"event", "occasion", "group"} & set(nouns) else ""


def _contact_place(slot: Slot, found: Gathered) -> None:
    words = lows(slot.items)
    fields = [lexicon().fields[word] for word in words if word in lexicon().fields]
    if fields and found.words:
        found.select[fields[0] if fields[0] in ("company", "title", "group") else "title"] = found.words.pop()
        return
    text = " ".join(topic_words(slot.items))
    if slot.marker in ("at", "from"):
        found.select["company"] = text
    else:
        found.select["group"] = text


def _read_for(slot: Slot, domain: Domain, found: Gathered) -> None:
    if domain == "contact":
        words = lows(slot.items)
        if any((noun := lexicon().nouns.at(words, at)) and noun[1][0] == "group" for at in range(len(words))) or any(
            word in ("members", "member") for word in words
        ):
            found.select["group"] = _group_name(slot.items)
            return
        found.people.extend(people_in(slot.items, "any"))
    elif domain == "mail" and slot.marker == "of" and any(item.low == "'s" for item in slot.items):
        _read_object(slot, domain, found)
    elif any(item.kind in ("person", "name") for item in slot.items):
        found.people.extend(people_in(slot.items, "with" if domain != "mail" else "from" if slot.marker == "of" else "to"))
    else:
        _read_object(slot, domain, found)


def _group_name(items: Sequence[Item]) -> str:
    kept = [item for item in items if item.low not in ("members", "member", "all", "every", "each", "of", "the", "my", "our")]
    return text_of(kept)


_READ: dict[str, Any] = {
    "": _read_object,
    "from": _read_people("from"),
    "to": _read_people("to"),
    "with": _read_with,
    "about": _read_topic,
    "called": _read_topic,
    "subject": _read_topic,
    "cc": _read_copy,
    "in": _read_in,
    "on": _read_in,
    "at": _read_in,
    "for": _read_for,
    "of": _read_for,
}
