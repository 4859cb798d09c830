"""`fields`: which parts of an answer are wanted, as in items(id,start/date),nextPageToken."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from doubles.google.calls import ApiError
from doubles.google.discovery import Api, Method, Schema

Mask = dict[str, "Mask"]
"""Empty: all of it. The name * stands for every name."""


@lru_cache
def parsed(text: str, method: Method) -> Mask:
    """ApiError where a name is not in the response's schema. Not to be changed."""
    mask, rest = _list(text)
    if rest:
        raise _invalid(text)
    _check(mask, method.response or {"type": "object"}, method.api)
    return mask


def applied(mask: Mask, value: Any) -> Any:
    if not mask:
        return value
    if isinstance(value, list):
        return [applied(mask, one) for one in value]
    if not isinstance(value, dict):
        return value
    wanted = {name: mask[name] if name in mask else mask.get("*") for name in value}
    return {name: applied(wanted[name] or {}, inner) for name, inner in value.items() if wanted[name] is not None}


def _list(text: str) -> tuple[Mask, str]:
    """One list, and what follows it."""
    mask: Mask = {}
    while True:
        inner, rest = _path(text)
        _merge(mask, inner)
        if not rest.startswith(","):
            return mask, rest
        text = rest[1:]


def _path(text: str) -> tuple[Mask, str]:
    end = next((at for at, sign in enumerate(text) if sign in ",/()"), len(text))
    name, rest = text[:end].strip(), text[end:]
    if not name:
        raise _invalid(text)
    if rest.startswith("/"):
        inner, rest = _path(rest[1:])
        return {name: inner}, rest
    if rest.startswith("("):
        inner, rest = _list(rest[1:])
        if not rest.startswith(")"):
            raise _invalid(text)
        return {name: inner}, rest[1:]
    return {name: {}}, rest


def _merge(mask: Mask, more: Mapping[str, Mask]) -> None:
    for name, inner in more.items():
        if name in mask and mask[name] and inner:
            _merge(mask[name], inner)
        else:
            mask[name] = {} if name in mask else inner


def _check(mask: Mask, schema: Schema, api: Api) -> None:
    while "$ref" in schema or schema.get("type") == "array":
        schema = api.schemas[schema["$ref"]] if "$ref" in schema else schema["items"]
    if "additionalProperties" in schema or schema.get("type") == "any":
        return
    known = schema.get("properties", {})
    for name, inner in mask.items():
        if name != "*" and name not in known:
            raise _invalid(name)
        for one in known.values() if name == "*" else (known[name],):
            if inner:
                _check(inner, one, api)


def _invalid(text: str) -> ApiError:
    return ApiError(400, "invalidParameter", f"Invalid field selection {text}")
