"""People by whether they belong to the user's own house: "colleagues", "anybody outside our office"."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item

LINKING = frozenset(
    "who that are is do does not n't work works working from of at in with for to belong belongs the our my here by".split()
)
OUTSIDERS, INSIDERS = "outsiders", "insiders"
APART = frozenset({"outside", "external", "beyond", "not", "n't"})


def with_houses(items: Sequence[Item]) -> tuple[Item, ...]:
    """Each phrase for people of another house as one word; "everyone in the studio" may be a group, and stays."""
    small = lexicon().small
    if not any(item.low in small["houses"] for item in items) or not any(item.low in small["somebody"] | APART for item in items):
        return tuple(items)
    result, at = list[Item](), 0
    while at < len(items):
        end = _house_at(items, at)
        if not end:
            result.append(items[at])
            at += 1
            continue
        word, end = (OUTSIDERS, end) if end > 0 else (INSIDERS, -end)
        result.append(replace(items[at], kind="word", text=word, low=word, end=items[end - 1].end))
        at = end
    return tuple(result)


def _house_at(items: Sequence[Item], at: int) -> int:
    """Where "people … our office" ends that begins here, below 0 for people of the user's own; 0 where none does. A house is
    one's own: "our", "my", "the"."""
    small = lexicon().small
    somebody = items[at].low in small["somebody"]
    outside = items[at].low == "outside" and at > 0 and items[at - 1].low in ("from", "by", "who", "somewhere")
    words = [item.low for item in items[at + 1 : at + 5] if item.low not in ("who", "that")]
    if somebody and words[:1] in (["i"], ["we"]) and words[1:3] == ["work", "with"]:
        return -(at + 4 + (items[at + 1].low in ("who", "that")))
    if not somebody and not outside:
        return 0
    n = at + 1
    while n < len(items) and (items[n].low in LINKING | APART or items[n].low in small["somebody"]):
        n += 1
    apart = any(item.low in APART for item in items[at:n])
    owned = apart and n > at + 1 and items[n - 1].low in ("our", "my", "the", "here", "at", "in")
    return n + 1 if n < len(items) and owned and items[n].low in small["houses"] else 0


def insider(words: Sequence[str]) -> bool | None:
    """Whether the words name people of the user's own house, or others; None where they say neither."""
    kept = [word for word in words if word not in lexicon().small["articles"] | {"own", "people"}]
    if len(kept) != 1 or kept[0] not in lexicon().small["insiders"] | lexicon().small["outsiders"]:
        return None
    return kept[0] in lexicon().small["insiders"]
