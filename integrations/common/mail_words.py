"""Which mails a MailQuery means, as far as words and people go: what providers that search by themselves can't tell exactly."""

import re
from collections.abc import Callable, Iterable, Sequence

from integrations.common import fulltext
from integrations.common.addresses import normal_email
from integrations.common.mime import Parsed
from integrations.common.people import WORD, plain
from integrations.types import Address, MailQuery

PLAIN = re.compile(r"[A-Za-z0-9]+")


def with_other_number(term: str) -> tuple[str, ...]:
    """A search term, with the English plural beside the singular where it is one word."""
    if not (PLAIN.fullmatch(term) and term.isalpha() and len(term) > 3):
        return (term,)
    return (term, term[:-1]) if term.endswith("s") else (term, f"{term}s")


class HeadSieve:
    """Looks at heads. `scanned` are the words that no index knows, to be looked for in the text of each mail."""

    def __init__(self, query: MailQuery) -> None:
        self._query = query
        self.scanned = tuple(word.strip().casefold() for word in query.words if needs_scan(word))
        self._subject = tuple(word.strip().casefold() for word in query.subject if needs_scan(word))
        people = query.sender or query.recipient or query.with_person
        unindexed = query.bulk is not None or query.has_attachment is not None or query.message_id or self.scanned or self._subject
        self.vague = bool(people or unindexed)
        """Whether a search that is not exact about any of this gives more than what matches."""

    def fits(self, head: Parsed) -> bool:
        query = self._query
        sender = (head.sender,) if head.sender else ()
        recipients = (*head.to, *head.cc, *head.bcc)
        return (
            query.bulk in (None, head.bulk)
            and query.has_attachment in (None, bool(head.attachments))
            and (not query.message_id or head.message_id == f"<{query.message_id.strip().strip('<>')}>")
            and concerns(query.sender, sender)
            and concerns(query.recipient, recipients)
            and concerns(query.with_person, (*sender, *recipients))
            and all(word in head.subject.casefold() for word in self._subject)
        )

    def shows(self, whole: Parsed) -> bool:
        """Whether a mail read with its text has the words that are looked for in it."""
        people = (*((whole.sender,) if whole.sender else ()), *whole.to, *whole.cc, *whole.bcc)
        text = "\n".join((*map(str, people), whole.subject, whole.text)).casefold()
        return all(word in text for word in self.scanned)


def needs_scan(word: str) -> bool:
    """Whether it must be looked for in the text of each mail, since no index of words knows it."""
    return bool(word.strip()) and (fulltext.needs_scan(word) or not fulltext.is_indexed(word))


def concerns(entries: Sequence[str], people: Iterable[Address]) -> bool:
    """Whether one of these people is meant, where anybody is."""
    return not entries or any(map(anyone(entries), people))


def anyone(entries: Iterable[str]) -> Callable[[Address], bool]:
    """Whether an address is meant by one of these: an address, or whole parts of a name or address in any order."""
    each = [_meaning(entry) for entry in entries]
    return lambda address: any(means(address) for means in each)


def _meaning(entry: str) -> Callable[[Address], bool]:
    email = normal_email(entry.strip().strip("<>"))
    if email:
        return lambda address: address.email == email
    pieces = [words for piece in entry.replace(",", " ").split() if (words := WORD.findall(plain(piece)))]
    if pieces:
        return lambda address: all(stands_in(words, WORD.findall(plain(f"{address.name} {address.email}"))) for words in pieces)
    return lambda address: entry.casefold() in address.name.casefold()


def stands_in(words: Sequence[str], text: Sequence[str]) -> bool:
    """One after the other, with nothing between."""
    return any(text[at : at + len(words)] == words for at in range(len(text) - len(words) + 1))
