"""The emulated Microsoft refuses what Graph refuses, and holds its own answers to the SDK's models."""

from collections.abc import Iterator
from typing import Any

import pytest
from doubles.emulating.wire import Answer
from doubles.graph import Call, GraphEmulator, GraphError
from doubles.graph.raw import ask, code

CONTACT = {"givenName": "Sarah", "emailAddresses": [{"name": "Sarah", "address": "sarah@x.example"}]}
PROPERTY = {"id": "String {00020329-0000-0000-c000-000000000046} Name Key", "value": "1"}


@pytest.fixture
def calls() -> list[Call]:
    return []


@pytest.fixture
def graph(calls: list[Call]) -> Iterator[GraphEmulator]:
    def kept(call: Call) -> dict[str, Any]:
        calls.append(call)
        return {"id": "1"}

    named = [
        "GET /me/contacts",
        "GET /me/contacts/{contact}",
        "GET /me/contacts/delta",
        "POST /me/contacts",
        "PATCH /me/contacts/{contact}",
    ]
    named += ["GET /me/contactFolders/{folder}/contacts/{contact}", "DELETE /me/contacts/{contact}", "PUT /uploads/{session}"]
    named += ["POST /me/contacts/{contact}/photo"]
    with GraphEmulator(handlers=dict.fromkeys(named, kept)) as graph:
        graph.account("me@home.example")
        yield graph


@pytest.mark.parametrize(
    ("verb", "target", "body"),
    [
        ("GET", "/me/contacts?$selekt=id", None),
        ("GET", "/me/contacts?$top=1&$top=2", None),
        ("GET", "/me/contacts?$top=1&top=2", None),
        ("GET", "/me/contacts?maxResults=5", None),
        ("POST", "/me/contacts", {**CONTACT, "firstName": "Sarah"}),
        ("POST", "/me/contacts", {**CONTACT, "emailAddresses": {"address": "a"}}),
        ("POST", "/me/contacts", {**CONTACT, "emailAddresses": [{"address": "a", "kind": "work"}]}),
        ("POST", "/me/contacts", {**CONTACT, "emailAddresses": ["sarah@x.example"]}),
        ("POST", "/me/contacts", {**CONTACT, "jobTitle": 5}),
        ("POST", "/me/contacts", {**CONTACT, "birthday": "1980-03-21"}),
        ("POST", "/me/contacts", {**CONTACT, "categories": "Red"}),
        ("POST", "/me/contacts", {**CONTACT, "homeAddress": {"town": "Berlin"}}),
        ("POST", "/me/contacts", {**CONTACT, "singleValueExtendedProperties": [{**PROPERTY, "name": "Key"}]}),
        ("POST", "/me/contacts", [CONTACT]),
        ("POST", "/me/contacts", b"{"),
        ("POST", "/me/contacts/1/photo", {"width": 5}),
    ],
)
def test_a_request_that_graph_would_not_take_is_refused_and_complained_of(
    graph: GraphEmulator, calls: list[Call], verb: str, target: str, body: Any
) -> None:
    assert ask(graph, verb, target, body).status == 400
    assert (calls, len(graph.complaints)) == ([], 1)


@pytest.mark.parametrize(
    ("verb", "target"),
    [("GET", "/me/drive"), ("POST", "/me/contacts/1"), ("GET", "/me/contacts/1/more"), ("GET", "/users/you@x.example/contacts")],
)
def test_what_is_not_emulated_is_complained_of(graph: GraphEmulator, verb: str, target: str) -> None:
    assert ask(graph, verb, target).status == 501
    assert graph.complaints == [f"{verb} /v1.0{target}: is not emulated"]


@pytest.mark.parametrize(
    ("target", "operation", "path"),
    [
        ("/me/contacts", "GET /me/contacts", {}),
        ("/users/me@home.example/contacts", "GET /me/contacts", {}),
        ("/users/me%40home.example/contacts", "GET /me/contacts", {}),
        ("/me/contacts/a%2Fb%3D%20c", "GET /me/contacts/{contact}", {"contact": "a/b= c"}),
        ("/me/contacts/delta", "GET /me/contacts/delta", {}),
        ("/me/contacts/delta()", "GET /me/contacts/delta", {}),
        ("/me/contacts/microsoft.graph.delta()", "GET /me/contacts/delta", {}),
        ("/me/contactFolders/x/contacts/y", "GET /me/contactFolders/{folder}/contacts/{contact}", {"folder": "x", "contact": "y"}),
    ],
)
def test_an_operation_is_found_by_its_path(
    graph: GraphEmulator, calls: list[Call], target: str, operation: str, path: dict[str, str]
) -> None:
    assert ask(graph, "GET", target).status == 200
    assert (calls[0].operation, calls[0].path, graph.complaints) == (operation, path, [])
    (seen,) = graph.requests
    assert (seen.method, seen.api, seen.user, seen.status) == ("GET", operation, "me@home.example", 200)


