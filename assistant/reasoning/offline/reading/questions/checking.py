"""Yes-or-no questions and stated facts: whether there is something, who did what, and whether there are so many."""

from dataclasses import replace
from datetime import timedelta

from assistant.reasoning.calls import Bounds, Operation
from assistant.reasoning.offline.reading.clauses import filing
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.counting import altogether, bounded, compares_people
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions import availability, content, guests_answers, owing
from assistant.reasoning.offline.reading.questions.choosing import gathered, parts_of, referring, select, topic_of, update, wrote
from assistant.reasoning.offline.reading.questions.facts import (
    EVENTS,
    MAILS,
    Facts,
    Read,
    Reader,
    first,
    in_mail_state,
    tells_of_deed,
)
from assistant.reasoning.offline.reading.questions.predicates import predicated
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import PERSONAL
from assistant.reasoning.offline.reading.times.moments import merged

CHECKS: dict[str, Operation] = {
    "event.check": "event.check", "event.find": "event.check", "mail.check": "mail.check", "mail.find": "mail.check",
}  # fmt: skip
ANSWERS = {"accept": "accepted", "decline": "declined"}
SOMETHING = ("anything", "something", "plans")
SOMEWHERE = ("anywhere", "somewhere")
AROUND_PLANS = frozenset(
    "on up for me us my i have got planned going happening scheduled in at the calendar diary special else".split()
)
AROUND_COMPANY = AROUND_PLANS | frozenset({"with", "coming", "and", "soon", "still", "left"})


def fact(clause: Clause, agent: str | None = None) -> Built | None:
    """A yes-or-no question, or what a condition states; negation is the caller's."""
    if (described := predicated(clause)) is not None:
        return referring(clause, described)
    if compares_people(clause.rest):
        return None
    rest, together = altogether(clause.rest)
    if together is not None:
        return _altogether(_stated(clause, replace(clause, rest=rest), agent), together)
    rest, bounds = bounded(clause.rest)
    if bounds is None:
        return _stated(clause, clause, agent)
    return _so_many(_stated(clause, replace(clause, rest=rest), agent), bounds)


def _stated(clause: Clause, without: Clause, agent: str | None) -> Built | None:
    return referring(clause, first(KINDS, Facts(without, without.rest, agent)))


def _altogether(built: Built | None, together: tuple[timedelta, timedelta]) -> Built | None:
    if built is None or CHECKS.get(built.operation) != "event.check":
        return None
    built.operation = "event.check"
    built.fields["together"] = together
    return built


def _so_many(built: Built | None, bounds: Bounds) -> Built | None:
    """Whether so many are there; what can't be counted is not understood."""
    if built is None or built.operation not in CHECKS or built.fields.get("question") == "reply":
        return None
    built.operation = CHECKS[built.operation]
    built.fields["bounds"] = bounds
    return built


def _of_a_deed(facts: Facts) -> Read:
    return False if tells_of_deed(facts.items) else None


def _owed(facts: Facts) -> Built | None:
    asked = owing.owes_answer(facts.words) and not facts.has(*EVENTS) and not (facts.by_me and facts.verb == "reply")
    return owing.open_mails(facts) if asked else None


def _replied(facts: Facts) -> Built | None:
    return owing.replied(facts) if facts.verb == "reply" or (facts.has("reply") and not facts.has("event")) else None


def _got_on(facts: Facts) -> Built | None:
    """ "have I got anything on this Saturday?", "did I get an invitation?" ask for events; "have I got anything from Tom?" for
    mails."""
    things = facts.by_me and facts.times and facts.says(*SOMETHING, *SOMEWHERE, "much", "nothing", "lots")
    if facts.verb in ("receive", "schedule") and things and not facts.says("from", "by", "about") and not facts.has(*MAILS):
        return select(facts, "event.check", "event", without=("much", "plans", *AROUND_PLANS))
    events = facts.has("event", "occasion") and not facts.has("invitation", *MAILS)
    return select(facts, "event.check", "event") if facts.verb == "receive" and not facts.says("from") and events else None


def _wrote(facts: Facts) -> Read:
    if facts.verb not in ("send", "receive", "say"):
        return None
    of_each = len(facts.subject) > 1 and facts.says("both")
    return False if of_each else wrote(facts)


def _mail_found_before(facts: Facts) -> Read:
    if facts.nouns[:1] != ["mail"] or facts.verb not in ("", "have") or not any(item.kind == "ref" for item in facts.items):
        return None
    return content.of_a_mail(facts) or False


def _on_some_weekday(facts: Facts) -> Built | None:
    """ "is the party on a Friday?": the event, whose day answers that."""
    words, items = facts.words, facts.items
    at = next((n for n, item in enumerate(items) if item.kind == "time" and n and words[n - 1] in ("a", "an")), None)
    if at is None or facts.by_me or not facts.has(*EVENTS):
        return None
    named = Facts(facts.clause, [*items[: at - 1], *items[at + 1 :]])
    return update(select(named, "event.next", "event"), order="next", number=1, each=False)


