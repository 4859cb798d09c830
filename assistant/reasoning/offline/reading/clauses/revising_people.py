"""Clauses that change whom a proposal is for, and which of several things it is about."""

from collections.abc import Sequence
from typing import Literal

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.gathered import topic_words
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.nouns.states import order_at
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times.moments import merged

PROPOSAL = Selection(refs=("proposal",))
Tone = Literal["", "adds", "corrects", "only"]
ADD = frozenset({"add", "invite", "include", "cc", "copy", "also", "plus"})
DROP = (
    "leave out", "without", "drop", "remove", "take out", "leave off", "take off", "uninvite", "not", "exclude", "skip", "delete",
    "keep", "all but", "all except", "but not",
)  # fmt: skip
NAMING = frozenset("to with for too also as well and , & instead please".split())


def people_only(items: Sequence[Item], words: Sequence[str], tone: Tone) -> Built | None:
    """ "And Omar", "also to Yuki" add somebody; "no, Clara", "how about Omar?" put somebody in the place of another."""
    people = persons_in(items)
    if not people or not all(item.kind in PERSONAL or item.low in NAMING for item in items):
        return None
    if tone == "corrects":
        return replaced(people, ())
    if tone == "only":
        return Built("revise.drop_person", {"to": tuple(n.person for n in people), "field": "others"})
    if tone == "adds":
        return Built("revise.add_person", {"to": tuple(n.person for n in people)}, recipients=list(people))
    return None


