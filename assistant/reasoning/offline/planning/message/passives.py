"""What shall become of something, as the request that it is: "the mails from Tom should be archived", "… can go", "… should go to
Anna", "everyone in the review should get a mail saying …"."""

import re
from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.wishes import become
from assistant.reasoning.offline.reading.clauses.moving import TRADING
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item

MODALS = (
    ("should",), ("must",), ("shall",), ("can",), ("may",), ("could",), ("ought", "to"), ("has", "to"), ("have", "to"), 
    ("needs", "to"), ("need", "to"), ("is", "to"), ("are", "to"),
)  # fmt: skip
OBLIGING = frozenset({"should", "must", "shall", "ought", "has", "have", "needs", "need", "is", "are"})
RECEIVE = (("get",), ("receive",), ("be", "sent"), ("be", "given"), ("have",), ("be", "mailed"), ("be", "emailed"))
UNSURE = frozenset({"if", "that", "whether", "who", "which", "when", "because", "said", "says", "think", "not", "never"})


def as_deed(text: str, items: Sequence[Item]) -> str | None:
    """None where nothing is said to be done, or more is said about it."""
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    rest = list(strip_closers(stripped))
    words = lows(rest)
    found = next(
        ((at, modal) for at in range(1, len(rest)) for modal in MODALS if tuple(words[at : at + len(modal)]) == modal), None
    )
    if words and (caused := _caused(text, rest, words)) is not None:
        return caused
    if words and words[0] in ASKING and text.rstrip().endswith("?"):
        return _asked(text, rest, words)
    if found is None and (needed := _needed(text, rest, words)) is not None:
        return needed
    if found is None or UNSURE & set(words[: found[0] + 3]) or words[0] in lexicon().small["me"] | lexicon().small["wh"]:
        return None
    at, modal = found
    behind = at + len(modal)
    thing = text[rest[0].begin : rest[at - 1].end]
    if (timed := _timed(text, rest, words, behind, thing)) is not None:
        return timed
    if _is_thing(rest[:at], words[:at]):
        return _changed(text, rest, words, behind, thing)
    if words[at] in OBLIGING and all(item.kind in NAMED or item.low in ("and", ",") for item in rest[:at]):
        return _sent(text, rest, words, behind, thing)
    return None


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
    if not any(item.time is not None for item in rest[at + 1 :]):
        return None
    happens = words[at] == "happen" or words[at : at + 2] == ["take", "place"]
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
        or rest[0].low in lexicon().small["articles"]
        or lexicon().nouns.at(lows(rest), 0) is not None
    )


def _is_thing(items: Sequence[Item], words: Sequence[str]) -> bool:
    nouns = {noun[1][0] for at in range(len(words)) if (noun := lexicon().nouns.at(words, at))}
    known = nouns & {"mail", "newsletter", "event", "occasion", "invitation"} or words[0] == "everything"
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
