"""Items into one clause: its mood, its verb and what stands behind it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import Form, Phrases, lexicon
from assistant.reasoning.offline.reading import particles
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.resting import without_rest
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item, Prefer
from assistant.reasoning.offline.reading.text.tokens import Token, tokenise

Mood = Literal["do", "fact", "wh", "things", "statement", "advice"]
"""do: an imperative. fact: a yes-or-no question, or what a condition states. wh: what, when, who … things: only a noun phrase
("my unread mail"). statement: tells something. advice: "should I …", "how do I …", which asks about a deed and is none."""
ENTITIES = frozenset({"quote", "address", "ref", "phone", "time", "person", "name", "number"})
LEADING = frozenset({"until", "till", "by", "since", "from", "at", "on", "to", "with", "for"})
"""What may stand before a question word: "until when …?", "with whom …?"."""
KEEPS_CLOSER = frozenset({"the", "saying", "say", "template", "called", "named", ":", "says", "with", "titled"})
"""Behind these a \"thanks\" or \"ok\" is content."""
DICTATES = frozenset({"send", "tell", "draft", "reply", "forward", "ask", "thank", "apologise", "congratulate", "wish"})


@dataclass(frozen=True)
class Clause:
    text: str
    items: tuple[Item, ...]
    """What is left without politeness; the verb's own items included."""
    mood: Mood
    negated: bool = False
    forms: tuple[tuple[int, Form], ...] = ()
    """Readings of the head verb, each with its length in items."""
    rest: tuple[Item, ...] = ()
    """Items behind the head verb (behind the question word in a wh-question)."""
    about_me: bool = False
    head: str = ""
    """The question word, or the auxiliary that opens."""
    now: datetime | None = None
    may: bool = False
    """Asked as "could I …?": what nobody would approve before it is done is then not done."""


def strip_openers(items: Sequence[Item], phrases: Phrases) -> tuple[Sequence[Item], tuple[str, ...]]:
    """Without the politeness at the front, and the phrases that were taken."""
    taken: list[str] = []
    words, at = lows(items), 0
    while at < len(items):
        if words[at] in (",", "!", ".", "-", "…", ";", ":"):
            at += 1
            continue
        match = phrases.at(words, at)
        if match is None or (match[0] == 1 and _needed(items[at : at + 6])):
            break
        taken.append(" ".join(words[at : at + match[0]]))
        at += match[0]
    return items[at:], tuple(taken)


def _needed(items: Sequence[Item]) -> bool:
    """An opener that is the noun phrase's own word here: "first meeting", "next slot", "right room"."""
    if items[0].low not in ("next", "first", "right", "now", "so", "well") or len(items) < 2:
        return False
    follower = items[1]
    if follower.kind in ("number", "time") or (items[0].low in ("first", "next") and follower.low in ("thing", "things", "up")):
        return True
    return items[0].low not in ("now", "so", "well") and lexicon().nouns.at(lows(items), 1) is not None


def strip_closers(items: Sequence[Item]) -> Sequence[Item]:
    closers = lexicon().polite["closers"]
    words = lows(items)
    while words:
        if words[-1] in (".", "!", "?", ",", ";", "…"):
            words.pop()
            continue
        if words[-1] not in _closing():
            break
        length = next((n for n in (7, 6, 5, 4, 3, 2, 1) if len(words) > n and _closes(closers, words, n)), 0)
        if not length or words[-length - 1] in KEEPS_CLOSER:
            break
        del words[-length:]
    return items[: len(words)]


@cache
def _closing() -> frozenset[str]:
    """The last words of all closers."""
    return frozenset(row[-1] for rows in lexicon().polite["closers"].by_first.values() for row, _ in rows)


def _closes(closers: Phrases, words: list[str], length: int) -> bool:
    return any(size == length for size, _ in closers.all_at(words, len(words) - length))


def clause(text: str, setting: Setting) -> Clause:
    tokens = tokenise(text)
    return replace(clause_of(text, mark(text, setting, tense(tokens))), now=setting.now)


def clause_of(text: str, marked: Sequence[Item]) -> Clause:
    lex = lexicon()
    items, politely = strip_openers(marked, lex.polite["openers"])
    items = without_rest(strip_closers(items))
    asked, linked = _strip_asking(items)
    bare = _without_preposition(asked)
    words = lows(bare)
    if not asked:
        return Clause(text, tuple(asked), "things")
    small = lex.small
    if words[0] in LEADING and words[1:2] and words[1] in ("when", "what", "which", "whom", "who"):
        bare, words = asked[1:], lows(asked[1:])
    if words[0] in small["wh"]:
        advice = words[0] in ("how", "why") and len(words) > 2 and _advises(words)
        return Clause(text, tuple(asked), "advice" if advice else "wh", _has_negation(words), rest=tuple(bare[1:]), head=words[0])
    if words[0] == "to" and linked:
        return Clause(text, tuple(asked), "advice", head="should")
    if words[0] == "should" and len(words) > 1 and words[1] in small["me"]:
        return Clause(text, tuple(asked), "advice", head="should")
    if linked or (words[0] in small["auxiliaries"] and not _imperative_have(words) and _subject_follows(asked)):
        return Clause(text, tuple(asked), "fact", _has_negation(words), rest=tuple(asked), head=words[0])
    found = _imperative(text, items)
    may = bool(WHETHER_POSSIBLE & set(politely))
    return replace(found, may=may) if may else found