def test_what_is_somebody_elses_is_denied(graph: GraphEmulator, calls: list[Call]) -> None:
    graph.account("you@home.example")
    refused = ask(graph, "GET", "/users/you%40home.example/contacts")
    assert (refused.status, code(refused), calls) == (403, "ErrorAccessDenied", [])


def test_a_call_tells_all_that_was_asked(graph: GraphEmulator, calls: list[Call]) -> None:
    prefer = 'IdType="ImmutableId", outlook.timezone="W. Europe Standard Time", odata.maxpagesize=5, respond-async'
    ask(graph, "POST", "/me/contacts?$select=id&expand=extensions", CONTACT, headers={"prefer": prefer, "if-match": "*"})
    (call,) = calls
    assert (call.query, call.body, call.headers["if-match"]) == ({"$select": "id", "$expand": "extensions"}, CONTACT, "*")
    wanted = {"idtype": "ImmutableId", "outlook.timezone": "W. Europe Standard Time", "odata.maxpagesize": "5", "respond-async": ""}
    assert (call.prefers, call.user.email) == (wanted, "me@home.example")


def test_a_body_that_is_no_json_is_handed_on_as_it_came(graph: GraphEmulator, calls: list[Call]) -> None:
    assert ask(graph, "POST", "/me/contacts", b"From: me", kind="text/plain").status == 200
    assert (calls[0].body, calls[0].raw) == (None, b"From: me")


@pytest.mark.parametrize("body", [{**CONTACT, "singleValueExtendedProperties": [PROPERTY]}, {"jobTitle": None, "categories": []}])
def test_a_body_may_hold_what_the_model_knows(graph: GraphEmulator, body: dict[str, Any]) -> None:
    assert ask(graph, "PATCH", "/me/contacts/1", body).status == 200
    assert graph.complaints == []


def test_an_upload_carries_no_token(graph: GraphEmulator, calls: list[Call]) -> None:
    assert ask(graph, "PUT", "/uploads/s", b"x", kind="application/octet-stream").status == 401
    assert (calls, len(graph.complaints)) == ([], 1)


@pytest.mark.parametrize(
    ("answer", "status", "body", "kind"),
    [
        ({"id": "1"}, 200, b'{"id":"1"}', "application/json; charset=UTF-8"),
        ((201, {"id": "1"}), 201, b'{"id":"1"}', "application/json; charset=UTF-8"),
        ((202, None), 202, b"", None),
        (None, 204, b"", None),
        (b"\x89PNG", 200, b"\x89PNG", "application/octet-stream"),
        (Answer(200, b"x", {"content-type": "text/plain"}), 200, b"x", "text/plain"),
    ],
)
def test_a_handler_answers_in_one_of_several_ways(answer: Any, status: int, body: bytes, kind: str | None) -> None:
    told = answered(lambda call: answer)
    assert (told.status, told.body, told.headers.get("content-type")) == (status, body, kind)


def test_an_error_is_told_as_graph_does() -> None:
    def refuse(call: Call) -> dict[str, Any]:
        raise GraphError(404, "ErrorItemNotFound", "Gone.")

    told = answered(refuse)
    assert (told.status, code(told), told.json["error"]["message"]) == (404, "ErrorItemNotFound", "Gone.")
    assert set(told.json["error"]["innerError"]) == {"date", "request-id", "client-request-id"}


@pytest.mark.parametrize(
    "answer", [{"mail": 5}, {"email": "me@home.example"}, {"value": [{"id": "1"}, {"colour": "red"}]}, {"birthday": "today"}]
)
def test_an_own_answer_that_breaks_the_model_is_complained_of(answer: dict[str, Any]) -> None:
    with GraphEmulator(handlers={"GET /me": lambda call: answer}) as graph:
        graph.account("me@home.example")
        ask(graph, "GET", "/me")
        (complaint,) = graph.complaints
        assert complaint.startswith("GET /me: own answer: ")


def test_a_handler_that_breaks_is_complained_of() -> None:
    with GraphEmulator(handlers={"GET /me": lambda call: {"id": call.path["nothing"]}}) as graph:
        graph.account("me@home.example")
        assert ask(graph, "GET", "/me").status == 500
        assert "KeyError" in graph.complaints[0]


def answered(handler: Any) -> Any:
    with GraphEmulator(handlers={"GET /me": handler}) as graph:
        graph.account("me@home.example")
        told = ask(graph, "GET", "/me")
        assert graph.complaints == []
        return told
