"""When somebody is free, and whether they are at some time."""

from collections.abc import Sequence
from datetime import timedelta

from assistant.reasoning.calls import Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.clauses import altering
from assistant.reasoning.offline.reading.clauses.around import spare
from assistant.reasoning.offline.reading.nouns.persons import distinct, people_in
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.choosing import parts_of
from assistant.reasoning.offline.reading.questions.facts import Facts
from assistant.reasoning.offline.reading.slots import cut
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times import openings
from assistant.reasoning.offline.reading.times.moments import duration_of, merged

A_DAY = timedelta(hours=25)
"""The longest time that whether somebody is free can be said of; an hour more for the clock change."""
MEALS = {"breakfast": (7, 9), "brunch": (10, 12), "lunch": (12, 14), "dinner": (18, 21)}
"""Hours of the day in which people eat."""
BEFORE_LENGTH = 8
"""Words of "when do Anna and Tom both have half an hour"."""
AROUND_TIME = frozenset({"any", "some", "the", "enough", "free", "i", "we", "got"})
FREE = ("free", "available")
BUSY = ("busy", "booked")


def is_free(facts: Facts) -> Built | None:
    """ "is Tom free on Friday?", "do we have time for a call?", "is Monday open?" """
    asked = facts.says(*FREE, *BUSY) and (facts.has("slot") or not facts.has("event"))
    opened = facts.says("open") and facts.times and not facts.nouns
    if (at := _held(facts.items)) is not None and (facts.says(*FREE, *BUSY) or _has_time(facts)):
        built = _free(Facts(facts.clause, facts.items[:at], facts.agent))
        built.fields["select"] = _event_at(facts, at)
        return built
    if facts.has("clash") and not facts.says(*FREE):
        return None
    return _free(facts) if _has_time(facts) or asked or opened else None


def _has_time(facts: Facts) -> bool:
    """ "does Tom have time on Friday?", "do we have any time for a call?" """
    words = [word for word in facts.words if word not in AROUND_TIME]
    return any(words[at : at + 2] in (["have", "time"], ["has", "time"]) for at in range(len(words)))


NO_EVENT = frozenset(
    "whole rest entire full remainder day time moment meantime night evening morning afternoon week weekend".split()
)


def _held(items: Sequence[Item]) -> int | None:
    """ "free at 3 | for the design review": where the event begins for which there should be time, with its own times behind it."""
    pointed = lexicon().small["possessive"] | {"the"}
    for at in range(1, len(items) - 2):
        named = items[at].low == "for" and items[at + 1].low in pointed and items[at + 2].low not in (*MEALS, *NO_EVENT)
        named = named or (items[at].low == "for" and items[at + 1].kind == "ref")
        if named and any(item.time is not None and item.time.has_time for item in items[:at]) and items[at + 2].time is None:
            return at
    return None


def _event_at(facts: Facts, at: int) -> Selection:
    parts = cut(facts.clause.text, facts.items[at + 1 :], dictates=False)
    return gather(parts, "event").selection(merged(parts.times))


def _free(facts: Facts) -> Built:
    parts = parts_of(facts, facts.items)
    people = distinct([*facts.subject, *people_in(facts.personal)])
    when = merged(parts.times)
    if people and when is not None and when.start and when.stop and when.stop - when.start > A_DAY:
        built = openings.slots(facts.clause, facts.items)
        built.fields["to"] = people
        return built
    built = Built("event.free", {"to": people, "time": _at_table(facts, when), "duration": duration_of(parts.times)})
    if facts.says(*BUSY, "unavailable") and not facts.says(*FREE):
        built.fields["question"] = "busy"
    if not parts.times:
        built.guesses.append("no time was said: now")
    return built


def _at_table(facts: Facts, when: TimeSpec | None) -> TimeSpec | None:
    """ "free for lunch tomorrow": the hours of the meal on that day."""
    meal = next((word for word in facts.words if word in MEALS), "")
    if not meal or when is None or when.has_time or when.kind != "point" or when.start is None:
        return when
    begin, end = (when.start.replace(hour=hour) for hour in MEALS[meal])
    return when.model_copy(update={"kind": "range", "start": begin, "stop": end, "has_time": True})


def clashes(facts: Facts) -> Built | None:
    return altering.clashes(facts.clause, facts.rest) if facts.has("clash") else None


def open_slots(facts: Facts) -> Built | None:
    """ "is there a slot on Monday?" """
    asked = facts.has("slot") and facts.verb not in ("say", "send", "reply")
    return openings.slots(facts.clause, facts.rest) if asked else None


def what_is_free(facts: Facts) -> Built | None:
    """ "which times are free tomorrow?", "what free hour do I have?" """
    if spare(facts.items):
        return openings.slots(facts.clause, facts.rest)
    others_words = bool(facts.subject) and facts.verb in ("say", "send")
    timed = facts.says("times", "time") and (facts.says(*FREE) or facts.verb == "meet")
    if not timed and not (facts.has("slot") and not others_words):
        return None
    return openings.slots(facts.clause, [item for item in facts.rest if item.low not in ("times", "time")])


def when_free(facts: Facts) -> Built | None:
    """ "when is Anna free?", "when can I meet Tom?", "when do Anna and Tom both have half an hour?" """
    lasting = any(item.time is not None and item.time.kind == "duration" for item in facts.items[:BEFORE_LENGTH])
    meets = facts.says("can", "could", "should") and facts.verb in ("meet", "schedule", "have")
    if not (facts.says(*FREE) or facts.has("slot") or (facts.verb == "have" and lasting) or meets):
        return None
    built = openings.slots(facts.clause, facts.rest)
    built.fields["to"] = built.fields["to"] or distinct(people_in(facts.personal))
    return built
