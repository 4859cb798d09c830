"""Figures for Prometheus, of all users, and so for the owner alone."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from assistant.service.callers import Caller, household_of, needs
from assistant.service.metering import Meter
from assistant.service.problems import Problem
from storage.figures import figures

router = APIRouter(tags=["metrics"])


@router.get("/metrics", response_class=PlainTextResponse)
async def show_metrics(request: Request, caller: Annotated[Caller, Depends(needs("manage"))]) -> PlainTextResponse:
    """In Prometheus's text format."""
    if not caller.owner:
        raise Problem(403, "Only the owner may see this.")
    meter: Meter = request.app.state.meter
    stored = await household_of(request).database.read(figures)
    return PlainTextResponse(meter.told(stored), media_type=CONTENT_TYPE_PLAIN_0_0_4)
