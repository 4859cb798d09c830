"""Clauses about contacts and reply templates."""

from collections.abc import Sequence

from assistant.reasoning.calls import Person, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.clauses.cards import field_at, field_in, without_store
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.gathered import Gathered, as_job
from assistant.reasoning.offline.reading.nouns.persons import is_job, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built, span_of
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.items import Item


def find(clause: Clause, rest: Sequence[Item]) -> Built:
    """ "David's email address" finds one address; anything else finds contacts, perhaps for one field of theirs."""
    if (whose := _whose(clause, rest)) is not None:
        return Built("contact.find", {"select": whose}, thing=span_of(list(rest)))
    rest, lacking = _lacking(rest)
    field = field_in(rest) if not lacking else ""
    built = Built("contact.find")
    parts = cut(clause.text, rest, dictates=False)
    found = gather(parts, "contact")
    if field == "email" and (job := _one_job(found)):
        return Built("contact.address", {"select": Selection(people=(Person(text=f"the {job}"),))}, thing=span_of(list(rest)))
    as_job(found)
    if found.select.get("title") and field == "title":
        field = ""
    if not found.people and not (set(found.select) - {"each"}) and found.words:
        found.people.extend(people_in([item for item in parts.object if item.low in {word.lower() for word in found.words}]))
        found.words.clear()
    found.words = [word for word in found.words if word.lower() not in lexicon().fields]
    if lacking:
        found.select["lacking"] = lacking
        found.people.clear()
    persons = tuple(dict.fromkeys(named.person for named in found.people))
    one_address = field == "email" and len(persons) == 1 and not found.select.get("each")
    if one_address:
        built.operation = "contact.address"
    else:
        built.fields["field"] = field
    if found.select.get("group") or found.select.get("company") or found.select.get("title"):
        found.words.clear()
    built.fields["select"] = found.selection()
    if not persons and not found.words and not found.select:
        built.fields["select"] = Selection(each=True)
    built.thing = span_of(list(rest))
    return built


HOLDING = frozenset(
    "is are 's contains contain includes include has have holds says reads starts with a an the word words phrase".split()
)
CARD_TEXT = {"title": "title", "company": "company", "group": "group"}


def _whose(clause: Clause, rest: Sequence[Item]) -> Selection | None:
    """ "contacts whose job title contains the word manager": by what stands in one field of theirs."""
    words = lows(rest)
    at = next((n for n, word in enumerate(words) if word == "whose"), None)
    field, begin, end = field_at(rest[at + 1 :]) if at is not None else ("", -1, -1)
    if at is None or begin != 0:
        return None
    said = [item for item in rest[at + 1 + end :] if item.kind != "punct"]
    while said and said[0].low in HOLDING:
        said = said[1:]
    text = clause.text[said[0].begin : said[-1].end].strip("\"'“”") if said else ""
    if text in ("missing", "empty", "blank", "unknown"):
        return Selection(lacking=field)
    if not text or field not in (*CARD_TEXT, "name", "note") or {"not", "no", "or", "and"} & set(lows(said)):
        return None
    return Selection(words=(text,)) if field in ("name", "note") else Selection(**{CARD_TEXT[field]: text})


def _lacking(rest: Sequence[Item]) -> tuple[Sequence[Item], str]:
    """ "contacts without a phone number", "who has no address": the rest, and the field that is missing."""
    words = lows(rest)
    at = next((n for n, word in enumerate(words) if word in ("without", "lacking", "missing", "no")), None)
    if at is None:
        return rest, ""
    field, begin, end = field_at(rest[at + 1 :])
    near = 0 <= begin <= 1 and (begin == 0 or words[at + 1] in ("a", "an", "any"))
    return ([*rest[:at], *rest[at + 1 + end :]], "email" if field == "address" else field) if near else (rest, "")


def _one_job(found: Gathered) -> str:
    """ "the project manager": the profession of whom one is meant, whoever else has it."""
    single = found.words and found.words[-1].lower() in lexicon().small["jobs"] and not found.people and not found.select
    return " ".join(found.words) if single else ""


