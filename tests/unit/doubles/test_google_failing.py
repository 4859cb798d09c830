"""The emulated Google fails when it is told to, so often, and where it is told to; batches are answered call by call."""

import time
from collections.abc import Iterator
from http.client import HTTPConnection, RemoteDisconnected
from typing import Any

import pytest
from doubles.google import Call, GoogleEmulator
from doubles.google.client import service
from doubles.google.faults import Fault
from doubles.google.raw import Reply, ask
from googleapiclient.errors import HttpError

TRASH = "/gmail/v1/users/me/messages/1/trash"
PROFILE = "/gmail/v1/users/me/profile"
EFFECTLESS: list[tuple[Fault, int, str]] = [
    ("unauthorized", 401, "authError"),
    ("quota", 403, "rateLimitExceeded"),
    ("user_quota", 403, "userRateLimitExceeded"),
    ("not_enabled", 403, "accessNotConfigured"),
    ("not_found", 404, "notFound"),
    ("conflict", 409, "duplicate"),
    ("precondition", 412, "conditionNotMet"),
    ("too_many", 429, "rateLimitExceeded"),
    ("server_error", 500, "backendError"),
    ("unavailable", 503, "backendError"),
]


@pytest.fixture
def trashed() -> list[str]:
    return []


@pytest.fixture
def google(trashed: list[str]) -> Iterator[GoogleEmulator]:
    def trash(call: Call) -> dict[str, Any]:
        trashed.append(call.params["id"])
        return {"id": call.params["id"]}

    handlers = {
        "gmail.users.messages.trash": trash,
        "gmail.users.getProfile": lambda call: {"emailAddress": call.user.email},
        "calendar.calendarList.list": lambda call: {"items": []},
        "people.people.get": lambda call: {"resourceName": "people/c1"},
    }
    with GoogleEmulator(handlers=handlers) as google:
        google.account("me@home.example")
        yield google
        assert google.complaints == []


@pytest.mark.parametrize(("fault", "status", "reason"), EFFECTLESS)
def test_an_error_keeps_the_call_from_taking_effect(
    google: GoogleEmulator, trashed: list[str], fault: Fault, status: int, reason: str
) -> None:
    google.fail(fault)
    failed = ask(google, "POST", TRASH)
    assert (failed.status, failed.reason, trashed) == (status, reason, [])
    assert ask(google, "POST", TRASH).status == 200


@pytest.mark.parametrize(("fault", "effects"), [("drop_before", []), ("drop_after", ["1"])])
def test_a_connection_is_dropped_before_or_after_the_effect(
    google: GoogleEmulator, trashed: list[str], fault: Fault, effects: list[str]
) -> None:
    google.fail(fault)
    with pytest.raises(RemoteDisconnected):
        ask(google, "POST", TRASH)
    assert (trashed, google.requests[0].status) == (effects, 0)


def test_garbage_comes_after_the_effect(google: GoogleEmulator, trashed: list[str]) -> None:
    google.fail("garbage")
    failed = ask(google, "POST", TRASH)
    assert (failed.status, trashed) == (200, ["1"])
    with pytest.raises(ValueError, match="Unterminated"):
        _ = failed.json


def test_a_slow_answer_comes_after_the_effect(google: GoogleEmulator, trashed: list[str]) -> None:
    google.fail("slow", seconds=60)
    with pytest.raises(TimeoutError):
        ask(google, "POST", TRASH, timeout=0.1)
    while not trashed:  # what is busy takes it up later
        time.sleep(0.001)
    assert trashed == ["1"]
    google.fail("slow", seconds=0)
    assert ask(google, "GET", PROFILE).status == 200


def test_it_is_told_when_to_come_again(google: GoogleEmulator) -> None:
    google.fail("too_many")
    google.fail("unavailable", seconds=7)
    google.fail("unavailable")
    assert [ask(google, "GET", PROFILE).headers.get("retry-after") for _ in range(3)] == ["1", "7", None]


def test_a_fault_is_for_its_method_and_comes_so_often(google: GoogleEmulator) -> None:
    google.fail("server_error", on="gmail.users.messages.trash", times=2, after=1)
    assert [ask(google, "GET", PROFILE).status for _ in range(2)] == [200, 200]
    assert [ask(google, "POST", TRASH).status for _ in range(4)] == [200, 500, 500, 200]
    assert google.faults_left == 0


def test_after_one_fault_another_may_keep_the_outcome_from_being_known(google: GoogleEmulator, trashed: list[str]) -> None:
    google.fail("drop_after", on="gmail.users.messages.trash", then="drop_before")
    assert ask(google, "GET", PROFILE).status == 200
    for _ in range(2):
        with pytest.raises(RemoteDisconnected):
            ask(google, "POST", TRASH)
    assert trashed == ["1"]


def test_a_refusal_may_be_lost_too(google: GoogleEmulator) -> None:
    google.fail("drop_after", times=2)
    for target in ("/gmail/v1/users/me/labels", PROFILE):
        with pytest.raises(RemoteDisconnected):
            ask(google, "GET", target)
    assert google.complaints.pop() == "gmail.users.labels.list: is not emulated"


