"""Who is told to wait for an answer, and what it shall be: "Jonas needs an answer about the roof: it is tight, tell him that",
"I still owe Anna a reply. Say yes", and what is said first and passed on then: "I'm running late, tell Omar"."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.wishes import as_request
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import clause_of, strip_closers, strip_openers
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

MARKS = frozenset({":", ".", "!", ";", ",", "-", "\u2013", "\u2014"})
ENDS = frozenset({".", "!", ";"})
ABOUT = frozenset({"about", "on", "regarding", "concerning", "to", "for"})
THAT = frozenset({"that", "so", "this", "it"})
NO_CONTENT = frozenset("if unless when whenever once until till as because since although please".split())
ASKED = frozenset("whether if what when where who how which why because for".split())
"""What leads to a question in words of its own: which mail it stood in, they don't tell."""
OWN = frozenset({"my", "our", "his", "her", "their", "the", "a", "an"})
LONGEST = 120
"""Items of a message that is looked at."""


@dataclass(frozen=True, slots=True)
class Passing:
    """A deed that passes something on: `answers` where it is a reply, to `whom` where that is said; its own words begin at
    `content`."""

    answers: bool
    whom: tuple[Item, ...]
    content: int


def owed(text: str, setting: Setting) -> tuple[str, str]:
    """What is told of whoever waits, and the request with whom it goes to and what it says; the first is empty, and the second the
    text itself, where nothing of the kind is said."""
    items = mark(text, setting)
    if len(items) > LONGEST or text.rstrip().endswith("?"):
        return "", text
    at = next((n for n, item in enumerate(items) if item.kind == "punct" and item.low in MARKS), None)
    if not at or at < 2 or at + 1 >= len(items):
        return "", text
    lead, rest = items[:at], items[at + 1 :]
    waiting = _waits(lead)
    if not waiting:
        passed = _passed(text, items, ()) if clause_of(text, lead).mood == "statement" else ""
        return "", passed or text
    topic = _topic(text, lead, waiting)
    if (deed := _passing(rest)) is not None and deed.content < len(rest) and not _only_that(rest[deed.content :]):
        if deed.whom and not _same(deed.whom, waiting):
            return "", text
        deed = replace(deed, answers=deed.answers and (bool(topic) or not ASKED & set(lows(lead))))
        return f"{text[: lead[-1].end]}.", _said(deed, waiting, topic) + text[rest[deed.content].begin :]
    request = _passed(text, rest, waiting)
    return (f"{text[: lead[-1].end]}.", request) if request else ("", text)


def _waits(lead: Sequence[Item]) -> Sequence[Item]:
    """Who is told to wait for an answer, or to have asked something; nobody where nothing of the kind is told."""
    if lows(lead)[0] not in lexicon().small["me"]:
        lead = strip_openers(lead, lexicon().polite["openers"])[0] or lead
    words = lows(lead)
    if words[0] in lexicon().small["me"]:
        ends = (n + found[0] for n in range(1, 4) if (found := lexicon().polite["owing"].at(words, n)))
        at = next(ends, len(lead))
        return lead[at : _behind_somebody(lead, at)]
    end = _behind_somebody(lead, 0)
    return lead[:end] if end and lexicon().polite["awaiting"].at(words, end) else ()


def _behind_somebody(items: Sequence[Item], at: int) -> int:
    """Where "Tom", "my mother" ends; 0 where nobody stands at `at`."""
    if at >= len(items):
        return 0
    if items[at].kind in PERSONAL:
        return at + 1
    described = items[at].low in ("my", "our", "the") and at + 1 < len(items) and items[at + 1].kind == "word"
    return at + 2 if described and lexicon().nouns.at(lows(items), at + 1) is None else 0


def _topic(text: str, lead: Sequence[Item], waiting: Sequence[Item]) -> str:
    """What the answer is about; empty where that names a time, which would select by it."""
    words = lows(lead)
    begin = lead.index(waiting[-1])
    at = next((n for n in range(begin + 1, len(lead) - 1) if words[n] in ("about", "regarding", "concerning")), None)
    if at is None or any(item.kind == "time" for item in lead[at:]):
        return ""
    at += 1 + (words[at + 1] in OWN)
    said = strip_closers(lead[at:])
    said = said[: len(said) - (bool(said) and said[-1].low in ("yet", "still"))]
    return text[said[0].begin : said[-1].end] if said else ""


