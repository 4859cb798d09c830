"""Yes-or-no questions and stated facts: who did what, whether there is something, whether a time is free."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assistant.reasoning.calls import Bounds, Operation, Person, Selection, TimeSpec
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.clauses import arranging, filing
from assistant.reasoning.offline.reading.clauses.predicates import predicated
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.counting import altogether, bounded, compares_people
from assistant.reasoning.offline.reading.nouns.edges import edge_of, without_edge_verbs
from assistant.reasoning.offline.reading.nouns.persons import Named, people_in
from assistant.reasoning.offline.reading.nouns.selecting import Domain, gather, topic_words
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import Parts, cut, lows
from assistant.reasoning.offline.reading.times import openings
from assistant.reasoning.offline.reading.times.moments import duration_of, merged

EVENTS = frozenset({"event", "occasion", "invitation"})


MAILS = frozenset({"mail", "newsletter", "reply", "draft", "attachment"})


PERSONAL = frozenset({"person", "name", "address", "ref"})
ONE_DAY = timedelta(hours=25)


LATE = frozenset({"not", "never", "no"})


DEEDS = frozenset({"delete", "cancel", "archive", "move", "rename", "restore", "uninvite", "unflag"})
"""Verbs that no mail or calendar tells about: whether something was deleted is not known here."""


def deed_in(items: Sequence[Item]) -> bool:
    """Whether a sentence speaks of deleting, moving … rather than of mails and events."""
    words = lows(items)
    for at in range(len(items)):
        if items[at].kind == "word" and lexicon().nouns.at(words, at) is None:
            forms = [form for _, form in lexicon().verbs.all_at(words, at)]
            if (
                forms
                and all(form.verb in DEEDS or form.lemma in ("drop", "put off") for form in forms)
                and words[at] not in ("clear",)
            ):
                return True
    return False


def _negates(item: Item, after: Sequence[Item]) -> bool:
    """A "not" that turns the whole sentence round; before a time it only leaves that out."""
    leaves_out = bool(after) and after[0].kind == "time"
    return item.kind == "word" and item.low in LATE and item.low != "no" and not leaves_out


class Facts:
    """A question or statement taken apart: subject, verb, and the nouns that occur."""

    def __init__(self, clause: Clause, items: Sequence[Item]) -> None:
        small = lexicon().small
        self.clause = clause
        self.items = [item for at, item in enumerate(items) if not _negates(item, items[at + 1 : at + 2])]
        words = lows(self.items)
        self.words = words
        self.form, at, end = _main_verb(self.items)
        subject = [item for item in self.items[:at] if item.low not in small["auxiliaries"]] if self.form else []
        if any(item.kind in PERSONAL for item in subject):
            subject = [item for item in subject if item.kind != "word" or not lexicon().nouns.at([item.low], 0)]
        self.by_me = any(item.low in small["me"] for item in subject)
        self.subject: tuple[Named, ...] = (
            ()
            if self.by_me or not subject or subject[0].low in NOBODY
            else people_in(
                [
                    item
                    for item in subject
                    if item.low not in ("there", "already", "ever", "not", "yet", "last", "first", "also", "just")
                ]
            )
        )
        if self.subject and all(
            lexicon().nouns.at([word.lower()], 0) for named in self.subject for word in named.person.text.split()
        ):
            self.subject = ()
        self.rest = (
            tuple(self.items[end:]) if self.form else tuple(item for item in self.items if item.low not in small["auxiliaries"])
        )
        self.rest = (*self._fronted(), *self.rest)
        nouns = [match[1][0] for n in range(len(words)) if (match := lexicon().nouns.at(words, n))]
        self.nouns = nouns
        self.verb = self.form.verb if self.form else ""

    @property
    def times(self) -> bool:
        return any(item.kind == "time" for item in self.items)

    def _fronted(self) -> tuple[Item, ...]:
        """What stands before "do I have": "how many meetings with Omar do I have", "which mails from her have I got"."""
        if self.form is None or self.form.verb != "have" or not self.by_me:
            return ()
        small = lexicon().small
        at = next(
            (n for n in range(1, len(self.words)) if self.words[n] in small["me"] and self.words[n - 1] in small["auxiliaries"]), 1
        )
        return tuple(item for item in self.items[: at - 1] if item.low not in ("many", "much"))

    def has(self, *classes: str) -> bool:
        return any(noun in classes for noun in self.nouns)

    def says(self, *words: str) -> bool:
        return any(word in self.words for word in words)


def in_mail_state(words: Sequence[str]) -> bool:
    """ "unread", "flagged": what only a mail can be."""
    states = (lexicon().states.at(list(words), at) for at in range(len(words)))
    return any(match is not None and match[1][0] in ("unread", "flagged", "has_attachment") and match[1][1] for match in states)


NOBODY = frozenset({"there", "anyone", "anybody", "someone", "somebody", "everyone", "nobody", "who", "that", "what", "which"})


def _main_verb(items: Sequence[Item]) -> tuple[Form | None, int, int]:
    """The last auxiliary-free verb before its objects: "has Anna *sent*", "do I *have*", "Anna *replied*"."""
    words = lows(items)
    fallback: tuple[Form | None, int, int] = (None, len(items), len(items))
    for at, item in enumerate(items):
        if item.kind != "word":
            continue
        match = lexicon().facts.at(words, at)
        if match is None:
            continue
        length, form = match
        if item.low == "meeting" and not _acts(items, at):
            continue
        if lexicon().nouns.at(words, at) is not None and not _acts(items, at):
            continue
        if form.verb == "have" and not _possesses(items, at):
            if fallback[0] is None and at > 0:
                fallback = (form, at, at + length)
            continue
        return form, at, at + length
    if fallback[0] is not None:
        return fallback
    return None, len(items), len(items)


BETWEEN = frozenset("ever already also just not yet still really actually even recently once".split())
"""What may stand between a subject and its verb."""


def _acts(items: Sequence[Item], at: int) -> bool:
    """ "did I email Anna" but not "is there a mail from Anna"."""
    while at and items[at - 1].low in BETWEEN:
        at -= 1
    before = items[at - 1] if at else None
    if before is not None and before.low == "last":
        return at > 1 and (items[at - 2].kind == "person" or items[at - 2].low in lexicon().small["me"])
    if before is not None and at > 1 and _describes(items, at - 2):
        return False
    return before is not None and (
        before.kind in ("person", "name", "ref") or before.low in lexicon().small["me"] | {"they", "she", "he", "to", "anyone"}
    )


def _describes(items: Sequence[Item], at: int) -> bool:
    """ "the studio meeting", "my next studio meeting": what stands before the name makes it part of a noun phrase."""
    words = lows(items)
    return words[at] in lexicon().small["articles"] or lexicon().orders.at(words, at) is not None


def _possesses(items: Sequence[Item], at: int) -> bool:
    """ "have" is the main verb when a noun phrase follows and a subject stands before."""
    if at == 0 or at + 1 >= len(items):
        return False
    after = items[at + 1]
    words = lows(items)
    return (
        after.kind not in ("person",)
        and lexicon().facts.at(words, at + 1) is None
        and after.low not in ("not", "been", "already", "ever", "yet")
    )


def fact(clause: Clause, agent: str | None = None) -> Built | None:
    """A yes-or-no question, or what a condition states; negation is the caller's."""
    if (described := predicated(clause)) is not None:
        return referring(clause, described)
    if compares_people(clause.rest):
        return None
    rest, together = altogether(clause.rest)
    if together is not None:
        return _altogether(referring(clause, _fact(replace(clause, rest=rest), agent)), together)
    rest, bounds = bounded(clause.rest)
    if bounds is None:
        return referring(clause, _fact(clause, agent))
    return _so_many(referring(clause, _fact(replace(clause, rest=rest), agent)), bounds)


