"""A MailQuery as Graph can be asked: in KQL by `$search`, or by `$filter`, never both; and what must be looked at afterwards."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from integrations.common.addresses import normal_email, wire_email
from integrations.common.mail_words import PLAIN, HeadSieve, needs_scan, stands_in, with_other_number
from integrations.common.people import WORD, plain
from integrations.microsoft.folders import Folders
from integrations.microsoft.messages import FLAGGED, Message, State
from integrations.types import MailQuery

_UNQUOTABLE = re.compile(r'["\\*\x00-\x1f\x7f\ud800-\udfff]+')
_ID = re.compile(r"[A-Za-z0-9_=-]{16,}")
_THREAD = re.compile(r"[A-Za-z0-9_=+/-]{16,}")
_EARLIEST = "1900-01-01T00:00:00Z"
_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)
"""Graph shows whole seconds of finer moments, and takes the days of a search in a zone of its own."""


def known_id(text: str) -> bool:
    """Whether it can be the id of a message or attachment."""
    return bool(_ID.fullmatch(text))


def known_thread(text: str) -> bool:
    """Whether it can be the id of a conversation, which never stands in a path."""
    return bool(_THREAD.fullmatch(text))


@dataclass(frozen=True)
class Asked:
    """One listing of messages, of one folder or (`folder` empty) of the whole mailbox. `since` and `before` are further conditions
    on when they came. What is `ordered` comes by that. `bare`: a search at an account that knows no fields."""

    folder: str = ""
    search: str = ""
    filter: tuple[str, ...] = ()
    since: datetime | None = None
    before: datetime | None = None
    sent: datetime | None = None
    ordered: bool = True
    oldest_first: bool = False
    bare: bool = False

    @property
    def query(self) -> dict[str, object]:
        """The parameters; what is ordered by must be what is filtered by first, or Graph finds it too much together."""
        if self.search:
            return {"search": _quoted(" AND ".join((self.search, *(() if self.bare else self._days()))))}
        conditions = (*self._moments(), *self.filter) if self.ordered else self.filter
        order = {"orderby": [f"receivedDateTime {'asc' if self.oldest_first else 'desc'}"]} if self.ordered else {}
        return {**({"filter": " and ".join(conditions)} if conditions else {}), **order}

    def between(self, first: datetime | None, last: datetime | None) -> "Asked":
        """Narrowed to what came at these moments, both included."""
        since = max(filter(None, (self.since, first)), default=None)
        before = min(filter(None, (self.before, last + _SECOND if last else None)), default=None)
        return replace(self, since=since, before=before)

    def sent_until(self, last: datetime) -> "Asked":
        return replace(self, sent=last)

    def plainer(self) -> "Asked":
        """Where Graph refuses the conditions, most likely as too much together."""
        return replace(self, filter=())

    def _moments(self) -> Iterable[str]:
        if self.since or self.filter:
            yield f"receivedDateTime ge {_second(self.since) if self.since else _EARLIEST}"
        if self.before:
            yield f"receivedDateTime lt {_second(self.before + _SECOND)}"

    def _days(self) -> Iterable[str]:
        if self.since and self.since.year > 1:
            yield f"received>={(_utc(self.since) - _DAY).date()}"
        if self.before and self.before.year < 9999:
            yield f"received<={(_utc(self.before) + _DAY).date()}"
        if self.sent and self.sent.year < 9999:
            yield f"sent<={(_utc(self.sent) + _DAY).date()}"


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _second(moment: datetime) -> str:
    return _utc(moment).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


# What is asked of Graph ----------------------------------------------------------------------------------------------


def asked(query: MailQuery, folders: Folders, *, personal: bool = False) -> Asked | None:
    """None where no mail can match: there are no such folders, or no such thread. At a personal account a search that names a field
    finds nothing."""
    ids = [id for id in map(folders.id, query.folders) if id]
    if (query.folders and not ids) or (query.thread and not known_thread(query.thread)):
        return None
    given = Asked(ids[0] if len(ids) == 1 else "", since=query.since, before=query.before, oldest_first=query.oldest_first)
    kql = _all(_bare(query) if personal else _kql(query))
    if kql:
        return replace(given, search=kql, bare=personal)
    if query.thread:
        return replace(given, filter=(f"conversationId eq {literal(query.thread)}",), ordered=False)
    if message_id := _UNQUOTABLE.sub("", query.message_id).strip().strip("<>"):
        return replace(given, filter=(f"internetMessageId eq {literal(f'<{message_id}>')}",), ordered=False)
    return replace(given, filter=tuple(filter(None, _conditions(query))))


def _kql(query: MailQuery) -> Iterable[str]:
    """What only a search finds. An id finds at once what a search may not know yet."""
    words = [_any(f"{field}{term}" for term in _forms(word) for field in ("", "participants:")) for word in query.words]
    subject = [_any(f"subject:{term}" for term in _forms(word)) for word in query.subject]
    if query.thread or query.message_id:
        return (*words, *subject)
    sender = "" if _emails(query.sender) else _people("from:", query.sender)
    people = (sender, _people("recipients:", query.recipient), _people("participants:", query.with_person))
    if not any((*words, *subject, *people)):
        return ()
    return (*words, *subject, sender or _people("from:", query.sender), *people[1:], _attached(query))


def _bare(query: MailQuery) -> Iterable[str]:
    """The same without fields: words are looked for where mails say who wrote them and what, not to whom."""
    words = [_any(_forms(word)) for word in (*query.words, *query.subject)]
    by_id = query.thread or query.message_id or _emails(query.sender)
    return words if by_id else (*words, _people("", query.sender))


def _attached(query: MailQuery) -> str:
    return "" if query.has_attachment is None else f"hasAttachments:{str(query.has_attachment).lower()}"


def _conditions(query: MailQuery) -> Iterable[str]:
    if query.unread is not None:
        yield f"isRead eq {str(not query.unread).lower()}"
    if query.flagged:
        yield f"flag/flagStatus eq '{FLAGGED}'"
    if query.has_attachment is not None:
        yield f"hasAttachments eq {str(query.has_attachment).lower()}"
    senders = [f"from/emailAddress/address eq {literal(email)}" for email in _emails(query.sender)]
    yield f"({' or '.join(senders)})" if len(senders) > 1 else "".join(senders)


def literal(text: str) -> str:
    """In a `$filter`."""
    return "'" + text.replace("'", "''") + "'"


def _quoted(kql: str) -> str:
    return '"' + kql.replace('"', '\\"') + '"'


def _emails(entries: Sequence[str]) -> tuple[str, ...]:
    """As they may be written in a mail; none where one of the entries is no address."""
    emails = [normal_email(entry.strip().strip("<>")) for entry in entries]
    return tuple(dict.fromkeys(form for email in emails for form in (wire_email(email), email))) if all(emails) else ()


def _forms(word: str) -> tuple[str, ...]:
    term = "" if needs_scan(word) else _term(word)
    return with_other_number(term) if term else ()


def _term(text: str) -> str:
    """Empty where there is no letter or digit in it to search for. Small letters, for OR and AND are operators."""
    text = " ".join(_UNQUOTABLE.sub(" ", text).split())
    if not WORD.search(text):
        return ""
    return text.lower() if PLAIN.fullmatch(text) else f'"{text}"'


def _people(field: str, entries: Sequence[str]) -> str:
    """Nothing where one of the entries can't be searched for: then none of them can be."""
    meant = [_meant(entry) for entry in entries]
    each = (_joined(" AND ", (f"{field}{term}" for term in terms)) for alternatives in meant for terms in alternatives)
    return _any(each) if all(meant) else ""


