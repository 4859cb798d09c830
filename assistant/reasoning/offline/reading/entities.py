"""Tokens into items: times, known people and capitalised names become one item each; quotes and addresses already are."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.tokens import Kind, Token, tokenise

Prefer = Literal["future", "past"]
OPAQUE = "¤"
"""Stands in for what must not be searched for times: quotes, references, addresses."""


@dataclass(frozen=True, slots=True)
class Item:
    """A token, or several that form one entity. "person" is a name the setting knows, "name" an unknown capitalised one."""

    kind: Kind
    text: str
    low: str
    begin: int
    end: int
    time: TimeSpec | None = None


@dataclass(frozen=True)
class Names:
    """Names that can occur in a sentence, indexed by their first word."""

    full: dict[str, tuple[tuple[str, ...], ...]]
    parts: frozenset[str]


@lru_cache(maxsize=8)
def names_index(names: frozenset[str]) -> Names:
    words = lexicon().known
    full: dict[str, list[tuple[str, ...]]] = {}
    parts: set[str] = set()
    for name in names:
        pieces = tuple(piece.strip("(),.\"'") for piece in name.lower().split())
        if not pieces or not all(pieces) or (len(pieces) == 1 and pieces[0] in words):
            continue
        full.setdefault(pieces[0], []).append(pieces)
        if len(pieces) <= 3 and not any(piece in words or not piece.replace("-", "").isalpha() for piece in pieces):
            parts.update(piece for piece in (pieces[0], pieces[-1]) if len(piece) > 1)
    return Names({first: tuple(sorted(rows, key=len, reverse=True)) for first, rows in full.items()}, frozenset(parts))


def mark(text: str, setting: Setting, prefer: Prefer = "future") -> tuple[Item, ...]:
    """The items of `text`; times are read with `prefer` ("future" or "past") where their wording leaves that open."""
    known = _known_marks(text, setting)
    if prefer not in known:
        items = _marked(text, setting, prefer)
        timeless = all(item.time is None for item in items)
        known.update({"future": items, "past": items} if timeless else {prefer: items})
    return known[prefer]


@lru_cache(maxsize=64)
def _known_marks(text: str, setting: Setting) -> dict[Prefer, tuple[Item, ...]]:
    """What was marked of this text before."""
    return {}


def _marked(text: str, setting: Setting, prefer: Prefer) -> tuple[Item, ...]:
    from assistant.reasoning.offline.reading.nouns.describing import with_descriptions
    from assistant.reasoning.offline.reading.nouns.indefinite import with_heads
    from assistant.reasoning.offline.reading.nouns.oneself import as_me
    from assistant.reasoning.offline.reading.nouns.subjects import with_subjects

    return with_subjects(as_me(with_descriptions(with_heads(named(text, setting, prefer)), setting), setting))


def named(text: str, setting: Setting, prefer: Prefer = "future") -> tuple[Item, ...]:
    """The same with people as they are named, before what describes them is put together."""
    return _names(_times(tokenise(text), text, setting, prefer), setting)


def _times(tokens: tuple[Token, ...], text: str, setting: Setting, prefer: Prefer) -> list[Item]:
    from assistant.reasoning.offline.dates import read_times

    masked = text
    for token in tokens:
        if token.kind in ("quote", "ref", "address", "phone"):
            masked = masked[: token.begin] + OPAQUE * (token.end - token.begin) + masked[token.end :]
    for token in tokens:
        if token.low == "'s" and not token.text:
            masked = f"{masked[: token.begin]} {masked[token.end :]}"
    for owner, order in itertools.pairwise(tokens):
        if owner.low == "'s" and (order.low in lexicon().nth or order.low in ("first", "1st")):
            masked = masked[: order.begin] + OPAQUE * (order.end - order.begin) + masked[order.end :]
    masked = _apart(_without_conjunction(masked, tokens), tokens)
    for verb, particle in itertools.pairwise(tokens):
        if particle.low == "in" and verb.low in PUT_IN:
            masked = masked[: particle.begin] + OPAQUE * 2 + masked[particle.end :]
    for before, token in itertools.pairwise(tokens):
        if token.low == "last" and _lasts(tokens, before):
            masked = masked[: token.begin] + OPAQUE * (token.end - token.begin) + masked[token.end :]
    masked, hours = _hours_moved_to(masked, tokens)
    masked = masked[:FAR]
    mentions = sorted(read_times(masked, now=setting.now, zone=setting.zone, prefer=prefer), key=lambda m: m.begin)
    mentions = [m.model_copy(update={"begin": hours.get(m.begin, m.begin)}) for m in mentions]
    items: list[Item] = []
    shown: TimeSpec | None = None
    queue = [m for m in mentions if _plausible(m.spec, text[m.begin : m.end]) and not _names_a_feast(m.end, text, tokens)]
    for token in tokens:
        while queue and queue[0].end <= token.begin:
            queue.pop(0)
        if queue and queue[0].begin < token.end and token.begin < queue[0].end:
            mention = queue[0]
            if mention.spec is not shown:
                said = text[mention.begin : mention.end].strip()
                spec = _compared(mention.spec, text[: mention.begin], said, setting)
                items.append(Item("time", said, said.lower(), mention.begin, mention.end, spec))
                shown = mention.spec
            continue
        items.append(Item(token.kind, token.text, token.low, token.begin, token.end))
    return items


SHOUTED = 3
"""Capitals throughout so many words are a way of typing."""
FAR = 3000
"""Characters of a message in which times are looked for; what is longer holds a mail's text."""


