"""What only the words of a mail can tell: who said what, whether something is due."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.calls import Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.gathered import topic_words
from assistant.reasoning.offline.reading.nouns.persons import distinct, in_role, people_in
from assistant.reasoning.offline.reading.nouns.values import value_phrase
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.choosing import gathered, parts_of, select, topic_of, without_me
from assistant.reasoning.offline.reading.questions.facts import EVENTS, Facts
from assistant.reasoning.offline.reading.slots import Parts, lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.moments import merged

AROUND_ASKING = frozenset(
    "coming arrive arrives arriving again why many much long far does did about say said want wants tell know".split()
)
ANYTHING = frozenset({"anything", "something", "mail", "mails"})
OBLIGED = frozenset("must should need needs have supposed meant expected can may got ought".split())
WANTING = frozenset("want need ask expect require hope wish".split())
INSIDE = frozenset({"about", "by", "until", "till", "before", "for"})
GIVING = frozenset("give gives gave given contain contains include includes quote quotes name names list lists".split())
LED = frozenset({"by", "until", "till", "since", "for", "from", "to", "with", "on", "at", "in"})
AROUND_SOURCE = frozenset(
    "it there anyone anybody someone somebody anything anywhere somewhere me us already ever yet actually again in by the a an "
    "of for mail mails email message letter 's my our his her their this that".split()
)
"""Words beside what tells something that don't say what it is."""
CONTAINING = ("about", "mentions", "mention", "contains", "contain")


def answer(facts: Facts) -> Built | None:
    """A question only a mail can answer, by its topic words."""
    parts = parts_of(facts, facts.rest if facts.form is None else facts.items)
    said = topic_words([item for slot in parts.slots for item in slot.items if item.kind != "person"])
    words = tuple(word for word in said if word.lower() not in AROUND_ASKING)
    people = people_in([item for item in facts.items if item.kind == "person"], "from")
    if not people and (senders := [item for slot in parts.of("from") for item in slot.items if item.kind == "word"]):
        people = people_in(senders, "from")
        words = tuple(word for word in words if word.lower() not in lows(senders))
    referred = any(item.kind == "ref" for item in facts.items)
    if not (words or people or referred) or facts.says("you", "your"):
        return None
    return _asked(facts, Selection(words=words, people=distinct(people), when=_written(parts, facts)))


def _written(parts: Parts, facts: Facts) -> TimeSpec | None:
    """When the mail came; a time to come, or one that something is about or due by, is part of what is asked."""
    inside = any({timed.marker, *timed.spec.text.lower().split()[:1]} & INSIDE for timed in parts.times)
    when = merged(parts.times)
    now = facts.clause.now
    ahead = when is not None and now is not None and (when.start is None or when.start > now)
    return None if inside or ahead else when


def value(clause: Clause, items: Sequence[Item]) -> Built | None:
    """ "the tracking number of the parcel": what it is; a side of an event where one is named."""
    phrase = value_phrase(items)
    if not phrase:
        return None
    facts = Facts(replace(clause, text=clause.text[: phrase[-1].end], items=phrase, head="what"), phrase)
    if facts.has(*EVENTS) and not facts.has("mail"):
        return None
    built = answer(facts.whole(facts.items))
    if built is not None:
        built.fields["question"] = clause.text[phrase[0].begin : phrase[-1].end]
    return built


def by_when(facts: Facts) -> Built | None:
    """ "by when do I have to answer?", "until when does Tom want it?": the end of a time, which a mail tells."""
    ends = facts.clause.items[0].low in ("by", "until", "till") or facts.words[-1:] == ["by"]
    obliged = facts.we and facts.says(*OBLIGED)
    return answer(facts) if ends and (obliged or (facts.verb in ("say", "send", "receive", "reply") and facts.subject)) else None


