"""A request in the place of the one whose proposal is open: "actually, decline it", "no, rather move it to 2", "… instead"."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Request
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.asides import NEGATION
from assistant.reasoning.offline.planning.completing import completed
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import clause_of, strip_openers
from assistant.reasoning.offline.reading.grammar import domain_of, parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.tokens import tokenise

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
    if behind := _taken_back(text, rest, before.operation, request):
        rest, corrects = behind, True
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


LET_BE = re.compile(
    r"^(?:(?:oh|no|nope|wait|hm+|stop|hang on|hold on|actually|sorry|ok|okay|well|right|on second thoughts?)\b"
    r"[\s,.!\u2013-]*)*(?:please )?"
    r"(?:(?P<keeps>keep|leave)|forget(?: about)?|scrap|scratch|skip|ignore|never ?mind)"
    r"(?: (?:it|that|this|them|those|the whole thing|everything|all that))?(?: (?:as (?:it|they) (?:is|are)|alone|be|in|there))?"
    r"(?:\s*[,.;:!\u2013-]+|\s(?=but\b|and\b))\s*(?:(?:but|and|just|only|rather|instead|simply|then|please)\b[\s,]*)*(?P<rest>\w.*)$",
    re.IGNORECASE | re.DOTALL,
)
GIVES_UP = re.compile(
    r"(?:please )?(?:keep|leave|forget|scrap|scratch|skip|ignore|drop|cancel|delete|discard|bin|undo|stop|never ?mind"
    r"|don['\u2019]?t)\b"
    r"(?: (?:it|that|this|them|about|all|of|everything|the|whole|thing|send|do|bother|now|then|please))*[\s.!]*",
    re.IGNORECASE,
)
""" "Never mind, scrap it" asks for nothing else."""
NEW = frozenset({"create_event", "send_mail", "save_draft", "create_contact", "save_template"})
"""Proposals of something that is not there yet: "keep it" keeps these as they are proposed, and "it" is nothing else."""


def dropped(text: str) -> bool:
    """ "Never mind, scrap it": given up in two breaths."""
    found = LET_BE.match(text)
    return found is not None and GIVES_UP.fullmatch(found["rest"]) is not None


def let_be(request: Request) -> str:
    """What is asked for instead of the open proposal: "keep it, only drop Felix from it", "forget that, just move it to 4"."""
    found = LET_BE.match(request.text) if request.proposal else None
    if found is None or GIVES_UP.fullmatch(found["rest"]):
        return ""
    new = any(proposal.action.kind in NEW for proposal in request.proposal)
    points = (POINTING | {"its"}) & set(lows(tokenise(found["rest"])))
    return "" if new and (found["keeps"] or points) else found["rest"]


def _taken_back(text: str, items: Sequence[Item], operation: str, request: Request) -> Sequence[Item]:
    """What stands behind "don't cancel it, …", where that is what is proposed; nothing where the message begins otherwise."""
    at = next((n for n, item in enumerate(items) if item.low in BREAKS), 0)
    if not at or at + 1 >= len(items) or not clause_of(text, items[:at]).negated:
        return ()
    deed = NEGATION.sub("", text[items[0].begin : items[at - 1].end], count=1)
    call = parse(deed, request.setting).call
    rest, _ = _without_lead(items[at + 1 :])
    return rest if call is not None and call.operation == operation else ()


BREAKS = frozenset({",", ".", ";", "but", "-", "\u2013", "\u2014"})


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
