"""Clauses that change a contact's card: a field set, added to or taken off, a group joined or left, another name."""

from collections.abc import Sequence

from assistant.reasoning.calls import Person, Selection
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import people_in
from assistant.reasoning.offline.reading.parsed import Built, span_of
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

OTHERS = ("event", "occasion", "mail", "template")
"""Classes of nouns that may begin with a field's word: "phone call", "email message"."""


def field_at(items: Sequence[Item]) -> tuple[str, int, int]:
    """The first field that is named, and its first and last+1 item; "" where none is."""
    fields, words = lexicon().fields, lows(items)
    for at in range(len(items)):
        noun = lexicon().nouns.at(words, at)
        for length in (3, 2, 1):
            phrase = " ".join(words[at : at + length])
            if noun is not None and noun[0] > length and noun[1][0] in OTHERS:
                break
            if len(words[at : at + length]) == length and (phrase in fields or (phrase.endswith("s") and phrase[:-1] in fields)):
                return fields.get(phrase) or fields[phrase[:-1]], at, at + length
    return "", -1, -1


STORES = (
    ("address", "book"), ("address", "books"), ("contacts",), ("contact", "list"), ("phone", "book"), ("phonebook",),
    ("directory",),
)  # fmt: skip


def without_store(rest: Sequence[Item]) -> list[Item]:
    """Without "in the address book", "from my contacts as well": where all cards are says nothing of one."""
    words, kept, at = lows(rest), list[Item](), 0
    while at < len(rest):
        end = _store_end(words, at)
        kept.extend([] if end else rest[at : at + 1])
        at = end or at + 1
    return kept


def _store_end(words: Sequence[str], at: int) -> int:
    """Where the place that begins at `at` ends; 0 where none does."""
    if words[at] not in ("in", "into", "to", "from", "within"):
        return 0
    begin = at + 1 + (words[at + 1 : at + 2] in (["the"], ["my"], ["our"]))
    store = next((store for store in STORES if tuple(words[begin : begin + len(store)]) == store), None)
    if store is None:
        return 0
    end = begin + len(store)
    too = next((too for too in (("as", "well"), ("too",), ("also",)) if tuple(words[end : end + len(too)]) == too), ())
    return end + len(too)


def value_of(clause: Clause, items: Sequence[Item]) -> str:
    kept = [item for item in items if item.kind != "punct" or item.low in ("+", "&", "-")]
    if not kept:
        return ""
    if kept[0].kind in ("address", "phone", "quote") and len(kept) == 1:
        return kept[0].text
    return clause.text[kept[0].begin : kept[-1].end].strip(" .:")


def field_in(items: Sequence[Item]) -> str:
    """The contact field a noun phrase names: "phone number", "email" behind a possessive."""
    field, _, _ = field_at(items)
    return field


