"""Requests without a verb, as the imperatives that they are: "drinks with Paul off", "everything from yesterday read", "dentist an
hour later", "the review to four"."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import clause_of, strip_closers, strip_openers
from assistant.reasoning.offline.reading.slots import lows, noun_of
from assistant.reasoning.offline.reading.text.items import NAMED, Item, names_hour

OTHERWISE_THEN = frozenset({"later", "earlier"})
LASTING = frozenset({"longer", "shorter"})
TRAILING = frozenset({("when",), ("where",), ("what", "time"), ("how", "much"), ("how", "long"), ("which", "day"), ("what", "day")})
"""Question words that may end a question."""
OF_MAIL = frozenset({"mail", "newsletter", "reply", "attachment", "draft"})
OF_NOBODY = frozenset({"field", "contact", "template", "group", "slot"})
"""Nouns of what is neither a mail nor an event."""


def as_imperative(text: str, items: Sequence[Item]) -> str | None:
    """None where a verb is said, something is only told or asked, or nothing certain is named."""
    opened, _ = strip_openers(items, lexicon().polite["openers"])
    rest = list(strip_closers(opened))
    supposed = lexicon().small["doubting"] | lexicon().small["reporting"]
    if len(rest) < 2 or any(item.low == "?" for item in opened) or supposed & {item.low for item in rest}:
        return None
    rest = _without_reason(text, rest)
    found = clause_of(text, rest)
    if found.mood != "things" or found.negated or len(rest) < 2:
        return None
    words = lows(rest)
    instead = any(item.low == "instead" for item in opened[len(rest) :])
    return _said_so(text, rest, words) or _timed(text, rest, words, instead=instead) or _restated(text, rest, words)


def _restated(text: str, rest: Sequence[Item], words: Sequence[str]) -> str | None:
    """ "Dentist an hour later, so starting at ten": with what that leads to."""
    at = next((n for n in range(2, len(words) - 1) if words[n] == "so" and rest[-1].time is not None), 0)
    before = rest[: at - (rest[at - 1].low == ",")] if at else []
    moved = _timed(text, before, lows(before), instead=False) if len(before) > 1 else None
    return f"{moved}, {text[rest[at].begin : rest[-1].end]}" if moved else None


def _without_reason(text: str, rest: list[Item]) -> list[Item]:
    """ "Flea market off, it's raining": without what is only told behind a comma."""
    at = next((n for n, item in enumerate(rest) if n and item.low in (",", "-", "\u2013", "\u2014")), 0)
    told = rest[at + 1 :] if at else []
    return rest[:at] if len(told) > 1 and told[0].time is None and clause_of(text, told).mood == "statement" else rest


def as_question(text: str, items: Sequence[Item]) -> str | None:
    """ "Haircut when?", "the invoice, how much again?": the question word behind what is asked about."""
    opened, _ = strip_openers(items, lexicon().polite["openers"])
    rest = list(strip_closers([item for item in opened if item.low not in ("?", "!", ".")]))
    while rest and rest[-1].low in ("again", "exactly", "now", "is", "it", "was", "that"):
        rest.pop()
    words = lows(rest)
    if (
        words[:1]
        and words[0] in ("people", "everyone", "everybody", "those")
        and words[1:3] == ["invited", "to"]
        and len(words) > 3
    ):
        return f"who is {text[rest[1].begin : rest[-1].end]}?"
    at = next((n for n in range(1, len(words)) if tuple(words[n:]) in TRAILING), 0)
    thing = rest[: at - (rest[at - 1].low in (",", "-", "\u2013", ":"))] if at else []
    if not thing or clause_of(text, thing).mood != "things" or lexicon().small["doubting"] & set(words[:at]):
        return None
    the = "" if thing[0].kind in NAMED or words[0] in lexicon().small["articles"] or thing[0].time is not None else "the "
    return f"{' '.join(words[at:])} is {the}{text[thing[0].begin : thing[-1].end]}?"


def _said_so(text: str, rest: Sequence[Item], words: Sequence[str]) -> str | None:
    """By what stands behind the object, and before nothing but a time: "off", "to the archive", "read"."""
    end = len(words) - (rest[-1].time is not None and len(words) > 2)
    when = text[rest[end - 1].end : rest[-1].end]
    for (_, behind), deed in lexicon().verbless:
        at = end - len(behind)
        if at < 1 or tuple(words[at:end]) != behind:
            continue
        thing = rest[: at - (rest[at - 1].low in (",", "-", "\u2013"))]
        cancels = deed.startswith(("cancel", "accept", "decline", "tentatively"))
        if _is_certain(thing) and not (cancels and noun_of(thing)[0] in OF_MAIL):
            return deed.replace("_", text[thing[0].begin : thing[-1].end] + when)
    return None


def _timed(text: str, rest: Sequence[Item], words: Sequence[str], *, instead: bool) -> str | None:
    """By the time that stands behind it: "an hour later", "half an hour longer", "to four", "on Monday instead"."""
    if at := _put_right(rest, words):
        rest, words, instead = rest[:at], words[:at], True
    last, said = rest[-1], rest[-1].low.split()
    if words[-2] == "to" and (names_hour(last) or (last.time is not None and last.time.kind == "point")):
        return _becoming(text, rest, len(rest) - 2, "move")
    if instead and last.time is None and names_hour(last):
        thing = _becoming(text, rest, len(rest) - 1 - (words[-2] == "at"), "move", keeps_time=False)
        return f"{thing} to {last.text}" if thing else None
    if last.time is None:
        before = rest[-2].time
        longer = last.low in LASTING | OTHERWISE_THEN and before is not None and before.kind == "duration"
        return _becoming(text, rest, len(rest) - 2, "make" if last.low in LASTING else "move") if longer else None
    if OTHERWISE_THEN & set(said[-1:]):
        return _becoming(text, rest, len(rest) - 1, "move")
    if instead and last.time.kind in ("point", "range"):
        begin = len(rest) - 1 - (words[-2] in ("on", "at"))
        bare = text[last.begin : last.end].removeprefix("on ").removeprefix("at ")
        thing = _becoming(text, rest, begin, "move", keeps_time=False)
        return f"{thing} to {bare}" if thing else None
    return None


def _put_right(rest: Sequence[Item], words: Sequence[str]) -> int:
    """ "Drinks on Friday at eight | instead of seven": where the time begins that it is no more; 0 where there is none."""
    leads = [n for n in range(2, len(words) - 1) if tuple(words[n : n + 2]) in (("instead", "of"), ("rather", "than"))]
    timed = [item.time is not None or names_hour(item) for item in rest]
    return leads[0] if leads and leads[0] + 3 >= len(rest) and timed[-1] and timed[leads[0] - 1] else 0


def _becoming(text: str, rest: Sequence[Item], at: int, verb: str, *, keeps_time: bool = True) -> str | None:
    thing = rest[: at - (rest[at - 1].low in (",", "-", "\u2013"))] if at else ()
    if not _is_certain(thing) or noun_of(thing)[0] in OF_MAIL:
        return None
    return f"{verb} {text[thing[0].begin : thing[-1].end]}" + (f" {text[rest[at].begin : rest[-1].end]}" if keeps_time else "")


def _is_certain(thing: Sequence[Item]) -> bool:
    """Whether something is named that can be found: more than somebody, a time, or a noun for anything of its kind."""
    small, words = lexicon().small, lows(thing)
    if not thing or words[0] in small["indefinite"] or words[-1] in ("and", "or", ":", "to", "from"):
        return False
    noun, *_, begin, end = noun_of(thing)
    if noun in OF_NOBODY or (noun in ("time", "length", "place", "name") and begin == 0):
        return False
    if words[0] == "everything":
        return len(thing) > 1
    generic = noun in {"event", *OF_MAIL} - {"newsletter"}
    content = [
        n
        for n, item in enumerate(thing)
        if item.kind in ("quote", "subject", "name")
        or (item.kind == "word" and item.text and item.low not in small["stop"] and not (generic and begin <= n < end))
    ]
    narrowed = generic and any(item.kind in NAMED or item.time is not None for item in thing)
    return bool(content) or narrowed
