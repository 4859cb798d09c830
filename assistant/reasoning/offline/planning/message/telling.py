"""What a sentence tells that asks for nothing: the things, the people and the time that the next sentence is about."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.outline import Draft
from assistant.reasoning.offline.planning.talk.memory import NOUN_OF_CLASS
from assistant.reasoning.offline.planning.talk.thatday import coming_day
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, tense
from assistant.reasoning.offline.reading.nouns.persons import people_in
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item
from assistant.reasoning.offline.reading.text.tokens import tokenise

HAVING = frozenset({"have", "got", "has", "is", "are", "for", "received", "me", "'s", "at", "to", "make", "attend", "need", "want"})


INDEFINITE = re.compile(r"^(?:a|an|some|another|several|a few)\s+", re.IGNORECASE)


def remember(text: str, draft: Draft) -> None:
    _remember_people(text, draft)
    items = strip_closers(mark(text, draft.setting, "past"))
    time = next((item for item in reversed(items) if item.time is not None and item.time.kind != "duration"), None)
    if time is not None:
        draft.memory.when = text[_first_of(items, items.index(time)).begin : time.end]
        ahead = mark(text, draft.setting, tense(tokenise(text)))
        draft.memory.told = next((day for item in reversed(ahead) if (day := coming_day(item.time, draft.setting))), "")
    _remember_thing(text, items, draft)


def _first_of(items: Sequence[Item], at: int) -> Item:
    """The first of the times that are listed up to this one: "December 4, 5 and 7"."""
    while at > 1 and items[at - 1].low in ("and", ",", "or", "&"):
        behind = at - 2 - (items[at - 1].low == "and" and items[at - 2].low == ",")
        if behind < 0 or items[behind].time is None:
            break
        at = behind
    return items[at]


WRITTEN = frozenset({"wrote", "written", "emailed", "mailed"})


ABOUT = frozenset({"about", "on", "regarding", "concerning"})


UNNEEDED = re.compile(
    r"^(?:i|we) (?:(?:do not|don['\u2019]?t|no longer|won['\u2019]?t) )?(?:need|want|use|read|like|care about|be needing) "
    r"(?P<thing>.+?)(?: (?:any ?more|after all|any longer|now|again|at all|really))*[.!]*$"
    r"|^(?:i|we)(?: am| are|['\u2019]m|['\u2019]re) (?:done|finished|through|fed up|bored) with (?P<past>.+?)(?: now)?[.!]*$"
    r"|^(?:i|we)(?:['\u2019]ve| have) had enough of (?P<much>.+?)(?: now)?[.!]*$",
    re.IGNORECASE,
)
_THING = r"(?P<thing>(?:[^,;:.!?]|(?<=\d)[:.](?=\d))+?)"
_WHY = r"(?: after all| then| now| any ?more| either| this time)*(?:(?:,| -| \u2013| \u2014| because| since| as| for) .+)?[.!]*$"
LAPSED = tuple(
    re.compile(form + _WHY, re.IGNORECASE)
    for form in (
        rf"^(?:so |there (?:is|will be|['\u2019]s going to be) |there['\u2019]s |we have |i have )?no (?:more )?{_THING}",
        rf"^(?:i|we) (?:cannot|can not|can['\u2019]t|won['\u2019]t|will not|am not able to|couldn['\u2019]t) (?:be able to )?"
        rf"(?:do|make|attend|come to|go to|join|take part in|make it to|be at|get to) (?!it\b){_THING}",
        r"^(?:i|we)(?: am| are|['\u2019]m|['\u2019]re) (?:skipping|missing|not going to|not coming to|not doing|not attending|"
        rf"dropping out of|giving up) {_THING}",
        r"^(?:i|we) (?:(?:do not|don['\u2019]?t|no longer|won['\u2019]?t|will not)(?: be)? )"
        r"(?:need|needing|want|wanting|have time for) "
        rf"(?!to\b){_THING}",
        rf"^{_THING} (?:has|have|needs|need) to go(?P<when> (?:today|tonight|tomorrow|on \w+|this \w+|next \w+))?",
        rf"^{_THING} (?:is|are|was|has been|have been|got|gets) (?:cancelled|canceled|called off|off|scrapped|dropped|"
        r"not happening|not on|not taking place)(?P<when> (?:today|tonight|tomorrow|on \w+|this \w+|next \w+))?",
    )
)
""" "No dentist for me tomorrow, I'm ill": what does not take place."""
NAMED_THING = re.compile(r"(?:the|my|our|this|that|\w+day['\u2019]s|\w+['\u2019]s) ", re.IGNORECASE)
FOR_ME = re.compile(r" for (?:me|us)\b", re.IGNORECASE)


def lapsed(text: str) -> str:
    """What a sentence tells that does not take place; empty where it tells nothing of the kind."""
    bare = FOR_ME.sub("", text, count=1)
    found = next((match for form in LAPSED if (match := form.match(bare)) is not None), None)
    if found is None or text.rstrip().endswith("?"):
        return ""
    return f"{found['thing']}{found.groupdict().get('when') or ''}"


def _remember_thing(text: str, items: Sequence[Item], draft: Draft) -> None:
    """ "I've got some mails about the lease" speaks of them; "I wrote to Helen about …" of the mail to her."""
    items = items[: len(items) - (items[-1].low in ("wrong", "mixed up") and len(items) > 1)] if items else items
    words = lows(items)
    if received := _received(text, items, words):
        draft.memory.thing, draft.memory.noun = received, "mail"
        return
    if written := _written(text, items, words) or _received(text, items, words):
        draft.memory.thing, draft.memory.noun = written, "mail"
        return
    if (gone := lapsed(text)) and not gone.lower().startswith(("need ", "problem", "idea")):
        draft.memory.thing = gone if NAMED_THING.match(gone) else f"the {gone}"
        draft.memory.noun = "event" if _class_of(gone) == "event" else ""
        return
    if (unneeded := UNNEEDED.match(text)) is not None:
        draft.memory.thing, draft.memory.noun = next(said for said in unneeded.groups() if said), ""
        return
    if (subject := _subject(text, items, words)) and (noun_of := _class_of(subject)):
        draft.memory.thing, draft.memory.noun = subject, noun_of
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
    if (subject := _subject(text, items, words) or _spoken_of(text, items, words) or _titled(items)) and not draft.memory.thing:
        draft.memory.thing, draft.memory.noun = subject, ""


def _class_of(thing: str) -> str:
    """ "mail" or "event" by the first noun in the words for a thing; empty where they hold none."""
    words = [token.low for token in tokenise(thing)]
    nouns = (noun[1][0] for at in range(len(words)) if (noun := lexicon().nouns.at(words, at)))
    found = next((NOUN_OF_CLASS[noun] for noun in nouns if noun in NOUN_OF_CLASS), "")
    return found if found in ("mail", "event") else ""


def _spoken_of(text: str, items: Sequence[Item], words: Sequence[str]) -> str:
    """ "An hour won't be enough for the review on Friday": the event behind what is said of it, up to the end."""
    small = lexicon().small
    for at in range(1, len(items) - 1):
        event = any((noun := lexicon().nouns.at(words, n)) and noun[1][0] in ("event", "occasion") for n in range(at, len(items)))
        dated = any(item.time is not None and item.time.has_date for item in items[at + 2 :])
        titled = dated or items[at + 1].kind == "name" or items[at + 1].text[:1].isupper()
        opens = items[at].kind == "quote" or (words[at] in small["articles"] - INDEFINITES and (event or titled))
        if opens and not any(lexicon().verbs.at(words, n) and words[n - 1] in small["me"] for n in range(at + 1, len(items))):
            return text[items[at].begin : items[-1].end]
    return ""


INDEFINITES = frozenset({"a", "an", "some", "any", "no"})


def _titled(items: Sequence[Item]) -> str:
    """ "We stopped the Budget Planning Session": what is written as a title."""
    titles = (item.text for item in items if (item.kind == "name" and " " in item.text) or item.kind == "quote")
    return next((f"the {title}" for title in titles), "")


def _subject(text: str, items: Sequence[Item], words: Sequence[str]) -> str:
    """ "the dentist is ill": what a statement begins with, where that is a thing; "" where it is none."""
    small = lexicon().small
    end = next((n for n in range(1, len(items)) if _predicates(items, words, n)), 0)
    named = any((noun := lexicon().nouns.at(words, n)) and noun[1][0] in NOUN_OF_CLASS for n in range(end))
    thing = words[0] in small["articles"] | small["each"] | WHATEVER or named
    if end <= 1 or not thing or words[0] in small["me"]:
        return ""
    said = text[items[0].begin : items[end - 1].end]
    return f"everything{said[len(words[0]) :]}" if words[0] in WHATEVER else said


DESCRIBING = frozenset({"from", "with", "by", "to", "about"})
"""Leads to somebody who says more of a thing: "the mail from Tom was …"."""


WHATEVER = frozenset({"everything", "whatever", "nothing", "what", "none"})


def _predicates(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """Whether the verb at `at` is the sentence's own, not that of "the mails Tom sent", "what came in"."""
    auxiliary = words[at] in lexicon().small["auxiliaries"] | lexicon().small["predicates"]
    if not auxiliary and (items[at].kind != "word" or lexicon().nouns.at(words, at) or not _is_verb(words, at)):
        return False
    before = items[at - 1]
    described = auxiliary and at > 2 and items[at - 2].low in DESCRIBING
    related = (
        (before.kind in NAMED and not described)
        or before.low in RELATIVE
        or (not auxiliary and before.low in lexicon().small["auxiliaries"])
    )
    participle = (
        not auxiliary and words[at].endswith(("ed", "ent")) and at + 1 < len(items) and items[at + 1].kind in ("time", "person")
    )
    return not related and not participle


