"""Settings of drafting: when several drafts are written, by whom, and how they are voted on."""

import re
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator

from config.models import ModelSetting, Part

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Degree = Literal["lenient", "balanced", "strict"]
NAME = re.compile(r"[^\W\d_][\w .-]{0,29}")
"""As people may say it: "use the warm one"."""
PRESENTER = "presenter"


class WhenSetting(Part):
    """From where on several drafts are written: the risk `level` of a mail, how many `recipients`, below what `confidence` in
    percent; and for which addresses, domains and contact groups."""

    level: Literal["medium", "high", "never"] = "high"
    recipients: Annotated[int, Field(ge=1)] = 5
    confidence: Annotated[int, Field(ge=0, le=100)] = 70
    important: tuple[str, ...] = ("vip", "important")

    @field_validator("important", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """A variable holds them with commas between."""
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


class DrafterSetting(ModelSetting):
    """What is not given of the endpoint is as in [llm]; `style` and `system` are words for the model, `temperature` None: the
    endpoint's own."""

    style: str = ""
    system: str = ""
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None

    @property
    def given(self) -> frozenset[str]:
        """The fields that hold something of their own."""
        empty = {"", None}
        return frozenset(name for name in self.model_fields_set if self._plain(name) not in empty)

    def _plain(self, name: str) -> object:
        value = getattr(self, name)
        return value.get_secret_value() if isinstance(value, SecretStr) else value


class AgentSetting(DrafterSetting):
    name: str

    @field_validator("name")
    @classmethod
    def _sayable(cls, value: str) -> str:
        if not NAME.fullmatch(value):
            raise ValueError("write a short name that begins with a letter")
        return value


AGENTS = (
    AgentSetting(name="brief", style="short; say what is needed and nothing else", temperature=0.4),
    AgentSetting(name="warm", style="friendly; personal, never gushing", temperature=0.7),
    AgentSetting(name="thorough", style="complete; answer each point, with what the reader needs to act on it", temperature=0.9),
)
MOST_AGENTS = 12


class DraftingSettings(Part):
    """`max_answers` of one agent in one attempt, and `at_once`, how many agents are asked at the same time; 0: as many as they
    like."""

    profile: Literal["mass", "massgen"] = "massgen"
    board: Literal["paper", "original"] = "paper"
    sensitivity: Degree = "lenient"
    novelty: Degree = "lenient"
    max_answers: Annotated[int, Field(ge=0)] = 3
    at_once: Annotated[int, Field(ge=0)] = 3
    agent_timeout: Seconds = 120.0
    timeout: Seconds = 300.0
    max_orchestration_restarts: Annotated[int, Field(ge=0, le=10)] = 2
    enable_post_presentation_evaluation: bool = False
    when: WhenSetting = WhenSetting()
    agents: tuple[AgentSetting, ...] = AGENTS
    presenter: DrafterSetting = DrafterSetting()

    @field_validator("agents")
    @classmethod
    def _told_apart(cls, value: tuple[AgentSetting, ...]) -> tuple[AgentSetting, ...]:
        names = [agent.name.casefold() for agent in value]
        if not 1 <= len(value) <= MOST_AGENTS:
            raise ValueError(f"give one to {MOST_AGENTS} agents, or none of them for the usual three")
        if PRESENTER in names:
            raise ValueError(f"the name {PRESENTER} is taken; the one who presents is set under [drafting.presenter]")
        if twice := next((agent.name for n, agent in enumerate(value) if names.index(agent.name.casefold()) != n), ""):
            raise ValueError(f"two agents have the name {twice}")
        return value
