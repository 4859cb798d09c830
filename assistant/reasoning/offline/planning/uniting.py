"""Puts together what one request was said in."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.pieces import Piece
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import lows, strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse


def united(found: Sequence[Piece], setting: Setting) -> Iterator[Piece]:
    """Puts together what one request was said in: "do that for me", "I need to catch up with Eva. Schedule …"."""
    held: Piece | None = None
    for piece in found:
        if _only_asks(piece.text) and held is not None:
            continue
        if held is not None:
            joined = _joined(held, piece, setting)
            if joined is not None:
                held = joined
                continue
            yield held
        held = piece
    if held is not None:
        yield held


def _only_asks(text: str) -> bool:
    from assistant.reasoning.offline.reading.tokens import tokenise

    tokens = [token for token in tokenise(text) if token.kind != "punct"]
    words = [token.low for token in tokens]
    stripped, taken = strip_openers([Item(t.kind, t.text, t.low, t.begin, t.end) for t in tokens], lexicon().polite["openers"])
    rest = " ".join(lows(strip_closers(stripped)))
    return (bool(taken) and rest in lexicon().small["done_that"]) or " ".join(words) in lexicon().small["done_that"]


def _joined(first: Piece, second: Piece, setting: Setting) -> Piece | None:
    """The guests named in one sentence for the event that the next one makes."""
    if first.role != second.role and not (first.role == "plain" and second.role == "plain"):
        return None
    one = parse(first.text, setting)
    if one.call is None or one.call.operation != "event.create":
        return None
    two = parse(second.text, setting)
    if two.call is None:
        return None
    if one.verb == "meet" and two.call.operation == "event.create" and not two.call.to and not one.call.time and not one.call.title:
        guests = " and ".join(_said(one, first.text))
        return replace(second, text=f"{second.text.rstrip('?.! ')} with {guests}")
    if (
        two.call.operation == "event.invite"
        and "shown" in two.call.select.refs + (("shown",) if not two.thing else ())
        and two.call.to
    ):
        guests = " and ".join(_said(two, second.text))
        return replace(first, text=f"{first.text.rstrip('?.! ')} with {guests}")
    return None


def _said(found: Parse, text: str) -> list[str]:
    return [text[named.begin : named.end] for named in found.recipients]
