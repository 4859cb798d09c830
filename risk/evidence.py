"""What the gate knows when it judges a proposal. Gathered by code through readers, never told by whoever proposes."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, time, tzinfo
from zoneinfo import ZoneInfo

from pydantic import field_validator

from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    DeleteContact,
    RestoreContact,
    RestoreEvent,
    SaveDraft,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import Contact, ContactRef, Event, EventRef, Mail, MailRef, Value


class Evidence(Value):
    """`own` are the user's addresses. `words` are the user's own words of this turn, `said` earlier ones of the conversation.

    `contacts` maps addresses to names, `called` to nicknames, `groups` names to addresses; `correspondents` maps everybody mail was
    exchanged with to the number of mails the user sent them (0: only received). `mails`, `events` and `contact_cards` are keyed by
    `key_of`, `threads` by id, `templates` map names to texts: the present state of what is acted on, answered or forwarded.
    Addresses are lower-cased. `zone` is an IANA name; without one times are told in the zone of `now`.

    `named` are the addresses that the user's words of this conversation give as somebody to reach or to write down, not merely
    speak of. `read` and `read_events`, by `key_of`, are what was read or shown in this conversation. `around` are the user's events
    that overlap a time proposed, `lately` mails that the user sent in the last day, `shared` the (account, calendar) pairs that
    others see too; `hours` are when the user's day begins and ends, None where unknown.
    """

    now: datetime
    zone: str = ""
    own: frozenset[str] = frozenset()
    words: str = ""
    said: tuple[str, ...] = ()
    contacts: Mapping[str, str] = {}
    called: Mapping[str, str] = {}
    groups: Mapping[str, tuple[str, ...]] = {}
    correspondents: Mapping[str, int] = {}
    mails: Mapping[str, Mail] = {}
    threads: Mapping[str, tuple[Mail, ...]] = {}
    events: Mapping[str, Event] = {}
    contact_cards: Mapping[str, Contact] = {}
    templates: Mapping[str, str] = {}
    named: frozenset[str] = frozenset()
    read: Mapping[str, Mail] = {}
    read_events: Mapping[str, Event] = {}
    around: tuple[Event, ...] = ()
    lately: tuple[Mail, ...] = ()
    shared: frozenset[tuple[str, str]] = frozenset()
    hours: tuple[time, time] | None = None

    @field_validator("contacts", "called")
    @classmethod
    def _lower_addresses(cls, contacts: Mapping[str, str]) -> Mapping[str, str]:
        """Address books keep addresses as they were typed."""
        return {email.lower(): name for email, name in contacts.items()}

    @field_validator("groups")
    @classmethod
    def _lower_members(cls, groups: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        return {name: tuple(email.lower() for email in members) for name, members in groups.items()}

    @property
    def local(self) -> tzinfo:
        return ZoneInfo(self.zone) if self.zone else self.now.tzinfo or UTC

    def mail(self, ref: MailRef | None) -> Mail | None:
        found = self.mails.get(key_of(ref)) if ref else None
        return found if found and ref and found.account == ref.account else None

    def event(self, ref: EventRef) -> Event | None:
        found = self.events.get(key_of(ref))
        return found if found and (found.account, found.calendar) == (ref.account, ref.calendar) else None

    def contact(self, ref: ContactRef) -> Contact | None:
        found = self.contact_cards.get(key_of(ref))
        return found if found and found.account == ref.account else None


def key_of(ref: MailRef | EventRef | ContactRef) -> str:
    """The same only for the same thing: accounts and calendars number theirs alike, and an instance is not its series."""
    if not isinstance(ref, EventRef):
        return json.dumps([ref.account, ref.id])
    return json.dumps([ref.account, ref.calendar, ref.id, ref.recurrence.astimezone(UTC).isoformat() if ref.recurrence else ""])


def event_before(action: Action, evidence: Evidence) -> Event | None:
    """The event as it stands, for an action that changes one."""
    if isinstance(action, UpdateEvent | CancelEvent | AnswerInvitation | RestoreEvent):
        return evidence.event(action.event)
    return None


def contact_before(action: Action, evidence: Evidence) -> Contact | None:
    if isinstance(action, UpdateContact | DeleteContact | RestoreContact):
        return evidence.contact(action.contact)
    return None


def answered(action: Action, evidence: Evidence) -> Mail | None:
    """The mail that is answered, where the action is a reply."""
    return evidence.mail(action.reply_to) if isinstance(action, SendMail | SaveDraft) else None


def forwarded(action: Action, evidence: Evidence) -> Mail | None:
    return evidence.mail(action.forward_of) if isinstance(action, SendMail | SaveDraft) else None
