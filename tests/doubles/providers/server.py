"""A provider in a process of its own: it carries out writes on folders of its accounts, logs every effect under the key it came
with, and loses connections when it is told to.

python -m doubles.providers.server prints the port on loopback on which it listens. A request is one line of JSON naming the
account's folder as `root`, the answer is one line; a connection that ends without one was lost.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from doubles.providers.base import ACCOUNT, OWNER
from doubles.providers.local import folders
from doubles.providers.log import LOG, log_effect, logged
from pydantic import TypeAdapter

from integrations.actions import Action, CalendarAction, MailAction
from integrations.errors import IntegrationError
from integrations.registry import Account, AccountConfig, open_account
from integrations.writers import Writers

ACTION: TypeAdapter[Action] = TypeAdapter(Action)
LONGEST = 2**24
AT_WORK = 0.02
"""Seconds that a write is still at work when its connection is gone."""


class Lost(Exception):
    """The connection ends here, unanswered."""


class Served:
    """One account. Nothing keeps a write from taking effect twice when it is asked for twice: that is for the caller to avoid."""

    def __init__(self, root: Path) -> None:
        self._log = root / LOG
        config = AccountConfig(name=ACCOUNT, kind="local", address=OWNER, settings=folders(root))
        self.account: Account = open_account(config, zone=ZoneInfo("UTC"), index=root / "index-of-server")
        self.losing: str | None = None
        self.then_deaf = self.deaf = False
        self.one_at_a_time = asyncio.Lock()

    async def execute(self, action: Action, key: str, hang_up: Callable[[], None]) -> dict[str, Any]:
        losing, self.losing = self.losing, None
        self.deaf = self.deaf or (losing is not None and self.then_deaf)
        if losing == "before":
            raise Lost
        if losing == "during":
            hang_up()
            await asyncio.sleep(AT_WORK)
        receipt = await writer_for(self.account.writers, action).execute(action, uuid4().hex)
        answer = receipt.model_copy(update={"key": key, "note": ""}).model_dump(mode="json")
        log_effect(self._log, key, answer)
        if losing:
            raise Lost
        return answer

    async def find(self, key: str) -> dict[str, Any] | None:
        deaf, self.deaf = self.deaf, False
        if deaf:
            raise Lost
        return next((effect["receipt"] for effect in logged(self._log) if effect["key"] == key), None)

    async def lose(self, when: str | None, deaf: bool) -> None:
        self.losing, self.then_deaf, self.deaf = when, deaf, deaf and when is None


def writer_for(writers: Writers, action: Action) -> Any:
    if isinstance(action, MailAction):
        return writers.mail
    return writers.calendar if isinstance(action, CalendarAction) else writers.contacts


class Server:
    def __init__(self) -> None:
        self._served: dict[str, Served] = {}

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(Lost, ConnectionError):
            line = await reader.readline()
            if line.endswith(b"\n"):  # else whoever asked died while asking
                asked = json.loads(line)
                served = self._served.get(asked["root"]) or self._served.setdefault(asked["root"], Served(Path(asked["root"])))
                async with served.one_at_a_time:
                    answer = await answered(served, asked, writer.close)
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        writer.close()


async def answered(served: Served, asked: dict[str, Any], hang_up: Callable[[], None]) -> dict[str, Any]:
    try:
        match asked["do"]:
            case "execute":
                return {"answer": await served.execute(ACTION.validate_python(asked["action"]), asked["key"], hang_up)}
            case "find":
                return {"answer": await served.find(asked["key"])}
            case "lose":
                return {"answer": await served.lose(asked["when"], asked["deaf"])}
    except IntegrationError as refused:
        return {"refused": type(refused).__name__, "says": str(refused)}
    raise ValueError(f"nobody can {asked['do']} here")


async def main() -> None:
    server = await asyncio.start_server(Server().handle, "127.0.0.1", 0, limit=LONGEST)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # until whoever started it is gone


if __name__ == "__main__":
    asyncio.run(main())
