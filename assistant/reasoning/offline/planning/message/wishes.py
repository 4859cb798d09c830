"""A wish as the request that it is: "I need the mails archived", "I want Tom to be invited to …", "I need X in my calendar"."""

import re
from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.slots import CALENDAR_WORDS, lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item

WISHING = frozenset({"need", "want", "like", "love"})
DONE = frozenset(
    "archive delete cancel move forward flag unflag restore accept decline invite uninvite rename summarise mark add create".split()
)
PLACES = frozenset({"calendar", "contact", "address book", "diary", "agenda", "schedule"})
BEHIND = frozenset({"to", "for", "as", "from", "on", "and", ",", "into"})


def as_request(text: str, items: Sequence[Item]) -> str | None:
    """The same as an imperative; None where nothing is wished to be done."""
    stripped, taken = strip_openers(items, lexicon().polite["openers"])
    if (
        request := _inflected(text, stripped) or _unwanted(text, stripped) or _idiom(text, stripped) or _entered(text, stripped)
    ) is not None:
        return request
    if (
        request := _hoped(text, strip_closers(stripped), wished=any(WISHING & set(phrase.split()) for phrase in taken))
    ) is not None:
        return request
    rest = list(strip_closers(stripped))
    if (begun := _begun(text, rest)) is not None:
        return begun
    asks_for = bool(rest) and rest[0].low in ("have", "get") and any(phrase in MAY_I for phrase in taken)
    if asks_for and _new_event(rest[1:], lows(rest[1:])):
        return f"schedule {text[rest[1].begin : rest[-1].end]}"
    if not rest or not (any(WISHING & set(phrase.split()) for phrase in taken) or _has_it_done(rest)):
        return None
    if rest[0].low in ("have", "get") and len(rest) > 2:
        rest = rest[1:]
    words = lows(rest)
    if text.rstrip()[-1:] != "?" and _new_event(rest, words):
        return f"schedule {text[rest[0].begin : rest[-1].end]}"
    if any(form.base for _, form in lexicon().verbs.all_at(words, 0)) and lexicon().nouns.at(words, 0) is None:
        return None
    for at in range(1, len(rest)):
        form = done(words, at)
        ends = at + 1 == len(rest) or words[at + 1] in BEHIND or rest[at + 1].kind in ("time", "punct")
        if form is not None and ends and rest[at].kind == "word":
            return _imperative(text, rest, words, at, form)
    return _into(text, rest, words)


ONE_THING = frozenset({"a", "an", "the", "my", "our", "this", "that", "it"})
"""Before one thing that is to be dealt with; "get the mails sent by Tom" looks for several."""


def _has_it_done(items: Sequence[Item]) -> bool:
    """ "Get the invoice forwarded to Lena", "have my dentist appointment cancelled": one thing, and what is to be done with it."""
    words = lows(items)
    if words[:1] not in (["get"], ["have"]) or len(words) < 3 or words[1] not in ONE_THING:
        return False
    at = next((n for n in range(2, len(words)) if items[n].kind == "word" and done(words, n) is not None), None)
    plural = any((noun := lexicon().nouns.at(words, n)) and noun[1][1] for n in range(2, at or 2))
    return at is not None and not plural and words[at + 1 : at + 2] != ["by"]


BEGINNING = frozenset({"started", "begun", "going", "underway", "under", "ready"})
WRITTEN = frozenset({"mail", "draft", "reply"})


def _begun(text: str, items: Sequence[Item]) -> str | None:
    """ "Get a mail to Felix started", "start a note to Yuki": it is written."""
    words = lows(items)
    nouns = [n for n in range(1, min(len(words), 5)) if words[n] in NOTES or _is_written(words, n)]
    if not nouns or words[nouns[0] - 1] not in ("a", "an", "new", "another", "quick", "short"):
        return None
    begin = 1 if words[0] in ("get", "have") else 0
    ends = next((n for n in range(nouns[0] + 1, len(words)) if words[n] in BEGINNING), None) if begin else None
    if begin and ends is not None:
        return f"write a mail {text[items[nouns[0]].end : items[ends - 1].end].strip()}"
    opens = words[0] in ("start", "begin") or words[:3] in (["open", "a", "new"], ["open", "up", "a"])
    return f"write a mail {text[items[nouns[0]].end : items[-1].end].strip()}" if opens else None


def _is_written(words: Sequence[str], at: int) -> bool:
    noun = lexicon().nouns.at(words, at)
    return noun is not None and noun[1][0] in WRITTEN


NOTES = frozenset({"note", "line", "letter", "message"})


