"""Simple checks of a whole proposal: what collides, comes twice, falls outside of the day, or is sent and then made away with."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import NamedTuple

from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    MoveMail,
    SendMail,
    UpdateEvent,
)
from integrations.types import SENT, TRASH, Event, EventRef, Mail
from risk.evidence import Evidence, event_before, key_of
from risk.hours import at_night, said_day, said_hour, said_shift
from risk.pieces import texts_of
from risk.provenance import others_in
from risk.text import line
from risk.times import span_words
from risk.wishes import ARRANGES, DELETES, SENDS, says_both

Phrases = tuple[str, ...]

TELLING = 30
"""Characters of a line from which it is known where it came from."""
HISTORY = re.compile(r"\s*>|-- ?$|-{3,} ?\w|(?:On|Am) .{4,200}(?:wrote|schrieb.{0,80}):\s*$|Begin forwarded message:")
"""Where a mail's own text ends."""
BINS = frozenset(
    {TRASH.casefold(), "bin", "deleted", "deleted items", "deleted messages", "junk", "spam", "papierkorb", "gel\u00f6scht"}
)
ANSWERED = {"accepted": "accepted", "declined": "declined", "tentative": "answered “maybe” to"}


class Time(NamedTuple):
    """When an action puts something, or accepts it."""

    title: str
    start: datetime
    end: datetime
    all_day: bool


def checks(actions: Sequence[Action], evidence: Evidence) -> tuple[Mapping[str, Phrases], ...]:
    """For each action, by the name of the fact, a clause for each that holds."""
    times = [_time(action, evidence) for action in actions]
    moved = {key_of(action.event) for action in actions if isinstance(action, UpdateEvent | CancelEvent)}
    around = [event for event in evidence.around if key_of(event.ref) not in moved]
    return tuple(
        {
            "conflict": tuple(_conflicts(number, times, actions[number], around, evidence)),
            "outside_hours": tuple(_outside_hours(times[number], actions[number], evidence)),
            "duplicate": tuple(_duplicates(number, times, actions, around, evidence)),
            **_made_away(actions[number], actions, evidence),
        }
        for number in range(len(actions))
    )


def _time(action: Action, evidence: Evidence) -> Time | None:
    if isinstance(action, CreateEvent):
        return Time(action.title, action.start, action.end, action.all_day)
    event = event_before(action, evidence)
    if event is None:
        return None
    if isinstance(action, UpdateEvent) and (action.start or action.end):
        all_day = event.all_day if action.all_day is None else action.all_day
        return Time(action.title or event.title, action.start or event.start, action.end or event.end, all_day)
    if isinstance(action, AnswerInvitation) and action.answer != "declined":
        return _time_of(event)
    return None


def _time_of(event: Event) -> Time:
    return Time(event.title, event.start, event.end, event.all_day)


# --- at the same time


def _conflicts(
    number: int, times: Sequence[Time | None], action: Action, around: Sequence[Event], evidence: Evidence
) -> Iterator[str]:
    time = times[number]
    if time is None or time.all_day:
        return
    for event in around:
        there = _time_of(event)
        if _takes_time(event) and not _is_it(event, action, evidence) and _overlap(time, there) and not _same(time, there):
            yield f"it collides with {_called(there, evidence)}"
    for other, there_too in enumerate(times):
        if other != number and there_too and not there_too.all_day and _overlap(time, there_too) and not _same(time, there_too):
            yield f"it collides with {_called(there_too, evidence)}"


def _takes_time(event: Event) -> bool:
    free = not event.busy or event.all_day or event.status != "confirmed"
    return not free and event.my_answer not in ("declined", "tentative", "needs-action")


def _is_it(event: Event, action: Action, evidence: Evidence) -> bool:
    """The event itself, another instance of the series that moves as a whole, or its copy in another calendar."""
    ref: EventRef | None = getattr(action, "event", None)
    if ref is None:
        return False
    if (event.account, event.calendar, event.id) == (ref.account, ref.calendar, ref.id):
        return ref.recurrence is None or event.recurrence is None or event.recurrence == ref.recurrence
    before = event_before(action, evidence)
    return before is not None and bool(event.uid) and (event.uid, event.start) == (before.uid, before.start)


