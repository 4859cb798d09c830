"""Which mails or events a question is about, whatever is asked of them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.reasoning.calls import Operation, Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.edges import edge_of, without_edge_verbs
from assistant.reasoning.offline.reading.nouns.gathered import Gathered, topic_words
from assistant.reasoning.offline.reading.nouns.insiders import insider
from assistant.reasoning.offline.reading.nouns.persons import Named, in_role, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.nouns.states import Domain, named_state
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.facts import Facts
from assistant.reasoning.offline.reading.slots import Parts, cut, lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.moments import merged

IDLE = frozenset("already scheduled planned booked there any something anything coming".split())
THINGS = frozenset({"thing", "things"})
NOBODY = frozenset({"there", "anything", "something"})
LATEST = frozenset({"last", "latest"})
REMAINING = frozenset({"left", "remaining"})
HEARING = frozenset({"hear", "hear back", "hear from"})
YEAR = timedelta(days=365)


def parts_of(facts: Facts, items: Sequence[Item] | None = None) -> Parts:
    """The slots of what stands behind the verb, or of these items."""
    return cut(facts.clause.text, facts.rest if items is None else items, dictates=False)


def when_of(facts: Facts, items: Sequence[Item] | None = None) -> TimeSpec | None:
    return merged(parts_of(facts, items).times)


def topic_of(parts: Parts) -> tuple[str, ...]:
    return topic_words([item for slot in parts.slots for item in slot.items])


def gathered(parts: Parts) -> Gathered:
    """The mails that the slots tell of, apart from any time."""
    found = gather(Parts(list(parts.slots)), "mail")
    found.select.pop("each", None)
    return found


def update(built: Built, **changes: object) -> Built:
    """The same with these fields of its selection."""
    chosen: Selection = built.fields.get("select") or Selection()
    built.fields["select"] = chosen.model_copy(update=changes)
    return built


def select(facts: Facts, operation: Operation, domain: Domain, without: Sequence[str] = ()) -> Built:
    """The things that what stands behind the verb describes, `without` some words that don't."""
    built = Built(operation)
    skip = IDLE.union(without, THINGS if domain == "event" else ())
    items: Sequence[Item] = [item for item in _without_idle(facts.rest) if item.low not in skip]
    checks = operation == "event.check"
    parts = parts_of(facts, without_edge_verbs(items) if checks else items)
    found = gather(parts, domain)
    if domain == "mail" and facts.verb in ("have", "send", "receive"):
        take_files(found, parts)
    _with_those_met(found, facts, parts)
    _with_subject(found, facts, domain)
    found.words = [word for word in found.words if word.lower() not in ("today", "already")]
    when = merged(parts.times)
    if domain == "event" and facts.says(*REMAINING):
        found.words = [word for word in found.words if word.lower() not in REMAINING]
        when = _still_to_come(when, facts.clause.now)
    picked = found.select.get("order") or found.select.get("refs")
    if checks and picked and (edge := edge_of(when, facts.clause, found.people)):
        built.fields["time"], built.fields["field"], when = edge
    if checks and when is None and not picked and _is_over(facts):
        when = _past_year(facts.clause.now)
    built.fields["select"] = found.selection(when)
    return built


def _without_idle(items: Sequence[Item]) -> list[Item]:
    """Without "coming up", "lined up", wherever it stands."""
    words, kept, at = lows(items), list[Item](), 0
    while at < len(items):
        idle = lexicon().idle.at(words, at) if items[at].kind == "word" else None
        kept.extend(() if idle and idle[0] > 1 else items[at : at + 1])
        at += idle[0] if idle else 1
    return kept


def _with_those_met(found: Gathered, facts: Facts, parts: Parts) -> None:
    """ "did I meet the client": whoever stands as the object."""
    if facts.verb != "meet":
        return
    if found.words:
        found.people.extend(people_in([item for item in parts.object if item.kind in ("word", "name")], "with"))
    found.words.clear()


