"""Items into one clause: its mood, its verb, its object and its slots."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.lexicon import Form, Phrases, lexicon
from assistant.reasoning.offline.reading.entities import Item, Prefer, mark
from assistant.reasoning.offline.reading.titles import within_title
from assistant.reasoning.offline.reading.tokens import Token, tokenise

Mood = Literal["do", "fact", "wh", "things", "statement", "advice"]
"""do: an imperative. fact: a yes-or-no question, or what a condition states. wh: what, when, who … things: only a noun phrase
("my unread mail"). statement: tells something. advice: "should I …", "how do I …", which asks about a deed and is none."""
ENTITIES = frozenset({"quote", "address", "ref", "phone", "time", "person", "name", "number"})
KEEPS_CLOSER = frozenset({"saying", "say", "template", "called", "named", ":", "says", "with", "titled"})
"""Behind these a \"thanks\" or \"ok\" is content."""
DICTATES = frozenset({"send", "tell", "draft", "reply", "forward", "ask", "thank"})


@dataclass(frozen=True, slots=True)
class Slot:
    """The items behind a marker; the object stands under the empty marker."""

    marker: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Timed:
    """A time with the word before it ("to 4 pm")."""

    marker: str
    spec: TimeSpec
    begin: int
    end: int


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


@dataclass
class Parts:
    """A clause's rest, cut into slots, times and dictated words."""

    slots: list[Slot] = field(default_factory=list)
    times: list[Timed] = field(default_factory=list)
    body: str = ""
    body_begin: int = -1

    @property
    def object(self) -> tuple[Item, ...]:
        return tuple(item for slot in self.slots if slot.marker == "" for item in slot.items)

    def of(self, *markers: str) -> tuple[Slot, ...]:
        return tuple(slot for slot in self.slots if slot.marker in markers)


def lows(items: Sequence[Item] | Sequence[Token]) -> list[str]:
    """The words for the lexicon; entities are blanks that match nothing."""
    return [item.low if item.kind in ("word", "number", "punct", "name") else "\0" for item in items]


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
    return follower.kind in ("number", "time") or lexicon().nouns.at(lows(items), 1) is not None


def strip_closers(items: Sequence[Item]) -> Sequence[Item]:
    closers = lexicon().polite["closers"]
    words = lows(items)
    while words:
        if words[-1] in (".", "!", "?", ",", ";", "…"):
            words.pop()
            continue
        length = next((n for n in (4, 3, 2, 1) if len(words) > n and _closes(closers, words[-n:], n)), 0)
        if not length or words[-length - 1] in KEEPS_CLOSER:
            break
        del words[-length:]
    return items[: len(words)]


def _closes(closers: Phrases, words: list[str], length: int) -> bool:
    return any(size == length for size, _ in closers.all_at(words, 0))


def clause(text: str, setting: Setting) -> Clause:
    tokens = tokenise(text)
    return replace(clause_of(text, mark(text, setting, tense(tokens))), now=setting.now)


def clause_of(text: str, marked: Sequence[Item]) -> Clause:
    lex = lexicon()
    items, politely = strip_openers(marked, lex.polite["openers"])
    items = strip_closers(items)
    asked, linked = _strip_asking(items)
    words = lows(asked)
    if not asked:
        return Clause(text, tuple(asked), "things")
    small = lex.small
    if words[0] in small["wh"]:
        advice = words[0] in ("how", "why") and len(words) > 2 and _advises(words)
        return Clause(text, tuple(asked), "advice" if advice else "wh", _has_negation(words), rest=tuple(asked[1:]), head=words[0])
    if words[0] == "to" and linked:
        return Clause(text, tuple(asked), "advice", head="should")
    if words[0] == "should" and len(words) > 1 and words[1] in small["me"]:
        return Clause(text, tuple(asked), "advice", head="should")
    if linked or (words[0] in small["auxiliaries"] and not _imperative_have(words) and _subject_follows(asked)):
        return Clause(text, tuple(asked), "fact", _has_negation(words), rest=tuple(asked), head=words[0])
    found = _imperative(text, items)
    may = bool({"can i", "could i", "may i", "could we"} & set(politely))
    return replace(found, may=may) if may else found


def _strip_asking(items: Sequence[Item]) -> tuple[Sequence[Item], bool]:
    """Without "can you tell me", "check whether" …; whether a statement or question follows that is to be checked."""
    words = lows(items)
    best = next(lexicon().polite["asking"].all_at(words, 0), None) if items else None
    at = best[0] if best else 0
    if best is None or at >= len(items):
        return items, False
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


def _advises(words: Sequence[str]) -> bool:
    second, third = words[1], words[2]
    return second in ("do", "can", "should", "could", "would", "to", "did") and (
        second == "to" or third in ("i", "we", "one", "you") or words[0] == "why"
    )


def _imperative_have(words: Sequence[str]) -> bool:
    return words[0] in ("do", "have", "be") and len(words) > 1 and words[1] in ("not", "a")


