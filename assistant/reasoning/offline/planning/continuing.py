"""Pieces of a message that say more of the step before them, and are no steps of their own."""

from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.planning.completing import completed
from assistant.reasoning.offline.planning.instructing import instruction_of
from assistant.reasoning.offline.planning.message.pieces import Piece
from assistant.reasoning.offline.planning.naming import titled_by_event, with_event
from assistant.reasoning.offline.planning.outline import REF, Draft, lookups, tidy
from assistant.reasoning.offline.reading.clauses.changes import POINTING, about_the_same, joined
from assistant.reasoning.offline.reading.grammar import parse


def goes_on(piece: Piece, draft: Draft) -> bool:
    """Whether the piece became part of the step before it."""
    return _changes_the_same(piece, draft) or _completes(piece, draft)


def _completes(piece: Piece, draft: Draft) -> bool:
    """A sentence that says more of the write before it becomes part of that step."""
    if not draft.steps or piece.role != "plain" or not criteria.writes(draft.calls[-1].operation):
        return False
    at = max(range(len(draft.steps)), key=lambda n: draft.steps[n].criterion.expects == "proposal" and draft.steps[n].id)
    before, call = draft.steps[at], draft.calls[-1]
    bare = before.instruction
    for gap in criteria.missing(call):
        bare = bare.replace(criteria.places(call, (gap,)), "")
    text = completed(bare, call, piece.text, draft.setting)
    whole = parse(text, draft.setting, before.agent) if text else None
    if text is not None and whole is not None and titled_by_event(whole):
        text = with_event(text, draft)
        whole = parse(text, draft.setting, before.agent) if text else None
    if text is None or whole is None or whole.call is None or whole.call.operation != call.operation:
        return False
    answered = {gap.what for gap in criteria.missing(call)} - {gap.what for gap in criteria.missing(whole.call)}
    draft.missing = [gap for gap in draft.missing if gap.what not in answered]
    needs = tuple(dict.fromkeys((*before.needs, *(int(ref) for ref in REF.findall(text)))))
    draft.steps[at] = before.model_copy(update={"instruction": text, "needs": needs})
    draft.calls[-1] = whole.call
    draft.goals[-1] = f"{draft.goals[-1]}; {tidy(piece.text)}"
    return True


def _changes_the_same(piece: Piece, draft: Draft) -> bool:
    """One more change of the event that the step before changes becomes part of that step."""
    before = draft.steps[-1] if draft.steps else None
    text = tidy(piece.text)
    if before is None or not about_the_same(parse(text, draft.setting).reading) or not POINTING & set(text.lower().split()):
        return False
    whole = parse(f"{before.instruction} and {_small(text)}", draft.setting)
    if (
        whole.call is None
        or not whole.reading.certain
        or joined(draft.calls[-1], parse(text, draft.setting).call or whole.call) is None
    ):
        return False
    edits = lookups(whole.recipients, before.when, draft)
    at = draft.steps.index(before)
    instruction = instruction_of(whole.clause.text, whole, edits)
    needs = tuple(dict.fromkeys((*before.needs, *(int(ref) for ref in REF.findall(instruction)))))
    draft.steps[at] = before.model_copy(update={"instruction": instruction, "needs": needs})
    draft.calls[-1] = whole.call
    draft.goals[-1] = f"{draft.goals[-1]} and {_small(text)}"
    gaps = criteria.missing(whole.call)
    draft.missing = [gap for gap in draft.missing if gap.what != "time" or gap in gaps]
    return True


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]