def _inflected(text: str, items: Sequence[Item]) -> str | None:
    """ "would you mind archiving it", "it would be great if you archived it": the deed in another form."""
    words = lows(items)
    frame = lexicon().polite["inflecting"].at(words, 0)
    if frame is None or frame[0] >= len(items):
        return None
    forms = [
        (length, form) for length, form in lexicon().verbs.all_at(words, frame[0]) if not form.base or words[frame[0]] == form.lemma
    ]
    if not forms:
        return None
    length, form = forms[0]
    return f"{form.lemma}{text[items[frame[0] + length - 1].end : items[-1].end]}"


def _unwanted(text: str, items: Sequence[Item]) -> str | None:
    """ "I'd rather not have pilates tonight": an event is called off, a guest uninvited, mails put away."""
    words = lows(items)
    frame = lexicon().polite["unwanted"].at(words, 0)
    if frame is None or frame[0] >= len(items):
        return None
    rest = list(strip_closers(items[frame[0] :]))
    said = text[rest[0].begin : rest[-1].end]
    leads = next((n for n, item in enumerate(rest) if item.low in ("in", "at", "on")), None)
    if leads and all(item.kind in ("person", "name", "address") or item.low in ("and", ",") for item in rest[:leads]):
        return f"uninvite {text[rest[0].begin : rest[leads - 1].end]} from {text[rest[leads].end : rest[-1].end].strip()}"
    mails = any((noun := lexicon().nouns.at(lows(rest), n)) and noun[1][0] in ("mail", "newsletter") for n in range(len(rest)))
    return f"archive {said}" if mails else f"cancel {said}"


def _new_event(items: Sequence[Item], words: Sequence[str]) -> bool:
    """ "a 30 minute call with Raj at 3": an event that is not there yet, with a time or somebody in it."""
    lasting = items[0].time is not None and items[0].time.kind == "duration" if items else False
    if len(items) < 3 or not (lasting or words[0] in ("a", "an", "another")):
        return False
    lex = lexicon()
    at = next(
        (n for n in range(1, len(items)) if lex.nouns.at(words, n) or (items[n].kind == "word" and lex.markers.at(words, n))), 0
    )
    noun = lex.nouns.at(words, at) if at else None
    if noun is None or noun[1][0] not in ("event", "occasion") or noun[1][1]:
        return False
    behind = range(at + noun[0], len(items))
    timed = any((spec := items[n].time) is not None and spec.kind != "duration" for n in behind)
    return timed and not any(words[n] in ("from", "about", "that", "which") for n in behind)


MAY_I = frozenset({"can i", "could i", "may i", "can we", "could we"})


LEAD = re.compile(r"^(?:on|at|in|from) ", re.IGNORECASE)
BECOMING = (("to", "be"), ("was",), ("were",), ("is",), ("be",))
INDEFINITE = frozenset({"a", "an", "some", "any", "another", "you", "someone", "somebody", "to", "there"})


def _hoped(text: str, items: Sequence[Item], *, wished: bool) -> str | None:
    """ "It would be nice if the review were on Tuesday", "I'd rather have the call in Room 2": it is changed to be so."""
    words = lows(items)
    frame = lexicon().polite["hoping"].at(words, 0)
    prefers = frame is not None and words[frame[0] - 1] in ("have", "prefer")
    if frame is None and not wished:
        return None
    items = items[frame[0] if frame else 0 :]
    words = lows(items)
    if len(items) < 2 or words[0] in INDEFINITE:
        return None
    for at in range(1, len(items)):
        length = next((len(link) for link in BECOMING if tuple(words[at : at + len(link)]) == link), 0)
        if length and at + length < len(items):
            return become(text, text[items[0].begin : items[at - 1].end], items[at + length :])
        if prefers and (words[at] in ("on", "at", "in", "from", "by") or items[at].kind == "time"):
            return become(text, text[items[0].begin : items[at - 1].end], items[at:])
    return None


def become(text: str, thing: str, state: Sequence[Item]) -> str | None:
    """The deed after which a thing is as said: "on Tuesday", "an hour longer", "in Room 2", "back in my inbox", "flagged"."""
    words = lows(state)
    said = text[state[0].begin : state[-1].end]
    if (form := done(words, 0)) is not None:
        return f"{form.lemma} {thing}{_quoted_title(form, text, state)}"
    led = words[0] in ("on", "at", "in", "from", "to")
    first = state[1] if led and len(state) > 1 else state[0]
    if first.time is not None and {"later", "earlier"} & set(said.lower().split()):
        return f"move {thing} {said}"
    if first.time is not None and first.time.kind == "duration":
        return f"make {thing} {said}" if {"long", "longer", "shorter"} & set(words) else None
    if first.time is not None:
        return f"move {thing} to {LEAD.sub('', text[first.begin : state[-1].end])}"
    if words[0] == "back" and words[1:2] in (["in"], ["on"]):
        return f"move {thing} back to {text[state[2].begin : state[-1].end]}" if len(state) > 2 else None
    if words[0] in ("in", "at") and len(state) > 1:
        return f"move {thing} to {text[state[1].begin : state[-1].end]}"
    marked = {"flagged": "flag {}", "starred": "flag {}", "unread": "mark {} as unread", "read": "mark {} as read"}.get(
        said.lower()
    )
    return marked.format(thing) if marked else None


