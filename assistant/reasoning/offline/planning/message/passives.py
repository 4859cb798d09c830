"""What shall become of something, as the request that it is: "the mails from Tom should be archived", "… can go", "… should go to
Anna", "everyone in the review should get a mail saying …"."""

import re
from collections.abc import Sequence
from itertools import pairwise

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.wishes import become, done
from assistant.reasoning.offline.reading.clauses.moving import TRADING
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item

MODALS = (
    ("should",), ("must",), ("shall",), ("can",), ("may",), ("could",), ("ought", "to"), ("has", "to"), ("have", "to"), 
    ("needs", "to"), ("need", "to"), ("is", "to"), ("are", "to"), ("is", "supposed", "to"), ("are", "supposed", "to"),
    ("is", "meant", "to"), ("are", "meant", "to"), ("was", "supposed", "to"), ("was", "meant", "to"), ("had", "better"),
)  # fmt: skip
OBLIGING = frozenset({"should", "must", "shall", "ought", "has", "have", "needs", "need", "is", "are"})
RECEIVE = (("get",), ("receive",), ("be", "sent"), ("be", "given"), ("have",), ("be", "mailed"), ("be", "emailed"))
UNSURE = frozenset({"if", "that", "whether", "who", "which", "when", "because", "said", "says", "think", "not", "never"})


def as_deed(text: str, items: Sequence[Item]) -> str | None:
    """None where nothing is said to be done, or more is said about it."""
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    rest = list(strip_closers(stripped))
    early, rest = _time_first(text, rest)
    wanted = _wanted_so(list(strip_closers(items)))
    rest = wanted[0] if wanted else rest
    words = lows(rest)
    found = wanted[1] if wanted else _modal(words)
    if words and (caused := _caused(text, rest, words) or _begun(text, rest, words)) is not None:
        return f"{caused}{early}"
    if words and words[0] in ASKING and text.rstrip().endswith("?"):
        return _asked(text, rest, words)
    if found is None and (needed := _needed(text, rest, words)) is not None:
        return needed
    if found is None or _unsure(rest, words, *found) or words[0] in lexicon().small["me"] | lexicon().small["wh"]:
        return None
    at, modal = found
    behind = at + len(modal)
    thing = text[rest[0].begin : rest[at - 1].end]
    request = (
        _each(text, rest, words, behind, thing) or _timed(text, rest, words, behind, thing) or _filed(rest, words, behind, thing)
    )
    if request is None and _is_thing(rest[:at], words[:at]):
        request = _changed(text, rest, words, behind, thing)
    if request is None and words[at] in OBLIGING and all(item.kind in NAMED or item.low in ("and", ",") for item in rest[:at]):
        request = _sent(text, rest, words, behind, thing) or _addressed(text, rest, words, behind, thing)
    if request is None and words[at] in OBLIGING:
        request = _handled(text, rest, words, behind, thing)
    return f"{request}{early}" if request is not None else None


def _modal(words: Sequence[str]) -> tuple[int, tuple[str, ...]] | None:
    found = ((at, modal) for at in range(1, len(words)) for modal in MODALS if tuple(words[at : at + len(modal)]) == modal)
    return next(found, None)


def _wanted_so(items: Sequence[Item]) -> tuple[list[Item], tuple[int, tuple[str, ...]]] | None:
    """ "Would it be possible for my call to start at 11?", "I need the sync to last an hour": the thing with what it is to do,
    and where "to" stands as a modal; None where nothing is wished of a thing that is there."""
    frame = lexicon().polite["causing"].at(lows(items), 0)
    rest = list(items[frame[0] :]) if frame else []
    words = lows(rest)
    if not rest or not (words[0] in ("my", "the", "our", "that", "this") or rest[0].kind in ("quote", "name")):
        return None
    at = next(
        (n for n in range(1, len(rest) - 1) if words[n] == "to" and words[n + 1] in PREDICATES | {"be", "last", "run", "go"}), 0
    )
    return (rest, (at, ("to",))) if at else None


