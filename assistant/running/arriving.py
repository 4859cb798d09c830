"""New mail, told as long as anybody listens."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from integrations.errors import IntegrationError
from integrations.registry import Account, Tells

log = logging.getLogger(__name__)


class Arrived(NamedTuple):
    """Something may have come into this account's inbox."""

    account: str


class Arriving:
    """Of accounts that tell by themselves; of the others nothing is heard."""

    def __init__(self, accounts: Sequence[Account] = ()) -> None:
        self._telling = {account.config.name: account for account in accounts if isinstance(account, Tells)}
        self._listeners: list[Callable[[Arrived], None]] = []
        self._tasks: list[asyncio.Task[None]] = []

    @contextmanager
    def listening(self, tell: Callable[[Arrived], None]) -> Iterator[None]:
        self._listeners.append(tell)
        if len(self._listeners) == 1:
            self._tasks = [asyncio.create_task(self._listen(*one)) for one in self._telling.items()]
        try:
            yield
        finally:
            self._listeners.remove(tell)
            if not self._listeners:
                for task in self._tasks:
                    task.cancel()

    async def _listen(self, name: str, account: Tells) -> None:
        try:
            while True:
                await account.news()
                for tell in tuple(self._listeners):
                    tell(Arrived(name))
        except IntegrationError as error:
            log.info("No more is heard of new mail: %s", error)
