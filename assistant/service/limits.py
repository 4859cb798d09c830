"""How much a request may carry, and how long it may take to arrive."""

import asyncio

from fastapi import HTTPException, Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.service import problems
from assistant.service.problems import Problem

LARGEST = 1_000_000
"""Bytes of a request's body."""
PATIENCE = 60.0
"""Seconds in which a body must have arrived; a further piece does not make it wait longer."""


class Limits:
    def __init__(self, app: ASGIApp, largest: int = LARGEST) -> None:
        self._app, self._largest = app, largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, self._largest)
        if body.is_announced_too_large(Headers(scope=scope).get("content-length", "")):
            await _refuse(_too_large(body.largest), scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            """What the application makes of half a body is not sent."""
            nonlocal begun
            if body.problem is None or begun:
                await send(message)
            elif message["type"] == "http.response.start":
                await _refuse(body.problem, scope, receive, send)
            begun = begun or (body.problem is None)

        await self._app(scope, body.receive, sending)


class _Body:
    """A request's body as it comes in."""

    def __init__(self, receive: Receive, largest: int) -> None:
        self._receive, self.largest = receive, largest
        self._size, self._ended = 0, False
        self._until = asyncio.get_running_loop().time() + PATIENCE
        self.problem: Problem | None = None

    def is_announced_too_large(self, length: str) -> bool:
        return length.isdecimal() and (len(length) > 15 or int(length) > self.largest)

    async def receive(self) -> Message:
        if self._ended:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise self._refusal(Problem(408, "The request did not arrive in time.")) from None
        self._size += len(message.get("body", b""))
        self._ended = not message.get("more_body", False)
        if self._size > self.largest:
            raise self._refusal(_too_large(self.largest))
        return message

    def _refusal(self, problem: Problem) -> HTTPException:
        self.problem = problem
        return HTTPException(problem.status, problem.detail)


def _too_large(largest: int) -> Problem:
    return Problem(413, f"This is too large; {largest} bytes are the most.")


async def _refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    problem.headers["Connection"] = "close"  # what is left of the body is not read
    response = await problems.answer(Request(scope), problem)
    await response(scope, receive, send)