def _compared(spec: TimeSpec, before: str, said: str, setting: Setting) -> TimeSpec:
    """What "older than" and "newer than" make of the time behind them."""
    lead = before.rstrip().lower()
    older, newer = lead.endswith("older than"), lead.endswith(("newer than", "younger than"))
    if not older and not newer:
        return spec
    edge = setting.now - spec.duration if spec.duration is not None else spec.start if older else spec.stop or spec.start
    start, stop = (None, edge) if older else (edge, None)
    text = f"{lead[-10:]} {said}"
    return TimeSpec(kind="range", text=text, start=start, stop=stop, has_date=True, has_time=spec.has_time)


def _without_conjunction(text: str, tokens: tuple[Token, ...]) -> str:
    """In "tell Tom that Friday is fine" no Friday is pointed at: such a "that" is hidden."""
    small = lexicon().small
    for before, token in itertools.pairwise(tokens):
        if token.low != "that" or before.low in small["pointing"]:
            continue
        lead = [one.low for one in tokens[: tokens.index(token)]]
        lead = [*lead[:3], *lead[-4:]] if {"reply", "answer", "respond"} & set(lead[:3]) else lead[-4:]
        if before.low in small["missives"] | {"reply", "answer", "mail", "email", "message", "know", "say", "saying"} or (
            {"tell", "email", "write", "inform", "remind", "let", "answer", "reply", "message", "notify"} & set(lead[:-1])
        ):
            text = text[: token.begin] + OPAQUE * (token.end - token.begin) + text[token.end :]
    return text


def _lasts(tokens: Sequence[Token], before: Token) -> bool:
    """Whether "last 30 minutes" is how long something is to be, as in "make it last …", "which should last …"."""
    made = tokens[0].low == "make" or any(one.low == "make" for one in tokens[:5])
    return before.low in MODALS or (made and before.low not in ARTICLES)


MODALS = frozenset("should must shall to will would can could only may does that which not".split())
ARTICLES = frozenset({"the", "in", "for", "within", "over", "during", "of", "from", "since", "my", "and"})
"""Before "last" these lead to a time that is over."""
PUT_IN = frozenset({"put", "pencil", "squeeze", "fit", "slot", "pop"})
"""Behind these "in an hour" is an hour put in."""
NEW_TIME = frozenset({"for", "until", "till"})
RESIZING = frozenset({"extend", "prolong", "lengthen", "shorten", "stretch", "cut"})
"""Verbs behind which "until 5" is the new end."""
PUTTING_OFF = frozenset({"move", "reschedule", "shift", "postpone", "push", "delay", "bring", "pull", "rebook", "off"})
"""Verbs behind which "until Monday" and "for Friday at 9" are the new time, no stretch of it."""


