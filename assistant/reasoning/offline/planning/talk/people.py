"""Who the conversation speaks of: whom the last requests have named, and the people in what was shown."""

from collections.abc import Iterable

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.values import Data
from integrations.types import Address, Event

LATELY = 3
"""The user's messages in which somebody is looked for who is spoken of."""


def turned_to(request: Request) -> list[str]:
    """Whom the talk has turned to after what was shown: nothing was found of them, and still they are "her" and "them"."""
    return next((people for text in request.since if (people := _named_in(text, request.setting))), [])


def _named_in(text: str, setting: Setting) -> list[str]:
    """Everybody whom a request names; what is no request may name people by names that nobody is known by."""
    call = parse(text, setting).call
    asked = [person.text or person.email for person in (*call.select.people, *call.to) if not person.ref] if call else []
    marked = [item.text for item in mark(text, setting) if item.kind == "person" or (call is None and item.kind == "name")]
    return list({name.casefold(): name for name in (*asked, *marked) if name}.values())


def one_shown(data: Data | None, request: Request, *, named: bool = False, subject: bool = False) -> str:
    """The one person whom the last request and what it showed are about: by address, as a subject by name where there is one, or
    just as `named`; empty where it may be one of several."""
    asked = _asked_about(request)
    people = _people_in(data, request.setting) if data is not None else {}
    names = _names_in(data) if named and data is not None else []
    if len(asked) > 1 or not (people or names):
        return asked[0] if len(asked) == 1 else ""
    if asked and people and _is_about_somebody(request) and not _called(people, asked):
        return asked[0]
    if names:
        return names[0] if len(names) == 1 else ""
    if len(people) > 1:
        people = _named_lately(people, request)
    email, name = next(iter(people.items())) if len(people) == 1 else ("", "")
    return (name or email) if subject else email


def _asked_about(request: Request) -> list[str]:
    """The known people whom the last request has named."""
    marked = mark(request.last, request.setting) if request.last else []
    return list({item.low: item.text for item in marked if item.kind == "person"}.values())


def _is_about_somebody(request: Request) -> bool:
    """Whether the last request was for somebody's mails, events or card."""
    call = parse(request.last, request.setting).call
    return call is not None and len(call.select.people) == 1


def _people_in(data: Data, setting: Setting) -> dict[str, str]:
    """The names of those who wrote the mails shown or else of those listed or else of the event's guests, by address."""
    mine = {own.email for own in setting.me}
    people = {mail.sender.email: mail.sender.name for mail in data.mails if mail.sender and mail.sender.email not in mine}
    people = people or {address.email: address.name for address in data.addresses}
    people = people or {contact.emails[0]: contact.name for contact in data.contacts if contact.emails}
    return people or {one.email: one.name for event in data.events[:1] for one in _there(event) if one.email not in mine}


def _there(event: Event) -> list[Address]:
    return [*((event.organizer,) if event.organizer else ()), *(one.address for one in event.attendees)]


def _named_lately(people: dict[str, str], request: Request) -> dict[str, str]:
    """Those of several people, by address, whom the last request or else the newest of the user's messages has named."""
    said = [line.removeprefix("user: ") for line in reversed(request.history) if line.startswith("user: ")]
    for text in (request.last, *said[:LATELY]):
        named = [item.text for item in mark(text, request.setting) if item.kind in ("person", "name")]
        if meant := _called(people, named):
            return meant
    return people


def _called(people: dict[str, str], names: Iterable[str]) -> dict[str, str]:
    """Those of the people, by address, whose name or address holds all words of one of the names."""
    said = [set(name.lower().removesuffix("'s").split()) for name in names]
    return {email: name for email, name in people.items() if any(one <= {*name.lower().split(), email} for one in said)}


def _names_in(data: Data) -> list[str]:
    """The names of whom a result is about."""
    names = [mail.sender.name for mail in data.mails[:1] if mail.sender]
    names += [contact.name for contact in data.contacts] + [address.name for address in data.addresses if not data.contacts]
    return list(dict.fromkeys(name for name in names if name))


def several_in(data: Data, setting: Setting) -> bool:
    """Whether a result is about more than one person."""
    mine = {own.email for own in setting.me}
    guests = {one.email for event in data.events for one in _there(event)} - mine
    return len(data.contacts) > 1 or len(data.addresses) > 1 or len(guests) > 1
