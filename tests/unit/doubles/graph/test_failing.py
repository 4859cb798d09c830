"""The emulated Microsoft fails when it is told to, so often, and where it is told to."""

import time
from collections.abc import Iterator
from http.client import HTTPConnection, RemoteDisconnected
from typing import Any

import pytest
from doubles.graph import Call, GraphEmulator
from doubles.graph.faults import Fault
from doubles.graph.paging import listed
from doubles.graph.raw import ask, code

SEND = "/me/messages/1/send"
EFFECTLESS: list[tuple[Fault, int, str]] = [
    ("unauthorized", 401, "InvalidAuthenticationToken"),
    ("forbidden", 403, "ErrorAccessDenied"),
    ("not_found", 404, "ErrorItemNotFound"),
    ("conflict", 409, "ErrorConflict"),
    ("precondition", 412, "ErrorIrresolvableConflict"),
    ("too_many", 429, "ApplicationThrottled"),
    ("server_error", 500, "ErrorInternalServerError"),
    ("unavailable", 503, "serviceNotAvailable"),
    ("service_unavailable", 503, "serviceNotAvailable"),
]


@pytest.fixture
def sent() -> list[str]:
    return []


@pytest.fixture
def graph(sent: list[str]) -> Iterator[GraphEmulator]:
    def send(call: Call) -> tuple[int, None]:
        sent.append(call.path["message"])
        return 202, None

    def folders(call: Call) -> dict[str, Any]:
        return listed(call, [{"id": str(number)} for number in range(3)], context="folders")

    def me(call: Call) -> dict[str, Any]:
        return {"mail": call.user.email}

    with GraphEmulator(
        handlers={"POST /me/messages/{message}/send": send, "GET /me/contactFolders": folders, "GET /me": me}
    ) as graph:
        graph.account("me@home.example")
        yield graph
        assert graph.complaints == []


@pytest.mark.parametrize(("fault", "status", "reason"), EFFECTLESS)
def test_an_error_keeps_the_call_from_taking_effect(
    graph: GraphEmulator, sent: list[str], fault: Fault, status: int, reason: str
) -> None:
    graph.fail(fault)
    failed = ask(graph, "POST", SEND)
    assert (failed.status, code(failed), sent) == (status, reason, [])
    assert ask(graph, "POST", SEND).status == 202


@pytest.mark.parametrize(("fault", "effects"), [("drop_before", []), ("drop_after", ["1"])])
def test_a_connection_is_dropped_before_or_after_the_effect(
    graph: GraphEmulator, sent: list[str], fault: Fault, effects: list[str]
) -> None:
    graph.fail(fault)
    with pytest.raises(RemoteDisconnected):
        ask(graph, "POST", SEND)
    assert (sent, graph.requests[0].status) == (effects, 0)


def test_garbage_comes_after_the_effect(graph: GraphEmulator, sent: list[str]) -> None:
    graph.fail("garbage")
    failed = ask(graph, "POST", SEND)
    assert (failed.status, sent) == (200, ["1"])
    with pytest.raises(ValueError, match="Unterminated"):
        _ = failed.json


def test_a_slow_answer_comes_after_the_effect(graph: GraphEmulator, sent: list[str]) -> None:
    graph.fail("slow", seconds=60)
    with pytest.raises(TimeoutError):
        ask(graph, "POST", SEND, timeout=0.1)
    while not sent:  # what is busy takes it up later
        time.sleep(0.001)
    assert sent == ["1"]
    graph.fail("slow", seconds=0)
    assert ask(graph, "GET", "/me").status == 200


def test_it_is_told_when_to_come_again(graph: GraphEmulator) -> None:
    graph.fail("too_many")
    graph.fail("unavailable", seconds=7)
    graph.fail("unavailable")
    assert [ask(graph, "GET", "/me").headers.get("retry-after") for _ in range(3)] == ["1", "7", None]


def test_a_fault_is_for_its_operation_and_comes_so_often(graph: GraphEmulator) -> None:
    graph.fail("server_error", on="POST /me/messages/{message}/send", times=2, after=1)
    assert [ask(graph, "GET", "/me").status for _ in range(2)] == [200, 200]
    assert [ask(graph, "POST", SEND).status for _ in range(4)] == [202, 500, 500, 202]
    assert graph.faults_left == 0


def test_after_one_fault_another_may_keep_the_outcome_from_being_known(graph: GraphEmulator, sent: list[str]) -> None:
    graph.fail("drop_after", on="POST /me/messages/{message}/send", then="drop_before")
    assert ask(graph, "GET", "/me").status == 200
    for _ in range(2):
        with pytest.raises(RemoteDisconnected):
            ask(graph, "POST", SEND)
    assert sent == ["1"]


def test_a_refused_request_uses_no_fault_up(graph: GraphEmulator) -> None:
    graph.fail("server_error")
    assert ask(graph, "GET", "/me", token="nobody's").status == 401
    assert ask(graph, "GET", "/me").status == 500


def test_the_next_link_leads_to_a_stranger_who_writes_down_what_comes(graph: GraphEmulator) -> None:
    graph.fail("hostile_link")
    assert "@odata.nextLink" not in ask(graph, "GET", "/me/contactFolders").json
    assert graph.faults_left == 1
    link = ask(graph, "GET", "/me/contactFolders?$top=2").json["@odata.nextLink"]
    assert link.startswith(f"{graph.hostile}/v1.0/me/contactFolders?") and graph.hostile != graph.url
    port = int(graph.hostile.rpartition(":")[2])
    stranger = HTTPConnection("127.0.0.1", port, timeout=10)
    stranger.request("GET", link.removeprefix(graph.hostile), headers={"authorization": "Bearer secret"})
    assert stranger.getresponse().status == 200
    stranger.close()
    assert [request.headers["authorization"] for request in graph.hostile_requests] == ["Bearer secret"]
    assert graph.faults_left == 0
    assert ask(graph, "GET", "/me/contactFolders?$top=2").json["@odata.nextLink"].startswith(graph.url)


def test_nobody_listens_while_it_is_down(graph: GraphEmulator) -> None:
    with graph.down(), pytest.raises(ConnectionRefusedError):
        ask(graph, "GET", "/me")
    assert ask(graph, "GET", "/me").status == 200


def test_a_connection_that_was_kept_may_be_gone_meanwhile(graph: GraphEmulator) -> None:
    kept = HTTPConnection("127.0.0.1", graph.port, timeout=10)
    kept.request("GET", "/v1.0/me", headers={"authorization": f"Bearer {graph.account('me@home.example').token}"})
    assert kept.getresponse().read()
    graph.hang_up()
    with pytest.raises(ConnectionError):
        kept.request("GET", "/v1.0/me")
        kept.getresponse()
    kept.close()
