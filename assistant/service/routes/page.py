"""The page: files of the package, each under its name, and nothing else."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request, Response

from assistant.service.problems import Problem

router = APIRouter(include_in_schema=False)

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


@router.get("/")
async def index(request: Request) -> Response:
    return _served("index.html", request)


@router.get("/page/{name:path}")
async def file(name: str, request: Request) -> Response:
    return _served(name, request)


def _served(name: str, request: Request) -> Response:
    """A browser asks each time whether its copy is still the right one, so that page and service never differ in age."""
    if not (found := files().get(name)):
        raise Problem(404, "There is no such file.")
    content, kind, etag = found
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


@cache
def files() -> Mapping[str, tuple[bytes, str, str]]:
    """By name: content, media type and ETag. What is not listed here can't be asked for, whatever the path looks like."""
    return {name: _read(one) for name, one in _walk(resources.files("assistant.service") / "page")}


def _walk(folder: Traversable, under: str = "") -> list[tuple[str, Traversable]]:
    found = []
    for one in folder.iterdir():
        if one.is_dir():
            found += _walk(one, f"{under}{one.name}/")
        elif _suffix(one) in TYPES:
            found.append((under + one.name, one))
    return found


def _read(one: Traversable) -> tuple[bytes, str, str]:
    content = one.read_bytes()
    return content, TYPES[_suffix(one)], f'"{hashlib.sha256(content).hexdigest()[:20]}"'


def _suffix(one: Traversable) -> str:
    return "." + one.name.rpartition(".")[2]
