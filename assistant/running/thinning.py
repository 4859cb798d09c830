"""Stored flows and previews made smaller, as JSON, so that those of earlier versions can be too."""

import json
from collections.abc import Callable, Mapping
from typing import Any

LASTING = frozenset(
    "id user conversation text wording created version status course targets target own_words background slot schedule door "
    "confidence limitations outcomes made permits previews reply spoken".split()
)
"""What the list of flows, an undo and the next message still need of a flow that has ended."""
TEXTS = frozenset({"body", "snippet"})
"""What a mail's text is called, wherever a mail, a draft or an action stands."""


def thinned(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """A flow's state with what it lasts for and its goal."""
    kept = {name: value for name, value in snapshot.items() if name in LASTING}
    goal = (snapshot.get("box") or {}).get("goal", "")
    return {**without_texts(kept), "box": {"goal": goal}}


def without_texts(value: Any) -> Any:
    """The same without the text of any mail; what was said in the conversation stays."""
    if isinstance(value, dict):
        return {name: _emptied(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [without_texts(inner) for inner in value]
    return value


def _emptied(name: str, value: Any) -> Any:
    if name in TEXTS and isinstance(value, str):
        return ""
    if name == "encloses" and isinstance(value, dict):
        return {**value, "text": ""}
    if name in ("posts", "differs") and isinstance(value, list):  # drafts on the blackboard, and texts before and after
        return []
    return without_texts(value)


def rewritten(text: str, change: Callable[[Any], Any]) -> str:
    """Stored JSON after a change; what is none stays as it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return dumped(change(value))


def dumped(value: Any) -> str:
    """As snapshots are stored."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
