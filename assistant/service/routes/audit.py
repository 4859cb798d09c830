"""The audit journal: what was proposed and done, and why."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from assistant.service import views
from assistant.service.callers import Reading
from assistant.service.params import Limit, Moment, Words
from assistant.service.views import Items, Recorded
from integrations.types import Value

router = APIRouter(prefix="/api/audit", tags=["audit"])


class Verified(Value):
    """`count` entries are in order, up to the hash `head`, `forgotten` of them without their content. `wrong` is a sentence about
    the first that is not."""

    count: int
    head: str
    forgotten: int
    wrong: str = Field(description="Empty where all is well.")


@router.get("")
async def read_journal(
    served: Reading, target: Words = "", since: Annotated[Moment | None, Query()] = None, limit: Limit = 50
) -> Items[Recorded]:
    """The newest first. `target` is a preview, a flow or a key of the outbox, or the beginning of one."""
    return views.items(map(views.recorded_of, await served.assistant.audit(target, since=since, limit=limit)))


@router.get("/verify")
async def verify_journal(served: Reading, noted: Words | None = None) -> Verified:
    """Whether the journal is whole. `noted` is a head that was written down elsewhere."""
    return Verified.model_validate((await served.assistant.verify_audit(noted)).model_dump())
