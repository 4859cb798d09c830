"""Accounts at an emulated service, which runs in a process of its own: what took effect is seen by what stands there."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Self
from unittest.mock import patch
from zoneinfo import ZoneInfo

from doubles.providers.base import ACCOUNT, OWNER, Moment, ProviderDouble
from doubles.providers.standing import Standing
from doubles.providers.stock import Stock
from doubles.secrets import KeptSecrets

from integrations import registry
from integrations.actions import Action
from integrations.registry import Account, AccountConfig, Secrets

TESTS = Path(__file__).parents[2]
registry.PROVIDERS["emulated"] = __name__


class Emulated(ProviderDouble):
    """`kind` of account; `server` is the module that runs the service (see `doubles.providers.emulated_server`); `pauses`: what
    would wait, by where it is kept."""

    logs: ClassVar[bool] = False
    kind: ClassVar[str]
    server: ClassVar[str]
    pauses: ClassVar[tuple[str, ...]] = ("integrations.common.retrying.PAUSE",)

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", self.server]
        paths = {"PYTHONPATH": os.pathsep.join((str(TESTS), str(TESTS.parent)))}
        self._server = subprocess.Popen(
            command, cwd=TESTS, env={**os.environ, **paths}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._server.stdout is not None
        self._port = int(self._server.stdout.readline())
        self._quick = ExitStack()
        for pause in self.pauses:
            self._quick.enter_context(patch(pause, 0.0))
        return self

    def __exit__(self, *_: object) -> None:
        self._quick.close()
        complaints, _ = self._server.communicate()
        assert not complaints, complaints

    def config(self, root: Path) -> AccountConfig:
        return emulated(self.kind, ACCOUNT, OWNER, **self._ask(root, do="sign in"))

    def stock(self, root: Path, stock: Stock) -> None:
        self._ask(root, do="stock", stock=asdict(stock))

    async def effects(self, root: Path, writes: Sequence[tuple[str, Action]]) -> dict[str, int]:
        account = registry.open_account(self.config(root), zone=ZoneInfo("UTC"), index=root / "index")
        try:
            standing = Standing(account.readers)
            return {key: await standing.times(action) for key, action in writes}
        finally:
            await account.close()

    def lose(self, root: Path, when: Moment | None, *, find: bool = False, kind: str = "") -> None:
        self._ask(root, do="lose", when=when, find=find, kind=kind.partition(" ")[0])

    def _ask(self, root: Path, **asked: Any) -> Any:
        with socket.create_connection(("127.0.0.1", self._port)) as connection:
            connection.sendall(json.dumps({"root": str(root), **asked}).encode() + b"\n")
            return json.loads(connection.makefile().readline())


def emulated(kind: str, name: str, address: str, *, endpoint: str, secret: str) -> AccountConfig:
    """An account of this kind that is signed in with a secret of its own, wherever it is opened."""
    return AccountConfig(
        name=name, kind="emulated", address=address, settings={"kind": kind, "endpoint": endpoint, "secret": secret}
    )


def open_account(config: AccountConfig, *, zone: ZoneInfo, index: Path, clock: Callable[[], datetime], secrets: Secrets) -> Account:
    given = config.settings
    real = config.model_copy(update={"kind": given["kind"], "settings": {"endpoint": given["endpoint"]}})
    kept = KeptSecrets(**{config.name: given["secret"]})
    return registry.open_account(real, zone=zone, index=index, clock=clock, secrets=kept)
