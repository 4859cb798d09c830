"""A MailQuery in Gmail's search language, and what must be looked at afterwards since Gmail can't tell it exactly."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from integrations.common.addresses import normal_email, wire_email
from integrations.common.mail_words import PLAIN, HeadSieve, with_other_number
from integrations.common.people import WORD
from integrations.google.messages import STARRED, SYSTEM, UNREAD, Labels, Message
from integrations.types import ARCHIVE, DRAFTS, OUTBOX, TRASH, MailQuery

_UNQUOTABLE = re.compile(r'["\x00-\x1f\x7f\ud800-\udfff]+')
_ATTACHED = "has:attachment"
_MARGIN = timedelta(seconds=1)
"""Whether Gmail counts the very second named in `after:` and `before:` is not documented."""


@dataclass(frozen=True)
class Asked:
    """The parameters of messages.list. `anywhere`: in Spam and Trash too. Labels tell at once what `q` may tell a little later."""

    q: str
    labels: tuple[str, ...] = ()
    anywhere: bool = False


# What is asked of Gmail ----------------------------------------------------------------------------------------------


def asked(query: MailQuery, labels: Labels) -> Asked | None:
    """None where no mail can match: there are no such folders."""
    place = _place(query.folders, labels)
    if place is None:
        return None
    terms = [*_texts("", query.words), *_texts("subject:", query.subject)]
    terms += [f"-{term}" for term, wanted in _states(query).items() if wanted is False]
    terms.append(_people(query.sender, ("from",)))
    terms.append(_people(query.recipient, ("to", "cc", "bcc")))
    terms.append(_people(query.with_person, ("from", "to", "cc", "bcc")))
    terms.append(_after(query.since) if query.since else "")
    terms.append(_before(query.before) if query.before else "")
    if query.message_id:
        terms.append(f"rfc822msgid:{_UNQUOTABLE.sub('', query.message_id.strip().strip('<>'))}")
    if query.has_attachment:
        terms.append(_ATTACHED)
    flags = {UNREAD: query.unread, STARRED: query.flagged}
    labels_too = (*place.labels, *(label for label, wanted in flags.items() if wanted))
    return replace(place, q=" ".join(filter(None, (place.q, *terms))), labels=labels_too)


def between(one: Asked, first: datetime | None, last: datetime | None) -> Asked:
    """Narrowed to these moments, both included."""
    terms = (one.q, _after(first) if first else "", _before(last + _MARGIN) if last else "")
    return replace(one, q=" ".join(filter(None, terms)))


def _after(moment: datetime) -> str:
    return f"after:{max(0, math.floor((moment - _MARGIN).timestamp()))}"


def _before(moment: datetime) -> str:
    return f"before:{max(0, math.ceil((moment + _MARGIN).timestamp()))}"


def _place(folders: Sequence[str], labels: Labels) -> Asked | None:
    if not folders:
        return Asked("-in:draft")
    known = [name for name in map(labels.name, folders) if name]
    ids = [labels.id(name) for name in known]
    anywhere = "TRASH" in ids or "SPAM" in ids
    if len(known) == 1 and ids[0]:
        return Asked("", (ids[0],), anywhere)
    return Asked(_any(_folder(name, labels) for name in known), (), anywhere) if known else None


def _folder(name: str, labels: Labels) -> str:
    label = labels.id(name)
    if label is None:
        unfiled = f'{{has:nouserlabels label:"{ARCHIVE}"}}' if labels.archive else "has:nouserlabels"
        return f"(-in:inbox -in:sent -in:draft -in:trash -in:spam {unfiled})"
    return f"in:{label.lower()}" if label in SYSTEM else f'label:"{_UNQUOTABLE.sub(" ", name)}"'


def _states(query: MailQuery) -> dict[str, bool | None]:
    return {"is:unread": query.unread, "is:starred": query.flagged, _ATTACHED: query.has_attachment}


def _texts(operator: str, words: Iterable[str]) -> Iterable[str]:
    return (_any(f"{operator}{term}" for term in _forms(word)) for word in words)


def _forms(word: str) -> tuple[str, ...]:
    """Gmail finds words as they are written."""
    term = _term(word)
    return with_other_number(term) if term else ()


def _term(text: str) -> str:
    """Empty where there is no letter or digit in it to search for. Lower case, for OR and AND are operators."""
    text = " ".join(_UNQUOTABLE.sub(" ", text).split())
    if not WORD.search(text):
        return ""
    return text.lower() if PLAIN.fullmatch(text) else f'"{text}"'


def _people(entries: Sequence[str], operators: Sequence[str]) -> str:
    """Nothing where one of the entries can't be searched for: then none of them can be."""
    named = [_person(entry) for entry in entries]
    if not all(named):
        return ""
    return _any(_all(f"{operator}:{term}" for term in terms) for terms in named for operator in operators)


def _person(entry: str) -> tuple[str, ...]:
    email = normal_email(entry.strip().strip("<>"))
    if email:
        return (wire_email(email),)
    return tuple(filter(None, map(_term, entry.replace(",", " ").split())))


def _any(terms: Iterable[str]) -> str:
    each = list(dict.fromkeys(filter(None, terms)))
    return each[0] if len(each) == 1 else f"{{{' '.join(each)}}}" if each else ""


def _all(terms: Iterable[str]) -> str:
    each = list(terms)
    return each[0] if len(each) == 1 else f"({' '.join(each)})"


# What is looked at afterwards ----------------------------------------------------------------------------------------


class Sieve(HeadSieve):
    """`loose`: Gmail may list more than what matches."""

    def __init__(self, query: MailQuery, labels: Labels) -> None:
        super().__init__(query)
        self._labels = labels
        archive = any(folder.casefold() == ARCHIVE.casefold() for folder in query.folders)
        self.loose = bool(self.vague or archive or query.thread)

    def passes(self, message: Message) -> bool:
        query = self._query
        return (
            self._in_place(message.labels)
            and (query.since is None or message.moment >= query.since)
            and (query.before is None or message.moment < query.before)
            and query.unread in (None, UNREAD in message.labels)
            and query.flagged in (None, STARRED in message.labels)
            and (not query.thread or query.thread == message.thread)
            and self.fits(message.parsed)
        )

    def _in_place(self, labels: frozenset[str]) -> bool:
        if self._query.folders:
            return any(self._labels.holds(folder, labels) for folder in self._query.folders)
        return self._labels.folder(labels) not in (TRASH, DRAFTS, OUTBOX) and "SPAM" not in labels
