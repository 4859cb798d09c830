"""Whom a mail goes to: the people right behind the verb, those behind a marker, those in copy."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses.missives import missive
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.slots import Slot, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

SUBJECTS = frozenset({"he", "she", "they"})
TALKING = frozenset({"tell", "ask", "thank", "apologise", "congratulate", "wish"})


def indirect(items: Sequence[Item], form: Form) -> tuple[list[Named], Sequence[Item]]:
    """The people right behind the verb ("email Anna and Tom …", "tell my boss that …"), and what follows them."""
    small, lex = lexicon().small, lexicon()
    words = lows(items)
    end = 0
    if words[:1] == ["both"] and items[1:2] and items[1].kind in PERSONAL:
        items, words = items[1:], words[1:]
    while end < len(items):
        item = items[end]
        whom = item.low in small["pronouns_person"] and item.low not in SUBJECTS
        if item.kind in PERSONAL or item.low in (",", "and", "&") or whom:
            end += 1
            continue
        if _small_name(items, words, end, form):
            end += 1
            continue
        noun = lex.nouns.at(words, end)
        if item.low == "that" and end and items[end - 1].kind in PERSONAL:
            break
        articles = item.low in small["articles"] or item.low == "all"
        if articles and end and items[end - 1].kind in PERSONAL:
            break
        if not articles and not (noun is not None and noun[1][0] == "group"):
            break
        taken = 0 if missive(words, end, ("mail", "reply")) else _described(items, words, end + (1 if articles else 0))
        if not taken:
            break
        end = taken
    while end and items[end - 1].low in (",", "and", "&"):
        end -= 1
    if end < len(items) and words[end] == "'s":
        return [], items
    return list(people_in(items[:end])), items[end:]


def _small_name(items: Sequence[Item], words: Sequence[str], at: int, form: Form) -> bool:
    """An unknown word in small letters where a person stands: "send olaf a mail", "tell olaf that …"."""
    item, lex = items[at], lexicon()
    if (
        item.kind != "word"
        or not item.text.isalpha()
        or item.low in lex.known
        or (at and items[at - 1].low not in (",", "and", "&"))
    ):
        return False
    after = words[at + 1] if at + 1 < len(items) else ""
    if form.verb in TALKING:
        return True
    if form.lemma in ("email", "e-mail", "mail", "message", "write", "contact", "forward"):
        return (
            not after or after in ("a", "an", "the", "and", ",", ":", "this", "that") or lex.markers.at(words, at + 1) is not None
        )
    return after in ("a", "an") and lex.nouns.at(words, at + 2) is not None


def _described(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """The end of "marketing team", "client", "board members" from `at`; 0 where the words are no person."""
    lex = lexicon()
    end = at
    everyone = words[at : at + 1] in (["everyone"], ["everybody"], ["people"])
    if everyone and words[at + 1 : at + 2] in (["in"], ["on"], ["of"], ["from"]):
        end = at + 2 + (1 if words[at + 2 : at + 3] in (["the"], ["my"], ["our"]) else 0)
        return end + 1 if items[end : end + 1] and items[end].kind == "person" else _described(items, words, end)
    while end < len(items) and (items[end].kind in ("word", "person", "name") and items[end].text):
        noun = lex.nouns.at(words, end)
        if noun is not None and noun[1][0] == "group":
            end += noun[0]
            return end + (1 if end < len(items) and words[end] in ("members", "member") else 0)
        if noun is not None or words[end] in lex.small["stop"] or lex.markers.at(words, end) is not None:
            return 0 if noun is not None and noun[1][0] not in ("contact",) else (end if end > at else 0)
        if lex.states.at(words, end) or lex.orders.at(words, end):
            return 0
        end += 1
    return end if end > at else 0


def recipients_in(slot: Slot) -> tuple[Named, ...]:
    if slot.marker in ("with", "for") and not any(item.kind in PERSONAL for item in slot.items):
        return ()
    if slot.marker == "to" and len(slot.items) == 1 and slot.items[0].low in ("me", "myself"):
        return ()
    return people_in(slot.items)


def with_copies(slots: Sequence[Slot]) -> list[Slot]:
    """ "with Omar in cc": what follows "in" says how "with" is meant."""
    joined: list[Slot] = []
    for slot in slots:
        if joined and joined[-1].marker == "with" and slot.marker in ("in", "cc", "bcc") and _copies([slot]):
            line = "bcc" if slot.marker == "bcc" or any(item.low == "bcc" for item in slot.items) else "cc"
            joined[-1] = Slot(line, joined[-1].items)
            continue
        if joined and joined[-1].marker == slot.marker and slot.marker in ("cc", "bcc") and _copies([slot]):
            continue
        joined.append(slot)
    return joined


def _copies(slots: Sequence[Slot]) -> bool:
    return all({item.low for item in slot.items if item.kind != "punct"} <= {"cc", "bcc", "copy"} for slot in slots)


def as_copy(slot: Slot) -> Slot:
    words = lows(slot.items)
    if slot.marker == "with" and words[-2:] in (["in", "cc"], ["in", "bcc"]):
        return Slot(words[-1], slot.items[:-2])
    return slot


PUTTING = frozenset({"put", "keep", "have", "add", "take", "loop", "bring"})


def in_copy(items: Sequence[Item]) -> Sequence[Item]:
    """ "… and put Tom in copy": read as "… cc Tom"."""
    for at, item in enumerate(items):
        end = at + 1
        while end < len(items) and (items[end].kind in PERSONAL or items[end].low in ("and", ",")):
            end += 1
        if item.low not in PUTTING or end == at + 1 or end + 1 >= len(items) or items[end].low not in ("in", "on"):
            continue
        if (line := items[end + 1].low) in ("copy", "cc", "bcc"):
            start = at - 1 if at and items[at - 1].low in ("and", ",") else at
            marker = replace(item, low="cc" if line == "copy" else line)
            return (*items[:start], marker, *items[at + 1 : end], *items[end + 2 :])
    return items
