"""A second model for when the first can't be had."""

from collections.abc import AsyncIterator

from assistant.errors import ModelError
from assistant.llm.client import ChatClient
from assistant.llm.messages import Completion, Prompt

LASTING = ("unreachable", "timeout", "denied", "rate_limited", "server")
"""Troubles that lie with the endpoint, not with what was asked."""


class Failover:
    """Implements ChatClient: asks the first, and where its endpoint fails the second."""

    def __init__(self, first: ChatClient, second: ChatClient) -> None:
        self.first, self.second = first, second

    @property
    def model(self) -> str:
        return self.first.model

    async def named(self) -> str:
        return await self.first.named()

    async def complete(self, prompt: Prompt) -> Completion:
        try:
            return await self.first.complete(prompt)
        except ModelError as error:
            if error.kind not in LASTING:
                raise
            return await self.second.complete(prompt)

    async def stream(self, prompt: Prompt) -> AsyncIterator[str | Completion]:
        """What has been heard of an answer is not begun anew by another model."""
        heard = False
        try:
            async for piece in self.first.stream(prompt):
                heard = True
                yield piece
            return
        except ModelError as error:
            if heard or error.kind not in LASTING:
                raise
        async for piece in self.second.stream(prompt):
            yield piece

    async def close(self) -> None:
        await self.first.close()
        await self.second.close()
