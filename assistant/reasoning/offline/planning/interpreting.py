"""One piece of a message into the plan: a step with the look-ups it needs, more of the step before, an aside, or a refusal."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.reasoning.base import Request
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.planning.asides import asks_nothing, states, told_beside
from assistant.reasoning.offline.planning.completing import goes_on
from assistant.reasoning.offline.planning.context import in_context, of_shown_mail, with_place
from assistant.reasoning.offline.planning.counted import counted
from assistant.reasoning.offline.planning.elapsed import since_last
from assistant.reasoning.offline.planning.kinds import of_either_kind
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.outline import Draft, Sentence
from assistant.reasoning.offline.planning.refusals import (
    refused_as_said,
    refused_branch,
    refused_check,
    refused_condition,
    refused_day,
    refused_guess,
    refused_half_read,
)
from assistant.reasoning.offline.planning.sharing import by_deed, shared
from assistant.reasoning.offline.planning.steps import add
from assistant.reasoning.offline.planning.talk.attendants import with_us
from assistant.reasoning.offline.planning.talk.offered import in_the_way, taken_up
from assistant.reasoning.offline.planning.talk.references import resolve
from assistant.reasoning.offline.reading.clauses.changes import of_one_event
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.values import When


def interpret(piece: Piece, draft: Draft) -> None:
    """Each way of settling a piece is tried in its order; what none of them settles becomes a step."""
    if piece.role == "check":
        piece = _said_in_full(piece, draft)
    if any(settles(piece, draft) for settles in AS_SAID):
        return
    before = len(draft.memory.unresolved)
    piece = _by_deed(piece, draft)
    if _looks_up_and_sends(piece, draft):
        return
    text = _in_whole_words(piece, draft)
    if states(piece, text, draft):
        return
    one = Sentence(piece, text, parse(text, draft.setting), draft.memory.unresolved[before:])
    one = of_shown_mail(one, draft.request)
    if any(settles(one, draft) for settles in AS_READ):
        return
    one = with_place(one, draft)
    if refused_condition(one, draft):
        return
    draft.company = _unmet(one, draft) or draft.company
    one = in_context(one, draft)
    if not any(settles(one, draft) for settles in IN_CONTEXT):
        _plan(one, draft)


def _said_in_full(piece: Piece, draft: Draft) -> Piece:
    """A condition with whom, how long ago and how many it is about."""
    draft.memory.person = draft.memory.person or _first_person(draft.request)
    text = since_last(piece.text, draft.memory, draft.setting)
    text = with_us(text, draft.memory.person, parse(text, draft.setting).call)
    return replace(piece, text=counted(text, draft.memory, draft.setting))


def _first_person(request: Request) -> str:
    """Whom "he" means in "send Tom a mail if he hasn't replied": a condition is looked at before what stands in front of it."""
    return next((item.text for item in mark(request.text, request.setting) if item.kind == "person"), "")


def _by_deed(piece: Piece, draft: Draft) -> Piece:
    """ "The number of whoever sent me the quote": who that is gets a step of its own, to which the rest refers."""
    someone = by_deed(piece.text, draft.setting) if piece.role != "check" else None
    if someone is None:
        return piece
    who, rest = someone
    interpret(replace(piece, text=who), draft)
    return replace(piece, text=f"{rest}{{{draft.steps[-1].id}}}") if draft.steps else piece


def _looks_up_and_sends(piece: Piece, draft: Draft) -> bool:
    """ "Send Lena a list of my events": what is to be sent gets a step of its own, unless the one before has found it."""
    last = draft.calls[-1].operation if draft.calls else None
    mails = f"{{{draft.steps[-1].id}}}" if last in ("mail.find", "mail.read", "mail.summarise") else ""
    what = shared(piece.text, draft.setting, mails) if piece.role != "check" else None
    if what is None or not (what.query or (last is not None and not criteria.writes(last))):
        return False
    before = len(draft.steps)
    if what.query:
        interpret(replace(piece, text=what.query), draft)
    if len(draft.steps) > (before if what.query else 0) and not draft.failed:
        interpret(replace(piece, text=what.sending(draft.steps[-1].id)), draft)
    return True


def _in_whole_words(piece: Piece, draft: Draft) -> str:
    """The piece with what it points at; an offer that it takes up is said in its place."""
    offered = "" if draft.steps else taken_up(piece.text, draft.request) or in_the_way(piece.text, draft.request)
    said = offered or piece.text
    found = parse(said, draft.setting)
    chooses = found.call is not None and found.call.operation == "event.choose"
    return said if chooses or of_one_event(found) else resolve(said, draft.memory)


ALONE = frozenset({"myself", "alone", "block", "reserve", "hold", "keep", "focus", "prepare", "remind", "me"})


def _unmet(one: Sentence, draft: Draft) -> str:
    """Whom "if not, schedule half an hour …" is with: those whom the user has no meeting with, or had none for long."""
    role = one.piece.role
    if role not in ("if", "else") or draft.check is None or ALONE & set(one.text.lower().replace(",", " ").split()):
        return ""
    number, negated = draft.check
    step = draft.steps[number - 1]
    asked = parse(step.instruction, draft.setting, step.agent).call
    if asked is None or not asked.operation.startswith("event.") or asked.select.words:
        return ""
    if asked.select.when is None and asked.fits is None:
        return ""
    long_ago = asked.fits is not None and asked.fits.when is not None and asked.fits.when.start is None
    if ((role == "if") != negated) != long_ago:
        return ""
    return " and ".join(person.text or person.email or f"{{{person.ref}}}" for person in asked.select.people)


PRONOUNS = frozenset({"her", "his", "their", "him", "them", "it", "accordingly"})


def _said_twice(one: Sentence, draft: Draft) -> bool:
    """ "It has to be cancelled. Cancel it", "Her number is …; update her card": no second step."""
    kept = draft.calls[-1] if draft.calls else None
    card = kept is not None and kept.operation == "contact.update" == one.call.operation
    if kept is not None and card and not one.call.details:
        pointed = all(person.text.lower() in PRONOUNS for person in one.call.select.people)
        return pointed or one.call.select.people == kept.select.people
    return one.piece.role == "plain" and one.call in draft.calls and criteria.writes(one.call.operation)


def _plan(one: Sentence, draft: Draft) -> None:
    """The step, and what later pieces hang on or point at."""
    piece, memory = one.piece, draft.memory
    spoken_of = memory.thing, memory.noun
    add(one.text, one.found, _when(piece, draft), draft)
    if piece.of_it:
        memory.thing, memory.noun = spoken_of
    if piece.role == "check" or (piece.role == "plain" and not criteria.writes(one.call.operation)):
        draft.check = (draft.steps[-1].id, piece.negated)
    draft.both = piece.also or (draft.both and piece.role != "check")


def _when(piece: Piece, draft: Draft) -> When | None:
    """What the step hangs on: the check before it, in the way it has to come out."""
    if draft.check is None:
        return None
    step, negated = draft.check
    if piece.role in ("if", "else"):
        return When(step=step, holds=(piece.role == "if") != negated)
    return When(step=step, holds=not negated) if piece.also else None


AS_SAID: Sequence[Callable[[Piece, Draft], bool]] = (told_beside, refused_as_said, goes_on)
AS_READ: Sequence[Callable[[Sentence, Draft], bool]] = (refused_check, asks_nothing)
IN_CONTEXT: Sequence[Callable[[Sentence, Draft], bool]] = (
    refused_day, refused_half_read, of_either_kind, _said_twice, refused_guess, refused_branch,
)  # fmt: skip
"""What settles a piece: by its own words, as it is read for itself, and as it is read in its context."""