def _overlap(one: Time, other: Time) -> bool:
    return one.start < other.end and other.start < one.end


def _same(one: Time, other: Time) -> bool:
    return one.start == other.start and _plain(one.title) == _plain(other.title)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _called(time: Time, evidence: Evidence) -> str:
    today = evidence.now.astimezone(evidence.local).date()
    when = span_words(time.start, time.end, time.all_day, zone=evidence.local, today=today)
    return f"“{line(time.title) or 'another event'}”, {when}"


# --- outside of the day


def _outside_hours(time: Time | None, action: Action, evidence: Evidence) -> Iterator[str]:
    """Not where the user gave that time of day, unless others would be called out of bed, or the event was outside before, nor for
    what others have set."""
    if time is None or time.all_day or evidence.hours is None or isinstance(action, AnswerInvitation):
        return
    start, end = time.start.astimezone(evidence.local), time.end.astimezone(evidence.local)
    before = event_before(action, evidence)
    if before and said_shift(evidence):
        return
    was = (before.start.astimezone(evidence.local), before.end.astimezone(evidence.local)) if before else None
    if start.weekday() > 4 and not (was and was[0].weekday() > 4) and not said_day(start, evidence):
        yield f"it is on a {start:%A}"
    named = said_hour(start, evidence) and not (at_night(start) and _others_come(action, before, evidence))
    if _outside(start, end, evidence) and not (was and _outside(*was, evidence)) and not named:
        first, last = evidence.hours
        yield f"it is outside of your day, which goes from {first:%H:%M} to {last:%H:%M}"


def _others_come(action: Action, before: Event | None, evidence: Evidence) -> bool:
    return bool(_newly_told(action) - evidence.own) or bool(others_in(before, evidence.own))


def _outside(start: datetime, end: datetime, evidence: Evidence) -> bool:
    if evidence.hours is None:
        return False
    first, last = evidence.hours
    next_day = end.date() > start.date() and end - start < timedelta(days=1)
    return start.time() < first or start.time() >= last or end.time() > last or next_day


# --- twice


def _duplicates(
    number: int, times: Sequence[Time | None], actions: Sequence[Action], around: Sequence[Event], evidence: Evidence
) -> Iterator[str]:
    action, time = actions[number], times[number]
    if isinstance(action, CreateEvent | UpdateEvent) and time:
        others = (event for event in around if not _is_it(event, action, evidence))
        if any(_same(time, _time_of(event)) for event in others):
            yield f"there is already an event {_called(time, evidence)}"
        rest = (one for other, one in enumerate(times) if other != number and _same_place(actions[other], action))
        if any(one and _same(time, one) for one in rest):
            yield f"the event {_called(time, evidence)} would be there twice"
    elif isinstance(action, SendMail):
        rest_mails = (one for other, one in enumerate(actions) if other != number and isinstance(one, SendMail))
        if any(_same_mail(action, one) for one in rest_mails):
            yield f"the mail “{line(action.subject)}” would go out twice"
        if any(_was_sent(action, mail, evidence) for mail in evidence.lately):
            yield f"you have sent this mail to the same people in the last day: “{line(action.subject)}”"
    elif isinstance(action, CreateContact):
        for email in action.emails:
            if (name := evidence.contacts.get(email.lower())) is not None:
                yield f"{line(email.lower())} is in your contacts already{f', as {line(name)}' if name else ''}"
    elif isinstance(action, AnswerInvitation):
        event = event_before(action, evidence)
        if event and event.my_answer == action.answer and not action.comment:
            yield f"you have already {ANSWERED[action.answer]} “{line(event.title)}”"


def _same_place(other: Action, action: CreateEvent | UpdateEvent) -> bool:
    """What is written into several calendars at once is meant so."""
    mine, theirs = ((one.account, getattr(one, "calendar", "")) for one in (action, other))
    return mine == theirs


def _people(mail: SendMail | Mail) -> frozenset[str]:
    return frozenset(person.email for person in mail.to + mail.cc + mail.bcc)


