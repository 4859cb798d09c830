"""What a reply says, in the format of either profile. No text, whatever it holds, raises an error."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from assistant.drafting.blackboard.board import PostType
from assistant.drafting.blackboard.boxed import boxed, holds_box
from assistant.drafting.blackboard.fields import fields, items, picked, sought, storable, written
from integrations.types import Value

Role = Literal["planner", "decider", "critic", "cleaner", "conflict_resolver", "expert"]
ROLES: tuple[Role, ...] = get_args(Role)


class Conflict(Value):
    """`agents` as the resolver named them, `about` what they disagree on."""

    agents: tuple[str, ...]
    about: str = ""


class Said(Value):
    """`content` is what goes onto the blackboard; of a decision it is the answer. `useless` are messages to be removed."""

    type: PostType
    content: str = ""
    useless: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def said(role: Role, text: str) -> Said:
    """What stands in neither format is a sentinel where it holds one (experts have none), else it is posted as it is."""
    text = storable(text).strip()
    read = _READERS[role](text)
    if read is not None:
        return read
    if role != "expert" and (sentinel := _SENTINEL.search(text)):
        return _waiting(sentinel[0])
    return Said(type=_IN_PROSE.get(role, "NOTE"), content=text)


def chosen(text: str) -> tuple[str, ...]:
    """The first names that the control unit gave, known or not."""
    named = items(sought(text, "chosen agents", "selected agents"))[:_NAMES]
    return tuple(name for one in named if (name := picked(one, "agent", "name", "role")))


_NAMES = 50
# The formats' own words for "nothing to say"; they stand in braces without being JSON, so they are looked for in the raw text.
_SENTINEL = re.compile(
    r"(there is no need to decompose tasks|continue|no problem|no useless messages|no conflicts)\s*,?\s*"
    r"waiting for more information",
    re.IGNORECASE,
)
_LAST = re.compile(_SENTINEL.pattern + r"\W*$", re.IGNORECASE)
_IN_PROSE: Mapping[str, PostType] = {"planner": "PLAN", "critic": "CRITIQUE", "expert": "ANALYSIS"}


def _waiting(words: str) -> Said:
    return Said(type="WAITING", content=" ".join(words.split()))


def _plan(text: str) -> Said | None:
    parts = [written(sought(text, "planning", "plan")), written(sought(text, "steps"))]
    content = "\n".join(part for part in parts if part)
    return Said(type="PLAN", content=content) if content else None


def _decision(text: str) -> Said | None:
    """One that says it is not ready is none; where the last words are that it waits, only a box is one."""
    ready = written(sought(text, "is solution ready")).lower()
    if ready == "false":
        return _waiting(f"continue, waiting for more information. {written(sought(text, 'explanation'))}")
    given = written(sought(text, "final answer"))
    unusable = holds_box(given) or (ready != "true" and _LAST.search(text))
    answer = boxed(given) or boxed(text) or ("" if unusable else given)
    return Said(type="DECISION", content=storable(answer)) if answer.strip(".…") else None


def _critique(text: str) -> Said | None:
    listed = sought(text, "critic list")
    if listed is None:
        return None
    lines = [line for item in _each(listed) if (line := _fault(item))]
    return Said(type="CRITIQUE", content="\n".join(lines)) if lines else _waiting("no problem, waiting for more information")


def _fault(item: Any) -> str:
    what, why = picked(item, "wrong message", "issue"), ""
    if isinstance(item, dict):
        why = "; ".join(part for name in ("explanation", "suggestion") if (part := written(fields(item).get(name))))
    return ": ".join(part for part in (what, why) if part)


def _cleaning(text: str) -> Said | None:
    listed, removed = sought(text, "clean list"), sought(text, "removed items")
    content = written(sought(text, "cleaned content"))
    if listed is None and removed is None and not content:
        return None
    named = [picked(item, "useless message", "message", "item", "content") for item in _each(listed) + _each(removed)]
    useless = tuple(message for message in named if message)
    if not useless and not content:
        return _waiting("no useless messages, waiting for more information")
    return Said(type="CLEANED", content=content, useless=useless)


def _conflict(text: str) -> Said | None:
    """A list of messages is one conflict among all who wrote them; in the other format each entry is a conflict of its own."""
    listed = sought(text, "conflict list", "conflicts")
    if listed is None:
        return None
    entries = [fields(item) for item in _each(listed) if isinstance(item, dict)]
    apart = [_involved(entry) for entry in entries if "agents involved" in entry]
    together = [entry for entry in entries if "agents involved" not in entry]
    conflicts = (*([_among(together)] if together else ()), *apart)
    if not conflicts:
        return _waiting("no conflicts, waiting for more information")
    return Said(type="CONFLICT", content="\n".join(one.about for one in conflicts if one.about), conflicts=conflicts)


def _among(entries: list[dict[str, Any]]) -> Conflict:
    lines = [": ".join(part for name in ("agent", "message") if (part := written(entry.get(name)))) for entry in entries]
    return Conflict(agents=tuple(written(entry.get("agent")) for entry in entries), about="\n".join(lines))


def _involved(entry: dict[str, Any]) -> Conflict:
    agents = tuple(name for one in items(entry["agents involved"]) if (name := picked(one, "agent", "name", "role")))
    parts = (written(entry.get("description")), f"proposed: {proposed}" if (proposed := written(entry.get("resolution"))) else "")
    return Conflict(agents=agents, about="\n".join(part for part in parts if part))


_FURTHER = {"key insights": "Insights", "recommendations": "Recommendations", "contribution": "Contribution"}


def _analysis(text: str) -> Said | None:
    found = sought(text, "output", "expert analysis")
    if found is None:
        return None
    further = [f"{label}:\n{part}" for name, label in _FURTHER.items() if (part := written(sought(text, name)))]
    return Said(type="ANALYSIS", content="\n".join([*([part] if (part := written(found)) else ()), *further]))


def _each(value: Any) -> list[Any]:
    """One thing alone is a list of one; a text is not parted, since messages hold commas."""
    return value if isinstance(value, list) else [] if value is None else [value]


_READERS: Mapping[Role, Callable[[str], Said | None]] = {
    "planner": _plan,
    "decider": _decision,
    "critic": _critique,
    "cleaner": _cleaning,
    "conflict_resolver": _conflict,
    "expert": _analysis,
}
