"""What comes in: a batch, something for the authorisation server, or a call to one of the APIs."""

from collections.abc import Mapping

from doubles.emulating.wire import Answer, RequestSeen, told
from doubles.google import batch
from doubles.google.calls import ApiError, Handler
from doubles.google.discovery import BATCHES
from doubles.google.faults import Faults
from doubles.google.oauth import Authorisation, Refused
from doubles.google.serving import Serving
from doubles.google.wire import Request, refused

AUTHORISING: Mapping[tuple[str, str], str] = {
    ("GET", "o/oauth2/v2/auth"): "oauth.auth",
    ("GET", "o/oauth2/auth"): "oauth.auth",
    ("POST", "token"): "oauth.token",
    ("POST", "revoke"): "oauth.revoke",
}


class Front:
    """`requests` and `complaints` in the order they came."""

    def __init__(self, authorisation: Authorisation, faults: Faults, handlers: Mapping[str, Handler]) -> None:
        self.authorisation, self._faults = authorisation, faults
        self.requests: list[RequestSeen] = []
        self.complaints: list[str] = []
        self._serving = Serving(authorisation, faults, self.complaints, handlers)

    async def answer(self, request: Request) -> Answer:
        """Dropped where the connection shall end."""
        if request.verb == "POST" and request.path in BATCHES:
            return await self._batch(request)
        if asked := AUTHORISING.get((request.verb, request.path)):
            return await self._authorising(request, asked)
        return await self._call(request)

    async def _call(self, request: Request, *, batched: bool = False) -> Answer:
        seen = self._seen(request, batched=batched)
        answer = await self._serving.answer(request, seen)
        seen.status = answer.status
        return answer

    async def _batch(self, request: Request) -> Answer:
        seen = self._seen(request, "batch")
        try:
            answer = await batch.answer(request, BATCHES[request.path], lambda call: self._call(call, batched=True))
        except ApiError as error:
            self.complaints.append(f"batch: {error.message}")
            answer = refused(error)
        seen.status = answer.status
        return answer

    async def _authorising(self, request: Request, asked: str) -> Answer:
        seen = self._seen(request, asked)
        planned = self._faults.next(asked)
        try:
            if planned is not None:
                planned.begin(asked)
            answer = self._consented(request, asked)
        except ApiError as error:
            answer = told({"error": error.reason}, error.status, error.headers)
        if planned is not None:
            answer = await planned.end(answer)
        seen.status = answer.status
        return answer

    def _consented(self, request: Request, asked: str) -> Answer:
        try:
            match asked:
                case "oauth.auth":
                    return self.authorisation.authorise(request.asked)
                case "oauth.token":
                    return self.authorisation.token(request)
                case _:
                    return self.authorisation.revoked((request.asked | request.form).get("token", ""))
        except Refused as refusal:
            if refusal.complaint:
                self.complaints.append(f"{asked}: {refusal}")
            return refusal.answer

    def _seen(self, request: Request, api: str = "", *, batched: bool = False) -> RequestSeen:
        seen = RequestSeen(request.verb, f"/{request.path}", api=api, batched=batched)
        self.requests.append(seen)
        return seen
