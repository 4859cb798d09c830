"""Outlook's mail asked by plain requests, and what helps to look at the answers."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from doubles.emulating.raw import Reply
from doubles.graph.emulator import GraphEmulator
from doubles.graph.raw import ask


class Asking:
    """As the first account. Questions about several mails give these, the others the whole answer."""

    def __init__(self, graph: GraphEmulator) -> None:
        self._graph = graph

    def reply(self, verb: str, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None, **query: Any) -> Reply:
        """Query options are written without their $."""
        options = {f"${name}" if name.islower() else name: value for name, value in query.items()}
        target = quote(path, safe="/$=@:") + (f"?{urlencode(options, quote_via=quote, safe='$')}" if options else "")
        kind = "text/plain" if isinstance(body, bytes) else "application/json"
        return ask(self._graph, verb, target, body, kind=kind, headers=headers)

    def get(self, path: str, **query: Any) -> Any:
        return self._told(self.reply("GET", path, **query))

    def list(self, path: str = "/me/messages", **query: Any) -> list[Any]:
        found: list[Any] = self.get(path, **query)["value"]
        return found

    def subjects(self, path: str = "/me/messages", **query: Any) -> Sequence[str]:
        return [item["subject"] for item in self.list(path, **query)]

    def follow(self, link: str) -> Any:
        return self._told(ask(self._graph, "GET", link))

    def post(self, path: str, body: Any = None) -> Any:
        return self._told(self.reply("POST", path, body))

    def patch(self, path: str, body: Any, **headers: str) -> Any:
        return self._told(self.reply("PATCH", path, body, headers=headers))

    def draft(self, raw: bytes) -> Any:
        return self.post("/me/messages", b64encode(raw))

    def refused(self, verb: str, path: str, body: Any = None, **query: Any) -> tuple[int, str]:
        """Status and code; what was complained of is forgotten."""
        answer = self.reply(verb, path, body, **query)
        assert answer.status >= 400, answer.body
        self._graph.complaints.clear()
        return answer.status, answer.json["error"]["code"]

    def _told(self, answer: Reply) -> Any:
        assert answer.status < 300, answer.body
        return answer.json if answer.body else None
