"""The user's list of who may be written to, and what of an action it forbids."""

import re
from collections.abc import Iterable, Iterator, Sequence

from integrations.actions import Action, AnswerInvitation, CreateEvent, MoveMail, RestoreEvent, SendMail, UpdateEvent
from integrations.types import OUTBOX, Address, Value
from risk.evidence import Evidence
from risk.provenance import reached
from risk.text import line, normal_address, normal_domain

LOCAL = re.compile(r"[\w#$&'+/=?^`{|}~.-]{1,64}")
"""Without % and !, by which old mail servers were told to send on to somebody else, and without *, which looks like anybody."""
NOT_AN_ENTRY = "“{}” is neither an address (anna@example.org) nor a domain (@example.org, or *.example.org with its subdomains)."

UNREADABLE = "Whom this reaches can't be read, so it is not known whether your list of recipients (setting recipients) allows it."


class Recipients(Value):
    """`domains` are those themselves, `beneath` those with all their subdomains. All are as `_normal` writes them."""

    addresses: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    beneath: frozenset[str] = frozenset()

    @classmethod
    def of(cls, entries: Iterable[str]) -> "Recipients":
        """ValueError, with a sentence for people, for an entry that is none."""
        found: dict[str, set[str]] = {"": set(), "@": set(), "*.": set()}
        for entry in entries:
            text = entry.strip() if isinstance(entry, str) else ""
            kind = next((mark for mark in ("@", "*.") if text.startswith(mark)), "")
            normal = normal_domain(text.removeprefix(kind)) if kind else _normal(text)
            if not normal or (kind and "." not in normal):
                raise ValueError(NOT_AN_ENTRY.format(line(str(entry))))
            found[kind].add(normal)
        return cls(addresses=frozenset(found[""]), domains=frozenset(found["@"]), beneath=frozenset(found["*."]))

    def allow(self, email: str) -> bool:
        """What is no plain address is never allowed."""
        address = _normal(email)
        if not address:
            return False
        domain = address.rpartition("@")[2]
        return address in self.addresses or domain in self.domains or any(_within(domain, over) for over in self.beneath)


def refusal(actions: Sequence[Action], allowed: Recipients, evidence: Evidence) -> str:
    """Why none of this may be done, in a sentence that names the first whom it must not reach; empty where it may."""
    own = {_normal(email) for email in evidence.own} - {""}
    for action in actions:
        if may_reach(action) and _unread(action, evidence):
            return UNREADABLE
        for address in _newly_reached(action, evidence):
            if _normal(address.email) not in own and not allowed.allow(address.email):
                return f"{line(address.email)} is not on your list of recipients (setting recipients), so nothing was done."
    return ""


def may_reach(action: Action) -> bool:
    """Whether the list has anything to say about it."""
    return isinstance(action, SendMail | CreateEvent | UpdateEvent | RestoreEvent) or _accepts(action) or _posts(action)


def _unread(action: Action, evidence: Evidence) -> bool:
    """Whether it can't be known whom it reaches."""
    if isinstance(action, MoveMail):
        return evidence.mail(action.mail) is None
    return isinstance(action, UpdateEvent | AnswerInvitation) and evidence.event(action.event) is None


def _newly_reached(action: Action, evidence: Evidence) -> Iterator[Address]:
    """Everybody who would learn something. To end what there is with somebody stays possible whoever they are: to decline, to
    cancel, and to take them out tells them nothing but that; a draft tells nobody anything."""
    if not may_reach(action):
        return
    if isinstance(action, MoveMail) and (mail := evidence.mail(action.mail)):
        yield from (*mail.to, *mail.cc, *mail.bcc)
    for person in reached(action, evidence):
        if person.line != "removed" or not (isinstance(action, UpdateEvent) and _only_removes(action)):
            yield person.address


def _posts(action: Action) -> bool:
    """What lies in an Outbox is sent by the user's mail program."""
    return isinstance(action, MoveMail) and action.folder.casefold() == OUTBOX.casefold()


def _accepts(action: Action) -> bool:
    return isinstance(action, AnswerInvitation) and action.answer != "declined"


def _only_removes(action: UpdateEvent) -> bool:
    return set(action.model_dump(exclude_defaults=True)) <= {"account", "event", "remove_attendees"}


def _within(domain: str, over: str) -> bool:
    return domain == over or domain.endswith("." + over)


def _normal(email: str) -> str:
    """Empty for what is no plain address."""
    address = normal_address(email)
    return address if LOCAL.fullmatch(address.rpartition("@")[0]) else ""
