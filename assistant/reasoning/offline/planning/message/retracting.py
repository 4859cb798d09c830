"""What a message takes back of itself: "Cancel the dentist. No wait, leave it.", "…, no, I mean the interview"."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.reasoning.base import Setting
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item

FIRM = frozenset({"no", "wait", "scratch", "mean", "meant", "correction", "second", "actually"})
IT = re.compile(r"\b(?:it|that|this|them)\b", re.IGNORECASE)


def without_retracted(pieces: Iterable[Piece], setting: Setting) -> tuple[Piece, ...]:
    """The pieces that still hold. Of a request taken back its negation is left, so that it is understood and not done."""
    kept: list[Piece] = []
    for piece in pieces:
        before = _request(kept[-1], setting) if kept else None
        after = retracting(mark(piece.text, setting)) if before is not None else None
        if before is None or after is None:
            kept.append(piece)
        elif not after:
            kept[-1] = replace(kept[-1], text=f"do not {kept[-1].text[:1].lower()}{kept[-1].text[1:]}")
        else:
            kept[-1] = replace(kept[-1], text=_instead(kept[-1].text, piece.text[after[0].begin :], setting))
    return tuple(kept)


def retracting(items: Sequence[Item]) -> Sequence[Item] | None:
    """What a clause says instead of the one before; empty where it only takes that back, None where it takes nothing back."""
    words = lows(items)
    at, back = 0, False
    while at < len(items):
        if items[at].kind == "punct":
            at += 1
        elif (length := _phrase(words, at, "retracting")) and _ends(items, at + length):
            return ()
        elif length := _phrase(words, at, "unsaying"):
            back, at = True, at + length
        else:
            break
    return items[at:] if back and at < len(items) else None


def takes_back(items: Sequence[Item], *, wholly: bool = False) -> bool:
    """Whether a clause opens with words that nobody mistakes: "no wait, …", "sorry, I meant …"; `wholly` where it says no more."""
    after = retracting(items)
    said = {item.low for item in (items if not after else items[: list(items).index(after[0])])}
    return after is not None and bool(said & FIRM) and not (wholly and after)


def _phrase(words: Sequence[str], at: int, table: str) -> int:
    match = lexicon().polite[table].at(words, at)
    return match[0] if match else 0


def _ends(items: Sequence[Item], at: int) -> bool:
    return all(
        item.kind == "punct" or item.low in ("please", "then", "thanks", "after", "all", "for", "now") for item in items[at:]
    )


def _request(piece: Piece, setting: Setting) -> str | None:
    call = parse(piece.text, setting).call
    return piece.text if call is not None and criteria.writes(call.operation) else None


def _instead(before: str, after: str, setting: Setting) -> str:
    """Another request, about what the one before was about, or the same request about another thing."""
    first, second = parse(before, setting), parse(after, setting)
    if second.call is not None and second.clause.mood == "do":
        thing = before[first.thing[0] : first.thing[1]] if first.thing else ""
        return IT.sub(lambda found: thing, after, count=1) if thing and second.call.select.refs else after
    length, _ = first.clause.forms[0] if first.clause.forms else (1, None)
    verb = before[first.clause.items[0].begin : first.clause.items[length - 1].end]
    return f"{verb} {after}"
