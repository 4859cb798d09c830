"""What a sentence tells that asks for nothing: the things, the people and the time that the next sentence is about."""

import re
from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.memory import NOUN_OF_CLASS
from assistant.reasoning.offline.planning.outline import Draft
from assistant.reasoning.offline.planning.pieces import Piece
from assistant.reasoning.offline.planning.thatday import coming_day
from assistant.reasoning.offline.reading.entities import Item, mark
from assistant.reasoning.offline.reading.frames import strip_closers, tense
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.persons import people_in
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.tokens import tokenise

HAVING = frozenset({"have", "got", "has", "is", "are", "for", "received", "me", "'s", "at", "to", "make", "attend", "need", "want"})
INDEFINITE = re.compile(r"^(?:a|an|some|another|several|a few)\s+", re.IGNORECASE)


def remember(text: str, draft: Draft) -> None:
    _remember_people(text, draft)
    items = strip_closers(mark(text, draft.setting, "past"))
    time = next((item for item in reversed(items) if item.time is not None and item.time.kind != "duration"), None)
    if time is not None:
        draft.memory.when = time.text
        ahead = mark(text, draft.setting, tense(tokenise(text)))
        draft.memory.told = next((day for item in reversed(ahead) if (day := coming_day(item.time, draft.setting))), "")
    _remember_thing(text, items, draft)


WRITTEN = frozenset({"wrote", "written", "emailed", "mailed"})
ABOUT = frozenset({"about", "on", "regarding", "concerning"})
UNNEEDED = re.compile(
    r"^(?:i|we) (?:(?:do not|don['\u2019]?t|no longer|won['\u2019]?t) )?(?:need|want|use|read|like|care about|be needing) "
    r"(?P<thing>.+?)(?: (?:any ?more|after all|any longer|now|again|at all|really))*[.!]*$",
    re.IGNORECASE,
)


def _remember_thing(text: str, items: Sequence[Item], draft: Draft) -> None:
    """ "I've got some mails about the lease" speaks of them; "I wrote to Helen about …" of the mail to her."""
    words = lows(items)
    if received := _received(text, items, words):
        draft.memory.thing, draft.memory.noun = received, "mail"
        return
    if written := _written(text, items, words) or _received(text, items, words):
        draft.memory.thing, draft.memory.noun = written, "mail"
        return
    if (unneeded := UNNEEDED.match(text)) is not None:
        draft.memory.thing, draft.memory.noun = unneeded["thing"], ""
        return
    for at in range(1, len(items)):
        noun = lexicon().nouns.at(words, at)
        if noun is None or noun[1][0] not in NOUN_OF_CLASS:
            continue
        begin = _begin(items, words, at)
        if not begin or words[begin - 1] not in HAVING:
            break
        said = INDEFINITE.sub("", text[items[begin].begin : items[-1].end])
        sender = people_in(items[:begin])[:1] if "sent" in words[:begin] and items[0].kind == "person" else ()
        tail = f" from {sender[0].person.text.split(' sent')[0]}" if sender else ""
        named = f"{said}{tail}"
        draft.memory.thing = named if named.startswith(("my ", "the ", "our ")) else f"the {named}"
        draft.memory.noun = NOUN_OF_CLASS[noun[1][0]]
        return
    if (subject := _subject(text, items, words)) and not draft.memory.thing:
        draft.memory.thing, draft.memory.noun = subject, ""


def _subject(text: str, items: Sequence[Item], words: Sequence[str]) -> str:
    """ "the dentist is ill": what a statement begins with, where that is a thing; "" where it is none."""
    small = lexicon().small
    verbs = (n for n in range(1, len(items)) if lexicon().verbs.at(words, n) and not lexicon().nouns.at(words, n))
    end = min((*(n for n in range(1, len(items)) if words[n] in small["auxiliaries"]), *verbs), default=0)
    named = any((noun := lexicon().nouns.at(words, n)) and noun[1][0] in NOUN_OF_CLASS for n in range(end))
    thing = words[0] in small["articles"] | small["each"] or words[0] == "everything" or named
    return text[items[0].begin : items[end - 1].end] if end > 1 and thing and words[0] not in small["me"] else ""


