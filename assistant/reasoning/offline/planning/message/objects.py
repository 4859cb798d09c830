"""Several objects of one verb: "cancel the dentist and the interview", "move the review to 3 and the standup to 4"."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_openers
from assistant.reasoning.offline.reading.grammar import domain_of, parse
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.slots import DICTATING, lows, noun_of
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.text.names import within_title

SPREAD = frozenset(
    "archive delete cancel flag unflag read summarise restore accept decline tentative move resize mark rename forward".split()
)
"""Verbs that are said once for several objects."""
POINTED = frozenset({"the", "my", "our", "that", "this"})
MARKED = re.compile(r"\bas \w+$", re.IGNORECASE)
SLOTS = frozenset({"from", "to", "with", "about", "for", "of", "in", "called", "subject"})
DOCUMENTS = frozenset("invoice bill quote quotation contract form order agenda cv application ticket booking".split())
"""What a mail is called by what it brings."""
FAMILY = {"occasion": "event", "invitation": "event", "newsletter": "mail", "draft": "mail", "reply": "mail"}


def one_by_one(pieces: Sequence[Piece], setting: Setting) -> list[Piece]:
    found: list[Piece] = []
    for piece in pieces:
        texts = [] if piece.role in ("check", "waits", "told") else _spread(piece.text, setting) or _letters(piece.text, setting)
        found.extend([Piece(text, piece.role, piece.negated) for text in texts] or [piece])
    return found


def _spread(text: str, setting: Setting) -> list[str]:
    """The request for each object; nothing where there is but one, or where that is not certain."""
    marked = mark(text, setting)
    items = list(strip_openers(marked, lexicon().polite["openers"])[0])
    words = lows(items)
    form = (
        next(((n, form) for n, form in lexicon().verbs.all_at(words, 0) if form.base and form.verb in SPREAD), None)
        if items
        else None
    )
    if form is None or dictation(marked)[0] is not None or lexicon().nouns.at(words, 0) is not None:
        return []
    parts = _objects(items[form[0] :])
    if len(parts) < 2:
        return []
    verb = text[items[0].begin : items[form[0] - 1].end]
    said = [_with_noun(text, part, parts[0]) for part in parts]
    texts = [f"{verb} {one}".strip(" ,.!") for one in said]
    if form[1].verb == "mark" and (state := MARKED.search(texts[-1])):
        texts = [one if MARKED.search(one) else f"{one} {state.group()}" for one in texts]
    calls = [parse(one, setting).call for one in texts]
    if all(call is not None and call.operation.startswith("event.") for call in calls) and (tail := _tail(text, parts)):
        texts = [one if _timed(part) else f"{one} {tail}" for one, part in zip(texts, parts, strict=True)]
        calls = [parse(one, setting).call for one in texts]
    found = [call for call in calls if call is not None]
    same = len(found) == len(texts) and len({domain_of(call.operation) for call in found}) == 1
    return texts if same and len({call.operation for call in found}) == 1 else []


def _objects(items: Sequence[Item]) -> list[Sequence[Item]]:
    words = lows(items)
    parts: list[Sequence[Item]] = []
    start = at = 0
    excepted = excepting.span(items)
    while at < (excepted[0] if excepted else len(items)):
        after = at + _joint(words, at)
        if after > at > start and _begins(items, words, start, at, after):
            parts.append(items[start:at])
            start = at = after
        else:
            at += 1
    return [*parts, items[start:]]


JOINTS = (("as", "well", "as"), ("along", "with"), ("together", "with"), ("and",), (",",), ("&",), ("plus",))
TOO = (("also",), ("likewise",), ("in", "addition"), ("additionally",), ("too",), ("then",))


def _joint(words: Sequence[str], at: int) -> int:
    """How many words of "and", ", and also", "as well as" join two objects at `at`; 0 where none do."""
    end = at
    while joint := next((one for one in JOINTS if tuple(words[end : end + len(one)]) == one), ()):
        end += len(joint)
    too = next((one for one in TOO if end > at and tuple(words[end : end + len(one)]) == one), ())
    return end + len(too) - at


def _to_each(items: Sequence[Item], at: int, after: int) -> bool:
    """ "… the quote to Tom | and the invoice to Eva", "… of Tom | and the order from Acme": somebody on either side."""
    before = at - 1
    while before > 0 and (items[before].kind in PERSONAL or items[before].text[:1].isupper()):
        before -= 1
    near = items[before].low if before < at - 1 else ""
    leads = ("to",) if near == "to" else ("from", "of") if near in ("from", "of", "by") else ()
    return any(items[n].low in leads and items[n + 1].kind in PERSONAL for n in range(after + 1, len(items) - 1))


def _begins(items: Sequence[Item], words: Sequence[str], start: int, at: int, after: int) -> bool:
    """Whether another object begins at `after`, and not more of the slot that stands before it."""
    owned = after + 1 < len(items) and items[after].kind in ("person", "name") and words[after + 1] == "'s"
    if after >= len(items) or (words[after] not in POINTED and not owned) or within_title(items, at):
        return False
    if words[at] not in ("and", ",") and _head(items[after:]):
        return True
    leads = [lexicon().markers.at(words, n) for n in range(start + 1, at)]
    inside = any(
        lead is not None and lead[1] in SLOTS and items[start + 1 + n + lead[0]].kind != "time" for n, lead in enumerate(leads)
    )
    apart = words[at] == "plus" or tuple(words[at : at + 3]) == ("as", "well", "as")
    if not inside or _to_each(items, at, after) or (apart and _head(items[after:])):
        return True
    kind = words[after + 1 : after + 2]
    if kind and kind[0] in lexicon().small["kinds"] | DOCUMENTS:
        return True
    return kind in (["one"], ["ones"]) or _head(items[after:]) == _head(items[start:at]) != ""


def _head(items: Sequence[Item]) -> str:
    """The family of an object's noun, up to its first slot."""
    words = lows(items)
    stop = next((n for n in range(1, len(items)) if (lead := lexicon().markers.at(words, n)) and lead[1] in SLOTS), len(items))
    noun = noun_of(items[:stop])[0]
    return FAMILY.get(noun, noun)


