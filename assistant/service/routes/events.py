"""Following: one conversation from a cursor on, and hints about all of them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response

from assistant.facade import Assistant, Followed
from assistant.running.arriving import Arrived
from assistant.running.following import Hint
from assistant.running.outgoing import News
from assistant.service import live
from assistant.service.callers import Reading, Recognise
from assistant.service.live import Allowed, EventStream, streams_of
from assistant.service.params import Id
from assistant.service.telling import departed, told

router = APIRouter(prefix="/api", tags=["conversations"])
STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}
PAUSE = 1.0
"""Seconds before following goes on where it broke off."""
LULL = 0.25
"""Seconds between two hints about the same: a badge is to tell what is open just after it was approved."""
_BASE64 = r"^[A-Za-z0-9_-]*$"
After = Annotated[str, Query(max_length=8000, pattern=_BASE64, description="The `id` of an event, or a `cursor`.")]
Last = Annotated[str, Header(max_length=8000, pattern=_BASE64)]


@router.get("/conversations/{id:path}/events", response_class=Response, responses=STREAM)
async def follow_conversation(request: Request, served: Reading, id: Id, after: After = "", last_event_id: Last = "") -> Response:
    """Server-sent events: `message`, `step`, `turn`, `went_out`, `caught_up` and `problem`. First comes what lies behind the
    cursor, all there is without one, then `caught_up`, then what happens. The `id` of each is the cursor behind it."""
    await served.assistant.known(id)
    cursor = last_event_id or after
    following = served.assistant.follow(id, cursor)
    try:
        first = await anext(following)
    except BaseException:
        await following.aclose()
        raise
    stream = EventStream(_events(served.assistant, id, following, first), _allowed(request, served.caller.user))
    return streams_of(request).opened(served.caller.user, id, stream)


async def _events(
    assistant: Assistant, conversation: str, following: AsyncGenerator[Followed], first: Followed
) -> AsyncGenerator[bytes]:
    """Goes on after what is raised, from where it was."""
    cursor = first.cursor
    yield told(first)
    while True:
        try:
            async with aclosing(following):
                async for followed in following:
                    cursor = followed.cursor
                    yield told(followed)
            return
        except Exception as error:
            yield live.problem(error)
        await asyncio.sleep(PAUSE)
        following = assistant.follow(conversation, cursor)


@router.get("/live", response_class=Response, responses=STREAM)
async def follow_all(request: Request, served: Reading) -> Response:
    """Server-sent events without cursors, for badges: `changed` names a conversation in which something has come, `went_out` tells
    of a write, `mail` names an account whose inbox something may have come into, `counts` tells of what is open."""
    return EventStream(_hints(served.assistant), _allowed(request, served.caller.user))


async def _hints(assistant: Assistant) -> AsyncGenerator[bytes]:
    counts, hints = None, list[Hint]()
    with assistant.watching() as queue:
        while None not in hints:
            if counts != (counts := await assistant.counts()):
                yield live.event("counts", counts._asdict())
            for conversation in dict.fromkeys(hint for hint in hints if isinstance(hint, str) and hint):
                yield live.event("changed", {"conversation": conversation})
            for news in (hint for hint in hints if isinstance(hint, News)):
                yield live.event("went_out", departed(news))
            for arrived in dict.fromkeys(hint for hint in hints if isinstance(hint, Arrived)):
                yield live.event("mail", arrived._asdict())
            await asyncio.sleep(LULL if hints else 0)
            hints = [await queue.get()]
            while not queue.empty():
                hints.append(queue.get_nowait())


def _allowed(request: Request, user: str) -> Allowed:
    recognise: Recognise = request.app.state.recognise

    async def allowed() -> bool:
        caller = await recognise(request)
        return caller is not None and caller.user == user and "read" in caller.scopes

    return allowed