def _is_verb(words: Sequence[str], at: int) -> bool:
    return lexicon().verbs.at(words, at) is not None or lexicon().facts.at(words, at) is not None


RELATIVE = frozenset(
    {"that", "which", "who", "what", "whatever", "i", "we", "he", "she", "they", "have", "has", "had", "already", "just"}
)


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


def event_in(body: str, person: str, setting: Setting) -> str:
    """The event that a mail to `person` speaks of, in words of one's own: "our next meeting" as "my next meeting with Tom"."""
    body = f"that {body}"
    items = mark(body, setting)
    words = lows(items)
    for at in range(1, len(items)):
        noun = lexicon().nouns.at(words, at)
        begin = _begin(items, words, at) if noun is not None and noun[1][0] in ("event", "occasion") and at else at
        if noun is None or noun[1][1] or begin == at or words[begin] not in ("my", "our", "the"):
            continue
        end = at + noun[0]
        shared = words[begin] == "our" or words[end : end + 2] in (
            ["with", "him"],
            ["with", "her"],
            ["with", "them"],
            ["with", "you"],
        )
        end = end + 2 if words[end : end + 1] == ["with"] and end + 1 < len(items) else end
        said = body[items[begin].end : items[at + noun[0] - 1].end if shared else items[end - 1].end]
        when = f" {items[end].text}" if end < len(items) and items[end].time is not None else ""
        return f"{'the' if words[begin] == 'the' else 'my'}{said}{f' with {person}' if shared and person else ''}{when}"
    return ""


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
    if found.call is None and (_own_business(piece.text) or (clause.mood == "things" and lapsed(piece.text))):
        return True
    subject = bool(clause.items) and clause.items[0].low in ("my", "our", "the", "his", "her", "their")
    return clause.mood == "things" and subject and len(clause.items) > 3 and said.endswith(".")


