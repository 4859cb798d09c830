"""What all ways of drafting share: the task, who takes part, what is told meanwhile, and what comes of it."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from assistant.llm.messages import Usage
from integrations.types import Value

StrategyName = Literal["single", "coordination", "blackboard"]


class Exchange(Value):
    """One earlier turn of the conversation."""

    user: str
    assistant: str


class Task(Value):
    """What shall be written or decided, and the talk before it, oldest first."""

    text: str
    history: tuple[Exchange, ...] = ()


class Answer(Value):
    agent: str
    text: str


class Vote(Value):
    voter: str
    candidate: str
    reason: str = ""


class Restart(Value):
    """Why the attempt before was not good enough, and what shall be done better."""

    reason: str
    instructions: str


class View(Value):
    """What a participant sees: how things stood when it began. `answers` stand in registration order; `agents` are the real ids of
    all who are registered; `attempt` counts from 1, `restart` is set from the second on; without `may_answer` only votes count;
    `selected` is the winner, once there is one."""

    task: Task
    agents: tuple[str, ...]
    answers: tuple[Answer, ...] = ()
    attempt: int = 1
    restart: Restart | None = None
    may_answer: bool = True
    selected: str = ""


class Decision(Value):
    """Of the one who presents: good enough, where `restart` is None."""

    restart: Restart | None = None


class Overtaken(Exception):
    """A participant stopped at a checkpoint, since what it saw is out of date."""


class Participant(Protocol):
    """One who takes part, under its real id. `act` and the others raise ModelError where they come to nothing."""

    @property
    def id(self) -> str: ...

    async def act(self, view: View, go_on: Callable[[], bool]) -> Answer | Vote:
        """Raises Overtaken where `go_on` is false at a checkpoint: the start of an attempt, before a retry, before a vote."""

    async def present(self, view: View, votes: tuple[Vote, ...]) -> str:
        """The final text of the one who won; empty: its answer as it stands."""

    async def judge(self, view: View, votes: tuple[Vote, ...], presented: str) -> Decision:
        """`presented` is empty where the decision comes before the presentation."""


class Spent(Value):
    """What one participant used in one attempt; `cost` in US dollars, None where no price is known."""

    agent: str
    attempt: int
    calls: int
    usage: Usage
    cost: float | None = None


ToldKind = Literal[
    "started", "working", "answered", "voted", "restarting", "ignored", "rejected", "failed", "timed_out", "selected",
    "presenting", "evaluating", "submitted", "restart_requested", "posted", "conflict", "cleaned", "decided", "exhausted",
]  # fmt: skip


class Told(Value):
    """Something that happened meanwhile: `text` is for people, `data` is JSON; `agent` is empty for what concerns all."""

    kind: ToldKind
    text: str
    agent: str = ""
    data: Mapping[str, Any] = {}


Tell = Callable[[Told], None]


class Deliberation(Value):
    """`text` is what was presented; `answers` are the last of each who gave one, in registration order; `out` says why somebody
    fell out; `notes` are for people; `rules` is True where rules wrote it, not a model."""

    strategy: StrategyName
    text: str
    winner: str
    answers: tuple[Answer, ...] = ()
    votes: tuple[Vote, ...] = ()
    out: Mapping[str, str] = {}
    attempts: int = 1
    spent: tuple[Spent, ...] = ()
    notes: tuple[str, ...] = ()
    rules: bool = False


class Strategy(Protocol):
    async def run(self, task: Task, tell: Tell) -> Deliberation:
        """Raises DraftingError where nobody came to an answer."""
