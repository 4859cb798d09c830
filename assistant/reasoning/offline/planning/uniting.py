"""Puts together what one request was said in."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.pieces import Piece
from assistant.reasoning.offline.reading.entities import Item, mark
from assistant.reasoning.offline.reading.filing import SAVING
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.holding import KEPT, held_from
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows


def united(found: Sequence[Piece], setting: Setting) -> Iterator[Piece]:
    """Puts together what one request was said in: "do that for me", "I need to catch up with Eva. Schedule …"."""
    held: Piece | None = None
    for piece in found:
        if held is not None and (_only_asks(piece.text) or _only_saves(held, piece, setting)):
            continue
        if held is not None and (written := _kept_as_draft(held, piece, setting)):
            held = written
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


def _only_saves(first: Piece, second: Piece, setting: Setting) -> bool:
    """ "Her number is now …. Please update it.": the second says what the first is told for."""
    words = lows(mark(second.text, setting))
    if not words or not set(words) <= SAVING | {".", "!", ","} or "?" in second.text:
        return False
    told = parse(first.text, setting)
    return told.call is not None and told.call.operation == "contact.update" and told.clause.mood != "do"


def _kept_as_draft(first: Piece, second: Piece, setting: Setting) -> Piece | None:
    """ "Write to Tom that … Don't send it yet.": one request."""
    call = parse(first.text, setting).call
    if call is None or call.operation not in KEPT or held_from(mark(second.text, setting)) != 0:
        return None
    return replace(first, text=f"{first.text.rstrip(' .!')}, but {second.text[:1].lower()}{second.text[1:]}")


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
    if one.clause.mood == "wh" and _names_choices(second.text, setting):
        return replace(first, text=f"{first.text.rstrip('?.! ')}, {second.text}")
    if (reply := _with_its_words(first, one, second, setting)) is not None:
        return reply
    if one.call is None or one.call.operation != "event.create":
        return None
    two = parse(second.text, setting)
    if two.call is None:
        return None
    return _guests_of_both(first, one, second, two)


def _with_its_words(first: Piece, one: Parse, second: Piece, setting: Setting) -> Piece | None:
    """ "Reply to Anna and thank her for the parcel": what the reply says."""
    two = parse(second.text, setting)
    call = two.call
    lacks = one.call is not None and one.call.operation == "mail.reply" and not (one.call.body or one.call.about)
    talks = call is not None and call.operation == "mail.send" and two.verb in ("thank", "ask", "tell")
    if not lacks or not talks or call is None or first.role != second.role:
        return None
    if not (call.body or call.about) or not any(word in PRONOUNS for word in second.text.lower().split()[:3]):
        return None
    said = f"asking {call.about}" if two.verb == "ask" else f"saying {call.body or call.about}"
    return replace(first, text=f"{first.text.rstrip('?.! ')} {said}")


PRONOUNS = frozenset({"her", "him", "them"})


def _guests_of_both(first: Piece, one: Parse, second: Piece, two: Parse) -> Piece | None:
    assert one.call is not None and two.call is not None
    if one.verb == "meet" and two.call.operation == "event.create" and not two.call.to and not one.call.time and not one.call.title:
        guests = " and ".join(_said(one, first.text))
        return replace(second, text=f"{second.text.rstrip('?.! ')} with {guests}")
    if one.verb == "meet" and two.call.operation == "event.create" and not one.call.time and (said := _with_them(one, first, two, second)):
        return replace(second, text=said)
    if (
        two.call.operation == "event.invite"
        and "shown" in two.call.select.refs + (("shown",) if not two.thing else ())
        and two.call.to
    ):
        guests = " and ".join(_said(two, second.text))
        return replace(first, text=f"{first.text.rstrip('?.! ')} with {guests}")
    return None


def _with_them(one: Parse, first: Piece, two: Parse, second: Piece) -> str:
    """ "I want to talk to Tom. Put an hour with him …": the pronoun stands for whom the first sentence names."""
    pronouns = lexicon().small["pronouns_person"]
    named = [person for person in two.recipients if person.person.text.lower() in pronouns]
    if len(named) != 1 or len(two.recipients) != 1 or not one.recipients:
        return ""
    return f"{second.text[: named[0].begin]}{' and '.join(_said(one, first.text))}{second.text[named[0].end :]}"


def _names_choices(text: str, setting: Setting) -> bool:
    """ "Tom or Anna?" behind a question: those between whom it asks."""
    items = strip_closers(mark(text, setting))
    named = [item for item in items if item.kind in ("person", "name", "address", "ref") or item.low in ("i", "me")]
    return len(named) > 1 and len(named) + sum(item.low in ("or", ",") for item in items) == len(items)


def _said(found: Parse, text: str) -> list[str]:
    return [text[named.begin : named.end] for named in found.recipients]
