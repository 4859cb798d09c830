"""Questions that begin with what, when, who, where, which, how many, how long."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from assistant.reasoning.calls import Operation, Person, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.clauses import arranging, filing
from assistant.reasoning.offline.reading.clauses.facts import (
    EVENTS,
    MAILS,
    Facts,
    deed_in,
    in_mail_state,
    open_mails,
    owes_answer,
    persons,
    referring,
    select,
    wrote,
)
from assistant.reasoning.offline.reading.clauses.particulars import filed_as, how_far_off, part_of_it
from assistant.reasoning.offline.reading.clauses.special import spare
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.nouns.ranking import GUESTS as THOSE_THERE
from assistant.reasoning.offline.reading.nouns.ranking import ranking
from assistant.reasoning.offline.reading.nouns.selecting import gather, place_of, topic_words
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import Parts, cut
from assistant.reasoning.offline.reading.times import openings
from assistant.reasoning.offline.reading.times.moments import merged

AWAITING = ("need", "needs", "require", "await", "want")


def wh(clause: Clause, agent: str | None = None) -> Built | None:
    """What, when, who, where, which, how many, how long."""
    return referring(clause, _wh(replace(clause, rest=_last_said(clause.rest)), agent))


def _last_said(items: Sequence[Item]) -> tuple[Item, ...]:
    """ "most recently" as "last"."""
    at = next((n for n in range(1, len(items)) if (items[n - 1].low, items[n].low) == ("most", "recently")), None)
    if at is None:
        return tuple(items)
    return (*items[: at - 1], replace(items[at], text="last", low="last", begin=items[at - 1].begin), *items[at + 1 :])


def _wh(clause: Clause, agent: str | None = None) -> Built | None:
    items = [item for item in clause.rest if item.low != "else"]
    facts = Facts(clause, items)
    head = clause.head
    if head in ("what", "who", "which", "when") and (built := part_of_it(facts)):
        return built
    if head != "how" and (ranked := ranking(clause, items, agent)):
        return ranked
    if clause.negated and (built := _left_undone(facts)):
        return built
    if facts.has(*EVENTS) and not facts.has("mail", "newsletter") and owes_answer([item.low for item in clause.rest]):
        return _open_invitations(facts)
    if head in ("which", "what", "who", "whom") and not facts.subject and owes_answer([clause.head, *(i.low for i in clause.rest)]):
        return unanswered(facts)
    if filed := filed_as(facts):
        return filed
    if clause.negated and head in ("who", "which") and facts.verb == "send" and not facts.by_me:
        return None  # who has not written is nobody that a search for mails would find
    if facts.says("average") and facts.has(*EVENTS):
        return select(facts, "event.total", "event", without=(*SPENDING, "average", "length", "duration", "long"))
    if head in ("which", "what") and (standing := _in_the_way(facts)):
        return standing
    if deed_in(facts.items):
        return answer(facts) if facts.subject or head in ("who", "what", "which", "why") else None
    if head == "how" and (until := how_far_off(facts)):
        return until
    if head == "how" and facts.words[:1] in (["many"], ["much"]):
        return _how_many(facts)
    if head == "how" and facts.words[:1] == ["often"] and facts.verb in ("meet", "send", "reply"):
        return select(facts, "event.count", "event") if facts.verb == "meet" else _how_many(facts)
    if head == "who" or head == "whom":
        return _who(facts, agent)
    if (head == "when" or (head == "where" and facts.verb == "schedule")) and (built := _when(facts, agent)):
        return built
    if head in ("what", "which") and (built := _what(facts, agent)):
        return built
    if head == "whose" and facts.has("field"):
        return filing.find(clause, facts.rest)
    if head == "where" and (facts.has(*EVENTS) or agent == "calendar"):
        return _next(facts, "location")
    if head == "how" and facts.words[:1] == ["long"] and not facts.has(*MAILS):
        return _next(facts, "duration")
    if head == "how" and facts.times and facts.says("busy", "look", "looks", "looking") and not facts.has(*MAILS):
        return select(facts, "event.find", "event", without=("busy", "look", "looks", "looking", "like"))
    return answer(facts)


READING = frozenset({"read", "open", "opened", "seen", "looked", "at"})


def _left_undone(facts: Facts) -> Built | None:
    """ "which of Lena's mails have I not answered?", "how many mails from Omar haven't I read?"; None for any mail at all where
    an answer is owed."""
    answers = owes_answer([item.low for item in facts.clause.rest])
    mine = facts.by_me or bool({"i", "we"} & set(facts.words))
    if not (facts.has("mail") or answers is False) or not (answers or (mine and facts.says(*READING - {"at"}))):
        return None
    done = {"many", "not", "yet", "still", "so", "far"} | (set() if answers else READING)
    around = lexicon().small["me"] | lexicon().small["auxiliaries"] | done
    items = [item for item in facts.items if item.low not in around and not lexicon().facts.at([item.low], 0)]
    parts = cut(facts.clause.text, items, dictates=False)
    found = gather(parts, "mail")
    if answers and not (found.people or found.words):
        return None
    if not answers and facts.has(*EVENTS):
        return None
    found.select["unanswered" if answers else "unread"] = True
    operation: Operation = "mail.count" if facts.clause.head == "how" else "mail.find"
    return Built(operation, {"select": found.selection(merged(parts.times))})


OBLIGED = frozenset({"have", "need", "must", "should"})


def _in_the_way(facts: Facts) -> Built | None:
    """ "Which meetings would I have to cancel to take Friday off?": those that stand there."""
    words = facts.words
    if not (OBLIGED & set(words) and {"i", "we"} & set(words) and {"cancel", "move", "skip", "miss", "reschedule"} & set(words)):
        return None
    when = merged(cut(facts.clause.text, facts.items, dictates=False).times)
    if when is None or facts.has(*MAILS) or not (facts.has(*EVENTS) or words[0] in OBLIGED | {"would", "do"}):
        return None
    return Built("event.find", {"select": Selection(when=when, each=True)})


def _open_invitations(facts: Facts) -> Built:
    """ "which invitations haven't I answered?" """
    parts = cut(facts.clause.text, facts.rest, dictates=False)
    return Built("event.find", {"select": Selection(when=merged(parts.times), unanswered=True, each=True)})


def unanswered(facts: Facts) -> Built:
    built = Built("mail.unanswered")
    built.fields["select"] = Selection(when=merged(cut(facts.clause.text, facts.rest, dictates=False).times))
    return built


def _how_many(facts: Facts) -> Built | None:
    if facts.says(*THOSE_THERE) and facts.has(*EVENTS) and not facts.has(*MAILS):
        return select(facts, "event.guests", "event", without=("many", *THOSE_THERE))
    mails = facts.has(*MAILS) or (not facts.nouns and in_mail_state(facts.words))
    if facts.verb == "send" or facts.verb == "receive" or (mails and not facts.has(*EVENTS)):
        built = _wrote_or_select(facts)
        built.operation = "mail.count"
        return built
    if facts.has("clash"):
        return arranging.clashes(facts.clause, facts.rest)
    if facts.says("hours", "minutes", "time") and (facts.has(*EVENTS) or facts.says("spend", "spent")):
        return select(facts, "event.total", "event", without=SPENDING)
    if facts.has(*EVENTS):
        built = select(facts, "event.count", "event", without=("many",))
        built.fields["select"] = built.fields["select"].model_copy(update={"each": False})
        return built
    if facts.has("contact"):
        built = filing.find(facts.clause, [item for item in facts.rest if item.low not in ("many", "do", "i", "have")])
        built.operation = "contact.count"
        built.fields.pop("field", None)
        return built
    return answer(facts)


SPENDING = ("many", "much", "hours", "minutes", "time", "spend", "spent", "booked", "take", "takes", "last", "total")
AROUND_COUNT = frozenset("many much did do does have has i me there are is get got how times often".split())


def _wrote_or_select(facts: Facts) -> Built:
    """Mails counted by what was done with them ("did Tom send") or by what they are ("unread mails from Tom")."""
    said = facts.words
    objects = [item for n, item in enumerate(facts.items) if item.low not in AROUND_COUNT or said[n - 1 : n + 1] == ["to", "me"]]
    parts = cut(facts.clause.text, [item for item in objects if not _is_verb(item, facts)], dictates=False)
    outgoing = facts.by_me and facts.verb == "send"
    found = gather(Parts(list(parts.slots)), "mail")
    if outgoing:
        found.people[:] = [Named(named.person.model_copy(update={"role": "to"}), named.begin, named.end) for named in found.people]
        if not found.people:
            found.select["folder"] = "Sent"
    if facts.by_me and facts.verb == "receive":
        found.select.setdefault("folder", "Received")
    found.select.pop("each", None)
    built = Built("mail.count")
    built.fields["select"] = found.selection(merged(parts.times))
    return built


def _is_verb(item: Item, facts: Facts) -> bool:
    match = lexicon().facts.at([item.low], 0) if item.kind == "word" else None
    return (
        match is not None
        and match[1].verb in ("send", "receive", "have")
        and item.low not in ("email", "mail", "message", "emails", "mails", "messages")
    )


def _between(facts: Facts, agent: str | None) -> Built | None:
    """ "who wrote to me last, Tom or Anna?": of the two; None where nobody is named to choose between."""
    items = facts.clause.rest
    begin = next((n for n, item in enumerate(items) if n and item.low == "," and _chosen_between(items[n + 1 :])), None)
    if begin is None:
        return None
    built = _wh(replace(facts.clause, rest=tuple(items[:begin])), agent)
    if built is None or built.operation != "mail.find" or built.fields.get("select", Selection()).people:
        return None
    people = tuple(Person(text=item.text, role="from") for item in items[begin:] if item.kind in PERSONAL)
    built.fields["select"] = built.fields.get("select", Selection()).model_copy(update={"people": people})
    return built


PERSONAL = frozenset({"person", "name", "address", "ref"})


def _chosen_between(items: Sequence[Item]) -> bool:
    named = sum(item.kind in PERSONAL for item in items)
    return named > 1 and all(item.kind in PERSONAL or item.low in ("or", ",", "?") for item in items)


def _who(facts: Facts, agent: str | None) -> Built | None:
    if (between := _between(facts, agent)) is not None:
        return between
    if facts.verb == "reply" or (facts.says("answered", "replied") and True):
        built = Built("mail.unanswered")
        parts = cut(facts.clause.text, facts.rest, dictates=False)
        mine = facts.by_me or facts.says("i", "we")
        built.fields["field"] = "" if mine else "them"
        built.fields["select"] = Selection(when=merged(parts.times))
        return built
    if guests := _guests(facts, agent):
        return guests
    if {"no", "without"} & {item.low for item in facts.clause.rest} and filing.field_in(facts.items):
        return filing.find(facts.clause, [item for item in facts.clause.rest if item.low not in lexicon().small["auxiliaries"]])
    if _member_of(facts) or (facts.has("group") and not facts.has(*EVENTS, "mail")):
        return filing.group(facts.clause, facts.rest)
    if facts.verb in ("send", "receive") or facts.has(*MAILS):
        return wrote(facts, "mail.find") if facts.form else select(facts, "mail.find", "mail")
    if facts.verb == "say" and not facts.by_me and topic_words(facts.rest):
        return _who_said(facts)
    if facts.verb in ("meet", "attend", "invite") or facts.has(*EVENTS) or facts.says("meeting"):
        return select(facts, "event.find", "event", without=("meeting",) if facts.by_me or facts.says("i", "we") else ())
    words = facts.words
    if any(word in ("works", "work", "working", "know") for word in words):
        return _contacts_at(facts)
    if words[:1] and words[0] in ("is", "'s", "are", "was"):
        return filing.find(facts.clause, facts.rest)
    return answer(facts)


COMING = frozenset(
    (
        "coming come comes came going attending attends attended attend invited joining joined in at there is are was were "
        "'s part else to of for the"
    ).split()
)
GUESTS = frozenset("guests attendees participants invitees organiser organizer host".split())
HOSTING = frozenset("organises organizes organised organized hosts hosted leads organiser organizer host".split())


def _guests(facts: Facts, agent: str | None) -> Built | None:
    """ "who is coming to the review?", "who else is in tomorrow's call?", "who organises the hearing?", "who are the guests of
    …"."""
    words = facts.words
    begin = next((n for n, word in enumerate(words) if word not in COMING | GUESTS | HOSTING), len(words))
    before = set(words[:begin])
    leads = before & (
        GUESTS | HOSTING | {"in", "at", "to", "of", "attending", "attends", "attended", "attend", "joining", "joined"}
    )
    found_before = bool(facts.items) and facts.items[-1].kind == "ref"
    if not leads or begin == len(words) or facts.by_me or not (facts.has(*EVENTS) or agent == "calendar" or found_before):
        return None
    built = Built("event.guests")
    parts = cut(facts.clause.text, facts.items[begin:], dictates=False)
    built.fields["select"] = gather(parts, "event").selection(merged(parts.times))
    built.fields["field"] = "host" if before & HOSTING else ""
    return built


