"""Numbers that point into a list: "reply to 3" is "reply to the third one"."""

import re
from typing import NamedTuple

from assistant.reasoning.base import Analysis, Request
from assistant.reasoning.lines import listed_on
from assistant.reasoning.offline.planning.analyses import spoken
from assistant.reasoning.offline.planning.talk.numerals import ACTS, DICTATED, MORE, OF_MAILS, ON, ORDINALS, SAYS_THAT

NUMBERS = re.compile(
    rf"(?P<does>\b(?:{ACTS}|book|take|choose|pick)\s+)(?:{OF_MAILS}|(?:the\s+)?(?:numbers?|items?|no\.|nr\.?)\s*|#)?(?P<of>\d{{1,2}}{MORE})\b{ON}",
    re.IGNORECASE,
)
WRITES = re.compile(
    r"(?:answer|reply|respond|write back|accept|decline|reject|turn down|archive|delete|trash|bin|forward)\b", re.IGNORECASE
)
NONE = "I don't know what number {} is: nothing that was shown lately has it. Show the list again, then say its number."
FEWER = "There is no number {} in the list; it is numbered from 1 to {}."


class Pointed(NamedTuple):
    """The request with its numbers made references; `instead` is the answer where they can't be."""

    request: Request
    instead: Analysis | None = None


def in_list(request: Request) -> Pointed:
    """With places for numbers, where the last that was numbered is a list of mails, events and the like. What would write is not
    done with a number that stands for nothing."""
    size = min(listed_on(request.shown), len(ORDINALS))
    head, rest = undictated(request.text)
    pointing = [(found, number) for found in NUMBERS.finditer(head) for number in numbers_of(found["of"])]
    if not size:
        lacking = next((number for found, number in pointing if WRITES.match(found["does"])), None)
        return Pointed(request) if lacking is None or len(request.proposal) > 1 else _lacks(request, NONE.format(lacking))
    lacking = next((number for _, number in pointing if not 0 < number <= size), None)
    if lacking is not None:
        return _lacks(request, FEWER.format(lacking, size))
    if size == 1 and pointing and listed_on(request.shown[:1]) != 1:
        return _lacks(request, NONE.format(1))
    placed = NUMBERS.sub(_placed if size > 1 else r"\g<does>it", head)  # a place of its own would be that in a longer list before
    return Pointed(request.model_copy(update={"text": placed + rest}))


def _lacks(request: Request, words: str) -> Pointed:
    return Pointed(request, spoken(request, words, "a place in a list", understood=False))


def _placed(found: re.Match[str]) -> str:
    places = [f"the {ORDINALS[number - 1]}" for number in numbers_of(found["of"])]
    return found["does"] + (f"{places[0]} one" if len(places) == 1 else f"{', '.join(places[:-1])} and {places[-1]}")


def numbers_of(words: str) -> list[int]:
    """ "1, 3 and 5-7"."""
    spans = re.findall(r"(\d+)(?:\s*[-\u2013]\s*#?(\d+))?", words)
    return [number for first, last in spans for number in range(int(first), int(last or first) + 1)]


def undictated(text: str) -> tuple[str, str]:
    """What the user says to the assistant, and what is to be written."""
    begun = [found.start() for found in (DICTATED.search(text),) if found]
    begun += [found.start("that") for found in (SAYS_THAT.search(text),) if found]
    at = min(begun, default=len(text))
    return text[:at], text[at:]
