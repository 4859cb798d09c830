"""One instruction in words into one call: the readers of a clause, in the order in which they are tried."""

from dataclasses import replace
from functools import lru_cache

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Reading
from assistant.reasoning.offline.reading import adjuncts
from assistant.reasoning.offline.reading.clauses import cards, revising
from assistant.reasoning.offline.reading.coverage import accounted
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.fragments import fragment
from assistant.reasoning.offline.reading.frames import Clause, clause
from assistant.reasoning.offline.reading.imperatives import deed
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.parsed import Parse, unread
from assistant.reasoning.offline.reading.questions import advising, asking, checking, preferring
from assistant.reasoning.offline.reading.questions.ranking import comparing
from assistant.reasoning.offline.reading.text.folding import folded
from assistant.reasoning.offline.reading.text.nonexistent import no_such_time
from assistant.reasoning.offline.reading.text.spelling import corrected, guessed, kept_as_said, without
from assistant.reasoning.offline.reading.times import schedules
from assistant.values import AgentName

AGENT_OF: dict[str, AgentName] = {"mail": "email", "template": "email", "event": "calendar", "contact": "contacts"}


@lru_cache(maxsize=512)
def read(text: str, setting: Setting, agent: AgentName | None = None) -> Reading:
    """A call, or none where the text is no instruction that the grammar knows. A negated, asked-about or unknown deed is none."""
    short = folded(text, setting)
    return Reading() if short.too_long else short.said(_read(short.text, setting, agent))


def _read(text: str, setting: Setting, agent: AgentName | None) -> Reading:
    right, slips = corrected(text, setting)
    if wrong := no_such_time(right, setting):
        return Reading(unread=(wrong,))
    reading = parse(right, setting, agent).reading
    if slips and (kept := kept_as_said(slips, reading.call)):
        reading = parse(without(text, slips, kept), setting, agent).reading
    if reading.call is None or not (meant := guessed(slips, reading.call.operation)):
        return reading
    return reading.model_copy(update={"guesses": (*reading.guesses, *meant), "certain": False})


@lru_cache(maxsize=512)
def parse(text: str, setting: Setting, agent: AgentName | None = None) -> Parse:
    """How a clause is read, and which of its words found no place."""
    return accounted(_parsed(text, setting, agent))


def _parsed(text: str, setting: Setting, agent: AgentName | None) -> Parse:
    """What is said beside a deed first, as it may stand in words that would else be dictated or name a time or thing."""
    if (scheduled := schedules.told(text, setting)) is not None:
        return Parse(Clause(text, mark(text, setting), "wh", head="when"), Reading(call=scheduled.call, certain=True))
    found = clause(text, setting)

    def shorter(part: str) -> Parse:
        return parse(part, setting, agent)

    def simpler(part: Clause) -> Parse:
        return parse_clause(part, agent)

    return (
        adjuncts.held_back(found, shorter)  # rules over all that follows the verb, a copy included
        or adjuncts.copied(found, shorter)  # ends what is dictated
        or adjuncts.sent_later(found, setting, simpler)  # no time of the mail that is answered
        or adjuncts.guarded(found, shorter)  # the whole change depends on it
        or adjuncts.beside(found, simpler)  # "after my last meeting": an event inside, which must not select
        or adjuncts.into_free_time(found, setting, simpler)  # "to my first free slot": no place and no event
        or adjuncts.changes_of_one(found, shorter)  # two verbs, one thing
        or parse_clause(found, agent)  # nothing stands beside it
    )


def parse_clause(found: Clause, agent: AgentName | None = None) -> Parse:
    """A clause and what it leaves out: "all but …" is split off, read apart, and taken from what is selected."""
    excepted = None if _of_proposal(found) else excepting.split(found)
    if excepted is None:
        return _by_mood(found, agent)
    whole, left_out = excepted
    plain = _by_mood(whole, agent)
    if plain.call is not None and plain.call.operation in ("event.slots", "event.free"):
        return _by_mood(found, agent)  # which read for themselves what time shall be left out
    return replace(excepting.without(plain, left_out), clause=found)


def _of_proposal(found: Clause) -> bool:
    return any(item.kind == "ref" and item.low == "proposal" for item in found.items)


def _by_mood(found: Clause, agent: AgentName | None) -> Parse:
    """Revisions before all, whatever their mood; then statements, deeds, and whatever asks."""
    if not found.items:
        return Parse(found, Reading())
    if _of_proposal(found):
        built = revising.revise(found, found.items)
    elif (asked := advising.advice(found)) is not None:
        return asked
    elif (chooses := preferring.preferred(found)) is not None:
        built = chooses
    elif found.mood == "do":
        return deed(found, agent)
    elif found.mood in ("things", "statement") and not found.negated and (told := cards.stated(found)):
        built = told
    elif found.mood == "wh":
        built = comparing(found, agent) or asking.wh(found, agent)
    elif found.mood == "fact":
        built = comparing(found, agent) or checking.fact(found, agent)
    elif found.mood == "things" and not found.negated:
        built = fragment(found, agent)
    else:
        built = None
    return built.parse(found) if built is not None else Parse(found, unread(found))


def domain_of(operation: str) -> str:
    return operation.partition(".")[0]


def agent_of(operation: str) -> AgentName | None:
    return AGENT_OF.get(domain_of(operation))
