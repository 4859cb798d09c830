"""What others wrote to the user alone, or what stands in their calendar, that comes up again in a text for somebody else."""

import re
from collections.abc import Iterator

from integrations.actions import Action
from integrations.types import Event, Mail
from risk.evidence import Evidence, answered, event_before, forwarded, key_of
from risk.pieces import texts_of
from risk.provenance import people_of, reached, who
from risk.text import line
from risk.wishes import is_named, speaks_of_mail

WORD = re.compile(r"\w+")
RUN = 8
"""Words in a row that nobody writes again by chance."""
TITLE = 3
"""Words of an event's title; shorter ones are everybody's."""
LONGEST = 20_000
"""Characters of a text that are looked at."""


def repeats(action: Action, evidence: Evidence) -> Iterator[str]:
    """A clause for each mail or event whose words would go to somebody who has no part in it, where the user speaks of neither."""
    said = "\n".join(texts_of(action))
    if not said:
        return
    mine = [words for text in (evidence.words, *evidence.said, *evidence.templates.values()) if (words := _words(text))]
    text = _words(said)
    others = frozenset(person.address.email for person in reached(action, evidence)) - evidence.own
    runs = _runs(text) - frozenset().union(*map(_runs, mine)) if mine else _runs(text)
    for mail in _mails(action, evidence) if runs else ():
        if not _takes_part(people_of(mail), others) and runs & _runs(_words(mail.body or mail.snippet)):
            yield f"it repeats what {who(mail.sender)} wrote in “{line(mail.subject)}”"
    about = answered(action, evidence) or forwarded(action, evidence)
    there = _words(f"{about.subject}\n{about.body}") if about else ()
    for event in _events(action, evidence):
        title = _words(event.title)
        if _within(title, there):
            continue
        named = any(set(title) <= set(words) for words in mine)
        if len(title) >= TITLE and _within(title, text) and not named and not _takes_part(_people(event), others):
            yield f"it tells of “{line(event.title)}” in your calendar"


def _mails(action: Action, evidence: Evidence) -> Iterator[Mail]:
    """But for those of the conversation that it answers or forwards, and those that the user speaks of."""
    about = answered(action, evidence) or forwarded(action, evidence)
    for mail in {**evidence.read, **evidence.mails}.values():
        same = about is not None and (key_of(mail.ref) == key_of(about.ref) or (mail.thread and mail.thread == about.thread))
        own = mail.sender is not None and mail.sender.email in evidence.own
        if not same and not own and not speaks_of_mail(mail, evidence):
            yield mail


def _events(action: Action, evidence: Evidence) -> Iterator[Event]:
    """But for the one that it changes or is called like, and those of somebody whom the user speaks of."""
    about = event_before(action, evidence)
    named_so = {title.casefold() for title in (getattr(action, "title", None), about.title if about else "") if title}
    found = {**evidence.read_events, **{key_of(event.ref): event for event in (*evidence.around, *evidence.events.values())}}
    for event in {event.title.casefold(): event for event in found.values()}.values():
        named = event.organizer is not None and event.organizer.email not in evidence.own and is_named(event.organizer, evidence)
        if not named and event.title.casefold() not in named_so:
            yield event


def _people(event: Event) -> set[str]:
    return {there.address.email for there in event.attendees} | ({event.organizer.email} if event.organizer else set())


def _takes_part(people: set[str], others: frozenset[str]) -> bool:
    """Nobody in particular, as in a shared calendar, takes no part."""
    return bool(others) and others <= people


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text[:LONGEST].casefold()))


def _runs(words: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(words[at : at + RUN] for at in range(len(words) - RUN + 1))


def _within(title: tuple[str, ...], text: tuple[str, ...]) -> bool:
    return f" {' '.join(title)} " in f" {' '.join(text)} "
