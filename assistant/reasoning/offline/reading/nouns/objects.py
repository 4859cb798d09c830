"""The object of a clause as part of a selection: states, numbers, names, nouns and the words of a title."""

from collections.abc import Sequence
from typing import Any

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.gathered import Gathered
from assistant.reasoning.offline.reading.nouns.persons import Role, people_in
from assistant.reasoning.offline.reading.nouns.states import Domain, counted_at, state_at
from assistant.reasoning.offline.reading.slots import Parts, Slot, lows
from assistant.reasoning.offline.reading.text.items import Item


def read_object(slot: Slot, domain: Domain, found: Gathered) -> None:
    items = [item for item in slot.items if item.kind != "punct"]
    words, lex = lows(items), lexicon()
    at, plural, noun_seen = 0, False, False
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
            noun_seen = True
            plural |= match[1][1] or (match[1][2] == "mail" and bool({"my", "any", "all"} & set(words[:at])))
            if not _is_title(items, words, at, match, domain):
                at += match[0]
                continue
            found.words.append(item.text)
        elif item.kind == "word" and item.low in lex.small["each"]:
            found.select["each"] = True
        elif _says_something(item):
            found.words.append(item.text)
            plural |= domain == "mail" and _is_kinds(item)
        at += 1
    _note_several(found, words, plural, domain)


def _is_kinds(item: Item) -> bool:
    """ "the issues", "her reports": several of what a mail may be."""
    kinds = lexicon().small["kinds"]
    return item.kind == "word" and item.low not in kinds and item.low.endswith("s") and item.low[:-1] in kinds


def _says_something(item: Item) -> bool:
    """Whether a mail or event can be found by this word."""
    word = item.kind == "word" and item.text != "" and item.low not in lexicon().small["stop"]
    return word or item.kind in ("quote", "name") or (item.kind == "number" and not item.low.isdigit())


def _note_several(found: Gathered, words: Sequence[str], plural: bool, domain: Domain) -> None:
    several = domain == "event" and plural and (found.select.get("each") or "upcoming" in words)
    if several and (found.select.get("order"), found.select.get("number")) == ("next", 1):
        del found.select["order"], found.select["number"]  # "all upcoming meetings": every one of them
    if plural and not found.select.get("order"):
        found.select["each"] = True


def own_draft(parts: Parts) -> bool:
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
