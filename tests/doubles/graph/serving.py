"""One request to Graph: found, authorised, checked, failed on purpose, handled, checked again."""

import json
import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from doubles.emulating.wire import Answer, Request, RequestSeen, told
from doubles.graph import checking, schema
from doubles.graph.calls import Call, GraphError, GraphUser, Handler
from doubles.graph.faults import Faults
from doubles.graph.oauth import Authorisation
from doubles.graph.prefer import preferences
from doubles.graph.routes import Found, Routes
from doubles.graph.scopes import needed
from doubles.graph.wire import refused

ROOT = "v1.0/"
OPTIONS = ("filter", "select", "expand", "orderby", "top", "skip", "search", "count", "format", "skiptoken", "deltatoken")
OTHERS = {"startDateTime", "endDateTime", "includeHiddenFolders", "includeNestedAttachments", "changeType"}
QUERIES = frozenset({f"${name}" for name in OPTIONS} | OTHERS)
UNAUTHORISED = re.compile(r"PUT /uploads?/.*")
"""What carries its permission in its address."""


@dataclass(frozen=True)
class Operations:
    """What is emulated: the handlers, and the models of what they take and show."""

    handlers: Mapping[str, Handler]
    models: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)


class Serving:
    def __init__(self, authorisation: Authorisation, faults: Faults, complaints: list[str], operations: Operations) -> None:
        self._authorisation, self._faults, self._complaints = authorisation, faults, complaints
        self._operations, self._routes = operations, Routes(operations.handlers)
        self.hostile = ""

    async def answer(self, request: Request, seen: RequestSeen) -> Answer:
        found = self._found(request)
        if found is None:
            self._complain(f"{request.verb} /{request.path}", "is not emulated")
            return refused(GraphError(501, "notImplemented", "Not emulated"))
        seen.api = found.operation
        try:
            user = self._user(request, found.operation)
            seen.user = user.email
            return await self._called(found, user, request)
        except GraphError as error:
            return self._refused(found.operation, error)

    def _found(self, request: Request) -> Found | None:
        """Whoever names a user means what /me is to that one."""
        if not request.path.startswith(ROOT):
            return None
        path = request.path.removeprefix(ROOT)
        return self._routes.find(request.verb, f"me/{path.split('/', 2)[-1]}" if self._named(request) else path)

    def _named(self, request: Request) -> GraphUser | None:
        """By address or id."""
        first, *rest = request.path.removeprefix(ROOT).split("/", 2)
        name = unquote(rest[0]) if first == "users" and rest else ""
        return next((user for user in self._authorisation.world.users.values() if name in (user.email, user.id)), None)

    def _user(self, request: Request, operation: str) -> GraphUser:
        if UNAUTHORISED.fullmatch(operation):
            if "authorization" in request.headers:
                raise GraphError(401, "unauthenticated", "An upload takes no Authorization header.", complaint=True)
            return GraphUser("")
        user = self._authorisation.user(request, needed(operation))
        if self._named(request) not in (None, user):
            raise GraphError(403, "ErrorAccessDenied", "Access is denied. Check credentials and try again.")
        return user

    async def _called(self, found: Found, user: GraphUser, request: Request) -> Answer:
        call = self._call(found, user, request)
        planned = self._faults.next(found.operation)
        if planned is not None:
            planned.begin(found.operation)
        answer = self._handled(call)
        answer = self._faults.linked(found.operation, answer, self._authorisation.world.url, self.hostile)
        return answer if planned is None else await planned.end(answer)

    def _call(self, found: Found, user: GraphUser, request: Request) -> Call:
        shown = self._operations.answers.get(found.operation)
        return Call(
            operation=found.operation,
            user=user,
            world=self._authorisation.world,
            path=found.path,
            query=_query(request),
            headers=request.headers,
            body=self._body(found.operation, request),
            raw=request.body,
            prefers=preferences(request.headers),
            model=schema.model(shown) if shown else None,
            target=f"/{request.path}",
        )

    def _body(self, operation: str, request: Request) -> dict[str, Any] | None:
        if not request.body or not request.headers.get("content-type", "").startswith("application/json"):
            return None
        try:
            body = json.loads(request.body)
        except ValueError:
            raise GraphError(400, "BadRequest", "Unable to read JSON request payload.") from None
        if operation not in self._operations.models:
            raise GraphError(400, "BadRequest", f"{operation} takes no body")
        checking.request_body(schema.model(self._operations.models[operation]), body)
        assert isinstance(body, dict)
        return body

    def _handled(self, call: Call) -> Answer:
        try:
            answer = _answer(self._operations.handlers[call.operation](call))
        except GraphError as error:
            return self._refused(call.operation, error)
        except Exception:
            self._complain(call.operation, traceback.format_exc())
            return refused(GraphError(500, "InternalServerError", "The emulator broke"))
        if wrong := _wrong(call, answer):
            self._complain(call.operation, f"own answer: {wrong}")
        return answer

    def _refused(self, operation: str, error: GraphError) -> Answer:
        if error.complaint:
            self._complain(operation, f"{error.code}: {error.message}")
        return refused(error)

    def _complain(self, where: str, what: str) -> None:
        self._complaints.append(f"{where}: {what}")


def _wrong(call: Call, answer: Answer) -> str:
    if call.model is None or not answer.headers.get("content-type", "").startswith("application/json"):
        return ""
    return checking.response_body(call.model, json.loads(answer.body))


def _query(request: Request) -> dict[str, str]:
    """An option may be named without its $."""
    query: dict[str, str] = {}
    for name, value in request.query:
        known = f"${name}" if name in OPTIONS else name
        if known not in QUERIES:
            raise GraphError(400, "BadRequest", f"The query parameter '{name}' is not known.")
        if known in query:
            raise GraphError(400, "BadRequest", f"Query option '{name}' was specified more than once, but it must be at most once.")
        query[known] = value
    return query


def _answer(given: dict[str, Any] | tuple[int, dict[str, Any] | None] | bytes | Answer | None) -> Answer:
    match given:
        case None:
            return Answer(204)
        case Answer():
            return given
        case bytes():
            return Answer(200, given, {"content-type": "application/octet-stream"})
        case (status, None):
            return Answer(status)
        case (status, dict() as body):
            return told(body, status)
        case _:
            return told(given)
