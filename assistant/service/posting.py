"""Messages under way: each runs on when its client goes, and one that is sent twice runs once."""

import asyncio
import contextlib
import hashlib
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from assistant.errors import FlowError
from assistant.facade import Assistant, Turn
from assistant.service.problems import Problem
from storage.errors import StorageError

AT_ONCE = 100
"""Messages of one user that are under way; further ones wait for their turn."""
PATIENCE = 10.0
"""Seconds that one waits for its turn."""
REMEMBERED = 5_000
"""Keys of messages, the newest; the turns themselves are looked up."""


@dataclass
class Posted:
    """`cursor`: what comes of it lies behind, but for one that was said before, `again`. `flow` is known once it has come to its
    end."""

    conversation: str
    digest: str
    cursor: str
    again: bool = False
    task: "asyncio.Task[Turn] | None" = None
    flow: str = ""

    async def turn(self, assistant: Assistant) -> Turn:
        """A caller who is cancelled leaves the message under way."""
        if self.task is not None:
            return await asyncio.shield(self.task)
        return await assistant.flow(self.flow)


class Posting:
    """One of each process."""

    def __init__(self) -> None:
        self._under_way: dict[asyncio.Task[Turn], tuple[Assistant, Posted]] = {}
        self._closing = False
        self._room: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(AT_ONCE))
        self._kept: OrderedDict[tuple[str, str], Posted] = OrderedDict()

    async def post(
        self, assistant: Assistant, conversation: str, text: str, *, own_words: bool, key: str = "", cursor: str = ""
    ) -> Posted:
        """Begins it, unless one with that key was begun. Raises Problem: 422 where that was another message, 429 where it
        waited too long for its turn."""
        digest = hashlib.sha256(f"{conversation}\0{text}\0{own_words}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()
        if found := self._begun(assistant.user, key, digest):
            return found
        await self._admit(assistant.user)
        if found := self._begun(assistant.user, key, digest):  # it was sent again meanwhile
            self._room[assistant.user].release()
            return found
        posted = Posted(conversation, digest, cursor)

        def say() -> Coroutine[Any, Any, Turn]:
            return assistant.say(conversation, text, own_words=own_words, mark=digest if key else "")

        posted.task = asyncio.create_task(_once(assistant, posted, say) if key else say())
        self._under_way[posted.task] = assistant, posted
        if key:
            self._kept[assistant.user, key] = posted
            while len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        posted.task.add_done_callback(lambda task: self._ended(assistant.user, posted, key, task))
        await asyncio.sleep(0)  # what can't be said at all is known at once
        return posted

    def _begun(self, user: str, key: str, digest: str) -> Posted | None:
        found = self._kept.get((user, key)) if key else None
        if found and found.digest != digest:
            raise Problem(422, "Another message was sent with this Idempotency-Key; give each message a key of its own.")
        return found

    async def _admit(self, user: str) -> None:
        self._check_open()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._room[user].acquire()
        except TimeoutError:
            words = "Too many messages are under way; wait until some are answered."
            raise Problem(429, words, headers={"Retry-After": "1"}) from None
        try:
            self._check_open()
        except Problem:
            self._room[user].release()
            raise

    def _check_open(self) -> None:
        if self._closing:
            raise Problem(503, "The service is ending; say it again in a moment.", headers={"Retry-After": "2"})

    def _ended(self, user: str, posted: Posted, key: str, task: "asyncio.Task[Turn]") -> None:
        del self._under_way[task]
        self._room[user].release()
        if task.cancelled() or task.exception():
            self._kept.pop((user, key), None)  # it may be tried again; whether it was said is stored
        else:
            posted.flow, posted.task = task.result().flow, None

    async def close(self) -> None:
        """What runs is suspended, so that every message comes to its end; no other is begun."""
        self._closing = True
        while self._under_way:
            for task, (assistant, posted) in tuple(self._under_way.items()):
                if posted.again:
                    task.cancel()
                    continue
                with contextlib.suppress(FlowError, StorageError):
                    await assistant.suspend(posted.conversation)
            await asyncio.wait(self._under_way, timeout=1)


def posting_of(request: Request) -> Posting:
    posting: Posting = request.app.state.posting
    return posting


async def _once(assistant: Assistant, posted: Posted, say: Callable[[], Awaitable[Turn]]) -> Turn:
    """What was said with that mark before, also before a restart, is not said again; its end or next rest is waited for."""
    if flow := await assistant.marked(posted.digest):
        posted.again = True
        return await assistant.at_rest(flow)
    return await say()
