"""What $filter and $orderby say, as values that can be asked of an item."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal, Protocol

Item = Mapping[str, Any]
"""As it is shown; variables of a lambda stand beside its properties."""


class Expression(Protocol):
    def of(self, item: Item) -> Any: ...

    def inner(self) -> Iterator["Expression"]: ...


@dataclass(frozen=True)
class Constant:
    value: Any

    def of(self, item: Item) -> Any:
        return self.value

    def inner(self) -> Iterator[Expression]:
        return iter(())


@dataclass(frozen=True)
class Path:
    parts: tuple[str, ...]

    def of(self, item: Item) -> Any:
        found: Any = item
        for part in self.parts:
            found = found.get(part) if isinstance(found, Mapping) else None
        return found

    def inner(self) -> Iterator[Expression]:
        return iter(())

    def __str__(self) -> str:
        return "/".join(self.parts)


@dataclass(frozen=True)
class Compare:
    operator: Literal["eq", "ne", "gt", "ge", "lt", "le"]
    left: Expression
    right: Expression

    def of(self, item: Item) -> bool:
        left, right = comparable(self.left.of(item), self.right.of(item))
        if self.operator in ("eq", "ne"):
            return bool((left == right) == (self.operator == "eq"))
        if left is None or right is None:
            return False
        return bool({"gt": left > right, "ge": left >= right, "lt": left < right, "le": left <= right}[self.operator])

    def inner(self) -> Iterator[Expression]:
        yield from (self.left, self.right)


@dataclass(frozen=True)
class Both:
    left: Expression
    right: Expression

    def of(self, item: Item) -> bool:
        return bool(self.left.of(item) and self.right.of(item))

    def inner(self) -> Iterator[Expression]:
        yield from (self.left, self.right)


@dataclass(frozen=True)
class Either(Both):
    def of(self, item: Item) -> bool:
        return bool(self.left.of(item) or self.right.of(item))


@dataclass(frozen=True)
class Not:
    inside: Expression

    def of(self, item: Item) -> bool:
        return not self.inside.of(item)

    def inner(self) -> Iterator[Expression]:
        yield self.inside


@dataclass(frozen=True)
class Function:
    name: Literal["contains", "startswith", "endswith"]
    left: Expression
    right: Expression

    def of(self, item: Item) -> bool:
        left, right = folded(self.left.of(item)), folded(self.right.of(item))
        if not isinstance(left, str) or not isinstance(right, str):
            return False
        return {"contains": right in left, "startswith": left.startswith(right), "endswith": left.endswith(right)}[self.name]

    def inner(self) -> Iterator[Expression]:
        yield from (self.left, self.right)


@dataclass(frozen=True)
class Lambda:
    """`over` a collection; without a condition any() asks whether there is something in it."""

    kind: Literal["any", "all"]
    over: Path
    variable: str = ""
    condition: Expression | None = None

    def of(self, item: Item) -> bool:
        found = self.over.of(item) or ()
        held = (self.condition is None or bool(self.condition.of({**item, self.variable: one})) for one in found)
        return any(held) if self.kind == "any" else all(held)

    def inner(self) -> Iterator[Expression]:
        yield self.over
        if self.condition is not None:
            yield self.condition


@dataclass(frozen=True)
class Order:
    path: Path
    backwards: bool = False


def comparable(left: Any, right: Any) -> tuple[Any, Any]:
    """Times as instants where one of them is a time, text without regard to case, as Exchange compares."""
    if isinstance(left, date) or isinstance(right, date):
        left, right = instant(left), instant(right)
    return folded(left), folded(right)


def folded(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def instant(value: Any) -> Any:
    """ValueError where text is no time."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value[:26].rstrip("Z") + "+00:00" if value.endswith("Z") and len(value) > 27 else value)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)  # noqa: DTZ001 - gets its zone in the next line
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def walk(expression: Expression) -> Iterator[Expression]:
    yield expression
    for inner in expression.inner():
        yield from walk(inner)


def properties(expression: Expression | None) -> list[str]:
    """The paths that a filter looks at, in the order in which they stand, those of a lambda's variable left out."""
    if expression is None:
        return []
    variables = {one.variable for one in walk(expression) if isinstance(one, Lambda)}
    return [str(one) for one in walk(expression) if isinstance(one, Path) and one.parts[0] not in variables]


def functions(expression: Expression | None) -> list[Function]:
    return [] if expression is None else [one for one in walk(expression) if isinstance(one, Function)]


def place(item: Item, order: Sequence[Order]) -> list[Any]:
    """Where it stands, in plain values."""
    return [one.path.of(item) for one in order]
