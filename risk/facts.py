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
    SaveDraft,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import DRAFTS, OUTBOX, SENT, Event, Mail, Value
from risk.audience import audience
from risk.cards import cards, unsaid_address
from risk.checks import checks
from risk.contents import contents
from risk.evidence import Evidence, answered, contact_before, event_before, forwarded, key_of
from risk.flags import COUNTS, FLAGS, PROVENANCE
from risk.operations import DELETING, UNDOABLE, operations_of
from risk.pieces import names_of, texts_of
from risk.provenance import Recipient, leaves, others_in, people_of, reached
from risk.text import line

__all__ = ["COUNTS", "FLAGS", "PROVENANCE", "ActionFacts", "Evidence", "Facts", "facts_of", "key_of"]

TELLING = SendMail | CreateEvent | UpdateEvent | CancelEvent | AnswerInvitation
"""What others may come to read."""
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
    shared_calendar: bool = False
    same_skeleton: tuple[str, ...] = ()
    lookalike: tuple[str, ...] = ()
    lookalike_named: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    secret_asked: tuple[str, ...] = ()
    foreign_link: tuple[str, ...] = ()
    plain_link: tuple[str, ...] = ()
    foreign_detail: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    reply_elsewhere: tuple[str, ...] = ()
    outsider: tuple[str, ...] = ()
    outsider_named: tuple[str, ...] = ()
    to_list: tuple[str, ...] = ()
    was_bcc: tuple[str, ...] = ()
    sent_and_deleted: tuple[str, ...] = ()
    same_sent_and_deleted: tuple[str, ...] = ()
    from_message: tuple[str, ...] = ()
    name_clash: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    invisible: tuple[str, ...] = ()
    conflict: tuple[str, ...] = ()
    outside_hours: tuple[str, ...] = ()
    duplicate: tuple[str, ...] = ()


class Facts(Value):
    each: tuple[ActionFacts, ...]
    counts: Mapping[str, int]


def facts_of(actions: Sequence[Action], evidence: Evidence) -> Facts:
    checked = checks(actions, evidence)
    said = [(*texts_of(action), *names_of(action)) if isinstance(action, TELLING) else () for action in actions]
    beside = [tuple(chain.from_iterable(said[:at] + said[at + 1 :])) for at in range(len(actions))]
    each = tuple(_facts(*one, evidence) for one in zip(actions, checked, beside, strict=True))
    mails = [action for action in actions if isinstance(action, SendMail)]
    touched = {(action.account, action.mail.id) for action in actions if isinstance(action, MarkMail | MoveMail)}
    changing = {"create_event", "move_event", "update_event", "invite", "uninvite", "cancel_event"}
    counts = {
        "recipients": len({person.email.lower() for mail in mails for person in mail.to + mail.cc + mail.bcc}),
        "sent": len(mails),
        "deletions": _count(each, DELETING),
        "mails": len(touched),
        "events": _count(each, changing),
        "contacts": _count(each, {"create_contact", "update_contact"}),
        "drafts": _count(each, {"draft"}),
        "invitees": max((len(_invited(action)) for action in actions), default=0),
        "answers": _count(each, {"answer_invitation"}),
    }
    return Facts(each=each, counts=counts)


def _count(each: Iterable[ActionFacts], operations: Iterable[str]) -> int:
    wanted = frozenset(operations)
    return sum(1 for facts in each if facts.operations & wanted)


def _invited(action: Action) -> set[str]:
    if isinstance(action, CreateEvent):
        return {person.email.lower() for person in action.attendees}
    return {person.email.lower() for person in action.add_attendees} if isinstance(action, UpdateEvent) else set()


def _facts(action: Action, checked: Mapping[str, tuple[str, ...]], beside: Sequence[str], evidence: Evidence) -> ActionFacts:
    operations = operations_of(action)
    people = reached(action, evidence)
    others = [person for person in people if person.address.email not in evidence.own]
    unknown = [person for person in others if not person.known and person.line in ("to", "cc", "bcc", "invited")]
    event = event_before(action, evidence)
    attended = isinstance(action, CreateEvent | UpdateEvent | CancelEvent | RestoreEvent) and bool(others)
    shared = _in_shared_calendar(action, evidence)
    return ActionFacts(
        operations=operations,
        subject=line(_subject(action, evidence)),
        folder=line(getattr(action, "folder", "")),
        others=tuple(sorted({_label(person, evidence) for person in others})),
        unknown=tuple(sorted({line(str(person.address)) for person in unknown})),
        text=_text(action, evidence),
        reaches_others=(bool(others) and operations != {"draft"}) or shared,
        unknown_recipient=bool(unknown),
        others_attend=attended or (bool(others_in(event, evidence.own)) and not leaves(action, event)),
        others_organise=leaves(action, event) or bool(event and event.organizer and event.organizer.email not in evidence.own),
        whole_series=_whole_series(action, event),
        past=_past(action, event, evidence),
        undoable=operations <= UNDOABLE,
        unseen=_unseen(action, evidence),
        guarded_folder=isinstance(action, MoveMail) and action.folder.casefold() in GUARDED,
        unsaid_address=unsaid_address(action, evidence),
        shared_calendar=shared,
        **audience(action, evidence, people),
        **contents(action, evidence, goes_out=bool(others) or shared or isinstance(action, SaveTemplate), beside=beside),
        **cards(action, evidence),
        **checked,
    )


def _label(person: Recipient, evidence: Evidence) -> str:
    """By the saved name first: whoever proposes can write any other."""
    address = person.address
    return line(evidence.contacts.get(address.email, "") or address.name) or address.email


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
    return action.comment if isinstance(action, AnswerInvitation | CancelEvent) else ""


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
    if event is None or _repeats(event):
        return False
    ends = (action.end or (action.start and action.start + (event.end - event.start))) if isinstance(action, UpdateEvent) else None
    return event.end <= evidence.now or bool(ends and ends <= evidence.now)


def _unseen(action: Action, evidence: Evidence) -> bool:
    match action:
        case SendMail() | SaveDraft():
            return any(ref is not None and evidence.mail(ref) is None for ref in (action.reply_to, action.forward_of))
        case UpdateEvent() | CancelEvent() | AnswerInvitation():
            return event_before(action, evidence) is None
        case UpdateContact() | DeleteContact():
            return contact_before(action, evidence) is None
        case MarkMail() | MoveMail() | DeleteDraft():
            return evidence.mail(action.mail) is None
    return False


def _in_shared_calendar(action: Action, evidence: Evidence) -> bool:
    if isinstance(action, CreateEvent):
        return (action.account, action.calendar) in evidence.shared
    if isinstance(action, UpdateEvent | CancelEvent | RestoreEvent):
        return (action.event.account, action.event.calendar) in evidence.shared
    return False
