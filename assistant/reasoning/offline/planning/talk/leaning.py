"""What leans on the last request: "and on Thursday?", "from Helena?", "no, Clara" is that request with one part of it changed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from assistant.reasoning.base import Request
from assistant.reasoning.calls import Call
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.changing import Fragment, edits_of
from assistant.reasoning.offline.planning.talk.contrasting import LONGEST, contrasted, with_less
from assistant.reasoning.offline.planning.talk.retiming import day
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import clause_of, strip_closers, strip_openers, tense
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.tokens import tokenise

ALIKE = (
    {"event.find", "event.next", "event.check"},
    {"mail.find", "mail.read", "mail.check"},
    {"contact.find", "contact.address"},
    {"event.next", "mail.answer"},
)
"""Operations between which a changed part may shift the reading."""
ABOUT = re.compile(r"(?:and |or |ok,? |okay,? )?(?:what|how) about\b", re.IGNORECASE)
"""Put aside before times are read, for "about 3" is a time of its own."""


@dataclass(frozen=True)
class Leaning:
    """The request that was meant, in whole words."""

    text: str
    corrects: bool


def leaning(request: Request) -> Leaning | None:
    """None where the message stands for itself, or leaves open which part of the last request it changes."""
    if not request.last:
        return None
    if changed := contrasted(request) or with_less(request):
        return Leaning(changed, True)
    fragment = _fragment(request)
    if fragment is None:
        return None
    before = parse(request.last, request.setting)
    if before.call is None or (fragment.bare and criteria.writes(before.call.operation)):
        return None
    text = _again(fragment, before, request)
    if text and fragment.corrects and _is_done(request):
        text = _of_what_it_was(text, before, request)
    return Leaning(text, fragment.corrects) if text and text != request.last else None


def _is_done(request: Request) -> bool:
    """Whether nothing of the last request is left to be answered or approved."""
    said = {line.removeprefix("user: ") for line in request.history if line.startswith("user: ")}
    waits = request.proposal or any(one.about in said for one in request.paused if one.status in ("waiting", "preview"))
    return bool(request.shown) and not waits


def _of_what_it_was(text: str, before: Parse, request: Request) -> str:
    """The corrected request about the very events that were changed, which its words may not fit any more, a difference counted
    from how they were before: "move my first meeting an hour later", "no, earlier" is two hours earlier than it is now."""
    found = parse(text, request.setting)
    old, new = before.call, found.call
    if old is not None and new is not None and old.operation == new.operation == "event.create":
        return _moved(old, new, request) or text
    if old is None or new is None or new.operation != old.operation or new.operation not in ("event.move", "event.resize"):
        return text
    if found.thing is None or old.select != new.select or not request.shown[0].data.events:
        return text
    it = "it" if len(request.shown[0].data.events) == 1 else "them"
    if old.shift is None or new.shift is None:
        return f"{text[: found.thing[0]]}{it}{text[found.thing[1] :]}" if old.shift is None and new.shift is None else text
    minutes = round((new.shift - old.shift).total_seconds() / 60)
    verb, more, less = ("move", "later", "earlier") if new.operation == "event.move" else ("make", "longer", "shorter")
    return f"{verb} {it} {abs(minutes)} minutes {more if minutes > 0 else less}"


def _moved(old: Call, new: Call, request: Request) -> str:
    """ "Actually make it 9", once the event is there: it moves; empty where more than the hour is different."""
    start = new.time.start if new.time is not None and new.time.kind == "point" and new.time.has_time else None
    if start is None or len(request.shown[0].data.events) != 1 or old.model_copy(update={"time": new.time}) != new:
        return ""
    start = start.astimezone(request.setting.zone)
    return f"move it to {day(start)} at {start:%H:%M}"


def _fragment(request: Request) -> Fragment | None:
    lead = ABOUT.match(request.text)
    text = " " * lead.end() + request.text[lead.end() :] if lead else request.text
    items: Sequence[Item] = mark(text, request.setting, tense(tokenise(request.last)))
    if len(items) > LONGEST:
        return None
    polite = lexicon().polite
    instead = "instead" in lows(items[-3:])
    corrects, goes_on = False, lead is not None or lows(items[-1:]) == ["too"] or lows(items[-2:]) == ["as", "well"]
    narrows = False
    while items:
        rest, going = strip_openers(items, polite["continuing"])
        rest, correcting = strip_openers(rest, polite["correcting"])
        narrows = narrows or any(phrase.split()[-1] in ("only", "just") for phrase in going)
        goes_on, corrects = goes_on or bool(going), corrects or bool(correcting)
        if len(rest) == len(items):
            break
        items = rest
    items = tuple(strip_closers(items))
    if {"one", "ones"} & set(lows(items)) and (narrows or not (goes_on or corrects)):
        return None
    if not items or _commands(lows(items)) or clause_of(request.text, items).mood != "things" or lows(items)[0] == "not":
        return None
    bare = not (goes_on or corrects or instead)
    if bare and parse(request.text, request.setting).call is not None:
        return None
    return Fragment(request.text, items, corrects or instead, goes_on)


def _commands(words: Sequence[str]) -> bool:
    """ "Archive that one": a verb, though "archive" is a noun as well."""
    verb = lexicon().verbs.at(words, 0)
    pointing = lexicon().small["articles"] | {"it", "that", "this", "them", "those", "these"}
    return verb is not None and verb[1].base and words[verb[0] : verb[0] + 1] != [] and words[verb[0]] in pointing


OTHER = frozenset({"other", "others", "rest"})
"""What is left of a list is found when the whole request is read."""


def _again(fragment: Fragment, before: Parse, request: Request) -> str:
    """The last request with the fragment in its place; empty where it has none there."""
    edits = edits_of(fragment, before, request)
    if (
        not edits
        or any(one[1] > other[0] for one, other in pairwise(sorted(edits)))
        or len({edit[:2] for edit in edits}) < len(edits)
    ):
        return ""
    text = request.last
    for begin, end, words in sorted(edits, reverse=True):
        glue = " " if begin == end and words[:1].isalnum() else ""
        led = text[:begin].rstrip().endswith((" to", " on", " at", "'s on"))
        words = words[3:] if led and words.startswith(("on ", "at ")) else words
        text = f"{text[:begin]}{glue}{words}{text[end:]}"
    found, call = parse(text, request.setting), before.call
    assert call is not None
    if found.call is None or set(found.reading.unread) - OTHER:
        return ""
    same = found.call.operation == call.operation or any({found.call.operation, call.operation} <= kind for kind in ALIKE)
    return text if same and found.call != call else ""
