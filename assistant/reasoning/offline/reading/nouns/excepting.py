"""What is left out: "all newsletters except the last", "everything on Friday but the review", "the team except Priya"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.calls import Call, Person, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.gathered import as_job
from assistant.reasoning.offline.reading.nouns.persons import people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.nouns.states import Domain
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.resting import without_as_it_is
from assistant.reasoning.offline.reading.slots import cut, lows, noun_of
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times import stretches
from assistant.reasoning.offline.reading.times.moments import merged
from assistant.reasoning.offline.reading.times.sametime import same_time

RECEIVED = ("mail.send", "mail.draft", "mail.forward", "mail.reply", "event.invite", "event.create")
"""Operations that reach people, of whom some can be left out."""
SELECTING = frozenset(
    (
        "mail.find mail.read mail.summarise mail.count mail.check mail.reply mail.forward mail.mark_read "
        "mail.mark_unread mail.flag mail.unflag mail.archive mail.trash mail.restore event.find event.next event.count "
        "event.check event.summarise event.move event.rename event.resize event.relocate event.cancel event.invite "
        "event.uninvite event.accept event.decline event.tentative contact.find contact.count contact.delete"
    ).split()
)
"""Operations over a selection that heeds what it leaves out."""
TIMED = ("event.slots", "event.create")
"""Operations that look for a time, of which days or hours can be left out."""
LUNCH = ("lunch", "lunchtime")
AROUND_TIMES = frozenset(("and", "or", "on", "free", "clear", "during", "at", "my", "the", "over", *LUNCH))
DOMAINS: dict[str, Domain] = {"mail": "mail", "event": "event", "contact": "contact"}


def split(clause: Clause) -> tuple[Clause, tuple[Item, ...]] | None:
    """The clause without its exception, and the exception; None where it has none."""
    found = span(clause.items)
    if found is None:
        return None
    begin, start, end = found
    taken = clause.items[begin:end]
    left = tuple(item for item in clause.items if item not in taken)
    rest = tuple(item for item in clause.rest if item not in taken)
    if not any(item.kind == "time" for item in left) and (time := _of_the_whole(clause.items[start:end])) is not None:
        left, rest = (*clause.items[:begin], time, *clause.items[end:]), (*rest, time)
        return replace(clause, items=left, rest=rest), tuple(item for item in clause.items[start:end] if item is not time)
    excepted = without_as_it_is(clause.items[start:end])
    return replace(clause, items=left, rest=rest), tuple(item for item in excepted if item.low not in lexicon().small["excepted"])


def span(items: Sequence[Item]) -> tuple[int, int, int] | None:
    """Where an exception begins, where what it names begins, and where it ends."""
    words = lows(items)
    stop, _ = dictation(items)
    if "proposal" in {item.low for item in items if item.kind == "ref"}:
        return None
    if len(items) > 3 and words[-1] in lexicon().small["excepted"] and "," in words[1:-2]:
        comma = len(words) - 1 - words[::-1].index(",")
        return comma, comma + 1, len(items)
    kept = same_time(items)
    for at in range(1, len(items) if stop is None else min(stop, len(items))):
        if kept is not None and kept[0] <= at < kept[1]:
            continue
        match = lexicon().exceptions.at(words, at) if items[at].kind == "word" else None
        if match is None and (length := _negated(items, words, at)):
            end = _end(items, words, at + length)
            return (at, at + length, end) if end > at + length else None
        if match is None or at + match[0] >= len(items) or (match[1] == "but" and not _excepts(items, words, at)):
            continue
        start = at + match[0]
        end = _end(items, words, start)
        end = _all_but(words, at, start) or end
        return (at, start, end) if end > start else None
    return None


RELATIVE = frozenset({"that", "which", "who"})
BEING = frozenset({"is", "are", "was", "were", "'s"})
DOING = frozenset({"do", "does", "did"})
HOLDING = frozenset({"have", "contain", "mention", "include", "come"})


def _negated(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """How many items lead to what is left out: "that isn't …", "which don't have …", "not from …"; 0 where it is put otherwise."""
    lex = lexicon()
    asked = words[at - 1] not in lex.small["auxiliaries"] and words[at] in BEING | DOING and _asks_which(items, words, at)
    if asked or words[at] in RELATIVE:
        verb = at if asked else at + 1
        if words[verb + 1 : verb + 2] != ["not"] or lex.states.at(words, at) is not None:
            return 0
        if words[verb] in BEING and not lex.facts.at(words, verb + 2):
            return verb + 2 - at
        does = words[verb] in DOING and words[verb + 2 : verb + 3] and words[verb + 2] in HOLDING
        return verb + 3 - at if does else 0
    named = words[at] == "not" and (_is_thing(words, at) or items[at - 1].kind in PERSONAL)
    behind = lex.markers.at(words, at + 1) if named else None
    return 1 if behind is not None and behind[1] in ("from", "to", "about", "with") else 0


def _is_thing(words: Sequence[str], at: int) -> bool:
    """Whether a noun of mails or events ends right before `at`."""
    return any((noun := lexicon().nouns.at(words, n)) is not None and n + noun[0] == at for n in range(max(0, at - 3), at))


def _asks_which(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "Which of my meetings this week are …": a predicate of the things that are asked for."""
    first = next((word for word in words[:2] if word in ("which", "what", "many")), "")
    behind_thing = first == "which" or _is_thing(words, at)
    verbs = (lexicon().facts.at(words, n) for n in range(at) if not lexicon().nouns.at(words, n))
    return bool(first) and behind_thing and not any(verbs) and words[at + 2 : at + 3] not in (["i"], ["we"])


