"""Events that a mail tells of. The mail gives data, never instructions: what is taken from it is a guess, to be approved."""

import re
from collections.abc import Iterator
from datetime import datetime, time, timedelta

from assistant.agents import booking
from assistant.agents.base import Desk
from assistant.agents.mails import mails_to_change
from assistant.agents.reading import DOUBT, known_people
from assistant.agents.report import Notes, not_found
from assistant.agents.words import mail_label
from assistant.reasoning.calls import Call, TimeSpec
from assistant.values import Data, Proposal
from integrations.types import Mail, Value

LONGEST_TITLE = 80
_PREFIX = re.compile(r"^\s*(?:re|aw|fwd?|wg)\s*:\s*", re.IGNORECASE)
_LEAD = re.compile(r"^\s*(?:[-*•]|\(?\w{1,10} ?\d{1,2}[.):]|\d{1,2}[.)])\s*")
_LOOSE = re.compile(r"\s*\b(?:on|at|from|to|until|by|for|in|this|the)?\s*[,?!.:;-]*\s*$", re.IGNORECASE)


class Told(Value):
    """A sentence of a mail with the time it names."""

    sentence: str
    time: TimeSpec
    begin: int
    """Where in the sentence the time stands."""


async def create(call: Call, desk: Desk, notes: Notes) -> Data:
    return await _from_mail(call, desk, notes) if call.field == "mail" else await booking.create(call, desk, notes)


async def _from_mail(call: Call, desk: Desk, notes: Notes) -> Data:
    from assistant.attention.suspicion import marks

    proposals: list[Proposal] = []
    for found in await mails_to_change(call.select, desk, notes, newest=True):
        mail = found if found.body else await desk.readers.mail.get(found.ref)
        told = _chosen(mail, call, desk)
        if not told:
            raise not_found(f"{mail_label(mail, desk.setting.now)} names no time that an event could be at.")
        if sum(mark.weight for mark in marks(mail, await known_people(desk))) >= DOUBT:
            notes.caution("this mail looks like phishing")
        for one in told:
            title = call.title if call.title and len(told) == 1 else _title(one, mail, desk, several=len(told) > 1)
            proposals += await _proposed(one, title, mail, call, desk)
    if not call.to:
        notes.caution("nobody is invited")
    return Data(kind="proposals", proposals=tuple(proposals))


async def _proposed(told: Told, title: str, mail: Mail, call: Call, desk: Desk) -> tuple[Proposal, ...]:
    own = Notes()
    own.guess(f"from {mail_label(mail, desk.setting.now)}: “{told.sentence}”")
    time, length = _ending(told.time, call, desk)
    single = Call(operation="event.create", title=title, time=time, duration=length, all_day=not time.has_time, to=call.to)
    data = await booking.create(single, desk, own)
    marked = {"guesses": tuple(own.guesses), "notes": tuple(own.cautions)}
    return tuple(proposal.model_copy(update=marked) for proposal in data.proposals)


def _ending(told: TimeSpec, call: Call, desk: Desk) -> tuple[TimeSpec, timedelta | None]:
    """The time that the mail tells, for so long or up to such an hour as was said."""
    if not told.has_time or told.start is None or call.time is None or call.time.stop is None:
        return told, call.duration if told.has_time else None
    zone = desk.setting.zone
    start = told.start.astimezone(zone)
    stop = datetime.combine(start.date(), call.time.stop.astimezone(zone).time(), zone)
    return told, (stop - start if stop > start else None)


def _chosen(mail: Mail, call: Call, desk: Desk) -> list[Told]:
    """All of them where several were asked for, else the one that says most: a date and a time, the first of such."""
    found = list(_told(mail, desk))
    if call.question == "all":
        timed = [one for one in found if one.time.has_time]
        return timed or found
    return sorted(found, key=lambda one: not (one.time.has_time and one.time.has_date))[:1]


def _told(mail: Mail, desk: Desk) -> Iterator[Told]:
    from assistant.reasoning.offline.dates import read_times
    from assistant.reasoning.offline.saying.prose import sentences
    from assistant.reasoning.quoting import own_words

    body = own_words(mail.body or mail.snippet, mail.sender.name if mail.sender else "")
    for sentence in (*sentences(body), mail.subject):
        times = read_times(sentence, now=mail.date, zone=desk.setting.zone)
        specs = [_by_its_day(one.spec, desk) for one in times]
        ahead = [spec for spec in specs if spec.kind in ("point", "range") and spec.start and spec.start >= mail.date]
        dated = [spec for spec in ahead if spec.has_date] or [spec for spec in ahead if spec.has_time]
        if dated:
            best = max(dated, key=lambda spec: spec.has_time)
            yield Told(sentence=sentence, time=best, begin=min(one.begin for one in times))


def _by_its_day(spec: TimeSpec, desk: Desk) -> TimeSpec:
    """A deadline ("by 1 December") as the day it falls on."""
    if spec.kind != "range" or spec.start is not None or spec.stop is None:
        return spec
    day = (spec.stop - timedelta(microseconds=1)).astimezone(desk.setting.zone).date()
    midnight = datetime.combine(day, time(), desk.setting.zone)
    return TimeSpec(kind="point", text=spec.text, start=midnight, stop=midnight + timedelta(days=1), has_date=True)


def _title(told: Told, mail: Mail, desk: Desk, *, several: bool) -> str:
    """Of one event the mail's subject, of several what stands before the time."""
    said = _LEAD.sub("", told.sentence[: told.begin]) if several else _without_time(mail, desk)
    title = _LOOSE.sub("", said).strip() or mail.subject.strip() or "Event"
    return f"{title[:1].upper()}{title[1:LONGEST_TITLE]}"


def _without_time(mail: Mail, desk: Desk) -> str:
    from assistant.reasoning.offline.dates import read_times

    subject = _PREFIX.sub("", mail.subject)
    times = read_times(subject, now=mail.date, zone=desk.setting.zone)
    return subject[: times[0].begin] if times and times[0].begin else subject