def swap(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    """ "I meant Anna Lee", "send it to Eva", "Tom instead of Anna", "change Tom to Eva", "not Tom but Eva"."""
    people = persons_in(items)
    if not people:
        return None
    if "instead of" in said or "rather than" in said:
        at = next(n for n, word in enumerate(words) if word == "of" or word == "than")
        new, old = persons_in(items[:at]), persons_in(items[at:])
        return replaced(new, old)
    if words[0] in ("change", "replace", "swap", "switch", "exchange") and len(people) == 2:
        new, old = people[1:], people[:1]
        return replaced(new, old)
    if words[0] == "not" and (border := next((n for n, word in enumerate(words) if word in ("but", ",")), 0)):
        return replaced(persons_in(items[border:]), persons_in(items[:border]))
    if "not" in words[1:]:
        border = words.index("not")
        return replaced(persons_in(items[:border]), persons_in(items[border:]))
    if "meant" in words or "mean" in words:
        at = words.index("meant") if "meant" in words else words.index("mean")
        rest = items[at:]
        cut_at = next((n for n, item in enumerate(rest) if item.low == "not"), len(rest))
        return replaced(persons_in(rest[:cut_at]), persons_in(rest[cut_at:]))
    sends = (
        words[0] in ("send", "address", "make", "it", "the")
        and any(word in ("to", "with", "for") for word in words)
        and not has_time(items)
    )
    if words[0] in GOERS and set(words) <= GOING:
        return replaced(people, ())
    if sends and (words[:2] in (["send", "it"], ["address", "it"], ["make", "it"], ["send", "that"]) or "it" in words[:3]):
        return replaced(people, ())
    return None


GOERS = frozenset({"that", "it", "this", "one", "mail", "message"})
GOING = GOERS | frozenset(
    "the is was 's should shall must has have needs need ought better to be go goes going sent addressed meant come for , and "
    "actually rather really of course \0".split(" ")
)
""" "That should go to Lena", "it was meant for Omar and Tessa"."""


def replaced(new: Sequence[Named], old: Sequence[Named]) -> Built | None:
    if not new:
        return None
    built = Built("revise.replace_person", recipients=list(new))
    built.fields["to"] = tuple(named.person for named in new)
    built.fields["select"] = PROPOSAL.model_copy(update={"people": tuple(named.person for named in old)})
    return built


def drop(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    if not said.startswith(DROP):
        return None
    if not persons_in(items) and (item := drop_item(items, words)) is not None:
        return item
    people = persons_in(items) or (
        people_in(items[1:]) if len(items) > 1 and items[-1].kind == "word" and said.startswith("leave out") else ()
    )
    if people:
        return Built("revise.drop_person", {"to": tuple(named.person for named in people)})
    about = topic_words([item for item in items[1:] if item.low not in POINTERS])
    return Built("revise.drop_person", {"select": PROPOSAL.model_copy(update={"words": about})}) if about else None


POINTERS = frozenset(
    "one ones it that them out off mail mails email event meeting from about with all but except keep leave".split()
)


def drop_item(items: Sequence[Item], words: Sequence[str]) -> Built | None:
    """ "leave out the first one", "without the last two": which of several changes."""
    chosen = next((found for at in range(len(items)) if (found := order_at(items, words, at)) is not None), None)
    if chosen is None:
        return None
    _, order, number = chosen
    return Built("revise.drop_person", {"select": PROPOSAL.model_copy(update={"order": order, "number": number})})


def such(clause: Clause, items: Sequence[Item], words: Sequence[str]) -> Built | None:
    """ "The one on Friday", "the unread ones", "the mail about the facade": which of several changes, by what is said of them."""
    if not {"one", "ones"} & set(words) and not any(lexicon().nouns.at(words, at) for at in range(len(words))):
        return None
    kept = [item for item in items if item.low not in ("one", "ones")]
    parts = cut(clause.text, kept, dictates=False)
    chosen = gather(parts, "mail").selection(merged(parts.times)).model_copy(update={"each": False})
    if chosen == Selection():
        return None
    return Built("revise.drop_person", {"select": chosen.model_copy(update={"refs": ("proposal",)})})


def add_person(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    adds = words[0] in ADD or (words[0] in ("with", "bring", "loop", "put") and not has_time(items))
    adds = adds or (items[0].kind in PERSONAL and bool(COPIED & set(words)) and set(words[-2:]) <= COPIED | {"in", "on", "as", "a"})
    rest = [
        item
        for item in items
        if item.low not in ADD | {"bring", "loop", "in", "put", "to", "it", "as", "well", "too", "on", "with", "bcc"}
    ]
    people = persons_in(rest)
    if not people and adds and any(lexicon().nouns.at(lows(rest), n) for n in range(len(rest))):
        people = people_in(rest)
    if not adds or not people or _elsewhere(items, words) or _into_place(words):
        return None
    line = "cc" if "cc" in words or "copy" in words else "bcc" if "bcc" in words else ""
    return Built("revise.add_person", {"to": tuple(named.person for named in people), "field": line}, recipients=list(people))


COPIED = frozenset({"copy", "cc", "bcc"})
""" "Omar in copy", "Eva on cc"."""
OWN_WORDS = frozenset("it that this the meeting event mail proposal cc bcc invitation list too as well".split())


def _into_place(words: Sequence[str]) -> bool:
    """ "Put it in Room 2" brings nobody in."""
    return words[0] in ("put", "bring") and words[1:2] in (["it"], ["that"], ["this"]) and words[2:3] in (["in"], ["at"], ["into"])


def _elsewhere(items: Sequence[Item], words: Sequence[str]) -> bool:
    """ "invite Tom to the budget review" is about another event than the proposal's."""
    if "to" not in words:
        return False
    own = OWN_WORDS
    behind = [item for item in items[words.index("to") + 1 :] if item.kind == "word"]
    return any(item.low not in own for item in behind)


def persons_in(items: Sequence[Item]) -> tuple[Named, ...]:
    """Only what is a person's name or address; other words are no people here."""
    kept = [item for item in items if item.kind in PERSONAL or item.low in ("and", ",")]
    found = list(people_in(kept))
    return tuple(found)


def has_time(items: Sequence[Item]) -> bool:
    return any(item.kind == "time" for item in items)
