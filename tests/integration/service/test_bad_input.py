"""What can't be meant is refused in a sentence, and never breaks anything."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from doubles.service import Threaded, serving_in_a_thread

from assistant.service.callers import SCOPES
from integrations.common.certificates import usual

SENTENCE = re.compile(r"[^\n]{3,300}[.!]")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Threaded]:
    with serving_in_a_thread(tmp_path_factory.mktemp("home")) as service:
        yield service


@pytest.fixture(scope="module")
def client(service: Threaded) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {service.token(scopes=SCOPES)}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=30, verify=usual()) as client:
        yield client


@pytest.fixture(scope="module")
def conversation(client: httpx2.Client) -> str:
    return str(client.post("/api/conversations").json()["id"])


def refused(answer: httpx2.Response, *statuses: int) -> str:
    assert answer.status_code in statuses, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert told["status"] == answer.status_code and SENTENCE.fullmatch(told["detail"]), told
    return str(told["detail"])


@pytest.mark.parametrize(
    "path",
    [
        "/api/previews/a%00b",
        "/api/previews/a%0Ab",
        "/api/flows/%00",
        "/api/conversations/%00/messages",
        "/api/mails/sample/%00",
        "/api/conversations?q=%00",
        "/api/contacts?name=%00",
        "/api/mails?words=%00",
        "/api/audit?target=%00",
        "/api/conversations?limit=0",
        "/api/conversations?limit=1000000000000000000000000000000",
        "/api/conversations?limit=ten",
        "/api/usage?days=99999999999",
        "/api/flows/x/events?after=99999999999999999999",
        "/api/flows/x/events?after=-1",
        "/api/today?date=0001-01-01",
        "/api/today?date=9999-12-31",
        "/api/today?date=2026-02-30",
        "/api/today?date=yesterday",
        "/api/calendar?start=0001-01-01T00:00:00%2B14:00&end=9999-12-31T23:59:59-12:00",
        "/api/calendar?start=2026-11-22T00:00:00&end=2026-11-23T00:00:00",
        "/api/calendar?start=2026-11-22T00:00:00Z",
        "/api/audit?since=9999-12-31T23:59:59-23:59",
        "/api/mails?unread=perhaps",
    ],
)
def test_what_is_not_valid_is_refused(client: httpx2.Client, path: str):
    refused(client.get(path), 422)


@pytest.mark.parametrize(
    "path",
    [
        "/api/conversations?before=x",
        "/api/conversations?before=99999999999999999999999",
        "/api/conversations?before=4294967296",
        "/api/conversations?before=-1",
        "/api/calendar?start=2026-11-22T00:00:00Z&end=2026-11-21T00:00:00Z",
        "/api/calendar?start=1950-11-22T00:00:00Z&end=2150-11-21T00:00:00Z",
        "/api/audit/verify?noted=x",
    ],
)
def test_what_makes_no_sense_is_refused(client: httpx2.Client, path: str):
    refused(client.get(path), 400)


@pytest.mark.parametrize(
    "path",
    [
        "/api/nothing",
        "/api/previews/a/b",
        "/api/previews/..%2f..%2fetc",
        "/api/flows/%F0%9F%90%88",
        "/api/flows/%ED%A0%80",
        "/api/conversations/a/b/c/messages",
        "/api/mails/sample/a/b/c",
        "/api/mails/nobody/1",
        "/api/mails?cursor=--5",
        "/api/mails?cursor=99999999999999999999999999",
    ],
)
def test_what_is_not_there_is_not_found(client: httpx2.Client, path: str):
    refused(client.get(path), 404)


def test_of_a_parameter_given_twice_the_last_counts(client: httpx2.Client):
    assert len(client.get("/api/mails?limit=5&limit=1").json()["items"]) == 1
    refused(client.get("/api/mails?limit=1&limit=x"), 422)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"text": 5}',
        b'{"text": "\\ud800"}',
        b'{"text": ["a"]}',
        b'{"text": NaN}',
        b'{"text": 1e999}',
        b"[" * 100_000,
        b'{"text": ' + b"9" * 10_000 + b"}",
    ],
    ids=lambda body: body[:20].decode("latin-1"),
)
def test_a_body_that_is_none_is_refused(client: httpx2.Client, conversation: str, body: bytes):
    headers = {"Content-Type": "application/json"}
    refused(client.post(f"/api/conversations/{conversation}/messages", content=body, headers=headers), 400, 422)


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_message_is_refused(client: httpx2.Client, conversation: str, text: str):
    refused(client.post(f"/api/conversations/{conversation}/messages", json={"text": text}), 400, 422)


MAIL: dict[str, Any] = {"kind": "send_mail", "account": "sample", "to": [{"email": "a@b.example"}], "subject": "s", "body": "b"}
EVENT: dict[str, Any] = {
    "kind": "create_event",
    "account": "sample",
    "title": "t",
    "start": "2026-12-01T10:00:00Z",
    "end": "2026-12-01T11:00:00Z",
}


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"kind": "format_disk"},
        MAIL | {"account": "nobody"},
        MAIL | {"send_at": "0001-01-01T00:00:00+14:00"},
        MAIL | {"send_at": "9999-12-31T23:59:59-14:00"},
        MAIL | {"send_at": "2026-12-01T10:00:00"},
        MAIL | {"body": "\ud800"},
        MAIL | {"subject": "a\x00b"},
        MAIL | {"to": [{"email": "a@b.example", "name": "\x00"}]},
        MAIL | {"unknown": 1},
        EVENT | {"start": "0001-01-01T00:00:00+14:00"},
        EVENT | {"end": "9999-12-31T23:59:59-14:00"},
    ],
    ids=str,
)
def test_an_action_that_is_none_is_refused(client: httpx2.Client, conversation: str, action: dict[str, Any]):
    content = json.dumps({"actions": [action]})
    headers = {"Content-Type": "application/json"}
    refused(client.post(f"/api/conversations/{conversation}/actions", content=content, headers=headers), 400, 422)


def test_a_wrong_method_is_refused_and_the_right_one_named(client: httpx2.Client):
    answer = client.put("/api/health")
    refused(answer, 405)
    assert answer.headers["allow"] == "GET"


def test_what_nobody_has_foreseen_is_told_by_a_reference_alone(
    service: Threaded, client: httpx2.Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def broken(self: object, *words: object, **named: object) -> None:
        raise RuntimeError("/secret/path is broken")

    monkeypatch.setattr("assistant.facade.Assistant.flows", broken)
    detail = refused(client.get("/api/flows"), 500)
    assert "secret" not in detail and "RuntimeError" not in detail
    reference = detail.split()[-1].rstrip(".")
    (logged,) = [record for record in caplog.records if reference in record.getMessage()]
    assert logged.exc_info and "/secret/path" in str(logged.exc_info[1])
