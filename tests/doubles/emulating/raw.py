"""Requests as they stand on the wire, also those that a provider's own library would never make."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any


@dataclass(frozen=True)
class Reply:
    """Header names are small."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def send(port: int, verb: str, target: str, body: Any = None, *, headers: Mapping[str, str], timeout: float = 10) -> Reply:
    """On a connection of its own. A body that is not bytes is sent as JSON."""
    connection = HTTPConnection("127.0.0.1", port, timeout=timeout)
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    try:
        connection.request(verb, target, sent, dict(headers))
        answer = connection.getresponse()
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()
