"""An assistant in Berlin by a clock that a test moves: what it is given at six on a Monday morning."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.facade import Assistant

MONDAY = datetime(2026, 11, 23, 6, 0, tzinfo=UTC)


@dataclass
class Life:
    home: Path
    account: LocalAccount
    at: datetime = MONDAY

    @asynccontextmanager
    async def __call__(self, zone: str = "Europe/Berlin", **more: Any) -> AsyncIterator[Assistant]:
        place = {} if "settings" in more else {"home": self.home}
        async with open_assistant(**place, clock=lambda: self.at, zone=zone, accounts=[self.account], **more) as assistant:
            yield assistant

    def passes(self, **time: float) -> None:
        self.at += timedelta(**time)


async def told(assistant: Assistant, conversation: str) -> list[str]:
    """What it has said there."""
    said = await assistant.said(conversation)
    return [message.text for message in said.messages if message.role == "assistant"]
