"""The models of a blackboard, as a script for the scripted endpoint: lines by agent, whichever profile asks."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from doubles.llm import Answerer, Reply, RequestSeen, ScriptedEndpoint, says
from doubles.llm.answers import replied

from assistant.drafting.base import Deliberation, Task, Told
from assistant.drafting.blackboard import Blackboard, Mind
from assistant.llm.endpoint import Endpoint, EndpointClient

Line = str | Mapping[str, Any] | Reply | Answerer

_WHO = (
    (re.compile(r"Given the following problem, generate|You are provided a question"), "agent_generation"),
    (re.compile(r"You are the control unit|Your task is to schedule other agents"), "control_unit"),
    (re.compile(r"You are (.+), one of several agents who solve"), "{} apart"),
    (re.compile(r"You are an excellent (.+) described as:"), "{}"),
    (re.compile(r"System:You are (.+) cooperating with"), "{}"),
    (re.compile(r"You are a (.+?)(?: agent)? (?:cooperating|responsible)"), "{}"),
)


def who(seen: RequestSeen) -> str:
    """The agent whose prompt this is; `<name> apart` in the space of a conflict."""
    for pattern, name in _WHO:
        if found := pattern.match(seen.last):
            return name.format(*found.groups()).lower().replace(" resolver", "_resolver")
    raise ValueError("nobody's prompt")


@dataclass
class Cast:
    """Each agent says its lines in turn and its last one over and over; one without lines has nothing to add. `asked` holds who was
    asked what, in order."""

    lines: Mapping[str, Line | Sequence[Line]]
    asked: list[tuple[str, str]] = field(default_factory=list)

    def __call__(self, seen: RequestSeen) -> Reply:
        name = who(seen)
        self.asked.append((name, seen.last))
        lines = self.lines.get(name, "{no problem, waiting for more information}")
        if isinstance(lines, list):
            said = [one for one, _ in self.asked].count(name)
            lines = lines[min(said, len(lines)) - 1]
        if isinstance(lines, Mapping):
            lines = json.dumps(lines, ensure_ascii=False)
        return says(lines) if isinstance(lines, str) else replied(lines, seen)  # type: ignore[arg-type]

    @property
    def order(self) -> list[str]:
        return [name for name, _ in self.asked]

    def prompts(self, name: str) -> list[str]:
        return [prompt for one, prompt in self.asked if one == name]


QUESTION = Task(text="Which of these slots: Monday at nine, or Tuesday at ten?")
WAITS = '{"continue, waiting for more information"}'
COOK_AND_BAKER = {"cook": "knows soup", "baker": "knows bread"}


def choose(*names: str) -> dict[str, Any]:
    return {"chosen agents": list(names)}


def writes(text: str) -> dict[str, Any]:
    return {"output": text}


class Play:
    """A problem on the blackboard, and what was told and asked meanwhile."""

    def __init__(self, endpoint: ScriptedEndpoint) -> None:
        self.endpoint, self.told = endpoint, list[Told]()
        self._clients: list[EndpointClient] = []

    def client(self, model: str = "scripted") -> EndpointClient:
        given = Endpoint(model=model, base_url=self.endpoint.url, api_key=self.endpoint.key, retries=0, timeout=30)
        self._clients.append(EndpointClient(given))
        return self._clients[-1]

    async def close(self) -> None:
        for client in self._clients:
            await client.close()

    async def __call__(self, lines: dict[str, Line | list[Line]], task: Task = QUESTION, **options: Any) -> Deliberation:
        self.cast = Cast({"agent_generation": COOK_AND_BAKER, **lines})
        self.endpoint.play(self.cast)
        minds = options.pop("minds", None) or [Mind(self.client())]
        return await Blackboard(minds, **options).run(task, self.told.append)

    def kinds(self, *wanted: str) -> list[tuple[str, str]]:
        return [(one.kind, one.agent) for one in self.told if one.kind in wanted]

    def posts(self) -> list[tuple[str, str, str]]:
        return [(one.data["type"], one.agent, one.data["content"]) for one in self.told if one.kind == "posted"]

    def board(self, agent: str) -> str:
        """As that agent saw it last, under the paper's prompts."""
        return self.cast.prompts(agent)[-1].partition("Current blackboard state:\n")[2]


@contextmanager
def played() -> Iterator[Play]:
    """At the end no request was wrong."""
    with ScriptedEndpoint() as endpoint:
        yield Play(endpoint)
    assert not endpoint.complaints
