"""What is said beside a request: why it is made, what it is good for, a remark about it. None of it selects anything."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.wishes import as_request
from assistant.reasoning.offline.reading import particles
from assistant.reasoning.offline.reading.frames import DICTATES, clause_of, strip_openers
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import Item

SUBJECTS = frozenset({"i", "we", "he", "she", "they", "nobody", "everyone", "everybody", "people", "you"})
THINGS = frozenset({"it", "that", "this", "those", "these", "there", "both", "neither", "none", "nothing"})
COMMAS = frozenset({",", "-", "\u2013", "\u2014"})
NAMING = frozenset({"time", "person", "name", "address", "quote"})
MAKING = frozenset({"create", "meet", "add", "send", "forward"})
STATES = frozenset({"am", "are", "is", "'s", "has", "have", "will", "can"})
ABOUT = frozenset({"about", "discuss", "over", "through", "called"})


def aside(text: str, items: Sequence[Item]) -> tuple[int, int] | None:
    """Where what is said beside a request begins, and where its own words do: "…, | it has expired", "… so that | I find it
    again". None where there is nothing of the kind, or where it may say more of what is asked for."""
    stop, _ = dictation(items)
    words = lows(items)
    head, _ = strip_openers(items, lexicon().polite["openers"])
    head = particles.joined(head, lows(head), 0) or head
    forms = {form.verb for _, form in lexicon().verbs.all_at(lows(head), 0) if form.base} if head else set()
    asks = bool(head) and lows(head)[0] in lexicon().small["wh"]
    if not (forms or asks) or forms & (DICTATES - {"send", "forward"}):
        return None
    for at in range(2, len(items) - 1):
        begin = _opened(items, words, at)
        if begin is None or begin >= len(items):
            continue
        following = _next_request(items, words, begin)
        if stop is not None and following >= stop:
            return None
        said = items[begin:following]
        if _says_more(items[:at], said, makes=bool(forms & MAKING)):
            return None
        if words[at] in COMMAS and not _states(text, said):
            continue
        return at, begin
    return None


def _next_request(items: Sequence[Item], words: Sequence[str], begin: int) -> int:
    """Where "and" leads to another deed; the end where nothing does."""
    joints = (n for n in range(begin + 1, len(items) - 1) if words[n] in ("and", "then") and items[n + 1].kind == "word")
    deeds = (n for n in joints if any(form.base for _, form in lexicon().verbs.all_at(words, n + 1)))
    return next(deeds, len(items))


FIELDS = frozenset("number phone mobile cell telephone landline fax address email mail e-mail".split())
"""A number or an address told behind these is what they shall be."""
THEN = frozenset({"then", "by then", "that day", "on that day", "at that time"})
"""What points at a time that is known says none."""


def _says_more(asked: Sequence[Item], said: Sequence[Item], *, makes: bool) -> bool:
    """Whether it could tell when, with whom or about what: only where the request itself leaves that open."""
    timed = any(item.kind == "time" and item.low not in THEN for item in said)
    if timed and not any(item.kind == "time" and item.time is not None and item.time.kind != "duration" for item in asked):
        return True
    valued = any(item.kind in ("phone", "address") for item in said) and not any(
        item.kind in ("phone", "address") for item in asked
    )
    if valued and FIELDS & set(lows(asked)):
        return True
    lasts = any(item.time is not None and item.time.kind == "duration" for item in said)
    return makes and (lasts or bool(ABOUT & set(lows(said))) or _names_somebody(said))


def _names_somebody(said: Sequence[Item]) -> bool:
    words = lows(said)
    return any(item.kind in NAMING - {"time"} and words[n + 1 : n + 2] != ["'s"] for n, item in enumerate(said))


def _opened(items: Sequence[Item], words: Sequence[str], at: int) -> int | None:
    """Where the clause begins that a word of reason or a comma at `at` opens."""
    behind = at + 1 + (words[at + 1] == "that")
    subject = behind < len(items) and (words[behind] in SUBJECTS or items[behind].kind == "person")
    if words[at] == "so" and (subject or _is_kept(items, words, behind)):
        return behind
    if words[at : at + 2] in (["in", "order"], ["so", "as"]) and "to" in words[at + 2 : at + 4]:
        return at + 2
    if words[at] == "because" and words[at + 1] != "of":
        return at + 1
    if words[at : at + 2] in (["because", "of"], ["owing", "to"]) or words[at : at + 3] == ["on", "account", "of"]:
        named = _next_request(items, words, at)
        return at + 2 if all(item.kind in ("word", "punct") for item in items[at:named]) else None
    if (
        words[at] in ("before", "since", "as", "for")
        and words[at - 1] in COMMAS | {"before"}
        and words[at + 1] in SUBJECTS | THINGS
    ):
        return at + 1
    if words[at] in ("as", "since") and words[at + 1] in SUBJECTS | THINGS and words[at + 2 : at + 3] and words[at + 2] in STATES:
        return at + 1
    if words[at : at + 3] in (["before", "i", "forget"], ["before", "we", "forget"], ["lest", "i", "forget"]):
        return at + 1
    return at + 1 if words[at] in COMMAS and words[at + 1] in SUBJECTS | THINGS else None


def _is_kept(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "… so that it isn't forgotten": a purpose that says nothing of what the thing shall be like."""
    ends = next((n for n in range(at, len(words)) if words[n] in ("and", ",", ".")), len(words))
    pointed = words[at : at + 1] != [] and words[at] in THINGS
    return pointed and "not" in words[at:ends] and all(item.kind == "word" for item in items[at:ends])


def _states(text: str, said: Sequence[Item]) -> bool:
    """A statement of its own, which neither corrects what was said before nor wishes for anything."""
    polite, words = lexicon().polite, lows(said)
    corrects = any(strip_openers(said, polite[tone])[1] for tone in ("correcting", "unsaying"))
    ends = next((n for n, word in enumerate(words) if word in (".", "?", ";")), len(words))
    verb = words[0] in SUBJECTS or any(
        word in lexicon().small["auxiliaries"] | {"'s"} or lexicon().verbs.at(words, n) for n, word in enumerate(words[1:4], 1)
    )
    alone = clause_of(text, said[:ends]).mood == "statement" or words[0] in THINGS | {"nobody"} or _own_need(words)
    return verb and alone and not corrects and as_request(text, said) is None


OWN_BUSINESS = frozenset({"look", "read", "check", "see", "be", "go", "leave", "attend", "travel", "work", "finish", "catch"})
"""What the user does alone: behind "I have to" no request."""


def _own_need(words: Sequence[str]) -> bool:
    """ "I need to look at it again", "I need the number": nothing that could be a request for other mails or events."""
    nouns = {noun[1][0] for at in range(len(words)) if (noun := lexicon().nouns.at(words, at))}
    looks = words[2:3] != ["to"] or bool(OWN_BUSINESS & set(words[3:4]))
    return (
        words[0] in ("i", "we")
        and words[1] in ("need", "want", "have")
        and looks
        and not nouns & {"mail", "event", "occasion", "newsletter"}
    )
