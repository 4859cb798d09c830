"""What $select, $expand, $filter and $orderby make of items, held to the types of what is shown."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from doubles.graph.calls import Call, GraphError
from doubles.graph.expressions import Compare, Constant, Expression, Lambda, Order, Path, properties, walk
from doubles.graph.parsing import filter_in, order_in
from doubles.graph.schema import Field, Model

NAVIGATION = (
    "attachments calendar childFolders contacts events exceptionOccurrences extensions instances messageRules messages "
    "multiValueExtendedProperties photo singleValueExtendedProperties"
).split()
"""Told only when $expand asks for it."""
ALWAYS = ("id", "@odata.etag", "@odata.type", "@removed")


@dataclass(frozen=True)
class Expansion:
    filter: Expression | None = None
    select: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Asked:
    filter: Expression | None = None
    order: tuple[Order, ...] = ()
    select: frozenset[str] = frozenset()
    expand: Mapping[str, Expansion] = field(default_factory=dict)

    def shown(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """What is asked of an item that holds all there is, what may be expanded included."""
        found = {name: value for name, value in item.items() if self._wanted(name)}
        for name, expansion in self.expand.items():
            kept = _expanded(item.get(name), expansion)
            if kept or name in ("attachments", "calendar"):
                found[name] = kept
        return found

    def _wanted(self, name: str) -> bool:
        if name in NAVIGATION:
            return False
        return not self.select or name in self.select or name in ALWAYS


def asked(call: Call) -> Asked:
    """GraphError where a name or a type is not the model's."""
    filtered = filter_in(call.query.get("$filter", ""))
    order = order_in(call.query.get("$orderby", ""))
    select = frozenset(filter(None, (name.strip() for name in call.query.get("$select", "").split(","))))
    expand = expansions(call.query.get("$expand", ""))
    if call.model is not None:
        _check_names(call.model, [*select, *expand, *(str(one.path) for one in order)])
        _check_filter(call.model, filtered)
    return Asked(filtered, order, select, expand)


def expansions(written: str) -> dict[str, Expansion]:
    """Of "attachments,singleValueExtendedProperties($filter=id eq 'String 0x1042')"."""
    found = {}
    for one in _outside(written, ","):
        name, bracket, rest = one.partition("(")
        options = dict(option.split("=", 1) for option in _outside(rest.removesuffix(")"), ";")) if bracket else {}
        if unknown := set(options) - {"$filter", "$select", "$top"}:
            raise GraphError(400, "BadRequest", f"$expand takes no {sorted(unknown)} here.")
        select = frozenset(filter(None, options.get("$select", "").split(",")))
        found[name.strip()] = Expansion(filter_in(options.get("$filter", "")), select)
    return found


def order_filtered(asked: Asked) -> None:
    """GraphError unless whatever is ordered by stands first in the filter, in the same order, as Exchange wants it."""
    if asked.filter is not None and asked.order:
        wanted = [str(one.path) for one in asked.order]
        if properties(asked.filter)[: len(wanted)] != wanted:
            raise GraphError(400, "InefficientFilter", "The restriction or sort order is too complex for this operation.")


def only_filtered(asked: Asked, allowed: Collection[str]) -> None:
    """GraphError where a filter looks at something that can't be filtered by."""
    if others := [name for name in properties(asked.filter) if name not in allowed]:
        raise GraphError(400, "ErrorInvalidProperty", f"The property '{others[0]}' does not support filtering.")


def _outside(written: str, sign: str) -> list[str]:
    """Split where the sign stands outside of brackets and quotes."""
    pieces, depth, quoted = [""], 0, False
    for char in written:
        quoted ^= char == "'"
        depth += 0 if quoted else (char == "(") - (char == ")")
        if char == sign and not depth and not quoted:
            pieces.append("")
        else:
            pieces[-1] += char
    return [piece.strip() for piece in pieces if piece.strip()]


def _expanded(value: Any, expansion: Expansion) -> Any:
    if not isinstance(value, list):
        return value
    kept = [one for one in value if expansion.filter is None or expansion.filter.of(one)]
    if not expansion.select:
        return kept
    return [{name: inner for name, inner in one.items() if name in expansion.select or name in ALWAYS} for one in kept]


def _check_names(model: Model, names: Iterable[str]) -> None:
    for name in names:
        _typed(model, tuple(name.split("/")))


def _typed(model: Model, parts: Sequence[str]) -> Field:
    """The type at the end of a path. A type that is derived from the model may be named in front."""
    at = Field("object", factory=model.factory)
    for part in parts:
        if part.startswith("microsoft.graph."):
            at = Field("object", factory=at.model.of(f"#{part}").factory)
        elif at.kind != "object" or part not in at.model.fields:
            owner = at.factory.__name__ if at.kind == "object" else at.kind
            raise GraphError(400, "RequestBroker--ParseUri", f"Could not find a property named '{part}' on type '{owner}'.")
        else:
            at = at.model.fields[part]
    return at


def _check_filter(model: Model, filtered: Expression | None) -> None:
    if filtered is None:
        return
    variables = {one.variable: _typed(model, one.over.parts) for one in walk(filtered) if isinstance(one, Lambda)}
    for one in walk(filtered):
        if isinstance(one, Path):
            _path_type(model, one, variables)
        if isinstance(one, Compare) and isinstance(one.left, Path) and isinstance(one.right, Constant):
            _check_comparison(_path_type(model, one.left, variables), one)


def _path_type(model: Model, path: Path, variables: Mapping[str, Field]) -> Field:
    first, *rest = path.parts
    if first not in variables:
        return _typed(model, path.parts)
    held = variables[first]
    return _typed(held.model, rest) if rest else Field(held.kind, factory=held.factory)


def _check_comparison(kind: Field, compared: Compare) -> None:
    value = compared.right.of({})
    fits = {"datetime": date, "bool": bool, "int": float, "float": float}.get(kind.kind, str)
    if kind.many or (kind.kind == "object" and value is not None):
        raise GraphError(400, "BadRequest", f"Invalid filter clause: '{compared.left}' can't be compared.")
    if value is not None and not isinstance(value, (fits, datetime) if kind.kind == "date" else fits):
        wrong = f"A binary operator with incompatible types was detected: '{kind.kind}' and {value!r}."
        raise GraphError(400, "BadRequest", f"Invalid filter clause: {wrong}")
