"""The open proposal: what of it is meant, and what about it can be changed."""

from collections.abc import Callable, Sequence

from assistant.agents.base import Desk
from assistant.agents.report import Refusal, ask
from assistant.agents.words import listing, resembles
from assistant.reasoning.calls import Call
from assistant.values import Data, Proposal
from integrations.actions import CreateEvent, SaveDraft, SaveTemplate, SendMail, UpdateEvent

Fits = Callable[[Proposal], bool]


def proposed(desk: Desk) -> tuple[Proposal, ...]:
    data = desk.results.get("proposal")
    if data is None or not data.proposals:
        raise Refusal("not_found", "There is no open proposal to change.")
    return data.proposals


def changeable(proposals: Sequence[Proposal]) -> str:
    """What can be changed about these, for people."""
    parts = []
    if any(is_mail(p) for p in proposals):
        parts.append("recipients, subject and text of a mail")
    if any(isinstance(p.action, SendMail) for p in proposals):
        parts.append("when it goes out")
    if any(is_event(p) for p in proposals):
        parts.append("time, length, people, title and place of an event")
    if any(isinstance(p.action, SaveTemplate) for p in proposals):
        parts.append("the text of a template")
    return listing(parts) if parts else "only which items are in it"


def unfit(proposals: Sequence[Proposal], what: str) -> Refusal:
    return Refusal("not_understood", f"This proposal has no {what} to change; you can change {changeable(proposals)}.")


def is_mail(proposal: Proposal) -> bool:
    return isinstance(proposal.action, SendMail | SaveDraft)


def is_event(proposal: Proposal) -> bool:
    return isinstance(proposal.action, CreateEvent | UpdateEvent)


def target(call: Call, desk: Desk, fits: Fits, what: str) -> list[int]:
    """The places of the proposals meant; with several that fit the user must say which."""
    proposals = proposed(desk)
    fitting = [n for n, p in enumerate(proposals) if fits(p)]
    if call.select.words and len(fitting) > 1:
        fitting = [n for n in fitting if resembles(call.select.words, proposals[n].says)] or fitting
    if not fitting:
        raise unfit(proposals, what)
    if len(fitting) == 1 or call.select.each:
        return fitting
    if call.select.order:
        at = -1 if call.select.order == "last" else (call.select.number - 1 if call.select.order == "nth" else 0)
        return [fitting[at]] if -1 <= at < len(fitting) else fitting[:0]
    entity = f"whose {what} to change"
    chosen = desk.settled(entity)
    for n in fitting:
        if chosen and chosen in (f"proposal {n + 1}", proposals[n].says):
            return [n]
    raise ask(entity, f"Whose {what} shall I change?", [(proposals[n].says, f"proposal {n + 1}") for n in fitting])


def with_changed(proposals: Sequence[Proposal], places: Sequence[int], change: Callable[[Proposal], Proposal]) -> Data:
    return Data(kind="proposals", proposals=tuple(change(p) if n in places else p for n, p in enumerate(proposals)))