def wanted(facts: Facts) -> Built | None:
    """ "what did Lena want me to send her?", "what time does he propose?", "what's the decision that Omar needs?": what somebody
    said, told more closely than by the name."""
    form = facts.form
    if form is None or form.verb != "say" or not facts.subject or facts.has("mail", "newsletter"):
        return None
    begin = facts.subject[0].begin
    named = [item for item in facts.items if item.begin < begin or (item.kind == "word" and item.end <= facts.subject[0].end)]
    small = lexicon().small
    if any(item.kind == "word" and item.low not in small["auxiliaries"] | small["stop"] for item in named):
        return answer(facts.whole(facts.items))
    if form.lemma not in WANTING:
        return None
    closer = [
        item for item in facts.rest if item.kind not in ("punct", "time") and item.low not in lexicon().small["me"] | {"from"}
    ]
    return answer(facts) if closer or any(item.kind == "time" for item in facts.rest) else None


def inner(facts: Facts) -> Built | None:
    """ "does the quote say how long delivery takes?": the inner question, asked of what its subject wrote."""
    words, items = facts.words, facts.items
    told = next((n for n in range(1, len(words) - 1) if words[n] in lexicon().small["telling"] | GIVING), None)
    at = next((n for n in range((told or 0) + 1, len(words)) if words[n] in lexicon().small["wh"]), None)
    if told is not None and at is None and not facts.by_me and (phrase := value_phrase(items[told + 1 :])):
        at = items.index(phrase[0])
    if told is None or at is None or (facts.by_me and words[told] != "know") or facts.agent not in (None, "email"):
        return None
    if words[at - 1] in LED and at > told + 1:
        at -= 1
    source = [item for item in (*items[1:told], *items[told + 1 : at]) if item.low not in AROUND_SOURCE]
    people = people_in([item for item in source if item.kind == "person"], "from")
    named = [item for item in source if item.kind == "word" and not lexicon().nouns.at([item.low], 0)]
    topic = topic_words([*named, *(item for item in items[at:] if item.kind not in ("person", "time"))])
    chosen = Selection(people=distinct(people), words=tuple(word for word in topic if word.lower() not in AROUND_ASKING))
    asked = facts.clause.text[items[at].begin : items[-1].end]
    return Built("mail.answer", {"question": " ".join((asked, *(item.text for item in named))), "select": chosen})


def told_by(facts: Facts) -> Built | None:
    """ "did Clara confirm the permit?", "… the room for the meeting?": what only that person's mails can say."""
    if not facts.subject or facts.verb not in ("accept", "decline"):
        return None
    parts = parts_of(facts)
    people = distinct(in_role(facts.subject, "from"))
    return _asked(facts, Selection(words=topic_of(parts), people=people, when=merged(parts.times)))


def whether_told(facts: Facts) -> Built | None:
    """ "is my rent due?" """
    words = tuple(word for word in topic_of(parts_of(facts)) if word.lower() not in ANYTHING)
    if not words or facts.says("you", "your") or facts.agent == "contacts":
        return None
    return _asked(facts, Selection(words=words))


def _asked(facts: Facts, chosen: Selection) -> Built:
    return Built("mail.answer", {"question": facts.clause.text.strip(), "select": chosen})


def who_said(facts: Facts) -> Built | None:
    """ "who wants a decision from me?", "who asked about the windows?": whoever wrote the mails about that."""
    if facts.verb != "say" or facts.by_me or not topic_words(facts.rest):
        return None
    parts = parts_of(facts, [item for item in without_me(facts.rest) if item.low != "from"])
    return Built("mail.find", {"select": gathered(parts).selection(merged(parts.times))})


def of_a_mail(facts: Facts) -> Built | None:
    """What a mail itself tells of: its state, its time, its sender; its words only where they are asked for as such."""
    built = select(facts, "mail.find", "mail")
    chosen: Selection = built.fields["select"]
    told = not chosen.words or facts.says(*CONTAINING)
    return built if told and chosen != Selection(refs=chosen.refs) else None