def _each(text: str, items: Sequence[Item], words: Sequence[str], behind: int, thing: str) -> str | None:
    """ "The sync should be called Weekly and start at 12": what becomes of one thing, as one request; None where it is not
    several things, or one of them can't be read."""
    joints = [n for n in range(behind + 2, len(items) - 2) if words[n] in ("and", ",") and _predicate_at(words, n)]
    requests = list[str]()
    for begin, end in pairwise([behind, *joints, len(items)] if joints else []):
        begin = _predicate_at(words, begin) if begin in joints else begin
        passive = begin in range(behind + 1, len(items)) and done(words, begin) is not None
        told = [*items[: behind + passive], *items[begin:end]]
        spoken = [item.low for item in told]
        request = _timed(text, told, spoken, behind, thing) or _changed(text, told, spoken, behind, thing)
        if request is None:
            return None
        requests.append(request)
    return " and ".join([*requests[:1], *(one.replace(thing, "it", 1) for one in requests[1:])]) or None


def _predicate_at(words: Sequence[str], at: int) -> int:
    """Where the predicate begins that "and" joins at `at`; 0 where none does."""
    behind = at + 1 + (words[at] == "," and words[at + 1] == "and")
    behind += words[behind] in ("should", "must", "also")
    active = words[behind] in PREDICATES | {"be", "last", "run", "go"}
    return behind if active or ("be" in words[:at] and done(words, behind) is not None) else 0


def _time_first(text: str, items: list[Item]) -> tuple[str, list[Item]]:
    """ "On Friday at 3 a call with Tom has to be scheduled": the time with a blank before it, and the rest."""
    at = 0
    while at < len(items) and (items[at].time is not None or items[at].low in ("on", "for", "at", "from", ",")):
        at += 1
    if not at or at == len(items) or not any(item.time is not None for item in items[:at]) or _of_day(items[at - 1]):
        return "", items
    return f" {text[items[0].begin : items[at - 1].end].rstrip(' ,')}", items[at:]


def _of_day(item: Item) -> bool:
    """ "Friday's" is what is on that day."""
    return item.time is not None and item.low.endswith(("'s", "\u2019s"))


def _unsure(rest: Sequence[Item], words: Sequence[str], at: int, modal: Sequence[str]) -> bool:
    """Whether it is reported, supposed or denied; "the mails that came today" only says which are meant."""
    small = lexicon().small
    related = next((n for n in range(1, at - 1) if words[n] in RELATIVE and _related(words, n, at)), at)
    doubts = UNSURE & (set(words[:related]) | set(words[at : at + len(modal) + 2]))
    supposed = (small["reporting"] | small["hedging"]) & set(words[:related]) or small["reporting"] & set(words[at - 1 : at])
    return bool(doubts or supposed or words[at - 1] in small["hedging"] or _reported_behind(rest, words, at))


RELATIVE = frozenset({"that", "which", "who"})


