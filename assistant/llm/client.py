"""How the rest of the project speaks to a language model: one question, one answer."""

from collections.abc import AsyncIterator
from typing import Protocol

from assistant.llm.messages import Completion, Prompt


class ChatClient(Protocol):
    """Raises ModelError, of the kind that tells what can be done about it."""

    @property
    def model(self) -> str:
        """The name under which the endpoint knows the model."""

    async def named(self) -> str:
        """`model`, chosen first where none was named."""

    async def complete(self, prompt: Prompt) -> Completion: ...

    def stream(self, prompt: Prompt) -> AsyncIterator[str | Completion]:
        """Pieces of the text as they come, then the whole answer."""

    async def close(self) -> None: ...
