"""What is put first: "On Friday, cancel …", "From Anna: which mails …?", "My unread mail: summarise it"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading import particles
from assistant.reasoning.offline.reading.frames import clause_of, strip_openers
from assistant.reasoning.offline.reading.nouns.beside import NEXT_TO, SIDES, beside
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item

POINTING = re.compile(r"\b(?:it|them|those|these|that one|that|this)\b(?! (?:i|we|he|she|they|you)\b)", re.IGNORECASE)
LEADS = frozenset({"from", "to", "with", "about", "for", "in", "of", "on", "at", "subject", "called", "cc", "bcc"})
INITIAL = frozenset("on at in by from to this next last tomorrow today tonight yesterday every between until after before".split())
BY_WAY_OF = frozenset({"email", "mail", "e-mail", "message"})


@dataclass(frozen=True, slots=True)
class Front:
    """`lead` belongs to the clause behind it: `kind` "slot" at its end, "topic" in the place of its pronoun, "way" nowhere."""

    lead: str
    kind: Literal["slot", "topic", "way"]
    rest: tuple[Item, ...]


def fronted(text: str, items: Sequence[Item]) -> Front | None:
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    words = lows(stripped)
    at = next(
        (n for n, item in enumerate(stripped) if item.kind == "punct" and item.low in (",", ":", "-", "\u2013", "\u2014")), None
    )
    if not at or at + 1 >= len(stripped):
        return None
    lead, rest = stripped[:at], stripped[at + 1 :]
    kind = _kind(lead, words[:at], stripped[at].low)
    if kind is None or not _asks_for_something(rest):
        return None
    said = text[lead[0].begin : lead[-1].end]
    if kind == "choices" and rest[0].low == "who":
        names = [text[item.begin : item.end] for item in lead if item.kind in NAMED]
        return Front(f", {' or '.join(names)}", "slot", tuple(rest))
    if kind == "told":
        return Front(text[lead[1].begin : lead[-1].end], "topic", tuple(rest))
    if said.partition(" ")[0].lower() in INITIAL or lead[0].kind == "word":
        said = said[:1].lower() + said[1:]
    return Front(said, "slot" if kind == "choices" else kind, tuple(rest))


AMONG = frozenset({"out", "of", "between", "among", "amongst", "from"})
TELLING = frozenset({"remind", "notify", "inform", "tell", "alert", "warn", "contact", "email", "mail"})


def _kind(lead: Sequence[Item], words: Sequence[str], mark: str) -> Literal["slot", "topic", "way", "choices", "told"] | None:
    lex = lexicon()
    if words[0] in AMONG and sum(item.kind in NAMED for item in lead) > 1:
        return "choices" if all(item.kind in NAMED or item.low in AMONG | {"and", "or"} for item in lead) else None
    if mark == ":" and words[0] in TELLING and len(lead) == 2 and lead[1].kind in NAMED:
        return "told"
    if all(item.kind == "time" or item.low in ("on", "at", "in", "for", "from", "this", "and") for item in lead):
        return "slot"
    if words[0] in ("by", "via", "per") and set(words[1:]) <= BY_WAY_OF | {"a", "an"}:
        return "way"
    if beside("", (lead[0], *lead)) is not None and (words[0] in NEXT_TO or words[0] in SIDES):
        return "slot"
    left_out = lex.exceptions.at(words, 0)
    if left_out is not None and left_out[1] == "except" and len(lead) > left_out[0]:
        return "slot"
    marker = lex.markers.at(words, 0)
    if marker is not None and marker[1] in LEADS and len(lead) > marker[0]:
        return "slot"
    if len(lead) == 1 and lead[0].kind == "quote":
        return "topic"
    if mark == "," and not _pointed(lead):
        return None
    if any(form.base for _, form in lex.verbs.all_at(words, 0)) and lex.nouns.at(words, 0) is None:
        return None
    known = any(lex.nouns.at(words, at) for at in range(len(words)))
    tells = (
        words[0] in lex.small["me"] | {"he", "she", "they", "it", "there"} or words[0] in lex.small["wh"] | lex.small["auxiliaries"]
    )
    tells = tells or clause_of("", lead).mood == "statement"
    return "topic" if known and not tells and words[0] not in ("if", "unless") else None


def _pointed(lead: Sequence[Item]) -> bool:
    return lead[0].low in lexicon().small["articles"] | {"my"} or lead[0].kind in ("person", "name")


def _asks_for_something(rest: Sequence[Item]) -> bool:
    lex = lexicon()
    stripped, _ = strip_openers(rest, lex.polite["openers"])
    if not stripped:
        return False
    words = lows(stripped)
    if words[0] in lex.small["wh"] or words[0] in lex.small["auxiliaries"] or words[0] in ("if", "unless"):
        return True
    return any(form.base for _, form in lex.verbs.all_at(words, 0)) or particles.joined(stripped, words, 0) is not None


def placed(front: Front, clause: str) -> str | None:
    """The clause with the lead in its place; None where it has none."""
    bare = clause.rstrip(" ?.!")
    if front.kind == "way":
        return bare
    if front.kind == "slot":
        return f"{re.sub(r' then$', '', bare)} {front.lead}"
    quoted = next((match.start() for match in re.finditer('["\u201c\u2018]', bare)), len(bare))
    pointing = POINTING.search(bare, 0, quoted)
    return f"{bare[: pointing.start()]}{front.lead}{bare[pointing.end() :]}" if pointing else None


ADDING = frozenset({"add", "invite", "include", "put", "bring"})
DROPPING = frozenset({"remove", "drop", "uninvite", "take", "disinvite"})
AT_EVENT = frozenset({"for", "on", "at", "in", "as", "to", "from", "of"})
ASIDE = frozenset({"off", "on", "out", "in", "too", "also", "as", "well", "please", "instead", "then"})


def of_guests(front: Front, clauses: Sequence[Sequence[Item]], text_of: Callable[[Sequence[Item]], str]) -> list[str]:
    """ "For the review on Monday, | remove Tom and add Anna": each with that event; none where anything else is asked for."""
    words = front.lead.split()
    while len(words) > 1 and words[0].lower() in AT_EVENT:
        words = words[1:]
    if front.kind != "slot" or len(words) < 2 or words[0].lower() in lexicon().small["each"]:
        return []
    event, said = " ".join(words), []
    for clause in clauses:
        rest = [item for item in strip_openers(clause, lexicon().polite["openers"])[0] if item.kind != "punct" or item.low == ","]
        while rest and (rest[-1].low in ASIDE or rest[-1].kind == "punct"):
            rest = rest[:-1]
        people = rest[1:]
        if not people or not all(item.kind in NAMED or item.low in ("and", ",", "both") for item in people):
            return []
        if rest[0].low not in ADDING | DROPPING:
            return []
        link = "invite {} to {}" if rest[0].low in ADDING else "uninvite {} from {}"
        said.append(link.format(text_of(people), event))
    return said
