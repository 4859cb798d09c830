"""What the inbox holds for the user: what needs an answer, what others owe, what is new."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple

from assistant.agents.base import Desk
from assistant.agents.weighing import ranked, without_text
from assistant.agents.words import count, listing
from assistant.attention import Ranked, asking_sentence, by_machine, is_answered
from assistant.briefing.coverage import OVERLAP, Told
from assistant.briefing.facts import Covered, Line, Section, Weighed
from assistant.briefing.phrases import LONGEST, clean, cut, day_named, gist, mail_words, short_words
from assistant.briefing.post import Post
from assistant.briefing.waiting import waiting_for
from assistant.reasoning.offline.saying.items import person
from integrations.types import Mail

MOST_ANSWERS, MOST_KNOWN, MOST_PHISHING, MOST_SENDERS, MOST_FRESH = 10, 6, 5, 4, 40
PRESSING = 2
"""Days: from then on each that a deadline comes nearer is told."""

INVITES = "invitation awaiting your answer"
_LITTLE = ("from someone you write to", "unread")
"""Reasons that tell little of a mail that has others."""


def key(mail: Mail) -> str:
    return f"mail/{mail.account}/{mail.thread or mail.id}"


class Inbox:
    """All accounts' mail together. `covered` by account; `invitations` are titles that the calendar's part tells of."""

    def __init__(
        self,
        posts: Sequence[Post],
        covered: Mapping[str, Covered],
        known: frozenset[str],
        told: Told,
        desk: Desk,
        invitations: Iterable[str] = (),
    ) -> None:
        self._covered, self._known, self._told, self._desk, self._now = covered, known, told, desk, desk.setting.now
        self._invitations = frozenset(title.casefold() for title in invitations if title)
        self._arrived = frozenset((mail.account, mail.id) for post in posts for mail in post.letters if mail.id in post.arrived)
        self._letters = self._once(mail for post in posts for mail in post.letters)
        self._bulk = self._once(mail for post in posts for mail in post.bulk)
        self._sent = sorted((mail for post in posts for mail in post.sent), key=lambda mail: mail.date, reverse=True)
        self.new = [mail for mail in (*self._letters, *self._bulk) if self._is_new(mail)]
        """What came since the last briefing."""
        self._newest = {key(mail): mail for mail in sorted(self._letters, key=lambda mail: mail.date)}
        self.still = list[Line]()
        """What was told before and still stands."""
        beyond = [post.beyond for post in posts]
        self._beyond = None if None in beyond else sum(number or 0 for number in beyond)
        self._where: dict[str, str] = {}
        self._ranking: tuple[Ranked, ...] = ()

    def _is_new(self, mail: Mail) -> bool:
        recent = mail.date >= self._covered[mail.account].until - OVERLAP
        late = mail.unread and (mail.account, mail.id) in self._arrived
        return (recent or late) and not self._told.before(_seen(mail))

    def _once(self, mails: Iterable[Mail]) -> list[Mail]:
        """Newest first. What came to several accounts stands there once, as the one that was told."""
        last = sorted(mails, key=lambda mail: (bool(self._told.before(key(mail))), not self._is_new(mail)))
        found = {mail.message_id or f"{mail.account}/{mail.id}": mail for mail in last}
        return sorted(found.values(), key=lambda mail: mail.date, reverse=True)

    async def sections(self) -> list[Section]:
        bulk = [mail for mail in self.new if mail.bulk]
        # Only so many are read in full: after what has just come those told before, or they would seem to be open no more.
        fresh = {(mail.account, mail.id) for mail in self.new[:MOST_FRESH]}
        letters = sorted(self._letters, key=lambda mail: ((mail.account, mail.id) not in fresh, not self._told.before(key(mail))))
        self._ranking = await ranked([*letters, *bulk], self._known, self._last_words, self._desk)
        found = [self._answers(), await self._waiting(), self._from_known(), self._newsletters(bulk), self._phishing()]
        for mail in (*self._letters, *self._bulk):
            if mail.date >= self._now - OVERLAP:
                self._told.say(_seen(mail), "seen")
        return [section for section in found if section.lines or section.note]

    @property
    def weighed(self) -> tuple[Weighed, ...]:
        return tuple(
            Weighed(
                text=mail_words(one.mail),
                score=one.score,
                points=one.points,
                told=self._where.get(key(one.mail)) or ("asks nothing" if one.score <= 0 else "not new"),
                mail=without_text(one.mail),
            )
            for one in self._ranking
        )

    @cached_property
    def _last_words(self) -> dict[str, datetime]:
        """When the user last wrote, by thread."""
        return {mail.thread: mail.date for mail in reversed(self._sent) if mail.thread}

    def _answers(self) -> Section:
        """Of more than can be told those that have just come go before, and those whose day is near."""
        asking = [one for one in self._ranking if one.score > 0 and one.kind in ("asks", "flagged") and self._is_news(one)]
        came = {key(mail) for mail in self.new}
        first = sorted(asking, key=lambda one: key(one.mail) not in came and not self._state(one).pressing)[:MOST_ANSWERS]
        lines = []
        for one in asking:
            if one in first:
                reasons = (*_telling(one), *self._written_since(one))
                lines.append(_line(one, mail_words(one.mail, asking_sentence(one.mail, self._desk.setting.zone)), reasons))
                self._say(one, "answer")
            else:
                self._where[key(one.mail)] = f"only {MOST_ANSWERS} are told"
        more = len(asking) - len(lines)
        note = " ".join(filter(None, (self._caught_up(first), self._left_out(more))))
        return Section(kind="answer", title="Needs an answer", lines=tuple(lines), note=note, more=more)

    def _caught_up(self, asking: Sequence[Ranked]) -> str:
        """What earlier briefings had no room for does not pass for what has just come."""
        came = {key(mail) for mail in self.new}
        old = sum(key(one.mail) not in came and not self._told.before(key(one.mail)) for one in asking)
        if not old or self._told.is_first:
            return ""
        return f"{old} of these came before the last briefing and {'is' if old == 1 else 'are'} told for the first time."

    def _left_out(self, more: int) -> str:
        asking = f"{count(more, 'other mail')} {'asks' if more == 1 else 'ask'} for something, too." if more else ""
        older = "Older mails" if self._beyond is None else count(self._beyond, "older mail")
        beyond = "" if self._beyond == 0 else f"{older} {'was' if self._beyond == 1 else 'were'} not looked at."
        return " ".join(filter(None, (asking, beyond)))

    def _is_news(self, one: Ranked) -> bool:
        """What is not is still open, or dropped."""
        said, before = self._state(one), _read(self._told.before(key(one.mail)))
        if self._is_told_as_event(one):
            return False
        if one.kind == "asks" and (before is None or said.adds(before)):
            return True
        self.still.append(_line(one, short_words(one.mail), _telling(one), new=before is None))
        self._say(one, "open")
        return False

    def _say(self, one: Ranked, kind: str) -> None:
        self._where[key(one.mail)] = kind
        self._told.say(key(one.mail), self._state(one).written)

    def _state(self, one: Ranked) -> "_Said":
        newest = self._newest.get(key(one.mail), one.mail)
        left = (one.until - self._now.date()).days if one.until else PRESSING
        return _Said(f"{newest.date.astimezone(UTC):%Y-%m-%dT%H:%M}", max(PRESSING - max(left, 0), 0), one.mail.flagged)

    def _written_since(self, one: Ranked) -> Iterator[str]:
        newest = self._newest.get(key(one.mail), one.mail)
        if newest.date > one.mail.date:
            again = " again" if newest.sender == one.mail.sender else ""
            yield f"{person(newest.sender)} wrote{again} {day_named(newest.date, self._now)}"

    def _is_told_as_event(self, one: Ranked) -> bool:
        told = INVITES in one.reasons and any(title in one.mail.subject.casefold() for title in self._invitations)
        if told:
            self._where[key(one.mail)] = "told as an invitation"
        return told

    async def _waiting(self) -> Section:
        came = {mail.thread: mail.date for mail in self._newest.values() if mail.thread}
        new, still, more = await waiting_for(self._sent, came, self._told, self._desk)
        self.still += still
        return Section(kind="waiting", title="You are waiting for", lines=new, note=_more(more))

    def _from_known(self) -> Section:
        lines, more = list[Line](), 0
        for one, mail in self._only_telling():
            if is_answered(mail, self._last_words) or not self._knows(mail):
                continue
            if len(lines) < MOST_KNOWN:
                lines.append(Line(text=mail_words(mail, gist(mail)), reasons=one.reasons, score=one.score, mail=mail))
            else:
                more += 1
            self._where[key(one.mail)] = "known"
        return Section(kind="known", title="New from people you know", lines=tuple(lines), note=_more(more))

    def _only_telling(self) -> Iterator[tuple[Ranked, Mail]]:
        """Threads that ask for nothing (more), each with the newest mail that came."""
        came = {key(mail): mail for mail in reversed(self.new) if not mail.bulk}
        for one in self._ranking:
            mail = came.get(key(one.mail))
            asks_little = one.kind == "news" or (one.kind == "asks" and one.score <= 0)
            if mail and (asks_little or (one.kind == "flagged" and mail.id != one.mail.id)):
                yield one, mail

    def _knows(self, mail: Mail) -> bool:
        return mail.sender is not None and mail.sender.email in self._known and not by_machine(mail)

    def _newsletters(self, bulk: Sequence[Mail]) -> Section:
        """One line; the note counts what else came and asks nothing: people's mails too, so the title goes by it."""
        rest = [mail for one, mail in self._only_telling() if self._where.get(key(mail)) != "known"]
        lines = (Line(text=f"{count(len(bulk), 'newsletter')}: {_senders(bulk)}"),) if bulk else ()
        verb = "needs" if len(rest) == 1 else "need"
        note = f"{count(len(rest), 'other mail')} {verb} no answer: {_senders(rest)}." if rest else ""
        return Section(kind="newsletters", title="Needs no answer" if rest else "Newsletters", lines=lines, note=note)

    def _phishing(self) -> Section:
        lines, more = list[Line](), 0
        for one in self._ranking:
            told = f"phishing/{one.mail.account}/{one.mail.id}"
            if one.kind != "phishing" or not (one.mail.unread or self._is_new(one.mail)):
                continue
            if not self._told.before(told):
                if len(lines) == MOST_PHISHING:
                    more += 1
                    continue
                reasons = tuple(reason.removeprefix("looks like phishing: ") for reason in one.reasons)
                lines.append(_line(one, _as_shown(one.mail), reasons))
            self._told.say(told, "told")
            self._where[key(one.mail)] = "phishing"
        return Section(kind="phishing", title="Looks like phishing", lines=tuple(lines), note=_more(more))


