"""The OpenAPI document: what every operation may answer besides, and what it asks of its caller."""

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import RouteContext, iter_route_contexts

from assistant.service.callers import in_person
from assistant.service.problems import MEDIA_TYPE, ProblemDetails
from assistant.service.scopes import SCOPES, Scope

Json = dict[str, Any]

DESCRIPTION = (
    "Reads freely, asks before it acts, never acts twice and never loses what was approved. Say something in a conversation"
    " (`say`), follow what comes of it (`follow_conversation`), and approve the preview of what would be written"
    " (`approve_preview`). A program sends `Authorization: Bearer` with a token that its user has made. Errors are problem+json"
    " (RFC 9457). Chat clients find what OpenAI has under `/v1/chat/completions`, programs that speak MCP `/mcp`."
)
TAGS: list[Json] = [
    {"name": name, "description": words}
    for name, words in {
        "conversations": "What is said, and what comes of it: answered with the turn, as a stream, or followed from a cursor on.",
        "previews": "What awaits approval: approved, revised or cancelled, each by its fingerprint.",
        "questions": "What the assistant asks before it can go on.",
        "flows": "Tasks: each run of the assistant, to be resumed, cancelled or undone.",
        "outbox": "Approved writes that have not gone out yet, or may not have.",
        "audit": "The journal of all that was proposed and done, and why.",
        "schedules": "What runs by itself at its time: briefings, reminders and requests, and how each run went.",
        "briefing": "What needs an answer and what the day or week holds, with reasons.",
        "targets": "Where results of schedules are sent besides the conversation.",
        "today": "The day at a glance.",
        "reading": "Mails, events and contacts; of mails the text alone.",
        "accounts": "Where mail, calendars and contacts are, and connecting them.",
        "settings": "What a user has set for themselves.",
        "notes": "What a user asked to remember, in their own words.",
        "usage": "What was spent on language models.",
        "entering": "Signing in and out, and one's sessions, passkeys and tokens.",
        "users": "Who else uses the service; for its owner.",
        "health": "Whether the service is there and can work.",
        "metrics": "Figures for Prometheus; for the owner.",
    }.items()
]
SCHEMES: Json = {
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "assistant_session",
        "description": "A person who has signed in; under TLS `__Host-assistant_session`, with `_` and the port where the address"
        " has one. Every method but GET needs the header `X-CSRF-Token` besides, whose value /api/me tells.",
    },
    "token": {"type": "http", "scheme": "bearer", "description": "A token with the scopes that it was given."},
}
_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_WORDS = {
    "401": "Nobody is signed in, and no valid token was presented.",
    "403": "The caller's rights do not go so far.",
    "404": "It is not there, or is somebody else's.",
    "422": "The request is not valid.",
}


def offered(app: FastAPI) -> Iterator[RouteContext]:
    """Every route, those of included routers among them."""
    return iter_route_contexts(app.routes)


def scopes_of(route: RouteContext) -> tuple[Scope, ...]:
    """The rights that a route asks for; none where it takes anybody."""
    dependant = getattr(route, "dependant", None)
    asked = {getattr(call, "scope", "") for call in _calls(dependant)} if dependant else set()
    return tuple(scope for scope in SCOPES if scope in asked)


def wants_a_person(route: RouteContext) -> bool:
    """Whether a session is needed, and no token is enough."""
    dependant = getattr(route, "dependant", None)
    return dependant is not None and in_person in _calls(dependant)


def _calls(dependant: Dependant) -> Iterator[Any]:
    yield dependant.call
    for needed in dependant.dependencies:
        yield from _calls(needed)


def install(app: FastAPI) -> None:
    """The document is made when it is first asked for."""
    plain = app.openapi

    def openapi() -> Json:
        if app.openapi_schema is None:
            _complete(plain(), {getattr(route, "unique_id", ""): route for route in offered(app)})
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _complete(document: Json, routes: Mapping[str, RouteContext]) -> None:
    """In place."""
    parts = document.setdefault("components", {})
    parts["securitySchemes"] = SCHEMES
    schemas = parts.setdefault("schemas", {})
    schemas["Problem"] = ProblemDetails.model_json_schema() | {"title": "Problem"}
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for operations in document["paths"].values():
        for operation in operations.values():
            _add(operation, routes[operation["operationId"]])


def _add(operation: Json, route: RouteContext) -> None:
    """What the operation may refuse, and to whom it listens."""
    scopes = scopes_of(route)
    responses = operation["responses"]
    parameters = operation.get("parameters", ())
    responses.pop("422", None)
    statuses = ["422"] if parameters or "requestBody" in operation else []
    if any(parameter["in"] == "path" for parameter in parameters):
        statuses.append("404")
    if scopes:
        operation["security"] = [{"session": []}] if wants_a_person(route) else [{"session": []}, {"token": []}]
        operation["description"] = f"{operation.get('description', '')}\n\nNeeds the right to {' and to '.join(scopes)}.".strip()
        statuses += ["401", "403"]
    for status in statuses:
        responses.setdefault(status, _problem(_WORDS[status]))
    responses.setdefault("default", _problem("What went wrong."))


def _problem(words: str) -> Json:
    return {"description": words, "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}
