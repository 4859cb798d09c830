"""The language of $search: words, phrases and conditions on properties, joined by AND, OR, NOT and brackets.

Side by side means AND, but OR for the same property. OR binds looser than AND."""

import re
from dataclasses import dataclass

from doubles.graph.calls import GraphError

PEOPLE = ("from", "to", "cc", "bcc", "recipients", "participants")
PROPERTIES = (*PEOPLE, "subject", "body", "attachment", "hasattachments", "received", "sent", "size", "importance", "kind")
REFUSED = ("NEAR", "ONEAR", "XRANK", "WORDS", "ALL", "ANY")
_TOKEN = re.compile(
    r"""\s+|(?P<bracket>[()])|"(?P<phrase>[^"]*)"(?P<after>\*?)|(?P<property>[A-Za-z]+)(?P<operator>>=|<=|<>|[:=<>])|(?P<word>[^\s()"]+)"""
)
_VALUE = re.compile(r'"(?P<phrase>[^"]*)"(?P<after>\*?)|(?P<word>[^\s()"]+)|(?P<bracket>\()')


@dataclass(frozen=True)
class Term:
    """`property` is empty for words anywhere. The last word of an `open` one may go on."""

    property: str
    operator: str
    value: str
    open: bool = False


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


def read(search: str) -> Condition:
    """Of the whole value of $search; GraphError where it is not well formed."""
    written = _unquoted(search.strip())
    reader = _Reader(written)
    found = reader.either("")
    reader.end()
    return found


def _unquoted(search: str) -> str:
    """Within its quotes, quotes and backslashes are escaped."""
    if not search.startswith('"'):
        if found := re.search(r"[^\w\s-]", search):
            raise _wrong(f"character '{found[0]}' is not valid at position {found.start()} in '{search}'.")
        return search
    if not re.fullmatch(r'"(?:[^"\\]|\\["\\])*"', search, re.DOTALL):
        raise _wrong(f"the quotes of {search} do not match.")
    return re.sub(r'\\(["\\])', r"\1", search[1:-1])


def _wrong(what: str) -> GraphError:
    return GraphError(400, "BadRequest", f"Syntax error: {what}")


class _Reader:
    def __init__(self, written: str) -> None:
        self._written, self._at = written, 0

    def end(self) -> None:
        if self._peek() is not None:
            raise _wrong(f"unexpected ')' in '{self._written}'.")

    def either(self, within: str) -> Condition:
        items = [self._both(within)]
        while self._took("OR"):
            items.append(self._both(within))
        return items[0] if len(items) == 1 else Either(tuple(items))

    def _both(self, within: str) -> Condition:
        """Conditions on one property that stand side by side without a word between are alternatives."""
        items = [self._one(within)]
        while (found := self._peek()) is not None and found[0] not in (")", "OR"):
            joined = self._took("AND")
            item, last = self._one(within), items[-1]
            if not joined and _property(item) and _property(item) == _property(last) and not within:
                items[-1] = Either((*last.items, item)) if isinstance(last, Either) else Either((last, item))
            else:
                items.append(item)
        return items[0] if len(items) == 1 else All(tuple(items))

    def _one(self, within: str) -> Condition:
        found = self._peek()
        if found is None or found[0] in (")", "AND", "OR"):
            raise _wrong(f"a term is missing at position {self._at} in '{self._written}'.")
        if self._took("NOT"):
            return Not(self._one(within))
        self._at = found.end()
        if found["bracket"]:
            return self._bracket(within)
        if found["property"] and not within:
            return self._condition(found["property"].lower(), found["operator"])
        if found["property"]:
            raise _wrong(f"a property within another's brackets in '{self._written}'.")
        return self._words(within, found)

    def _bracket(self, within: str) -> Condition:
        inside = self.either(within)
        if not self._took(")"):
            raise _wrong(f"')' expected in '{self._written}'.")
        return inside

    def _condition(self, name: str, operator: str) -> Condition:
        if name not in PROPERTIES:
            raise _wrong(f"'{name}' is no property that can be searched.")
        found = _VALUE.match(self._written, self._at)
        if found is None:
            raise _wrong(f"a value of '{name}' is missing.")
        self._at = found.end()
        return self._bracket(name) if found["bracket"] else self._words(name, found, operator)

    def _words(self, name: str, found: re.Match[str], operator: str = ":") -> Condition:
        if found["phrase"] is not None:
            phrase = found["phrase"]
            return Term(name, operator, phrase.removesuffix("*"), bool(found["after"]) or phrase.endswith("*"))
        word = found["word"]
        if word in REFUSED:
            raise _wrong(f"{word} is not emulated.")
        if word.startswith(("-", "+")) and len(word) > 1:
            term = Term(name, operator, word[1:].removesuffix("*"), word.endswith("*"))
            return Not(term) if word[0] == "-" else term
        return Term(name, operator, word.removesuffix("*"), word.endswith("*"))

    def _peek(self) -> re.Match[str] | None:
        while found := _TOKEN.match(self._written, self._at):
            if found[0].strip():
                return found
            self._at = found.end()
        if self._at < len(self._written):
            raise _wrong(f"character '{self._written[self._at]}' is not valid in '{self._written}'.")
        return None

    def _took(self, word: str) -> bool:
        found = self._peek()
        if found is None or found[0] != word:
            return False
        self._at = found.end()
        return True


def _property(condition: Condition) -> str:
    if isinstance(condition, Either):
        return _property(condition.items[0])
    return condition.property if isinstance(condition, Term) else ""
