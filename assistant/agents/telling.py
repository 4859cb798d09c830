"""What an earlier step found, as the text of a mail: only what was asked for, without who else takes part."""

import re
from collections.abc import Iterator

from assistant.agents.base import Desk
from assistant.agents.words import count as counted
from assistant.agents.words import span, when_of
from assistant.values import Data
from integrations.types import Contact, Event

ASKED = re.compile(r"^what (?:is|are) (?:the|my) ", re.IGNORECASE)
"""What a question begins with that names what it asks for."""


def told(data: Data, desk: Desk, part: str = "") -> tuple[str, str]:
    """Subject and body; both empty where there is nothing that could be told. `part`: "titles" of events, a field of a card."""
    lines = list(_lines(data, desk, part))
    return (_subject(data), "\n".join(lines)) if lines else ("", "")


def _lines(data: Data, desk: Desk, part: str) -> Iterator[str]:
    now = desk.setting.now
    if data.kind == "text" and data.text and not data.events:
        yield data.text
        return
    for event in data.events:
        yield f"- {event.title or '(no title)'}" if part == "titles" else f"- {when_of(event, now)}: {_event(event)}"
    for slot in data.slots:
        yield f"- {span(slot.start, slot.end, now)}"
    for clash in data.clashes:
        yield f"- {_event(clash.first)} ({when_of(clash.first, now)}) and {_event(clash.second)} ({when_of(clash.second, now)})"
    for contact in data.contacts:
        yield f"{contact.name}: {_of_card(contact, part)}"
    if data.kind == "count" and data.count is not None:
        yield counted(data.count, "result")


def _of_card(contact: Contact, part: str) -> str:
    fields = {"email": ", ".join(contact.emails), "phone": ", ".join(contact.phones), "company": contact.company}
    fields |= {"title": contact.title, "birthday": contact.birthday, "address": contact.address}
    return fields.get(part) or ", ".join(filter(None, (*contact.phones, *contact.emails)))


def _event(event: Event) -> str:
    return f"{event.title or '(no title)'}{f', {event.location}' if event.location else ''}"


def _subject(data: Data) -> str:
    heading, _, _ = ASKED.sub("", data.heading).rstrip("?").partition(", without ")
    if data.events:
        heading = heading or "Events"
    elif data.contacts:
        heading = f"Contact details of {data.contacts[0].name}" if len(data.contacts) == 1 else "Contact details"
    return f"{heading[:1].upper()}{heading[1:]}"