def _who_said(facts: Facts) -> Built:
    """ "who wants a decision from me?", "who asked about the windows?": whoever wrote the mails about that."""
    parts = cut(
        facts.clause.text, [item for item in facts.rest if item.low not in (*lexicon().small["me"], "from")], dictates=False
    )
    found = gather(Parts(list(parts.slots)), "mail")
    found.select.pop("each", None)
    return Built("mail.find", {"select": found.selection(merged(parts.times))})


def _member_of(facts: Facts) -> bool:
    """ "who is in …", "who belongs to …", "who are the members of …"."""
    if facts.has(*EVENTS, "mail", "contact"):
        return False
    return facts.says("belongs", "belong", "member", "members") or (
        facts.says("is", "are", "'s", "was") and facts.words[1:2] in (["in"], ["on"])
    )


WORKING = ("works", "work", "working", "at", "for", "in", "know", "from", "who", "everyone", "everybody", "all", "people")


def _contacts_at(facts: Facts) -> Built:
    built = Built("contact.find")
    items = [item for item in facts.items if item.low not in (*WORKING, *lexicon().small["auxiliaries"], *lexicon().small["me"])]
    built.fields["select"] = Selection(company=" ".join(topic_words(items)))
    return built


BEFORE_LENGTH = 8
"""Words of "when do Anna and Tom both have half an hour"."""


