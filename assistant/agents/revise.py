"""Changes to what is proposed: time, people, words, place. The result is a changed proposal, shown and asked about anew."""

from collections.abc import Mapping
from dataclasses import replace

from assistant.agents.base import Desk, Handler
from assistant.agents.proposed import is_event, is_mail, proposed, target, with_changed
from assistant.agents.report import Notes, Refusal
from assistant.agents.revise_people import add_person, drop_person, replace_person
from assistant.agents.revise_time import revise_duration, revise_time
from assistant.agents.sending import at_time, moved
from assistant.reasoning.calls import Call, Operation
from assistant.values import Brief, Data, Proposal
from integrations.actions import CancelEvent, CreateEvent, MarkMail, MoveMail, SaveDraft, SaveTemplate, SendMail, UpdateEvent
from integrations.errors import NotFound
from integrations.types import Mail


async def revise_body(call: Call, desk: Desk, notes: Notes) -> Data:
    if not (call.body or call.about):
        raise Refusal("not_understood", "Tell me what it should say instead.")
    places = target(call, desk, lambda p: is_mail(p) or isinstance(p.action, SaveTemplate | CreateEvent), "text")
    return with_changed(proposed(desk), places, lambda p: _worded(p, call))


def _worded(proposal: Proposal, call: Call) -> Proposal:
    """Dictated words are taken as they are; others become a brief for a new draft."""
    action = proposal.action
    if isinstance(action, CreateEvent):
        return proposal.model_copy(update={"action": action.model_copy(update={"description": call.body or call.about})})
    if isinstance(action, SaveTemplate):
        return proposal.model_copy(update={"action": action.model_copy(update={"body": call.body or call.about})})
    assert isinstance(action, SendMail | SaveDraft)
    if call.field == "more" and action.body:
        return proposal.model_copy(
            update={"action": action.model_copy(update={"body": f"{action.body}\n\n{_sentence(call.body)}"})}
        )
    changed = proposal.model_copy(update={"action": action.model_copy(update={"body": call.body}), "brief": None})
    if call.body:
        return changed
    kind = "reply" if action.reply_to else "forward" if action.forward_of else "mail"
    answering = proposal.before if isinstance(proposal.before, Mail) else None
    return changed.model_copy(update={"brief": Brief(kind=kind, about=call.about, to=action.to, answering=answering)})


def _sentence(text: str) -> str:
    """As a paragraph of its own."""
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".!?…" else ".")


async def revise_subject(call: Call, desk: Desk, notes: Notes) -> Data:
    """The subject of a mail, the title of an event: both words are used for both."""
    title = call.title or call.subject
    if not title:
        raise Refusal(
            "not_understood", "Tell me the new title." if call.operation == "revise.title" else "Tell me the new subject."
        )
    what = "title" if call.operation == "revise.title" else "subject"
    preferred, other = (is_event, is_mail) if what == "title" else (is_mail, is_event)
    fits = preferred if any(preferred(p) for p in proposed(desk)) else other
    places = target(call, desk, fits, what)
    return with_changed(proposed(desk), places, lambda p: _entitled(p, title))


def _entitled(proposal: Proposal, title: str) -> Proposal:
    action = proposal.action
    field = "title" if isinstance(action, CreateEvent | UpdateEvent) else "subject"
    old = getattr(action, field) or ""
    says = proposal.says.replace(f'"{old}"', f'"{title}"') if old else f'{proposal.says}, {field} "{title}"'
    return proposal.model_copy(update={"action": action.model_copy(update={field: title}), "says": says})


async def revise_draft(call: Call, desk: Desk, notes: Notes) -> Data:
    places = target(call, desk, lambda p: isinstance(p.action, SendMail), "mail")
    return with_changed(proposed(desk), places, _kept)


def _kept(proposal: Proposal) -> Proposal:
    """The same mail, saved and not sent."""
    fields = proposal.action.model_dump(exclude={"kind", "send_at", "html"})
    return proposal.model_copy(update={"action": SaveDraft.model_validate(fields), "says": f"save as a draft: {proposal.says}"})


async def revise_now(call: Call, desk: Desk, notes: Notes) -> Data:
    places = target(call, desk, _sends, "mail")
    return with_changed(proposed(desk), places, lambda p: at_time(p, None, desk))


async def revise_when(call: Call, desk: Desk, notes: Notes) -> Data:
    """The time of an event, or when a mail goes out."""

    def timed(proposal: Proposal) -> bool:
        return isinstance(proposal.action, SendMail) and (call.field == "send" or proposal.action.send_at is not None)

    if any(is_event(p) for p in proposed(desk)) or not any(map(timed, proposed(desk))):
        return await revise_time(call, desk, notes)
    places = target(call, desk, timed, "time")
    return with_changed(proposed(desk), places, lambda p: moved(p, call, desk, notes))


def _sends(proposal: Proposal) -> bool:
    return isinstance(proposal.action, SendMail)


async def revise_location(call: Call, desk: Desk, notes: Notes) -> Data:
    if not call.location:
        raise Refusal("not_understood", "Tell me the new place.")
    places = target(call, desk, is_event, "place")
    return with_changed(proposed(desk), places, lambda p: _placed(p, call.location))


def _placed(proposal: Proposal, location: str) -> Proposal:
    action = proposal.action.model_copy(update={"location": location})
    return proposal.model_copy(update={"action": action, "says": f"{proposal.says}, in {location}"})


def _as_it_stands(handler: Handler) -> Handler:
    """A kept proposal has lost what it would change: that is read anew, as it stands now."""

    async def handle(call: Call, desk: Desk, notes: Notes) -> Data:
        data = desk.results.get("proposal")
        if data is None or all(proposal.before for proposal in data.proposals):
            return await handler(call, desk, notes)
        proposals = tuple([await _with_before(proposal, desk) for proposal in data.proposals])
        results = {**desk.results, "proposal": data.model_copy(update={"proposals": proposals})}
        return await handler(call, replace(desk, results=results), notes)

    return handle


async def _with_before(proposal: Proposal, desk: Desk) -> Proposal:
    action = proposal.action
    if proposal.before is not None or not isinstance(action, UpdateEvent | CancelEvent | MoveMail | MarkMail):
        return proposal
    try:
        if isinstance(action, MoveMail | MarkMail):
            return proposal.model_copy(update={"before": await desk.readers.mail.get(action.mail)})
        return proposal.model_copy(update={"before": await desk.readers.calendar.get(action.event)})
    except NotFound:
        return proposal


_HANDLERS: Mapping[Operation, Handler] = {
    "revise.time": revise_when,
    "revise.now": revise_now,
    "revise.duration": revise_duration,
    "revise.add_person": add_person,
    "revise.drop_person": drop_person,
    "revise.replace_person": replace_person,
    "revise.body": revise_body,
    "revise.subject": revise_subject,
    "revise.draft": revise_draft,
    "revise.title": revise_subject,
    "revise.location": revise_location,
}
REVISIONS: Mapping[Operation, Handler] = {operation: _as_it_stands(handler) for operation, handler in _HANDLERS.items()}
