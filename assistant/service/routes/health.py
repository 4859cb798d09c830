"""Whether the service is there, and whether it can work."""

from typing import Literal

from fastapi import APIRouter, Request

from assistant.service.callers import household_of
from integrations.types import Value

router = APIRouter(prefix="/api", tags=["health"])


class Health(Value):
    status: Literal["ok"] = "ok"


@router.get("/health")
async def show_health() -> Health:
    """The process answers."""
    return Health()


@router.get("/ready")
async def show_readiness(request: Request) -> Health:
    """The database answers too; 503 where it does not."""
    await household_of(request).database.read(lambda s: None)
    return Health()
