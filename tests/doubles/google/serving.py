"""One request to one of the APIs: found, authorised, checked, failed on purpose, handled, checked again."""

import traceback
from collections.abc import Mapping

from doubles.emulating.wire import Answer, RequestSeen, told
from doubles.google import checking, masks, uploads
from doubles.google.calls import ApiError, Call, GoogleUser, Handler
from doubles.google.discovery import Method, find
from doubles.google.faults import Faults
from doubles.google.oauth import Authorisation
from doubles.google.wire import Request, refused


class Serving:
    def __init__(
        self, authorisation: Authorisation, faults: Faults, complaints: list[str], handlers: Mapping[str, Handler]
    ) -> None:
        self._authorisation, self._faults, self._complaints = authorisation, faults, complaints
        self._handlers = handlers

    async def answer(self, request: Request, seen: RequestSeen) -> Answer:
        found = find(request.verb, request.path.removeprefix("upload/"))
        if found is None:
            self._complain(f"{request.verb} /{request.path}", "no such method")
            return refused(ApiError(404, "notFound", "Not Found"))
        method, path = found
        seen.api = method.id
        try:
            user = self._authorisation.user(request, method)
            seen.user = user.email
            return await self._called(method, user, path, request)
        except ApiError as error:
            return self._refused(method, error)

    async def _called(self, method: Method, user: GoogleUser, path: dict[str, str], request: Request) -> Answer:
        taken = uploads.taken(method, request)
        params = checking.parameters(method, path, request.query)
        checking.request_body(method, taken.body, uploaded=taken.media is not None)
        if params.get("userId", "me") not in ("me", user.email):
            raise ApiError(403, "forbidden", f"Delegation denied for {user.email}")
        mask = masks.parsed(params.pop("fields", "*"), method)
        planned = self._faults.next(method.id)
        if planned is not None:
            planned.begin(method.id)
        call = Call(method.id, user, self._authorisation.world, params, taken.body, taken.media, request.headers)
        answer = self._handled(method, call, mask)
        return answer if planned is None else await planned.end(answer)

    def _handled(self, method: Method, call: Call, mask: masks.Mask) -> Answer:
        handler = self._handlers.get(method.id)
        if handler is None:
            self._complain(method.id, "is not emulated")
            return self._refused(method, ApiError(501, "notImplemented", "Not emulated"))
        try:
            body = handler(call)
        except ApiError as error:
            return self._refused(method, error)
        except Exception:
            self._complain(method.id, traceback.format_exc())
            return self._refused(method, ApiError(500, "backendError", "The emulator broke"))
        if wrong := checking.response_body(method, body):
            self._complain(method.id, f"own answer: {wrong}")
            return self._refused(method, ApiError(500, "backendError", wrong))
        return Answer(204) if body is None else told(masks.applied(mask, body))

    def _refused(self, method: Method, error: ApiError) -> Answer:
        if error.complaint:
            self._complain(method.id, error.message)
        return refused(error, method.api.name)

    def _complain(self, where: str, what: str) -> None:
        self._complaints.append(f"{where}: {what}")
