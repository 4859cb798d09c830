"""Noun phrases that name a value which only words can tell: "the tracking number of the parcel", "due date of the invoice"."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item

AGAIN = frozenset("again once more please quickly just exactly over anew , ? . ! - : me us time".split())
"""What stands around such a phrase and says nothing of the value."""
JOINING = frozenset("without with and or but about as no".split())
"""What no such phrase has before its head."""
BEHIND = frozenset("of for from in on at to that which where who we i he she they you by is was".split())
TO_DO = frozenset({"time", "date", "place", "room", "reason"})
"""Behind these "to" leads to what shall be done, and "a time for lunch" is yet to be found."""
CARD = frozenset("phone mobile cell telephone home work office private business e-mail email mail full job street".split())
"""What a field of a card is called besides."""


def value_phrase(items: Sequence[Item]) -> tuple[Item, ...]:
    """The phrase without what stands around it; nothing where its head is no value, or one that stands on somebody's card."""
    kept = _trimmed(items)
    words = lows(kept)
    head = _head(kept, words)
    return kept if head is not None and not _on_a_card(kept, words, head) else ()


def _trimmed(items: Sequence[Item]) -> tuple[Item, ...]:
    begin, end = 0, len(items)
    while begin < end and (items[begin].low in AGAIN or (begin and items[begin].low == "of")):
        begin += 1
    while end > begin and items[end - 1].low in AGAIN:
        end -= 1
    return tuple(items[begin:end])


def _head(items: Sequence[Item], words: Sequence[str]) -> int | None:
    """The first word for a value that ends the phrase or has something said of it behind; what stands before describes it."""
    small = lexicon().small
    for at, item in enumerate(items):
        if item.kind not in ("word", "name", "person", "number", "quote", "ref"):
            return None
        if item.low in (BEHIND | JOINING) - {"that", "which", "i", "on"} or lexicon().small["free"] & {item.low}:
            return None
        if words[at] not in small["values"]:
            continue
        if words[at] in TO_DO and {"a", "an", "any", "some", "another"} & set(words[:at]):
            return None
        follower = items[at + 1] if at + 1 < len(items) else None
        if follower is not None and follower.low == "to" and words[at] in TO_DO:
            return None
        serial = at > 0 and words[at - 1] in small["serials"]
        if follower is None or serial or follower.low in BEHIND or follower.kind in ("person", "name", "ref", "punct"):
            described = at > 0 and any(word not in small["articles"] for word in words[:at])
            return at if described or follower is not None else None
    return None


def _on_a_card(items: Sequence[Item], words: Sequence[str], head: int) -> bool:
    """ "Yuki's mobile number", "the address of Mr Brandt", "phone number": what a contact tells."""
    if not {words[head], words[head].removesuffix("es"), words[head].removesuffix("s")} & (
        lexicon().fields.keys() | {"name", "job"}
    ):
        return False
    if head and words[head - 1] in CARD:
        return True
    owner = next((n for n in range(head - 1, -1, -1) if words[n] not in CARD), -1)
    if owner > 0 and words[owner] == "'s":
        return True
    before = [item for item in items[:head] if item.low not in lexicon().small["articles"] | CARD | {"'s"}]
    if any(item.kind == "word" for item in before):
        return False
    behind = [item for item in items[head + 1 :] if item.low not in BEHIND | lexicon().small["articles"]]
    theirs = bool(behind) and all(item.kind in ("person", "name", "ref") for item in behind) and words[head + 1] in ("of", "for")
    return bool(before) or not behind or theirs
