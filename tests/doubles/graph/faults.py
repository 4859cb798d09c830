"""Ways to fail on purpose, as Graph does."""

import json
from typing import Literal

from doubles.emulating import faults
from doubles.emulating.wire import Answer, told
from doubles.graph.calls import CONFLICT, GraphError

Fault = Literal[
    "drop_after",
    "drop_before",
    "unauthorized",
    "forbidden",
    "not_found",
    "conflict",
    "precondition",
    "too_many",
    "server_error",
    "unavailable",
    "service_unavailable",
    "slow",
    "garbage",
    "hostile_link",
]
"""drop_after, garbage, slow and hostile_link let the call take effect; the others keep it from doing so. unavailable and
service_unavailable are one."""

BUSY = (503, "serviceNotAvailable", "The service is temporarily unavailable. Please try again later.")
ERRORS = {
    "unauthorized": (401, "InvalidAuthenticationToken", "Lifetime validation failed, the token is expired."),
    "forbidden": (403, "ErrorAccessDenied", "Access is denied. Check credentials and try again."),
    "not_found": (404, "ErrorItemNotFound", "The specified object was not found in the store."),
    "conflict": (409, "ErrorConflict", "The request could not be completed because of a conflict."),
    "precondition": (412, "ErrorIrresolvableConflict", CONFLICT),
    "too_many": (429, "ApplicationThrottled", "Application is over its MailboxConcurrency limit."),
    "server_error": (500, "ErrorInternalServerError", "An internal server error occurred. The operation failed."),
    "unavailable": BUSY,
    "service_unavailable": BUSY,
}
NEXT = "@odata.nextLink"


class Planned(faults.Planned[Fault]):
    def error(self, method: str) -> GraphError | None:
        if self.fault not in ERRORS:
            return None
        status, code, message = ERRORS[self.fault]
        return GraphError(status, code, message, headers=self.when)


class Faults(faults.Faults[Fault]):
    """Links to a stranger's are kept for answers that have a link at all."""

    def __init__(self) -> None:
        super().__init__()
        self._links: faults.Faults[Fault] = faults.Faults()

    def plan(self, planned: faults.Planned[Fault]) -> None:
        if planned.fault == "hostile_link":
            self._links.plan(planned)
        else:
            super().plan(planned)

    def linked(self, method: str, answer: Answer, own: str, hostile: str) -> Answer:
        """The answer, its link to the next page turned to a stranger's address when that was planned."""
        body = json.loads(answer.body) if NEXT.encode() in answer.body else {}
        if NEXT not in body or self._links.next(method) is None:
            return answer
        return told(body | {NEXT: body[NEXT].replace(own, hostile, 1)}, answer.status)

    @property
    def left(self) -> int:
        return super().left + self._links.left
