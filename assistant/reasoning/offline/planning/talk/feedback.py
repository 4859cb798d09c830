"""Feedback on the open proposal: the steps that change it, where the message is about it at all."""

from collections.abc import Sequence

from assistant.reasoning.base import Analysis, Request, Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.analyses import finished
from assistant.reasoning.offline.planning.lookups import lookups
from assistant.reasoning.offline.planning.outline import REF, Draft, note_entities, tidy
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.values import AgentName, Criterion, Proposal, Step


def revision(request: Request) -> Analysis | None:
    """The plan that changes the open proposal; None where the message is about something else."""
    draft = Draft(request, Memory(request))
    agent = _proposal_agent(request.proposal)
    last = parse(request.last, request.setting).call if request.last else None
    for text in _revising_pieces(request):
        instruction = f"In {{proposal}}: {text}"
        found = parse(instruction, request.setting)
        if found.call is None or not found.call.operation.startswith("revise.") or not _fits(found.call, request.proposal, last):
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
    items: Sequence[Item] = mark(request.text, request.setting)
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    items = items if _in_tone(stripped) or lows(items[:1]) in (["just"], ["only"]) else stripped
    named = _in_tone(items) and items[0].low not in ("send", "forward")
    keeps = named or lows(items[-1:]) in (["too"], ["well"])
    items = items if _dictated(stripped) or keeps else strip_closers(items)
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


def _in_tone(items: Sequence[Item]) -> bool:
    """ "And Omar", "Omar instead": a word in front or behind says whether he comes in addition or in the place of another."""
    if not items:
        return False
    return items[0].kind in ("person", "name", "address") or items[0].low in ("to", "with", "send", "forward")


PEOPLE = frozenset({"revise.add_person", "revise.replace_person"})


def _fits(call: Call, proposals: Sequence[Proposal], last: Call | None = None) -> bool:
    """Whether it is something that these proposals have: nobody is replaced in a deletion, no hour changed in a mail; behind
    "half an hour later", "an hour" is no length."""
    kinds = {proposal.action.kind for proposal in proposals}
    if call.operation == "revise.duration" and last is not None and last.shift is not None:
        return False
    if call.operation in PEOPLE:
        return any(hasattr(p.action, line) for p in proposals for line in ("to", "attendees", "add_attendees"))
    return not (fitting := HAVING.get(call.operation)) or bool(kinds & fitting)


EVENTS, MAILS = frozenset({"create_event", "update_event"}), frozenset({"send_mail", "save_draft"})
HAVING = {
    "revise.time": EVENTS,
    "revise.duration": EVENTS,
    "revise.location": EVENTS,
    "revise.title": EVENTS | MAILS,
    "revise.subject": EVENTS | MAILS,
    "revise.body": MAILS | {"save_template", "create_event"},
    "revise.draft": MAILS,
}
"""The kinds of action that have what a change is about; anybody and any item can be left out of all of them."""


def _dictated(items: Sequence[object]) -> bool:
    lead = [getattr(item, "low", "") for item in items[:2]]
    return lead[:1] in (["say"], ["write"], ["mention"], ["add"]) or lead in (["also", "say"], ["with", "the"], ["with", "a"])


def _revises(text: str, setting: Setting, *, swap: bool = False) -> bool:
    call = parse(f"In {{proposal}}: {text}", setting).call
    return call is not None and (not swap or call.operation in ("revise.replace_person", "revise.body"))


def _proposal_agent(proposals: Sequence[Proposal]) -> AgentName:
    kind = proposals[0].action.kind if proposals else ""
    if "event" in kind or kind == "answer_invitation":
        return "calendar"
    return "contacts" if "contact" in kind else "email"
