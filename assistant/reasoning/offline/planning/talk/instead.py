"""A request in the place of the one whose proposal is open: "actually, decline it", "no, rather move it to 2", "… instead"."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Request
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.completing import completed
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_openers
from assistant.reasoning.offline.reading.grammar import domain_of, parse
from assistant.reasoning.offline.reading.text.items import Item

INSTEAD = re.compile(r"[\s,]+instead(?: please)?[\s.!]*$", re.IGNORECASE)
POINTING = frozenset({"it", "that", "this", "them"})


def in_place(request: Request) -> str:
    """The request without the words that say so; empty where the open proposal is to stay."""
    if not request.proposal or not request.last:
        return ""
    before = parse(request.last, request.setting).call
    if before is None:
        return ""
    if more := completed(request.last, before, request.text, request.setting):
        return more
    text = INSTEAD.sub("", request.text)
    rest, corrects = _without_lead(mark(text, request.setting))
    if not rest or not (corrects or text != request.text):
        return ""
    said = text[rest[0].begin :]
    found = parse(said, request.setting)
    if found.call is None or found.clause.mood != "do" or not criteria.writes(found.call.operation):
        return ""
    points = (
        found.call.select.refs == ("shown",) or bool(POINTING & {item.low for item in rest}) or _names_nothing(found.call.select)
    )
    same = domain_of(found.call.operation) == domain_of(before.operation)
    return said if same and (points or found.call.operation == before.operation) else ""


def _names_nothing(select: object) -> bool:
    return select == type(select)()


def _without_lead(items: Sequence[Item]) -> tuple[Sequence[Item], bool]:
    corrects = False
    while items:
        rest, taken = strip_openers(items, lexicon().polite["correcting"])
        rest, _ = strip_openers(rest, lexicon().polite["openers"])
        corrects = corrects or bool(taken)
        if len(rest) == len(items):
            break
        items = rest
    return items, corrects
