"""What only says that nothing further is meant: "… and leave the others", "but nothing else"."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import NAMED, Item

JOINTS = frozenset({"and", "but", ",", "-", "\u2013", "\u2014", ";", "please", "just", "only"})
KEEPING = frozenset({"leave", "keep", "spare", "nothing", "not", "none", "only"})
OTHERS = frozenset({"others", "rest", "else", "remaining", "other"})


def rest_from(items: Sequence[Item]) -> int | None:
    """Where such words begin at the end of a clause; 0 where they are all there is."""
    small = lexicon().asides["leaving_rest"]
    begin = len(items)
    while begin and _leaves(items, begin - 1, small):
        begin -= 1
    for at in range(begin, len(items)):
        tail = {item.low for item in items[at:]}
        negated = items[at].low == "not" and at > 1 and items[at - 1].low == "do" and items[at - 2].low in JOINTS
        leads = negated or (items[at].low in KEEPING and (not at or items[at - 1].low in JOINTS or begin == 0))
        if leads and tail & OTHERS and (items[at].low != "only" or tail & {"that", "this"}):
            at -= negated
            while at and items[at - 1].low in JOINTS:
                at -= 1
            return at
    return None


def _leaves(items: Sequence[Item], at: int, small: frozenset[str]) -> bool:
    """Whether a word, or whose it is, may stand in what is left alone."""
    item = items[at]
    owner = item.kind in NAMED and at + 1 < len(items) and items[at + 1].low == "'s"
    return owner or (item.kind in ("word", "punct") and item.low in small | OTHERS | KEEPING | JOINTS)


AS_IT_IS = tuple(
    tuple(ending.split())
    for ending in (
        "where it is|where they are|as it is|as they are|as is|as it was|alone|untouched|unchanged|be|stay|in place"
    ).split("|")
)


def without_as_it_is(items: Sequence[Item]) -> Sequence[Item]:
    """ "the review alone", "the lunch as it is": what is left so."""
    words = tuple(item.low for item in items)
    tails = [len(ending) for ending in AS_IT_IS if len(items) > len(ending) and words[-len(ending) :] == ending]
    return items[: -max(tails)] if tails else items


def keeps(items: Sequence[Item]) -> bool:
    """ "leave it where it is", "keep the review as it is", "let it be": nothing is to be done."""
    words = tuple(item.low for item in items if item.kind != "punct")
    return words[:1] in (("leave",), ("keep",), ("let",)) and any(words[-len(ending) :] == ending for ending in AS_IT_IS)


def without_rest(items: Sequence[Item]) -> Sequence[Item]:
    at = rest_from(items)
    return items[:at] if at else items