def _apart(text: str, tokens: tuple[Token, ...]) -> str:
    """In "move my 3pm to 4pm" the two times are no range: the first "to" is hidden, and a "from" before it."""
    for lead in [token for token in tokens if token.low in ("until", "till")] if tokens and tokens[0].low in RESIZING else []:
        text = text[: lead.begin] + OPAQUE * (lead.end - lead.begin) + text[lead.end :]
    proposal = any(token.kind == "ref" and token.low == "proposal" for token in tokens)
    if not proposal and not any(token.low in lexicon().small["movers"] for token in tokens[:6]):
        return text
    for day, after, then in zip(tokens, tokens[1:], (*tokens[2:], None), strict=False):
        if (day.low, after.low) == ("day", "after") and (then is None or then.low != "tomorrow"):
            text = text[: day.begin] + OPAQUE * (after.end - day.begin) + text[after.end :]
    for token in tokens:
        if token.low in ("later", "earlier"):
            text = text[: token.begin] + OPAQUE * (token.end - token.begin) + text[token.end :]
    for lead in (
        [token for token in tokens if token.low in NEW_TIME] if any(token.low in PUTTING_OFF for token in tokens[:6]) else []
    ):
        text = text[: lead.begin] + OPAQUE * (lead.end - lead.begin) + text[lead.end :]
    for token in tokens:
        if token.kind == "word" and token.low in ("from", "to"):
            text = text[: token.begin] + OPAQUE * (token.end - token.begin) + text[token.end :]
            if token.low == "to":
                break
    return text


def is_hour(token: Token | Item) -> bool:
    """A bare number that can be an hour of the day."""
    return token.kind == "number" and token.low.isdigit() and len(token.low) <= 2 and int(token.low) <= 24


def _hours_moved_to(text: str, tokens: tuple[Token, ...]) -> tuple[str, dict[int, int]]:
    """In "move it from 9 to 10" the numbers are times: their "from" and "to" are read as "at". The text with that, and for each
    where such an "at" begins where its number does."""
    small = lexicon().small
    begins: dict[int, int] = {}
    if not any(token.low in small["movers"] for token in tokens[:8]) or any(token.low in small["numbered"] for token in tokens):
        return text, begins
    for token, number, after in zip(tokens, tokens[1:], (*tokens[2:], None), strict=False):
        ends = (
            after is None or after.kind == "punct" or after.low in ("and", "then", "on", "if", "unless") or _polite(tokens, after)
        )
        if token.low == "to" and is_hour(number) and (ends or _names_a_day(after)):
            before = OPAQUE if token.begin else ""
            text = f"{text[: token.begin - len(before)]}{before}at{text[token.end :]}"
            begins[token.begin] = number.begin
        elif token.low == "from" and is_hour(number) and after is not None and after.low == "to":
            text = f"{text[: token.begin]}  at{text[token.end :]}"
            begins[token.end - 2] = number.begin
    return text, begins


def _polite(tokens: tuple[Token, ...], token: Token) -> bool:
    """Whether only politeness begins at `token`."""
    return lexicon().polite["closers"].at([one.low for one in tokens], tokens.index(token)) is not None


def _names_a_day(token: Token | None) -> bool:
    return token is not None and token.low in lexicon().small["days"]


def _names_a_feast(end: int, text: str, tokens: Sequence[Token]) -> bool:
    """ "the Christmas party", "Easter lunch": the day is what the event is called by."""
    from assistant.reasoning.offline.dates.lexicon import EASTER_HOLIDAYS, FIXED_HOLIDAYS, NTH_HOLIDAYS

    behind = [n for n, token in enumerate(tokens) if token.begin >= end][:1]
    said = [token.low for token in tokens if token.end <= end and token.kind == "word" and token.low != "'s"]
    feast = any(" ".join(said[-size:]) in {*FIXED_HOLIDAYS, *NTH_HOLIDAYS, *EASTER_HOLIDAYS} for size in (1, 2, 3))
    noun = lexicon().nouns.at([token.low for token in tokens], behind[0]) if behind and feast else None
    return noun is not None and noun[1][0] in ("occasion", "event", "mail") and noun[1][2] != "calendar"


QUANTITIES = ("more than", "less than", "fewer than", "at least", "at most")


