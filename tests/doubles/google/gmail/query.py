"""Gmail's search language, read into conditions. Nothing is malformed: what makes no sense is left out, as Gmail does.

OR binds closer than writing terms side by side. A condition on a field may hold several terms, `subject:(dinner movie)`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

FIELDS = frozenset(
    "from to cc bcc deliveredto subject label in is has filename category list after newer before older older_than newer_than "
    "larger size smaller rfc822msgid".split()
)
_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<open>[({])|(?P<close>[)}])|(?P<sign>[-+](?=[^\s-]))|"(?P<phrase>[^"]*)"?|(?P<field>[A-Za-z0-9_]+):|(?P<word>[^\s(){}"]+)"""
)
_VALUE = re.compile(r"""[^\s(){}"]+""")


@dataclass(frozen=True)
class Term:
    """`field` is empty for words anywhere; several words stand side by side."""

    field: str
    value: str


@dataclass(frozen=True)
class All:
    items: tuple["Condition", ...]


@dataclass(frozen=True)
class Either:
    items: tuple["Condition", ...]


@dataclass(frozen=True)
class Not:
    item: "Condition"


Condition = Term | All | Either | Not


def read(query: str) -> Condition:
    return _Reader(query).group("", "")


def asked_for(condition: Condition) -> Iterator[Term]:
    """The terms that are not negated."""
    if isinstance(condition, Term):
        yield condition
    elif not isinstance(condition, Not):
        for item in condition.items:
            yield from asked_for(item)


class _Reader:
    def __init__(self, query: str) -> None:
        self._query = query
        self._at = 0

    def group(self, field: str, end: str) -> Condition:
        """Up to `end`, which is a closing bracket or the end of the query."""
        items: list[Condition] = []
        joined = False
        while (item := self._next(field, end)) is not None:
            if item == "OR":
                joined = bool(items)
            elif not isinstance(item, str):
                items[-1:] = [_either(items[-1], item)] if joined else [*items[-1:], item]
                joined = False
        return Either(tuple(items)) if items and end == "}" else All(tuple(items))

    def _next(self, field: str, end: str) -> "Condition | str | None":
        """A condition, a word that joins, or None at the end."""
        found = _TOKEN.match(self._query, self._at)
        if found is None:
            return None
        self._at = found.end()
        match found.lastgroup:
            case "close":
                return None if found[0] == end else ""
            case "open":
                return self.group(field, ")" if found[0] == "(" else "}")
            case "sign":
                return self._signed(found[0], field, end)
            case "phrase":
                return Term(field, found["phrase"])
            case "field":
                return self._field(found, field, end)
            case "word":
                return found[0] if found[0] in ("OR", "AND") else Term(field, found[0])
        return ""

    def _signed(self, sign: str, field: str, end: str) -> "Condition | str | None":
        item = self._next(field, end)
        if item is None or isinstance(item, str):
            return item
        return Not(item) if sign == "-" else item

    def _field(self, found: re.Match[str], outer: str, end: str) -> "Condition | str":
        """The condition on a field; a colon after anything else belongs to a word."""
        field = found["field"].lower()
        following = self._query[self._at : self._at + 1]
        if field not in FIELDS:
            rest = _VALUE.match(self._query, self._at)
            self._at = rest.end() if rest else self._at
            return Term(outer, found[0] + (rest[0] if rest else ""))
        if following and following in '"({':
            item = self._next(field, end)
            return "" if item is None else item
        value = _VALUE.match(self._query, self._at)
        if value is None:
            return ""
        self._at = value.end()
        return Term(field, value[0])


def _either(left: Condition, right: Condition) -> Condition:
    return Either((*left.items, right)) if isinstance(left, Either) else Either((left, right))
