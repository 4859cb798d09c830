"""Saying something in a conversation: answered with the turn, with its events as they come, or at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Request, Response
from fastapi.responses import JSONResponse

from assistant.facade import Assistant, Followed, Rested, Said
from assistant.running.following import CaughtUp
from assistant.service import live
from assistant.service.callers import Chatting
from assistant.service.live import EventStream, Streams, streams_of
from assistant.service.params import Id, Text
from assistant.service.posting import Posted, posting_of
from assistant.service.telling import told
from assistant.service.views import Turn, turn_of
from integrations.types import Value

router = APIRouter(prefix="/api/conversations", tags=["conversations"])


class Accepted(Value):
    conversation: str


ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
    202: {"model": Accepted, "description": "It is under way; what comes of it is told in the conversation's events."},
}


@router.post("/{id:path}/messages", response_model=Turn, responses=ANSWERS)
async def say(
    request: Request,
    served: Chatting,
    id: Id,
    text: Annotated[Text, Body(embed=True)],
    accept: Annotated[str, Header()] = "",
    prefer: Annotated[str, Header()] = "",
    idempotency_key: Annotated[str, Header(max_length=200)] = "",
) -> Response | Turn:
    """Interrupts what runs in the conversation. With `Accept: text/event-stream` the events of this turn come as they happen,
    with `Prefer: respond-async` the answer is 202 at once. The message runs on when its sender goes. With `Idempotency-Key` a
    repeated message is answered with the turn of the first."""
    assistant, streaming = served.assistant, "text/event-stream" in accept
    await assistant.known(id)
    cursor = await assistant.cursor(id) if streaming else ""
    posted = await posting_of(request).post(
        assistant, id, text, own_words=served.caller.own_words, key=idempotency_key, cursor=cursor
    )
    if posted.task is not None and posted.task.done():
        await posted.task
    if streaming:
        return EventStream(turn_events(assistant, posted))
    if "respond-async" in prefer:
        if posted.task is not None:
            posted.task.add_done_callback(lambda task: _tell(streams_of(request), served.caller.user, id, task))
        return JSONResponse({"conversation": id}, 202, headers={"Preference-Applied": "respond-async"})
    return turn_of(await posted.turn(assistant))


def _tell(streams: Streams, user: str, conversation: str, task: "asyncio.Task[Any]") -> None:
    """Nobody waits for the answer: those who follow the conversation hear what went wrong."""
    error = None if task.cancelled() else task.exception()
    if isinstance(error, Exception):
        streams.tell(user, conversation, live.problem(error))


async def turn_events(assistant: Assistant, posted: Posted) -> AsyncIterator[bytes]:
    """From the message itself to the turn that came of it."""
    task = posted.task
    if task is None:
        yield live.event("turn", turn_of(await posted.turn(assistant)))
        return
    coming = asyncio.Queue[Followed | None]()
    task.add_done_callback(lambda _: coming.put_nowait(None))
    following = asyncio.create_task(_follow(assistant, posted, coming))
    following.add_done_callback(lambda _: coming.put_nowait(None))
    rested, ours = set[str](), False
    try:
        while not (task.done() and (posted.again or following.done() or task.exception() or task.result().flow in rested)):
            if (followed := await coming.get()) is None:
                continue
            item = followed.item
            ours = ours or (isinstance(item, Said) and item.message.role != "assistant")
            if ours and not isinstance(item, CaughtUp):
                yield told(followed)
            if isinstance(item, Rested):
                rested.add(item.turn.flow)
    finally:
        following.cancel()
        await asyncio.wait({following})
    if isinstance(error := task.exception(), Exception):
        yield live.problem(error)
    elif posted.again:
        yield live.event("turn", turn_of(task.result()))


async def _follow(assistant: Assistant, posted: Posted, coming: "asyncio.Queue[Followed | None]") -> None:
    async with aclosing(assistant.follow(posted.conversation, posted.cursor)) as following:
        async for followed in following:
            coming.put_nowait(followed)