def _when(facts: Facts, agent: str | None) -> Built | None:
    if (
        facts.says("free", "available")
        or facts.has("slot")
        or (
            facts.verb == "have"
            and any(item.time is not None and item.time.kind == "duration" for item in facts.items[:BEFORE_LENGTH])
        )
        or (facts.says("can", "could", "should") and facts.verb in ("meet", "schedule", "have"))
    ):
        built = openings.slots(facts.clause, facts.rest)
        if not built.fields["to"]:
            people = people_in(
                [item for item in facts.items if item.kind in ("person", "name", "address", "ref") or item.low in ("and", ",")]
            )
            built.fields["to"] = persons(people)
        return built
    if facts.verb == "meet":
        return _next(facts)
    if facts.verb in ("send", "reply", "say") and not facts.has("event"):
        built = wrote(facts, "mail.find")
        _last(built)
        return built
    if facts.has("event", "occasion") or agent == "calendar" or facts.says("meeting"):
        return _next(facts)
    if filing.field_in(facts.rest) == "birthday":
        return filing.find(facts.clause, facts.rest)
    return None


A_DAY = timedelta(hours=25)


def _over_time(chosen: Selection) -> bool:
    """ "what has she sent since Monday?": all that came in a stretch of time, where nothing else says which."""
    when = chosen.when
    if chosen.order or when is None or when.kind != "range" or when.start is None:
        return False
    return when.stop is None or when.stop - when.start > A_DAY