def _altogether(built: Built | None, together: tuple[timedelta, timedelta]) -> Built | None:
    if built is None or CHECKS.get(built.operation) != "event.check":
        return None
    built.operation = "event.check"
    built.fields["together"] = together
    return built


CHECKS: dict[str, Operation] = {
    "event.check": "event.check", "event.find": "event.check", "mail.check": "mail.check", "mail.find": "mail.check",
}  # fmt: skip


def _so_many(built: Built | None, bounds: Bounds) -> Built | None:
    """Whether so many are there; what can't be counted is not understood."""
    if built is None or built.operation not in CHECKS or built.fields.get("question") == "reply":
        return None
    built.operation = CHECKS[built.operation]
    built.fields["bounds"] = bounds
    return built


def referring(clause: Clause, built: Built | None) -> Built | None:
    """A reference anywhere in the question says what it is about."""
    refs = tuple(item.low for item in clause.items if item.kind == "ref")
    if built is None or not refs:
        return built
    chosen: Selection = built.fields.get("select") or Selection()
    if not chosen.refs and not any(person.ref for person in (*chosen.people, *built.fields.get("to", ()))):
        built.fields["select"] = chosen.model_copy(update={"refs": refs, "order": "" if chosen.order == "last" else chosen.order})
    return built


def _fact(clause: Clause, agent: str | None = None) -> Built | None:
    facts = Facts(clause, clause.rest)
    if deed_in(facts.items):
        return None
    if owes_answer(facts.words) and not facts.has(*EVENTS) and not (facts.by_me and facts.verb == "reply"):
        return open_mails(facts)
    if _has_time(facts) or (facts.says("free", "available", "busy", "booked") and (facts.has("slot") or not facts.has("event"))):
        return _free(facts)
    if facts.says("open") and facts.times and not facts.nouns:
        return _free(facts)
    if facts.has("clash"):
        return arranging.clashes(clause, facts.rest)
    if facts.has("slot") and facts.verb not in ("say", "send", "reply"):
        return openings.slots(clause, facts.rest)
    if facts.verb == "reply" or (facts.has("reply") and not facts.has("event")):
        return replied(facts)
    if facts.verb in ("receive", "schedule") and _got_on(facts):
        return select(facts, "event.check", "event", without=("much", "plans", *AROUND_PLANS))
    got = facts.verb == "receive" and not facts.says("from")
    if got and facts.has("event", "occasion") and not facts.has("invitation", *MAILS):
        return select(facts, "event.check", "event")
    if facts.verb in ("send", "receive", "say"):
        return wrote(facts) if not (len(facts.subject) > 1 and facts.says("both")) else None
    if facts.nouns[:1] == ["mail"] and facts.verb in ("", "have") and any(item.kind == "ref" for item in facts.items):
        return _of_a_mail(facts)
    if facts.has(*EVENTS) and (named := _on_some_weekday(facts)):
        return named
    if facts.has("attention") and not facts.has(*EVENTS):
        return select(facts, "mail.attention", "mail")
    if facts.verb == "meet" or (facts.verb in ("schedule", "have", "attend", "") and facts.has(*EVENTS)):
        return select(facts, "event.check", "event")
    if facts.subject and facts.verb in ("accept", "decline") and not facts.has(*EVENTS):
        return _told_by(facts)
    if facts.verb in ("accept", "decline", "invite") or facts.has("invitation"):
        built = select(facts, "event.check", "event")
        if facts.by_me and facts.verb in ANSWERS:
            built.fields["select"] = built.fields["select"].model_copy(update={"answer": ANSWERS[facts.verb]})
        return built
    if facts.has("mail", "newsletter", "draft") or (set(facts.nouns) <= {"attachment"} and in_mail_state(facts.words)):
        return select(facts, "mail.find", "mail")
    if facts.has("contact", "field"):
        return filing.find(clause, facts.rest)
    if facts.has("group"):
        return filing.group(clause, facts.rest)
    if facts.has("template"):
        return Built("template.list")
    return _something(facts, agent)


