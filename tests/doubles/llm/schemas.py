"""JSON schemas as a request may hold them, and the subset that strict mode takes."""

from collections.abc import Callable, Mapping
from typing import Any

from doubles.llm.answers import Failure

NEVER_STRICT = frozenset(
    """default oneOf allOf not if then else dependentRequired dependentSchemas patternProperties prefixItems unevaluatedProperties
    propertyNames minProperties maxProperties unevaluatedItems contains minContains maxContains uniqueItems minLength maxLength
    discriminator""".split()
)
STRICT_FORMATS = frozenset("date-time time date duration email hostname ipv4 ipv6 uuid".split())


class Wrong(Exception):
    def __init__(self, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.failure = Failure(400, message, param=param, code=code)


def check_schema(schema: object, owner: str, param: str, strict: bool) -> None:
    def wrong(words: str, code: str = "invalid_json_schema") -> Wrong:
        kind = "function_parameters" if owner.startswith("function") else None
        return Wrong(f"Invalid schema for {owner}: {words}", param, "invalid_function_parameters" if kind else code)

    if not isinstance(schema, dict):
        raise wrong(f"schema must be a JSON Schema object, got {type(schema).__name__}.")
    if schema.get("type") != "object":
        raise wrong(f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{schema.get('type')}\"'.")
    if strict:
        _strict(schema, (), schema, wrong)


def _strict(node: object, at: tuple[str, ...], root: Mapping[str, Any], wrong: Callable[[str], Wrong]) -> None:
    """The subset of JSON schema that strict mode takes."""
    if not isinstance(node, dict):
        raise wrong(f"In context={at}, a schema must be an object.")
    for key in node:
        if key in NEVER_STRICT:
            raise wrong(f"In context={at}, '{key}' is not permitted.")
    if "$ref" in node:
        _reference(node, at, root, wrong)
    if node.get("format", "date") not in STRICT_FORMATS:
        raise wrong(f"In context={at}, '{node['format']}' is not a valid format.")
    if "object" in _types(node):
        _object(node, at, wrong)
    if "array" in _types(node) and "items" not in node:
        raise wrong(f"In context={at}, array schema missing items.")
    if not {"type", "$ref", "anyOf", "enum", "const"} & set(node):
        raise wrong(f"In context={at}, schema must have a 'type' key.")
    for here, inner in _inside(node, at):
        _strict(inner, here, root, wrong)


def _types(node: Mapping[str, Any]) -> tuple[str, ...]:
    kind = node.get("type", ())
    return (kind,) if isinstance(kind, str) else tuple(kind)


def _object(node: Mapping[str, Any], at: tuple[str, ...], wrong: Callable[[str], Wrong]) -> None:
    if node.get("additionalProperties") is not False:
        raise wrong(f"In context={at}, 'additionalProperties' is required to be supplied and to be false.")
    properties, required = node.get("properties", {}), node.get("required", [])
    rule = f"In context={at}, 'required' is required to be supplied and to be an array including every key in properties."
    for name in properties:
        if name not in required:
            raise wrong(f"{rule} Missing '{name}'.")
    for name in required:
        if name not in properties:
            raise wrong(f"{rule} Extra required key '{name}' supplied.")


def _reference(node: Mapping[str, Any], at: tuple[str, ...], root: Mapping[str, Any], wrong: Callable[[str], Wrong]) -> None:
    if besides := set(node) - {"$ref", "$defs", "definitions"}:
        raise wrong(f"In context={at}, $ref cannot have keywords {besides}.")
    found: Any = root
    for key in str(node["$ref"]).removeprefix("#").strip("/").split("/") if node["$ref"] != "#" else ():
        found = found.get(key) if isinstance(found, dict) else None
    if found is None:
        raise wrong(f"In context={at}, reference to component '{node['$ref']}' which was not found in the schema.")


def _inside(node: Mapping[str, Any], at: tuple[str, ...]) -> list[tuple[tuple[str, ...], object]]:
    inside: list[tuple[tuple[str, ...], object]] = []
    for holder in ("properties", "$defs", "definitions"):
        inside += [((*at, holder, name), inner) for name, inner in node.get(holder, {}).items()]
    inside += [((*at, "anyOf", str(n)), inner) for n, inner in enumerate(node.get("anyOf", ()))]
    return inside + ([((*at, "items"), node["items"])] if "items" in node else [])
