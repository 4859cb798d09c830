"""An account at `doubles.providers.server`: its things are read where they lie, and written over a connection that can be lost."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self
from zoneinfo import ZoneInfo

from doubles.providers.base import ACCOUNT, OWNER, Moment, ProviderDouble
from doubles.providers.local import fill, folders
from doubles.providers.log import LOG, logged
from doubles.providers.stock import Stock

from integrations import errors, registry
from integrations.actions import Action, Receipt
from integrations.errors import Unavailable
from integrations.readers import Readers
from integrations.registry import Account, AccountConfig, Secrets
from integrations.types import Capability

TESTS = Path(__file__).parents[2]
registry.PROVIDERS["remote"] = __name__


class Remote(ProviderDouble):
    """Can be asked."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "doubles.providers.server"]
        paths = {"PYTHONPATH": os.pathsep.join((str(TESTS), str(TESTS.parent)))}
        self._server = subprocess.Popen(
            command, cwd=TESTS, env={**os.environ, **paths}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._server.stdout is not None
        self._port = int(self._server.stdout.readline())
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()

    def config(self, root: Path) -> AccountConfig:
        where = {**folders(root), "root": str(root), "port": str(self._port), "asks": str(self.asks)}
        return AccountConfig(name=ACCOUNT, kind="remote", address=OWNER, settings=where)

    def stock(self, root: Path, stock: Stock) -> None:
        fill(root, stock)

    async def effects(self, root: Path, writes: Sequence[tuple[str, Action]]) -> dict[str, int]:
        return Counter(effect["key"] for effect in logged(root / LOG))

    def lose(self, root: Path, when: Moment | None, *, find: bool = False, kind: str = "") -> None:
        with socket.create_connection(("127.0.0.1", self._port)) as connection:
            connection.sendall(json.dumps({"root": str(root), "do": "lose", "when": when, "deaf": find}).encode() + b"\n")
            connection.makefile().readline()


class Mute(Remote):
    """Never tells whether a write took effect."""

    asks: ClassVar[bool] = False


class RemoteWriter:
    """For mail, calendar and contacts alike. What the connection does is told as every provider tells it."""

    def __init__(self, config: AccountConfig) -> None:
        self._account, self._port = config.name, int(config.settings["port"])
        self._root, self._asks = config.settings["root"], config.settings["asks"] == "True"

    async def execute(self, action: Action, key: str) -> Receipt:
        return Receipt.model_validate(await self._ask(do="execute", action=action.model_dump(mode="json"), key=key))

    async def find(self, action: Action, key: str) -> Receipt | None:
        if not self._asks:
            raise errors.Unknowable("This account can't be asked what it has done.", self._account)
        found = await self._ask(do="find", key=key)
        return Receipt.model_validate(found) if found else None

    async def _ask(self, **asked: object) -> Any:
        line = json.dumps({"root": self._root, **asked}).encode() + b"\n"
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**24)
            try:
                writer.write(line)
                await writer.drain()
                told = await reader.readline()
            finally:
                writer.close()
        except OSError as lost:
            raise Unavailable("The account is out of reach.", self._account) from lost
        if not told:
            raise Unavailable("The connection was lost.", self._account)
        answer = json.loads(told)
        if "refused" in answer:
            raise getattr(errors, answer["refused"])(answer["says"], self._account)
        return answer["answer"]


class RemoteWriters:
    def __init__(self, config: AccountConfig) -> None:
        self.mail = self.calendar = self.contacts = RemoteWriter(config)


class RemoteAccount:
    sends = True

    def __init__(self, config: AccountConfig, folders: Account) -> None:
        self.config, self._folders = config, folders

    @property
    def readers(self) -> Readers:
        return self._folders.readers

    @cached_property
    def writers(self) -> RemoteWriters:
        return RemoteWriters(self.config)

    @property
    def lacks(self) -> Mapping[Capability, str]:
        return self._folders.lacks

    async def prepare(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        return await self._folders.prepare(on_progress)

    async def close(self) -> None:
        await self._folders.close()


def open_account(
    config: AccountConfig, *, zone: ZoneInfo, index: Path, clock: Callable[[], datetime], secrets: Secrets
) -> RemoteAccount:
    own = {name: path for name, path in config.settings.items() if name in ("mail", "calendars", "contacts")}
    as_folders = config.model_copy(update={"kind": "local", "settings": own})
    return RemoteAccount(config, registry.open_account(as_folders, zone=zone, index=index, clock=clock, secrets=secrets))
