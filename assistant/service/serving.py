"""The service as a server: what stands around the application, and its beginning and end."""

import asyncio
import logging
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from assistant.household import Household
from assistant.service.app import create_app
from assistant.service.connections import Connection
from assistant.service.ending import Ending
from assistant.service.entering.entrance import Entrance, entrance_of
from assistant.service.headers import Headers
from assistant.service.hosts import Hosts
from assistant.service.limits import Limits
from assistant.service.listening import Listening

GRACE = 3
"""Seconds that requests under way have at the end; `Ending` has told them all by then."""
CONNECTIONS = 1_000
KEPT_ALIVE = 15
"""Seconds that a connection without a request stays."""


@dataclass(frozen=True)
class Service:
    """`app` is `application` with all that stands around it."""

    app: ASGIApp
    application: FastAPI
    entrance: Entrance
    ending: Ending
    household: Household


def service_of(household: Household, listening: Listening, *, public_url: str = "") -> Service:
    """Must be called where an event loop runs."""
    entrance = entrance_of(household.database, household.clock, secure=listening.secure, public_url=public_url)
    app = create_app(household, entrance.recognise)
    app.state.entrance = entrance
    ending = Ending(Limits(app))
    hosts = Hosts(ending, frozenset({listening.host}), public_url)
    return Service(Headers(hosts), app, entrance, ending, household)


class Server(uvicorn.Server):
    """Signals are for whoever runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def server_of(service: Service, listening: Listening) -> Server:
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    return Server(
        uvicorn.Config(
            service.app,
            log_config=None,
            access_log=False,
            server_header=False,
            http=Connection,
            ws="none",
            lifespan="on",
            proxy_headers=listening.behind_proxy,
            forwarded_allow_ips=list(listening.proxies),
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=KEPT_ALIVE,
            timeout_graceful_shutdown=GRACE,
            ssl_certfile=listening.cert,
            ssl_keyfile=listening.key,
        )
    )


async def serve(service: Service, server: Server, sockets: Sequence[socket.socket]) -> None:
    """Until it is cancelled; then streams are closed, and requests under way have a little time."""
    serving = asyncio.create_task(server.serve(sockets=list(sockets)))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # what is cut off now is no error
        service.ending.begin()
        server.should_exit = True
        await serving
        raise
