"""What an action does, in one clause, told from the action itself and what stands now: for writes that nobody described."""

from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    DeleteContact,
    DeleteDraft,
    DeleteTemplate,
    MarkMail,
    MoveMail,
    RestoreContact,
    RestoreEvent,
    SaveDraft,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import TRASH, Address, ContactRef, EventRef, MailRef
from risk.evidence import Evidence
from risk.provenance import leaves
from risk.text import line
from risk.times import moment_words, span_words


def clause(action: Action, evidence: Evidence) -> str:
    """ "send a mail to Anna Berg: “Budget”", "create “Dentist”, Fri 27 Nov, 10:00-11:00"."""
    match action:
        case SendMail() | SaveDraft():
            when = action.send_at if isinstance(action, SendMail) else None
            moment = moment_words(when, zone=evidence.local, today=evidence.now.date()) if when else ""
            return f"{_mail(action)}, to go out {moment}" if moment else _mail(action)
        case MarkMail() | MoveMail() | DeleteDraft():
            return f"{_filing(action)} {_subject(action.mail, evidence)}"
        case CreateEvent():
            who = f" with {_names(action.attendees)}" if action.attendees else ""
            return f"create {_quoted(action.title)}, {_when(action, evidence)}{who}"
        case UpdateEvent():
            return f"change {_event(action.event, evidence)}"
        case CancelEvent():
            if leaves(action, evidence.event(action.event)):
                return f"remove {_event(action.event, evidence)} from your calendar"
            return f"cancel {_event(action.event, evidence)}"
        case AnswerInvitation():
            return f"answer {_event(action.event, evidence)}: {action.answer}"
        case RestoreEvent():
            return f"put {_event(action.event, evidence)} back"
        case CreateContact():
            return f"add {line(action.name)} to your contacts"
        case UpdateContact() | DeleteContact() | RestoreContact():
            does = {"update_contact": "change", "delete_contact": "delete", "restore_contact": "put back"}[action.kind]
            return f"{does} the contact {_contact(action.contact, evidence)}"
        case SaveTemplate():
            return f"save the template {_quoted(action.name)}"
        case DeleteTemplate():
            return f"delete the template {_quoted(action.name)}"


def _mail(action: SendMail | SaveDraft) -> str:
    what = "a reply" if action.reply_to else "a forwarded mail" if action.forward_of else "a mail"
    does = "send" if isinstance(action, SendMail) else "save as a draft"
    subject = f": {_quoted(action.subject)}" if action.subject else ""
    return f"{does} {what} to {_names(action.to + action.cc + action.bcc)}{subject}"


def _filing(action: MarkMail | MoveMail | DeleteDraft) -> str:
    if isinstance(action, DeleteDraft):
        return "delete the draft"
    if isinstance(action, MoveMail):
        return "move to the trash" if action.folder == TRASH else f"move to {line(action.folder)}"
    states = {(True, None): "mark as read", (False, None): "mark as unread", (None, True): "flag", (None, False): "unflag"}
    return states.get((action.seen, action.flagged), "mark")


def _names(addresses: tuple[Address, ...]) -> str:
    names = [line(a.name) or a.email for a in addresses]
    if len(names) > 3:
        return f"{', '.join(names[:3])} and {len(names) - 3} others"
    return " and ".join(names) if names else "nobody"


def _subject(ref: MailRef, evidence: Evidence) -> str:
    mail = evidence.mail(ref)
    return _quoted(mail.subject) if mail else "a mail that is not there"


def _event(ref: EventRef, evidence: Evidence) -> str:
    event = evidence.event(ref)
    if event is None:
        return "an event that is not there"
    zone = evidence.now.tzinfo or event.start.tzinfo
    assert zone is not None
    return f"{_quoted(event.title)}, {span_words(event.start, event.end, event.all_day, zone=zone, today=evidence.now.date())}"


def _contact(ref: ContactRef, evidence: Evidence) -> str:
    found = evidence.contact(ref)
    return line(found.name) if found else "that is not there"


def _when(action: CreateEvent, evidence: Evidence) -> str:
    zone = evidence.now.tzinfo
    assert zone is not None
    return span_words(action.start, action.end, action.all_day, zone=zone, today=evidence.now.date())


def _quoted(text: str) -> str:
    return f"“{line(text)}”"