def _quoted_title(form: Form, text: str, state: Sequence[Item]) -> str:
    """What stands behind the verb; a new title in quotes, so that nothing else is read in it."""
    behind = text[state[0].end : state[-1].end]
    if form.verb != "rename" or len(state) < 2 or any(item.kind == "quote" for item in state):
        return behind
    begin = 2 if state[1].low == "to" and len(state) > 2 else 1
    return f'{text[state[0].end : state[begin].begin]}"{text[state[begin].begin : state[-1].end]}"'


def _idiom(text: str, items: Sequence[Item]) -> str | None:
    """ "give pilates a miss": an object in the midst of a saying."""
    words = lows(items)
    for (begin, end), deed in lexicon().idioms.get(words[0] if words else "", ()):
        if tuple(words[: len(begin)]) != begin:
            continue
        if not end:
            rest = strip_closers(items)
            if len(rest) > len(begin):
                return deed.replace("_", text[rest[len(begin)].begin : rest[-1].end])
            continue
        at = next((n for n in range(len(begin) + 1, len(words) - len(end) + 1) if tuple(words[n : n + len(end)]) == end), None)
        somebody = lexicon().small["pronouns_person"] | {"and", ","}
        people = at is not None and all(item.kind in NAMED or item.low in somebody for item in items[len(begin) : at])
        if at is not None and not (people and end[-1] == "list"):
            behind = text[items[at + len(end) - 1].end : items[-1].end]
            return deed.replace("_", text[items[len(begin)].begin : items[at - 1].end]) + behind
    return None


def done(words: Sequence[str], at: int) -> Form | None:
    if lexicon().nouns.at(words, at) is not None:
        return None
    forms = (form for length, form in lexicon().verbs.all_at(words, at) if length == 1 and " " not in form.lemma)
    return next(
        (form for form in forms if form.verb in DONE and words[at].endswith(("ed", "put")) and words[at] != form.lemma), None
    )


def _imperative(text: str, rest: Sequence[Item], words: Sequence[str], at: int, form: Form) -> str:
    end = at
    while end > 1 and words[end - 1] in ("be", "to", "been", "get", "being"):
        end -= 1
    thing = text[rest[0].begin : rest[end - 1].end]
    behind = text[rest[at].end : rest[-1].end]
    return f"{form.lemma} {thing}{behind}"


def _into(text: str, rest: Sequence[Item], words: Sequence[str]) -> str | None:
    """ "a dentist appointment in my calendar": what is wished to be there is added."""
    for at in range(1, len(rest) - 1):
        if words[at] in ("in", "on", "into") and words[at + 1] in lexicon().small["articles"]:
            noun = lexicon().nouns.at(words, at + 2)
            if noun is not None and noun[1][2] in PLACES:
                return f"add {text[rest[0].begin : rest[at - 1].end]} to {text[rest[at + 1].begin : rest[-1].end]}"
    return None


def _entered(text: str, items: Sequence[Item]) -> str | None:
    """ "Gym on Saturday from 8 to 9 goes into my diary": what is said to belong there is put there."""
    rest, small = list(strip_closers(items)), lexicon().small
    words = lows(rest)
    at = next((n for n in range(2, len(rest) - 2) if words[n] in ENTERING and words[n + 1] in ("in", "into", "on", "to")), 0)
    place = rest[at + 2 :] if at else []
    named = len(place) == 2 and place[0].low in ("my", "the", "our") and place[1].low in CALENDAR_WORDS
    unsure = small["negations"] | small["reporting"] | small["doubting"] | UNDECIDED
    asks = not words or words[0] in small["auxiliaries"] | small["wh"] or text.rstrip().endswith("?")
    if not named or asks or unsure & set(words[:at]) or not any(item.time is not None for item in rest[:at]):
        return None
    what = text[rest[0].begin : rest[at - 1].end].rstrip(" ,")
    first = next(n for n, item in enumerate(rest) if item.time is not None)
    if first and not any(item.kind in ("person", "address", "quote", "ref") for item in rest[:at]):
        title = text[rest[0].begin : rest[first - 1].end].removesuffix(" on").removesuffix(" at").rstrip(" ,")
        what = f'"{title}" {text[rest[first].begin : rest[at - 1].end].rstrip(" ,")}'
    return f"put {what} {text[rest[at + 1].begin : place[1].end]}"


ENTERING = frozenset({"go", "goes", "belongs", "belong"})
UNDECIDED = frozenset({"if", "that", "whether", "who", "which", "when", "because", "not", "never", "unless"})