def _received(text: str, items: Sequence[Item], words: Sequence[str]) -> str:
    """ "Somebody wrote to me about the lease": the mails about it."""
    at = next((n for n, word in enumerate(words[:5]) if word in WRITTEN), None)
    if not at or words[0] in lexicon().small["me"]:
        return ""
    behind = at + 1 + (words[at + 1 : at + 2] == ["to"])
    if words[behind : behind + 1] != ["me"] or behind + 1 >= len(items) or words[behind + 1] not in ABOUT:
        return ""
    sender = f" from {items[0].text}" if items[0].kind in ("person", "name") else ""
    return f"the mails{sender} {text[items[behind + 1].begin : items[-1].end]}"


def _written(text: str, items: Sequence[Item], words: Sequence[str]) -> str:
    at = next((n for n, word in enumerate(words[:4]) if word in WRITTEN), None)
    if at is None or at + 1 >= len(items) or words[0] not in lexicon().small["me"]:
        return ""
    rest = text[items[at + 1].begin : items[-1].end]
    return f"my mail {rest if rest.lower().startswith(('to ', 'about ')) else f'to {rest}'}"


def _begin(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """Where the noun phrase around a noun begins: at its article, or where describing words begin."""
    small = lexicon().small
    while at > 1 and words[at - 1] not in HAVING and items[at - 1].kind not in ("punct", "address"):
        at -= 1
        if words[at] in small["articles"]:
            break
    return at


OWN = re.compile(
    r"^(?:i|we) (?:have|need|want|ought|am supposed|are supposed|would like|must|should|plan) (?:to )?"
    r"|^(?:i'd|we'd|i'm|we're) (?:like|supposed|going|looking|trying|planning) (?:to |for )?",
    re.IGNORECASE,
)


def is_told(piece: Piece, found: Parse) -> bool:
    """A statement by its verb; or a whole sentence about "my train", "the weather", whose verb the lexicon lacks."""
    clause, said = found.clause, piece.text.rstrip()
    if clause.mood == "statement":
        return not said.endswith("?")
    if _own_business(piece.text) and found.call is None:
        return True
    subject = bool(clause.items) and clause.items[0].low in ("my", "our", "the", "his", "her", "their")
    return clause.mood == "things" and subject and len(clause.items) > 3 and said.endswith(".")


def _own_business(text: str) -> bool:
    """ "I have to call Anna.", "I'd like to plan my day": what the user does alone, told before something is asked."""
    return bool(OWN.match(text.replace("\u2019", "'"))) and not text.rstrip().endswith("?")


def states_need(text: str, draft: Draft) -> bool:
    """ "Eva needs the mails from Tom": what "forward them" will be about, and for whom."""
    items = strip_closers(mark(text, draft.setting, "past"))
    words = lows(items)
    at = next((n for n, word in enumerate(words[:4]) if word in ("needs", "wants", "requested")), None)
    if not at or items[at - 1].kind not in ("person", "name", "word") or text.rstrip().endswith("?"):
        return False
    rest = items[at + 1 :]
    if not any(lexicon().nouns.at(lows(rest), n) for n in range(len(rest))):
        return False
    draft.memory.thing = text[rest[0].begin : rest[-1].end]
    draft.memory.person = draft.beneficiary = " ".join(named.person.text for named in people_in(items[:at]))
    return True


def _remember_people(text: str, draft: Draft) -> None:
    """Whom a statement is about: its subject, or whoever stands behind "from" or "with"."""
    items = strip_closers(mark(text, draft.setting, "past"))
    parts = cut(text, items, dictates=False)
    said = [[item for item in slot.items if item.kind in ("person", "name", "address")] for slot in parts.of("from", "with", "to")]
    people = [named.person.text for some in said for named in people_in(some)]
    people = people or [item.text for item in items if item.kind == "person"]
    words = lows(items)
    verb = next((at for at, word in enumerate(words) if at and word in lexicon().small["auxiliaries"]), None)
    if verb is not None and words[0] not in lexicon().small["me"] and words[0] not in ("it", "there", "something"):
        people = [named.person.text for named in people_in(items[:verb])] or people
        people = [" and ".join(people)] if "and" in words[:verb] else people
    if not people:
        return
    draft.memory.person = people[-1]
    met = any(match[1].verb == "meet" for at in range(len(words)) if (match := lexicon().facts.at(words, at)))
    draft.company = people[-1] if met and words[0] in lexicon().small["me"] else ""
