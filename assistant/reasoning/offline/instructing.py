"""The words of a step: the user's own, with references in the places of names."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.parsed import Parse


def instruction_of(text: str, found: Parse, edits: Sequence[tuple[int, int, str]]) -> str:
    """The user's own words without politeness, with references in the places of names."""
    end = len(text) if found.call is not None and found.call.body else found.end
    words = text
    for begin, stop, ref in sorted(edits, reverse=True):
        words = words[:begin] + ref + words[stop:]
        end += len(ref) - (stop - begin)
    instruction = words[found.begin : end].strip()
    if found.clause.mood == "fact" and not _asks(found):
        return f"Check whether {instruction}"
    return _capital(instruction)


def _asks(found: Parse) -> bool:
    return found.clause.head in lexicon().small["auxiliaries"]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
