"""Operations: verb and template of a path, such as "GET /me/messages/{message}"."""

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote


class Found(NamedTuple):
    operation: str
    path: dict[str, str]


class Routes:
    def __init__(self, operations: Iterable[str]) -> None:
        self._routes = sorted(((*_compiled(operation), operation) for operation in operations), key=lambda route: route[0])

    def find(self, verb: str, path: str) -> Found | None:
        """Of a path without its leading slash, as it came over the wire. What is fixed comes before what a parameter would
        swallow."""
        wanted = f"{verb} /" + "/".join(map(_plain, path.strip("/").split("/")))
        for _, pattern, operation in self._routes:
            if found := pattern.fullmatch(wanted):
                return Found(operation, {name: unquote(value) for name, value in found.groupdict().items()})
        return None


def _plain(segment: str) -> str:
    """A function is written with or without its brackets and its namespace."""
    return re.sub(r"^(?:microsoft\.graph\.)?([^()]+?)\(\)$", r"\1", segment.replace("%28%29", "()"))


def _compiled(operation: str) -> tuple[list[bool], re.Pattern[str]]:
    verb, _, path = operation.partition(" ")
    segments = [_plain(segment) for segment in path.strip("/").split("/")]
    pieces = [re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(segment)) for segment in segments]
    return ["{" in segment for segment in segments], re.compile(f"{verb} /" + "/".join(pieces))
