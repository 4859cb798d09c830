"""What stands behind a marker ("from", "in", "about" …) as part of a selection."""

from collections.abc import Sequence
from typing import Any

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.gathered import Gathered, topic_words
from assistant.reasoning.offline.reading.nouns.insiders import insider
from assistant.reasoning.offline.reading.nouns.objects import read_object
from assistant.reasoning.offline.reading.nouns.persons import Role, is_job, people_in
from assistant.reasoning.offline.reading.nouns.states import Domain, state_at
from assistant.reasoning.offline.reading.slots import Slot, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item, text_of


def _read_people(role: Role) -> Any:
    def read(slot: Slot, domain: Domain, found: Gathered) -> None:
        if domain == "event" and role == "to" and not any(item.kind in PERSONAL for item in slot.items):
            read_object(slot, domain, found)
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
        if domain == "mail" and role == "from" and (inside := insider(lows(kept))) is not None:
            found.select["inside"] = inside
            kept = []
        me = [item for item in kept if item.kind == "word" and item.low in lexicon().small["me"]]
        found.people.extend(named for named in people_in(kept, role) if not (me and len(kept) == 1))
        if me and len(kept) == 1 and domain == "mail" and role in ("from", "to"):
            found.select.setdefault("folder", "Sent" if role == "from" else "Received")
        if tail:
            read_object(Slot("", tuple(tail)), domain, found)

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
        read_object(Slot("", slot.items[taken:]), domain, found)
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
        read_object(Slot("", tuple(tail)), domain, found)


def _names_people(items: Sequence[Item]) -> bool:
    words = lows(items)
    groups = any((noun := lexicon().nouns.at(words, at)) and noun[1][0] in ("group", "contact") for at in range(len(words)))
    return groups or any(item.kind in PERSONAL for item in items) or any(map(is_job, words))


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
                read_object(Slot("", tuple(tail)), domain, found)
            return
    if domain == "contact":
        _contact_place(slot, found)
    elif slot.marker == "in" and any(word in ("subject", "title", "body", "text") for word in words):
        return
    elif domain == "event" and (place := place_of(slot)):
        found.select["place"] = place
    else:
        read_object(slot, domain, found)


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
        read_object(slot, domain, found)
    elif any(item.kind in ("person", "name") for item in slot.items):
        kept, tail = _until_tail(slot.items)
        found.people.extend(people_in(kept, "with" if domain != "mail" else "from" if slot.marker == "of" else "to"))
        if tail:
            read_object(Slot("", tuple(tail)), domain, found)
    else:
        read_object(slot, domain, found)


def _group_name(items: Sequence[Item]) -> str:
    kept = [item for item in items if item.low not in ("members", "member", "all", "every", "each", "of", "the", "my", "our")]
    return text_of(kept)


READ: dict[str, Any] = {
    "": read_object,
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
