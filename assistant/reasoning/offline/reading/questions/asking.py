"""Questions that begin with what, who, when, how many …: their readers in the order in which they are tried."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.questions import availability, calendar, content, guests_answers, mails, owing, people
from assistant.reasoning.offline.reading.questions.choosing import referring, update
from assistant.reasoning.offline.reading.questions.facts import Facts, Read, Reader, first, tells_of_deed
from assistant.reasoning.offline.reading.questions.predicates import part_of_it
from assistant.reasoning.offline.reading.questions.ranking import ranking
from assistant.reasoning.offline.reading.text.items import Item


def wh(clause: Clause, agent: str | None = None) -> Built | None:
    """What, when, who, where, which, how many, how long."""
    return referring(clause, _wh(replace(clause, rest=_last_said(clause.rest)), agent))


def _last_said(items: Sequence[Item]) -> tuple[Item, ...]:
    """ "most recently" as "last"."""
    at = next((n for n in range(1, len(items)) if (items[n - 1].low, items[n].low) == ("most", "recently")), None)
    if at is None:
        return tuple(items)
    return (*items[: at - 1], replace(items[at], text="last", low="last", begin=items[at - 1].begin), *items[at + 1 :])


def _wh(clause: Clause, agent: str | None) -> Built | None:
    facts = Facts(clause, _of_question(clause), agent)
    if [item.low for item in clause.rest[-4:-1]] == ["in", "the", "mail"] and clause.rest[-1].kind == "ref":
        return content.answer(facts)
    return first((*ANY_HEAD, *BY_HEAD.get(clause.head, ()), content.answer), facts)


def _of_question(clause: Clause) -> list[Item]:
    return [item for item in clause.rest if item.low != "else"]


def _part(facts: Facts) -> Built | None:
    return part_of_it(facts) if facts.clause.head in ("what", "who", "which", "when") else None


def _ranked(facts: Facts) -> Built | None:
    return ranking(facts.clause, _of_question(facts.clause), facts.agent) if facts.clause.head != "how" else None


def _who_sent_nothing(facts: Facts) -> Read:
    """Who has not written is nobody that a search for mails would find."""
    asked = facts.clause.negated and facts.clause.head in ("who", "which") and facts.verb == "send" and not facts.by_me
    return False if asked else None


def _of_a_deed(facts: Facts) -> Read:
    """ "why was the call cancelled?": only a mail may tell."""
    if not tells_of_deed(facts.items):
        return None
    tellable = facts.subject or facts.clause.head in ("who", "what", "which", "why")
    return content.answer(facts) or False if tellable else False


def _between(facts: Facts) -> Built | None:
    """ "who wrote to me last, Tom or Anna?": of the two; None where nobody is named to choose between."""
    asked, named = people.alternatives(facts.clause.rest)
    built = _wh(replace(facts.clause, rest=tuple(asked)), facts.agent) if named else None
    if built is None or built.operation != "mail.find" or built.fields.get("select", Selection()).people:
        return None
    return update(built, people=named)


def _how_many(facts: Facts) -> Read:
    asked = facts.begins("many", "much") or (facts.begins("often") and facts.verb in ("send", "reply"))
    return first(COUNTS, facts) or False if asked else None


COUNTS: tuple[Reader, ...] = (
    calendar.how_many_guests,
    mails.how_many,
    availability.clashes,
    calendar.how_many,
    people.how_many,
    content.answer,
)
WHEN: tuple[Reader, ...] = (
    content.by_when,
    calendar.when_there,
    availability.when_free,
    mails.when_written,
    calendar.when_is,
    people.when_born,
)
WHAT: tuple[Reader, ...] = (
    availability.what_is_free,
    mails.attention,
    availability.clashes,
    owing.awaiting,
    mails.latest_from,
    mails.in_a_state,
    calendar.must_be,
    calendar.when_there,
    calendar.what_invited_to,
    mails.told_in,
    content.wanted,
    mails.what_i_sent,
    mails.what_was_said,
    people.on_a_card,
    people.address_of,
    mails.which_mails,
    lambda facts: Built("template.list") if facts.has("template") else None,
    calendar.which_day,
    calendar.which_events,
    people.found,
)
WHO: tuple[Reader, ...] = (
    _between,
    owing.who_answered,
    calendar.who_is_there,
    people.who_lacks,
    people.who_belongs,
    mails.who_wrote,
    content.who_said,
    calendar.who_meets,
    people.who_works,
    people.who_is,
)
HOW: tuple[Reader, ...] = (
    calendar.how_far_off,
    _how_many,
    calendar.how_often_met,
    calendar.how_long,
    calendar.how_busy,
)
ANY_HEAD: tuple[Reader, ...] = (
    guests_answers.who,  # before "answer" is a mail's and "most" ranks
    guests_answers.which,
    _part,  # "the subject of …" selects by what stands behind "of"
    _ranked,  # "the most", "busiest" rule over who, what and when
    mails.to_begin_with,  # "answer" is what is to be done there
    owing.left_undone,  # negated: of somebody's mails, before all that are owed an answer
    owing.open_invitations,
    owing.unanswered,  # "answer" is no noun to search for
    mails.filed_as,  # "archived", "deleted" as where mails are now, before they are deeds
    _who_sent_nothing,
    calendar.average,
    calendar.in_the_way,
    _of_a_deed,  # last: a noun phrase may hold a deed's word
)
BY_HEAD: dict[str, tuple[Reader, ...]] = {
    "what": WHAT,
    "which": WHAT,
    "who": WHO,
    "whom": WHO,
    "whose": (people.whose,),
    "when": WHEN,
    "where": (lambda facts: first(WHEN, facts) if facts.verb == "schedule" else None, calendar.where_i_am, calendar.where_is),
    "how": HOW,
}
