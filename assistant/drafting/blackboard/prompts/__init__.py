"""The seed's prompts, word for word, one file each under the name of its profile."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

PromptProfile = Literal["original", "paper"]
PROFILES: tuple[PromptProfile, ...] = ("original", "paper")
AGENT_GENERATION, CONTROL_UNIT, CONFLICT = "agent_generation", "control_unit", "conflict"

_PLACE = re.compile(
    r"\{(problem|question|blackboard_state|agent_descriptions|role|role_name|description|roles_description|agents|conflict|replies)\}"
)


@cache
def wording(profile: PromptProfile, name: str) -> str:
    """With its places still open. What only this project asks has no profile."""
    path = (f"{name}.md",) if name == CONFLICT else (profile, f"{name}.md")
    return files(__package__).joinpath(*path).read_text("utf-8").removesuffix("\n")


def filled(profile: PromptProfile, name: str, given: Mapping[str, str]) -> str:
    """All places in one pass: what looks like a place in what is filled in stays as it is, and so do the prompts' own braces."""
    return _PLACE.sub(lambda place: given.get(place[1], place[0]), wording(profile, name))