def add(clause: Clause, rest: Sequence[Item]) -> Built:
    """Name, address, telephone number and company of a new contact, in any order, with or without labels."""
    built = Built("contact.add")
    details: dict[str, str] = {}
    at = 0
    loose: list[list[Item]] = [[]]
    rest = without_store(rest)
    while at < len(rest):
        item = rest[at]
        field, begin, end = field_at(rest[at : at + 3])
        if item.kind == "address":
            details.setdefault("email", item.low)
        elif item.kind == "phone":
            details.setdefault("phone", item.text)
        elif begin == 0 and end > 0 and at + end < len(rest):
            taken = _labelled(clause, rest, at + end, field, details)
            at = taken
            continue
        elif item.low in ("at", "from", "of") and at + 1 < len(rest) and "name" in details | _named(loose):
            at = _labelled(clause, rest, at + 1, "company", details)
            continue
        elif item.low in (",", ":", ";", "(", ")", "with", "and", "to", "for", "as", "called", "named"):
            loose.append([])
        elif item.kind in ("word", "person", "name", "quote") and not _noise(item):
            loose[-1].append(item)
        at += 1
    pieces = [
        clause.text[group[0].begin : group[-1].end] if group[0].kind != "quote" else group[0].text for group in loose if group
    ]
    for at, piece in enumerate(one for one in pieces if one):
        rest_of_card = [name for name in ("company", "title") if name not in details]
        job = "title" in rest_of_card and is_job(piece.lower().rpartition(" ")[2])
        field = "name" if at == 0 else "title" if job or rest_of_card == ["title"] else "company"
        details.setdefault(field, piece)
    said = {field: value for field, value in details.items() if field not in ("email", "address") or "@" in value}
    built.fields["details"] = tuple(said.items())
    if "name" not in details:
        built.guesses.append("no name was said")
    return built


def _named(loose: list[list[Item]]) -> dict[str, str]:
    return {"name": ""} if any(loose) else {}


AROUND_CARD = frozenset("contact contacts contact's address book person card entry record details data new".split())


def _noise(item: Item) -> bool:
    low = item.low
    return low in lexicon().small["stop"] or low in AROUND_CARD


def _labelled(clause: Clause, items: Sequence[Item], at: int, field: str, details: dict[str, str]) -> int:
    """A value behind its label, up to the next comma or "and"."""
    while at < len(items) and items[at].low in (":", "is", "'s"):
        at += 1
    end = at
    while end < len(items) and items[end].low not in (",", "and", ";", "with", "(", ")"):
        end += 1
    if end > at:
        value = items[at].text if end == at + 1 else clause.text[items[at].begin : items[end - 1].end]
        details.setdefault("email" if field == "address" and "@" in value else field, value)
    return end


AROUND_GROUP = frozenset(
    "each every is are in on of the my our belongs belong to member members a all list part people who 's works work".split()
)


def group(clause: Clause, rest: Sequence[Item]) -> Built:
    """Who belongs to a group; the words around its name are no part of it."""
    built = Built("contact.group")
    drop = AROUND_GROUP
    kept = [item for item in rest if item.kind in ("word", "name", "person", "number", "quote") and item.low not in drop]
    name = clause.text[kept[0].begin : kept[-1].end] if kept else ""
    if any(item.low == "know" for item in rest):
        known = [item for item in kept if item.low not in ("i", "we", "know", "at", "from", "everyone", "everybody")]
        return Built("contact.find", {"select": Selection(company=clause.text[known[0].begin : known[-1].end] if known else "")})
    built.fields["select"] = Selection(group=kept[0].text if len(kept) == 1 and kept[0].kind == "quote" else name, each=not name)
    return built


def template(clause: Clause, rest: Sequence[Item], operation: str) -> Built:
    """ "save a reply template called thanks: …"; "delete the template thanks"."""
    if operation == "template.list":
        return Built("template.list")
    built = Built("template.save" if operation == "template.save" else "template.delete")
    parts = cut(clause.text, rest, dictates=True, colon=True)
    body = parts.body or next((item.text for item in parts.object if item.kind == "quote"), "")
    called = [item for slot in parts.of("called", "as") for item in slot.items]
    source = called or [item for item in parts.object if item.kind in ("name", "person", "quote", "word")]
    names = [item.text for item in source if item.text != body and not _template_noise(item)]
    if operation == "template.save" and called and not parts.body:
        quotes = [item for item in called if item.kind == "quote"]
        if len(called) > 1 and quotes and called[-1].kind == "quote":
            body = quotes[-1].text
            names = [item.text for item in called if item is not quotes[-1] and not _template_noise(item)]
    built.fields["template"] = " ".join(names)
    built.fields["body"] = body if operation == "template.save" else ""
    if not names:
        built.guesses.append("which template was not said")
    return built


AROUND_TEMPLATE = frozenset("template templates reply mail email canned response a an the my new as saved called this".split())


def _template_noise(item: Item) -> bool:
    return item.low in AROUND_TEMPLATE
