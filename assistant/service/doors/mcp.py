"""The door for programs that speak MCP: they read freely, and what they want written becomes a preview. Nothing here approves."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from assistant.facade import Assistant
from assistant.service.callers import Caller, Served, as_program, household_of, needs
from assistant.service.doors.tools import Client, server_of
from assistant.service.problems import Problem

CLIENT = "assistant.mcp.client"
"""Where a request carries on whose behalf it came."""


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Every call stands by itself, so that nothing is kept between two of them and any process can answer."""
    server = server_of(_carried)
    server.streamable_http_app(stateless_http=True, json_response=True)
    async with server.session_manager.run():
        app.state.mcp = server.session_manager
        yield


def _carried(context: Any) -> Client:
    found: Client = context.request_context.request.scope[CLIENT]
    return found


router = APIRouter(lifespan=lifespan)


async def by_token(caller: Annotated[Caller, Depends(needs("read"))]) -> Caller:
    return as_program(caller)


class _Handed(Response):
    """Lets the SDK answer the request."""

    def __init__(self, manager: StreamableHTTPSessionManager, client: Client) -> None:
        super().__init__()
        self.manager, self.client = manager, client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.manager.handle_request({**scope, CLIENT: self.client}, receive, send)


@router.post("/mcp", include_in_schema=False)
async def answer(request: Request, caller: Annotated[Caller, Depends(by_token)]) -> Response:
    served = Served(caller, await household_of(request).of(caller.user))
    return _Handed(request.app.state.mcp, Client(served=served, page=request.app.state.entrance.page(request)))


@router.api_route("/mcp", methods=["GET", "DELETE"], include_in_schema=False)
async def nothing_to_listen_to(caller: Annotated[Caller, Depends(by_token)]) -> Response:
    raise Problem(405, "Only POST is answered here.", headers={"Allow": "POST"})


async def over_stdio(assistant: Assistant, page: str = "") -> None:
    """Serves the same tools to the program that started this one, until it hangs up. `page`: where the service is, if one runs."""
    caller = Caller(user=assistant.user, scopes=frozenset({"read", "propose"}))
    client = Client(served=Served(caller, assistant), page=page)

    def served(context: Any) -> Client:
        return client

    await server_of(served).run_stdio_async()
