"""A mail that is to hold what must be looked up first: "send Lena a list of my events on Friday", "email Omar when I'm free"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

SHARED = frozenset({"event.find", "event.next", "event.slots", "event.clashes", "event.rank", "event.total", "contact.find"})
MAIL = r"(?:an? |the )?(?:e-?mail|mail|message)"
WITHIN = rf"(?:{MAIL} )?(?:with |containing |listing |using |of )?"
LONGEST = 300
"""Characters; what is longer holds words that were dictated."""
SENDING = re.compile(r"\b(?:send|e-?mail|mail|write|message|draft|compose|prepare|shoot|drop|fire)\b", re.IGNORECASE)
LIST = re.compile(
    rf"^{WITHIN}(?:(?:a|the|my) )?(?:(?P<titles>(?:event )?(?:names?|titles?))|list|listing|overview|details|dates|times)"
    rf"(?: and (?:dates|times))? (?:of|for) ",
    re.IGNORECASE,
)
DICTATED = re.compile(rf"^{MAIL} (?:that|saying|to say)\b", re.IGNORECASE)
TOPIC = re.compile(r"^(?:about|regarding|concerning) (?!wh|how)", re.IGNORECASE)
BARE = re.compile(rf"^{MAIL} (?:with|containing|listing|of|about) ", re.IGNORECASE)


BACK = re.compile(
    rf"(?:{MAIL} )?(?:with |using |of )?(?:(?P<titles>(?:the )?(?:event names|event titles|names|titles)"
    r"(?: of (?:the|those|these|all the|all) (?:events|meetings|appointments))?)"
    r"|(?:that|this|the|those|these|your|its) (?:summary|overview|recap|gist|digest|details|information|info|outcome"
    r"|number|amount|date|time|times|slots|address|link|code|price|answer|result|results|list"
    r"|value|figure|sum|events|meetings))",
    re.IGNORECASE,
)
"""What the step before has found."""


@dataclass(frozen=True)
class Shared:
    """`query` looks it up, empty where the step before has done so; `whom` gets it; `part`: only that of what is found: the titles
    of events, a field of a card."""

    verb: str
    query: str
    whom: str
    part: str = ""

    def sending(self, step: int) -> str:
        what = f"the {self.part} of {{{step}}}" if self.part else f"{{{step}}}"
        return f"{self.verb} {what} to {self.whom}"


def shared(text: str, setting: Setting, mails: str = "") -> Shared | None:
    """`mails` stands for the mails that the step before has found."""
    if len(text) > LONGEST or not SENDING.search(text):
        return None
    found = parse(text, setting)
    form = next((form for _, form in found.clause.forms if form.verb in ("send", "draft")), None)
    if form is None or found.clause.mood != "do" or found.clause.negated:
        return None
    if found.call is not None and not _lacks_words(found.call):
        return None
    verb_ends = next(length for length, one in found.clause.forms if one == form)
    whom, rest = _apart(found.clause.text, found.clause.items[verb_ends:])
    if whom.lower() in ("me", "myself") and setting.me:
        whom = setting.me[0].email
    if not whom or not rest or DICTATED.match(rest) or TOPIC.match(rest):
        return None
    verb = form.verb.capitalize()
    if back := BACK.fullmatch(rest):
        return Shared(verb, "", whom, "titles" if back["titles"] else "")
    lead = LIST.match(rest)
    opening = lead or BARE.match(rest)
    query, field = _query(rest[opening.end() :] if opening else rest, setting)
    query = query or _value(rest, mails, setting)
    return Shared(verb, query, whom, "titles" if lead and lead["titles"] else field) if query else None


def _lacks_words(call: Call) -> bool:
    content = call.body or call.about or call.select.refs or call.field == "reply"
    return call.operation in ("mail.send", "mail.draft", "event.find") and not content


def _apart(text: str, items: Sequence[Item]) -> tuple[str, str]:
    """Who gets it, right behind the verb or behind "to", and the rest of the words."""
    end = _people_end(items, 0)
    if end:
        return text[items[0].begin : items[end - 1].end], _words(text, items[end:])
    words = lows(items)
    for at in range(1, len(items) - 1):
        end = _people_end(items, at + 1) if words[at] == "to" else 0
        if end:
            whom = text[items[at + 1].begin : items[end - 1].end]
            return whom, f"{_words(text, items[:at])} {_words(text, items[end:])}".strip()
    return "", ""


def _people_end(items: Sequence[Item], begin: int) -> int:
    """Where the people end that begin there; 0 where none stands there."""
    end, pronouns = begin, lexicon().small["pronouns_person"] | {"me", "myself"}
    while end < len(items) and (items[end].kind in PERSONAL or items[end].low in pronouns or items[end].low in ("and", ",", "&")):
        end += 1
    while end > begin and items[end - 1].low in ("and", ",", "&"):
        end -= 1
    owns = end < len(items) and items[end].low == "'s"
    return 0 if owns or end == begin else end


def _words(text: str, items: Sequence[Item]) -> str:
    return text[items[0].begin : items[-1].end].strip(" ,.") if items else ""


def _query(phrase: str, setting: Setting) -> tuple[str, str]:
    """The question whose answer is to be sent, and the field of a card that it asks for; empty where the words are no question, or
    only name something that the user has written."""
    asks = phrase.partition(" ")[0].lower() in lexicon().small["wh"]
    query = f"{phrase[:1].upper()}{phrase[1:]}" if asks else f"Find {phrase}"
    call = parse(query, setting).call
    if call is None or call.operation not in SHARED | ({"event.free", "mail.answer"} if asks else set()):
        return "", ""
    select = call.select
    told = select.when or call.time or select.words or select.people or select.order or {"my", "our"} & set(phrase.lower().split())
    if call.operation == "contact.find":
        return (query, call.field) if call.field and call.select.people else ("", "")
    return (query, "") if told else ("", "")


VALUE = re.compile(
    r"(?:the|that|its|their) (?P<what>(?:[\w-]+ ){0,3}?(?:number|date|price|amount|link|code|address|deadline|total|sum|costs?)"
    r"(?P<source> (?:from|in|of|for) .+)?)",
    re.IGNORECASE,
)
"""What a mail says in one word or figure."""


def _value(phrase: str, mails: str, setting: Setting) -> str:
    """The question for a value that a mail says: of what is named with it, else of the mails found before."""
    found = VALUE.fullmatch(phrase)
    if found is None or not (found["source"] or mails):
        return ""
    query = f"What is the {found['what']}{'' if found['source'] else f' of {mails}'}?"
    call = parse(query, setting).call
    return query if call is not None and call.operation == "mail.answer" else ""


_WHOEVER = re.compile(
    r"\b(?:the |that )?(?:person|man|woman|one|colleague|company|somebody|someone|whoever) (?:who |that )?"
    r"(?P<deed>sent|wrote|emailed|mailed) (?P<what>.+?)[?.!]*$",
    re.IGNORECASE,
)


def by_deed(text: str, setting: Setting) -> tuple[str, str] | None:
    """ "the phone number of the person who sent me the quote": the question who that is, and what stands before."""
    found = _WHOEVER.search(text)
    if found is None or found.start() == 0:
        return None
    who, rest = f"Who {found['deed']} {found['what']}", text[: found.start()]
    one, two = parse(who, setting).call, parse(f"{rest}{{1}}", setting).call
    if one is None or one.operation != "mail.find" or two is None or criteria.writes(two.operation):
        return None
    return (who, rest) if two.operation.startswith("contact.") else None