def _with_noun(text: str, items: Sequence[Item], first: Sequence[Item]) -> str:
    """ "The one on Tuesday" behind "the studio meeting on Monday" is the studio meeting on Tuesday."""
    said = text[items[0].begin : items[-1].end]
    if len(items) < 2 or items[1].low not in ("one", "ones") or items[0].low not in POINTED:
        return said
    timed = len(items) > 2 and items[2].time is not None
    if _head(first) == "mail" and len(items) > 2 and items[2].low in ("from", "of"):
        return f"{said[: items[1].begin - items[0].begin]}mail{said[items[1].end - items[0].begin :]}"
    noun = _named_by(text, first, whole=timed) or _head(first)
    return f"{said[: items[1].begin - items[0].begin]}{noun}{said[items[1].end - items[0].begin :]}"


def _named_by(text: str, items: Sequence[Item], *, whole: bool) -> str:
    """An object's words between its article and its time, or what else tells which unless it is meant as a `whole`."""
    words = lows(items)
    begin = 1 if words[0] in POINTED else 0
    end = next((n for n, item in enumerate(items) if item.time is not None), len(items))
    slots = (n for n in range(begin + 1, end) if (lead := lexicon().markers.at(words, n)) and lead[1] in SLOTS)
    end = end if whole else next(slots, end)
    return text[items[begin].begin : items[end - 1].end] if end > begin else ""


def _timed(items: Sequence[Item]) -> bool:
    return any(item.time is not None for item in items)


def _tail(text: str, parts: Sequence[Sequence[Item]]) -> str:
    """The time behind the last object, with the word that leads to it, where it is the only one."""
    *others, last = parts
    at = next((n for n, item in enumerate(last) if item.time is not None), None)
    if not at or any(_timed(part) for part in others):
        return ""
    at -= last[at - 1].low in ("to", "by", "on", "at", "until", "for")
    return text[last[at].begin : last[-1].end]


def _letters(text: str, setting: Setting) -> list[str]:
    """ "email Anna saying yes and Tom saying no": a mail for each of them."""
    items = mark(text, setting)
    stop, _ = dictation(items)
    words = lows(items)
    first = next((n for n, item in enumerate(items[:stop]) if item.kind in PERSONAL), None) if stop is not None else None
    if stop is None or first is None:
        return []
    lead, found, begin = text[: items[first].begin], list[str](), items[0].begin
    for at in range(stop + 1, len(items) - 2):
        if words[at] in ("and", ",") and (whom := _another_reader(items, words, at + 1)):
            found.append(text[begin : items[at].begin].rstrip(" ,"))
            begin, text = 0, f"{lead}{text[items[whom].begin :]}"
            return [*found, *(_letters(text, setting) or [text])]
    return []


def _another_reader(items: Sequence[Item], words: Sequence[str], at: int) -> int | None:
    """Where somebody else is named who is told something: "Tom saying …", "one to Tom asking …"."""
    while at < len(items) and words[at] in ("and", "one", "another", "a", "mail", "to"):
        at += 1
    end = at
    while end < len(items) and (items[end].kind in PERSONAL or (words[end] in ("and", "&") and end > at)):
        end += 1
    says = lexicon().markers.at(words, end) if end > at and end < len(items) else None
    return at if says is not None and says[1] in DICTATING and words[end] != "and" else None