def _last(built: Built, number: int = 1) -> None:
    chosen: Selection = built.fields["select"]
    if not chosen.order:
        built.fields["select"] = chosen.model_copy(update={"order": "last", "number": number})


COURSE = ("start", "starts", "begin", "begins", "end", "ends", "finish", "finishes", "last", "lasts", "over", "until")
"""What is asked of an event's course: "when does the call end?" """


PLACED = ("nth", "nth_last", "longest", "shortest")
"""Orders that say which one is asked about."""


def _next(facts: Facts, field: str = "") -> Built:
    built = select(facts, "event.next", "event", without=("long", "last", *COURSE))
    chosen: Selection = built.fields["select"]
    past = facts.says("last", "was", "did")
    order = {"order": "last" if past else "next", "number": 1} if chosen.order not in PLACED else {}
    built.fields["select"] = chosen.model_copy(update={**order, "each": False})
    built.fields["field"] = field
    if chosen.words and facts.clause.head in ("when", "where", "what", "how") and not facts.by_me:
        built.fields["question"] = facts.clause.text.strip()
    return built


def _what(facts: Facts, agent: str | None) -> Built | None:
    if spare(facts.items):
        return openings.slots(facts.clause, facts.rest)
    others_words = bool(facts.subject) and facts.verb in ("say", "send")
    if (facts.says("times", "time") and (facts.says("free", "available") or facts.verb == "meet")) or (
        facts.has("slot") and not others_words
    ):
        return openings.slots(facts.clause, [item for item in facts.rest if item.low not in ("times", "time")])
    if facts.has("attention") and not facts.has(*EVENTS):
        return _attention(facts)
    if facts.has("clash"):
        return arranging.clashes(facts.clause, facts.rest)
    if facts.has("mail") and facts.has("reply") and facts.says(*AWAITING):
        return select(facts, "mail.unanswered", "mail", without=(*AWAITING, "answer", "reply"))
    if latest := _latest_from(facts):
        return latest
    if (
        not facts.nouns
        and facts.words[:1] in (["'s"], ["is"])
        and any(lexicon().folders.at(facts.words, n) for n in range(len(facts.words)))
    ):
        return select(facts, "mail.find", "mail")
    if not facts.nouns and facts.says("unanswered"):
        return open_mails(facts)
    if not facts.nouns and in_mail_state(facts.words):
        return select(facts, "mail.find", "mail", without=("still", "yet"))
    if facts.says("came", "arrived") and not facts.nouns:
        return select(facts, "mail.find", "mail", without=("came", "arrived", "in", "up"))
    if facts.says("time") and (due := _must_be(facts)) is not None:
        return due
    if (told := _told_in(facts)) is not None:
        return told
    if facts.verb in ("send", "reply") and facts.by_me and not facts.has(*EVENTS, "field", "template"):
        return wrote(facts, "mail.find")
    if facts.verb in ("say", "send") and (facts.subject or not facts.by_me) and (facts.subject or facts.has("mail")):
        built = wrote(facts, "mail.read")
        if built.fields["select"].each or (not facts.subject and _which_mails(facts)):
            built.operation = "mail.find"
        elif _over_time(built.fields["select"]):
            built.operation, built.fields["select"] = "mail.find", built.fields["select"].model_copy(update={"each": True})
        else:
            _last(built)
        return built
    if _on_a_card(facts) and any(item.kind in ("person", "name", "ref") or item.low == "'s" for item in facts.items[1:]):
        return filing.find(facts.clause, [item for item in facts.rest if item.low != "'s" or item.begin > facts.items[0].end])
    if facts.says("email", "mail", "e-mail") and filing.field_in(facts.rest) == "email" and _owned(facts):
        return filing.find(facts.clause, facts.rest)
    if facts.has("mail", "newsletter", "draft", "reply") and not facts.has("template"):
        whole = _about_its_subject(facts)
        built = select(whole, "mail.find", "mail")
        if whole is not facts:
            built.fields["select"] = built.fields["select"].model_copy(update={"each": False})
        chosen: Selection = built.fields["select"]
        if chosen.order and not facts.says("which"):
            built.operation = "mail.read"
        return built
    if facts.has("template"):
        return Built("template.list")
    time_of = facts.says("time", "day", "date") and (facts.has("event", "occasion") or agent == "calendar")
    if time_of:
        return _next(facts)
    if facts.has(*EVENTS) or _on_my_plate(facts):
        built = select(
            facts,
            "event.find",
            "event",
            without=("on", "up", "still", "to", "come", "happening", "coming", "do", "doing", "going", "planned", "look", "like"),
        )
        chosen = built.fields["select"]
        if chosen.order == "next":
            built.operation = "event.next"
        return built
    if facts.has("contact"):
        return filing.find(facts.clause, facts.rest)
    return None


