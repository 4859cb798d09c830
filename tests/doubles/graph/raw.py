"""Requests as they stand on the wire, also those that no careful client would make."""

from collections.abc import Mapping
from typing import Any

from doubles.emulating.raw import Reply, send
from doubles.graph.emulator import GraphEmulator


def ask(
    graph: GraphEmulator,
    verb: str,
    target: str,
    body: Any = None,
    *,
    token: str | None = None,
    kind: str = "application/json",
    headers: Mapping[str, str] | None = None,
    timeout: float = 10,
) -> Reply:
    """Below /v1.0, or at a whole address of the emulator's; with the token of the first account unless told otherwise. A body that
    is not bytes is sent as JSON."""
    held = next(iter(graph.world.users.values())).token if token is None and graph.world.users else token or ""
    place = target.removeprefix(graph.url) if target.startswith("http") else f"/v1.0{target}"
    given = {"authorization": f"Bearer {held}", "prefer": 'IdType="ImmutableId"', **(headers or {})}
    return send(graph.port, verb, place, body, headers=given | ({"content-type": kind} if body else {}), timeout=timeout)


def code(reply: Reply) -> str:
    """Of an error."""
    return str(reply.json["error"]["code"])
