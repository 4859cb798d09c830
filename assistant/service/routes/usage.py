"""What was spent on language models."""

from typing import Annotated

from fastapi import APIRouter, Query

from assistant.running.usage import Spending
from assistant.service import views
from assistant.service.callers import Reading
from assistant.service.views import Items

router = APIRouter(prefix="/api/usage", tags=["usage"])


@router.get("")
async def show_usage(served: Reading, days: Annotated[int, Query(ge=1, le=3660)] = 7) -> Items[Spending]:
    """One line for each day and model, the newest day first."""
    return views.items(await served.assistant.usage(days))
