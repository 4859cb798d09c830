"""The application: routes, doors and page over one household."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.routing import APIRoute

from assistant.household import Household
from assistant.service import document, problems
from assistant.service.callers import Recognise
from assistant.service.connecting import Attempts
from assistant.service.doors import mcp, openai
from assistant.service.live import Streams
from assistant.service.metering import Measured, Meter
from assistant.service.posting import Posting
from assistant.service.routes import (
    accounts,
    audit,
    briefing,
    conversations,
    entering,
    events,
    flows,
    health,
    keys,
    mail_servers,
    me,
    messages,
    metrics,
    notes,
    outbox,
    page,
    previews,
    questions,
    reading,
    schedules,
    settings,
    targets,
    today,
    usage,
    users,
)

ROUTERS = (
    mail_servers.router,  # whose paths those of accounts in general would take
    accounts.router,
    audit.router,
    briefing.router,
    conversations.router,
    entering.router,
    events.router,
    flows.router,
    health.router,
    keys.router,
    me.router,
    messages.router,
    metrics.router,
    notes.router,
    outbox.router,
    previews.router,
    questions.router,
    reading.router,
    schedules.router,
    settings.router,
    targets.router,
    today.router,
    usage.router,
    users.router,
    mcp.router,
    openai.router,
    page.router,
)


def create_app(household: Household, recognise: Recognise) -> FastAPI:
    app = FastAPI(
        title="Personal assistant",
        description=document.DESCRIPTION,
        openapi_tags=document.TAGS,
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        generate_unique_id_function=_operation_id,
        lifespan=_life,
    )
    app.state.household, app.state.recognise = household, recognise
    app.state.meter, app.state.posting, app.state.streams = Meter(), Posting(), Streams()
    app.state.attempts = Attempts(lambda: household.clock())
    problems.install(app)
    app.add_middleware(Measured, meter=app.state.meter)
    for router in ROUTERS:
        app.include_router(router)
    document.install(app)
    return app


@asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    """At its end messages under way come to theirs, while all that they need is still open."""
    yield
    app.state.household.leave()
    await app.state.posting.close()


def _operation_id(route: APIRoute) -> str:
    return route.name
