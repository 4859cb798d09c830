"""Errors as problem+json (RFC 9457): one place for what went wrong, in which status and which words."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from secrets import token_hex
from textwrap import shorten
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.errors import AssistantError, DraftingError, FlowError, ModelError, Unknown, UserError
from integrations.errors import AuthExpired, Conflict, IntegrationError, NotFound, RateLimited, ReadOnly, Unavailable
from storage.errors import StaleVersion, StorageError

MEDIA_TYPE = "application/problem+json"
LONGEST = 500
"""Characters of a detail."""

log = logging.getLogger(__name__)


class ProblemDetails(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="One sentence for people.")


class Problem(Exception):
    """`detail` is one sentence for people."""

    def __init__(self, status: int, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})


_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (Unknown, 404),
    (UserError, 400),
    (FlowError, 409),
    (ModelError, 502),
    (DraftingError, 502),
    (NotFound, 404),
    (Conflict, 409),
    (ReadOnly, 409),
    (AuthExpired, 409),
    (RateLimited, 503),
    (Unavailable, 503),
    (IntegrationError, 502),
    (StaleVersion, 409),
)
"""The first that fits counts. Of a provider that fails nothing is the caller's fault, nor ours."""


def problem_of(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, RequestValidationError):
        return Problem(422, _invalid(error))
    if isinstance(error, UnicodeEncodeError):
        return Problem(422, "There are characters in this that are no text.")
    if isinstance(error, HTTPException):
        return Problem(error.status_code, _refused(error), headers=error.headers)
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
    if status < 500 or isinstance(error, AssistantError | IntegrationError):
        later = {"Retry-After": f"{error.retry_after:.0f}"} if isinstance(error, RateLimited) and error.retry_after else None
        return Problem(status, str(error) or "Something went wrong.", headers=later)
    return _unexpected(error)


def _unexpected(error: Exception) -> Problem:
    """What is for the log only; the reference leads there."""
    reference = token_hex(4)
    log.error("An unexpected error, reference %s", reference, exc_info=error)
    if isinstance(error, StorageError):
        return Problem(503, f"What is stored can't be reached just now; the log says more under {reference}.")
    return Problem(500, f"Something went wrong that should not have; the log says more under {reference}.")


def _invalid(error: RequestValidationError) -> str:
    first: dict[str, Any] = next(iter(error.errors()), {})
    where = [str(part) for part in first.get("loc", ())]
    if first.get("type") == "json_invalid":
        return "The body is no JSON."
    place = ".".join(where[1:]) or next(iter(where), "request")
    words = shorten(str(first.get("msg", "not valid")).removeprefix("Value error, "), 200, placeholder=" …").rstrip(".")
    return f"{place}: {words[:1].lower()}{words[1:]}."


def _refused(error: HTTPException) -> str:
    match error.status_code:
        case 400:
            return "The body can't be read."
        case 404:
            return "There is nothing at this address."
        case 405:
            return "This address does not take that method."
        case 413:
            return "This is too large."
        case _:
            return str(error.detail)


async def answer(request: Request, error: Exception) -> JSONResponse:
    return response(problem_of(error))


def body(problem: Problem) -> dict[str, object]:
    """Fit to be sent: what was quoted from a request may not be valid text."""
    detail = problem.detail.encode("utf-8", "replace").decode()[:LONGEST]
    return ProblemDetails(title=_title(problem.status), status=problem.status, detail=detail).model_dump()


def response(problem: Problem) -> JSONResponse:
    return JSONResponse(body(problem), problem.status, headers=problem.headers, media_type=MEDIA_TYPE)


def _title(status: int) -> str:
    try:
        return _TITLES.get(status) or HTTPStatus(status).phrase
    except ValueError:
        return "Error"


_TITLES = {401: "Not signed in", 403: "Not allowed", 404: "Not found", 409: "Not possible now", 422: "Not valid"}


class Unexpected:
    """Answers what nothing else has caught, as the innermost middleware: its answer gets the headers that every other gets."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def heard(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, heard)
        except ClientDisconnect:
            return
        except Exception as error:
            if scope["type"] != "http" or begun:
                raise
            await response(problem_of(error))(scope, receive, send)


def install(app: FastAPI) -> None:
    for kind in (Problem, AssistantError, IntegrationError, StorageError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, answer)
    app.add_middleware(Unexpected)
