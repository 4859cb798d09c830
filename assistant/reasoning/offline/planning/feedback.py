"""Feedback on the open proposal: the steps that change it, where the message is about it at all."""

from collections.abc import Sequence

from assistant.reasoning.base import Analysis, Request, Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.outline import REF, Draft, finished, lookups, note_entities, tidy
from assistant.reasoning.offline.planning.references import Memory
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import lows, strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.values import AgentName, Criterion, Proposal, Step


def revision(request: Request) -> Analysis | None:
    """The plan that changes the open proposal; None where the message is about something else."""
    draft = Draft(request, Memory(request))
    agent = _proposal_agent(request.proposal)
    for text in _revising_pieces(request):
        instruction = f"In {{proposal}}: {text}"
        found = parse(instruction, request.setting)
        if found.call is None or not found.call.operation.startswith("revise."):
            return None
        edits = lookups(found.recipients, None, draft)
        words = instruction
        for begin, end, ref in sorted(edits, reverse=True):
            words = words[:begin] + ref + words[end:]
        number = len(draft.steps) + 1
        rule = Criterion(words="the proposal is changed as asked", expects="proposal")
        needs = tuple(dict.fromkeys(int(ref) for ref in REF.findall(words)))
        draft.steps.append(Step(id=number, agent=agent, instruction=words, criterion=rule, priority=6, needs=needs))
        draft.calls.append(found.call)
        draft.goals.append(f"change the proposal: {tidy(text)}")
        note_entities(found.call, draft)
    return finished(draft, "The message revises the open proposal.") if draft.steps else None


def _revising_pieces(request: Request) -> list[str]:
    """The message, split at "and" only where both sides change the proposal."""
    items, _ = strip_openers(mark(request.text, request.setting), lexicon().polite["openers"])
    items = strip_closers(items) if not _dictated(items) else items
    if not items:
        return [request.text]
    words = lows(items)
    whole = request.text[items[0].begin : items[-1].end]
    for at, word in enumerate(words[1:-1], 1):
        if word in ("and", ",", "but", "then"):
            left = request.text[items[0].begin : items[at - 1].end]
            right = request.text[items[at + 1].begin : items[-1].end]
            if (
                _revises(left, request.setting)
                and _revises(right, request.setting)
                and not _revises(whole, request.setting, swap=True)
            ):
                rest = request.model_copy(update={"text": right})
                return [left, *_revising_pieces(rest)]
    return [whole]


def _dictated(items: Sequence[object]) -> bool:
    return bool(items) and getattr(items[0], "low", "") in ("say", "write")


def _revises(text: str, setting: Setting, *, swap: bool = False) -> bool:
    call = parse(f"In {{proposal}}: {text}", setting).call
    return call is not None and (not swap or call.operation in ("revise.replace_person", "revise.body"))


def _proposal_agent(proposals: Sequence[Proposal]) -> AgentName:
    kind = proposals[0].action.kind if proposals else ""
    if "event" in kind or kind == "answer_invitation":
        return "calendar"
    return "contacts" if "contact" in kind else "email"
