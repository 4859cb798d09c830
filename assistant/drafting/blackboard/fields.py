"""What the objects in a reply hold, whatever a profile or a model calls it."""

import json
import re
from collections.abc import Mapping
from typing import Any

from assistant.drafting.blackboard.loose import objects

_DEEPEST = 4


def name_of(key: str) -> str:
    """As keys and agents are compared: `[planning]`, `critic_list` and `Critic List` by their words alone."""
    return " ".join(re.findall(r"[^\W_]+", key.casefold()))


def fields(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name_of(key): inner for key, inner in value.items()}


def sought(text: str, *names: str) -> Any:
    """The value under the first of the names in the last object that has one; None: there is none."""
    for found in reversed(objects(text)):
        held = fields(found.value)
        for name in names:
            if held.get(name) is not None:
                return held[name]
    return None


def items(value: Any) -> list[Any]:
    """Of a list, of the words of a text parted by commas, or the one thing there is."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [] if value is None else [value]


def written(value: Any, depth: int = 0) -> str:
    """As text: a list by lines, an object by its values under their names."""
    if value is None or depth == _DEEPEST:
        return ""
    if isinstance(value, str):
        return storable(value).strip()
    if isinstance(value, list):
        return "\n".join(f"- {line}" for one in value if (line := written(one, depth + 1)))
    if isinstance(value, dict):
        return "; ".join(f"{storable(key)}: {said}" for key, inner in value.items() if (said := written(inner, depth + 1)))
    return json.dumps(value)


def picked(item: Any, *names: str) -> str:
    """The first of these fields of an object; of anything else, all of it."""
    if not isinstance(item, dict):
        return written(item)
    held = fields(item)
    return next((said for name in names if (said := written(held.get(name)))), "")


def storable(text: str) -> str:
    """Halves of surrogate pairs, which escapes can bring, are joined or become a question mark; a NUL is left out."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")
