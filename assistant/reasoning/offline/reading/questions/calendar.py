"""Questions that events answer: which, when, where, how long, how many, how far off, who is there."""

from collections.abc import Sequence

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.gathered import topic_words
from assistant.reasoning.offline.reading.nouns.persons import distinct, people_in
from assistant.reasoning.offline.reading.nouns.phrases import place_of
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.choosing import parts_of, select, update, when_of
from assistant.reasoning.offline.reading.questions.facts import EVENTS, MAILS, Facts
from assistant.reasoning.offline.reading.questions.ranking import GUESTS as THOSE_THERE
from assistant.reasoning.offline.reading.slots import Parts, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times.moments import merged

SPENDING = ("many", "much", "hours", "minutes", "time", "spend", "spent", "booked", "take", "takes", "last", "total")
COURSE = ("start", "starts", "begin", "begins", "end", "ends", "finish", "finishes", "last", "lasts", "over", "until")
"""What is asked of an event's course: "when does the call end?" """
PLACED = ("nth", "nth_last", "longest", "shortest")
"""Orders that say which one is asked about."""
OBLIGED = frozenset({"have", "need", "must", "should"})
OWED = frozenset({"do i have", "do we have", "have i got", "have we got"})
GIVING_UP = ("cancel", "move", "skip", "miss", "reschedule")
COMING = frozenset(
    "have along too sitting sits sit seeing see here supposed meant expected booked down me us with i we am do "
    "coming come comes came going attending attends attended attend invited joining joined in at there is are was were 's part "
    "else to of for the on".split()
)
GUESTS = frozenset("guests attendees participants invitees organiser organizer host".split())
AROUND_PLACE = frozenset("day days date dates away off out time times go going travelling traveling there be to over".split())
HOSTING = frozenset("organises organizes organised organized hosts hosted leads organiser organizer host".split())
LEADING = GUESTS | HOSTING | frozenset("on with in at to of attending attends attended attend joining joined".split())
"""One of these makes it a question for guests."""
PLANNED = ("on", "up", "still", "to", "come", "happening", "coming", "do", "doing", "going", "planned", "look", "like")
AROUND_DAY = frozenset(
    "thing things stuff else what "
    "on happening doing up planned coming going do have i am is 's there for me my like look does will we and left remaining still "
    "come to".split()
)
UNTIL = ("until", "till", "til", "before")
BUSY_LOOK = ("busy", "look", "looks", "looking")


def average(facts: Facts) -> Built | None:
    if not (facts.says("average") and facts.has(*EVENTS)):
        return None
    return select(facts, "event.total", "event", without=(*SPENDING, "average", "length", "duration", "long"))


def in_the_way(facts: Facts) -> Built | None:
    """ "Which meetings would I have to cancel to take Friday off?": those that stand there."""
    asks = facts.clause.head in ("which", "what") and facts.we and facts.says(*OBLIGED) and facts.says(*GIVING_UP)
    when = when_of(facts, facts.items) if asks else None
    if when is None or facts.has(*MAILS) or not (facts.has(*EVENTS) or facts.begins(*OBLIGED, "would", "do")):
        return None
    return Built("event.find", {"select": Selection(when=when, each=True)})


def how_many(facts: Facts) -> Built | None:
    """ "how many hours of meetings", "how many meetings"."""
    if facts.says("hours", "minutes", "time") and (facts.has(*EVENTS) or facts.says("spend", "spent")):
        return select(facts, "event.total", "event", without=SPENDING)
    return update(select(facts, "event.count", "event", without=("many",)), each=False) if facts.has(*EVENTS) else None


def how_many_guests(facts: Facts) -> Built | None:
    if not facts.says(*THOSE_THERE) or not facts.has(*EVENTS) or facts.has(*MAILS):
        return None
    return select(facts, "event.guests", "event", without=("many", *THOSE_THERE))


def how_often_met(facts: Facts) -> Built | None:
    return select(facts, "event.count", "event") if facts.begins("often") and facts.verb == "meet" else None


OBLIGED_THING = frozenset({"have", "to"})
"""What no event is said to do: "how long does the dough have to rest?"."""


def how_long(facts: Facts) -> Built | None:
    """ "how long is the review?"; what "how long do I have to …" asks for, no event tells."""
    obliged = facts.we and " ".join(facts.words[1:4]) in OWED
    lasting = facts.has("event", "occasion", "invitation") or not set(facts.words) >= OBLIGED_THING
    return next_one(facts, "duration") if facts.begins("long") and not facts.has(*MAILS) and not obliged and lasting else None


