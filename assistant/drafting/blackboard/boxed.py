"""Answers in the form `boxed[answer]`, or LaTeX's `\\boxed{answer}`."""

import re
from collections.abc import Iterator
from typing import Any

from assistant.drafting.blackboard.loose import Found, objects

_OPENING = re.compile(r"boxed\s*([\[{])", re.IGNORECASE)
_ECHOES = ("", "answer", "...", "…")


def boxed(text: str) -> str:
    """The last one with balanced brackets, be it in a key, in a value or among the words; the prompt's own example is none."""
    answers = [answer for segment in _segments(text) for answer in _answers(segment)]
    return answers[-1] if answers else ""


def holds_box(text: str) -> bool:
    return _OPENING.search(text) is not None


def _answers(segment: str) -> Iterator[str]:
    ends = _all_ends(segment)
    after = 0
    for opened in _OPENING.finditer(segment):
        end = ends.get(opened.end() - 1, 0)
        if opened.start() < after or not end:
            continue
        after = end
        answer = segment[opened.end() : end].strip()
        if answer.strip("\"'").lower() not in _ECHOES:
            yield answer


def _all_ends(segment: str) -> dict[int, int]:
    return _ends(segment, "[]") | _ends(segment, "{}")


def _ends(segment: str, pair: str) -> dict[int, int]:
    """Where each bracket of this kind that is closed again is closed."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for sign in re.finditer(f"[{re.escape(pair)}]", segment):
        if sign[0] == pair[0]:
            opened.append(sign.start())
        elif opened:
            ends[opened.pop()] = sign.start()
    return ends


def _segments(text: str) -> Iterator[str]:
    """The words as they are, but the strings of an object that speaks of a box with their escapes resolved."""
    at = 0
    ends = _all_ends(text)
    for found in objects(text):
        strings = list(_strings(found.value))
        if any(_OPENING.search(one) for one in strings) and not _cut(text, found, strings, ends):
            yield text[at : found.start]
            yield from strings
            at = found.end
    yield text[at:]


def _cut(text: str, found: Found, strings: list[str], ends: dict[int, int]) -> bool:
    """Whether the object is read by halves: an answer that holds quotes ends its string too early, and a box of the object is
    closed only behind it."""
    boxes = (opened.end() - 1 for opened in _OPENING.finditer(text, found.start, found.end))
    quoted = any(_OPENING.search(one) and ('"' in one or "'" in one) for one in strings)
    return quoted and any(ends.get(box, 0) >= found.end for box in boxes)


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < 8:
        for key in value if isinstance(value, dict) else ():
            yield key
            yield from _strings(value[key], depth + 1)
        for inner in value if isinstance(value, list) else ():
            yield from _strings(inner, depth + 1)
