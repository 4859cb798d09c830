"""How a coordination goes on, as a value."""

from typing import Literal

from pydantic import Field

from assistant.drafting.novelty import Novelty
from integrations.types import Value

ProfileName = Literal["mass", "massgen"]
Sensitivity = Literal["lenient", "balanced", "strict"]


class Options(Value):
    """`agent_timeout` bounds each turn of an agent, `timeout` one attempt of all, in seconds. `max_answers` of one agent in one
    attempt, None: as many as it likes, until the time is up. `at_once`: how many may be at work side by side, None: all. `patient`:
    whoever is to begin anew waits until nobody is at work any more on what is out of date, since an answer that still comes from
    there makes void what it does meanwhile; but not longer than half of `timeout`. The two long names are those of the
    configuration that users know."""

    profile: ProfileName = "mass"
    sensitivity: Sensitivity = "lenient"
    novelty: Novelty = "lenient"
    max_answers: int | None = 3
    patient: bool = True
    at_once: int | None = Field(default=None, ge=1)
    agent_timeout: float = 120.0
    timeout: float = 300.0
    max_orchestration_restarts: int = 2
    enable_post_presentation_evaluation: bool = False