def test_a_refused_request_uses_no_fault_up(google: GoogleEmulator) -> None:
    google.fail("server_error")
    assert ask(google, "GET", PROFILE, token="nobody's").status == 401
    assert ask(google, "GET", PROFILE).status == 500


def test_people_tells_an_exhausted_quota_in_its_own_way(google: GoogleEmulator) -> None:
    google.fail("quota")
    error = ask(google, "GET", "/v1/people/me?personFields=names").json["error"]
    assert (error["code"], error["status"], error["details"][0]["reason"]) == (429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED")


def test_nobody_listens_while_it_is_down(google: GoogleEmulator) -> None:
    with google.down(), pytest.raises(ConnectionRefusedError):
        ask(google, "GET", PROFILE)
    assert ask(google, "GET", PROFILE).status == 200


def test_a_connection_that_was_kept_may_be_gone_meanwhile(google: GoogleEmulator) -> None:
    kept = HTTPConnection("127.0.0.1", google.port, timeout=10)
    kept.request("GET", PROFILE)
    assert kept.getresponse().read()
    google.hang_up()
    with pytest.raises(ConnectionError):
        kept.request("GET", PROFILE)
        kept.getresponse()
    kept.close()


def test_each_call_of_a_batch_is_answered_by_itself(google: GoogleEmulator) -> None:
    gmail = service(google, "gmail", google.account("me@home.example")).users()
    answers: dict[str, Any] = {}
    batch = gmail_batch(google, lambda name, answer, error: answers.update({name: error.status_code if error else answer["id"]}))
    for number in ("1", "2", "3"):
        batch.add(gmail.messages().trash(userId="me", id=number), request_id=f"<{number} é>")
    google.fail("not_found", after=1)
    batch.execute()
    assert answers == {"<1 é>": "1", "<2 é>": 404, "<3 é>": "3"}
    assert [(seen.api, seen.batched) for seen in google.requests] == [
        ("batch", False),
        *[("gmail.users.messages.trash", True)] * 3,
    ]


def test_a_batch_may_be_dropped_in_the_middle(google: GoogleEmulator, trashed: list[str]) -> None:
    google.fail("drop_after", after=1)
    with pytest.raises(RemoteDisconnected):
        batched(google, [f"POST {TRASH}"] * 3)
    assert trashed == ["1", "1"]


def test_every_call_of_a_batch_is_authorised(google: GoogleEmulator) -> None:
    other = google.account("you@home.example", scopes=["https://www.googleapis.com/auth/contacts"])
    body = batched(google, [f"GET {PROFILE}", f"GET {PROFILE} HTTP/1.1\r\nAuthorization: Bearer {other.token}"]).body
    assert (body.count(b"HTTP/1.1 200 OK"), body.count(b"HTTP/1.1 403 Forbidden")) == (1, 1)


def test_a_batch_of_calendar_has_a_path_of_its_own(google: GoogleEmulator) -> None:
    calendar = service(google, "calendar", google.account("me@home.example"))
    answers = []
    batch = calendar.new_batch_http_request(lambda name, answer, error: answers.append(answer))
    batch.add(calendar.calendarList().list())
    batch.execute()
    assert (answers, google.requests[0].path) == ([{"items": []}], "/batch/calendar/v3")


@pytest.mark.parametrize(
    ("lines", "path", "wrong"),
    [
        ([f"GET {PROFILE}"] * 101, "/batch", "101 calls: at most 100"),
        (["GET /calendar/v3/users/me/calendarList"] * 51, "/batch/calendar/v3", "51 calls: at most 50"),
        ([f"GET {PROFILE}", "GET /v1/people/me?personFields=names"], "/batch", "gmail, people"),
        ([f"GET {PROFILE}"], "/batch/calendar/v3", "calendar, gmail"),
        (["POST /upload/gmail/v1/users/me/messages/send?uploadType=media"], "/batch", "An upload"),
        ([], "/batch", "without calls"),
    ],
)
def test_a_batch_that_google_would_not_take_is_refused(google: GoogleEmulator, lines: list[str], path: str, wrong: str) -> None:
    assert batched(google, lines, path).status == 400
    assert wrong in google.complaints.pop()
    assert len(google.requests) == 1


def gmail_batch(google: GoogleEmulator, callback: Any) -> Any:
    return service(google, "gmail", google.account("me@home.example")).new_batch_http_request(callback)


def batched(google: GoogleEmulator, lines: list[str], path: str = "/batch") -> Reply:
    parts = [f"--x\r\nContent-Type: application/http\r\n\r\n{line}\r\n\r\n" for line in lines]
    return ask(google, "POST", path, "".join([*parts, "--x--"]).encode(), kind="multipart/mixed; boundary=x")


def test_the_client_library_sees_a_status_and_a_reason(google: GoogleEmulator) -> None:
    google.fail("quota")
    with pytest.raises(HttpError) as failed:
        service(google, "gmail", google.account("me@home.example")).users().getProfile(userId="me").execute()
    assert (failed.value.status_code, failed.value.error_details[0]["reason"]) == (403, "RATE_LIMIT_EXCEEDED")
