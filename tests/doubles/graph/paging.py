"""Pages: each begins after the last item that was given, whatever comes and goes meanwhile."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from doubles.graph.calls import Call, GraphError
from doubles.graph.expressions import Order, comparable, place
from doubles.graph.odata import Asked, asked
from doubles.graph.parsing import order_in
from doubles.graph.wire import opaque, read_opaque

PAGING = ("$top", "$skip", "$skiptoken")


def listed(
    call: Call,
    items: Sequence[Mapping[str, Any]],
    *,
    default_top: int = 10,
    most: int = 1000,
    context: str,
    order: str = "",
    wanted: Asked | None = None,
) -> dict[str, Any]:
    """Applies $filter, $orderby (else `order`, as $orderby is written; else they stay as they come), $select, $expand and the
    paging to items that hold all there is. `context` as in "users('…')/messages"."""
    wanted = wanted or asked(call)
    sorting = wanted.order or order_in(order)
    found = sorted_by([item for item in items if wanted.filter is None or wanted.filter.of(item)], sorting)
    size = size_of(call, default_top, most)
    left = _following(call, found, sorting)[_number(call, "$skip", 0) if "$skiptoken" not in call.query else 0 :]
    body: dict[str, Any] = {"@odata.context": f"{call.world.url}/v1.0/$metadata#{context}"}
    if call.query.get("$count") == "true":
        body["@odata.count"] = len(found)
    body["value"] = [wanted.shown(item) for item in left[:size]]
    if len(left) > size:
        body["@odata.nextLink"] = _next_link(call, found, left[size - 1], sorting)
    return body


def link(call: Call, **query: str) -> str:
    """The same question at the same place with other parameters; $ is left off their names here."""
    kept = {f"${name}": value for name, value in query.items()}
    return f"{call.world.url}{call.target}?{urlencode(kept, quote_via=quote, safe='$')}"


def size_of(call: Call, default: int, most: int) -> int:
    top = _number(call, "$top", 0) or _preferred(call) or default
    if top > most:
        raise GraphError(400, "ErrorInvalidRequest", f"Invalid value '{top}' for $top: at most {most}.")
    return top


def sorted_by(items: Sequence[Mapping[str, Any]], order: Sequence[Order]) -> list[Mapping[str, Any]]:
    places = {id(item): place(item, order) for item in items}
    return sorted(items, key=functools.cmp_to_key(lambda one, other: _compare(order, places[id(one)], places[id(other)])))


def _compare(order: Sequence[Order], one: Sequence[Any], other: Sequence[Any]) -> int:
    for by, first, second in zip(order, one, other, strict=True):
        left, right = comparable(first, second)
        if left != right:
            before = right is not None and (left is None or left < right)
            return -1 if before != by.backwards else 1
    return 0


def _following(call: Call, found: Sequence[Mapping[str, Any]], order: Sequence[Order]) -> Sequence[Mapping[str, Any]]:
    """What comes after the last item given; if that is gone, after its place."""
    if "$skiptoken" not in call.query:
        return found
    try:
        query, last, number, places = json.loads(read_opaque(call.query["$skiptoken"]))
    except ValueError:
        raise _invalid() from None
    if query != _question(call):
        raise _invalid()
    for at, item in enumerate(found):
        if item["id"] == last:
            return found[at + 1 :]
    if not order:
        return found[number:]
    return [item for item in found if _compare(order, place(item, order), places) > 0]


def _invalid() -> GraphError:
    return GraphError(400, "BadRequest", "Skip token is not valid.")


def _next_link(call: Call, found: Sequence[Mapping[str, Any]], last: Mapping[str, Any], order: Sequence[Order]) -> str:
    token = opaque(json.dumps([_question(call), last["id"], found.index(last), place(last, order)], default=str))
    kept = {name: value for name, value in call.query.items() if name not in ("$skip", "$skiptoken")}
    query = urlencode({**kept, "$skiptoken": token}, quote_via=quote, safe="$")
    return f"{call.world.url}{call.target}?{query}"


def _question(call: Call) -> str:
    return opaque(json.dumps([call.target, sorted(item for item in call.query.items() if item[0] not in PAGING)]))[-24:]


def _preferred(call: Call) -> int:
    written = call.prefers.get("odata.maxpagesize", "0")
    return int(written) if written.isdigit() else 0


def _number(call: Call, name: str, default: int) -> int:
    written = call.query.get(name, str(default))
    if not written.isdigit():
        raise GraphError(400, "BadRequest", f"Invalid value '{written}' for {name} query option found.")
    return int(written)