def _which_mails(facts: Facts) -> bool:
    """ "which emails mention the form?": several are asked for, by what they say."""
    nouns = (lexicon().nouns.at(facts.words, n) for n in range(min(len(facts.words), 4)))
    return any(noun is not None and noun[1][0] == "mail" and noun[1][1] for noun in nouns)


def _must_be(facts: Facts) -> Built | None:
    """ "what time do I have to be at Mum's on Sunday?", "when must I leave for the fair?": the event there."""
    at = next((n for n, word in enumerate(facts.words) if word in ("be", "leave", "arrive", "get")), None)
    must = at is not None and bool({"i", "we"} & set(facts.words[:at]))
    if not must or at is None:
        return None
    there = [item for item in facts.items[at + 1 :] if item.low not in lexicon().small["stop"]]
    words = topic_words([item for item in there if item.kind not in ("time", "punct")])
    when = merged(cut(facts.clause.text, facts.items, dictates=False).times)
    return Built("event.next", {"select": Selection(words=words, when=when, order="next")}) if words else None


def _told_in(facts: Facts) -> Built | None:
    """ "what does the latest mail from Helena say?": the mail that is spoken of."""
    before = facts.items[: len(facts.items) - len(facts.rest) - 1] if facts.verb == "say" else []
    spoken = Facts(facts.clause, [item for item in before if item.low not in lexicon().small["auxiliaries"]])
    if not spoken.has("mail", "newsletter") or facts.rest:
        return None
    built = select(spoken, "mail.read", "mail")
    built.operation = "mail.find" if built.fields["select"].each else "mail.read"
    return built


