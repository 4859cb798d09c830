"""Clauses that change what a proposal says: the text and the subject of a mail, the title of an event."""

from collections.abc import Sequence

from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

ADDITION = ("with the note", "with a note", "with the comment", "with the text", "with the words", "add a note", "add the note",
            "add the text", "add the words", "add the sentence", "add a line", "add that", "also say", "also write", "and say",
            "mention", "also mention", "mention that", "also mention that", "add")  # fmt: skip
"""How more of a mail's text is begun, the longest first where one begins another."""


def say_more(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    """ "Add that I'll bring cake", "with the note: …": behind what the mail says already."""
    lead = next(
        (phrase for phrase in sorted(ADDITION, key=len, reverse=True) if said == phrase or said.startswith(f"{phrase} ")), ""
    )
    if not lead:
        return None
    rest = list(items[len(lead.split()) :])
    if not rest:
        return None
    while rest and rest[0].low in (":", "that", "saying", ","):
        rest = rest[1:]
    told = bool(rest) and rest[0].kind == "time" and rest[0].low.startswith("that ") and len(rest) > 1 and rest[1].kind == "word"
    dictated = words[len(lead.split())] == ":" and not all(item.kind in PERSONAL or item.low in ("and", ",") for item in rest)
    if not rest or (lead == "add" and rest[0].kind != "quote" and not told and not dictated):
        return None
    begin = rest[0].begin + (len("that ") if told else 0)
    text = rest[0].text if rest[0].kind == "quote" else clause.text[begin:].strip()
    return Built("revise.body", {"body": text, "field": "more"})


SAY = frozenset({"say", "write", "saying"})


def reword(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    if words[0] == "say" and all(item.kind in ("time", "punct") for item in items[1:]):
        return None
    if words[0] in SAY and len(items) > 1:
        rest = items[2:] if words[1] == "that" and len(items) > 2 else items[1:]
    elif words[0] in ("change", "make", "set", "replace", "edit") and any(
        word in ("text", "body", "message", "wording") for word in words[:4]
    ):
        at = next((n for n, word in enumerate(words) if word in ("to", "say", "with", "as")), None)
        if at is None:
            return None
        rest = items[at + 1 :]
    elif words[:2] == ["make", "it"] and len(words) > 2 and words[2] == "say":
        rest = items[3:]
    else:
        return None
    if not rest or all(item.kind in ("time", "punct") for item in rest):
        return None
    text = rest[0].text if rest[0].kind == "quote" else clause.text[rest[0].begin : rest[-1].end]
    return Built("revise.body", {"body": text})


LEADING = 5
"""Words within which the part is named that is changed."""
ABOUT = frozenset("it this that is 's will would should be about the topic theme agenda purpose : as set make to".split())
ARTICLES = frozenset({"the", "a", "an", "our", "my"})


def _topic(clause: Clause, items: Sequence[Item], words: Sequence[str]) -> Built | None:
    """ "It's about the windows", "topic: the windows": what it is about, without its article."""
    start = next((n for n, word in enumerate(words) if word not in ABOUT), len(words))
    lead = set(words[:start])
    if not lead & {"about", "topic", "theme", "agenda", "purpose"} or start >= len(words):
        return None
    rest = items[start + (words[start] in ARTICLES and len(words) > start + 1) :]
    text = rest[0].text if rest[0].kind == "quote" else clause.text[rest[0].begin : rest[-1].end]
    return Built("revise.title", {"title": text[:1].upper() + text[1:]})


def retitle(clause: Clause, items: Sequence[Item], words: Sequence[str], said: str) -> Built | None:
    """ "change the subject to X", "call it X", "rename it to X"."""
    verb = words[0]
    if (topic := _topic(clause, items, words)) is not None:
        return topic
    mentions = [n for n, word in enumerate(words[:LEADING]) if word in ("subject", "title", "name")]
    naming = verb in ("call", "rename", "title", "name")
    if not mentions and not naming:
        return None
    mention = mentions[0] if mentions else 0
    at = next((n for n in range(mention, len(words)) if words[n] in ("to", "be", "as", ":", "should")), None)
    start = at + 1 if at is not None else (2 if naming else mention + 1)
    rest = [item for item in items[start:] if item.low not in ("be", ":", "is")]
    if not rest:
        return None
    text = rest[0].text if rest[0].kind == "quote" else clause.text[rest[0].begin : rest[-1].end]
    if any(words[n] == "subject" for n in mentions):
        return Built("revise.subject", {"subject": text})
    return Built("revise.title", {"title": text})
