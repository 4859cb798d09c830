"""Puts together what one request was said in."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.criteria import missing
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.reading.clauses.cards import SAVING
from assistant.reasoning.offline.reading.clauses.changes import UPDATES, about_the_same
from assistant.reasoning.offline.reading.clauses.riders import KEPT, held_from
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item


def united(found: Sequence[Piece], setting: Setting) -> Iterator[Piece]:
    """Puts together what one request was said in: "do that for me", "I need to catch up with Eva. Schedule …"."""
    held: Piece | None = None
    for piece in found:
        if held is not None and (
            _only_asks(piece.text) or _only_saves(held, piece, setting) or _only_names_deed(held, piece, setting)
        ):
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


def _only_names_deed(first: Piece, second: Piece, setting: Setting) -> bool:
    """ "The sync should last an hour. Please shorten it.": the second names the change that the first has said in full."""
    one, two = parse(first.text, setting).call, parse(second.text, setting).call
    if one is None or two is None or one.operation != two.operation or one.select == Selection():
        return False
    if one.operation == "event.swap":
        return two.beside is None and not (two.select.words or two.select.people or two.select.when)
    same = one.operation in UPDATES and about_the_same(parse(second.text, setting).reading)
    return same and bool(missing(two)) and not missing(one)


def _kept_as_draft(first: Piece, second: Piece, setting: Setting) -> Piece | None:
    """ "Write to Tom that … Don't send it yet.": one request."""
    call = parse(first.text, setting).call
    if call is None or call.operation not in KEPT or held_from(mark(second.text, setting)) != 0:
        return None
    return replace(first, text=f"{first.text.rstrip(' .!')}, but {second.text[:1].lower()}{second.text[1:]}")


def _only_asks(text: str) -> bool:
    from assistant.reasoning.offline.reading.text.tokens import tokenise

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
    if (placed := _in_found_time(first, one, second, setting)) is not None:
        return placed
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


FOUND_TIME = re.compile(
    r"\s*\b(?:(?:in|into|to|for|at|on) )?"
    r"(?:the (?:first|earliest|next)(?: free| available)?(?: one| slot| time| option| gap| opening)?"
    r"(?= for\b|[.!?]*$)|(?:that|the|this) (?:time|slot|gap|opening)|(?:then|there|for (?:it|that))(?=[.!?]*$))(?P<for> for\b)?",
    re.IGNORECASE,
)
INVITING = re.compile(r"\binvite (?P<who>.+?) (?:to|for) (?P<what>an? .+)$", re.IGNORECASE)
TAKING_IT = re.compile(r"^(?P<lead>.*?\b(?:book|reserve|schedule|block|take))\s+(?:it|that|one)\b", re.IGNORECASE)


def _in_found_time(first: Piece, one: Parse, second: Piece, setting: Setting) -> Piece | None:
    """ "Find a free hour on Monday and book a call then": made in the first free time of those looked for."""
    asked = one.call
    if asked is None or asked.operation != "event.slots" or asked.gap or asked.prefer:
        return None
    bare, count = FOUND_TIME.subn("", second.text.rstrip(" .!?"), count=1)
    if not count:
        bare, count = TAKING_IT.subn(r"\g<lead> a meeting", second.text.rstrip(" .!?"), count=1)
    bare = INVITING.sub(r"schedule \g<what> with \g<who>", bare)
    made = parse(bare, setting).call if count else None
    if made is None or made.operation not in ("event.create", "event.move") or made.time is not None or made.shift is not None:
        return None
    people = " and ".join(person.text or person.email for person in asked.to if person.text != "me")
    bare = re.sub(r"\b(?:him|her|them)\b", people, bare) if people else bare
    guests = f" with {people}" if people and made.operation == "event.create" and not made.to else ""
    lasting = f" for {asked.duration.total_seconds() / 60:.0f} minutes" if asked.duration and not made.duration else ""
    lasting = lasting if made.operation == "event.create" else ""
    whole = f"{bare}{guests}{lasting} in my first free slot {asked.time.text if asked.time else ''}".rstrip()
    call = parse(whole, setting).call
    same_time = call is not None and (call.time == asked.time or (call.time and asked.time and call.time.start == asked.time.start))
    return replace(second, text=whole) if call is not None and call.slot and same_time else None


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
    if (
        one.verb == "meet"
        and two.call.operation == "event.create"
        and not one.call.time
        and (said := _with_them(one, first, two, second))
    ):
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