def how_busy(facts: Facts) -> Built | None:
    """ "how does Friday look?" """
    if not facts.times or not facts.says(*BUSY_LOOK) or facts.has(*MAILS):
        return None
    return select(facts, "event.find", "event", without=(*BUSY_LOOK, "like"))


def how_far_off(facts: Facts) -> Built | None:
    """ "how many days is it until the trade fair?", "how long till Christmas?": how far off an event or a day is."""
    words = facts.words
    if not (facts.begins("many") and facts.says("days", "weeks", "hours", "months")) and not facts.begins("long"):
        return None
    at = next((n for n, word in enumerate(words) if word in UNTIL or word.startswith("until ")), None)
    timed = next((item.time for item in facts.items if item.time is not None and item.time.kind != "duration"), None)
    edge = timed is not None and timed.start is None and timed.stop is not None
    if at is None and not edge:
        return None
    event = Facts(facts.clause, facts.items[at + 1 :] if at is not None else [])
    if all(item.kind in ("punct", "time") or item.low in lexicon().small["stop"] for item in event.items):
        return Built("event.next", {"field": "until", "time": timed}) if timed is not None else None
    event.rest = tuple(event.items)
    built = select(event, "event.next", "event")
    built.fields["field"] = "until"
    return built


def where_is(facts: Facts) -> Built | None:
    return next_one(facts, "location") if facts.has(*EVENTS) or facts.agent == "calendar" else None


def when_is(facts: Facts) -> Built | None:
    """ "when do I meet Tom?", "when is the review?" """
    asked = facts.verb == "meet" or facts.has("event", "occasion") or facts.agent == "calendar" or facts.says("meeting")
    return next_one(facts) if asked else None


def next_one(facts: Facts, field: str = "") -> Built:
    """One side of one event: the next of those described, or the last where the past is asked about."""
    built = select(facts, "event.next", "event", without=("long", "last", *COURSE))
    chosen: Selection = built.fields["select"]
    past = facts.says("last", "was", "did")
    order = {"order": "last" if past else "next", "number": 1} if chosen.order not in PLACED else {}
    update(built, **order, each=False)
    built.fields["field"] = field
    if chosen.words and facts.clause.head in ("when", "where", "what", "how") and not facts.by_me:
        built.fields["question"] = facts.clause.text.strip()
    return built


def which_day(facts: Facts) -> Built | None:
    """ "what time is the review?" """
    asked = facts.says("time", "day", "date") and (facts.has("event", "occasion") or facts.agent == "calendar")
    return next_one(facts) if asked else None


def must_be(facts: Facts) -> Built | None:
    """ "what time do I have to be at Mum's on Sunday?", "when must I leave for the fair?": the event there."""
    at = next((n for n, word in enumerate(facts.words) if word in ("be", "leave", "arrive", "get")), None)
    if not facts.says("time") or at is None or not {"i", "we"} & set(facts.words[:at]):
        return None
    there = [item for item in facts.items[at + 1 :] if item.low not in lexicon().small["stop"]]
    words = topic_words([item for item in there if item.kind not in ("time", "punct")])
    chosen = Selection(words=words, when=when_of(facts, facts.items), order="next")
    return Built("event.next", {"select": chosen}) if words else None


def which_events(facts: Facts) -> Built | None:
    """ "which meetings do I have on Friday?", "what's on tomorrow?" """
    if not facts.has(*EVENTS) and not _on_my_plate(facts):
        return None
    built = select(facts, "event.find", "event", without=PLANNED)
    if built.fields["select"].order == "next":
        built.operation = "event.next"
    return built


def _on_my_plate(facts: Facts) -> bool:
    """ "what's on tomorrow?", "what do I have on Friday?", "what's first tomorrow?", "what do I have with Felix this week?": a
    time, a place among its events or company, and nothing else."""
    parts = parts_of(facts)
    loose = [item for slot in parts.slots for item in slot.items if item.kind != "punct" and item.low not in AROUND_DAY]
    orders = [item for item in loose if lexicon().orders.at([item.low], 0)]
    placed = any(place_of(slot) for slot in parts.slots) and facts.says("happening", "on", "planned", "going", "up")
    met = facts.we and any(slot.marker == "with" and any(item.kind in PERSONAL for item in slot.items) for slot in parts.slots)
    known = [*orders, *(item for slot in parts.of("with") if met for item in slot.items)]
    return bool(parts.times or placed or (met and orders)) and not [
        item for item in loose if item not in known and (not placed or not _in_place(item, parts))
    ]


