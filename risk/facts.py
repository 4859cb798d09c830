"""Plain facts about a proposal: what the rules of the matrix ask."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateEvent,
    DeleteContact,
    DeleteDraft,
    MarkMail,
    MoveMail,
    RestoreEvent,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import DRAFTS, OUTBOX, SENT, Event, Mail, Value
from risk.evidence import Evidence, answered, contact_before, event_before, forwarded, key_of
from risk.operations import DELETING, UNDOABLE, operations_of
from risk.provenance import Recipient, leaves, others_in, people_of, reached
from risk.text import addresses_in, line

__all__ = ["COUNTS", "FLAGS", "ActionFacts", "Evidence", "Facts", "facts_of", "key_of"]

FLAGS: Mapping[str, str] = {
    "reaches_others": "somebody other than the user hears of it",
    "unknown_recipient": "an address that neither the user wrote nor anything of theirs vouches for",
    "others_attend": "others are in the event, before or after, and it changes for them",
    "others_organise": "somebody else organises the event",
    "whole_series": "it changes every event of a series",
    "past": "the event is over",
    "undoable": "it can be taken back",
    "unseen": "what it changes could not be looked at",
    "guarded_folder": "it files a mail where mail is sent from or kept as written by the user",
    "unsaid_address": "a contact gets an address that the user did not write",
}
"""Facts about one action that are true or false."""

COUNTS: Mapping[str, str] = {
    "recipients": "different addresses that mail goes to",
    "sent": "mails sent",
    "deletions": "things deleted",
    "mails": "mails marked or moved",
    "events": "events created or changed",
}
"""Numbers about the whole proposal."""


GUARDED = frozenset(name.casefold() for name in (OUTBOX, SENT, DRAFTS))


class ActionFacts(Value):
    """`others` and `unknown` are for people to read; `text` is what would newly be said, without quoted history."""

    operations: frozenset[str]
    subject: str = ""
    folder: str = ""
    others: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    text: str = ""
    reaches_others: bool = False
    unknown_recipient: bool = False
    others_attend: bool = False
    others_organise: bool = False
    whole_series: bool = False
    past: bool = False
    undoable: bool = False
    unseen: bool = False
    guarded_folder: bool = False
    unsaid_address: bool = False


class Facts(Value):
    each: tuple[ActionFacts, ...]
    counts: Mapping[str, int]


def facts_of(actions: Sequence[Action], evidence: Evidence) -> Facts:
    each = tuple(_facts(action, evidence) for action in actions)
    mails = [action for action in actions if isinstance(action, SendMail)]
    touched = {(action.account, action.mail.id) for action in actions if isinstance(action, MarkMail | MoveMail)}
    changing = {"create_event", "move_event", "update_event", "invite", "uninvite", "cancel_event"}
    counts = {
        "recipients": len({person.email.lower() for mail in mails for person in mail.to + mail.cc + mail.bcc}),
        "sent": len(mails),
        "deletions": _count(each, DELETING),
        "mails": len(touched),
        "events": _count(each, changing),
    }
    return Facts(each=each, counts=counts)


def _count(each: Iterable[ActionFacts], operations: Iterable[str]) -> int:
    wanted = frozenset(operations)
    return sum(1 for facts in each if facts.operations & wanted)


def _facts(action: Action, evidence: Evidence) -> ActionFacts:
    operations = operations_of(action)
    people = reached(action, evidence)
    others = [person for person in people if person.address.email not in evidence.own]
    unknown = [person for person in others if not person.known and person.line in ("to", "cc", "bcc", "invited")]
    event = event_before(action, evidence)
    attended = isinstance(action, CreateEvent | UpdateEvent | CancelEvent | RestoreEvent) and bool(others)
    return ActionFacts(
        operations=operations,
        subject=line(_subject(action, evidence)),
        folder=line(getattr(action, "folder", "")),
        others=tuple(sorted({_label(person, evidence) for person in others})),
        unknown=tuple(sorted({line(str(person.address)) for person in unknown})),
        text=_text(action, evidence),
        reaches_others=bool(others) and operations != {"draft"},
        unknown_recipient=bool(unknown),
        others_attend=attended or (bool(others_in(event, evidence.own)) and not leaves(action, event)),
        others_organise=leaves(action, event) or bool(event and event.organizer and event.organizer.email not in evidence.own),
        whole_series=_whole_series(action, event),
        past=_past(action, event, evidence),
        undoable=operations <= UNDOABLE,
        unseen=_unseen(action, evidence),
        guarded_folder=isinstance(action, MoveMail) and action.folder.casefold() in GUARDED,
        unsaid_address=_unsaid_address(action, evidence),
    )


def _label(person: Recipient, evidence: Evidence) -> str:
    address = person.address
    return line(address.name or evidence.contacts.get(address.email, "")) or address.email


def _subject(action: Action, evidence: Evidence) -> str:
    """What the action is about, by the name that people know it by."""
    event, contact = event_before(action, evidence), contact_before(action, evidence)
    if event or contact:
        return event.title if event else contact.name if contact else ""
    if isinstance(action, MarkMail | MoveMail):
        mail = evidence.mail(action.mail)
        return mail.subject if mail else ""
    return next((value for name in ("subject", "title", "name") if (value := getattr(action, name, None))), "")


def _text(action: Action, evidence: Evidence) -> str:
    if isinstance(action, SendMail):
        forward = forwarded(action, evidence)
        return "\n".join((action.subject, _own_lines(action, evidence), *_contents(forward)))
    if isinstance(action, CreateEvent | UpdateEvent):
        return "\n".join(filter(None, (action.title, action.location, action.description)))
    return ""


def _own_lines(mail: SendMail, evidence: Evidence) -> str:
    """The body without lines that stand in the thread answered: to those who took part in it they are history and no news."""
    original = answered(mail, evidence)
    if original is None:
        return mail.body
    earlier = (original, *evidence.threads.get(original.thread, ()))
    took_part = evidence.own.union(*(people_of(old) for old in earlier))
    if any(person.email not in took_part for person in mail.to + mail.cc + mail.bcc):
        return mail.body
    known = {_bare(said) for said in chain.from_iterable(old.body.splitlines() for old in earlier)}
    return "\n".join(said for said in mail.body.splitlines() if _bare(said) not in known)


def _bare(quoted: str) -> str:
    return quoted.lstrip("> \t").rstrip()


def _contents(mail: Mail | None) -> tuple[str, ...]:
    if mail is None:
        return ()
    return (mail.subject, mail.body, *(attachment.filename for attachment in mail.attachments))


def _whole_series(action: Action, event: Event | None) -> bool:
    return isinstance(action, UpdateEvent | CancelEvent) and action.event.recurrence is None and _repeats(event)


def _repeats(event: Event | None) -> bool:
    return event is not None and event.recurrence is None and (event.series or bool(event.rrule))


def _past(action: Action, event: Event | None, evidence: Evidence) -> bool:
    if isinstance(action, CreateEvent):
        return action.end <= evidence.now and not action.rrule
    return event is not None and event.end <= evidence.now and not _repeats(event)


def _unseen(action: Action, evidence: Evidence) -> bool:
    match action:
        case SendMail():
            return action.forward_of is not None and forwarded(action, evidence) is None
        case UpdateEvent() | CancelEvent() | AnswerInvitation():
            return event_before(action, evidence) is None
        case UpdateContact() | DeleteContact():
            return contact_before(action, evidence) is None
        case MarkMail() | MoveMail() | DeleteDraft():
            return evidence.mail(action.mail) is None
    return False


def _unsaid_address(action: Action, evidence: Evidence) -> bool:
    """Only for contacts that exist: a changed address leads every later mail elsewhere."""
    contact = contact_before(action, evidence)
    if not isinstance(action, UpdateContact) or action.emails is None or contact is None:
        return False
    said = frozenset().union(*(addresses_in(words) for words in (evidence.words, *evidence.said)))
    old = {email.lower() for email in contact.emails}
    return any(email.lower() not in said | old | evidence.own for email in action.emails)
