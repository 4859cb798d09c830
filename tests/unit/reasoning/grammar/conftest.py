from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Person, TimeSpec

NAMES = (
    "Anna Berg", "Anna Lee", "Tom Fuchs", "David Smith", "David Miller", "Sofia Rossi", "Eva Klein", "Mark Will", "Sarah Jones",
    "GitHub Notifications", "Marketing team",
)  # fmt: skip


@pytest.fixture(scope="session")
def setting() -> Setting:
    zone = ZoneInfo("Europe/Berlin")
    return Setting(
        now=datetime(2026, 11, 18, 10, tzinfo=zone),
        zone=zone,
        names=frozenset(NAMES),
        groups=frozenset({"Marketing team", "Board"}),
        templates=frozenset({"thanks"}),
    )


@pytest.fixture(scope="session")
def written() -> Callable[[Call], str]:
    """A call on one line: what is selected as field=value, what is done with it as >field=value; times by kind and wording."""
    return _written


def _written(call: Call) -> str:
    parts: list[str] = [call.operation]
    for source, lead in ((call.select, ""), (call, ">")):
        for name, field in type(source).model_fields.items():
            value = getattr(source, name)
            if name not in ("operation", "select") and value != field.default:
                parts.append(f"{lead}{name}={_value(value)}")
    return " | ".join(parts)


def _value(value: object) -> str:
    if isinstance(value, TimeSpec):
        return f"{value.kind}({value.text})"
    if isinstance(value, Person):
        said = value.text or value.email or f"{{{value.ref}}}"
        return said if value.role == "any" else f"{value.role}:{said}"
    if isinstance(value, tuple):
        return "+".join("=".join(item) if isinstance(item, tuple) else _value(item) for item in value)
    return str(value)