def update(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    """ "Sarah's phone number to 030 …", "a second number to Tom's card: …", "Anna from the clients group"."""
    if (joined := _group(clause, form, rest)) is not None:
        return joined
    first, *others = _changes(_without_card(without_store(rest)))
    built = _one_field(clause, form, first)
    for other in (_one_field(clause, form, more) for more in others):
        built.fields["details"] = (*built.fields.get("details", ()), *other.fields.get("details", ()))
        built.guesses.extend(other.guesses)
    return built


def _without_card(rest: Sequence[Item]) -> Sequence[Item]:
    """Without "with it", "to the contact" behind somebody's field: the card is that of who was named."""
    refs = [n for n, item in enumerate(rest) if item.kind == "ref" or item.low == "it"]
    owned = [n for n, item in enumerate(rest) if item.kind in PERSONAL]
    if len(refs) != 1 or owned[:1] in ([], refs):
        return rest
    begin = refs[0]
    while begin and rest[begin - 1].low in ("the", "contact", "card"):
        begin -= 1
    return [*rest[: begin - 1], *rest[refs[0] + 1 :]] if begin and rest[begin - 1].low in ("with", "to", "in", "on") else rest


def _changes(rest: Sequence[Item]) -> list[Sequence[Item]]:
    """Parted where "and" leads to another field of the same card with a value of its own: "… to X and his number to Y"."""
    words = lows(rest)
    owner = next((item.low for item in rest if item.kind in PERSONAL), "")
    for at in range(2, len(rest) - 2):
        begin = at + 1 + (words[at + 1] in lexicon().small["possessives_person"] | {"the"})
        begin += 2 if rest[begin].low == owner and words[begin + 1] == "'s" else 0
        field, first, end = field_at(rest[begin : begin + 3])
        if words[at] == "and" and field and first == 0 and _label(rest, begin + end) == begin + end:
            return [rest[:at], *_changes(rest[begin:])]
    return [rest]


def _one_field(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    built = Built("contact.update")
    field, begin, end = field_at(rest)
    if not field and form.verb == "rename":
        field, begin, end = "name", 0, 0
    at = None if _follows(rest, end) else _label(rest, max(end, 0))
    values = list(rest[at + 1 :]) if at is not None else [i for i in rest[max(end, 0) :] if i.kind in ("address", "phone", "quote")]
    numbers = [item for item in rest if item.kind in VALUES]
    if field in REACHING and len(numbers) == 1 and values and numbers[0] in values:
        values = numbers
    owners = _owners(
        [item for n, item in enumerate(rest) if item not in values and not begin <= n < end and (at is None or n < at)]
    )
    built.fields["select"] = Selection(people=_people(owners))
    built.thing = span_of(owners)
    value = value_of(clause, values)
    if field == "phone" and not (value.startswith("{") or any(sign.isdigit() for sign in value)):
        value = ""
    field = "email" if field == "address" and "@" in value else field
    if field and form.verb in OFF and not value:
        built.fields["details"] = ((f"without {field}", ""),)
    elif field and value:
        one_more = form.lemma == "add" and rest[0].low in ("a", "an")
        more = field in ("phone", "email") and (one_more or MORE & {item.low for item in rest[:3]})
        built.fields["details"] = ((f"also {field}" if more else field, value),)
    else:
        built.guesses.append("the new value was not said" if field else "which detail changes was not said")
    return built


REACHING = frozenset({"phone", "email", "address"})
"""Fields whose new value is told by its form, wherever it stands: "save his mobile with it, it's +49 …"."""


def _follows(rest: Sequence[Item], end: int) -> bool:
    """ "the note "…" to Tom's card": the value stands right behind its field."""
    return 0 <= end < len(rest) and rest[end].kind in ("quote", *VALUES)


LABELS = frozenset({"to", "as", "is", "with", "that"})
MORE = frozenset({"second", "another", "additional", "more", "third", "further", "also"})
OFF = frozenset({"delete", "uninvite"})
INTO = frozenset({"to", "into", "in", "from", "of", "out", "off"})
AROUND = frozenset(
    """of for 's s contact contacts card entry record as well too also new to from in on the a an my our second another additional
    more work private""".split()
)


def is_group_change(rest: Sequence[Item]) -> bool:
    """ "Tom to the clients group", "Anna out of my team": somebody, and a group that is joined or left."""
    words = lows(rest)
    at = next((n for n in range(1, len(rest)) if words[n] in INTO), None)
    if at is None or not rest or rest[0].kind not in PERSONAL:
        return False
    return any((noun := lexicon().nouns.at(words, n)) and noun[1][2] == "group" for n in range(at + 1, len(rest)))


def _group(clause: Clause, form: Form, rest: Sequence[Item]) -> Built | None:
    if not is_group_change(rest):
        return None
    words = lows(rest)
    at = next(n for n in range(1, len(rest)) if words[n] in INTO)
    named = [item for item in rest[at + 1 :] if item.low not in AROUND | INTO | {"group"}]
    if not named:
        return None
    name = clause.text[named[0].begin : named[-1].end]
    field = "without group" if form.verb in OFF else "group"
    built = Built("contact.update", {"details": ((field, name),), "select": Selection(people=_people(rest[:at]))})
    built.thing = span_of(rest[:at])
    return built


def _label(rest: Sequence[Item], begin: int) -> int | None:
    """What stands before the new value: a colon, else the first "to" or "is" behind which no card is named."""
    words = lows(rest)
    colon = next((n for n in range(begin, len(rest)) if words[n] == ":"), None)
    if colon is not None:
        return colon
    return next((n for n in range(begin, len(rest)) if words[n] in LABELS and not _of_card(words, n)), None)


def _of_card(words: Sequence[str], at: int) -> bool:
    return "card" in words[at : at + 5]


def _owners(items: Sequence[Item]) -> list[Item]:
    named = [item for item in items if item.kind in PERSONAL or item.low in ("and", ",")]
    named = [item for item in named if item.kind in PERSONAL]
    return named or [item for item in items if item.low not in AROUND and item.kind != "punct"]


def _people(items: Sequence[Item]) -> tuple[Person, ...]:
    return tuple(dict.fromkeys(named.person for named in people_in(items)))


def stated(clause: Clause) -> Built | None:
    """ "Paula's phone is +49 30 …", "+49 30 … is Sarah's new number": a new value told is one to be saved."""
    items = [item for item in _without_saving(clause.items) if item.kind != "punct"]
    words = lows(items)
    if len(items) < 4 or not TELLING & set(words[1:]) or (items[0].kind in VALUES) == (items[-1].kind in VALUES):
        return None
    value, told = (items[0], items[1:]) if items[0].kind in VALUES else (items[-1], items[:-1])
    owners = [item for item in told if item.kind in ("person", "name")]
    field, begin, end = field_at(told)
    others = [
        item
        for n, item in enumerate(told)
        if not (begin <= n < end) and item.low not in TELLING | {"new", "the", "of", "now", "to", "a"}
    ]
    if len(owners) != 1 or others != owners or not field:
        return None
    built = Built("contact.update", {"details": ((field, value.text),)})
    built.fields["select"] = Selection(people=tuple(named.person for named in people_in(owners)))
    built.thing = span_of(owners)
    return built


VALUES = ("address", "phone")
TELLING = frozenset({"'s", "is", "has", "have", "changed", "got"})
SAVING = frozenset(
    "please can could you update save change note correct add it that this in to my the contacts contact card so and".split()
)


def _without_saving(items: Sequence[Item]) -> Sequence[Item]:
    """Without ", please save it" behind what was told."""
    comma = next((n for n, item in enumerate(items) if item.low in (",", ".", ";")), len(items))
    return items[:comma] if all(item.low in SAVING or item.kind == "punct" for item in items[comma:]) else items
