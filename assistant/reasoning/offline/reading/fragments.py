"""A noun phrase alone looks things up; with people and a length, or with a time to come, it asks for a meeting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses import arranging, cards
from assistant.reasoning.offline.reading.clauses.around import object_items, spare
from assistant.reasoning.offline.reading.frames import Clause, unknown_verb
from assistant.reasoning.offline.reading.imperatives import build
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions import checking, content, owing
from assistant.reasoning.offline.reading.questions.facts import Facts
from assistant.reasoning.offline.reading.questions.ranking import ranking
from assistant.reasoning.offline.reading.slots import lows, noun_of
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times import openings
from assistant.reasoning.offline.reading.times.stretches import whole_days
from assistant.values import AgentName

SCHEDULE = Form("create", "schedule", True)
NOTE = Form("add", "add", True)
CHANGE = Form("change", "change", True)
FIND = Form("find", "find", True)
MEETING = ("event", "occasion")
BESIDE_NOUNS = frozenset({"new", "open", "set", "clear"})
"""Verbs that may describe a noun as well."""


@dataclass(frozen=True)
class Phrase:
    """A clause that is but a noun phrase, with its head noun's class."""

    clause: Clause
    noun: str
    agent: AgentName | None

    @property
    def items(self) -> Sequence[Item]:
        return self.clause.items

    @property
    def words(self) -> list[str]:
        return lows(self.clause.items)

    def holds(self, *kinds: str) -> bool:
        return any(item.kind in kinds for item in self.items)


def fragment(found: Clause, agent: AgentName | None) -> Built | None:
    if ranked := ranking(found, found.items, agent):
        return ranked
    if (plans := checking.plans(found)) is not None:
        return plans
    if agent in (None, "calendar") and _notes_down(found):
        return arranging.create(found, NOTE, found.items)
    valued = content.value(found, found.items) if agent in (None, "email") else None
    if valued is not None or _tells(found.items):
        return valued
    noun = noun_of(object_items(found.items) or found.items)[0] or noun_of(found.items)[0]
    phrase = Phrase(found, noun, agent)
    read = next((built for reader in READERS if (built := reader(phrase)) is not None), None)
    return read or None


def _meeting_of(phrase: Phrase) -> Built | None:
    """ "30 minutes with Tom"."""
    lasting = any(item.time is not None and item.time.kind == "duration" for item in phrase.items)
    meeting = lasting and phrase.noun in ("", *MEETING) and not spare(phrase.items)
    asked = meeting and phrase.holds(*PERSONAL) and not _asks_help(phrase.items)
    return arranging.create(phrase.clause, SCHEDULE, phrase.items) if asked else None


def _appointment(phrase: Phrase) -> Built | None:
    asked = phrase.agent is None and phrase.noun in MEETING and _appoints(phrase.clause)
    return arranging.create(phrase.clause, SCHEDULE, phrase.items) if asked else None


def _spare_time(phrase: Phrase) -> Built | None:
    return openings.slots(phrase.clause, phrase.items) if spare(phrase.items) else None


def _new_value(phrase: Phrase) -> Built | None:
    """ "Tom's number +49 30 1234567"."""
    closes = phrase.items[-1].kind in ("phone", "address")
    told = closes and phrase.noun == "field" and phrase.holds("person", "name")
    return cards.update(phrase.clause, CHANGE, phrase.items) if told else None


def _of_card(phrase: Phrase) -> Built | None:
    """ "Tom email": what of somebody's card is asked for."""
    *owner, field = phrase.items
    asked = bool(owner) and field.low in ("email", "e-mail") and all(item.kind == "person" for item in owner)
    return build(phrase.clause, FIND, phrase.items, "contact.find") if asked else None


def _replies(phrase: Phrase) -> Built | None:
    """ "any replies from Tom?" """
    asked = phrase.noun == "reply" and phrase.words[0] in ("any", "no") and not phrase.clause.negated
    return owing.replied(Facts(phrase.clause, phrase.items[1:])) if asked else None


