"""A message about one thing that is proposed or was made last, taken apart into the changes that it asks for."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.coming import change_of, with_people
from assistant.reasoning.offline.reading.clauses.revising import SUITING
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import clause_of, strip_closers, strip_openers
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item, is_hour

JOINTS = frozenset({"and", ",", "but", "then", ".", ";", "-", "\u2013", "\u2014", "!"})


ASKING = re.compile(
    r"^(?:(?:hm+|ok|okay|oh|and|so|actually|sorry|well),? )*(?:can|could|shall|may|might) (?:we|you|i) "
    r"(?:(?:please|maybe|perhaps|just) )?"
    r"(?=(?:do|make|have|hold|put|call|name|start|add|invite|drop|leave|move|push|change|set|meet|take|use|include|shorten|extend)\b)",
    re.IGNORECASE,
)
""" "Can we do it at three?" over a proposal asks for that change."""


def amendments(request: Request, start: datetime | None) -> list[str]:
    """The message, parted only where both sides are changes of their own, without what is said beside them. `start`: when the
    thing begins, from which "half past" is counted."""
    request = request.model_copy(update={"text": ASKING.sub("", with_people(request))})
    items: Sequence[Item] = _without_afterthought(mark(request.text, request.setting))
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    items = items if _in_tone(stripped) or lows(items[:1]) in (["just"], ["only"]) else stripped
    named = _in_tone(items) and items[0].low not in ("send", "forward")
    keeps = named or lows(items[-1:]) in (["too"], ["well"])
    items = items if _dictated(stripped) or keeps else strip_closers(_uncorrected(items))
    if not items:
        return [request.text]
    items = items if _dictated(stripped) else _without_beside(items, request)
    return [_in_full(piece, request, start) for piece in _parted(items, request, start)]


def _without_afterthought(items: Sequence[Item]) -> Sequence[Item]:
    """ "Lena as well, come to think of it": without what a comma parts off and what says nothing."""
    ends = (n for n in range(1, len(items) - 2) if items[n].low == "," and len(strip_closers(items[n - 1 :])) <= 2)
    return items[: next(ends, len(items))]


def _parted(items: Sequence[Item], request: Request, start: datetime | None) -> list[str]:
    whole = _words(items, request)
    if _revises(_in_full(whole, request, start), request.setting, swap=True):
        return [whole]
    for at in range(1, len(items) - 1):
        if items[at].low not in JOINTS:
            continue
        left, right = (_in_full(_words(part, request), request, start) for part in (items[:at], items[at + 1 :]))
        if _revises(left, request.setting) and _revises(right, request.setting):
            return [_words(items[:at], request), *_parted(items[at + 1 :], request, start)]
    return [whole]


def _revises(text: str, setting: Setting, *, swap: bool = False) -> bool:
    call = change_of(text, setting)
    return call is not None and (not swap or call.operation in ("revise.replace_person", "revise.body"))


def _words(items: Sequence[Item], request: Request) -> str:
    return request.text[items[0].begin : items[-1].end]


def _in_tone(items: Sequence[Item]) -> bool:
    """ "And Omar", "Omar instead": a word in front or behind says whether he comes in addition or in the place of another."""
    if not items:
        return False
    return items[0].kind in ("person", "name", "address") or items[0].low in ("to", "with", "send", "forward")


def _dictated(items: Sequence[Item]) -> bool:
    lead = lows(items[:2])
    return lead[:1] in (["say"], ["write"], ["mention"], ["add"]) or lead in (["also", "say"], ["with", "the"], ["with", "a"])


REASONS = frozenset({"because", "since", "as", "cause", "cos", "when", "once", "so", "for", "while", "until", "till", "before"})
SUBJECTS = frozenset("i we he she they it that this there you nobody everyone everybody".split())
COMMAS = frozenset({",", "-", "\u2013", "\u2014", ".", ";", ":", "("})


def _without_beside(items: Sequence[Item], request: Request) -> Sequence[Item]:
    """Without the reason and the statement behind a change ("without Mum, she's away then") or in front of it ("she's ill, so
    leave her out")."""
    for at in range(1, len(items) - 1):
        if (begin := _beside_from(items, at)) is None or not _tells(items[begin:], request):
            continue
        left = items[:at]
        if not _changes(items[begin:], request) and _changes(left, request):
            return left
    for at in range(2, len(items) - 1):
        begin = at + 1 + (items[at + 1].low == "so")
        told = items[at].low in COMMAS | {"so"} and _tells(items[:at], request) and not _changes(items[:at], request)
        if told and begin < len(items) and _changes(items[begin:], request):
            return items[begin:]
    return items


def _beside_from(items: Sequence[Item], at: int) -> int | None:
    words = lows(items)
    if words[at] == "because":
        return at + 1 + (words[at + 1] == "of")
    begin = at + 1 if words[at] in COMMAS else at
    begin += begin < len(items) - 1 and words[begin] in REASONS
    if begin == at or begin >= len(items):
        return None
    return begin if words[begin] in SUBJECTS or items[begin].kind in PERSONAL else None


def _tells(items: Sequence[Item], request: Request) -> bool:
    """A statement about somebody or something; behind "because of" a noun alone."""
    words = lows(items)
    if words[0] in SUBJECTS or items[0].kind in PERSONAL:
        said = words[1:5]
        verb = any(word in lexicon().small["auxiliaries"] | {"'s", "'re", "'m", "'ll", "'ve"} for word in said)
        return verb or clause_of(request.text, items).mood == "statement"
    return items[0].kind in ("word", "name") and len(items) < 4


def _changes(items: Sequence[Item], request: Request) -> bool:
    """Whether every part of these words is a change, a bare hour and a part of one included."""
    trimmed = strip_closers(items)
    if not trimmed:
        return False
    whole = _words(trimmed, request)
    if _minutes(whole) is not None or (len(trimmed) == 1 and _is_hour(trimmed[0])):
        return True
    parts = _parted(trimmed, request, request.setting.now)
    return all(_revises(_in_full(part, request, request.setting.now), request.setting) for part in parts)


PARTIAL = re.compile(
    r"(?:(?:at|to|make (?:it|that)|a|on) )*(?P<part>half past|quarter past|quarter to|on the hour|(?:the )?full hour)"
)
"""Times that leave out their hour."""
PARTS = {"half past": 30, "quarter past": 15, "quarter to": 45}


def _minutes(said: str) -> int | None:
    found = PARTIAL.fullmatch(said.lower().strip(" ,.!"))
    return PARTS.get(found["part"], 0) if found else None


def _in_full(piece: str, request: Request, start: datetime | None) -> str:
    """A bare hour and "half past" as a time of day."""
    items, _ = strip_openers(mark(piece, request.setting), lexicon().polite["correcting"])
    items = _uncorrected(strip_closers(strip_openers(items, lexicon().polite["openers"])[0]))
    items = strip_openers(items, lexicon().polite["continuing"])[0]
    items = items[1:] if lows(items[:1]) == ["say"] and len(items) == 2 and _is_hour(items[1]) else items
    if not items:
        return piece
    words = piece[items[0].begin : items[-1].end]
    if start is not None and (minutes := _minutes(words)) is not None:
        local = start.astimezone(request.setting.zone)
        back = minutes == 45 and local.minute == 0
        at = local.replace(minute=minutes) - timedelta(hours=1 if back else 0)
        return f"at {at:%H:%M}"
    alone = len(items) == 1 or items[1].low in SUITING | {"is", "'s", "would", "will", "'d", "'ll"}
    return f"at {words}" if alone and _is_hour(items[0]) else piece


def _is_hour(item: Item) -> bool:
    return is_hour(item) or (item.kind != "time" and 0 < lexicon().numbers.get(item.low, 0) <= 12)


def _uncorrected(items: Sequence[Item]) -> Sequence[Item]:
    """Without "sorry", "I mean" behind it."""
    while items and items[-1].kind == "punct":
        items = items[:-1]
    ends = (n for n in range(1, min(4, len(items))) if not strip_openers(items[-n:], lexicon().polite["correcting"])[0])
    last = max(ends, default=0)
    return _uncorrected(items[:-last]) if last else items