def _passing(items: Sequence[Item]) -> Passing | None:
    """ "say that …", "reply …", "let her know …", "tell him …"."""
    stripped = strip_openers(items, lexicon().polite["openers"])[0]
    words, offset = lows(stripped), len(items) - len(stripped)
    for answers, phrases in ((True, "answering"), (False, "telling")):
        found = lexicon().polite[phrases].at(words, 0)
        if found is None:
            continue
        at = found[0] + (words[found[0] : found[0] + 1] == ["to"])
        pronoun = at < len(words) and words[at] in lexicon().small["pronouns_person"] and words[at] not in ("he", "she", "they")
        whom: tuple[Item, ...] = (stripped[at],) if at < len(words) and (stripped[at].kind in PERSONAL or pronoun) else ()
        if not whom and not answers and words[0] not in ("say", "write"):
            return None
        at += len(whom)
        while whom and at + 1 < len(words) and words[at] in ("and", ",") and stripped[at + 1].kind in PERSONAL:
            whom, at = (*whom, stripped[at + 1]), at + 2
        at += words[at : at + 1] == ["know"]
        at += at < len(words) - 1 and words[at] in ("that", "saying", ":", ",")
        at += words[at : at + 1] == ["with"] and stripped[at + 1 : at + 2] != () and stripped[at + 1].kind == "quote"
        return Passing(answers, whom, offset + at)
    return None


def _same(whom: Sequence[Item], waiting: Sequence[Item]) -> bool:
    names = set(_name(waiting).lower().split())
    return len(whom) == 1 and (whom[0].low in lexicon().small["pronouns_person"] or bool(set(whom[0].low.split()) & names))


def _name(waiting: Sequence[Item]) -> str:
    return " ".join(item.text for item in waiting)


def _only_that(items: Sequence[Item]) -> bool:
    """Nothing but "that", "so": what stands before."""
    return all(item.low in THAT or item.kind == "punct" for item in strip_closers(items))


def _said(deed: Passing, waiting: Sequence[Item], topic: str) -> str:
    about, whom = f" about {topic}" if topic else "", _name(waiting)
    return f"reply to the last mail from {whom}{about} saying " if deed.answers else f"tell {whom} that "


def _passed(text: str, items: Sequence[Item], waiting: Sequence[Item]) -> str:
    """ "It is tight, tell him that": the request with what stands before it as its words; empty where it is not so."""
    marks = [n for n, item in enumerate(items) if n and item.kind == "punct" and item.low in MARKS]
    for at in marks:
        end = next((n for n in marks if n > at and items[n].low in ENDS), len(items))
        deed = items[at + 1 : end]
        content = items[:at]
        whom = _given_on(deed)
        if not whom or not content:
            continue
        if waiting and _same(whom, waiting):
            reader = _name(waiting)
        elif all(item.kind in PERSONAL for item in whom):
            reader = " and ".join(item.text for item in whom)
        else:
            spoken_of = [item for item in content if item.kind in PERSONAL]
            reader = spoken_of[0].text if len(spoken_of) == 1 and whom[0].low in ("her", "him") else ""
        if not reader or not _tells(text, content):
            return ""
        return (
            f"tell {reader} that {text[content[0].begin : content[-1].end]}{text[items[end].begin :] if end < len(items) else ''}"
        )
    return ""


def _given_on(deed: Sequence[Item]) -> Sequence[Item]:
    """Whom "tell him that", "let Omar know", "pass that on to her" gives on what was said before."""
    bare = strip_closers(strip_openers(deed, lexicon().polite["openers"])[0])
    words = lows(bare)
    if (
        words[:1] == ["pass"]
        and words[-2:-1] == ["to"]
        and words[1:-2] in (["that", "on"], ["this", "on"], ["it", "on"], ["on", "that"])
    ):
        return bare[-1:]
    found = _passing(bare)
    if found is None or found.answers or not _only_that(bare[found.content :]):
        return ()
    return found.whom


def _tells(text: str, content: Sequence[Item]) -> bool:
    """A statement, which neither asks for anything nor is a condition or a reason."""
    words = lows(content)
    if words[0] in NO_CONTENT or any(item.low == "?" for item in content):
        return False
    clause = clause_of(text, content)
    return clause.mood == "statement" and as_request(text, content) is None
