"""A MailQuery in IMAP's search language, which finds at least every match, and what must be looked at afterwards.

A server's search looks for parts of words and may tell accents apart; here whole words are meant, with and without accents.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from integrations.common.addresses import normal_email, wire_email
from integrations.common.mail_words import HeadSieve, needs_scan, with_other_number
from integrations.common.mime import Parsed
from integrations.common.people import WORD, plain
from integrations.standards.mailbox.heads import Head
from integrations.standards.mailbox.ids import DELETED, FLAGGED, SEEN
from integrations.standards.mailbox.locating import day
from integrations.types import MailQuery

Criteria = list[str | bytes]
"""As Session.search takes them: str are sent as they are, bytes as text."""

Spelled = Callable[[str], list[str]]
"""In which ways a word may be written."""

_CLEAN = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]+")
_FIRST_YEAR, _LAST_YEAR = 1970, 9999
"""Servers need know nothing of what was before, or comes later."""
_LONGEST_TERM, MOST_TERMS = 200, 60
_ACCENTED = {
    "a": "áàäãå",
    "c": "çč",
    "e": "éèë",
    "i": "í",
    "n": "ñ",
    "o": "óöô",
    "s": "š",
    "u": "üú",
    "z": "ž",
}
_SENDER, _RECIPIENT = ("FROM",), ("TO", "CC", "BCC")


# What the server is asked --------------------------------------------------------------------------------------------


def criteria(query: MailQuery, *, accents: bool = True) -> Criteria:
    """`accents`: people may be called by names without the accents that they have; where a server must be asked for each whether
    it may be sent, that takes too long."""
    spelled = spellings if accents else _as_typed
    asked: Criteria = [*([] if lasting(query) else ["UNDELETED"]), *simple(query)]
    if query.message_id:
        asked += any_of(_keys(("HEADER MESSAGE-ID",), [query.message_id.strip().strip("<>")]))
    asked += _people(_SENDER, query.sender, spelled)
    asked += _people(_RECIPIENT, query.recipient, spelled)
    asked += _people((*_SENDER, *_RECIPIENT), query.with_person, spelled)
    for word in query.subject:
        for terms in _terms(word):
            asked += any_of(_keys(("SUBJECT",), terms))
    for word in query.words:
        for terms in _terms(word):
            asked += any_of(_keys(("TEXT",), terms))
    return asked


def lasting(query: MailQuery) -> bool:
    """Whether it asks, of the server, only for what never changes in a mail."""
    asks = query.message_id or query.sender or query.recipient or query.with_person or query.subject or query.words
    return bool(asks) and query.unread is None and query.flagged is None and query.since is None and query.before is None


def simple(query: MailQuery) -> Criteria:
    """Those that need no text: every server can tell them."""
    asked: Criteria = []
    if query.since and query.since.year > _FIRST_YEAR:
        asked += ["SINCE", day(query.since, -1)]
    if query.before and query.before.year < _LAST_YEAR:
        asked += ["BEFORE", day(query.before, 2)]
    asked += _flag(query.unread, "UNSEEN", "SEEN")
    asked += _flag(query.flagged, "FLAGGED", "UNFLAGGED")
    return asked


def _flag(wanted: bool | None, yes: str, no: str) -> Criteria:
    return [] if wanted is None else [yes if wanted else no]


def _terms(word: str) -> list[list[str]]:
    """What must all occur where the word does, each in one of these forms."""
    if needs_scan(word):
        return [[term] for term in map(_clean, word.split()) if term]
    tokens = WORD.findall(_clean(word).lower())
    if len(tokens) == 1:
        tokens = [min(with_other_number(tokens[0]), key=len)]  # which the other one contains
    longest = sorted(dict.fromkeys(tokens), key=len, reverse=True)[:3]
    return list(map(_as_typed, longest))


def _as_typed(word: str) -> list[str]:
    """Also without accents; servers don't tell capital letters apart."""
    return [word, bare] if (bare := plain(word)) != word.lower() else [word]


