"""What a message says beside its requests: what is told, what a request is not to do, and what is to be left alone."""

import re

from assistant.reasoning.offline.planning.counted import limited
from assistant.reasoning.offline.planning.message.needing import states_aim, states_done, states_meeting, states_need
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.message.telling import is_told, remember
from assistant.reasoning.offline.planning.outline import Draft, Sentence, noun_of
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.resting import rest_from

NEGATION = re.compile(r"^(?:(?:please|but|so|ok|no),? )*(?:do not|don['\u2019]?t|never|no need to|not) ", re.IGNORECASE)
AS_WELL = re.compile(r"^[\s,;.!]*(?:and|or|nor)\b(?! (?:just|only|instead|rather)\b)", re.IGNORECASE)


def told_beside(piece: Piece, draft: Draft) -> bool:
    """A piece that is only told, or a wish for how many there should be of something."""
    told = piece.role == "told" or (piece.role == "plain" and limited(piece.text, draft.memory, draft.setting))
    if told:
        draft.note(piece.text)
    return told


def states(piece: Piece, text: str, draft: Draft) -> bool:
    """A need, an aim or something done, told in words that could be read as a request; `text` has what it points at."""
    stated = piece.role == "plain" and any(tells(text, draft) for tells in (states_need, states_done, states_aim, states_meeting))
    if stated:
        draft.note(piece.text)
    return stated


def asks_nothing(one: Sentence, draft: Draft) -> bool:
    """What is read as no request: a constraint of the one before, what is to be left alone, a statement; any other is refused."""
    if one.found.call is not None:
        return False
    piece, clause = one.piece, one.found.clause
    negated = clause.mood == "do" and clause.negated
    if draft.steps and (negated or rest_from(strip_closers(mark(piece.text, draft.setting))) == 0):
        draft.constraints.append(piece.text.rstrip(".!"))
    elif negated and piece.role == "plain" and _contrasted(piece.text, draft.request.text):
        _refrain(piece.text, draft)
    elif piece.role == "plain" and is_told(piece, one.found):
        remember(piece.text, draft)
        draft.note(piece.text)
    else:
        draft.refuse(piece.text)
    return True


def _contrasted(text: str, message: str) -> bool:
    """Whether something else follows instead; behind "and" and "or" the negation may go on."""
    rest = message.partition(text.rstrip(" .!"))[2]
    return bool(rest.strip(" .!")) and AS_WELL.match(rest) is None


def _refrain(text: str, draft: Draft) -> None:
    """Keeps what is not to be done, and what it is about, which "it" and "them" then mean."""
    draft.refrained.append(text.rstrip(" .!"))
    draft.constraints.append(text.rstrip(" .!"))
    call = (found := parse(deed := NEGATION.sub("", text, count=1), draft.setting)).call
    if call is None:
        return
    if found.thing is not None:
        draft.memory.thing = deed[found.thing[0] : found.thing[1]].strip(" ,")
        draft.memory.noun = noun_of(call)
    people = [person.text or person.email for person in (*call.to, *call.select.people) if not person.ref]
    draft.memory.person = next(iter(people), draft.memory.person)
