"""The methods of the three APIs, as their discovery documents tell of them."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote

APIS = ("gmail.v1", "calendar.v3", "people.v1")
BATCHES = {"batch": "", "batch/gmail/v1": "gmail", "batch/calendar/v3": "calendar", "batch/people/v1": "people"}
"""Where batches go, and the API whose calls they may hold; plain `batch` is Gmail's or People's, that have hosts of their own."""
MOST_CALLS = {"gmail": 100, "calendar": 50, "people": 100}
"""In one batch: the least that Google's pages have said (Calendar's 50, later 1,000; People's nothing)."""
UPLOADING = {"uploadType": {"type": "string", "enum": ["media", "multipart"]}}

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Api:
    name: str
    schemas: Mapping[str, Schema]
    parameters: Mapping[str, Schema]


@dataclass(frozen=True, eq=False)
class Method:
    """`request` and `response` are schemas or None, `largest` the most bytes of an upload (0: none is taken)."""

    id: str
    api: Api
    verb: str
    path: re.Pattern[str]
    parameters: Mapping[str, Schema]
    request: Schema | None
    response: Schema | None
    scopes: frozenset[str]
    largest: int

    @property
    def queries(self) -> Mapping[str, Schema]:
        """Parameters that may stand in a query, those that every method takes included."""
        own = {name: about for name, about in self.parameters.items() if about["location"] == "query"}
        return {**self.api.parameters, **(UPLOADING if self.largest else {}), **own}


def find(verb: str, path: str) -> tuple[Method, dict[str, str]] | None:
    """The method at a path (without the leading slash, as it came over the wire), and the path's parameters."""
    for method in _by_verb().get(verb, ()):
        if found := method.path.fullmatch(path):
            return method, {name: unquote(value) for name, value in found.groupdict().items()}
    return None


@cache
def methods() -> Mapping[str, Method]:
    return {method.id: method for name in APIS for method in _methods(_document(name))}


@cache
def scopes() -> frozenset[str]:
    """Every scope that one of the APIs has."""
    return frozenset(scope for name in APIS for scope in _document(name)["auth"]["oauth2"]["scopes"])


@cache
def _by_verb() -> Mapping[str, list[Method]]:
    """A path that is fixed comes before one that a parameter would swallow."""
    by_verb: dict[str, list[Method]] = {}
    for method in sorted(methods().values(), key=lambda method: method.path.groups):
        by_verb.setdefault(method.verb, []).append(method)
    return by_verb


@cache
def _document(name: str) -> dict[str, Any]:
    package = find_spec("googleapiclient")
    assert package is not None and package.origin is not None
    found = Path(package.origin).parent / "discovery_cache" / "documents" / f"{name}.json"
    document: dict[str, Any] = json.loads(found.read_bytes())
    return document


def _methods(document: Mapping[str, Any]) -> Iterator[Method]:
    api = Api(document["name"], document["schemas"], document["parameters"])
    for about in _tree(document):
        upload = about.get("mediaUpload", {})
        parameters = about.get("parameters", {})
        yield Method(
            id=about["id"],
            api=api,
            verb=about["httpMethod"],
            path=_pattern(document["servicePath"] + about["path"], parameters),
            parameters=parameters,
            request=about.get("request"),
            response=about.get("response"),
            scopes=frozenset(about.get("scopes", ())),
            largest=int(upload.get("maxSize", 0)),
        )


def _tree(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from node.get("methods", {}).values()
    for inner in node.get("resources", {}).values():
        yield from _tree(inner)


def _pattern(path: str, parameters: Mapping[str, Schema]) -> re.Pattern[str]:
    """`{+name}` may hold slashes, as far as the parameter's own pattern lets it."""
    pieces = re.split(r"\{\+?(\w+)\}", path)
    for at in range(1, len(pieces), 2):
        own = parameters[pieces[at]].get("pattern", "[^/]+").removeprefix("^").removesuffix("$")
        pieces[at] = f"(?P<{pieces[at]}>{own})"
    for at in range(0, len(pieces), 2):
        pieces[at] = re.escape(pieces[at])
    return re.compile("".join(pieces))