SUBJECTS = frozenset(
    "there anyone anybody someone anything everything he she they it you not all every no everyone everybody nobody".split()
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
    forms = tuple((n + at, form) for n, form in lexicon().verbs.all_at(words, at) if form.base) if at < len(words) else ()
    forms = tuple((n, form) for n, form in forms if not _is_noun_here(items, at, n))
    if not forms:
        mood: Mood = "statement" if _states(items) else "things"
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


def _states(items: Sequence[Item]) -> bool:
    """A subject and a finite verb, outside of "that …" and "which …": something is told, nothing asked for."""
    small, words = lexicon().small, lows(items)
    if words and words[0] in TELLERS:
        return True
    if words and (words[0] in small["articles"] or items[0].kind == "person") and _past(items):
        return True
    relative = False
    for at, word in enumerate(words):
        relative = relative or (at > 0 and word in ("that", "which", "who", "whose", "where", "i", "we"))
        if (
            at > 0
            and not relative
            and (word in small["auxiliaries"] or (word in ("'s",) and items[at + 1 : at + 2] and _predicate(items[at + 1])))
        ):
            return True
    return False


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
        return follower is not None and follower.kind == "time" and words[at] in ("mail", "schedule", "call", "plan", "class")
    if words[at] in ("reply", "answer", "draft"):
        return False
    return not (words[at] in ("write", "mail", "email", "e-mail", "message") and marker[1] == "to")


def tense(tokens: Sequence[Token]) -> Prefer:
    """ "past" where an open time ("Tuesday") means the last one: mails that came, what happened."""
    small = lexicon().small
    words = {token.low for token in tokens if token.kind == "word"}
    if words & small["future"]:
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


def cut(clause_text: str, items: Sequence[Item], *, dictates: bool, colon: bool = False) -> Parts:
    """Slots, times and dictated words of what stands behind the verb."""
    parts = Parts()
    words = lows(items)
    marker, held = "", list[Item]()
    at = 0

    def close() -> None:
        nonlocal held
        if held or marker:
            parts.slots.append(Slot(marker, tuple(held)))
        held = []

    while at < len(items):
        item = items[at]
        if colon and item.low == ":" and item.kind == "punct" and at + 1 < len(items):
            close()
            _dictate(parts, clause_text, items, at + 1)
            return parts
        titled = marker == "called" and within_title(items, at)
        match = None if titled else _marker_at(items, words, at, dictates)
        if match is None:
            if item.kind == "time" and item.time is not None and not titled:
                parts.times.append(Timed(_leading(items, at), item.time, item.begin, item.end))
                if at + 1 < len(items) and words[at + 1] == "'s":
                    at += 1
            else:
                held.append(item)
            at += 1
            continue
        length, name = match
        after = items[at + length] if at + length < len(items) else None
        if after is not None and after.kind == "time" and name not in ("about", "called", "subject", "saying"):
            at += length
            continue
        if name in ("saying", "asking") and (not dictates or after is None):
            held.append(item)
            at += 1
            continue
        close()
        if name in ("saying", "asking"):
            at = _dictate(parts, clause_text, items, at + length, prefix="ask" if name == "asking" else "")
            marker = ""
            continue
        marker = name
        at += length
    close()
    return parts


def _marker_at(items: Sequence[Item], words: Sequence[str], at: int, dictates: bool) -> tuple[int, str] | None:
    if items[at].kind != "word":
        return None
    match = lexicon().markers.at(words, at)
    if match is None:
        return None
    length, name = match
    if name == "saying" and words[at : at + 2] == ["that", "says"] and not dictates:
        return length, "about"
    if name == "saying" and words[at] == "say" and at == 0:
        return None
    if name in ("subject", "cc", "bcc") and at + length < len(items) and words[at + length] in ("of", "line"):
        return None
    if name == "subject" and length == 1 and (at + 1 >= len(items) or items[at + 1].kind not in ("quote", "punct")):
        return None
    return length, name


def _leading(items: Sequence[Item], at: int) -> str:
    """The word before a time, the article skipped; "to" rules over what follows it up to the next word."""
    back = at - 1
    while back >= 0 and items[back].low in ("the", "a", "an", "around", "about", "say"):
        back -= 1
    return lows(items[back : back + 1])[0] if back >= 0 else ""


def _dictate(parts: Parts, text: str, items: Sequence[Item], at: int, prefix: str = "") -> int:
    """Takes the dictated words from `at`: one quote, or all that follows. Returns where the clause goes on."""
    while at < len(items) and items[at].low in (":", ","):
        at += 1
    if at >= len(items):
        return at
    if items[at].kind == "quote":
        parts.body, parts.body_begin = items[at].text, items[at].begin
        return at + 1
    copied = next(
        (n for n in range(at + 1, len(items) - 1) if items[n].low in ("cc", "bcc") and items[n - 1].low in (",", "and")), None
    )
    if copied is not None and all(
        item.kind in ("person", "name", "address", "ref") or item.low in ("and", ",") for item in items[copied + 1 :]
    ):
        parts.slots.append(Slot(items[copied].low, tuple(items[copied + 1 :])))
        parts.body, parts.body_begin = text[items[at].begin : items[copied - 1].begin].strip(), items[at].begin
        return len(items)
    body = text[items[at].begin :].strip()
    parts.body, parts.body_begin = (f"{prefix} {body}".strip()), items[at].begin
    if body.startswith(('"', "“")) and body.endswith(('"', "”")) and len(body) > 1:
        parts.body = body[1:-1]
    return len(items)


def noun_of(items: Sequence[Item]) -> tuple[str, bool, str, int, int]:
    """The last noun the lexicon knows: class, plural, lemma, and its first and last+1 item; class "" where there is none."""
    words = lows(items)
    found = ("", False, "", -1, -1)
    at = 0
    while at < len(items):
        match = lexicon().nouns.at(words, at)
        if match is None or items[at].kind == "name":
            at += 1
            continue
        length, (noun, plural, lemma) = match
        found = (noun, plural, lemma, at, at + length)
        at += length
    return found
