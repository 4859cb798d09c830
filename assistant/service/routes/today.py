"""The day at a glance."""

from typing import Annotated

from fastapi import APIRouter, Query

from assistant.service import views
from assistant.service.callers import Reading
from assistant.service.params import Day
from assistant.service.views import Today

router = APIRouter(prefix="/api/today", tags=["today"])


@router.get("")
async def show_day(served: Reading, date: Annotated[Day | None, Query()] = None) -> Today:
    """Events and clashes of that day; what asks for attention as it stands now."""
    return views.today_of(
        await served.assistant.glance(date),
        previews=len(await served.assistant.open_previews()),
        resting=len(await served.assistant.flows(resting=True)),
    )
