"""Ids as Exchange makes them: a fixed beginning, base64 for addresses, padded."""

import base64
import re
from secrets import token_bytes

from doubles.graph.calls import GraphError

BEGINNING = "AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0A"
GONE = f"{BEGINNING}{'Z' * 32}AAAAA="
"""Well formed, and of nothing."""


def new() -> str:
    """An immutable one."""
    return f"{BEGINNING}{base64.urlsafe_b64encode(token_bytes(24)).decode()}AAAAA="


def entry() -> str:
    """Of a folder, or of what is not asked for by its immutable id: another one wherever it lies."""
    return f"AAMkAGI2THVSAAAAAAEMAADF{base64.urlsafe_b64encode(token_bytes(24)).decode()}AAA="


def change_key() -> str:
    """What is new with every version of an item."""
    return base64.b64encode(token_bytes(15)).decode()


def check(item: str) -> str:
    """GraphError where it can't be an id."""
    if not re.fullmatch(r"[A-Za-z0-9_=-]{16,}", item):
        raise GraphError(400, "ErrorInvalidIdMalformed", "Id is malformed.")
    return item
