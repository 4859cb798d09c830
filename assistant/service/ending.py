"""The end of the service: streams that would go on for ever are closed, and whoever still waits for an answer is told."""

import asyncio
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.service import problems
from assistant.service.problems import Problem

GRACE = 1.0
"""Seconds for requests under way."""
RESTARTED = 5
"""Seconds after which it is worth asking again."""


@dataclass(eq=False)
class _Request:
    task: "asyncio.Task[None]"
    stream: bool = False
    begun: bool = False
    """Its answer."""


class Ending:
    """`begin` ends all open streams of events, and a little later every other request that is not answered yet."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: set[_Request] = set()
        self._begun = False

    def begin(self) -> None:
        self._begun = True
        for one in self._open:
            if one.stream:
                one.task.cancel()
        asyncio.get_running_loop().call_later(GRACE, self._end_all)

    def _end_all(self) -> None:
        for one in self._open:
            one.task.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        task = asyncio.current_task()
        assert task is not None
        one = _Request(task)
        self._open.add(one)

        async def sending(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start":
                one.begun, one.stream = True, _is_stream(message)
                if self._begun and one.stream:
                    task.cancel()

        try:
            await self._app(scope, receive, sending)
        except asyncio.CancelledError:
            if not self._begun or (one.begun and not one.stream):
                raise
            task.uncancel()
            if one.begun:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await problems.response(_ending())(scope, receive, send)
        finally:
            self._open.discard(one)


def _ending() -> Problem:
    return Problem(503, "The service is ending; look again when it is back.", headers={"Retry-After": str(RESTARTED)})


def _is_stream(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type", "").startswith("text/event-stream")