def _same_mail(one: SendMail, other: SendMail) -> bool:
    same = (_people(one), _plain(one.subject), _plain(one.body)) == (_people(other), _plain(other.subject), _plain(other.body))
    return same and one.forward_of == other.forward_of


def _was_sent(action: SendMail, mail: Mail, evidence: Evidence) -> bool:
    """By recipients, subject and text; the history that a mail quotes does not tell them apart."""
    if _people(action) != _people(mail) or (action.subject and _topic(action.subject) != _topic(mail.subject)):
        return False
    body, sent = _plain(action.body), _plain(_newly_said(mail.body) or mail.snippet)
    if action.forward_of is not None:
        return _is_forward(mail) and sent.startswith(body)
    if not body:
        return bool(action.subject) and not sent
    return sent == body or (not mail.body and len(sent) >= TELLING and body.startswith(sent))


def _newly_said(text: str) -> str:
    lines = takewhile(lambda said: not HISTORY.match(said), text.splitlines())
    return "\n".join(lines)


def _is_forward(mail: Mail) -> bool:
    return _plain(mail.subject).startswith(("fwd:", "fw:", "wg:"))


def _topic(subject: str) -> str:
    plain = _plain(subject)
    while plain.startswith(("re:", "aw:", "fwd:", "fw:", "wg:")):
        plain = plain.partition(":")[2].strip()
    return plain


# --- sent and made away with


def _made_away(action: Action, actions: Sequence[Action], evidence: Evidence) -> Mapping[str, Phrases]:
    """Of a mail or an invitation that goes out together with a mail that is thrown away; asked for in one breath, that is the
    user's own affair, unless it is the very mail that is sent on."""
    if not _newly_told(action) - evidence.own:
        return {}
    away = [other for other in actions if isinstance(other, MoveMail) and _hides(other, evidence)]
    hidden = [other for other in away if _holds_it(action, other, evidence)]
    does = "answered" if isinstance(action, SendMail) and action.reply_to else "sent on"
    told = [f"{_named(other, evidence)} would be {does} and deleted at once" for other in hidden]
    if says_both(DELETES, SENDS if isinstance(action, SendMail) else f"{SENDS}|{ARRANGES}", evidence):
        return {"sent_and_deleted": tuple(told)}
    what = "a mail would go out while another" if isinstance(action, SendMail) else "an invitation would go out while a mail"
    rest = (f"{what} is deleted: {_named(other, evidence)}" for other in away if other not in hidden)
    return {"sent_and_deleted": tuple(rest), "same_sent_and_deleted": tuple(told)}


def _newly_told(action: Action) -> frozenset[str]:
    if isinstance(action, CreateEvent):
        return frozenset(person.email for person in action.attendees)
    if isinstance(action, UpdateEvent):
        return frozenset(person.email for person in action.add_attendees)
    return _people(action) if isinstance(action, SendMail) else frozenset()


def _hides(move: MoveMail, evidence: Evidence) -> bool:
    mail = evidence.mail(move.mail)
    return move.folder.casefold() in BINS or (mail is not None and mail.folder == SENT and move.folder != SENT)


def _holds_it(action: Action, move: MoveMail, evidence: Evidence) -> bool:
    """Whether what is thrown away is what is answered or sent on, in whole or by a telling line, or the user's own sent copy."""
    if isinstance(action, SendMail) and key_of(move.mail) in [key_of(ref) for ref in (action.reply_to, action.forward_of) if ref]:
        return True
    mail = evidence.mail(move.mail)
    if mail is None or mail.folder == SENT:
        return mail is not None and isinstance(action, SendMail)
    said = {_plain(one.lstrip("> ")) for one in mail.body.splitlines()}
    lines = "\n".join(texts_of(action)).splitlines()
    return any(len(one) >= TELLING and one in said for one in (_plain(part.lstrip("> ")) for part in lines))


def _named(move: MoveMail, evidence: Evidence) -> str:
    mail = evidence.mail(move.mail)
    return f"“{line(mail.subject)}”" if mail else "a mail that could not be looked at"
