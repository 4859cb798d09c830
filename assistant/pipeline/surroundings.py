"""What the gate must know beside the things that are acted on: what was read, what else is at that time, what was just sent."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from assistant.pipeline.state import FlowState
from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    RestoreEvent,
    SaveDraft,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import (
    OUTBOX,
    SENT,
    Address,
    Calendar,
    Contact,
    Event,
    EventQuery,
    EventRef,
    Mail,
    MailQuery,
    MailRef,
)
from risk.evidence import key_of
from risk.pieces import texts_of

R = TypeVar("R", MailRef, EventRef)
TELLING = (SendMail, SaveDraft, CreateEvent, UpdateEvent, AnswerInvitation, CancelEvent, CreateContact, UpdateContact, SaveTemplate)
"""Actions that carry text or addresses, which may come from what was read."""
LATELY = timedelta(days=1)
MOST_READ, MOST_TIMES, MOST_SENT = 12, 8, 8
"""How many mails, and events, shown earlier are read again; how many times, and mails, are looked around for."""
LONGEST_LOOK = timedelta(days=31)
FILLERS = frozenset({"s", "calendar", "kalender", "agenda", "schedule"})


class Shown(NamedTuple):
    """Mails and events that this turn has read, by key, and those that the conversation showed and that must be read again."""

    mails: dict[str, Mail]
    events: dict[str, Event]
    mail_refs: tuple[MailRef, ...]
    event_refs: tuple[EventRef, ...]


def shown_in(actions: Sequence[Action], state: FlowState) -> Shown:
    """Nothing where no action has room for anything that was read."""
    if not any(isinstance(action, TELLING) for action in actions):
        return Shown({}, {}, (), ())
    now = [data for step in state.reports if (data := state.data(step)) is not None]
    mails = {key_of(mail.ref): mail for data in now for mail in data.mails}
    events = {key_of(event.ref): event for data in now for event in data.events}
    earlier = [one.data for one in state.shown]
    bare = [mail.ref for mail in mails.values() if not mail.body]
    bare += [mail.ref for data in earlier for mail in data.mails if key_of(mail.ref) not in mails]
    seen = [event.ref for data in earlier for event in data.events if key_of(event.ref) not in events]
    return Shown(mails, events, _first(bare), _first(seen))


def _first(refs: Iterable[R]) -> tuple[R, ...]:
    return tuple({key_of(ref): ref for ref in refs}.values())[:MOST_READ]


def times_of(actions: Iterable[Action], events: Mapping[str, Event]) -> tuple[EventQuery, ...]:
    """What to look for at the times that are proposed."""
    spans = (span for action in actions if (span := _span(action, events)))
    queries = (EventQuery(start=start, end=min(end, start + LONGEST_LOOK)) for start, end in spans if start < end)
    return tuple(dict.fromkeys(queries))[:MOST_TIMES]


def _span(action: Action, events: Mapping[str, Event]) -> tuple[datetime, datetime] | None:
    if isinstance(action, CreateEvent):
        return action.start, action.end
    if isinstance(action, UpdateEvent | AnswerInvitation):
        event = events.get(key_of(action.event))
        if isinstance(action, UpdateEvent) and (action.start or action.end) and event:
            return action.start or event.start, action.end or event.end
        if isinstance(action, AnswerInvitation) and action.answer != "declined" and event:
            return event.start, event.end
    return None


def sent_before(actions: Iterable[Action], own: Iterable[Address], now: datetime) -> tuple[MailQuery, ...]:
    """What to look for among the mails that the user has sent to the same people in the last day, or that wait for another
    program to send them."""
    senders = tuple(address.email for address in own)
    people = (tuple(address.email for address in (*a.to, *a.cc, *a.bcc)) for a in actions if isinstance(a, SendMail))
    groups = dict.fromkeys(emails for emails in people if emails)
    kept = {"sender": senders, "folders": (SENT, OUTBOX), "since": now - LATELY, "limit": 20}
    return tuple(MailQuery(recipient=emails, **kept) for emails in groups if senders)[:MOST_SENT]


def of_senders(actions: Iterable[Action]) -> tuple[MailQuery, ...]:
    """The newest mail from each address that would be saved: most often that is where it comes from."""
    cards = (action for action in actions if isinstance(action, CreateContact | UpdateContact))
    emails = dict.fromkeys(email.lower() for card in cards for email in card.emails or ())
    return tuple(MailQuery(sender=(email,), limit=1) for email in emails)[:MOST_SENT]


def told_of(contacts: Iterable[Contact], actions: Iterable[Action]) -> dict[str, Contact]:
    """Those of whom a phone number stands in what would be written."""
    digits = re.sub(r"[^\d\n]", "", "\n".join(text for action in actions for text in texts_of(action)))
    return {key_of(card.ref): card for card in contacts if any(_ending(phone) in digits for phone in card.phones)} if digits else {}


def _ending(phone: str) -> str:
    """By which a number is known, however it begins; a short one is none."""
    ending = re.sub(r"\D", "", phone)[-6:]
    return ending if len(ending) == 6 else "-"


def writes_events(actions: Iterable[Action]) -> bool:
    return any(isinstance(action, CreateEvent | UpdateEvent | CancelEvent | RestoreEvent) for action in actions)


def others_calendars(
    calendars: Sequence[Calendar], contacts: Iterable[Contact], own: Iterable[Address]
) -> frozenset[tuple[str, str]]:
    """(account, calendar) of those that are named after exactly one contact: that person sees them too, and what is in them is none
    of the user's."""
    if len(calendars) < 2:
        return frozenset()
    own = tuple(own)
    mine = [_words(address.name) for address in own]
    emails = {address.email for address in own}
    people = [_words(card.name) for card in contacts if card.emails and not emails & set(card.emails)]
    found = []
    for calendar in calendars:
        said = _words(calendar.name) - FILLERS
        if said and not any(said <= name for name in mine) and sum(said <= name for name in people) == 1:
            found.append((calendar.account, calendar.id))
    return frozenset(found)


def _words(text: str) -> frozenset[str]:
    return frozenset("".join(char if char.isalnum() else " " for char in text.casefold()).split())


def own_events(found: Iterable[Event], shared: frozenset[tuple[str, str]]) -> tuple[Event, ...]:
    """Each once, but for those that stand in somebody else's calendar."""
    return tuple({key_of(one.ref): one for one in found if (one.account, one.calendar) not in shared}.values())
