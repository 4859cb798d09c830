"""What comes in: something for the authorisation server, or a call to Graph."""

import re

from doubles.emulating.wire import Answer, Request, RequestSeen, told
from doubles.graph.calls import GraphError
from doubles.graph.faults import Faults
from doubles.graph.oauth import Authorisation, Refused
from doubles.graph.serving import Operations, Serving

AUTHORISING = (
    ("GET", r"[\w.-]+/v2\.0/\.well-known/openid-configuration", "oauth.discovery"),
    ("GET", r"[\w.-]+/oauth2/v2\.0/authorize", "oauth.authorize"),
    ("POST", r"[\w.-]+/oauth2/v2\.0/token", "oauth.token"),
    ("POST", r"[\w.-]+/oauth2/v2\.0/devicecode", "oauth.devicecode"),
)


class Front:
    """`requests` and `complaints` in the order they came."""

    def __init__(self, authorisation: Authorisation, faults: Faults, operations: Operations) -> None:
        self.authorisation, self._faults = authorisation, faults
        self.requests: list[RequestSeen] = []
        self.complaints: list[str] = []
        self.serving = Serving(authorisation, faults, self.complaints, operations)

    async def answer(self, request: Request) -> Answer:
        """Dropped where the connection shall end."""
        for verb, path, asked in AUTHORISING:
            if request.verb == verb and re.fullmatch(path, request.path):
                return await self._authorising(request, asked)
        seen = self._seen(request)
        answer = await self.serving.answer(request, seen)
        seen.status = answer.status
        return answer

    async def _authorising(self, request: Request, asked: str) -> Answer:
        seen = self._seen(request, asked)
        planned = self._faults.next(asked)
        try:
            if planned is not None:
                planned.begin(asked)
            answer = self._consented(request, asked)
        except GraphError as error:
            answer = told({"error": error.code, "error_description": error.message}, error.status, error.headers)
        if planned is not None:
            answer = await planned.end(answer)
        seen.status = answer.status
        return answer

    def _consented(self, request: Request, asked: str) -> Answer:
        tenant = request.path.partition("/")[0]
        try:
            match asked:
                case "oauth.discovery":
                    return self.authorisation.discovered(tenant)
                case "oauth.authorize":
                    return self.authorisation.authorise(request.asked, tenant)
                case "oauth.token":
                    return self.authorisation.token(request.form)
                case _:
                    return self.authorisation.device(request.form)
        except Refused as refusal:
            if refusal.complaint:
                self.complaints.append(f"{asked}: {refusal}")
            return refusal.answer

    def _seen(self, request: Request, api: str = "") -> RequestSeen:
        seen = RequestSeen(request.verb, f"/{request.path}", api=api)
        self.requests.append(seen)
        return seen