WHETHER_POSSIBLE = frozenset({"can i", "could i", "may i", "could we", "is it possible to", "would it be possible to"})


ASKED_ANEW = frozenset({"again", "once", "more", "please", "exactly", "quickly", "just", ","})


def _strip_asking(items: Sequence[Item]) -> tuple[Sequence[Item], bool]:
    """Without "can you tell me", "check whether" …; whether a statement or question follows that is to be checked."""
    words = lows(items)
    best = next(lexicon().polite["asking"].all_at(words, 0), None) if items else None
    at = best[0] if best else 0
    if best is None or at >= len(items):
        return items, False
    while at + 1 < len(items) and words[at] in ASKED_ANEW:
        at += 1
    linked = words[at - 1] in ("if", "whether", "that")
    if words[at] in ("if", "whether", "that") and not linked:
        at, linked = at + 1, True
    if linked:
        return (items[at:], True) if at < len(items) else (items, False)
    if words[at] in lexicon().small["wh"]:
        return items[at:], False
    if words[at] == "about":
        return items, False
    return items, False


def _without_preposition(items: Sequence[Item]) -> Sequence[Item]:
    """ "On which day …", "with whom …": the question word opens the question all the same."""
    words = lows(items[:2])
    asks = len(words) == 2 and words[0] in BEFORE_WH and words[1] in lexicon().small["wh"] - {"why", "how", "where", "when"}
    return items[1:] if asks else items


BEFORE_WH = frozenset({"in", "on", "at", "with", "from", "to", "by", "for", "during", "about"})


def _advises(words: Sequence[str]) -> bool:
    second, third = words[1], words[2]
    return second in ("do", "can", "should", "could", "would", "to", "did") and (
        second == "to" or third in ("i", "we", "one", "you") or words[0] == "why"
    )


def _imperative_have(words: Sequence[str]) -> bool:
    return words[0] in ("do", "have", "be") and len(words) > 1 and words[1] in ("not", "a")


SUBJECTS = frozenset(
    "something nothing somebody these those there anyone anybody someone anything everything he she they it you not all every no "
    "everyone everybody nobody".split()
)


def _subject_follows(items: Sequence[Item]) -> bool:
    """An auxiliary opens a question when a subject or a negation stands behind it; a noun phrase counts too."""
    if len(items) < 2:
        return False
    after = items[1]
    loose = items[0].low not in ("do", "does", "did", "have", "has", "had", "be")
    return (
        after.kind in ENTITIES
        or after.low in lexicon().small["me"] | lexicon().small["articles"] | SUBJECTS
        or (loose and after.kind == "word")
    )


def _has_negation(words: Sequence[str]) -> bool:
    return any(word in ("not", "never", "no", "nobody") for word in words)


def _imperative(text: str, items: Sequence[Item]) -> Clause:
    words = lows(items)
    negated = False
    at = 0
    for opening in (("do", "not"), ("never",), ("no", "need", "to"), ("not",), ("there", "is", "no", "need", "to")):
        if tuple(words[: len(opening)]) == opening:
            negated, at = True, len(opening)
    if (together := particles.joined(items, words, at)) is not None:
        items, words = together, lows(together)
    forms = tuple((n + at, form) for n, form in lexicon().verbs.all_at(words, at) if form.base) if at < len(words) else ()
    forms = tuple((n, form) for n, form in forms if not _is_noun_here(items, at, n))
    if not forms:
        mood: Mood = "statement" if states(items) else "things"
        return Clause(text, tuple(items), mood, negated or words[:1] == ["no"], rest=tuple(items))
    negated = negated or words[forms[0][0] : forms[0][0] + 1] in (["nothing"], ["no"], ["none"])
    return Clause(text, tuple(items), "do", negated, forms, rest=tuple(items[forms[0][0] :]))


TELLERS = frozenset("i we he she they it there you something someone somebody nothing".split())


def _past(items: Sequence[Item]) -> bool:
    """A verb in the past, right behind the subject: "my train broke down", "Tom called"."""
    words, lex = lows(items), lexicon()
    for at in range(1, min(len(items), 4)):
        if items[at].kind == "word" and not lex.nouns.at(words, at) and not lex.states.at(words, at):
            forms = [form for _, form in (*lex.facts.all_at(words, at), *lex.verbs.all_at(words, at))]
            if any(not form.base for form in forms) and words[at - 1] not in ("that", "which", "who"):
                return at > 1 or items[0].kind == "person"
    return False


