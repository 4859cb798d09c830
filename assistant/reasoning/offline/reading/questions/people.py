"""Questions for people: whose card says what, who belongs to a group or works somewhere, who of two it was."""

from collections.abc import Sequence

from assistant.reasoning.calls import Person, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.clauses import cards, filing
from assistant.reasoning.offline.reading.nouns.gathered import topic_words
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.facts import EVENTS, Facts
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

WORKING = frozenset("works work working at for in know from who everyone everybody all people".split())
EMAIL = ("email", "mail", "e-mail")
OWNING = frozenset({"person", "name", "ref"})


def alternatives(items: Sequence[Item]) -> tuple[Sequence[Item], tuple[Person, ...]]:
    """ "who wrote to me last, Tom or Anna?": what stands before, and who is named to choose between."""
    at = next((n for n, item in enumerate(items) if n and item.low == "," and _chosen_between(items[n + 1 :])), len(items))
    people = tuple(Person(text=item.text, role="from") for item in items[at:] if item.kind in PERSONAL)
    return items[:at], people


def _chosen_between(items: Sequence[Item]) -> bool:
    named = sum(item.kind in PERSONAL for item in items)
    return named > 1 and all(item.kind in PERSONAL or item.low in ("or", ",", "?") for item in items)


def who_lacks(facts: Facts) -> Built | None:
    """ "who has no phone number?" """
    items = facts.clause.rest
    if not {"no", "without"} & {item.low for item in items} or not cards.field_in(facts.items):
        return None
    return filing.find(facts.clause, [item for item in items if item.low not in lexicon().small["auxiliaries"]])


def who_belongs(facts: Facts) -> Built | None:
    """ "who is in …", "who belongs to …", "who are the members of …"."""
    if facts.has(*EVENTS, "mail"):
        return None
    within = facts.says("is", "are", "'s", "was") and facts.words[1:2] in (["in"], ["on"])
    member = facts.says("belongs", "belong", "member", "members") or within
    return filing.group(facts.clause, facts.rest) if facts.has("group") or (member and not facts.has("contact")) else None


def who_works(facts: Facts) -> Built | None:
    """ "who works at Acme?", "who do I know there?" """
    if not facts.says("works", "work", "working", "know"):
        return None
    around = WORKING | lexicon().small["auxiliaries"] | lexicon().small["me"]
    company = " ".join(topic_words([item for item in facts.items if item.low not in around]))
    return Built("contact.find", {"select": Selection(company=company)})


def who_is(facts: Facts) -> Built | None:
    return filing.find(facts.clause, facts.rest) if facts.begins("is", "'s", "are", "was") else None


def whose(facts: Facts) -> Built | None:
    return filing.find(facts.clause, facts.rest) if facts.has("field") else None


def when_born(facts: Facts) -> Built | None:
    return filing.find(facts.clause, facts.rest) if cards.field_in(facts.rest) == "birthday" else None


def how_many(facts: Facts) -> Built | None:
    if not facts.has("contact"):
        return None
    built = filing.find(facts.clause, [item for item in facts.rest if item.low not in ("many", "do", "i", "have")])
    built.operation = "contact.count"
    built.fields.pop("field", None)
    return built


def on_a_card(facts: Facts) -> Built | None:
    """ "what is Yuki's mobile number?" """
    owned = any(item.kind in OWNING or item.low == "'s" for item in facts.items[1:])
    if not owned or not _names_field(facts):
        return None
    return filing.find(facts.clause, [item for item in facts.rest if item.low != "'s" or item.begin > facts.items[0].end])


def _names_field(facts: Facts) -> bool:
    """ "Yuki's mobile number"; not "the tracking number", nor "the number of Yuki's parcel", which only a mail can tell."""
    if not facts.has("field"):
        return False
    items, words = facts.items, facts.words
    stop, nouns = lexicon().small["stop"] | lexicon().small["auxiliaries"] | {"again"}, lexicon().nouns
    at = next(n for n in range(len(words)) if (match := nouns.at(words, n)) and match[1][0] == "field")
    described = at > 0 and words[at - 1] in lexicon().small["serials"]
    owner = next((n for n in range(at + 1, len(items) - 1) if items[n].kind == "person" and words[n + 1] == "'s"), None)
    thing = owner is not None and any(items[n].kind == "word" and words[n] not in stop for n in range(owner + 2, len(items)))
    return not described and not thing


def address_of(facts: Facts) -> Built | None:
    """ "what is Anna's email": a possessive singular, nothing that says which mail."""
    words = facts.words
    owner = any(item.kind in OWNING and words[n + 1 : n + 2] == ["'s"] for n, item in enumerate(facts.items))
    asked = facts.says(*EMAIL) and cards.field_in(facts.rest) == "email"
    return filing.find(facts.clause, facts.rest) if asked and owner and words[-1] in (*EMAIL, "address") else None


def found(facts: Facts) -> Built | None:
    return filing.find(facts.clause, facts.rest) if facts.has("contact") else None
