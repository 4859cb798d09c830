"""The key that an item was written under, kept in a property of its own: that is how it is found after a lost answer."""

from typing import Any

KEY = "String {6f4d7c1e-3a0b-4f0d-9a57-2c4b1f6e8d35} Name AssistantKey"


def keyed(key: str) -> dict[str, Any]:
    """What notes it down in the item that is written."""
    return {"singleValueExtendedProperties": [{"id": KEY, "value": key}]}


def made_under(key: str) -> str:
    """The $filter for items that carry it."""
    return f"singleValueExtendedProperties/Any(ep: ep/id eq '{KEY}' and ep/value eq {quoted(key)})"


def quoted(text: str) -> str:
    """As a literal in a $filter."""
    return "'" + text.replace("'", "''") + "'"
