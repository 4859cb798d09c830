"""The user spoken of by name: said by Bob, "Bob's calendar" is "my calendar" and "Bob has to …" is "I have to …"."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item
from integrations.types import Address

FIRST_PERSON = {"has": "have", "needs": "need", "wants": "want", "does": "do", "is": "am"}
FORMS = frozenset(FIRST_PERSON) | {"must", "should", "will", "can", "would", "needed", "had", "have", "need", "receive", "get"}


def as_me(items: Sequence[Item], setting: Setting) -> tuple[Item, ...]:
    own = _own_names(setting.me, setting.names)
    if not own or not any(item.low in own for item in items):
        return tuple(items)
    result: list[Item] = []
    at = 0
    while at < len(items):
        item = items[at]
        follower = items[at + 1] if at + 1 < len(items) else None
        if item.low not in own or item.kind not in ("person", "name", "word") or not item.text[:1].isupper():
            result.append(item)
        elif follower is not None and follower.low == "'s":
            result.append(replace(item, kind="word", low="my", end=follower.end))
            at += 1
        elif follower is not None and follower.kind == "word" and follower.low in FORMS:
            result += [replace(item, kind="word", low="i"), replace(follower, low=FIRST_PERSON.get(follower.low, follower.low))]
            at += 1
        else:
            result.append(replace(item, kind="word", low="me"))
        at += 1
    return tuple(result)


@lru_cache(maxsize=8)
def _own_names(me: tuple[Address, ...], names: frozenset[str]) -> frozenset[str]:
    """Whole names and first names of the user, as far as nobody else goes by them."""
    full = {address.name.lower() for address in me if address.name}
    first = {name.split()[0] for name in full} - lexicon().known - lexicon().small["names_too"]
    others = {name.lower() for name in names} - full
    return frozenset(name for name in full | first if not any(name in (other, other.partition(" ")[0]) for other in others))
