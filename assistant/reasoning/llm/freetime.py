"""Whether a text calls a time free that no report does."""

import re
from collections.abc import Iterator

_TIME = r"(\d{1,2})(?:[:.](\d\d))?(?: ?([ap])\.?m\b)?(?!\d)"
SPAN = re.compile(rf"(?<![\d:.]){_TIME} ?(?:to|until|till|and|[-\u2013]) ?{_TIME}", re.IGNORECASE)
POINT = re.compile(rf"\bfree\b[^.!?\n]{{0,40}} at {_TIME}", re.IGNORECASE)
FREE = re.compile(r"\bfree\b", re.IGNORECASE)
NOT_FREE = re.compile(r"(?:\bnot|n['\u2019]t|\bnever|\bno longer)\b[^.!?\n]{0,30} free\b", re.IGNORECASE)
_YOU = re.compile(r"\byou\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
Span = tuple[int, int]


def unknown_free(text: str, known: str) -> Iterator[str]:
    """Times at which the user is said to be free, and that lie in none that is `known` as free."""
    told = [one for one in _SENTENCE.split(text) if FREE.search(one) and _YOU.search(one) and not NOT_FREE.search(one)]
    there = tuple(_free(known)) if told else ()
    for sentence in told:
        for whole, readings in _times(sentence):
            if not any(start <= first and last <= end for start, end in there for first, last in readings):
                yield whole


def _free(known: str) -> Iterator[Span]:
    """In minutes of the day; of lines that say so, and of those under a heading that does."""
    under = False
    for line in known.split("\n"):
        says = bool(FREE.search(line)) and not NOT_FREE.search(line)
        under = (under or says) and bool(line.strip()) and (says or line.lstrip()[:1].isdigit())
        if under:
            yield from (reading for _, readings in _times(line) for reading in readings)


def _times(line: str) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Each with all that it can mean; an end's half of the day is also its start's where that has none."""
    for found in SPAN.finditer(line):
        starts, ends = _minutes(*found.groups()[:3]), _minutes(*found.groups()[3:])
        yield found[0], tuple((start, end) for start in starts for end in ends if start < end)
    for found in POINT.finditer(line):
        yield found[0], tuple((minute, minute) for minute in _minutes(*found.groups()))


def _minutes(hour: str, minute: str | None, half: str | None) -> tuple[int, ...]:
    at, past = int(hour), int(minute or 0)
    if half:
        return (60 * (at % 12 + (12 if half in "pP" else 0)) + past,)
    either = at <= 12 and not (minute and (at > 9 or hour[0] == "0"))
    return (60 * at + past, 60 * ((at + 12) % 24) + past) if either else (60 * at + past,)
