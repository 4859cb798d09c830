"""Gathers what reading takes out of the fields of one mail, event or card."""

from collections import Counter

from integrations.common.headers import one_line
from integrations.common.invisible import cleaned
from integrations.common.sanitising import shown
from integrations.types import Oddity


class Finds:
    """Each method gives a field as a person would see it, and notes under `where` what it took out."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, where: str = "", count: int = 1) -> None:
        """Nothing where `count` is nothing. `kind` is one of Oddity's."""
        if count > 0:
            self._counts[kind, where] += count

    def join(self, others: "Finds") -> None:
        """What another has found is found here too."""
        self._counts += others._counts

    def text(self, text: str, where: str, most: int = 0) -> str:
        """Of several lines; cut after so many characters, if a number is given."""
        seen = cleaned(text)
        self.add("invisible", where, seen.invisible)
        self.add("bidi", where, seen.directions)
        if most and len(seen.text) > most:
            self.add("cut", where)
            return seen.text[:most]
        return seen.text

    def line(self, text: str, where: str, most: int = 0) -> str:
        """As one line."""
        return one_line(self.text(text, where, most))

    def html(self, html: str, where: str, most: int = 0) -> str:
        """What a browser would show of it."""
        seen = shown(html)
        self.add("hidden_text", where, seen.hidden)
        self.add("bidi", where, seen.turned)
        self.add("cut", where, seen.cut)
        return self.text(seen.text, where, most)

    @property
    def found(self) -> tuple[Oddity, ...]:
        """In the order in which they were met."""
        counts = self._counts.items()
        return tuple(Oddity.model_validate({"kind": kind, "where": where, "count": count}) for (kind, where), count in counts)