def _with_subject(found: Gathered, facts: Facts, domain: Domain) -> None:
    if domain == "event":
        found.people.extend(facts.beside_me)
    for named in facts.subject:
        if named.person.text.lower() in NOBODY:
            continue
        if _is_thing(facts, named):
            found.words.extend(named.person.text.split())
        else:
            found.people.extend(in_role([named], "with" if domain == "event" else "from"))


def _is_thing(facts: Facts, named: Named) -> bool:
    return any(item.begin >= named.begin and item.end <= named.end and item.kind == "word" for item in facts.items)


def _is_over(facts: Facts) -> bool:
    """ "did Jonas attend the kickoff?", "was Helena there?", "have I met him?": asked of what has been."""
    head = facts.clause.head
    over = head in ("did", "was", "were", "had") or (head in ("have", "has") and bool(facts.verb))
    return over and facts.verb in ("meet", "attend", "")


def _past_year(now: datetime | None) -> TimeSpec | None:
    return TimeSpec(kind="range", text="in the past year", start=now - YEAR, stop=now, has_date=True) if now is not None else None


def _still_to_come(when: TimeSpec | None, now: datetime | None) -> TimeSpec | None:
    """What is left of a day or week that has begun."""
    if when is None or now is None or when.start is None or not when.start <= now < (when.stop or when.start):
        return when
    return when.model_copy(update={"kind": "range", "start": now, "windows": (), "has_time": True})


def wrote(facts: Facts, operation: Operation = "mail.check") -> Built:
    """ "has Anna sent me any mail", "did I write to Tom", "have I heard from Eva"."""
    parts = parts_of(facts)
    received = facts.verb == "receive"
    outgoing = facts.by_me and not received and facts.verb != "have"
    chosen = [slot for slot in parts.slots if slot.marker != "to" or outgoing]
    if facts.subject:
        chosen = [slot for slot in chosen if slot.marker != "from"]
    found = gathered(Parts(chosen))
    take_files(found, parts)
    if outgoing:
        found.people[:] = in_role(found.people, "to")
        found.select["folder"] = "Sent"
    elif received and facts.form is not None and facts.form.lemma in HEARING:
        found.people.extend(people_in(parts.object, "from"))
        found.words.clear()
    elif received and facts.by_me and not found.people:
        found.select.setdefault("folder", "Received")
    subject = list(facts.subject)
    for named in facts.subject if not outgoing else ():
        if (inside := insider([word for word in named.person.text.lower().split() if word != "from"])) is not None:
            found.select["inside"] = inside
            subject.remove(named)
    found.people.extend(in_role(subject, "to" if received else "from"))
    if facts.thing:
        found.select.update(gathered(parts_of(facts, facts.thing)).select)
    if not outgoing and any(item.kind == "word" and item.low in LATEST for item in facts.rest):
        found.select.setdefault("order", "last")
        found.words[:] = without_latest(found.words)
    return Built(operation, {"select": found.selection(merged(parts.times))})


def take_files(found: Gathered, parts: Parts) -> None:
    """ "did I get a pdf?", "who sent me pictures?", "have files attached": what is sent is a kind of file, no topic."""
    for slot in parts.of(""):
        words = lows(slot.items)
        for at in range(len(words)):
            taken = named_state(["with", *words[at:]], 0, "mail", found.select) if words[at] not in ("any", "some") else 0
            if taken > 1:
                gone = set(words[at : at + taken - 1])
                found.words[:] = [word for word in found.words if word.lower() not in gone]
                break


def without_latest(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.lower() not in LATEST]


def without_me(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if item.low not in lexicon().small["me"]]


def referring(clause: Clause, built: Built | None) -> Built | None:
    """A reference anywhere in the question says what it is about."""
    refs = tuple(item.low for item in clause.items if item.kind == "ref")
    if built is None or not refs:
        return built
    chosen: Selection = built.fields.get("select") or Selection()
    if not chosen.refs and not any(person.ref for person in (*chosen.people, *built.fields.get("to", ()))):
        update(built, refs=refs, order="" if chosen.order == "last" else chosen.order)
    return built