def when_there(facts: Facts) -> Built | None:
    """ "which days am I in Munich?", "when am I away in Munich?": what happens at that place."""
    slot = next((slot for slot in parts_of(facts, facts.items).slots if place_of(slot)), None)
    if not facts.we or slot is None or facts.verb in ("meet", "schedule", "send", "say") or facts.has(*EVENTS, *MAILS):
        return None
    before = {item.low for item in facts.items if item.kind == "word" and item not in slot.items}
    if before - AROUND_PLACE - lexicon().small["auxiliaries"] - lexicon().small["stop"]:
        return None
    return Built("event.find", {"select": Selection(place=place_of(slot), when=when_of(facts, facts.items), each=True)})


def where_i_am(facts: Facts) -> Built | None:
    """ "where do I have to be on Saturday?": the events of that time, with their places."""
    if not facts.we or not facts.times or not facts.says("be", "am", "go", "going") or facts.has(*EVENTS, *MAILS):
        return None
    loose = {item.low for item in facts.items if item.kind != "time"} - lexicon().small["auxiliaries"] - lexicon().small["stop"]
    return (
        Built("event.find", {"select": Selection(when=when_of(facts, facts.items), each=True)})
        if not loose - AROUND_PLACE
        else None
    )


def what_invited_to(facts: Facts) -> Built | None:
    """ "what's the next thing Kern has invited me to?": what that person organises."""
    if facts.verb != "invite" or not facts.subject or facts.has(*MAILS):
        return None
    subject = [item for item in facts.items if item.kind == "person" and item.begin >= facts.subject[0].begin]
    host = distinct(people_in(subject, "from"))
    before = facts.whole(facts.items[: next(n for n, word in enumerate(facts.words) if word.startswith("invit"))])
    orders = [order[1] for n in range(len(before.words)) if (order := lexicon().orders.at(before.words, n))]
    chosen = Selection(people=host, when=when_of(facts, facts.items), order=orders[0] if orders else "", each=not orders)
    return Built("event.next" if orders == ["next"] else "event.find", {"select": chosen})


def _in_place(item: Item, parts: Parts) -> bool:
    return any(item in slot.items for slot in parts.slots if place_of(slot))


def who_is_there(facts: Facts) -> Built | None:
    """ "who is coming to the review?", "who else is in tomorrow's call?", "who organises the hearing?", "who are the guests of
    …", "who is sitting in there with me when we go through the budget?"."""
    words = facts.words
    begin = next((n for n, word in enumerate(words) if word not in COMING | GUESTS | HOSTING | {"there"}), len(words))
    before = set(words[:begin])
    found_before = bool(facts.items) and facts.items[-1].kind == "ref"
    doing = words[begin : begin + 2] in (["when", "we"], ["when", "i"])
    thing = "thing" in words[begin:] or bool(before & {"me", "us"}) or (facts.times and bool(before & {"on", "in"}))
    asked = facts.has(*EVENTS) or facts.agent == "calendar" or found_before or doing or thing
    if not before & LEADING or begin == len(words) or (facts.by_me and not doing) or not asked or facts.has(*MAILS):
        return None
    behind = [item for item in facts.items[begin:] if item.low not in ("thing", "things")]
    parts = parts_of(facts, _done_there(behind) if doing else behind)
    chosen = gather(parts, "event").selection(merged(parts.times))
    return Built("event.guests", {"select": chosen, "field": "host" if before & HOSTING else ""})


def _done_there(items: Sequence[Item]) -> list[Item]:
    """What is spoken of in "when we go through the budget on Friday", without what is done with it."""
    verbs, words, at = lexicon().verbs, lows(items), 2
    while at < len(words) and words[at] not in lexicon().small["articles"] and items[at].kind == "word":
        at += max((size for size, _ in (*verbs.all_at(words, at), *lexicon().facts.all_at(words, at))), default=1)
    return list(items[at:])


def who_meets(facts: Facts) -> Built | None:
    """ "who am I meeting tomorrow?", "who attended the kickoff?" """
    if facts.clause.head == "who" and facts.begins("is", "'s", "was") and facts.words[-1:] == ["with"] and not facts.by_me:
        return select(facts, "event.guests", "event")
    if facts.verb not in ("meet", "attend", "invite") and not facts.has(*EVENTS) and not facts.says("meeting"):
        return None
    return select(facts, "event.find", "event", without=("meeting",) if facts.by_me or facts.we else ())
