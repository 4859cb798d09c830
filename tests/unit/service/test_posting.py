"""How many messages of a user are under way at once, and what becomes of further ones."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.service import posting
from assistant.service.posting import Posting
from assistant.service.problems import Problem


class Slow:
    """Somebody whose answers come when they are let go."""

    def __init__(self, user: str = "owner") -> None:
        self.user, self.going, self.said = user, asyncio.Event(), list[str]()

    async def marked(self, mark: str) -> None:
        return None

    async def say(self, conversation: str, text: str, **_: Any) -> Any:
        self.said.append(text)
        await self.going.wait()
        return SimpleNamespace(flow=text)


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def post(room: Posting, assistant: Any, text: str, key: str = "") -> "asyncio.Task[Any]":
    return asyncio.create_task(room.post(assistant, "here", text, own_words=True, key=key))


@pytest.fixture(autouse=True)
def one_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "AT_ONCE", 1)


async def test_one_too_many_waits_for_its_turn_and_no_other_user_with_it():
    room, mine, theirs = Posting(), Slow(), Slow("ben")
    first, second, other = post(room, mine, "one"), post(room, mine, "two"), post(room, theirs, "three")
    await settled()
    assert mine.said == ["one"] and theirs.said == ["three"] and first.done() and other.done() and not second.done()
    mine.going.set()
    await second
    assert mine.said == ["one", "two"]


async def test_whoever_waited_too_long_is_told_when_to_come_again_and_was_not_heard(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(posting, "PATIENCE", 0.001)
    room, mine = Posting(), Slow()
    await post(room, mine, "one")
    with pytest.raises(Problem) as refused:
        await post(room, mine, "two")
    assert refused.value.status == 429 and refused.value.headers["Retry-After"] and mine.said == ["one"]


async def test_sent_twice_while_it_waits_it_is_said_once_and_takes_one_turn():
    room, mine = Posting(), Slow()
    first, *same = (post(room, mine, text, text) for text in ("one", "two", "two"))
    await settled()
    mine.going.set()
    once, again = await asyncio.gather(*same)
    assert once is again and mine.said == ["one", "two"]
    await post(room, mine, "three")
    assert mine.said[-1] == "three" and first.done()


async def test_what_waits_when_the_service_ends_is_refused():
    room, mine = Posting(), Slow()
    await post(room, mine, "one")
    waiting = post(room, mine, "two")
    await settled()
    mine.suspend = lambda _: asyncio.sleep(0, mine.going.set())  # type: ignore[attr-defined]
    await room.close()
    with pytest.raises(Problem) as refused:
        await waiting
    assert refused.value.status == 503 and mine.said == ["one"]
