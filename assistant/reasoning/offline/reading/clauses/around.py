"""What stands behind a verb, asked for its nouns, people, times and fields."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.slots import lows, noun_of
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

FLAGS = frozenset({"flag", "flags", "star"})


@dataclass(frozen=True)
class Around:
    """What stands behind a verb."""

    form: Form
    rest: Sequence[Item]
    words: Sequence[str]

    @property
    def times(self) -> list[Item]:
        return [item for item in self.rest if item.time is not None]

    @property
    def lengths(self) -> list[Item]:
        return [item for item in self.times if item.time is not None and item.time.kind == "duration"]

    @property
    def persons(self) -> bool:
        return any(item.kind in PERSONAL for item in object_items(self.rest))

    @property
    def begins_with_person(self) -> bool:
        return bool(self.rest) and self.rest[0].kind in PERSONAL

    def says(self, *words: str) -> bool:
        return any(word in words for word in self.words)

    def has_noun(self, *classes: str) -> bool:
        return has_noun(self.rest, classes)

    def leads_to(self, markers: Sequence[str], nouns: Sequence[str]) -> bool:
        """Whether a slot of these markers holds one of these nouns ("" for words the lexicon does not know)."""
        for at, word in enumerate(self.words):
            if word in markers and at + 1 < len(self.rest) and self.rest[at + 1].kind != "time":
                return noun_of(self.rest[at + 1 :])[0] in nouns
        return False

    @property
    def contacts(self) -> bool:
        return self.says("contacts", "contact", "address")


def object_items(rest: Sequence[Item]) -> Sequence[Item]:
    words = lows(rest)
    stop = next((at for at in range(len(rest)) if rest[at].kind == "word" and lexicon().markers.at(words, at)), len(rest))
    return rest[:stop]


def has_noun(rest: Sequence[Item], classes: Sequence[str]) -> bool:
    words = lows(rest)
    return any((match := lexicon().nouns.at(words, at)) and match[1][0] in classes for at in range(len(rest)))


SPARE = frozenset({"free", "spare", "available"})


def spare(items: Sequence[Item]) -> bool:
    """Whether a length is said to be free: "a free hour", "30 free minutes"."""
    lengths = [item for item in items if item.time is not None and item.time.kind == "duration"]
    return any(SPARE & set(item.low.split()) for item in lengths)


def owned_by_person(rest: Sequence[Item]) -> bool:
    """ "Eva's name", but not "the name of the standup"."""
    person = len(rest) > 2 and rest[0].kind in ("person", "name") and rest[1].low == "'s"
    return person and not has_noun(rest, ("event", "occasion"))


BESIDE_A_FIELD = frozenset("about from regarding of with that on sent".split())


def is_field(rest: Sequence[Item]) -> bool:
    """ "Sarah's email", "the email of Sarah": one possessor, a singular, and nothing behind it that describes a mail."""
    words = lows(rest)
    mail = ("email", "mail", "e-mail")
    for at in range(len(rest) - 1):
        owner = rest[at + 2].kind if at + 2 < len(rest) else ""
        if words[at] in mail and words[at + 1] in ("of", "for") and owner in ("person", "name"):
            return True
        if words[at + 1] == "'s" and rest[at].kind in ("person", "name", "word", "ref"):
            owned = words[at + 2 : at + 3]
            return bool(owned) and owned[0] in (*mail, "new") and not BESIDE_A_FIELD & set(words[at + 3 :])
    return False