ANSWERS = {"accept": "accepted", "decline": "declined"}


def _told_by(facts: Facts) -> Built:
    """ "did Clara confirm the permit?": what only that person's mails can say."""
    parts = cut(facts.clause.text, facts.rest, dictates=False)
    words = topic_words([item for slot in parts.slots for item in slot.items])
    people = tuple(person.model_copy(update={"role": "from"}) for person in persons(facts.subject))
    built = Built("mail.answer")
    built.fields["question"] = facts.clause.text.strip()
    built.fields["select"] = Selection(words=words, people=people, when=merged(parts.times))
    return built


def _something(facts: Facts, agent: str | None) -> Built | None:
    """ "is there anything on Friday?" and what only a mail can answer ("is my rent due?")."""
    parts = cut(facts.clause.text, facts.rest, dictates=False)
    if parts.of("from") and facts.says("anything", "something", "news"):
        return select(facts, "mail.find", "mail")
    words = topic_words([item for slot in parts.slots for item in slot.items])
    if parts.times and facts.by_me is False and facts.says("anywhere", "somewhere") and {"i", "we"} & set(facts.words):
        return select(facts, "event.check", "event", without=("anywhere", "somewhere", *AROUND_PLANS))
    if (parts.times and facts.says("anything", "something", "plans")) or (agent == "calendar" and words):
        return select(facts, "event.check", "event", without=("anything", "something", "plans"))
    words = tuple(word for word in words if word.lower() not in ("anything", "something", "mail", "mails"))
    if not words or facts.says("you", "your") or agent == "contacts":
        return None
    built = Built("mail.answer")
    built.fields["question"] = facts.clause.text.strip()
    built.fields["select"] = Selection(words=words)
    return built


