"""Reads $filter and $orderby."""

import re
from datetime import date, datetime
from typing import Any, NamedTuple

from doubles.graph.calls import GraphError
from doubles.graph.expressions import Both, Compare, Constant, Either, Expression, Function, Lambda, Not, Order, Path, instant

TOKENS = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')"
    r"|(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)"
    r"|(?P<date>\d{4}-\d\d-\d\d)(?![\w-])"
    r"|(?P<number>-?\d+(?:\.\d+)?)(?![\w-])"
    r"|(?P<word>[A-Za-z_@$][\w.@]*(?:/[A-Za-z_@$][\w.@]*)*)"
    r"|(?P<sign>[(),:]))"
)
CONSTANTS = {"true": True, "false": False, "null": None}
COMPARING = ("eq", "ne", "gt", "ge", "lt", "le")
TEXTUAL = ("contains", "startswith", "endswith")


class _Token(NamedTuple):
    kind: str
    text: str


def filter_in(written: str) -> Expression | None:
    """GraphError where it makes no sense; None of an empty one."""
    if not written.strip():
        return None
    reading = _Reading(written)
    found = reading.either()
    reading.end()
    return found


def order_in(written: str) -> tuple[Order, ...]:
    found = []
    for one in filter(None, map(str.strip, written.split(","))):
        path, _, way = one.partition(" ")
        if way.strip() not in ("", "asc", "desc"):
            raise GraphError(400, "BadRequest", f"Syntax error at position {len(path)} in '{written}'.")
        found.append(Order(Path(tuple(path.split("/"))), way.strip() == "desc"))
    return tuple(found)


class _Reading:
    def __init__(self, written: str) -> None:
        self._written, self._at = written, 0
        self._tokens = self._split()

    def _split(self) -> list[_Token]:
        tokens, at, written = [], 0, self._written.rstrip()
        while at < len(written):
            found = TOKENS.match(written, at)
            if found is None:
                raise self._wrong(f"Syntax error: character '{written[at]}' is not valid at position {at}")
            tokens.append(_Token(str(found.lastgroup), found[str(found.lastgroup)]))
            at = found.end()
        return tokens

    def either(self) -> Expression:
        left = self._both()
        while self._took("or"):
            left = Either(left, self._both())
        return left

    def end(self) -> None:
        if self._at < len(self._tokens):
            raise self._wrong(f"Syntax error at '{self._tokens[self._at].text}'")

    def _both(self) -> Expression:
        left = self._one()
        while self._took("and"):
            left = Both(left, self._one())
        return left

    def _one(self) -> Expression:
        if self._took("not"):
            return Not(self._one())
        if self._took("("):
            inside = self.either()
            self._want(")")
            return inside
        left = self._operand()
        operator = self._next.text if self._next.text in COMPARING and self._next.kind == "word" else ""
        if operator:
            self._at += 1
            return Compare(operator, left, self._operand())  # type: ignore[arg-type]
        return left

    def _operand(self) -> Expression:
        token = self._next
        self._at += 1
        if token.kind == "word" and self._next.text == "(":
            return self._called(token.text)
        if token.kind == "word":
            return Constant(CONSTANTS[token.text]) if token.text in CONSTANTS else Path(tuple(token.text.split("/")))
        return Constant(self._constant(token))

    def _called(self, name: str) -> Expression:
        self._want("(")
        if name in TEXTUAL:
            left = self._operand()
            self._want(",")
            found: Expression = Function(name, left, self._operand())  # type: ignore[arg-type]
            self._want(")")
            return found
        path, _, kind = name.rpartition("/")
        if not path or kind.lower() not in ("any", "all"):
            raise self._wrong(f"An unknown function with name '{name}' was found")
        return self._lambda(Path(tuple(path.split("/"))), kind.lower())

    def _lambda(self, over: Path, kind: Any) -> Lambda:
        if self._took(")"):
            return Lambda(kind, over)
        variable = self._next.text
        self._at += 1
        self._want(":")
        condition = self.either()
        self._want(")")
        return Lambda(kind, over, variable, condition)

    def _constant(self, token: _Token) -> str | float | date | datetime:
        match token.kind:
            case "text":
                return token.text[1:-1].replace("''", "'")
            case "number":
                return float(token.text)
            case "date":
                return date.fromisoformat(token.text)
            case "time":
                return instant(token.text)  # type: ignore[no-any-return]
            case _:
                raise self._wrong(f"Syntax error at '{token.text}'")

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else _Token("end", "")

    def _took(self, text: str) -> bool:
        taken = self._next.text == text and self._next.kind in ("word", "sign")
        self._at += taken
        return taken

    def _want(self, text: str) -> None:
        if not self._took(text):
            raise self._wrong(f"Syntax error: '{text}' expected at '{self._next.text}'")

    def _wrong(self, what: str) -> GraphError:
        return GraphError(400, "BadRequest", f"Invalid filter clause: {what} in '{self._written}'.")