def _latest_from(facts: Facts) -> Built | None:
    """ "what's the latest from Claire?": the newest mail; "what's new?": the unread ones."""
    if facts.has(*EVENTS, *MAILS, "contact", "field"):
        return None
    if [word for word in facts.words if word not in ("'s", "is", "there", "anything")] == ["new"]:
        return Built("mail.find", {"select": Selection(unread=True, each=True)})
    people = [item for item in facts.rest if item.kind in ("person", "name", "address")]
    if not people or not facts.says("from") or not facts.says("latest", "newest"):
        return None
    return Built("mail.read", {"select": Selection(people=persons(people_in(people, "from")), order="last")})


def _about_its_subject(facts: Facts) -> Facts:
    """ "which of my unread emails have an attachment?": what stands before the verb selects too."""
    if facts.verb != "have" or facts.by_me or facts.form is None:
        return facts
    whole = Facts(facts.clause, facts.items)
    whole.rest = tuple(item for item in facts.items if item.low not in ("have", "has", "had", "of"))
    whole.subject = ()
    return whole


def _on_a_card(facts: Facts) -> bool:
    """ "Yuki's mobile number"; not "the tracking number", nor "the number of Yuki's parcel", which only a mail can tell."""
    if not facts.has("field"):
        return False
    items, words = facts.items, facts.words
    stop, nouns = lexicon().small["stop"] | lexicon().small["auxiliaries"] | {"again"}, lexicon().nouns
    at = next(n for n in range(len(words)) if (match := nouns.at(words, n)) and match[1][0] == "field")
    described = at > 0 and words[at - 1] in lexicon().small["serials"]
    owner = next((n for n in range(at + 1, len(items) - 1) if items[n].kind == "person" and words[n + 1] == "'s"), None)
    thing = owner is not None and any(items[n].kind == "word" and words[n] not in stop for n in range(owner + 2, len(items)))
    return not described and not thing


def _owned(facts: Facts) -> bool:
    """ "what is Anna's email": a possessive singular, nothing that says which mail."""
    words = facts.words
    owner = any(
        item.kind in ("person", "name", "ref") and n + 1 < len(words) and words[n + 1] == "'s" for n, item in enumerate(facts.items)
    )
    return owner and words[-1] in ("email", "mail", "e-mail", "address")


AROUND_DAY = frozenset(
    (
        "on happening doing up planned coming going do have i am is 's there "
        "for me my like look does will we and left remaining still come to"
    ).split()
)


def _on_my_plate(facts: Facts) -> bool:
    """ "what's on tomorrow?", "what do I have on Friday?", "what am I doing next week?": a time and nothing else."""
    parts = cut(facts.clause.text, facts.rest, dictates=False)
    known = AROUND_DAY
    loose = [item for slot in parts.slots for item in slot.items if item.kind != "punct" and item.low not in known]
    placed = any(place_of(slot) for slot in parts.slots) and facts.says("happening", "on", "planned", "going", "up")
    return bool(parts.times or placed) and not [item for item in loose if not placed or not _in_place(item, parts)]


def _in_place(item: Item, parts: Parts) -> bool:
    return any(item in slot.items for slot in parts.slots if place_of(slot))


def _attention(facts: Facts) -> Built:
    parts = cut(facts.clause.text, facts.rest, dictates=False)
    built = Built("mail.attention")
    built.fields["select"] = Selection(when=merged(parts.times))
    return built


def answer(facts: Facts) -> Built | None:
    """A question only a mail can answer, by its topic words."""
    parts = cut(facts.clause.text, facts.rest if facts.form is None else facts.items, dictates=False)
    skip = {
        "coming",
        "arrive",
        "arrives",
        "arriving",
        "again",
        "why",
        "many",
        "much",
        "long",
        "far",
        "does",
        "did",
        "about",
        "say",
        "said",
        "want",
        "wants",
        "tell",
        "know",
    }
    words = [
        word
        for word in topic_words([item for slot in parts.slots for item in slot.items if item.kind != "person"])
        if word.lower() not in skip
    ]
    people = list(people_in([item for item in facts.items if item.kind == "person"], "from"))
    if not words and not people:
        return None
    if {"you", "your"} & set(facts.words):
        return None
    built = Built("mail.answer")
    built.fields["question"] = facts.clause.text.strip()
    built.fields["select"] = Selection(words=tuple(words), people=persons(people), when=merged(parts.times))
    return built