def _of_a_mail(facts: Facts) -> Built | None:
    """What a mail itself tells of: its state, its time, its sender; its words only where they are asked for as such."""
    built = select(facts, "mail.find", "mail")
    chosen = built.fields["select"]
    told = not chosen.words or facts.says("about", "mentions", "mention", "contains", "contain")
    return built if told and chosen != Selection(refs=chosen.refs) else None


def open_mails(facts: Facts) -> Built:
    """ "is there anything from Felix that I still have to answer?", "do I owe anyone a reply?" """
    parts = cut(facts.clause.text, facts.items, dictates=False)
    people = [named for slot in parts.of("from") for named in people_in(_before_clause(slot.items), "from")]
    people += people_in([item for slot in parts.of("", "to") for item in slot.items if item.kind in PERSONAL], "from")
    return Built("mail.unanswered", {"select": Selection(people=persons(people), when=merged(parts.times))})


def _before_clause(items: Sequence[Item]) -> Sequence[Item]:
    """Up to "that I …", "which …"."""
    stop = next((n for n, item in enumerate(items) if item.low in ("that", "which", "i", "we")), len(items))
    return items[:stop]


def _got_on(facts: Facts) -> bool:
    """ "have I got anything on this Saturday?" asks for events; "have I got anything from Tom?" for mails."""
    things = facts.says("anywhere", "somewhere", "anything", "something", "plans", "much", "nothing", "lots")
    return facts.by_me and things and facts.times and not facts.says("from", "by", "about") and not facts.has(*MAILS)


AROUND_PLANS = frozenset(
    "on up for me us my i have got planned going happening scheduled in at the calendar diary special else".split()
)


def plans(clause: Clause) -> Built | None:
    """ "anything on Friday afternoon?", "something planned for tomorrow?": a thing, a time and nothing else."""
    words = lows(clause.items)
    if not words or words[0] not in ("anything", "something", "much", "plans"):
        return None
    facts = Facts(clause, clause.items)
    company = cut(clause.text, clause.items[1:], dictates=False).of("with")
    people = [item for slot in company for item in slot.items if item.kind in PERSONAL]
    known = AROUND_PLANS | {"with", "coming", "and", "soon", "still", "left"} if people else AROUND_PLANS
    loose = [
        item for item in clause.items[1:] if item not in people and item.kind not in ("time", "punct") and item.low not in known
    ]
    if loose or not (facts.times or (people and len(clause.items) > len(people) + 2)):
        return None
    kept = [item for item in clause.items if item.low not in known - {"with", "and"}]
    return select(Facts(clause, kept), "event.check", "event", without=("much", "plans"))


def _on_some_weekday(facts: Facts) -> Built | None:
    """ "is the party on a Friday?": the event, whose day answers that."""
    words, items = facts.words, facts.items
    at = next((n for n, item in enumerate(items) if item.kind == "time" and n and words[n - 1] in ("a", "an")), None)
    if at is None or facts.by_me:
        return None
    named = Facts(facts.clause, [item for n, item in enumerate(items) if n not in (at, at - 1)])
    built = select(named, "event.next", "event")
    built.fields["select"] = built.fields["select"].model_copy(update={"order": "next", "number": 1, "each": False})
    return built


def _has_time(facts: Facts) -> bool:
    """ "does Tom have time on Friday?", "do we have any time for a call?" """
    words = [word for word in facts.words if word not in ("any", "some", "the", "enough", "free", "i", "we", "got")]
    return any(words[at : at + 2] == ["have", "time"] or words[at : at + 2] == ["has", "time"] for at in range(len(words)))


