"""Ranks mails by how much they ask of the user."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from assistant.attention.deadlines import deadline, in_words
from assistant.attention.suspicion import Mark, marks
from assistant.reasoning.offline.saying import cues
from assistant.reasoning.offline.saying.prose import own_words, sentences
from integrations.types import Mail, Value

_INVITATION = cues.any_of(r"invitation:", r"einladung:", r"invite:")
_URGENT = cues.any_of(r"urgent\b", r"asap\b", r"important\b", r"time-sensitive\b", r"dringend\b")
_MACHINES = ("noreply", "no-reply", "donotreply", "do-not-reply", "notification", "mailer-daemon", "newsletter", "bounce")
_LATE = 60
"""Days after which nobody waits for an answer any more."""

Point = tuple[float, str]
"""Weight, and the reason in words; a weight without words is only counted."""


class Ranked(Value):
    """A `score` above 0 asks for attention. `reasons` are in order of their weight."""

    mail: Mail
    score: float
    reasons: tuple[str, ...] = ()


def rank_mails(
    mails: Sequence[Mail], *, me: frozenset[str], known: frozenset[str], answered: frozenset[str], now: datetime
) -> tuple[Ranked, ...]:
    """One per thread, the mail of it that asks most; what asks most comes first. The user's own mails are left out.

    `known` are the addresses of contacts and of people written to, `answered` the threads in which the user had the last word;
    `now` is in the user's zone. Newsletters score 0, and what looks like phishing below 0 with the marks as its reasons.
    """
    best: dict[str, Ranked] = {}
    for mail in mails:
        if mail.sender is not None and mail.sender.email in me:
            continue
        ranked = _ranked(mail, me, known, mail.answered or mail.thread in answered, now)
        key = mail.thread or f"{mail.account}:{mail.id}"
        if key not in best or _order(ranked) < _order(best[key]):
            best[key] = ranked
    return tuple(sorted(best.values(), key=_order))


def _order(ranked: Ranked) -> tuple[float, float, str]:
    return -ranked.score, -ranked.mail.date.timestamp(), ranked.mail.id


def _ranked(mail: Mail, me: frozenset[str], known: frozenset[str], answered: bool, now: datetime) -> Ranked:
    doubts = marks(mail, known)
    if (doubt := sum(mark.weight for mark in doubts)) >= 2:
        return Ranked(mail=mail, score=-float(doubt), reasons=tuple(f"looks like phishing: {mark.words}" for mark in doubts))
    if mail.bulk and not mail.flagged:
        return Ranked(mail=mail, score=0.0, reasons=("newsletter",))
    points = sorted((*_points(mail, me, known, answered, now), *map(_careful, doubts)), key=lambda point: -point[0])
    score = sum(weight for weight, _ in points)
    return Ranked(mail=mail, score=round(score, 2), reasons=tuple(words for weight, words in points if words))


def _careful(mark: Mark) -> Point:
    return -3.0 * mark.weight, f"careful: {mark.words}"


def _points(mail: Mail, me: frozenset[str], known: frozenset[str], answered: bool, now: datetime) -> Iterator[Point]:
    if mail.flagged:
        yield 4.0, "you flagged it"
    asks = () if answered else tuple(_asks(mail, now))
    yield from asks
    age = max((now - mail.date).days, 0)
    if asks:
        yield from _standing(mail, me, known)
        if 1 <= age <= _LATE:
            yield min(age, 6) * 0.5, f"unanswered for {age} day{'s' * (age > 1)}"
        yield -min(age / 7, 4.0), ""
    if mail.unread and mail.sender is not None and mail.sender.email in known and age < 7:
        yield 1.0, "unread" if asks else "unread, from someone you write to"
    if _by_machine(mail):
        yield -2.0, ""


def _asks(mail: Mail, now: datetime) -> Iterator[Point]:
    """What the mail wants of its reader."""
    zone = now.tzinfo if isinstance(now.tzinfo, ZoneInfo) else ZoneInfo("UTC")
    wish = _wish(mail.subject, mail.body or mail.snippet, mail.sender.name if mail.sender else "", mail.date, zone)
    if wish.invites or any(part.content_type == "text/calendar" for part in mail.attachments):
        yield 3.0, "invitation awaiting your answer"
    if wish.question:
        yield 3.0, "asks you a question"
    elif wish.request:
        yield 2.5, "asks you for something"
    if wish.until:
        left = (wish.until - now.astimezone(zone).date()).days
        if left >= -3:
            yield (
                (5.0 if left <= 1 else 4.0 if left <= 3 else 3.0 if left <= 10 else 1.5),
                in_words(wish.until, now.astimezone(zone).date()),
            )
    if wish.urgent:
        yield 1.5, "marked as urgent"


class _Wish(NamedTuple):
    """What a mail's own words want."""

    invites: bool
    question: bool
    request: bool
    urgent: bool
    until: date | None


@lru_cache(maxsize=4096)
def _wish(subject: str, text: str, sender: str, written: datetime, zone: ZoneInfo) -> _Wish:
    said = (subject, *sentences(own_words(text, sender)))
    question = any(map(cues.is_question, said))
    return _Wish(
        invites=bool(_INVITATION.match(subject)),
        question=question,
        request=not question and any(map(cues.is_request, said)),
        urgent=bool(_URGENT.search(subject)),
        until=deadline(said, written, zone),
    )


def _standing(mail: Mail, me: frozenset[str], known: frozenset[str]) -> Iterator[Point]:
    """How near the sender and the user are to each other."""
    if mail.sender is not None and mail.sender.email in known:
        yield 2.0, "from someone you write to"
    if me and mail.to and not any(address.email in me for address in mail.to):
        yield -1.5, ""
    elif len(mail.to) == 1 and not mail.cc:
        yield 0.5, ""


def _by_machine(mail: Mail) -> bool:
    return mail.sender is not None and any(word in mail.sender.email.partition("@")[0] for word in _MACHINES)
