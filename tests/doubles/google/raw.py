"""Requests as they stand on the wire, also those that Google's client library would never make."""

import json
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

from doubles.google.emulator import GoogleEmulator


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        """Of an error as Gmail and Calendar tell it."""
        return str(self.json["error"]["errors"][0]["reason"])


def ask(
    google: GoogleEmulator,
    verb: str,
    target: str,
    body: Any = None,
    *,
    token: str | None = None,
    kind: str = "application/json",
    timeout: float = 10,
) -> Reply:
    """On a connection of its own, with the token of the first account unless told otherwise. A body that is not bytes is sent as
    JSON."""
    connection = HTTPConnection("127.0.0.1", google.port, timeout=timeout)
    held = next(iter(google.world.users.values())).token if token is None and google.world.users else token or ""
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    try:
        connection.request(verb, target, sent, {"authorization": f"Bearer {held}", **({"content-type": kind} if sent else {})})
        answer = connection.getresponse()
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()