def _free(facts: Facts) -> Built:
    parts = cut(facts.clause.text, facts.items, dictates=False)
    people = [*facts.subject, *people_in([item for item in facts.items if item.kind in PERSONAL or item.low in ("and", ",")])]
    when = merged(parts.times)
    if people and when is not None and when.start and when.stop and when.stop - when.start > ONE_DAY:
        built = openings.slots(facts.clause, facts.items)
        built.fields["to"] = persons(people)
        return built
    when = _at_table(facts, when)
    built = Built("event.free")
    built.fields["to"] = persons(people)
    built.fields["time"] = when
    built.fields["duration"] = duration_of(parts.times)
    if facts.says("busy", "booked", "unavailable") and not facts.says("free", "available"):
        built.fields["question"] = "busy"
    if not parts.times:
        built.guesses.append("no time was said: now")
    return built


MEALS = {"breakfast": (7, 9), "brunch": (10, 12), "lunch": (12, 14), "dinner": (18, 21)}
"""Hours of the day in which people eat."""


def _at_table(facts: Facts, when: TimeSpec | None) -> TimeSpec | None:
    """ "free for lunch tomorrow": the hours of the meal on that day."""
    meal = next((word for word in facts.words if word in MEALS), "")
    if not meal or when is None or when.has_time or when.kind != "point" or when.start is None:
        return when
    begin, end = (when.start.replace(hour=hour) for hour in MEALS[meal])
    return when.model_copy(update={"kind": "range", "start": begin, "stop": end, "has_time": True})


def owes_answer(words: Sequence[str]) -> bool:
    """ "emails I still have to answer", "which haven't I answered", "who do I owe a reply", "waiting for a reply from me"."""
    lex = lexicon()
    forms = {form.verb for at in range(len(words)) for _, form in lex.facts.all_at(list(words), at)}
    answers = "reply" in forms or any((noun := lex.nouns.at(list(words), at)) and noun[1][0] == "reply" for at in range(len(words)))
    if not answers:
        return False
    said = " ".join(words)
    mine = bool({"i", "we"} & set(words)) and any(
        f" {must} " in f" {said} " for must in ("have to", "need to", "must", "owe", "not")
    )
    return mine or ("waiting" in words and said.endswith(("from me", "from us", "my answer", "my reply", "my response")))


def replied(facts: Facts) -> Built:
    """Whether somebody answered what the user sent; asked about the user: whether something of theirs is unanswered."""
    parts = cut(facts.clause.text, facts.rest, dictates=False)
    if facts.by_me and facts.verb == "reply":
        built = Built("mail.unanswered")
        people = [*people_in(parts.object, "from"), *(n for slot in parts.of("to", "from") for n in people_in(slot.items, "from"))]
        built.fields["select"] = Selection(people=tuple(persons(people)), when=merged(parts.times))
        return built
    built = Built("mail.check")
    built.fields["question"] = "reply"
    people = [Named(named.person.model_copy(update={"role": "to"}), named.begin, named.end) for named in facts.subject]
    people += [named for slot in parts.of("from") for named in people_in(slot.items, "to")]
    words: list[str] = []
    for slot in parts.of("to", "about", "on"):
        if slot.marker == "to" and slot.items and all(item.kind in PERSONAL or item.low in ("and", ",") for item in slot.items):
            people += people_in(slot.items, "to")
            continue
        words.extend(
            word for word in topic_words(slot.items) if word.lower() not in ("mail", "email", "message", "mails", "emails", "me")
        )
    refs = tuple(item.low for item in facts.items if item.kind == "ref")
    if any(item.low in ("last", "latest") for item in facts.rest):
        built.fields["select"] = Selection(
            refs=refs, people=tuple(persons(people)), words=_unordered(words), when=merged(parts.times), order="last"
        )
    else:
        built.fields["select"] = Selection(refs=refs, people=tuple(persons(people)), words=tuple(words), when=merged(parts.times))
    return built


def _unordered(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word.lower() not in ("last", "latest"))


def persons(people: Sequence[Named]) -> tuple[Person, ...]:
    return tuple(dict.fromkeys(named.person for named in people))


