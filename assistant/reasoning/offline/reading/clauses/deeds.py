"""Which operation a verb means for its object: by the lexicon's table first, then by what stands around it."""

from collections.abc import Sequence
from typing import cast

from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses.around import is_field
from assistant.reasoning.offline.reading.clauses.special import refused, special
from assistant.reasoning.offline.reading.nouns.persons import is_job
from assistant.reasoning.offline.reading.nouns.values import value_phrase
from assistant.reasoning.offline.reading.slots import lows, noun_of
from assistant.reasoning.offline.reading.text.items import NAMED, Item
from assistant.values import AgentName

WRITING = frozenset({"tell", "ask", "thank", "apologise", "congratulate", "wish", "send", "draft"})
"""Verbs whose object is content: any noun may stand in it."""


WHATEVER = frozenset({"what", "whatever", "everything", "anything", "all"})
ARRIVING = frozenset({"came", "arrived", "sent", "wrote", "received"})
"""Verbs that only mails go with: "delete what came from …"."""


NOUN_OF_AGENT = {"email": "mail", "calendar": "event", "contacts": "contact"}


DEFAULTING = frozenset("group place name time length attention field occasion slot contact template clash draft reply".split())


def operation_for(form: Form, rest: Sequence[Item], agent: AgentName | None) -> tuple[str, float, str]:
    """The operation for a verb and its object, how well they fit, and what had to be guessed."""
    if refused(form, rest):
        return "", 0, ""
    if asks_value(form, rest):
        return "mail.answer", 3, ""
    if particular := special(form, rest):
        return particular, 3, ""
    noun = _noun(rest, form)
    operations = lexicon().operations
    if (
        form.lemma in ("tell me", "give me")
        and lows(rest[:1]) == ["the"]
        and (not noun or (noun == "time" and {"of", "for"} & set(lows(rest))))
    ):
        return "mail.answer", 1, ""
    if noun and (form.verb, noun) in operations:
        return operations[form.verb, noun], 2, ""
    if form.verb in WRITING or noun in DEFAULTING or not noun:
        blank = operations.get((form.verb, ""))
        if blank:
            return blank, 1, _doubt(form, rest, blank)
    if form.verb in ("find", "check", "read", "summarise", "count") and not noun:
        return _found_by_agent(form, rest, agent)
    return "", 0, ""


LOOKING = frozenset({"find", "read", "check", "send", "tell"})


def asks_value(form: Form, rest: Sequence[Item]) -> bool:
    """ "look up the invoice number", "remind me of the date that Tom gave": a value that stands in some mail; "remind me of the
    deadline on Friday" asks for a reminder."""
    mine = form.verb not in ("send", "tell") or lows(rest[:1]) in (["me"], ["us"])
    timed = form.lemma == "remind" and any(item.kind == "time" for item in rest)
    return form.verb in LOOKING and mine and not timed and bool(value_phrase(rest))


def _doubt(form: Form, rest: Sequence[Item], operation: str) -> str:
    """Verbs that do to anything, over an object that is not known as a mail."""
    words = lows(rest)
    if lexicon().small["kinds"].intersection(words) and (ARRIVING & set(words) or {"from", "about"} & set(words)):
        return ""
    if operation != "mail.trash" or any(
        item.kind == "ref" or item.low in ("it", "them", "both", "those", "these") for item in rest
    ):
        return ""
    return "that a mail is meant"


def _noun(rest: Sequence[Item], form: Form) -> str:
    """The noun class of the object; where it has none, that of "in my calendar", "to my contacts"."""
    rest = rest[_parted(rest) :]
    words = lows(rest)
    stop = next(
        (at for at in range(len(rest)) if rest[at].kind == "word" and lexicon().markers.at(words, at) and at > 0), len(rest)
    )
    start = 1 if stop == 0 else 0
    head = rest[start : stop or len(rest)]
    noun = noun_of(head)[0]
    if noun == "mail" and form.verb in ("find", "change", "add", "check") and is_field(rest):
        return "field"
    if noun == "mail" and any((at_noun := lexicon().nouns.at(words, at)) and at_noun[1][0] == "newsletter" for at in range(stop)):
        return "mail"
    if noun:
        return noun
    if words[:1] and words[0] in WHATEVER and (ARRIVING & set(words[1:4]) or _from_somebody(rest, words)):
        return "mail"
    for at in range(stop, len(rest)):
        match = lexicon().nouns.at(words, at)
        if match and match[1][2] in ("calendar", "contact", "address book", "agenda", "schedule", "diary", "inbox"):
            return cast(str, match[1][0])
    folders = [lexicon().folders.at(words, at) for at in range(len(rest))]
    if form.verb in ("find", "check", "read", "summarise", "count") and any(folders):
        return "mail"
    return ""


def _from_somebody(rest: Sequence[Item], words: Sequence[str]) -> bool:
    """ "everything from Tom"."""
    return any(words[n] == "from" and rest[n + 1].kind in NAMED for n in range(1, min(len(rest) - 1, 4)))


def _parted(items: Sequence[Item]) -> int:
    """Where the noun phrase begins behind "all of", "the last two of"; 0 where no part of something is taken."""
    words, lex = lows(items[:5]), lexicon()
    at = words.index("of") if "of" in words else 0
    parts = (
        word in lex.small["each"] | lex.small["articles"]
        or word in lex.nth
        or word in lex.numbers
        or lex.orders.at(words, n)
        or word.isdigit()
        for n, word in enumerate(words[:at])
    )
    return at + 1 if at and all(parts) and at + 1 < len(items) else 0


def _found_by_agent(form: Form, rest: Sequence[Item], agent: AgentName | None) -> tuple[str, float, str]:
    """ "find David Smith", "show Friday afternoon": no noun says what is looked for."""
    operations = lexicon().operations
    if agent is not None:
        return operations.get((form.verb, NOUN_OF_AGENT[agent]), ""), 1, ""
    content = [item for item in rest if item.low not in lexicon().small["stop"]]
    if form.verb in ("find", "check") and content and all(item.kind in ("person", "name") for item in content):
        return "contact.find", 1, ""
    if form.verb in ("find", "count") and any(is_job(item.low) for item in content):
        return operations[form.verb, "contact"], 1, ""
    if content and all(item.kind == "time" for item in content):
        return operations.get((form.verb, "event"), ""), 1, ""
    if any(item.kind == "ref" for item in content):
        return operations.get((form.verb, "mail"), ""), 1, ""
    if form.verb == "find" and content and form.lemma in ("find", "search", "search for", "look for", "show me", "show"):
        return "mail.find", 0.5, "that mails are looked for"
    return "", 0, ""
