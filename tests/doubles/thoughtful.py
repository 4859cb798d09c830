"""A reasoner that thinks as the offline one does, and answers when the test lets it."""

import asyncio
from typing import Any

from assistant.reasoning.offline.reasoner import OfflineReasoner


class Thoughtful:
    """`asked`: it is to word what was found; it does when `may_answer` is set."""

    name = "a slow reasoner"

    def __init__(self) -> None:
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()
        self._inner = OfflineReasoner()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def reply(self, *given: Any) -> str:
        self.asked.set()
        await self.may_answer.wait()
        return await self._inner.reply(*given)
