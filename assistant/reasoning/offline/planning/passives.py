"""What shall become of something, as the request that it is: "the mails from Tom should be archived", "… can go", "… should go to
Anna", "everyone in the review should get a mail saying …"."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.wishes import done
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.slots import lows

MODALS = (
    ("should",), ("must",), ("shall",), ("can",), ("may",), ("could",), ("ought", "to"), ("has", "to"), ("have", "to"), 
    ("needs", "to"), ("need", "to"), ("is", "to"), ("are", "to"),
)  # fmt: skip
OBLIGING = frozenset({"should", "must", "shall", "ought", "has", "have", "needs", "need", "is", "are"})
RECEIVE = (("get",), ("receive",), ("be", "sent"), ("be", "given"), ("have",), ("be", "mailed"), ("be", "emailed"))
PERSONS = frozenset({"person", "name", "address"})
UNSURE = frozenset({"if", "that", "whether", "who", "which", "when", "because", "said", "says", "think", "not", "never"})


def as_deed(text: str, items: Sequence[Item]) -> str | None:
    """None where nothing is said to be done, or more is said about it."""
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    rest = list(strip_closers(stripped))
    words = lows(rest)
    found = next(
        ((at, modal) for at in range(1, len(rest)) for modal in MODALS if tuple(words[at : at + len(modal)]) == modal), None
    )
    if found is None or UNSURE & set(words[: found[0] + 3]) or words[0] in lexicon().small["me"] | lexicon().small["wh"]:
        return None
    at, modal = found
    behind = at + len(modal)
    thing = text[rest[0].begin : rest[at - 1].end]
    if _is_thing(rest[:at], words[:at]):
        return _changed(text, rest, words, behind, thing)
    if words[at] in OBLIGING and all(item.kind in PERSONS or item.low in ("and", ",") for item in rest[:at]):
        return _sent(text, rest, words, behind, thing)
    return None


def _is_thing(items: Sequence[Item], words: Sequence[str]) -> bool:
    nouns = {noun[1][0] for at in range(len(words)) if (noun := lexicon().nouns.at(words, at))}
    known = nouns & {"mail", "newsletter", "event", "occasion", "invitation"} or words[0] == "everything"
    return bool(known) and words[0] not in ("he", "she", "they", "it", "there")


def _changed(text: str, rest: Sequence[Item], words: Sequence[str], at: int, thing: str) -> str | None:
    tail = text[rest[at].end : rest[-1].end] if at < len(rest) else ""
    if words[at : at + 1] == ["go"]:
        if at + 1 == len(rest) or words[at + 1] == "away":
            return f"delete {thing}"
        to_person = words[at + 1] == "to" and at + 2 < len(rest) and rest[at + 2].kind in PERSONS
        return f"forward {thing}{tail}" if to_person else None
    if words[at : at + 1] not in (["be"], ["get"]) or at + 1 >= len(rest):
        return None
    form = done(words, at + 1)
    return f"{form.lemma} {thing}{text[rest[at + 1].end : rest[-1].end]}" if form is not None else None


def _sent(text: str, rest: Sequence[Item], words: Sequence[str], at: int, whom: str) -> str | None:
    length = next((len(verb) for verb in RECEIVE if tuple(words[at : at + len(verb)]) == verb), 0)
    if length and words[at + 1] in ("emailed", "mailed"):
        return f"email {whom} {text[rest[at + length].begin : rest[-1].end]}" if at + length < len(rest) else None
    mails = any(
        (noun := lexicon().nouns.at(words, n)) and noun[1][0] == "mail" for n in range(at + length, min(at + length + 4, len(rest)))
    )
    return f"send {whom} {text[rest[at + length].begin : rest[-1].end]}" if length and mails else None
