import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from servers import Servers, User

from integrations.registry import Account

PATIENCE = 15.0


@pytest.fixture
async def opened(servers: Servers) -> AsyncIterator[Callable[..., Account]]:
    """Opens accounts as `servers.open` does, and closes them in the end."""
    accounts: list[Account] = []

    def open_one(user: User, index: Path, **settings: str) -> Account:
        accounts.append(servers.open(user, index, **settings))
        return accounts[-1]

    yield open_one
    for account in accounts:
        await account.close()


@pytest.fixture
def no_thread_is_left() -> Callable[[], Awaitable[None]]:
    """Of those at work on connections that the test has begun."""
    before = set(threading.enumerate())

    async def check() -> None:
        for thread in set(threading.enumerate()) - before:
            if thread.name.startswith("imap"):
                await asyncio.to_thread(thread.join, PATIENCE)
                assert not thread.is_alive()

    return check
