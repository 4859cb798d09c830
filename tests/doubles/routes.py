"""What the service offers, read off an application that serves nobody."""

from typing import Any, NamedTuple

from fastapi import FastAPI

from assistant.service.app import create_app
from assistant.service.callers import Scope
from assistant.service.document import offered, scopes_of


class Offered(NamedTuple):
    """`path` as it is routed; `scopes` are the rights that it asks for."""

    method: str
    path: str
    scopes: tuple[Scope, ...]

    def __str__(self) -> str:
        return f"{self.method} {self.path.replace(':path', '')}"

    @property
    def is_stream(self) -> bool:
        return self.path.endswith("/{id:path}/events") or self.path == "/api/live"


def application() -> FastAPI:
    async def nobody(request: Any) -> None:
        return None

    return create_app(None, nobody)  # type: ignore[arg-type]


def every_route() -> list[Offered]:
    return [
        Offered(method, str(getattr(route, "path", "")), scopes_of(route))
        for route in offered(application())
        for method in sorted(getattr(route, "methods", None) or {"GET"})
        if method != "HEAD"
    ]
