"""Selections in words, as understood."""

from collections.abc import Sequence

from assistant.agents.base import Desk
from assistant.agents.people import SELF, of_result
from assistant.agents.picking import only_ordered
from assistant.agents.words import fold, lasting, listing, names, period, shown
from assistant.reasoning.calls import CROWD, Person, Selection

RECEIVED = "Received"
"""Stands for every folder that holds what others wrote."""


def mails_called(selection: Selection, desk: Desk) -> str:
    """The selection in words, as understood."""
    one = bool(selection.order) and selection.number == 1
    states = [
        ("unread" if selection.unread else "read") if selection.unread is not None else "",
        "flagged" if selection.flagged else "",
        "unanswered" if selection.unanswered else "",
    ]
    noun = "newsletter" if selection.bulk else "mail"
    parts = [*(state for state in states if state), noun if one else f"{noun}s"]
    for role, word in (("from", "from"), ("to", "to"), ("with", "with"), ("any", "with")):
        if names := [_name(p, desk) for p in selection.people if p.role == role]:
            parts.append(f"{word} {listing(names)}")
    parts += [f"with {part}" for part in (selection.company, selection.title, selection.group) if part]
    if selection.words:
        asks = {"for": "that ask for", "about": "that ask about"}.get(selection.asks, "about")
        parts.append(f"{asks} {quoted(selection.words)}")
    if selection.subject:
        parts.append(f"with {quoted(selection.subject)} in the subject")
    if selection.attached:
        what = "attachment of 5 MB or more" if selection.attached == "large" else f"attached {selection.attached}"
        parts.append(f"with an {what}")
    elif selection.has_attachment is not None:
        parts.append("with attachments" if selection.has_attachment else "without attachments")
    if selection.addressed:
        parts.append("to you alone" if selection.addressed == "only" else "with you in copy")
    if selection.known is not None:
        parts.append("from people in your contacts" if selection.known else "from people outside your contacts")
    if selection.inside is not None:
        parts.append("from your own domain" if selection.inside else "from outside your own domain")
    if selection.folder:
        parts.append("that you received" if selection.folder == RECEIVED else f"in {selection.folder}")
    words = " ".join(parts)
    words = f"{words}, {period(selection.when, desk.setting.now)}" if selection.when else words
    left_out = [f"the {one.order} {one.number}" if only_ordered(one) else mails_called(one, desk) for one in selection.without]
    return f"{words}, without {listing(left_out)}" if left_out else words


def _name(person: Person, desk: Desk) -> str:
    if person.ref:
        return names(of_result(person.ref, desk))
    return person.text or person.email


def events_called(selection: Selection, desk: Desk) -> str:
    """The selection in words, as understood."""
    parts = ["event" if selection.order and selection.number == 1 else "events"]
    if selection.all_day:
        parts.insert(0, "all-day")
    if selection.unanswered:
        parts.insert(0, "unanswered")
    parts = [*_states(selection), *parts]
    if selection.words:
        parts.append(quoted(selection.words))
    if hosts := ["you" if fold(p.text) in SELF else p.text or p.email for p in selection.people if p.role == "from"]:
        parts.append(f"organised by {listing(hosts)}")
    people = [shown(a) for p in selection.people if p.ref for a in of_result(p.ref, desk)]
    people += [p.text or p.email for p in selection.people if not p.ref and p.role != "from"]
    people += [part for part in (selection.company, selection.title, selection.group) if part]
    if people:
        parts.append(f"with {listing(people)}")
    parts += [f"in {selection.place}"] if selection.place else []
    words = " ".join([*parts, *_sizes(selection)])
    words = f"{words}, {period(selection.when, desk.setting.now)}" if selection.when else words
    left_out = [f"the {one.order} {one.number}" if only_ordered(one) else events_called(one, desk) for one in selection.without]
    return f"{words}, without {listing(left_out)}" if left_out else words


def _states(selection: Selection) -> list[str]:
    recurring = {True: "recurring", False: "single"}.get(selection.recurring is True) if selection.recurring is not None else ""
    return [state for state in (selection.answer, recurring) if state]


def _sizes(selection: Selection) -> list[str]:
    said: list[str] = []
    if selection.guests is not None:
        least, most = selection.guests
        some = f"{least} or more others" if most >= CROWD else f"{least} to {most} others"
        said.append(f"with {some}" if most else "with nobody else")
    if selection.lasting is not None:
        longer, shorter = selection.lasting
        exactly = f"that last {lasting(longer)}"
        compared = f"longer than {lasting(longer)}" if longer else f"shorter than {lasting(shorter)}"
        said.append(exactly if longer == shorter else compared)
    return said


def quoted(words: Sequence[str]) -> str:
    return listing([f'"{word}"' for word in words])