def _plausible(spec: TimeSpec, said: str) -> bool:
    """Bare "may", "march", "second" or "now" are words before they are times."""
    low = said.strip().lower()
    if low in ("now", "second", "a second", "minute", "moment", "sun", "sat", "mar", "dec"):
        return False
    if low.startswith(QUANTITIES) and low.rpartition(" ")[2].isdigit():
        return False
    if spec.kind == "repeat" and said.isalpha() and said[:1].isupper():
        return False
    return not (low in ("may", "march") and said[:1].islower())


def _names(items: Sequence[Item], setting: Setting) -> tuple[Item, ...]:
    index, groups = names_index(setting.names), names_index(setting.groups)
    if _shouted(items):
        items = [replace(item, text=item.low) if item.kind == "word" else item for item in items]
    items = [part for item in items for part in _possessive(item, index)]
    lows = [item.low if item.kind in ("word", "number", "punct") else "" for item in items]
    result: list[Item] = []
    at = 0
    while at < len(items):
        length, kind = _name_at(items, lows, at, index, groups)
        if length == 0:
            result.append(items[at])
            at += 1
            continue
        span = items[at : at + length]
        text = joined(span)
        result.append(replace(span[0], kind=kind, text=text, low=text.lower(), end=span[-1].end))
        at += length
    return tuple(result)


def _possessive(item: Item, index: Names) -> tuple[Item, ...]:
    """ "lenas mail": a name that is known, with an s and no apostrophe."""
    name = item.low[:-1]
    if item.kind != "word" or not item.low.endswith("s") or item.low in lexicon().known or item.low in index.parts:
        return (item,)
    if name not in index.parts and (name,) not in index.full.get(name, ()):
        return (item,)
    cut = item.end - 1
    return replace(item, text=item.text[:-1], low=name, end=cut), replace(item, text="", low="'s", begin=cut)


def _shouted(items: Sequence[Item]) -> bool:
    """EVERYTHING IN CAPITALS, which then mark no names."""
    words = [item.text for item in items if item.kind == "word" and len(item.text) > 1]
    return len(words) >= SHOUTED and all(word.isupper() for word in words)


def joined(span: Sequence[Item]) -> str:
    text = span[0].text
    for before, item in itertools.pairwise(span):
        text += ("" if item.begin == before.end else " ") + item.text
    return text


def _name_at(items: Sequence[Item], lows: Sequence[str], at: int, index: Names, groups: Names) -> tuple[int, Kind]:
    item = items[at]
    if item.kind != "word" or not item.text or item.low.startswith("'"):
        return 0, "word"
    for table in (groups, index):
        for pieces in table.full.get(item.low, ()):
            if tuple(lows[at : at + len(pieces)]) == pieces and (len(pieces) > 1 or _single(items, at, table is groups)):
                return (len(pieces) if table is groups else _extend(items, at, len(pieces))), "person"
    if item.low in index.parts and _single(items, at, False):
        return _extend(items, at, 1), "person"
    if _capital(item) and item.low not in lexicon().known and (at > 0 or item.low not in lexicon().small["names_too"]):
        return _extend(items, at, 1), "name"
    return 0, "word"


def _capital(item: Item) -> bool:
    return item.kind == "word" and item.text[:1].isupper()


def _single(items: Sequence[Item], at: int, group: bool) -> bool:
    """Whether a single known word is the name here: "Mark" and "anna" are, "mark" and "will" are verbs."""
    item, small = items[at], lexicon().small
    if group or (item.low not in small["names_too"] and item.low not in lexicon().known):
        return True
    before = items[at - 1].low if at else ""
    return _capital(item) and (
        (at == 0 and len(items) > 1 and items[1].low in small["auxiliaries"]) or before in small["person_cues"]
    )


def _extend(items: Sequence[Item], at: int, length: int) -> int:
    """A name goes on over capitalised words that follow it: "Anna Berg" where only some other Anna is known."""
    end = at + length
    while end < len(items) and _capital(items[end]) and not items[end].low.startswith("'"):
        word = items[end].low
        if word in lexicon().small["wh"] or word in ("i", "please") or items[end - 1].text.endswith(","):
            break
        end += 1
    return end - at