def _attention(facts: Facts) -> Built | None:
    return select(facts, "mail.attention", "mail") if facts.has("attention") and not facts.has(*EVENTS) else None


def _event(facts: Facts) -> Built | None:
    asked = facts.verb == "meet" or (facts.verb in ("schedule", "have", "attend", "") and facts.has(*EVENTS))
    return select(facts, "event.check", "event") if asked else None


def _invited(facts: Facts) -> Read:
    """ "have I declined it?", "am I invited?"; what stands in the calendar says nothing of what somebody else answered."""
    if facts.verb not in ("accept", "decline", "invite") and not facts.has("invitation"):
        return None
    if facts.verb in ANSWERS and not facts.by_me and not facts.has("invitation"):
        return False
    built = select(facts, "event.check", "event")
    return update(built, answer=ANSWERS[facts.verb]) if facts.by_me and facts.verb in ANSWERS else built


def _mail(facts: Facts) -> Built | None:
    stateful = set(facts.nouns) <= {"attachment"} and in_mail_state(facts.words)
    return select(facts, "mail.find", "mail") if stateful or facts.has("mail", "newsletter", "draft") else None


def _contact(facts: Facts) -> Built | None:
    return filing.find(facts.clause, facts.rest) if facts.has("contact", "field") else None


def _group(facts: Facts) -> Built | None:
    return filing.group(facts.clause, facts.rest) if facts.has("group") else None


def _template(facts: Facts) -> Built | None:
    return Built("template.list") if facts.has("template") else None


def _from_somebody(facts: Facts) -> Built | None:
    """ "is there anything from the planning people that I haven't opened?": mails, whatever else is said of them."""
    if not facts.says("anything", "something", "news", "stuff") or facts.has(*EVENTS, "clash", "slot") or facts.verb == "reply":
        return None
    begin = next((n for n, item in enumerate(facts.clause.rest) if item.low not in AROUND_THERE), 0)
    parts = parts_of(facts, facts.clause.rest[begin:])
    if not parts.of("from"):
        return None
    found = gathered(parts)
    found.words[:] = [word for word in found.words if word.lower() not in ("anything", "something", "news", "stuff")]
    return Built("mail.find", {"select": found.selection(merged(parts.times))})


AROUND_THERE = frozenset("is was are were there do does did have has had got yet still already".split())


def _something(facts: Facts) -> Built | None:
    """ "is there anything from Tom?", "am I anywhere on Friday?", "is there something on Monday?" """
    parts = parts_of(facts)
    if parts.of("from") and facts.says("anything", "something", "news"):
        return select(facts, "mail.find", "mail")
    if parts.times and not facts.by_me and facts.says(*SOMEWHERE) and facts.we:
        return select(facts, "event.check", "event", without=(*SOMEWHERE, *AROUND_PLANS))
    asked = parts.times and facts.says(*SOMETHING)
    on_calendar = facts.agent == "calendar" and topic_of(parts)
    return select(facts, "event.check", "event", without=SOMETHING) if asked or on_calendar else None


KINDS: tuple[Reader, ...] = (
    guests_answers.whether,  # what a guest answered, before "accept" and "answer" are read of mails
    content.inner,  # the inner question rules over the words around it
    _of_a_deed,  # neither mail nor calendar tells of it
    _owed,  # before "answer" is read as a noun or verb
    availability.is_free,  # "free", "have time" say more than the nouns beside them
    availability.clashes,
    availability.open_slots,
    _replied,  # before any other mail
    _got_on,  # "got anything on" are events, before "got" is a mail's verb
    _wrote,
    _mail_found_before,  # a mail known by its reference is only looked at
    _on_some_weekday,  # before "a Friday" selects
    _attention,
    _event,
    _from_somebody,  # "people" are no contacts here
    content.told_by,  # "accept", "confirm" of no event
    _invited,
    _mail,
    _contact,
    _group,
    _template,
    _something,
    content.whether_told,  # last: nothing but words to search for
)


def plans(clause: Clause) -> Built | None:
    """ "anything on Friday afternoon?", "something planned for tomorrow?": a thing, a time and nothing else."""
    words = lows(clause.items)
    if not words or words[0] not in (*SOMETHING, "much"):
        return None
    facts = Facts(clause, clause.items)
    company = parts_of(facts, clause.items[1:]).of("with")
    people = [item for slot in company for item in slot.items if item.kind in PERSONAL]
    known = AROUND_COMPANY if people else AROUND_PLANS
    loose = [
        item for item in clause.items[1:] if item not in people and item.kind not in ("time", "punct") and item.low not in known
    ]
    if loose or not (facts.times or (people and len(clause.items) > len(people) + 2)):
        return None
    kept = [item for item in clause.items if item.low not in known - {"with", "and"}]
    return select(Facts(clause, kept), "event.check", "event", without=("much", "plans"))
