"""A participant that asks a language model."""

from collections.abc import Callable
from dataclasses import dataclass

from assistant.drafting.base import Answer, Decision, Overtaken, Told, View, Vote
from assistant.drafting.calls import Reader, Rejected, refused
from assistant.drafting.final import NOT_CONFIRMED, RESTART, SUBMIT, confirmed, deciding, decision, evaluating, presenting
from assistant.drafting.profiles import PROFILES, Plain, Profile, joined
from assistant.drafting.session import Session
from assistant.errors import ModelError
from assistant.llm.client import ChatClient
from assistant.llm.messages import Completion, Message, Prompt, Tool, Usage
from integrations.common.invisible import visible
from integrations.types import Value

ATTEMPTS = 3
"""How often a model is asked for one answer or vote."""


class Agent(Value):
    """`style` and `system` are words for the model; `temperature` None: the endpoint's own."""

    id: str
    style: str = ""
    system: str = ""
    temperature: float | None = None

    @property
    def custom(self) -> str:
        return joined(self.system, f"Your style: {self.style}" if self.style else "")


@dataclass(frozen=True)
class ModelSeat:
    """Where an agent sits down at a session; `alone` to write without others."""

    agent: Agent
    client: ChatClient
    alone: bool = False

    def __call__(self, session: Session) -> "ModelParticipant":
        return ModelParticipant(self.agent, self.client, session, Plain() if self.alone else PROFILES[session.options.profile]())


class ModelParticipant:
    """Implements Participant."""

    def __init__(self, agent: Agent, client: ChatClient, session: Session, profile: Profile) -> None:
        self._agent, self._client, self._session, self._profile = agent, client, session, profile
        self._temperature = agent.temperature

    @property
    def id(self) -> str:
        return self._agent.id

    async def act(self, view: View, go_on: Callable[[], bool]) -> Answer | Vote:
        reader = Reader(self.id, view, self._profile, self._session)
        messages = self._profile.messages(view, self._agent.custom, self._session.options.sensitivity)
        why = ""
        for _ in range(ATTEMPTS):
            if not go_on():
                raise Overtaken
            come = await self._tried(reader, messages)
            if not isinstance(come, Rejected):
                return come
            why, messages = come.why, (*messages, *come.messages)
            self._session.tell(Told(kind="rejected", agent=self.id, text=f"{self.id} tries again: {why}"))
        raise ModelError(f"No answer or vote in {ATTEMPTS} attempts; last: {why}", "invalid")

    async def _tried(self, reader: Reader, messages: tuple[Message, ...]) -> Answer | Vote | Rejected:
        try:
            return reader.read(await self._completed(messages, reader.view, self._profile.tools(reader.view)))
        except ModelError as error:
            if error.kind != "invalid":
                raise
            return Rejected(str(error), (Message(role="user", content=self._profile.reminder),))

    async def present(self, view: View, votes: tuple[Vote, ...]) -> str:
        """Also empty where the text is only the beginning of one."""
        messages = presenting(self._profile, self.id, self._agent.custom, view, votes)
        completion = await self._completed(messages, view)
        return "" if completion.finish in ("length", "content_filter") else visible(completion.text).strip()

    async def judge(self, view: View, votes: tuple[Vote, ...], presented: str) -> Decision:
        custom = self._agent.custom
        if presented:
            messages = evaluating(self._profile, custom, view, presented)
        else:
            messages = deciding(self._profile, self.id, custom, view, votes)
        completion = await self._completed(messages, view, (SUBMIT, RESTART))
        if not confirmed(completion):
            asked = refused(completion, "", {SUBMIT.name: NOT_CONFIRMED})
            completion = await self._completed((*messages, *asked), view, (SUBMIT, RESTART))
        return decision(completion)

    async def _completed(self, messages: tuple[Message, ...], view: View, tools: tuple[Tool, ...] = ()) -> Completion:
        try:
            return await self._booked(Prompt(messages=messages, tools=tools, temperature=self._temperature), view.attempt)
        except ModelError as error:
            if self._temperature is None or error.kind != "rejected" or "temperature" not in str(error):
                raise
            self._temperature = None  # some models have one temperature only
            return await self._booked(Prompt(messages=messages, tools=tools), view.attempt)

    async def _booked(self, prompt: Prompt, attempt: int) -> Completion:
        usage = Usage()
        try:
            completion = await self._client.complete(prompt)
            usage = completion.usage
            return completion
        finally:
            self._session.books.add(self.id, attempt, self._client.model, usage)
