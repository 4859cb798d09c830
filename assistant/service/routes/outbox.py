"""The outbox: what has not gone out yet, or may not have."""

from fastapi import APIRouter

from assistant.service import views
from assistant.service.callers import Approving, Reading
from assistant.service.params import Id
from assistant.service.views import Items
from assistant.values import Outcome

router = APIRouter(prefix="/api/outbox", tags=["outbox"])


@router.get("")
async def list_outbox(served: Reading) -> Items[Outcome]:
    """Held, waiting, under way or unknown, the oldest first."""
    return views.items(await served.assistant.outbox())


@router.post("/check")
async def check_outbox(served: Approving) -> Items[Outcome]:
    """Asks the providers once more about what is unknown."""
    return views.items(news.outcome for news in await served.assistant.check_outbox())


@router.post("/{key:path}/withdraw")
async def withdraw_write(served: Approving, key: Id) -> Items[Outcome]:
    """Takes back what has not begun, with what was to happen after it."""
    return views.items(await served.assistant.withdraw(key))