def _meant(entry: str) -> list[tuple[str, ...]]:
    """Alternatives, each of terms that belong together."""
    emails = _emails((entry,))
    if emails:
        return [(f'"{_UNQUOTABLE.sub(" ", email)}"',) for email in emails]
    terms = tuple(filter(None, map(_term, entry.replace(",", " ").split())))
    return [terms] if terms else []


def _any(terms: Iterable[str]) -> str:
    return _joined(" OR ", terms)


def _all(terms: Iterable[str]) -> str:
    """Nothing around it, for it is not part of anything."""
    return " AND ".join(dict.fromkeys(filter(None, terms)))


def _joined(operator: str, terms: Iterable[str]) -> str:
    each = list(dict.fromkeys(filter(None, terms)))
    return each[0] if len(each) == 1 else f"({operator.join(each)})" if each else ""


# What is looked at afterwards ----------------------------------------------------------------------------------------


class Sieve(HeadSieve):
    """`loose`: a head tells what neither Graph nor a state can tell exactly."""

    def __init__(self, query: MailQuery, folders: Folders, *, personal: bool = False) -> None:
        super().__init__(query)
        subject = query.subject if personal else ()
        self._in_subject = [[WORD.findall(plain(form)) for form in _forms(word)] for word in subject if _forms(word)]
        self.loose = bool(self.vague or query.thread or self._in_subject)
        self._aside = folders.aside
        self._places = {folders.id(folder) for folder in query.folders}

    def takes_all(self, question: Asked) -> bool:
        """Whether all that Graph lists for the question matches."""
        timed = question.since or question.before  # to the second
        return bool(question.folder) and not (question.search or timed or self.loose)

    def may_pass(self, state: State) -> bool:
        query = self._query
        return (
            (state.folder in self._places if query.folders else state.folder not in self._aside)
            and (query.since is None or state.moment >= query.since)
            and (query.before is None or state.moment < query.before)
            and query.unread in (None, not state.seen)
            and query.flagged in (None, state.flagged)
        )

    def passes(self, message: Message) -> bool:
        thread, subject = self._query.thread, WORD.findall(plain(message.parsed.subject)) if self._in_subject else []
        return (
            self.may_pass(message.state)
            and (not thread or thread == message.thread)
            and all(any(stands_in(form, subject) for form in forms) for forms in self._in_subject)
            and self.fits(message.parsed)
        )