def _free_then(phrase: Phrase) -> Built | Literal[False] | None:
    """ "free on Friday?" """
    if phrase.noun or phrase.items[0].low not in lexicon().small["free"] or not phrase.holds("time"):
        return None
    return checking.fact(replace(phrase.clause, rest=tuple(phrase.items)), phrase.agent) or False


def _owed(phrase: Phrase) -> Built | None:
    """ "emails I still have to answer"."""
    asked = owing.owes_answer(phrase.words) and phrase.noun not in (*MEETING, "invitation")
    return owing.open_mails(Facts(phrase.clause, phrase.items)) if asked else None


def _unanswered(phrase: Phrase) -> Built | None:
    return Built("mail.unanswered") if not phrase.noun and "unanswered" in phrase.words else None


def _looked_up(phrase: Phrase) -> Built | None:
    operation = lexicon().operations.get(("find", phrase.noun), "") if phrase.noun else ""
    if not operation and phrase.agent == "calendar" and not phrase.noun and _only_time(phrase.items):
        operation = "event.find"
    if not operation and _states_only(phrase.items):
        operation = "mail.find"
    if operation == "mail.find" and "unanswered" in phrase.words:
        operation = "mail.unanswered"
    if not operation:
        return None
    built = build(phrase.clause, FIND, phrase.items, operation)
    chosen = built.fields.get("select")
    if built.operation == "event.find" and chosen is not None and chosen.order == "next":
        built.operation = "event.next"
    return built


Reader = Callable[[Phrase], Built | Literal[False] | None]


def _value(phrase: Phrase) -> Built | None:
    """ "permit reference number again?" """
    of_card = phrase.noun == "field" and phrase.holds("person", "name")
    return content.value(phrase.clause, phrase.items) if phrase.agent in (None, "email") and not of_card else None


def _first_then(phrase: Phrase) -> Built | None:
    """ "first thing on Friday?", "last one tomorrow": one among the events of a time."""
    lex, words = lexicon(), phrase.words
    if len(phrase.items) == 1 and phrase.items[0].low.startswith("first thing") and phrase.items[0].time is not None:
        return Built("event.find", {"select": Selection(when=whole_days(phrase.items[0].time), order="first")})
    order = lex.orders.at(words, 0) or lex.orders.at(words, 1)
    bare = all(
        (item.time is not None and item.time.kind != "duration") or item.low in AROUND_FIRST or lex.orders.at([item.low], 0)
        for item in phrase.items
    )
    if not order or not bare or not phrase.holds("time"):
        return None
    return build(phrase.clause, FIND, phrase.items, "event.find")


def _asked_last(phrase: Phrase) -> Built | None:
    """ "due when in that mail?": the question word stands behind."""
    asks = any(word in lexicon().small["wh"] for word in phrase.words) and phrase.holds("ref")
    return content.answer(Facts(phrase.clause, phrase.items)) if asks else None


AROUND_FIRST = frozenset("thing things one the my on up in of at for , ?".split())
READERS: tuple[Reader, ...] = (
    _first_then,
    _asked_last,
    _meeting_of,
    _appointment,
    _spare_time,
    _new_value,
    _of_card,
    _replies,
    _free_then,
    _owed,
    _unanswered,
    _looked_up,
)


def _only_time(items: Sequence[Item]) -> bool:
    return all(item.kind == "time" or item.low in lexicon().small["stop"] for item in items)


def _asks_help(items: Sequence[Item]) -> bool:
    """ "they need …, help them find …": more than who meets for how long."""
    words, lex = lows(items), lexicon()
    return any(
        items[at].kind == "word" and lex.nouns.at(words, at) is None and any(form.base for _, form in lex.verbs.all_at(words, at))
        for at in range(len(items))
    ) or bool({"need", "needs", "want", "wants", "help"} & set(words))


