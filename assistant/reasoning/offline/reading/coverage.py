"""What nothing took up of a request that would change something: no part of it is passed over in silence."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from assistant.reasoning.calls import Call, Selection
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.clauses import guarding, holding
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import DICTATES, Clause
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.nouns.beside import BEGINS, ENDS
from assistant.reasoning.offline.reading.nouns.persons import Named
from assistant.reasoning.offline.reading.nouns.selecting import OVERLAPS
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation

WORD = re.compile(r"\w+")
PLACE = re.compile(r"\{[a-z]+\}")
LEAVING = frozenset({"except", "excepting", "excluding"})
ALL = frozenset({"everyone", "everybody", "all", "people", "guests", "group", "team", "participants", "attendees"})
DAYS = frozenset({"day", "days"})
NAMED = frozenset({"person", "name", "address"})
COPIED = frozenset({"mail.send", "mail.forward", "mail.reply"})
NO_MESSAGE = frozenset({"why", "when", "where", "how", "what", "who", "it", "that", "this"})
"""With nothing but one of these, what a mail shall say has not been said."""
FAR_READER = 8
"""Items of a clause that names one more reader."""
ADDRESSED = frozenset({"address", "addresses", "email", "e-mail", "mail", "team", "group", "colleagues", "inbox"})
"""What stands for people when it is said to be theirs."""


def accounted(found: Parse) -> Parse:
    """The same, uncertain and with the words that found no place, where it would write."""
    call = found.call
    if call is None or not criteria.writes(call.operation) or found.reading.unread:
        return found
    left = tuple(dict.fromkeys(_whole(found.clause.text, item) for item in _left(found, call)))
    if not left:
        return found
    return Parse(
        found.clause, found.reading.model_copy(update={"unread": left, "certain": False}), found.recipients, found.thing, found.verb
    )


def _whole(text: str, item: Item) -> str:
    """The word as written, "can't" for its "n't"."""
    return (
        text[text.rfind(" ", 0, item.begin) + 1 : item.begin] + item.text
        if item.text.startswith("n") and "'" in item.text
        else item.text
    )


def _left(found: Parse, call: Call) -> Iterator[Item]:
    items = found.clause.items
    if call.operation == "template.save" or PLACE.search(found.clause.text):
        return
    ends = (dictation(items)[0], holding.held_from(items), guarding.guarded_from(items) if call.guarded else None)
    items = items[: min((end for end in ends if end is not None), default=None)]
    yield from _left_open(items, call)
    yield from _of_recipients(items, found.recipients)
    if call.operation == "mail.forward":
        yield from _only_files(items)
    yield from _shared_out(items, call)
    yield from _no_words_of_a_mail(found.clause, ends[0], call)
    if (
        (excepted := excepting.span(items))
        and items[excepted[0] - 1].low in DAYS
        and call.select.when is None
        and call.time is None
    ):
        yield from items[excepted[0] : excepted[2]]
    values = call.model_dump(exclude_defaults=True)
    said = " ".join(_texts(values)).casefold()
    words = frozenset(WORD.findall(said))
    referring = any(item.kind in ("ref", "address") for item in items)
    placed: frozenset[int] | None = None
    for at, item in enumerate(items):
        if item.kind == "time":
            taken = _timed(values) or item.low in said
        elif item.kind in NAMED:
            taken = referring or _said(item, words)
        elif item.kind == "word" and item.text and item.text[0].isalpha() and _weighs(item):
            placed = _placed(items) if placed is None else placed
            related = item.low in OVERLAPS and "overlapping" in values.get("select", {})
            related = related or (call.beside is not None and item.low in BEGINS | ENDS)
            said_so = _said(item, words) and not (item.low in lexicon().small["weighty"] and _among_people(values, item.low))
            taken = related or at in placed or said_so or (referring and at > 0 and items[at - 1].low == "'s")
        else:
            taken = True
        if not taken:
            yield item


def _left_open(items: Sequence[Item], call: Call) -> Iterator[Item]:
    """ "with Tom or Eva" where people are to get something; "on the day of the fair", a day that no time gives."""
    readers = {said.casefold() for person in call.to for said in (person.text, person.email, person.ref) if said}
    for before, item, after in zip(items, items[1:], items[2:], strict=False):
        if item.low == "or" and {before.low, after.low} <= readers:
            yield item
        if item.low in DAYS and item.kind == "word" and after.low == "of":
            yield item
    numbers = " ".join(value for field, value in call.details if field.endswith("phone")).casefold()
    yield from (item for item in items if item.kind in NAMED and item.low in numbers)


def _of_recipients(items: Sequence[Item], recipients: Sequence[Named]) -> Iterator[Item]:
    """ "Tom's boss", "Tom's private address": somebody or some address that the name alone doesn't give."""
    for named in recipients:
        inside = [item for item in items if named.begin <= item.begin < named.end]
        at = next((n for n, item in enumerate(inside) if n and item.low == "'s" and inside[n - 1].kind in NAMED), len(inside))
        if not {item.low for item in inside[at + 1 :]} <= ADDRESSED:
            yield from inside[at + 1 :]
        manner = inside[-1] if len(inside) == 2 and inside[0].kind in NAMED else None
        if manner is not None and manner.kind == "word" and manner.text.islower() and manner.low not in lexicon().known:
            yield manner


