"""One chosen thing: what it is like ("the last mail about the lease is from Tom", "Tom was the last to email me"), or a part of it
("the subject of the last mail"). It is chosen first, and looked at then."""

from collections.abc import Sequence

from assistant.reasoning.calls import Operation, Person, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.nouns.states import Domain
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.choosing import select
from assistant.reasoning.offline.reading.questions.facts import EVENTS, Facts
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item
from assistant.reasoning.offline.reading.times.moments import merged

COPULAS = frozenset({"is", "was", "came"})
DOMAINS: dict[str, Domain] = {"mail": "mail", "newsletter": "mail", "event": "event", "occasion": "event"}
CONTAINING = frozenset({"contains", "mentions", "includes"})
CHECKS: dict[str, Operation] = {"mail": "mail.check", "event": "event.check"}
WRITES = frozenset("email emailed write wrote mail mailed message messaged contact contacted".split())
TEXT = frozenset({"content", "contents", "text", "body"})

FITTING: dict[str, set[str]] = {
    "mail": {"people", "words", "subject", "when", "unread", "flagged", "has_attachment", "bulk"},
    "event": {"people", "words", "when", "all_day"},
}


def predicated(clause: Clause) -> Built | None:
    items, words = clause.rest, lows(clause.rest)
    if (last := _wrote_last(items, words)) is not None:
        return last
    at = next((n for n in range(2, len(items)) if words[n] in COPULAS | CONTAINING), None)
    in_subject = at is None and len(items) > 2 and items[-1].kind == "subject" and not _led_by_with(clause, items[-1])
    at = len(items) - 1 if in_subject else at
    if at is None or (at + 1 >= len(items) and not in_subject):
        return None
    domain = _domain(words[:at])
    if domain is None or words[at - 1] in ("that", "which"):
        return None
    chosen = _selection(clause, items[:at], domain)
    whole = in_subject or lexicon().markers.at(words, at) is not None  # "contains the word X" leads to its words itself
    fits = _selection(clause, items[at + (not whole) :], domain)
    one = chosen.order in ("nth", "nth_last") or (chosen.order and chosen.number == 1)
    if not one or not _says_what(fits, domain):
        return None
    return Built(CHECKS[domain], {"select": chosen, "fits": fits})


def _led_by_with(clause: Clause, item: Item) -> bool:
    """ "the last mail with 'X' in the subject": that says which mail, not what it is like."""
    return clause.text[item.begin :].lower().startswith("with") or clause.text[: item.begin].rstrip().lower().endswith("with")


def _says_what(fits: Selection, domain: Domain) -> bool:
    """Whether it says something that one chosen thing can be held against."""
    said = {name for name in type(fits).model_fields if getattr(fits, name) != getattr(Selection(), name)} - {"each"}
    dated = fits.when is None or fits.when.has_date
    return bool(said) and said <= FITTING[domain] and dated


def _domain(words: Sequence[str]) -> Domain | None:
    nouns = [noun[1] for at in range(len(words)) if (noun := lexicon().nouns.at(words, at))]
    known = [DOMAINS[noun] for noun, several, _ in nouns if noun in DOMAINS and not several]
    return known[-1] if known else None


def _selection(clause: Clause, items: Sequence[Item], domain: Domain) -> Selection:
    parts = cut(clause.text, items, dictates=False)
    found = gather(parts, domain)
    found.words = [word for word in found.words if word.lower() not in ("ago", "more", "less", "than", "sent", "written")]
    return found.selection(merged(parts.times))


def _wrote_last(items: Sequence[Item], words: Sequence[str]) -> Built | None:
    """ "Tom was the last person to email me", "Tom was the last one who wrote to me"."""
    if len(items) < 6 or items[0].kind not in NAMED or words[1] not in ("is", "was") or words[2:4] != ["the", "last"]:
        return None
    if words[-1] not in lexicon().small["me"] or not WRITES & set(words[4:]):
        return None
    chosen = Selection(order="last", folder="Received")
    return Built("mail.check", {"select": chosen, "fits": Selection(people=(Person(text=items[0].text, role="from"),))})


def part_of_it(facts: Facts) -> Built | None:
    """ "the subject of the last mail from Anna", "who is the sender of …", "the title of my next meeting": the mail or event, whose
    line says that; a mail's text where that is asked for."""
    words, parts = facts.words, lexicon().small["parts"]
    of = (n for n in range(len(words) - 1) if words[n + 1] == "of")
    at = next((n for n in of if parts & {words[n], words[n].removesuffix("s")}), None)
    if at is None:
        return None
    behind = facts.whole(facts.items[at + 2 :], lexicon().small["auxiliaries"])
    if behind.has("mail"):
        built = select(behind, "mail.find", "mail")
        if words[at] in TEXT and not built.fields["select"].each:
            built.operation = "mail.read"
        return built
    return select(behind, "event.find", "event") if behind.has(*EVENTS) else None
