"""Parameters and bodies, held against what a discovery document says of them."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doubles.google.calls import ApiError
from doubles.google.discovery import Api, Method, Schema

DATE = r"\d{4}-\d{2}-\d{2}"
LOCAL_TIME = rf"{DATE}T\d{{2}}:\d{{2}}:\d{{2}}(\.\d+)?"
TIME = rf"{LOCAL_TIME}([Zz]|[+-]\d{{2}}:\d{{2}})"
WRITTEN = {
    "date": DATE,
    "date-time": TIME,
    "google-datetime": TIME,
    "int64": r"-?\d+",
    "uint64": r"\d+",
    "google-fieldmask": r"\*|[\w.]+(,[\w.]+)*",
}
"""How a string of a format is written."""
BITS = {"int32": (-(2**31), 2**31 - 1), "uint32": (0, 2**32 - 1)}


def parameters(method: Method, path: Mapping[str, str], query: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Typed, with their defaults; those that every method takes are among them. ApiError where the real API would refuse."""
    taken: dict[str, Any] = {name: _typed(name, value, method.parameters[name]) for name, value in path.items()}
    known = method.queries
    for name, value in query:
        if name not in known:
            raise ApiError(400, "badRequest", f"Invalid query: unknown name {name!r} for {method.id}")
        typed = _typed(name, value, known[name])
        if known[name].get("repeated"):
            taken.setdefault(name, []).append(typed)
        elif name in taken:
            raise ApiError(400, "invalidParameter", f"{name!r} is given twice to {method.id}")
        else:
            taken[name] = typed
    for name, about in known.items():
        if about.get("required") and name not in taken:
            raise ApiError(400, "required", f"Missing required parameter: {name}")
        if "default" in about and name not in taken:
            taken[name] = _typed(name, about["default"], about)
    return taken


def request_body(method: Method, body: object, *, uploaded: bool) -> None:
    """Where a mail was uploaded nothing else is required."""
    if body is None:
        if method.request is not None and not uploaded:
            raise ApiError(400, "required", f"{method.id} wants a body")
        return
    if method.request is None:
        if body:
            raise ApiError(400, "badRequest", f"{method.id} takes no body")
        return
    for fault in _against(method.request, body, _Reading(method.api, "an upload" if uploaded else method.id)):
        raise ApiError(400, "badRequest", f"Invalid JSON payload received. {fault}")


def response_body(method: Method, body: object) -> str:
    """What is wrong with an own answer, empty when nothing is."""
    if method.response is None:
        return "" if body is None else "an answer where none belongs"
    return next(_against(method.response, body, _Reading(method.api, "")), "")


def _typed(name: str, value: str, about: Schema) -> Any:
    kind = about.get("type", "string")
    if kind == "boolean":
        if value not in ("true", "false"):
            raise ApiError(400, "invalidParameter", f"{name}={value!r} is not a boolean")
        return value == "true"
    if kind == "integer":
        return _number(name, value, about)
    if wrong := _string(value, about):
        raise ApiError(400, "invalidParameter", f"{name}={value!r} {wrong}")
    return value


def _number(name: str, value: str, about: Schema) -> int:
    least, most = BITS.get(about.get("format", ""), (-(2**63), 2**63 - 1))
    least, most = max(least, int(about.get("minimum", least))), min(most, int(about.get("maximum", most)))
    if not re.fullmatch(r"-?\d+", value) or not least <= int(value) <= most:
        raise ApiError(400, "invalidParameter", f"{name}={value!r} is not an integer of {least} to {most}")
    return int(value)


@dataclass(frozen=True)
class _Reading:
    """A body of a request is read as leniently as Google does: null for nothing, integers of 64 bits also as numbers, times also
    without an offset (a time zone may stand beside them). An own answer (no `method`) must be exact."""

    api: Api
    method: str

    @property
    def lenient(self) -> bool:
        return bool(self.method)


def _against(schema: Schema, value: object, reading: _Reading, at: str = "body") -> Iterator[str]:
    if "$ref" in schema:
        schema = reading.api.schemas[schema["$ref"]]
    kind = schema["type"]
    if value is None:
        if not reading.lenient:
            yield f"{at} is null"
    elif kind == "object":
        yield from _object(schema, value, reading, at)
    elif kind == "array":
        if not isinstance(value, list):
            yield f"{at} is not a list"
        else:
            for number, one in enumerate(value):
                yield from _against(schema["items"], one, reading, f"{at}[{number}]")
    elif kind != "any" and (wrong := _scalar(schema, value, reading.lenient)):
        yield f"{at} {wrong}"


def _object(schema: Schema, value: object, reading: _Reading, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at} is not an object"
        return
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    for name, about in known.items():
        if reading.method in about.get("annotations", {}).get("required", ()) and value.get(name) is None:
            yield f"{at}.{name} is required"
    for name, inner in value.items():
        if name in known:
            if not (reading.lenient and known[name].get("readOnly")):
                yield from _against(known[name], inner, reading, f"{at}.{name}")
        elif others is not None:
            yield from _against(others, inner, reading, f"{at}.{name}")
        else:
            yield f'Unknown name "{name}" at {at!r}: Cannot find field.'


def _scalar(schema: Schema, value: object, lenient: bool) -> str:
    kind = schema["type"]
    if kind == "boolean":
        return "" if isinstance(value, bool) else "is not a boolean"
    if isinstance(value, bool):
        return f"is not a {kind}"
    if kind == "integer":
        return "" if isinstance(value, int) else "is not an integer"
    if kind == "number":
        return "" if isinstance(value, (int, float)) else "is not a number"
    if lenient and isinstance(value, int) and schema.get("format") in ("int64", "uint64"):
        return ""
    if lenient and isinstance(value, str) and schema.get("format") == "date-time" and re.fullmatch(LOCAL_TIME, value):
        return ""
    return _string(value, schema) if isinstance(value, str) else "is not a string"


def _string(value: str, about: Schema) -> str:
    if "enum" in about and value not in about["enum"]:
        return f"is none of {', '.join(about['enum'])}"
    form = about.get("format", "")
    if form == "byte":
        return _encoded(value)
    if form in WRITTEN and not re.fullmatch(WRITTEN[form], value):
        return f"is not written as {form}"
    if "pattern" in about and not re.fullmatch(about["pattern"], value):
        return f"does not match {about['pattern']}"
    return ""


def _encoded(value: str) -> str:
    """Both alphabets are taken, with or without padding."""
    try:
        base64.b64decode(value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return "is not base64"
    return ""