def _shared_out(items: Sequence[Item], call: Call) -> Iterator[Item]:
    """One call can't hold these: "the last mail from each of Tom and Eva", "from Tom in May or from Eva in June", "the last three
    but not the second", "whatever is there" of which nothing else is said."""
    select, words = call.select, lows(items)
    if select.order and select.number == 1 and len(select.people) > 1:
        yield from (item for item, after in pairwise(items) if item.low in ("each", "both") and after.low == "of")
    own = "".join("p" if i.kind in NAMED else "t" if i.kind == "time" else "|" if i.low in ("or", "and") else "" for i in items)
    if len(select.people) > 1 and "pt|pt" in own:
        yield next(item for item in reversed(items) if item.kind == "time")
    if select.order and select.number > 1 and any(one.order for one in select.without):
        yield from (items[excepted[0] : excepted[2]] if (excepted := excepting.span(items)) else ())
    moments = select.when.windows if select.when and not select.each else ()
    if len(moments) > 1 and all(moment.start == moment.stop for moment in moments):
        yield from (
            c for a, b, c in zip(items, items[1:], items[2:], strict=False) if (a.kind, b.low, c.kind) == ("time", "and", "time")
        )
    copied = bool(call.cc or call.bcc or select.addressed)
    if call.operation in COPIED and not copied:
        yield from (item for item in items if item.low in ("cc", "bcc"))
    if call.operation == "mail.forward":
        named = {n for n in range(1, len(items)) if items[n].kind in NAMED and words[n - 1] == "to"}
        yield from (items[n] for n, word in enumerate(words) if word == "subject" and named & {n - 2, n - 3})
    if call.operation == "event.create":
        yield from (after for before, after in pairwise(items) if after.low == "optional" and before.kind in NAMED | {"punct"})
    if (excepted := excepting.span(items)) and words[excepted[1] : excepted[2]][-2:] in (["one", "before"], ["one", "after"]):
        yield from items[excepted[0] : excepted[2]]
    if call.shift is not None:
        yield from (item for item in items if item.kind == "time" and item.low.startswith("free "))
    if select == Selection(each=True) and "there" in words:
        yield items[words.index("there")]


def _only_files(items: Sequence[Item]) -> Iterator[Item]:
    """ "only the attachment": a mail is forwarded as a whole."""
    files = {"attachment", "attachments", "file", "files", "pdf"}
    small = lexicon().small["articles"]
    for at, item in enumerate(items):
        if item.low in ("only", "just"):
            behind = next((other for other in items[at + 1 :] if other.low not in small), None)
            if behind is not None and behind.low in files:
                yield item