def wrote(facts: Facts, operation: Operation = "mail.check") -> Built:
    """ "has Anna sent me any mail", "did I write to Tom", "have I heard from Eva"."""
    built = Built(operation)
    parts = cut(facts.clause.text, facts.rest, dictates=False)
    received = facts.verb == "receive"
    outgoing = facts.by_me and not received
    chosen = [slot for slot in parts.slots if slot.marker not in ("to",) or outgoing]
    if facts.subject:
        chosen = [slot for slot in chosen if slot.marker != "from"]
    found = gather(Parts(chosen), "mail")
    if outgoing:
        found.people[:] = [Named(named.person.model_copy(update={"role": "to"}), named.begin, named.end) for named in found.people]
        found.select["folder"] = "Sent"
    elif received and facts.form is not None and facts.form.lemma in ("hear", "hear back", "hear from"):
        found.people.extend(people_in(parts.object, "from"))
        found.words.clear()
    elif received and facts.by_me and not found.people:
        found.select.setdefault("folder", "Received")
    for named in facts.subject:
        role = "to" if received and facts.form is not None and facts.form.verb == "receive" else "from"
        found.people.append(Named(named.person.model_copy(update={"role": role}), named.begin, named.end))
    if not outgoing and any(item.kind == "word" and item.low in ("last", "latest") for item in facts.rest):
        found.select.setdefault("order", "last")
        found.words[:] = [word for word in found.words if word.lower() not in ("last", "latest")]
    found.select.pop("each", None)
    built.fields["select"] = found.selection(merged(parts.times))
    return built


def select(facts: Facts, operation: Operation, domain: Domain, without: Sequence[str] = ()) -> Built:
    built = Built(operation)
    skip = {"already", "scheduled", "planned", "booked", "there", "any", "something", "anything", "coming", *without}
    skip |= {"thing", "things"} if domain == "event" else set()
    items = [item for item in facts.rest if item.low not in skip]
    items = without_edge_verbs(items) if operation == "event.check" else items
    parts = cut(facts.clause.text, items, dictates=False)
    found = gather(parts, domain)
    if facts.verb == "meet":
        found.people.extend(
            named for named in people_in([i for i in parts.object if i.kind in ("word", "name")], "with") if found.words
        )
        found.words.clear()
    role = "with" if domain == "event" else "from"
    for named in facts.subject:
        if named.person.text.lower() not in ("there", "anything", "something"):
            if _is_thing(facts, named):
                found.words.extend(named.person.text.split())
            else:
                found.people.append(Named(named.person.model_copy(update={"role": role}), named.begin, named.end))
    found.words = [word for word in found.words if word.lower() not in ("today", "already")]
    when = merged(parts.times)
    if domain == "event" and facts.says(*REMAINING):
        found.words = [word for word in found.words if word.lower() not in REMAINING]
        when = _still_to_come(when, facts.clause.now)
    if (
        operation == "event.check"
        and (found.select.get("order") or found.select.get("refs"))
        and (edge := edge_of(when, facts.clause, found.people))
    ):
        built.fields["time"], built.fields["field"], when = edge
    picked = found.select.get("order") or found.select.get("refs")
    if operation == "event.check" and when is None and not picked and _is_over(facts):
        when = _past_year(facts.clause.now)
    built.fields["select"] = found.selection(when)
    return built


def _is_over(facts: Facts) -> bool:
    """ "did Jonas attend the kickoff?", "was Helena there?", "have I met him?": asked of what has been."""
    head = facts.clause.head
    over = head in ("did", "was", "were", "had") or (head in ("have", "has") and bool(facts.verb))
    return over and facts.verb in ("meet", "attend", "")


YEAR = timedelta(days=365)


def _past_year(now: datetime | None) -> TimeSpec | None:
    return TimeSpec(kind="range", text="in the past year", start=now - YEAR, stop=now, has_date=True) if now is not None else None


REMAINING = frozenset({"left", "remaining"})


def _still_to_come(when: TimeSpec | None, now: datetime | None) -> TimeSpec | None:
    """What is left of a day or week that has begun."""
    if when is None or now is None or when.start is None or not when.start <= now < (when.stop or when.start):
        return when
    return when.model_copy(update={"kind": "range", "start": now, "windows": (), "has_time": True})


def _is_thing(facts: Facts, named: Named) -> bool:
    return any(item.begin >= named.begin and item.end <= named.end and item.kind == "word" for item in facts.items)
