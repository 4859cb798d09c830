"""What changed since: a journal of one folder, and the pages in which it is told."""

import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

from doubles.graph.calls import Call, GraphError
from doubles.graph.odata import asked
from doubles.graph.paging import link, size_of
from doubles.graph.wire import opaque, read_opaque

LOST = "The sync state generation is not found. Synchronization must be restarted from the beginning."


class Journal:
    """Which items were touched, and in which order. `oldest`: what was told before that version can't be gone on from."""

    def __init__(self) -> None:
        self.version, self.oldest = 0, 0
        self._touched: dict[str, int] = {}
        self._gone: dict[str, str] = {}

    def touch(self, item: str) -> None:
        """Made, changed, or moved here."""
        self._gone.pop(item, None)
        self._note(item)

    def remove(self, item: str, reason: str = "deleted") -> None:
        """`reason` "changed" where it was moved elsewhere and lives on, "deleted" where it is gone."""
        self._gone[item] = reason
        self._note(item)

    def forget(self) -> None:
        """Tokens that were given so far are good no more."""
        self.version += 1
        self.oldest = self.version

    def since(self, version: int) -> list[tuple[int, str, str]]:
        """(version, id, reason it is gone or empty), oldest first."""
        found = sorted((at, item) for item, at in self._touched.items() if at > version)
        return [(at, item, self._gone.get(item, "")) for at, item in found]

    def _note(self, item: str) -> None:
        self.version += 1
        self._touched.pop(item, None)
        self._touched[item] = self.version


def delta_page(
    call: Call, journal: Journal, render: Callable[[str], Mapping[str, Any]], *, context: str, default: int = 50, most: int = 1000
) -> dict[str, Any]:
    """One page of what changed since $deltatoken, of all there is without one. Continued by $skiptoken, ended by a deltaLink.
    The tokens remember $select, and only $select, $filter and Prefer: odata.maxpagesize go with the first question."""
    begun, after, select, text = _state(call)
    if begun is not None and begun < journal.oldest:
        raise GraphError(410, "SyncStateNotFound", LOST)
    wanted = asked(_again(call, select, text))
    told = [one for one in journal.since(after) if begun is not None or not one[2]]
    told = [one for one in told if one[2] or wanted.filter is None or wanted.filter.of(render(one[1]))]
    size = size_of(call, default, most)
    page = told[:size]
    body: dict[str, Any] = {"@odata.context": f"{call.world.url}/v1.0/$metadata#{context}"}
    body["value"] = [
        {"@removed": {"reason": reason}, "id": item} if reason else wanted.shown(render(item)) for _, item, reason in page
    ]
    if len(told) > size:
        token = _token(-1 if begun is None else begun, page[-1][0], select, text)
        return body | {"@odata.nextLink": link(call, skiptoken=token)}
    last = max(itertools.chain([journal.version], (at for at, *_ in page)))
    return body | {"@odata.deltaLink": link(call, deltatoken=_token(last, last, select, text))}


def _again(call: Call, select: str, text: str) -> Call:
    query = {name: value for name, value in (("$select", select), ("$filter", text)) if value}
    return Call(call.operation, call.user, call.world, call.path, query, call.headers, model=call.model, target=call.target)


def _state(call: Call) -> tuple[int | None, int, str, str]:
    """The version from which it is told (None: from the beginning), what was told already, $select and $filter."""
    written = call.query.get("$deltatoken") or call.query.get("$skiptoken")
    if written is None:
        _check_first(call)
        return None, 0, call.query.get("$select", ""), call.query.get("$filter", "")
    if others := set(call.query) - {"$deltatoken", "$skiptoken"}:
        raise GraphError(400, "BadRequest", f"A token of a delta stands alone: {sorted(others)}.")
    try:
        begun, after, select, text = json.loads(read_opaque(written))
    except ValueError:
        raise GraphError(400, "BadRequest", "Badly formed token.") from None
    return None if begun < 0 else begun, after, select, text


def _check_first(call: Call) -> None:
    if refused := set(call.query) & {"$expand", "$search", "$skip", "$count"}:
        raise GraphError(400, "ErrorInvalidUrlQuery", f"{sorted(refused)} are not supported with change tracking.")


def _token(begun: int, after: int, select: str, text: str) -> str:
    return opaque(json.dumps([begun, after, select, text]))