def _own_business(text: str) -> bool:
    """ "I have to call Anna.", "I'd like to plan my day": what the user does alone, told before something is asked."""
    return bool(OWN.match(text.replace("\u2019", "'"))) and not text.rstrip().endswith("?")


def _remember_people(text: str, draft: Draft) -> None:
    """Whom a statement is about: its subject, or whoever stands behind "from" or "with"."""
    items = strip_closers(mark(text, draft.setting, "past"))
    parts = cut(text, items, dictates=False)
    said = [[item for item in slot.items if item.kind in ("person", "name", "address")] for slot in parts.of("from", "with", "to")]
    people = [named.person.text for some in said for named in people_in(some)]
    people = people or [item.text for item in items if item.kind == "person"]
    words = lows(items)
    verb = next((at for at, word in enumerate(words) if at and word in lexicon().small["auxiliaries"]), None)
    if verb is not None and (meant := _meant_for(items, verb)):
        people = meant
    elif verb is not None and words[0] not in lexicon().small["me"] and words[0] not in ("it", "there", "something"):
        people = [named.person.text for named in people_in(items[:verb])] or people
        people = [" and ".join(people)] if "and" in words[:verb] else people
    if not people:
        return
    draft.memory.person = people[-1]
    met = any(match[1].verb == "meet" for at in range(len(words)) if (match := lexicon().facts.at(words, at)))
    draft.company = people[-1] if met and words[0] in lexicon().small["me"] else ""


def _meant_for(items: Sequence[Item], verb: int) -> list[str]:
    """Whom a thing is told to be for: "Tom's mail is for Anna", "the last one should have gone to Anna"."""
    person = items[0].kind in NAMED and items[1].low != "'s"
    leads = [n for n in range(verb, len(items) - 1) if items[n].low in ("for", "to") and items[n + 1].kind in NAMED]
    return [named.person.text for named in people_in(items[leads[-1] + 1 :])] if leads and not person else []
