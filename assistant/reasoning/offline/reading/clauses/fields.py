"""The fields of a contact's card in words, and their values."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.slots import lows

OTHERS = ("event", "occasion", "mail", "template")
"""Classes of nouns that may begin with a field's word: "phone call", "email message"."""


def field_at(items: Sequence[Item]) -> tuple[str, int, int]:
    """The first field that is named, and its first and last+1 item; "" where none is."""
    fields, words = lexicon().fields, lows(items)
    for at in range(len(items)):
        noun = lexicon().nouns.at(words, at)
        for length in (3, 2, 1):
            phrase = " ".join(words[at : at + length])
            if noun is not None and noun[0] > length and noun[1][0] in OTHERS:
                break
            if len(words[at : at + length]) == length and (phrase in fields or (phrase.endswith("s") and phrase[:-1] in fields)):
                return fields.get(phrase) or fields[phrase[:-1]], at, at + length
    return "", -1, -1


def value_of(clause: Clause, items: Sequence[Item]) -> str:
    kept = [item for item in items if item.kind != "punct" or item.low in ("+", "&", "-")]
    if not kept:
        return ""
    if kept[0].kind in ("address", "phone", "quote") and len(kept) == 1:
        return kept[0].text
    return clause.text[kept[0].begin : items[-1].end].strip(" .:")
