"""One question and one write at Graph, for tests to which it is all the same what is asked and written."""

import asyncio
import time
from typing import Any

from doubles.graph.emulator import GraphEmulator

from integrations.microsoft.requests import asking, sending

OWNER = "me@home.example"
PROFILE, FOLDERS, MESSAGES, NEW_MESSAGE = "GET /me", "GET /me/mailFolders", "GET /me/messages", "POST /me/messages"


def profile(client: Any) -> Any:
    return asking(client.me)


def messages(client: Any) -> Any:
    return asking(client.me.messages, select=["id", "subject"], top=2)


def new_message(client: Any) -> Any:
    return sending(client.me.messages, "POST", {"subject": "Plan"})


def made(graph: GraphEmulator) -> int:
    """How many times what new_message writes is there."""
    return len(graph.world.mail(OWNER).messages)


async def begun(graph: GraphEmulator, api: str) -> None:
    """Waits until such a request has come."""

    def wait() -> None:
        while not sent(graph, api):
            time.sleep(0.001)

    await asyncio.to_thread(wait)


def sent(graph: GraphEmulator, api: str) -> int:
    return sum(seen.api == api for seen in graph.requests)
