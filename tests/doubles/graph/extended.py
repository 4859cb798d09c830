"""Extended properties, which are named by type and tag ("String 0x1042") or type, set and name ("String {guid} Name Key")."""

import re

from doubles.graph.calls import GraphError

TAGGED = re.compile(r"(\w+)\s+0x0*([0-9a-f]{1,8})", re.IGNORECASE)
NAMED = re.compile(r"(\w+)\s+(\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\})\s+(Name|Id)\s+(\S.*)", re.IGNORECASE)
TYPES = ("String", "Integer", "Boolean", "Binary", "SystemTime", "Double", "Long", "Short", "Float", "Currency", "CLSID")
KNOWN_TYPES = {name.lower(): name for name in TYPES}


def normal(id: str) -> str:
    """As Graph writes it, however it was written. GraphError where it names none."""
    if (found := TAGGED.fullmatch(id)) and found[1].lower() in KNOWN_TYPES:
        return f"{KNOWN_TYPES[found[1].lower()]} 0x{found[2].lower()}"
    if (found := NAMED.fullmatch(id)) and found[1].lower() in KNOWN_TYPES:
        return f"{KNOWN_TYPES[found[1].lower()]} {found[2].lower()} {found[3].capitalize()} {found[4]}"
    raise GraphError(400, "ErrorInvalidProperty", f"The extended property id '{id}' is invalid.")
