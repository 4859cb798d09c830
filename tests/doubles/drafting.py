"""Agents that draft as a test says: models over the scripted endpoint, and participants that think in virtual time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from doubles import virtual_time
from doubles.llm import Answerer, Call, Reply, RequestSeen, Script, ScriptedEndpoint, calls, says
from doubles.llm.answers import replied
from doubles.llm.requests import text_of

from assistant.drafting.base import Answer, Decision, Deliberation, Overtaken, Task, Told, View, Vote
from assistant.drafting.model import Agent, ModelSeat
from assistant.drafting.options import Options
from assistant.drafting.restart import Orchestration
from assistant.drafting.session import Seat
from assistant.errors import ModelError
from assistant.llm.client import ChatClient
from assistant.llm.endpoint import Endpoint, EndpointClient
from assistant.llm.messages import Completion, Prompt

ANSWER_TOOLS = ("update_answer", "new_answer")


# --- what a model calls


def answers(text: str, tool: str = "update_answer") -> Reply:
    return calls(Call(tool, {"content": text}))


def votes(agent: str, reason: str = "") -> Reply:
    return calls(Call("vote", {"agent_id": agent, "reason": reason} if reason else {"agent_id": agent}))


def submits(confirmed: bool = True) -> Reply:
    return calls(Call("submit", {"confirmed": confirmed}))


def restarts(reason: str, instructions: str) -> Reply:
    return calls(Call("restart_orchestration", {"reason": reason, "instructions": instructions}))


# --- what a model is asked, and what comes of it


def user(seen: RequestSeen) -> str:
    """What it began with."""
    return text_of(seen.messages[1])


def texts(result: Deliberation) -> dict[str, str]:
    """Each agent's last answer."""
    return {answer.agent: answer.text for answer in result.answers}


def candidates(seen: RequestSeen) -> list[str]:
    """Who can be voted for, by shown name."""
    return list(seen.tools["vote"]["properties"]["agent_id"].get("enum", ()))


def deciding(seen: RequestSeen) -> bool:
    return "restart_orchestration" in seen.tools


def presenting(seen: RequestSeen) -> bool:
    return not seen.tools


def coordinates(
    text: str | Sequence[str] = "", vote: int = 0, reason: str = "", decision: Reply | Answerer | None = None
) -> Answerer:
    """Answers where there is no answer yet (attempt by attempt, the last text again), else votes for the candidate of that number;
    presents its text with "Presented: " before it."""
    texts = [text] if isinstance(text, str) else list(text)
    given: list[str] = []

    def answer(seen: RequestSeen) -> Reply:
        if deciding(seen):
            return replied(decision or submits(), seen)
        if presenting(seen):
            return says(f"Presented: {given[-1] if given else 'the best of all'}")
        if found := candidates(seen):
            return votes(found[vote % len(found)], reason)
        given.append((texts[len(given)] if len(given) < len(texts) else texts[-1]) or f"The answer of {seen.model}.")
        return answers(given[-1], next(tool for tool in ANSWER_TOOLS if tool in seen.tools))

    return answer


def by_agent(scripts: Mapping[str, Reply | Answerer]) -> Answerer:
    """Each agent's own script; its model is named after it."""
    return lambda seen: replied(scripts[seen.model], seen)


# --- models over HTTP


Before = Callable[[Prompt, Completion], Awaitable[None]]


@dataclass
class Held:
    """A client whose answers arrive when the test lets them: `before(prompt, completion)` is awaited first."""

    client: ChatClient
    before: Before

    @property
    def model(self) -> str:
        return self.client.model

    async def complete(self, prompt: Prompt) -> Completion:
        completion = await self.client.complete(prompt)
        await self.before(prompt, completion)
        return completion

    def stream(self, prompt: Prompt) -> Any:
        return self.client.stream(prompt)

    async def close(self) -> None:
        await self.client.close()


