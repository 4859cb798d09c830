"""Puts together what one request was said in."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.criteria import missing
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.particulars import with_particulars
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.reading.clauses.cards import SAVING
from assistant.reasoning.offline.reading.clauses.changes import UPDATES, about_the_same
from assistant.reasoning.offline.reading.clauses.riders import KEPT, WRITTEN, copy_told, held_from
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item

WITH_INVITES = re.compile(
    r"^(?P<what>.{6,}?)(?:[,.;]| [-\u2013\u2014])? (?:and |then |please )*"
    r"(?:send (?:(?:them|him|her|both|all|everyone|everybody|out) )?(?:of them )?(?:an? |the )?(?:calendar )?"
    r"(?:invites?|invitations?)"
    r"|invite (?:them|him|her|both|all|everyone|everybody)(?: of them)?"
    r"|(?:they|he|she|both|all|everyone|everybody) (?:should|must|shall|need to|needs to) (?:get|have|receive) (?:an? )?"
    r"(?:invites?|invitations?))(?: (?:too|as well|please))?[.! ]*$",
    re.IGNORECASE | re.DOTALL,
)
""" "Brunch with Tom on Sunday at 11, send him an invite"."""


def inviting(text: str, setting: Setting) -> str:
    """The event as the one request, where those whom it names are to be invited to it; an event may be named without a verb."""
    found = WITH_INVITES.match(text.strip())
    if found is None:
        return text
    what = found["what"].strip(" ,")
    call = parse(what, setting).call
    makes = what if call is not None and call.operation == "event.create" else f"schedule {what[:1].lower()}{what[1:]}"
    made = parse(makes, setting)
    certain = made.call is not None and made.call.operation == "event.create" and not made.reading.unread
    named = made.call is not None and bool(made.call.to) and made.call.time is not None and bool(made.call.title)
    verbless = call is None or call.operation in ("event.create", "event.find")
    return makes if certain and named and verbless else text


def united(found: Sequence[Piece], setting: Setting) -> Iterator[Piece]:
    """Puts together what one request was said in: "do that for me", "I need to catch up with Eva. Schedule …"."""
    held: Piece | None = None
    for piece in found:
        if held is not None and (
            _only_asks(piece.text)
            or _only_agrees(held, piece, setting)
            or _only_saves(held, piece, setting)
            or _only_names_deed(held, piece, setting)
        ):
            continue
        if held is not None and (written := _kept_as_draft(held, piece, setting)):
            held = written
            continue
        if held is not None and (copied := _with_copy(held, piece, setting)):
            held = copied
            continue
        if held is not None:
            joined = _joined(held, piece, setting)
            if joined is not None:
                held = joined
                continue
            yield held
        held = _in_full(held, piece, setting)
    if held is not None:
        yield held


WHOM_MOST = re.compile(
    r"(?:and )?(?:(?P<lead>from|by|with|to) (?:whom|who)|who(?:m)?(?: (?P<behind>from|by|with|to))?)(?: (?:are|were|was|is) they)?"
    r"(?: the)? most(?: of (?:them|those|these))?(?: (?P<end>from|by|with|to))?[?.! ]*",
    re.IGNORECASE,
)


def _in_full(before: Piece | None, piece: Piece, setting: Setting) -> Piece:
    """ "How many mails did I get last week, and from whom most?": the second question says again what the first has named."""
    if before is None or WHOM_MOST.fullmatch(piece.text.strip()) is None:
        return piece
    call = parse(before.text, setting).call
    if call is None or call.operation not in ("mail.count", "mail.find", "event.count", "event.find"):
        return piece
    when = f" {call.select.when.text}" if call.select.when else ""
    if call.operation.startswith("event."):
        return replace(piece, text=f"Who do I have the most meetings with{when}?")
    sent = call.select.folder == "Sent"
    return replace(piece, text=f"{'To whom did I send the most mails' if sent else 'Who sent me the most mails'}{when}?")


def _only_agrees(first: Piece, second: Piece, setting: Setting) -> bool:
    """ "The sync should take an hour. Can you change that in my calendar?": nothing but that it is to be made so."""
    items = strip_closers(strip_openers(mark(second.text, setting), lexicon().polite["openers"])[0])
    words, small = [item.low for item in items if item.kind != "punct"], lexicon().small
    if len(words) < 2 or words[0] not in small["adapting"] or not set(words[1:]) <= small["adapting_so"]:
        return False
    call = parse(first.text, setting).call
    return call is not None and call.operation in UPDATES and not missing(call)


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


def _with_copy(first: Piece, second: Piece, setting: Setting) -> Piece | None:
    """ "Forward the quote to Omar. Lena gets a copy.": one request."""
    call = parse(first.text, setting).call
    if call is None or call.operation not in WRITTEN or copy_told(mark(second.text, setting)) is None:
        return None
    return replace(first, text=f"{first.text.rstrip(' .!')}. {second.text}")


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
    if (whole := _completed(first, one, second, setting)) is not None:
        return whole
    if one.call is None or one.call.operation != "event.create":
        return None
    if (told := with_particulars(first, second, setting)) is not None:
        return told
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
    made = parse(bare, setting).call
    makes = made is not None and made.operation == "event.create" and bool(made.to or made.title)
    if (
        made is None
        or not (count or makes)
        or made.operation not in ("event.create", "event.move")
        or made.time is not None
        or made.shift is not None
    ):
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
    lacks = one.call is not None and one.call.operation in KEPT and not (one.call.body or one.call.about or one.call.template)
    if lacks and first.role == second.role and (said := _told_words(two, second.text)):
        return replace(first, text=f"{first.text.rstrip('?.! ')} saying that {said}")
    lacks = lacks and one.call is not None and one.call.operation == "mail.reply"
    talks = call is not None and call.operation == "mail.send" and two.verb in ("thank", "ask", "tell")
    if not lacks or not talks or call is None or first.role != second.role:
        return None
    if not (call.body or call.about) or not any(word in PRONOUNS for word in second.text.lower().split()[:3]):
        return None
    said = f"asking {call.about}" if two.verb == "ask" else f"saying {call.body or call.about}"
    return replace(first, text=f"{first.text.rstrip('?.! ')} {said}")


PRONOUNS = frozenset({"her", "him", "them"})
COMING = frozenset(
    "will would 'd 'll can could should shall must may might am is are 'm 're look looks sound sounds suit suits work works".split()
)
OWN_AFFAIRS = frozenset("have need want must should ought forgot wrote promised think hope".split())
TO_READER = re.compile(r"^(?:he|she|they) (?=(?:will|would|can|could|should|shall|must|may|might)\b)", re.IGNORECASE)


def _told_words(found: Parse, text: str) -> str:
    """ "Answer Tessa's application; she should bring plans": a statement behind a mail that says nothing yet is what it says. What
    the user tells of themselves may be why they ask for it."""
    items = found.clause.items
    words = lows(items)
    if found.clause.mood != "statement" or found.call is not None or "?" in text or len(words) < 3:
        return ""
    of_mail = (words[0] == "it" and words[1] in COMING - {"is"}) or any(lexicon().labels.at(words, n) for n in (0, 1))
    mine = words[0] in ("i", "we") and (bool(OWN_AFFAIRS & set(words[1:4])) or "him" in words or "her" in words)
    if of_mail or mine or not COMING & set(words[1:6]) or words[0] in ("if", "that", "this"):
        return ""
    return TO_READER.sub("you ", text.strip().rstrip(" .!"))


POINTED = frozenset({"it", "that", "this", "them"})


def _completed(first: Piece, one: Parse, second: Piece, setting: Setting) -> Piece | None:
    """ "I want to move my last call. Can you put it at 3?", "I'd like to answer Tom's mail. Reply with 'Yes'": the second says of
    the same thing what the first lacks."""
    if one.call is None or one.thing is None or not missing(one.call) or first.role != "plain" or second.role != "plain":
        return None
    items = mark(second.text, setting)
    quoted = next((item for item in items if item.kind == "quote"), None)
    two = parse(second.text, setting).call
    if (
        one.call.operation == "mail.reply"
        and quoted is not None
        and two is not None
        and two.operation in ("mail.reply", "mail.send")
    ):
        named = bool(two.to) or any((two.select.people, two.select.words, two.select.when, two.select.subject))
        whole = f"{first.text.rstrip('?.! ')} saying {second.text[quoted.begin : quoted.end]}"
        call = parse(whole, setting).call
        fits = call is not None and call.operation == "mail.reply" and not missing(call) and not named
        return replace(first, text=whole) if fits else None
    it = next((item for item in items if item.kind == "word" and item.low in POINTED), None)
    if one.call.operation in ("event.move", "event.resize") and it is not None and (timed := _timed(items)):
        said = re.sub(r"^(?:to|at|on|for|from) ", "", second.text[timed[0].begin : timed[-1].end], flags=re.IGNORECASE)
        whole = f"{first.text.rstrip('?.! ')} to {said}"
        call = parse(whole, setting).call
        return (
            replace(first, text=whole) if call is not None and call.operation == one.call.operation and not missing(call) else None
        )
    if it is None or any(item.low in POINTED for item in items if item is not it):
        return None
    thing = first.text[one.thing[0] : one.thing[1]].strip(" ,.?!")
    whole = f"{second.text[: it.begin]}{thing}{second.text[it.end :]}"
    call = parse(whole, setting).call
    same = call is not None and call.operation == one.call.operation and call.select == one.call.select
    return replace(second, text=whole) if same and call is not None and not missing(call) else None


def _timed(items: Sequence[Item]) -> Sequence[Item]:
    """The times that end a sentence in which there is nothing else but a verb and what it points at."""
    items = strip_closers(strip_openers(items, lexicon().polite["openers"])[0])
    first = next((n for n, item in enumerate(items) if item.time is not None), 0)
    plain = all(item.low in POINTED or item.low in lexicon().known for item in items[:first])
    tail = all(item.time is not None or item.kind == "punct" for item in items[first:])
    return [item for item in items[first:] if item.time is not None] if 2 <= first <= 5 and plain and tail else ()


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
