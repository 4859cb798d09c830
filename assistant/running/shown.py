"""What a flow showed, asked for and settled, for the messages that come after it."""

import re
from collections.abc import Iterable

from assistant.briefing.numbers import numbered, of_lines
from assistant.pipeline.state import FlowState
from assistant.reasoning.lines import size
from assistant.values import Data, Failure, Shown, Step
from integrations.actions import CreateContact
from integrations.types import Address, Contact, Event, Mail


def showing(state: FlowState) -> tuple[Shown, ...]:
    """What a flow showed that "it" and "the second one" can mean: what it created, else the last result with something in it."""
    if state.made:
        return (Shown(text=state.text, data=Data(kind="events", events=state.made), counted=len(state.made) > 1),)
    if state.briefing is not None and (lines := numbered(state.briefing)):
        return (Shown(text=state.text, data=light(of_lines(lines)), lines=lines),)
    for step in reversed(state.steps):
        report = state.reports.get(step.id)
        if report is None or isinstance(report, Failure):
            continue
        data = touched(report.data) if report.data.proposals or report.data.already else report.data
        if data.mails or data.events or data.contacts or data.addresses or data.slots or data.clashes:
            as_said = state.analysis is None or state.analysis.as_said
            return (Shown(text=state.text, data=light(data), as_said=as_said, counted=_is_numbered(report.data, step)),)
    return ()


def _is_numbered(data: Data, step: Step) -> bool:
    """A list of one is, but for a mail that is read, and for what one looks at of a briefing, whose numbers count on."""
    is_read = any(mail.body for mail in data.mails) or OF_LINE.search(step.instruction) is not None
    return not (data.proposals or data.already) and (size(data) > 1 or not is_read)


def asks(state: FlowState) -> bool:
    """Whether a flow was a request of the user, understood or not; not talk, a command or a bare yes or no."""
    return state.analysis is not None and not state.background and state.analysis.intent.request not in ("talk", "command")


def spoken_of(state: FlowState) -> str:
    """What a flow was about: what it was asked for, in whole words, else the message itself."""
    return requested(state) or state.text


def requested(state: FlowState) -> str:
    """What a flow was asked for, in whole words; empty where it was talk, a command or a change of a proposal."""
    analysis = state.analysis
    if analysis is None or analysis.command or not analysis.plan.steps or state.background:
        return ""
    words = (state.text if state.wording else analysis.words) or analysis.intent.goal
    goal = "" if settles(state) or words.endswith("…") else words
    if state.proposals:
        return OF_SHOWN.sub(r"the \1 {shown}", goal)
    older = {"{shown}": "{shown1}", "{shown1}": "{shown2}"} if showing(state) else {}
    return SHOWN_REF.sub(lambda found: older.get(found[0], found[0]), goal)


OF_LINE = re.compile(r"\{line\d+\}")
OF_SHOWN = re.compile(r"\bthe (?:[\w-]+ ){1,3}?(mails?|events?|contacts?) of \{shown\d?\}")
"""What a write has singled out among the things shown is itself what was shown last, behind it."""
SHOWN_REF = re.compile(r"\{shown\d?\}")


def settles(state: FlowState) -> bool:
    """Whether it changed, gave up or took back what was asked for, on which nothing leans any more."""
    given_up = state.course in ("drop", "undo") or (state.analysis is not None and state.analysis.command is not None)
    return given_up or any("{proposal}" in step.instruction for step in state.steps)


def touched(data: Data) -> Data:
    """The things that the proposed writes are about, or that were as wished already."""
    if data.already:
        kind = "mails" if data.mails else "events" if data.events else "contacts"
        return Data(kind=kind, mails=data.mails, events=data.events, contacts=data.contacts)
    before: Iterable[Mail | Event | Contact] = [p.before for p in data.proposals if p.before]
    mails = tuple(b for b in before if isinstance(b, Mail))
    events = tuple(b for b in before if isinstance(b, Event))
    contacts = tuple(b for b in before if isinstance(b, Contact))
    people = tuple(a for p in data.proposals for a in getattr(p.action, "to", ()) or getattr(p.action, "attendees", ()))
    people += tuple(a for p in data.proposals for a in getattr(p.action, "add_attendees", ()))
    added = tuple(p.action for p in data.proposals if isinstance(p.action, CreateContact))
    people += tuple(Address(email=card.emails[0], name=card.name) for card in added if card.emails)
    kind = "mails" if mails else "events" if events else "contacts" if contacts else "addresses"
    return Data(kind=kind, mails=mails, events=events, contacts=contacts, addresses=people)


def light(data: Data) -> Data:
    """Without the texts of mails, which can be read again."""
    return data.model_copy(update={"mails": tuple(m.model_copy(update={"body": ""}) for m in data.mails), "proposals": ()})
