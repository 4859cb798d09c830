"""The texts of one event or contact as a person sees them, and what was removed from them."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

from integrations.common.addresses import shows_another
from integrations.common.oddities import Finds
from integrations.common.people import honest_name
from integrations.types import Oddity

LINE, TEXT = 1000, 100_000
"""The most characters of a field of one line, and of one of many."""
MOST = 1000
"""Attendees of one event, or addresses, numbers and groups of one contact."""

MARKUP = re.compile(
    r"</?(?:a|audio|b|blockquote|body|br|canvas|center|details|dialog|div|em|font|h[1-6]|head|hr|html|html-blob|i|iframe|img|li|math|noscript"
    r"|object|ol|p|pre|script|select|small|span|strong|style|sub|sup|svg|table|tbody|td|template|th|tr|u|ul|video)(?:\s[^<>]{0,2000})?/?>"
    r"|</(?:article|aside|button|form|label|main|section|summary|textarea|title)\s{0,9}>"
    r"|<[a-z][\w-]{0,30}\s[^<>=]{0,200}=|<[a-z][\w-]{0,30}\s{1,20}hidden|<!--",
    re.IGNORECASE,
)
"""What no description holds that was written as plain text."""

T = TypeVar("T")


class Texts(Finds):
    """The fields of one item."""

    def word(self, text: str, where: str) -> str:
        return " ".join(self.line(text, where, LINE).split())

    def words(self, texts: Iterable[str], where: str) -> tuple[str, ...]:
        """Each once, without empty ones."""
        return self.most(dict.fromkeys(filter(None, (self.word(text, where) for text in texts))), where)

    def lines(self, text: str, where: str, most: int = TEXT) -> str:
        return self.text(text.replace("\r\n", "\n"), where, most).strip()

    def described(self, text: str, where: str = "description") -> str:
        """Of what most programs write as plain text, and some as HTML."""
        return self.rich(text, where) if MARKUP.search(text) else self.lines(text, where)

    def rich(self, html: str, where: str = "description") -> str:
        text, found = _seen(html, where)
        for odd in found:
            self.add(odd.kind, odd.where, odd.count)
        return text

    def name(self, text: str) -> str:
        """That of somebody, for showing beside an address."""
        return honest_name(self.word(text, "name"))

    def called(self, text: str, emails: Iterable[str]) -> str:
        """The name of a contact; empty where it is an address that is none of theirs."""
        name, known = self.word(text, "name"), tuple(emails)
        return "" if "@" in name and known and shows_another(name, known) else name

    def most(self, items: Iterable[T], where: str, most: int = MOST) -> tuple[T, ...]:
        """The first of them."""
        given = tuple(items)
        self.add("too_many", where, len(given) - most)
        return given[:most]


@lru_cache(maxsize=128)
def _seen(html: str, where: str) -> tuple[str, tuple[Oddity, ...]]:
    """All instances of a series have the same."""
    finds = Finds()
    return finds.html(html.replace("\r\n", "\n"), where, TEXT).strip(), finds.found
