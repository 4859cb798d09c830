"""What only the words of a mail can tell: who said what, whether something is due."""

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.reading.nouns.gathered import topic_words
from assistant.reasoning.offline.reading.nouns.persons import distinct, in_role, people_in
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions.choosing import gathered, parts_of, select, topic_of, without_me
from assistant.reasoning.offline.reading.questions.facts import EVENTS, Facts
from assistant.reasoning.offline.reading.times.moments import merged

AROUND_ASKING = frozenset(
    "coming arrive arrives arriving again why many much long far does did about say said want wants tell know".split()
)
ANYTHING = frozenset({"anything", "something", "mail", "mails"})
CONTAINING = ("about", "mentions", "mention", "contains", "contain")


def answer(facts: Facts) -> Built | None:
    """A question only a mail can answer, by its topic words."""
    parts = parts_of(facts, facts.rest if facts.form is None else facts.items)
    said = topic_words([item for slot in parts.slots for item in slot.items if item.kind != "person"])
    words = tuple(word for word in said if word.lower() not in AROUND_ASKING)
    people = people_in([item for item in facts.items if item.kind == "person"], "from")
    if not (words or people) or facts.says("you", "your"):
        return None
    return _asked(facts, Selection(words=words, people=distinct(people), when=merged(parts.times)))


def told_by(facts: Facts) -> Built | None:
    """ "did Clara confirm the permit?": what only that person's mails can say."""
    if not facts.subject or facts.verb not in ("accept", "decline") or facts.has(*EVENTS):
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
