"""Where results of schedules can be sent, besides the conversation and one's own mail."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from assistant.scheduling.delivery.targets import LONGEST_ADDRESS, LONGEST_NAME, Target
from assistant.service.callers import Managing, Reading
from assistant.service.params import Id
from assistant.service.views import Items, items
from integrations.types import Value

router = APIRouter(prefix="/api/targets", tags=["targets"])

_ON_ONE_LINE = r"^[^\x00-\x1f\x7f]*$"


class NewTarget(Value):
    """`address` as Apprise writes it, such as ntfy://… It may hold a secret: it is sealed, and shown to nobody again."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=_ON_ONE_LINE)]
    address: Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS, pattern=_ON_ONE_LINE)]


class Tried(Value):
    """`says` is one sentence why it did not arrive, else empty."""

    arrived: bool
    says: str


@router.get("")
async def list_targets(served: Reading) -> Items[Target]:
    """Without their addresses; `says` tells what may be shown of them."""
    return items(await served.assistant.targets.list())


@router.post("", status_code=201)
async def add_target(served: Managing, wanted: NewTarget) -> Target:
    """Nothing is sent there yet. Only the owner's may name a server; other people use services at their makers' places."""
    return await served.assistant.targets.add(wanted.name, wanted.address, anywhere=served.caller.owner)


@router.delete("/{name}")
async def remove_target(served: Managing, name: Id) -> dict[str, bool]:
    """Refused while a schedule sends its results there."""
    await served.assistant.targets.remove(name)
    return {"removed": True}


@router.post("/{name}/try")
async def try_target(served: Managing, name: Id) -> Tried:
    """Sends a short message there."""
    says = await served.assistant.targets.try_(name)
    return Tried(arrived=not says, says=says)