def _appoints(found: Clause) -> bool:
    """ "Lunch with Zoe on Tuesday from 12:30 to 13:30": a thing nobody calls "my" or "the", at one time of day to come."""
    lex, words = lexicon(), lows(found.items)
    words = words[1:] if words[:1] in (["another"], ["an"], ["a"]) else words
    specs = [item.time for item in found.items if item.time is not None and item.time.kind != "duration"]
    if len(specs) != 1 or found.text.rstrip().endswith("?") or found.now is None:
        return False
    (spec,) = specs
    ahead = spec.start is not None and spec.start > found.now
    dated = ahead and spec.kind in ("point", "range") and spec.has_date and spec.has_time
    if not dated or words[0] in ("free", "busy") or any(item.kind == "ref" for item in found.items):
        return False
    plural = any((noun := lex.nouns.at(words, at)) and noun[1][1] for at in range(len(words)))
    picked = any(word in lex.small["articles"] | lex.small["each"] | {"my", "our", "any", "'s"} for word in words)
    return not plural and not picked and not any(lex.orders.at(words, at) or lex.states.at(words, at) for at in range(len(words)))


LONGEST = 6
"""Words of a thing that is noted down for the calendar."""


def _notes_down(found: Clause) -> bool:
    """ "Piano tuner, Tuesday 4 to 5", "tomorrow at 9 chimney sweep": a thing of no kind that could be looked up, and its full
    time to come."""
    lex = lexicon()
    lead = [item for item in found.items if item.time is None and item.kind != "punct"]
    words = lows(lead)
    if not 0 < len(lead) <= LONGEST or not _has_one_time(found) or lead[0].kind not in ("word", "name"):
        return False
    nouns = {noun[1][0] for at in range(len(words)) if (noun := lex.nouns.at(words, at))}
    small = lex.small
    others = small["doubting"] | small["not_planned"] | small["auxiliaries"] | small["wh"] | small["free"] | small["busy"]
    points = words[0] in small["articles"] | small["each"] or any(word in small["me"] or word == "'s" for word in words)
    if nouns - {"occasion"} or points or others & set(words) or any(item.kind in ("ref", "address", "phone") for item in lead):
        return False
    known = (table.at(words, at) for at in range(len(words)) for table in (lex.states, lex.folders, lex.superlatives))
    return not any(known) and any(item.kind in ("word", "name") and item.low not in small["stop"] for item in lead)


def _has_one_time(found: Clause) -> bool:
    """A day and an hour to come, all the times of the clause standing together at its beginning or end."""
    specs = [item.time for item in found.items if item.time is not None]
    moments = [spec for spec in specs if spec.kind != "duration"]
    if len(moments) != 1 or "?" in found.text or found.now is None:
        return False
    (spec,) = moments
    timed = [item.time is not None for item in found.items if item.kind != "punct" and item.low not in ("for", "again")]
    together = timed == sorted(timed) or timed == sorted(timed, reverse=True)
    dated = spec.kind in ("point", "range") and spec.has_date and spec.has_time
    return together and dated and spec.start is not None and spec.start > found.now


def _tells(items: Sequence[Item]) -> bool:
    """A verb or question word inside, outside of "that …" and "I …": not just a noun phrase."""
    words, lex = lows(items), lexicon()
    if unknown_verb(items):
        return True
    for at, word in enumerate(words):
        if at and (word in ("that", "which", "who", "i", "we", "where") or items[at].kind == "person"):
            return False
        known = any(table.at(words, at) for table in (lex.nouns, lex.states, lex.markers, lex.folders))
        named = at + 1 == len(items) and word.endswith("ing") and items[at - 1].kind == "word"  # "from city planning"
        if items[at].kind != "word" or known or (at and named):
            continue
        if word in lex.small["wh"] or lex.facts.at(words, at) or (lex.verbs.at(words, at) and word not in BESIDE_NOUNS):
            return True
    return False


def _states_only(items: Sequence[Item]) -> bool:
    words = lows(items)
    return any((match := lexicon().states.at(words, at)) and match[1][0] in ("unread", "flagged") for at in range(len(items)))
