"""Who answers for an agent of the blackboard, and what that uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.drafting.accounting import Books, PriceOf
from assistant.drafting.base import Spent, Task
from assistant.errors import ModelError
from assistant.llm.client import ChatClient
from assistant.llm.messages import Completion, Message, Prompt, Usage
from integrations.common.invisible import visible
from integrations.types import Value


class Limits(Value):
    """`experts` are generated at most; `calls` and `tokens` are all that a round and the whole may use, `answer` the tokens of one
    answer; `board` and `post` are characters as agents are shown them; `timeout` in seconds for the whole."""

    rounds: int = 4
    experts: int = 3
    calls: int = 16
    tokens: int = 200_000
    answer: int = 4_000
    board: int = 16_000
    post: int = 4_000
    timeout: float = 300.0


@dataclass(frozen=True)
class Mind:
    """A model that answers for agents; `system` is a message of its own before their prompts."""

    client: ChatClient
    temperature: float | None = None
    system: str = ""


class UsedUp(Exception):
    """All the tokens that the whole may use are used."""


class Asking:
    """Agents take the minds in turns, in the order in which they are first asked; those in `given` have their own."""

    def __init__(self, task: Task, minds: Sequence[Mind], given: Mapping[str, Mind], limits: Limits, price: PriceOf) -> None:
        self.task, self.minds, self.limits = task, minds, limits
        self.left = 0  # calls that the round may still make
        self._books = Books(price)
        self._given, self._assigned = given, dict[str, Mind]()

    @property
    def spent(self) -> tuple[Spent, ...]:
        return self._books.spent

    async def ask(self, agent: str, words: str) -> str:
        """Raises ModelError, and UsedUp instead of asking. No tool is ever offered."""
        if sum(one.usage.prompt + one.usage.completion for one in self.spent) >= self.limits.tokens:
            raise UsedUp
        self.left -= 1
        mind = self._mind(agent)
        try:
            completion = await self._booked(agent, mind.client, self._prompt(mind, words))
        except ModelError as error:
            if mind.temperature is None or error.kind != "rejected" or "temperature" not in str(error):
                raise
            mind = self._assigned[agent] = replace(mind, temperature=None)  # some models have one temperature only
            completion = await self._booked(agent, mind.client, self._prompt(mind, words))
        if completion.refusal or completion.finish == "content_filter":
            raise ModelError(f"{mind.client.model} declines to answer.", "refused")
        return visible(completion.text)

    async def _booked(self, agent: str, client: ChatClient, prompt: Prompt) -> Completion:
        usage = Usage()
        try:
            completion = await client.complete(prompt)
            usage = completion.usage
            return completion
        finally:
            self._books.add(agent, 1, client.model, usage)

    def _mind(self, agent: str) -> Mind:
        if agent not in self._assigned:
            turn = len(self._assigned) - len(self._assigned.keys() & self._given.keys())
            self._assigned[agent] = self._given.get(agent) or self.minds[turn % len(self.minds)]
        return self._assigned[agent]

    def _prompt(self, mind: Mind, words: str) -> Prompt:
        own = (Message(role="system", content=mind.system),) if mind.system else ()
        earlier = tuple(
            message
            for turn in self.task.history
            for message in (Message(role="user", content=turn.user), Message(role="assistant", content=turn.assistant))
        )
        messages = (*own, *earlier, Message(role="user", content=words))
        return Prompt(messages=messages, longest=self.limits.answer, temperature=mind.temperature)
