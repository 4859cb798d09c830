"""Feedback on the open proposal: the steps that change it, where the message is about it at all."""

import re
from collections.abc import Sequence
from datetime import datetime

from assistant.reasoning.base import Analysis, Request
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.planning.analyses import finished
from assistant.reasoning.offline.planning.lookups import lookups
from assistant.reasoning.offline.planning.outline import REF, Draft, note_entities, tidy
from assistant.reasoning.offline.planning.talk.amendments import amendments
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.planning.talk.rewording import reworded
from assistant.reasoning.offline.reading.grammar import parse
from assistant.values import AgentName, Criterion, Proposal, Step


def revision(request: Request) -> Analysis | None:
    """The plan that changes the open proposal; None where the message is about something else."""
    draft = Draft(request, Memory(request))
    agent = _proposal_agent(request.proposal)
    last = parse(request.last, request.setting).call if request.last else None
    before = 0
    for text in reworded(request) or amendments(request, _begins(request.proposal)):
        instruction = f"In {{proposal}}: {text}"
        found = parse(instruction, request.setting)
        if found.call is not None and _leaves_out_too(found.call, text, request.proposal):
            instruction = f"In {{proposal}}: without {' and '.join(person.text or person.email for person in found.call.to)}"
            found = parse(instruction, request.setting)
        if found.call is None or not found.call.operation.startswith("revise.") or not _fits(found.call, request.proposal, last):
            return None
        edits = lookups(found.recipients, None, draft)
        words = instruction
        for begin, end, ref in sorted(edits, reverse=True):
            words = words[:begin] + ref + words[end:]
        number = len(draft.steps) + 1
        rule = Criterion(words="the proposal is changed as asked", expects="proposal")
        needs = tuple(dict.fromkeys([*([before] if before else []), *(int(ref) for ref in REF.findall(words))]))
        before = number
        draft.steps.append(Step(id=number, agent=agent, instruction=words, criterion=rule, priority=6, needs=needs))
        draft.calls.append(found.call)
        draft.goals.append(f"change the proposal: {tidy(text)}")
        note_entities(found.call, draft)
    return finished(draft, "The message revises the open proposal.") if draft.steps else None


INVITING = re.compile(r"\b(?:add|invite|include|bring|put|cc|copy|loop)\b", re.IGNORECASE)


def _leaves_out_too(call: Call, text: str, proposals: Sequence[Proposal]) -> bool:
    """ "Lena as well", where guests are only taken off: she is taken off, too."""
    takes_off = all(getattr(p.action, "remove_attendees", ()) and not getattr(p.action, "add_attendees", ()) for p in proposals)
    return call.operation == "revise.add_person" and takes_off and not INVITING.search(text)


PEOPLE = frozenset({"revise.add_person", "revise.replace_person"})


def _fits(call: Call, proposals: Sequence[Proposal], last: Call | None = None) -> bool:
    """Whether it is something that these proposals have: nobody is replaced in a deletion, no hour changed in a mail; behind
    "half an hour later", "an hour" is no length."""
    kinds = {proposal.action.kind for proposal in proposals}
    if call.operation == "revise.duration" and last is not None and last.shift is not None:
        return False
    if call.operation in PEOPLE:
        return any(hasattr(p.action, line) for p in proposals for line in ("to", "attendees", "add_attendees"))
    if call.operation == "revise.time" and not kinds & EVENTS:
        return "send_mail" in kinds and (call.field == "send" or any(getattr(p.action, "send_at", None) for p in proposals))
    return not (fitting := HAVING.get(call.operation)) or bool(kinds & fitting)


EVENTS, MAILS = frozenset({"create_event", "update_event"}), frozenset({"send_mail", "save_draft"})
HAVING = {
    "revise.time": EVENTS,
    "revise.now": frozenset({"send_mail"}),
    "revise.duration": EVENTS,
    "revise.location": EVENTS,
    "revise.title": EVENTS | MAILS,
    "revise.subject": EVENTS | MAILS,
    "revise.body": MAILS | {"save_template", "create_event"},
    "revise.draft": MAILS,
}
"""The kinds of action that have what a change is about; anybody and any item can be left out of all of them."""


def _begins(proposals: Sequence[Proposal]) -> datetime | None:
    """When the one event that is proposed begins."""
    starts = [at for p in proposals if (at := getattr(p.action, "start", None) or getattr(p.before, "start", None)) is not None]
    return starts[0] if len(starts) == 1 else None


def _proposal_agent(proposals: Sequence[Proposal]) -> AgentName:
    kind = proposals[0].action.kind if proposals else ""
    if "event" in kind or kind == "answer_invitation":
        return "calendar"
    return "contacts" if "contact" in kind else "email"
