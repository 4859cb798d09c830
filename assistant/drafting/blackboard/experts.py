"""The experts that a model proposes for a problem."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from assistant.drafting.blackboard.fields import fields, name_of, written
from assistant.drafting.blackboard.loose import objects
from integrations.types import Value

_ECHO = re.compile(r"role name( \d+)?|description( \d+)?|role|")
_NAME, _DESCRIPTION = 60, 300
"""The longest, in characters."""


class Expert(Value):
    name: str
    description: str


GENERAL = Expert(name="problem_solver", description="a general expert in solving problems step by step")


def experts(text: str, most: int, taken: Collection[str]) -> tuple[Expert, ...]:
    """The first ones that are none of those `taken`; the general one where there is none."""
    used = {name_of(name) for name in taken}
    chosen: list[Expert] = []
    for role, description in _proposed(text):
        name = next((one for one in (_line(role, _NAME), _line(f"{role} expert", _NAME)) if name_of(one) not in used), "")
        if name and len(chosen) < most:
            used.add(name_of(name))
            chosen.append(Expert(name=name, description=_line(description, _DESCRIPTION)))
    return tuple(chosen) or (GENERAL,)


def _proposed(text: str) -> Iterator[tuple[str, str]]:
    for found in objects(text):
        for role, description in _roles(found.value, 0):
            if not _ECHO.fullmatch(name_of(role)):
                yield role, description


def _roles(value: Mapping[str, Any], depth: int) -> Iterator[tuple[str, str]]:
    """From either format: objects with a role in an array, or a dictionary from roles to descriptions."""
    held = fields(value)
    listed = held.get("experts")
    if isinstance(listed, list):
        inner = [one if isinstance(one, dict) else {written(one): ""} for one in listed]
    elif "role" in held:
        yield written(held["role"]), written(held.get("description"))
        return
    else:
        yield from ((role, said) for role, said in value.items() if isinstance(said, str))
        inner = [{"role": role, **one} if "description" in one else one for role, one in value.items() if isinstance(one, dict)]
    for one in inner if depth < 3 else ():
        yield from _roles(one, depth + 1)


def _line(words: str, longest: int) -> str:
    """On one line and without signs by which a post could be read as another agent's."""
    return " ".join(re.sub(r"[^\w\s&.,'()/-]", " ", words).split())[:longest].strip()