@dataclass
class Table:
    """Agents over one endpoint, and what they were asked."""

    endpoint: ScriptedEndpoint
    told: list[Told] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _clients: dict[str, EndpointClient] = field(default_factory=dict)

    def client(self, name: str) -> EndpointClient:
        if name not in self._clients:
            endpoint = Endpoint(model=name, base_url=self.endpoint.url, api_key=self.endpoint.key, retries=0)
            self._clients[name] = EndpointClient(endpoint)
        return self._clients[name]

    def seat(self, agent: Agent | str, before: Before | None = None) -> Seat:
        agent = Agent(id=agent) if isinstance(agent, str) else agent
        client: ChatClient = self.client(agent.id)
        return ModelSeat(agent, Held(client, before) if before else client)

    def orchestration(self, *agents: Agent | str, held: Mapping[str, Before] | None = None, **more: Any) -> Orchestration:
        """`more`: fields of Options, and of Orchestration."""
        own = {name: more.pop(name) for name in ("presenter", "price", "problems", "rules") if name in more}
        ids = [agent if isinstance(agent, str) else agent.id for agent in agents]
        seats = tuple(self.seat(agent, (held or {}).get(id)) for agent, id in zip(agents, ids, strict=True))
        return Orchestration(seats, options=Options(**more), **own)

    async def deliberate(self, *agents: Agent | str, task: Task | str = "How should I answer?", **more: Any) -> Deliberation:
        task = Task(text=task) if isinstance(task, str) else task
        return await self.orchestration(*agents, **more).run(task, self.tell)

    def tell(self, told: Told) -> None:
        self.told.append(told)
        self._news.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        """What is told makes it hold."""
        while not holds():
            self._news.clear()
            await self._news.wait()

    def after(self, kind: str, *agents: str) -> Before:
        """Holds back an agent's answers until that has been told of all of these."""

        async def before(prompt: Prompt, completion: Completion) -> None:
            await self.until(lambda: all(kind in self.kinds(agent) for agent in agents))

        return before

    def asked(self, agent: str = "") -> list[RequestSeen]:
        return [seen for seen in self.endpoint.requests if not agent or seen.model == agent]

    def kinds(self, agent: str | None = None) -> list[str]:
        return [told.kind for told in self.told if agent is None or told.agent == agent]

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()


def endpoint_for(script: Script, names: Sequence[str], **more: Any) -> ScriptedEndpoint:
    return ScriptedEndpoint(script, models=names, **more)


# --- participants in virtual time


@dataclass(frozen=True)
class Turn:
    """What a participant does once it has thought so long: answer, vote for the answer of that number, or fail. `retries` are
    checkpoints on the way, the same time apart."""

    does: str
    seconds: float = 1.0
    text: str = ""
    choice: int = 0
    retries: int = 0


@dataclass
class Thinking:
    """Implements Participant. `turns` in their order, the last again and again; each view is kept."""

    id: str
    turns: Sequence[Turn]
    presents: str = ""
    decisions: list[Decision] = field(default_factory=list)
    views: list[View] = field(default_factory=list)

    async def act(self, view: View, go_on: Callable[[], bool]) -> Answer | Vote:
        turn = self.turns[min(len(self.views), len(self.turns) - 1)]
        self.views.append(view)
        for _ in range(turn.retries + 1):
            if not go_on():
                raise Overtaken
            await asyncio.sleep(turn.seconds)
        if turn.does == "fail":
            raise ModelError(f"{self.id} fails.", "server")
        if turn.does == "vote" and view.answers:
            return Vote(voter=self.id, candidate=view.answers[turn.choice % len(view.answers)].agent)
        if turn.does == "vote" and not view.may_answer:
            raise ModelError("There is nothing to vote for.", "invalid")
        if not view.may_answer:
            return Vote(voter=self.id, candidate=view.answers[turn.choice % len(view.answers)].agent)
        return Answer(agent=self.id, text=turn.text or f"Answer {len(self.views)} of {self.id}")

    async def present(self, view: View, votes: tuple[Vote, ...]) -> str:
        return self.presents

    async def judge(self, view: View, votes: tuple[Vote, ...], presented: str) -> Decision:
        return self.decisions.pop(0) if self.decisions else Decision()


def think(*agents: Thinking, told: list[Told] | None = None, **options: Any) -> Deliberation:
    """In virtual time."""
    told = [] if told is None else told
    seats = tuple(lambda _, agent=agent: agent for agent in agents)
    return virtual_time.run(Orchestration(seats, Options(**options)).run(Task(text="T"), told.append))