def _reported_behind(rest: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "…, Lena claims": at the end it is said whose words these are."""
    small = lexicon().small
    first, *behind = words[-3:]
    tells = small["reporting"] | small["hedging"]
    return len(rest) > at + 4 and first == "," and bool(tells & set(behind))


def _related(words: Sequence[str], at: int, modal: int) -> bool:
    """ "the mails that came", "the quote which Tom sent": behind the noun, with a verb of its own before the modal."""
    before = at - 1 - (words[at - 1] in ("in", "with", "to", "from"))
    noun = any(lexicon().nouns.at(words, n) for n in range(max(before - 1, 0), before + 1))
    led = before > 0 and words[before - 1] in lexicon().small["articles"]
    told = not led and (_is_verb(words, before) or words[before].endswith(("s", "ed")))
    return noun or (not told and any(_is_verb(words, n) for n in range(at + 1, modal)))


def _is_verb(words: Sequence[str], at: int) -> bool:
    lex = lexicon()
    return words[at] in lex.small["auxiliaries"] or lex.verbs.at(words, at) is not None or lex.facts.at(words, at) is not None


TOLD = frozenset({"tell", "ask", "thank", "invite", "uninvite", "congratulate", "send"})
HANDLED = frozenset("archive delete forward flag unflag restore reply mark change decline accept cancel".split())


def _participle(words: Sequence[str], at: int, verbs: frozenset[str]) -> tuple[int, str] | None:
    """How many words "be told" takes at `at`, and the verb it is of."""
    begin = at + (words[at : at + 1] in (["be"], ["get"]))
    found = (
        (begin - at + length, form) for length, form in lexicon().verbs.all_at(words, begin) if begin > at and form.verb in verbs
    )
    return next(((length, form.lemma) for length, form in found if not form.base or form.lemma in INVARIABLE), None)


INVARIABLE = frozenset({"set", "put"})


def _addressed(text: str, rest: Sequence[Item], words: Sequence[str], at: int, whom: str) -> str | None:
    """ "Tom is to be told that …", "Tom and Eva must be invited to …"."""
    done = _participle(words, at, TOLD)
    if done is None or at + done[0] >= len(rest) or words[at + done[0]] in lexicon().small["negations"]:
        return None
    return f"{done[1]} {whom}{text[rest[at + done[0] - 1].end : rest[-1].end]}"


def _handled(text: str, rest: Sequence[Item], words: Sequence[str], at: int, thing: str) -> str | None:
    """ "The invoice of Tom is to be forwarded to Eva", "Omar's question has to be answered …": what mails and cards undergo."""
    owned = rest[0].kind in NAMED and words[1] == "'s"
    known = words[0] in lexicon().small["articles"] | lexicon().small["each"] or owned
    done = _participle(words, at, HANDLED)
    to_person = words[at : at + 2] == ["go", "to"] and at + 2 < len(rest) and rest[at + 2].kind in NAMED
    if not known or (done is None and not to_person):
        return _made(text, rest, words, at, thing)
    length, verb = done or (1, "forward")
    tail = text[rest[at + length - 1].end : rest[-1].end]
    return f"{verb} to {thing}{tail}" if verb in ("reply", "respond") else f"{verb} {thing}{tail}"


def _made(text: str, rest: Sequence[Item], words: Sequence[str], at: int, thing: str) -> str | None:
    """ "A new contact is to be created for Tom"."""
    done = _participle(words, at, frozenset({"create", "add"})) if words[0] in ("a", "an") else None
    noun = any((found := lexicon().nouns.at(words, n)) and found[1][0] in ("contact", "field", "template") for n in range(1, at))
    return f"{done[1]} {thing}{text[rest[at + done[0] - 1].end : rest[-1].end]}" if done and noun else None


def _timed(text: str, rest: Sequence[Item], words: Sequence[str], at: int, thing: str) -> str | None:
    """What only events do: "… should last an hour", "… has to start at 10", "… must end later", "… needs to be longer"."""
    while at < len(rest) and words[at] in ("only", "just", "not", "really", "please", "rather", "now"):
        if words[at] == "not":
            return None
        at += 1
    if at + 1 >= len(rest) or not _may_be_event(rest):
        return None
    said = text[rest[at + 1].begin : rest[-1].end]
    length = next((n for n in range(at + 1, len(rest)) if (spec := rest[n].time) is not None and spec.kind == "duration"), None)
    differs = next((word for word in said.lower().split() if word in ("later", "earlier", "longer", "shorter")), "")
    if words[at] in TRADING and {"times", "places", "slots"} & set(words[at + 1 :]):
        return f"swap {thing}"
    if words[at] in ("last", "take", "run") and length is not None:
        return f"make {thing} last {said.removeprefix('for ')}"
    if words[at] == "be" and length is not None and (differs in ("longer", "shorter") or words[-1] == "long"):
        return f"make {thing} {said}"
    if words[at] == "be" and length == len(rest) - 1 and not {"later", "earlier"} & set(said.lower().split()):
        return f"make {thing} last {said}"
    happens = words[at] == "happen" or words[at : at + 2] == ["take", "place"]
    if not any(item.time is not None for item in rest[at + 1 :]):
        begin = at + (2 if words[at] == "take" else 1)
        end = next((n for n in range(begin, len(rest)) if words[n] in ("instead", "rather")), len(rest))
        return become(text, thing, rest[begin:end]) if happens and words[begin : begin + 1] in (["in"], ["at"]) else None
    said = said[len("place") :].lstrip() if happens and words[at] == "take" else said
    if happens or words[at] in ("start", "begin"):
        return f"move {thing} {said}" if differs else f"move {thing} to {AT.sub('', said)}"
    if words[at] in ("end", "finish", "stop"):
        verb = {"later": "extend", "earlier": "shorten"}.get(differs)
        return f"{verb} {thing} by {said.replace(differs, '')}" if verb else f"extend {thing} until {AT.sub('', said)}"
    return None


def _caused(text: str, rest: Sequence[Item], words: Sequence[str]) -> str | None:
    """ "Let the review last an hour", "have it end at 5", "make the sync start earlier"."""
    at = (
        next((n for n in range(2, len(rest)) if words[n] in PREDICATES and words[n - 1] not in OWNING), None)
        if words[0] in ("let", "have", "make")
        else None
    )
    if not at:
        return None
    return _timed(text, rest[1:], words[1:], at - 1, text[rest[1].begin : rest[at - 1].end])


def _begun(text: str, rest: Sequence[Item], words: Sequence[str]) -> str | None:
    """ "Start tonight's pilates an hour earlier", "finish the review at four": the verb before the event it is said of."""
    if words[0] not in ("start", "begin", "end", "finish") or len(rest) < 3 or rest[-1].time is None or rest[-2].time is not None:
        return None
    at = len(rest) - 1 - (words[-2] in ("at", "by", "from"))
    differs = {"later", "earlier"} & set(rest[-1].low.split())
    if at < 2 or not (differs or (rest[-1].time.has_time and rest[-1].time.kind == "point")):
        return None
    thing = rest[1:at]
    return _timed(
        text, [*thing, rest[0], *rest[at:]], [*words[1:at], words[0], *words[at:]], at - 1, text[thing[0].begin : thing[-1].end]
    )


def _asked(text: str, rest: Sequence[Item], words: Sequence[str]) -> str | None:
    """ "Can the review be moved to Friday?", "could my last call start at 10 instead?"."""
    predicate = next((n for n in range(2, len(rest) - 1) if words[n] in PREDICATES and not words[n - 1].endswith("to")), None)
    if predicate is not None and not UNSURE & set(words[:predicate]):
        return _timed(text, rest[1:], words[1:], predicate - 1, text[rest[1].begin : rest[predicate - 1].end])
    at = next((n for n in range(2, len(rest) - 1) if words[n] == "be"), None)
    if at is None or UNSURE & set(words[: at + 3]) or not _is_thing(rest[1:at], words[1:at]):
        return None
    return _changed(text, rest, words, at, text[rest[1].begin : rest[at - 1].end])


PREDICATES = frozenset({*TRADING, "start", "begin", "end", "finish", "happen", "take"})
OWNING = frozenset({"its", "the", "their", "same"})
"""Before "start" and "end" these make them nouns."""
ASKING = frozenset({"can", "could", "may", "might"})


AT = re.compile(r"^(?:at|on) ", re.IGNORECASE)


def _may_be_event(rest: Sequence[Item]) -> bool:
    return (
        rest[0].kind in ("quote", "name")
        or _of_day(rest[0])
        or rest[0].low in lexicon().small["articles"]
        or lexicon().nouns.at(lows(rest), 0) is not None
    )


def _is_thing(items: Sequence[Item], words: Sequence[str]) -> bool:
    nouns = {noun[1][0] for at in range(len(words)) if (noun := lexicon().nouns.at(words, at))}
    known = nouns & {"mail", "newsletter", "event", "occasion", "invitation"} or words[0] == "everything" or _of_day(items[0])
    return bool(known) and words[0] not in ("he", "she", "they", "it", "there")


def _changed(text: str, rest: Sequence[Item], words: Sequence[str], at: int, thing: str) -> str | None:
    tail = text[rest[at].end : rest[-1].end] if at < len(rest) else ""
    if words[at : at + 1] == ["go"]:
        if at + 1 == len(rest) or words[at + 1] == "away":
            return f"delete {thing}"
        to_person = words[at + 1] == "to" and at + 2 < len(rest) and rest[at + 2].kind in NAMED
        return f"forward {thing}{tail}" if to_person else None
    if (answered := _answered(text, rest, words, at, thing)) is not None:
        return answered
    if words[at : at + 1] not in (["be"], ["get"]) or at + 1 >= len(rest):
        return None
    return become(text, thing, rest[at + 1 :])


FILED = {"Archive": "archive", "Trash": "delete"}


def _filed(rest: Sequence[Item], words: Sequence[str], at: int, thing: str) -> str | None:
    """ "The quote can go to the archive", "… should go in the bin"."""
    if words[at : at + 1] != ["go"] or words[at + 1 : at + 2] not in (["to"], ["into"], ["in"]) or rest[0].kind == "person":
        return None
    at += 2 + (words[at + 2 : at + 3] in (["the"], ["my"]))
    folder = lexicon().folders.at(words, at)
    verb = FILED.get(folder[1]) if folder is not None and at + folder[0] == len(words) else None
    return f"{verb} {thing}" if verb else None


ANSWERS = frozenset({"reply", "answer", "response"})


def _answered(text: str, rest: Sequence[Item], words: Sequence[str], at: int, thing: str) -> str | None:
    """ "… should get the reply 'Thanks'", "… must be answered with 'Noted'"."""
    quoted = next((item for item in rest[at:] if item.kind == "quote"), None)
    if quoted is None:
        return None
    said = text[quoted.begin : rest[-1].end]
    given = words[at : at + 1] in (["get"], ["receive"], ["have"]) and ANSWERS & set(words[at + 1 : rest.index(quoted)])
    done = words[at : at + 2] in (["be", "answered"], ["be", "replied"])
    return f"reply to {thing} with {said}" if given or done else None


def _needed(text: str, rest: Sequence[Item], words: Sequence[str]) -> str | None:
    """ "Tom and Eva need a mail saying …": it is written to them."""
    at = next((n for n in range(1, len(rest)) if words[n] in ("need", "needs")), None)
    if not at or words[at + 1 : at + 2] not in (["a"], ["an"]) or not any(word in SAYING for word in words[at + 2 :]):
        return None
    people = all(item.kind in NAMED or item.low in ("and", ",") for item in rest[:at])
    return _sent(text, rest, words, at, text[rest[0].begin : rest[at - 1].end], length=1) if people else None


SAYING = frozenset({"saying", "says", ":", "that", "telling"})


def _sent(text: str, rest: Sequence[Item], words: Sequence[str], at: int, whom: str, length: int = 0) -> str | None:
    length = length or next((len(verb) for verb in RECEIVE if tuple(words[at : at + len(verb)]) == verb), 0)
    if length and words[at + 1] in ("emailed", "mailed"):
        return f"email {whom} {text[rest[at + length].begin : rest[-1].end]}" if at + length < len(rest) else None
    mails = any(
        (noun := lexicon().nouns.at(words, n)) and noun[1][0] == "mail" for n in range(at + length, min(at + length + 4, len(rest)))
    )
    return f"send {whom} {text[rest[at + length].begin : rest[-1].end]}" if length and mails else None
