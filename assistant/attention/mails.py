"""Ranks mails by how much they ask of the user."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from assistant.attention.deadlines import in_words
from assistant.attention.suspicion import Mark, marks
from assistant.attention.wishes import Wish, wish_of
from integrations.types import Address, Mail, Value

_MACHINES = ("noreply", "no-reply", "donotreply", "do-not-reply", "notification", "mailer-daemon", "newsletter", "bounce")
_LATE = 60
"""Days after which nobody waits for an answer any more."""

Kind = Literal["asks", "flagged", "news", "newsletter", "phishing"]
"""What a mail is to the user: it wants something; the user marked it; it only tells something; or neither is to be looked for."""


class Point(NamedTuple):
    """One that is not `told` explains the score, but is no reason to show."""

    weight: float
    words: str
    told: bool = True


class Ranked(Value):
    """A `score` above 0 asks for attention. `reasons` are in order of their weight, as are the `points` (weight and words) that
    make the score. `until`: the day by which it wants something."""

    mail: Mail
    score: float
    reasons: tuple[str, ...] = ()
    kind: Kind = "news"
    until: date | None = None
    points: tuple[tuple[float, str], ...] = ()


def rank_mails(
    mails: Sequence[Mail], *, me: frozenset[str], known: frozenset[str], answered: Mapping[str, datetime], now: datetime
) -> tuple[Ranked, ...]:
    """One per thread, the mail of it that asks most; what asks most comes first. The user's own mails are left out.

    `known` are the addresses of contacts and of people written to; `answered`: when the user last wrote in a thread; `now` is in
    the user's zone. Newsletters score 0, and what looks like phishing below 0 with the marks as its reasons.
    """
    best: dict[str, Ranked] = {}
    for mail in mails:
        if mail.sender is not None and mail.sender.email in me:
            continue
        ranked = _ranked(mail, me, known, is_answered(mail, answered), now)
        key = mail.thread or f"{mail.account}:{mail.id}"
        if key not in best or _order(ranked) < _order(best[key]):
            best[key] = ranked
    return tuple(sorted(best.values(), key=_order))


def is_answered(mail: Mail, answered: Mapping[str, datetime]) -> bool:
    """Also where the thread has gone on since. `answered` as in `rank_mails`."""
    return mail.answered or (mail.thread in answered and mail.date <= answered[mail.thread])


def _order(ranked: Ranked) -> tuple[float, float, str]:
    return -ranked.score, -ranked.mail.date.timestamp(), ranked.mail.id


def _ranked(mail: Mail, me: frozenset[str], known: frozenset[str], answered: bool, now: datetime) -> Ranked:
    doubts = marks(mail, known)
    if sum(mark.weight for mark in doubts) >= 2:
        return _scored(mail, "phishing", [Point(-mark.weight, f"looks like phishing: {mark.words}") for mark in doubts])
    if mail.bulk and not mail.flagged:
        return _scored(mail, "newsletter", [Point(0.0, "newsletter")])
    wish = None if answered else wish_of(mail, _zone(now))
    asks = [] if wish is None else list(_asks(wish, now))
    points = sorted((*_points(mail, me, known, asks, now), *map(_careful, doubts)), key=lambda point: -point.weight)
    ranked = _scored(mail, "asks" if asks else "flagged" if mail.flagged else "news", points)
    if wish is None or not asks:
        return ranked
    return ranked.model_copy(update={"until": wish.until})


def _scored(mail: Mail, kind: Kind, points: Sequence[Point]) -> Ranked:
    return Ranked(
        mail=mail,
        score=round(sum((point.weight for point in points), 0.0), 2),
        reasons=tuple(point.words for point in points if point.told),
        kind=kind,
        points=tuple((round(point.weight, 2), point.words) for point in points),
    )


def _careful(mark: Mark) -> Point:
    return Point(-3.0 * mark.weight, f"careful: {mark.words}")


def _points(mail: Mail, me: frozenset[str], known: frozenset[str], asks: Sequence[Point], now: datetime) -> Iterator[Point]:
    if mail.flagged:
        yield Point(4.0, "you flagged it")
    yield from asks
    age = max((now - mail.date).days, 0)
    if asks:
        yield from _standing(mail, me, known)
        if 1 <= age <= _LATE:
            yield Point(min(age, 6) * 0.5, f"unanswered for {age} day{'s' * (age > 1)}")
        if age:
            yield Point(-min(age / 7, 4.0), "fades with time", told=False)
    if mail.unread and mail.sender is not None and mail.sender.email in known and age < 7:
        yield Point(1.0, "unread" if asks else "unread, from someone you write to")
    if by_machine(mail):
        yield Point(-2.0, "sent by a machine", told=False)


def _asks(wish: Wish, now: datetime) -> Iterator[Point]:
    """What the mail wants of its reader."""
    if wish.invites:
        yield Point(3.0, "invitation awaiting your answer")
    if wish.question:
        yield Point(3.0, "asks you a question")
    elif wish.request:
        yield Point(2.5, "asks you for something")
    today = now.astimezone(_zone(now)).date()
    if wish.until and (left := (wish.until - today).days) >= -3:
        yield Point(5.0 if left <= 1 else 4.0 if left <= 3 else 3.0 if left <= 10 else 1.5, in_words(wish.until, today))
    if wish.urgent:
        yield Point(1.5, "marked as urgent")


def _zone(now: datetime) -> ZoneInfo:
    return now.tzinfo if isinstance(now.tzinfo, ZoneInfo) else ZoneInfo("UTC")


def _standing(mail: Mail, me: frozenset[str], known: frozenset[str]) -> Iterator[Point]:
    """How near the sender and the user are to each other."""
    if mail.sender is not None and mail.sender.email in known:
        yield Point(2.0, "from someone you write to")
    if me and mail.to and not any(address.email in me for address in mail.to):
        yield Point(-1.5, "not sent to you", told=False)
    elif len(mail.to) == 1 and not mail.cc:
        yield Point(0.5, "sent to you alone", told=False)


def by_machine(mail: Mail) -> bool:
    return mail.sender is not None and is_machine(mail.sender)


def is_machine(address: Address) -> bool:
    return any(word in address.email.partition("@")[0] for word in _MACHINES)