def _no_words_of_a_mail(clause: Clause, begin: int | None, call: Call) -> Iterator[Item]:
    """What stands among the dictated words and can't belong to them: "tell Tom on Friday that …", "… "yes" and Tom "no"", "…
    except Tom" where several are written to."""
    items, text = clause.items, clause.text
    quotes = [n for n, item in enumerate(items) if item.kind == "quote"]
    empty = bool({call.body.casefold(), call.about.casefold()} & NO_MESSAGE)
    if items and not quotes and (empty or (items[0].low == "let" and call.body.endswith(" know"))):
        yield items[-1]
    if len(quotes) > 1 and '"' in call.body:
        yield from (item for item in items[quotes[0] : quotes[-1]] if item.kind in NAMED)
    if begin is None or begin >= len(items) or not call.body:
        return
    if items[begin].kind == "time" and begin + 1 < len(items) and items[begin + 1].low == "that":
        yield items[begin]
    if (more := _further_reader(items, begin, text)) is not None:
        yield from items[more:]
        return
    several = (
        call.select.each or call.select.number > 1 or len(call.to) > 1 or any(ALL & set(item.low.split()) for item in items[:begin])
    )
    for at in range(begin + 1, len(items) - 1 if several else 0):
        if items[at].low in LEAVING and (items[at - 1].low == "," or all(item.kind in NAMED for item in items[at + 1 :])):
            yield from items[at:]
            return


def _further_reader(items: Sequence[Item], begin: int, text: str) -> int | None:
    """Where "and tell Tom too", "and let Tom know as well" closes what is dictated; not in what a reader is told "to" do."""
    words = lows(items)
    at = next((n for n in range(len(words) - 2, begin, -1) if words[n] == "and"), None)
    if at is None or words[begin] == "to" or len(words) - at > FAR_READER:
        return None
    verb = at + 1 + (words[at + 1] == "also")
    form = next((form for _, form in lexicon().verbs.all_at(words, verb) if form.base), None)
    besides = words[at + 1] == "also" or text.casefold().rstrip(" .!").endswith((" too", " also", " as well"))
    named = any(item.kind in NAMED for item in items[verb + 1 :])
    return at if named and besides and form is not None and form.verb in DICTATES else None


def _said(item: Item, words: frozenset[str]) -> bool:
    return all(word in words for word in WORD.findall(item.low))


def _among_people(value: Any, word: str) -> bool:
    """Whether a word ended up in somebody's name."""
    if isinstance(value, dict):
        return any(
            word in str(inner).casefold().split() for key, inner in value.items() if key == "text" and "kind" not in value
        ) or any(_among_people(inner, word) for inner in value.values())
    return isinstance(value, list | tuple) and any(_among_people(inner, word) for inner in value)


def _weighs(item: Item) -> bool:
    """A word that the lexicon doesn't know, or that turns around or narrows what stands beside it."""
    return item.low in lexicon().small["weighty"] or item.low not in lexicon().known


def _placed(items: Sequence[Item]) -> frozenset[int]:
    """Where phrases of the lexicon stand, with which such a word has been read."""
    lex, words = lexicon(), lows(items)
    tables = (
        lex.states, lex.exceptions, lex.from_the_end, lex.superlatives, lex.verbs, lex.conditions, lex.orders, lex.bounds,
        lex.labels, lex.multiples,
        lex.polite["openers"], lex.polite["closers"],
    )  # fmt: skip
    taken = {n for table in tables for at in range(len(items)) for size, _ in table.all_at(words, at) for n in range(at, at + size)}
    excepted = excepting.span(items)
    taken.update(range(excepted[0], excepted[1]) if excepted else ())
    taken.update(n for n in range(*(excepted[1:] if excepted else (0, 0))) if words[n] in lex.small["excepted"])
    taken -= {n for n in range(2, len(items)) if words[n] == "not" and _of_another(items, n)}
    return frozenset(taken | {n for n in range(1, len(items) - 1) if words[n] == "not" and _parts_times(items, n)})


def _of_another(items: Sequence[Item], at: int) -> bool:
    """ "… that Tom hasn't answered": what is said of somebody else is no state of the user's."""
    who = items[at - 2]
    return items[at - 1].low in lexicon().small["auxiliaries"] and (
        who.kind in NAMED or who.low in lexicon().small["pronouns_person"]
    )


def _parts_times(items: Sequence[Item], at: int) -> bool:
    """ "Monday, not Tuesday", "this week, but not on Friday"."""
    return items[at + 1].kind == "time" and any(item.kind == "time" for item in items[:at])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


TIMING = frozenset({"when", "time", "duration", "shift", "prefer", "gap", "lasting"})


def _timed(value: Any) -> bool:
    """Whether a time or a length was taken up anywhere."""
    if isinstance(value, dict):
        return bool(TIMING & value.keys()) or any(map(_timed, value.values()))
    return isinstance(value, list | tuple) and any(map(_timed, value))