def _people(headers: Sequence[str], entries: Sequence[str], spelled: Spelled) -> Criteria:
    """Nothing where one of several can't be searched for: then none of them can be."""
    each = [_person(entry, spelled) for entry in entries]
    if len(each) == 1:
        return [key for forms in each[0] for key in any_of(_keys(headers, forms))]
    if not all(each):
        return []
    telling = [max(person, key=lambda forms: len(forms[0])) for person in each]
    if sum(map(len, telling)) * len(headers) > MOST_TERMS:
        telling = [forms[:1] for forms in telling]
    return any_of(_keys(headers, [form for forms in telling for form in forms]))


def _person(entry: str, spelled: Spelled) -> list[list[str]]:
    """What must all occur in the header where it names this one, each in one of these forms."""
    email = normal_email(entry.strip().strip("<>"))
    if email:
        return [list(dict.fromkeys((wire_email(email), email)))]
    pieces = [max(words, key=len) for piece in entry.replace(",", " ").split() if (words := WORD.findall(_clean(piece)))]
    if not pieces:
        return [[term]] if (term := _clean(entry)) else []
    return [spelled(piece) for piece in dict.fromkeys(pieces)]


def spellings(word: str) -> list[str]:
    """With and without the accent that people leave out, where it is one; a server may take "ü" for another letter than "u"."""
    bare = plain(word)
    forms = _as_typed(word)
    if bare.isascii() and len(bare) > 2:
        forms += [bare[:at] + accented + bare[at + 1 :] for at, letter in enumerate(bare) for accented in _ACCENTED.get(letter, "")]
        forms += [bare.replace("ss", "ß")] if "ss" in bare else []
    return list(dict.fromkeys(forms))


def _clean(text: str) -> str:
    """The longest run of what can be sent."""
    return max(_CLEAN.findall(text), key=len, default="")[:_LONGEST_TERM].strip()


def _keys(headers: Sequence[str], forms: Iterable[str]) -> list[Criteria]:
    return [[header, form.encode()] for form in forms for header in headers if form]


def any_of(keys: Sequence[Criteria]) -> Criteria:
    """One of them holds, as a tree that is as flat as can be."""
    if len(keys) < 2:
        return [part for key in keys for part in key]
    half = len(keys) // 2
    return ["OR", *any_of(keys[:half]), *any_of(keys[half:])]


# What is looked at afterwards ----------------------------------------------------------------------------------------


class Sieve(HeadSieve):
    """`loose`: the server may find more than what matches."""

    def __init__(self, query: MailQuery) -> None:
        super().__init__(query)
        self._subjects = [_stands(word) for word in query.subject if not needs_scan(word)]
        self._words = [_stands(word) for word in query.words if not needs_scan(word)]
        self.reads_texts = bool(query.words)
        self.loose = bool(self.vague or query.words or query.subject or query.thread)

    def passes(self, head: Head) -> bool:
        query = self._query
        return (
            self.dated(head.seconds)
            and DELETED not in head.flags
            and query.unread in (None, SEEN not in head.flags)
            and query.flagged in (None, FLAGGED in head.flags)
            and self.fits(head.parsed)
            and all(stands.search(plain(head.parsed.subject)) for stands in self._subjects)
        )

    def dated(self, seconds: int) -> bool:
        since, before = self._query.since, self._query.before
        return (since is None or seconds >= since.timestamp()) and (before is None or seconds < before.timestamp())

    def says(self, head: Parsed, text: str) -> bool:
        """Whether a mail with this head and text has the words that are looked for."""
        whole = head.model_copy(update={"text": text})
        people = (*((head.sender,) if head.sender else ()), *head.to, *head.cc, *head.bcc)
        read = plain("\n".join((*map(str, people), head.subject, text))) if self._words else ""
        return self.shows(whole) and all(stands.search(read) for stands in self._words)


def _stands(word: str) -> re.Pattern[str]:
    """Finds whole words, one after the other, in text that is plain; and everything where there is no word."""
    tokens = WORD.findall(plain(word))
    if not tokens:
        return re.compile("")
    last = "|".join(map(re.escape, with_other_number(tokens[0]))) if len(tokens) == 1 else re.escape(tokens[-1])
    start = "".join(re.escape(token) + r"[\W_]+" for token in tokens[:-1])
    return re.compile(rf"(?<![^\W_]){start}(?:{last})(?![^\W_])")
