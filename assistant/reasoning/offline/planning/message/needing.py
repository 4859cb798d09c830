"""What somebody needs, wants or has dealt with: what "forward them" and "delete those" will be about."""

import re
from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.telling import WHATEVER
from assistant.reasoning.offline.planning.outline import Draft
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.nouns.persons import people_in
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item
from assistant.reasoning.offline.reading.text.tokens import tokenise


def states_aim(text: str, draft: Draft) -> bool:
    """ "I want to be sure that everyone comes to the review": what the request is for, and which event it is about."""
    items = strip_closers(mark(text, draft.setting, "past"))
    words = lows(items)
    if not words or words[0] not in lexicon().small["me"] or lexicon().polite["ensuring"].at(words, 1) is None:
        return False
    for at in range(2, len(items)):
        noun = lexicon().nouns.at(words, at)
        if noun is not None and noun[1][0] in ("event", "occasion"):
            begin = max((n for n in range(at) if words[n] in lexicon().small["articles"]), default=at)
            draft.memory.thing, draft.memory.noun = text[items[begin].begin : items[-1].end], "event"
            break
    return True


def states_done(text: str, draft: Draft) -> bool:
    """ "I've dealt with everything that came in today": what "delete those mails" will be about."""
    if text.rstrip().endswith("?"):
        return False
    items = strip_closers(mark(text, draft.setting, "past"))
    words = lows(items)
    if not words or words[0] not in lexicon().small["me"]:
        return False
    phrase = lexicon().polite["finishing"].at(words, 1)
    rest = items[1 + phrase[0] :] if phrase is not None else ()
    if not rest:
        return False
    spoken = lows(rest)
    mails = any((noun := lexicon().nouns.at(spoken, n)) and noun[1][0] in ("mail", "newsletter") for n in range(len(rest)))
    arrived = spoken[0] in WHATEVER and not any(lexicon().nouns.at(spoken, n) for n in range(len(rest)))
    if not mails and not arrived:
        return False
    end = next((n for n in range(1, len(rest)) if rest[n].low in ("any", "anymore", "now") or rest[n].kind == "punct"), len(rest))
    thing = text[rest[0].begin : rest[end - 1].end]
    draft.memory.thing = f"all mails{thing[len(rest[0].text) :]}" if arrived else thing
    draft.memory.noun = "mail"
    return True


def states_meeting(text: str, draft: Draft) -> bool:
    """ "Santiago and I need to talk": with whom the next request is; alone it asks for nothing that could be done."""
    items = strip_closers(mark(text, draft.setting))
    words = lows(items)
    named = people_in([item for item in items if item.kind in NAMED])
    if not named or text.strip() == draft.request.text.strip() or any(item.time is not None for item in items):
        return False
    mine = next((n for n in range(1, min(len(items), 8)) if words[n] in ("i", "we", "me") and words[n - 1] in ("and", "with")), 0)
    phrase = lexicon().polite["meeting"].at(words, mine + 1) if mine else None
    if phrase is None or mine + 1 + phrase[0] < len(items):
        return False
    draft.memory.person = " and ".join(one.person.text for one in named)
    return True


COPY = re.compile(r"^(?:an? )?cop(?:y|ies) of ", re.IGNORECASE)


SUPPOSING = frozenset({("i", "think"), ("i", "believe"), ("i", "guess"), ("i", "feel"), ("i", "suppose")})


DEFINITE = frozenset({"everything", "whatever", "anything", "all", "every", "each", "those", "these"})


RELATIVE = frozenset({"who", "that", "which"})
"""Behind one of these a need tells which ones are meant: "reply to everyone who asked for the draft"."""


def need_in(text: str, items: Sequence[Item]) -> tuple[Sequence[Item], str] | None:
    """Who needs what in "Eva would like to see the mails from Tom": a thing that is there already."""
    items = strip_closers(strip_openers(items, lexicon().polite["openers"])[0])
    words = lows(items)
    if tuple(words[:2]) in SUPPOSING:
        items, words = items[2:], words[2:]
    at = next((n for n in range(1, min(len(words), 5)) if lexicon().polite["needing"].at(words, n)), None)
    if not words or at is None or text.rstrip().endswith("?") or words[0] in lexicon().small["me"]:
        return None
    if words[at - 1] in RELATIVE:
        return None
    if items[at - 1].kind not in NAMED and items[at - 1].low not in ("also", "really") and items[0].kind != "word":
        return None
    length = max(
        (found[0] for n in range(at, at + 1) if (found := lexicon().polite["needing"].at(words, n)) is not None), default=0
    )
    rest = items[at + length :]
    thing = COPY.sub("", text[rest[0].begin : rest[-1].end]) if rest else ""
    spoken = lows(rest)
    named = any(lexicon().nouns.at(spoken, n) is not None for n in range(len(rest)))
    told = named or spoken[:1] == ["this"] or DEFINITE & set(spoken[:4])
    return (items[:at], thing) if thing and told else None


def is_definite(thing: str) -> bool:
    """ "the latest mail", "Anna's mail", "everything": no new mail that is to be written."""
    words = [token.low for token in tokenise(thing)]
    small = lexicon().small
    return bool(words) and (
        words[0] in ("the", "my", "our", "that", "this") or words[0] in DEFINITE | small["each"] or "'s" in words[:3]
    )


def states_need(text: str, draft: Draft) -> bool:
    """ "Eva needs the mails from Tom": what "forward them" will be about, and for whom."""
    tokens = [token.low for token in tokenise(text[:LONGEST])]
    if not any(lexicon().polite["needing"].at(tokens, n) for n in range(len(tokens))):
        return False
    found = need_in(text, mark(text, draft.setting, "past"))
    if found is None:
        return False
    who, thing = found
    draft.memory.thing = "" if thing.lower() in ("this", "these") else thing
    draft.memory.person = draft.beneficiary = " and ".join(named.person.text for named in people_in(who))
    return True


LONGEST = 200
