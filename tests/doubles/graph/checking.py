"""Bodies, held against the SDK's own models: nothing may be left over that a model does not know."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from doubles.graph.calls import GraphError
from doubles.graph.schema import Field, Model

DATE = r"\d{4}-\d{2}-\d{2}"
WRITTEN = {
    "uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "datetime": rf"{DATE}T\d{{2}}:\d{{2}}:\d{{2}}(\.\d{{1,7}})?(Z|[+-]\d{{2}}:\d{{2}})",
    "date": DATE,
    "time": r"\d{2}:\d{2}:\d{2}(\.\d{1,7})?",
    "timedelta": r"-?P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?",
}
"""How a string of a kind is written."""
SIMPLE: dict[str, tuple[type, ...]] = {"str": (str,), "bool": (bool,), "int": (int,), "float": (int, float)}


def request_body(model: Model, body: object) -> None:
    """GraphError where Graph would not understand it."""
    for fault in _object(model, body, "body"):
        raise GraphError(400, "RequestBodyRead", fault)


def response_body(model: Model, body: dict[str, Any]) -> str:
    """What is wrong with an own answer, or one item of its listing; empty when nothing is."""
    items = body["value"] if isinstance(body.get("value"), list) and "value" not in model.fields else [body]
    return next((fault for item in items for fault in _object(model, item, "answer")), "")


def _object(model: Model, value: object, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at} is not an object"
        return
    model = model.of(str(value.get("@odata.type", "")))
    for name, inner in value.items():
        if name in model.fields:
            yield from _value(model.fields[name], inner, f"{at}.{name}")
        elif "@" not in name:
            yield f"The property '{name}' does not exist on type '{model.factory.__name__}' ({at})."


def _value(field: Field, value: object, at: str) -> Iterator[str]:
    if value is None or field.kind == "any":
        return
    if field.many and not isinstance(value, list):
        yield f"{at} is not a list"
        return
    for one in value if field.many and isinstance(value, list) else [value]:
        if field.kind == "object":
            yield from _object(field.model, one, at)
        elif wrong := _scalar(field, one):
            yield f"{at}: {one!r} {wrong}"


def _scalar(field: Field, value: object) -> str:
    if field.kind in SIMPLE:
        fits = isinstance(value, SIMPLE[field.kind]) and (field.kind == "bool" or not isinstance(value, bool))
        return "" if fits else f"is no {field.kind}"
    if not isinstance(value, str):
        return "is not a string"
    if field.kind == "enum":
        return "" if value in field.values else f"is none of {', '.join(sorted(field.values))}"
    if field.kind == "bytes":
        return _encoded(value)
    return "" if re.fullmatch(WRITTEN[field.kind], value) else f"is not written as {field.kind}"


def _encoded(value: str) -> str:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return "is not base64"
    return ""
