"""Messages made short before they are read: what is quoted or dictated at length is put aside and put back untouched."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.tokens import tokenise

LONG = 600
"""Messages of fewer characters are read as they are."""
MOST = 2400
"""So many characters are read as requests, what is quoted and dictated not counted."""
HEAD = 400
"""Whatever opens the dictation of a long message stands within so many characters."""
TAIL = 300
"""So much of the end may be a request behind dictated sentences."""
SHOWN, SPOKEN = 60, 24
"""Quotes of more characters are put aside; those of a user's message, where they may be more than a title."""
SIGN = "\ufdd0"
"""A code point that never stands for a character."""
FOLDED = re.compile(f'"{SIGN}(\\d+)"')
INSIDE = re.compile(f"{SIGN}(\\d+)")
SENTENCE = re.compile(r"(?<=[.!?;…])\s+(?=\S)|\n+(?=\S)")
ANEW = re.compile(r"(?:and |please )?(?:then|also|after(?:wards| that)|finally|next)\b", re.IGNORECASE)
"""What a request that ends a long dictation begins with, where it has no line of its own."""
ENDS = frozenset(".!?;…")

Model = TypeVar("Model", bound=BaseModel)
Instructs = Callable[[str], bool]


@dataclass(frozen=True)
class Folded:
    """`text` holds a short quote in the place of each of `parts`: the raw words with their quotes, and what they say."""

    text: str
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def too_long(self) -> bool:
        return len(self.text) > MOST

    def unfolded(self, text: str) -> str:
        return FOLDED.sub(lambda found: self._part(found, 0), text)

    def said(self, value: Model) -> Model:
        """What was read from the short text, with all that was put aside."""
        return self._with(value, lambda found: self._part(found, 1))

    def shortened(self, value: Model) -> Model:
        """What was read from the short text, with the beginnings of what was put aside."""
        return self._with(value, lambda found: _beginning(self._part(found, 1)))

    def _with(self, value: Model, put: Callable[[re.Match[str]], str]) -> Model:
        if not self.parts:
            return value
        return type(value).model_validate(_mapped(value.model_dump(), lambda text: INSIDE.sub(put, text) if SIGN in text else text))

    def _part(self, found: re.Match[str], which: int) -> str:
        number = int(found[1])
        return self.parts[number][which] if number < len(self.parts) else found[0]


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(inner, change) for key, inner in value.items()}
    return type(value)(_mapped(inner, change) for inner in value) if isinstance(value, list | tuple) else value


def _beginning(text: str) -> str:
    return " ".join(text[:SHOWN].split()) + ("…" if len(text) > SHOWN else "")


def folded(text: str, setting: Setting, instructs: Instructs | None = None) -> Folded:
    """`instructs` says whether a sentence set apart behind the dictated ones is a request; without it dictation goes on to the
    end, and only long messages are folded. With it quoted words never are, so that nothing that points or asks is read in them."""
    if len(text) <= LONG and instructs is None:
        return Folded(text)
    parts: list[tuple[str, str]] = []
    text = _quotes_folded(text.replace(SIGN, "\ufffd"), parts, SPOKEN if instructs else SHOWN)
    if len(text) > LONG and (begin := _dictated_from(text, setting)) is not None:
        end = _dictated_to(text, begin, instructs)
        words = text[begin:end].rstrip()
        end = begin + len(words)
        raw = Folded("", tuple(parts)).unfolded(words)
        text = f'{text[:begin]}"{SIGN}{len(parts)}"{text[end:]}'
        parts.append((raw, _unquoted(raw)))
    return Folded(text, tuple(parts))


def _quotes_folded(text: str, parts: list[tuple[str, str]], least: int) -> str:
    """With quotes of more than `least` characters put aside."""
    done, out = 0, list[str]()
    for token in tokenise(text):
        if token.kind == "quote" and token.end - token.begin > least:
            out += [text[done : token.begin], f'"{SIGN}{len(parts)}"']
            parts.append((text[token.begin : token.end], token.text))
            done = token.end
    return "".join([*out, text[done:]])


def _unquoted(raw: str) -> str:
    quoted = len(raw) > 1 and raw[0] in '"“' and raw[-1] in '"”'
    return raw[1:-1].strip() if quoted else raw


def _dictated_from(text: str, setting: Setting) -> int | None:
    """Where the first sentence of the head that dictates begins to."""
    head = text[:HEAD]
    if not head[-1].isspace() and len(text) > HEAD:
        head = head[: max(head.rfind(" "), head.rfind("\n")) + 1]
    items = mark(head, setting)
    for sentence in _sentences(head, items):
        start, _ = dictation(sentence)
        if start is not None and start < len(sentence):
            return sentence[start].begin
        if start is None and sentence and (open_to := _ends_open(text, sentence)) is not None:
            return open_to
    return None


def _ends_open(text: str, sentence: Sequence[Item]) -> int | None:
    """Behind "…saying:" at the end of a line: what stands on the next one is dictated."""
    last = sentence[-1]
    if last.low != ":" or last.kind != "punct":
        return None
    begin = last.end + len(text[last.end :]) - len(text[last.end :].lstrip())
    probe = [*sentence, Item("word", "x", "x", begin, begin + 1)]
    start, _ = dictation(probe)
    return begin if start is not None and begin < len(text) and text[begin] not in '"“' else None


def _sentences(text: str, items: Sequence[Item]) -> list[list[Item]]:
    found: list[list[Item]] = [[]]
    for at, item in enumerate(items):
        found[-1].append(item)
        gap = text[item.end : items[at + 1].begin] if at + 1 < len(items) else ""
        if (item.kind == "punct" and item.low in ENDS and gap) or "\n" in gap:
            found.append([])
    return found


def _dictated_to(text: str, begin: int, instructs: Instructs | None) -> int:
    if instructs is None or _colon_before(text, begin):
        return len(text)
    last = max(begin, len(text) - TAIL)
    starts = [found.end() for found in SENTENCE.finditer(text, last)]
    end = len(text)
    for start in reversed(starts):
        apart = "\n" in text[:start][-2:] or ANEW.match(text, start)
        if not apart or not instructs(text[start:end]):
            break
        end = start
    return end


def _colon_before(text: str, begin: int) -> bool:
    return text[:begin].rstrip().endswith(":")
