"""In what a planned write is another than the one that code reads in the user's message."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from assistant.reasoning.calls import Call, Person, Selection, TimeSpec
from assistant.values import Data

WORD = re.compile(r"[^\W_]{2,}")
MANY = "it takes all that fit, and your message speaks of less"
OTHERS = "it picks other things than your message does"
PEOPLE = "it is about other people than your message"
TIMES = "it is at another time than in your message"


def differs(planned: Call, read: Sequence[Call]) -> str:
    """One clause; empty where one of the calls that code reads agrees as far as both say something, or where there is none."""
    found = [_difference(planned, own) for own in read]
    return "" if not found or "" in found else found[0]


def other_than_shown(planned: Call, read: Sequence[Call], shown: Data | None) -> bool:
    """Whether it takes what was shown, where each of the calls that code reads names what it is about, and nothing shown is called
    so."""
    pointed = any(ref.startswith("shown") for ref in planned.select.refs)
    named = [_named(own.select) for own in read]
    return pointed and bool(named) and all(named) and not any(words & _called(shown) for words in named)


def _named(select: Selection) -> frozenset[str]:
    """Nothing where it points itself."""
    told = (*(person.text for person in select.people), *select.words, *select.subject)
    return frozenset() if select.refs else _low(" ".join(told))


def _called(shown: Data | None) -> frozenset[str]:
    if shown is None:
        return frozenset()
    people = [one.address for event in shown.events for one in event.attendees] + [
        mail.sender for mail in shown.mails if mail.sender
    ]
    titles = [mail.subject for mail in shown.mails] + [event.title for event in shown.events]
    cards = [" ".join((one.name, one.nickname, one.company, *one.emails)) for one in shown.contacts]
    return _low(" ".join((*titles, *cards, *(f"{one.name} {one.email}" for one in (*people, *shown.addresses)))))


def sends_later(planned: Call, read: Sequence[Call]) -> bool:
    """Whether a mail goes out at a time where code reads no time at all in the message, though it reads a mail there."""
    mails = [own for own in read if own.operation in SENDING]
    return planned.operation in SENDING and planned.time is not None and bool(mails) and not any(own.time for own in mails)


SENDING = ("mail.send", "mail.reply", "mail.forward")


def _difference(planned: Call, own: Call) -> str:
    pointed = planned.select.refs or own.select.refs
    if planned.select.each and not (own.select.each or pointed):
        return MANY
    if not pointed and _others(planned.select, own.select):
        return OTHERS
    sides = ((planned.select.people, own.select.people), (planned.to, own.to), (planned.cc, own.cc), (planned.bcc, own.bcc))
    copied = (planned.cc or planned.bcc) and not (own.cc or own.bcc)
    if copied or (planned.field == "all") > (own.field == "all") or any(_strangers(these, those) for these, those in sides):
        return PEOPLE
    lasts = planned.duration and own.duration and planned.duration != own.duration
    shifted = planned.shift and own.shift and planned.shift != own.shift
    return TIMES if lasts or shifted or _apart(planned.time, own.time) else ""


def _others(planned: Selection, own: Selection) -> bool:
    return _picked(planned) != _picked(own) or _elsewhere(planned, own) or _wider(planned, own)


def _wider(planned: Selection, own: Selection) -> bool:
    """The last mail is not the last one from Anna, nor the last about the budget."""
    return bool(own.people or own.words or own.subject) and not (planned.people or planned.words or planned.subject)


def _picked(select: Selection) -> tuple[object, ...]:
    first = select.number if select.order else 1
    return (select.order, first, select.places, select.unread, select.flagged, select.folder, select.without)


def _elsewhere(planned: Selection, own: Selection) -> bool:
    """The last mail of last week is not the last one."""
    if own.when is None:
        return planned.when is not None and bool(planned.order)
    return planned.when is None or _apart(planned.when, own.when)


def _apart(planned: TimeSpec | None, own: TimeSpec | None) -> bool:
    starts = [_minute(one.start) for one in (planned, own) if one and one.start]
    return len(set(starts)) > 1


def _minute(time: datetime) -> datetime:
    return time.replace(second=0, microsecond=0)


def _strangers(planned: Iterable[Person], own: Iterable[Person]) -> bool:
    """Whether anybody has no word of a name in common with those whom the message names in the same place."""
    named = [_words(person) for person in own]
    known = bool(named) and all(named)
    return known and any(words and not any(words & others for others in named) for words in map(_words, planned))


def _words(person: Person) -> frozenset[str]:
    return _low(f"{person.text} {person.email}")


def _low(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in WORD.findall(text) if word.casefold() not in PLAIN)


PLAIN = frozenset("com org net example www the and my at".split())