def _all_but(words: Sequence[str], at: int, start: int) -> int | None:
    """ "All but the last two mails from Tom": only "the last two" is left out, of what stands behind it."""
    if at == 0 or words[at - 1] not in ("all", "everything") or words[start] not in lexicon().small["articles"]:
        return None
    order = lexicon().orders.at(words, start + 1)
    if order is None:
        return None
    end = start + 1 + int(order[0])
    end += end < len(words) and (words[end] in lexicon().numbers or words[end].isdigit())
    of_them = words[end : end + 1] == ["of"] and end + 1 < len(words)
    return end if of_them or lexicon().nouns.at(words, end) is not None else None


def _excepts(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """Whether "but" leaves something out: behind all of something, and before a thing rather than a deed."""
    lex = lexicon()
    if items[at + 1].kind in PERSONAL and any(item.kind in PERSONAL for item in items[:at]):
        return (
            at + 2 == len(items)
            or items[at + 2].kind == "punct"
            or lex.markers.at(words, at + 2) is not None
            or words[at + 2] == "and"
        )
    whole = any(word in lex.small["each"] for word in words[:at]) or any(
        (noun := lex.nouns.at(words, n)) and noun[1][1] for n in range(at)
    )
    after = items[at + 1]
    named = after.kind in PERSONAL | {"time", "quote"} or after.low in lex.small["articles"] | {"for", "one"}
    return whole and (named or lex.orders.at(words, at + 1) is not None)


def _end(items: Sequence[Item], words: Sequence[str], start: int) -> int:
    """An exception ends where the sentence goes on: at what is said, where it goes, and behind people at anything else."""
    for at in range(start, len(items)):
        marker = lexicon().markers.at(words, at) if items[at].kind == "word" else None
        people = at > start and all(item.kind in PERSONAL or item.low in ("and", ",", "&", "or") for item in items[start:at])
        if items[at].low == "," and not _list_goes_on(items, at, people=people):
            return at
        if marker is not None and (marker[1] in ENDING or people) and at > start:
            return at
    return len(items)


ENDING = ("saying", "asking", "to", "as", "subject", "cc", "bcc", "using")


def _list_goes_on(items: Sequence[Item], at: int, *, people: bool) -> bool:
    """ "… except Tom, Anna and Eva", "… except the review, the lunch and the call"."""
    words = lows(items[at + 1 :])
    if words[:1] and words[0] in lexicon().small["articles"] and "and" in words:
        return True
    return people and at + 1 < len(items) and (items[at + 1].kind in PERSONAL or items[at + 1].low == "and")


def _of_the_whole(items: Sequence[Item]) -> Item | None:
    """ "all meetings except the review on Friday": a time at the end belongs to all of them, where nothing else says when."""
    last = items[-1]
    named = any(
        item.kind in PERSONAL | {"quote"} or (item.kind == "word" and item.low not in lexicon().small["stop"]) for item in items
    )
    return last if last.kind == "time" and named and last.time is not None and last.time.has_date else None


def without(found: Parse, left_out: Sequence[Item]) -> Parse:
    """The reading with its exception; without a call where the exception could not be read or nothing heeds it."""
    call = found.call
    selections = _selections(found.clause, left_out, call) if call is not None else ()
    changed = _reduced(call, selections, left_out, one=_of_one(found.clause, left_out)) if call is not None else None
    if changed is None:
        unread = tuple(item.text for item in left_out if item.text)
        return replace(found, reading=found.reading.model_copy(update={"call": None, "certain": False, "unread": unread}))
    return replace(found, reading=found.reading.model_copy(update={"call": changed}))


NOT = re.compile(r"(?:n['\u2019]t|\bnot)(?: \w+)?(?: an?)?$", re.IGNORECASE)


def _of_one(clause: Clause, left_out: Sequence[Item]) -> bool:
    """ "The mail that isn't a newsletter": one is meant, which may be any of many."""
    noun, several, _, begin, _ = noun_of(clause.items)
    definite = begin > 0 and clause.items[begin - 1].low == "the"
    return noun in ("mail", "event") and not several and definite and bool(NOT.search(clause.text[: left_out[0].begin].rstrip()))


def _reduced(call: Call, selections: Sequence[Selection], left_out: Sequence[Item], *, one: bool) -> Call | None:
    people = [item for item in left_out if item.kind != "punct" and item.low not in ("to", "for", "from")]
    if call.operation in TIMED and people and all(item.kind == "time" or item.low in AROUND_TIMES for item in people):
        return _at_other_times(call, people)
    personal = bool(people) and all(item.kind in PERSONAL or item.low in ("and", "or", "for", "from") for item in people)
    if personal and call.operation in RECEIVED and (call.to or call.field == "all"):
        gone = tuple(named.person.model_copy(update={"role": "except"}) for named in people_in(people))
        return call.model_copy(update={"to": (*call.to, *gone)})
    if call.operation not in SELECTING or not selections or any(one == Selection() for one in selections):
        return None
    each = call.select.each or not (call.select.order or one)
    return call.model_copy(update={"select": call.select.model_copy(update={"without": tuple(selections), "each": each})})


def _at_other_times(call: Call, left_out: Sequence[Item]) -> Call | None:
    time = call.time
    for item in left_out:
        spec = stretches.midday(time.start) if item.low in LUNCH and time and time.start else item.time
        if spec is not None:
            time = stretches.without(time, spec) if time else None
    return call.model_copy(update={"time": time}) if time else None


def _selections(clause: Clause, left_out: Sequence[Item], call: Call) -> tuple[Selection, ...]:
    """One selection for each thing that is left out."""
    domain = DOMAINS.get(call.operation.partition(".")[0])
    if domain is None:
        return ()
    found: list[Selection] = []
    group: list[Item] = []
    for item in (*left_out, None):
        if item is not None and item.low not in ("and", ",", "or"):
            group.append(item)
        elif group:
            found.append(_selection(clause, group, domain))
            group = []
    return tuple(found)


def _selection(clause: Clause, items: Sequence[Item], domain: Domain) -> Selection:
    parts = cut(clause.text, items, dictates=False)
    when = merged(parts.times)
    gathered = gather(parts, domain)
    if domain == "contact":
        as_job(gathered)
    if domain == "contact" and gathered.words and not gathered.people:
        return Selection(people=(Person(text=" ".join(gathered.words)),))
    return gathered.selection(when).model_copy(update={"each": False})
