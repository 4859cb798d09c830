"""What went wrong, in which status and which words."""

import pytest
from starlette.exceptions import HTTPException

from assistant.errors import FlowError, ModelError, Unknown, Unreadable, UserError
from assistant.service.problems import Problem, Unexpected, body, problem_of
from integrations.errors import AuthExpired, Conflict, InvalidResponse, NotFound, RateLimited, Unavailable
from storage.errors import DatabaseLocked, StaleVersion


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Problem(418, "It is a teapot."), 418),
        (UserError("Say what."), 400),
        (Unknown("There is no such thing."), 404),
        (FlowError("Not now."), 409),
        (Unreadable("It can't be read."), 409),
        (ModelError("The model can't be reached."), 502),
        (NotFound("It is gone."), 404),
        (Conflict("It was changed."), 409),
        (AuthExpired("Connect it again."), 409),
        (Unavailable("It is out of reach."), 503),
        (InvalidResponse("It makes no sense."), 502),
        (StaleVersion("It was changed."), 409),
        (HTTPException(404), 404),
        (HTTPException(405), 405),
        (HTTPException(413), 413),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), 422),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_each_kind_of_error_has_its_status_and_a_sentence(error: Exception, status: int):
    problem = problem_of(error)
    assert problem.status == status and problem.detail.endswith(".")


@pytest.mark.parametrize("error", [RuntimeError("/secret"), DatabaseLocked("/secret"), MemoryError()], ids=repr)
def test_of_what_is_for_the_log_only_a_reference_is_told(error: Exception, caplog: pytest.LogCaptureFixture):
    problem = problem_of(error)
    assert problem.status >= 500 and "secret" not in problem.detail
    (logged,) = caplog.records
    assert logged.getMessage().split()[-1] in problem.detail and logged.exc_info is not None


def test_it_is_told_when_to_try_again():
    assert problem_of(RateLimited("Too many.", retry_after=30.0)).headers == {"Retry-After": "30"}


def test_a_detail_is_always_text_that_can_be_sent():
    told = str(body(Problem(400, "\ud800" + "x" * 10_000))["detail"])
    assert told.encode() and len(told) <= 500


async def test_an_answer_that_has_begun_is_not_followed_by_another():
    async def breaking(scope: object, receive: object, send: object) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]
        raise RuntimeError("in the middle")

    sent: list[object] = []

    async def send(message: object) -> None:
        sent.append(message)

    with pytest.raises(RuntimeError):
        await Unexpected(breaking)({"type": "http"}, None, send)  # type: ignore[arg-type]
    assert len(sent) == 1