class _Said(NamedTuple):
    """What was told of a thread: the minute of its newest mail, how near its day had come, whether it was flagged."""

    newest: str
    pressing: int
    flagged: bool

    @property
    def written(self) -> str:
        return f"{self.newest}{'!' * self.pressing}{'*' * self.flagged}"

    def adds(self, before: "_Said") -> bool:
        return self.newest > before.newest or self.pressing > before.pressing


def _read(written: str) -> _Said | None:
    return _Said(written.rstrip("!*"), written.count("!"), "*" in written) if written else None


def _telling(one: Ranked) -> tuple[str, ...]:
    return tuple(reason for reason in one.reasons if reason not in _LITTLE) or one.reasons


def _line(one: Ranked, text: str, reasons: tuple[str, ...], *, new: bool = True) -> Line:
    return Line(text=text, reasons=reasons, score=one.score, mail=without_text(one.mail), new=new)


def _more(number: int) -> str:
    return f"And {number} more." if number > 0 else ""


def _seen(mail: Mail) -> str:
    return f"seen/{mail.account}/{mail.id}"


def _as_shown(mail: Mail) -> str:
    """With the address, which tells more than the name that somebody gave themselves."""
    return cut(f"{cut(clean(str(mail.sender or 'unknown sender')), 60)}: {clean(mail.subject) or '(no subject)'}", LONGEST)


def _senders(mails: Sequence[Mail]) -> str:
    """ "Trailhead Weekly (2), The Map Room and 3 others" """
    counted = Counter(cut(person(mail.sender), 40) for mail in mails)
    said = [f"{name} ({number})" if number > 1 else name for name, number in counted.most_common()]
    return listing(said, MOST_SENDERS)
