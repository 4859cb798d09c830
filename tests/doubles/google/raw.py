"""Requests as they stand on the wire, also those that Google's client library would never make."""

from typing import Any

from doubles.emulating import raw
from doubles.google.emulator import GoogleEmulator


class Reply(raw.Reply):
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
    """With the token of the first account unless told otherwise. A body that is not bytes is sent as JSON."""
    held = next(iter(google.world.users.values())).token if token is None and google.world.users else token or ""
    headers = {"authorization": f"Bearer {held}", **({"content-type": kind} if body is not None else {})}
    answer = raw.send(google.port, verb, target, body, headers=headers, timeout=timeout)
    return Reply(answer.status, answer.headers, answer.body)