def states(items: Sequence[Item]) -> bool:
    """A subject and a finite verb, outside of "that …" and "which …": something is told, nothing asked for."""
    small, words = lexicon().small, lows(items)
    if words and (words[0] in TELLERS or (words[0] in ("that", "this") and words[1:2] in (["'s"], ["is"], ["was"]))):
        return True
    if words and (words[0] in small["articles"] or items[0].kind == "person") and _past(items):
        return True
    if _told_of(items, words):
        return True
    relative = False
    for at, word in enumerate(words):
        relative = relative or (at > 0 and word in ("that", "which", "who", "whose", "where", "i", "we"))
        if (
            at > 0
            and not relative
            and (
                word in small["auxiliaries"] | small["predicates"]
                or (word in ("'s",) and items[at + 1 : at + 2] and _predicate(items[at + 1]))
            )
        ):
            return True
    return False


def _told_of(items: Sequence[Item], words: Sequence[str]) -> bool:
    """ "Luis keeps flooding my inbox", "nadia wants …": a name, and behind it a verb in the third person, known or not."""
    if (
        len(items) < 3
        or items[0].kind not in ("person", "name", "time")
        or items[1].kind != "word"
        or not items[1].low.endswith("s")
    ):
        return False
    lex, word = lexicon(), items[1].low
    if items[0].kind == "time" and lex.markers.at(words, 2) is not None:
        return False  # "Friday drinks with Paul"
    other = lex.nouns.at(words, 1) or lex.markers.at(words, 1) or lex.states.at(words, 1) or lex.orders.at(words, 1)
    plain = any(word in kind for kind in lex.small.values()) or word in lex.fields or word == "'s"
    return other is None and not plain and items[2].kind in ("word", "person", "name", "quote", "address")


def unknown_verb(items: Sequence[Item]) -> bool:
    """ "frobnicate the standup": a word that the lexicon lacks, before an article, is a verb nobody knows."""
    if len(items) < 2 or items[0].kind not in ("word", "name") or items[0].low in lexicon().known:
        return False
    return items[1].kind == "word" and items[1].low in lexicon().small["articles"]


def _predicate(item: Item) -> bool:
    return item.low.endswith("ing") or item.low in ("sick", "off", "away", "ill", "late", "gone", "out")


def _is_noun_here(items: Sequence[Item], at: int, end: int) -> bool:
    """ "mail from Anna", "schedule for tomorrow", "call with Tom": the word is the object, not the verb."""
    words = lows(items)
    noun = lexicon().nouns.at(words, at)
    if noun is None or noun[0] < end - at:
        return False
    if end >= len(items):
        return words[at] not in ("answer", "reply", "draft", "update")
    follower = items[at + noun[0]] if at + noun[0] < len(items) else None
    if noun[0] > end - at:
        return True
    marker = lexicon().markers.at(words, end)
    if marker is None or follower is None or marker[1] in ("called", "saying", "asking", "using", "cc", "bcc", "subject"):
        return follower is not None and _is_moment(follower) and words[at] in ("mail", "schedule", "call", "plan", "class")
    if words[at] in ("reply", "answer", "draft"):
        return False
    return not (words[at] in ("write", "mail", "email", "e-mail", "message") and marker[1] == "to")


def _is_moment(item: Item) -> bool:
    return item.kind == "time" and item.time is not None and item.time.kind != "duration"


def _of_clock(tokens: Sequence[Token], at: int) -> bool:
    """The "past" of "half past five"."""
    before = tokens[at - 1] if at else None
    return tokens[at].low == "past" and before is not None and (before.low in lexicon().small["minutes"] or before.kind == "number")


def tense(tokens: Sequence[Token]) -> Prefer:
    """ "past" where an open time ("Tuesday") means the last one: mails that came, what happened."""
    small = lexicon().small
    words = {token.low for n, token in enumerate(tokens) if token.kind == "word" and not _of_clock(tokens, n)}
    if words & small["future"] or any(token.kind == "ref" and token.low == "proposal" for token in tokens):
        return "future"
    if {"have", "got"} <= words and words & {"anything", "something", "much", "plans", "nothing", "on"} and "from" not in words:
        return "future"
    lowered = lows(tokens)
    nouns = [match[1][0] for at in range(len(tokens)) if (match := lexicon().nouns.at(lowered, at))]
    if any(noun in ("event", "occasion", "slot", "clash", "invitation") for noun in nouns) and not words & {
        "did",
        "was",
        "were",
        "had",
    }:
        return "future"
    mailish = any(noun in ("mail", "reply", "newsletter") for noun in nouns)
    return "past" if mailish or words & small["past"] else "future"
