"""Verbs in two words whose second stands behind the object: "take Tom out of …", "bring the call forward by an hour"."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item

PARTICLES = frozenset({"off", "out", "forward", "back", "away", "on", "along", "round", "around", "in", "up", "down"})
BEHIND = frozenset({"to", "of", "by", "until", "till", "from", "into", "for", "and", "please", ",", "with"})
BEHIND_IN_OR_ON = {"on": frozenset({"to", ",", "please"}), "in": frozenset({"on", "for", "please"})}
"""What may follow a particle that is a preposition as well; else it leads to what follows it."""
FAR = 12


def joined(items: Sequence[Item], words: Sequence[str], at: int) -> tuple[Item, ...] | None:
    """The items with the particle of the verb at `at` put right behind it; None where it has none that stands apart."""
    if at >= len(items) or items[at].kind != "word":
        return None
    own = _particles(words[at])
    if not own or (words[at + 1 : at + 2] and words[at + 1] in own):
        return None
    for n in range(at + 2, min(len(items), at + FAR)):
        if words[n] in own and _stands_alone(items, words, n, words[at]):
            return (*items[: at + 1], items[n], *items[at + 1 : n], *items[n + 1 :])
    return None


def _particles(verb: str) -> frozenset[str]:
    rows = lexicon().verbs.by_first.get(verb, ())
    return frozenset(row[1] for row, form in rows if len(row) == 2 and form.base and row[1] in PARTICLES)


def _stands_alone(items: Sequence[Item], words: Sequence[str], at: int, verb: str) -> bool:
    if at + 1 == len(items) or items[at + 1].kind == "punct":
        return True
    if verb == "take" and words[at] in ("off", "out"):
        return True
    if words[at] in BEHIND_IN_OR_ON:
        return words[at + 1] in BEHIND_IN_OR_ON[words[at]] or items[at + 1].low.startswith("for ")
    return items[at + 1].kind == "time" or words[at + 1] in BEHIND
