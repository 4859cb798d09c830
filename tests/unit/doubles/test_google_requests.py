"""The emulated Google refuses what Google refuses, and answers as its own documents say."""

from collections.abc import Iterator
from typing import Any

import pytest
from doubles.google import ApiError, Call, GoogleEmulator
from doubles.google.client import service
from doubles.google.raw import ask

EVENT = {"start": {"date": "2026-03-01"}, "end": {"date": "2026-03-02"}}
EVENTS = "/calendar/v3/calendars/primary/events"
MESSAGES = "/gmail/v1/users/me/messages"


@pytest.fixture
def calls() -> list[Call]:
    return []


@pytest.fixture
def google(calls: list[Call]) -> Iterator[GoogleEmulator]:
    def kept(call: Call) -> dict[str, Any]:
        calls.append(call)
        return {}

    named = ["gmail.users.messages.list", "gmail.users.messages.send", "gmail.users.drafts.create", "gmail.users.messages.trash"]
    named += ["calendar.events.list", "calendar.events.insert", "calendar.events.patch"]
    named += ["people.people.get", "people.people.searchContacts", "people.people.createContact"]
    with GoogleEmulator(handlers=dict.fromkeys(named, kept)) as google:
        google.account("me@home.example")
        yield google


@pytest.mark.parametrize(
    ("verb", "target", "body"),
    [
        ("GET", f"{MESSAGES}?maxresults=5", None),
        ("GET", f"{MESSAGES}?maxResults=many", None),
        ("GET", f"{MESSAGES}?maxResults=-1", None),
        ("GET", f"{MESSAGES}?q=a&q=b", None),
        ("GET", f"{MESSAGES}?includeSpamTrash=yes", None),
        ("GET", f"{MESSAGES}?alt=xml", None),
        ("GET", f"{MESSAGES}?fields=messages(id", None),
        ("GET", f"{MESSAGES}?fields=mails", None),
        ("GET", f"{EVENTS}?timeMin=2026-03-01T00:00:00", None),
        ("GET", f"{EVENTS}?orderBy=title", None),
        ("GET", f"{EVENTS}?maxResults=0", None),
        ("GET", "/v1/people:searchContacts?query=a&readMask=names%20emails", None),
        ("POST", EVENTS, {**EVENT, "title": "Lunch"}),
        ("POST", EVENTS, {**EVENT, "summary": 5}),
        ("POST", EVENTS, {**EVENT, "attendees": {"email": "a@b.example"}}),
        ("POST", "/calendar/v3/users/me/calendarList", {"colorId": "1"}),
        ("POST", EVENTS, {"start": {"date": "2026-03-01"}}),
        ("POST", EVENTS, {**EVENT, "start": {"date": "1 March"}}),
        ("POST", EVENTS, None),
        ("POST", EVENTS, [EVENT]),
        ("POST", EVENTS, b"{"),
        ("POST", f"{MESSAGES}/send", {"raw": "no base64!"}),
        ("POST", f"{MESSAGES}/send", {"threadId": "t1"}),
        ("POST", "/gmail/v1/users/me/drafts", None),
        ("POST", f"{MESSAGES}/1/trash", {"id": "1"}),
        ("POST", "/v1/people:createContact", {"names": [{"givenName": "A", "nick": "B"}]}),
        ("POST", "/v1/people:createContact", {"genders": True}),
    ],
)
def test_a_wrong_request_is_refused_and_complained_of(
    google: GoogleEmulator, calls: list[Call], verb: str, target: str, body: Any
) -> None:
    assert ask(google, verb, target, body).status == 400
    assert (len(google.complaints), calls) == (1, [])


@pytest.mark.parametrize(
    ("verb", "target"),
    [
        ("GET", "/gmail/v2/users/me/messages"),
        ("PUT", MESSAGES),
        ("GET", "/v1/people/c1/c2"),
        ("GET", "/calendar/v3/calendars/a/b/events"),
        ("GET", "/upload/calendar/v3"),
        ("GET", "/"),
    ],
)
def test_what_no_document_tells_of_is_not_found(google: GoogleEmulator, verb: str, target: str) -> None:
    assert ask(google, verb, target).status == 404
    assert google.complaints == [f"{verb} {target}: no such method"]


def test_parameters_come_typed_and_with_their_defaults(google: GoogleEmulator, calls: list[Call]) -> None:
    ask(google, "GET", f"{MESSAGES}?labelIds=INBOX&labelIds=UNREAD&maxResults=7&includeSpamTrash=true&prettyPrint=false")
    given = {"userId": "me", "labelIds": ["INBOX", "UNREAD"], "maxResults": 7, "includeSpamTrash": True}
    assert calls[0].params.items() >= given.items()
    ask(google, "GET", MESSAGES)
    assert (calls[1].params["maxResults"], calls[1].params["includeSpamTrash"], "labelIds" in calls[1].params) == (
        100,
        False,
        False,
    )


def test_a_name_with_slashes_takes_no_more_than_its_pattern_lets_it(google: GoogleEmulator, calls: list[Call]) -> None:
    ask(google, "GET", "/v1/people/c7?personFields=names")
    ask(google, "GET", "/v1/people:searchContacts?query=an&readMask=names")
    assert [call.method for call in calls] == ["people.people.get", "people.people.searchContacts"]
    assert calls[0].params["resourceName"] == "people/c7"


def test_an_address_in_a_path_is_read_as_it_was_meant(google: GoogleEmulator, calls: list[Call]) -> None:
    ask(google, "GET", "/calendar/v3/calendars/m%C3%BCller%2Fteam%40home.example/events")
    assert calls[0].params["calendarId"] == "müller/team@home.example"


@pytest.mark.parametrize(
    ("target", "verb", "body"),
    [
        ("/v1/people:createContact", "POST", {"resourceName": "people/c1", "metadata": {"objectType": 5}}),
        (f"{MESSAGES}/send", "POST", {"raw": "eA", "internalDate": 5, "threadId": None}),
        (f"{EVENTS}/e1", "PATCH", {"start": {"dateTime": "2026-03-01T10:00:00", "timeZone": "Europe/Berlin"}}),
    ],
)
def test_a_body_is_read_as_leniently_as_google_does(google: GoogleEmulator, target: str, verb: str, body: Any) -> None:
    assert ask(google, verb, target, body).status == 200
    assert google.complaints == []


def test_an_upload_comes_with_what_stood_beside_it(google: GoogleEmulator, calls: list[Call]) -> None:
    mail = b"Subject: Hi\r\n\r\nBody\r\n"
    ask(google, "POST", f"/upload{MESSAGES}/send?uploadType=media", mail, kind="message/rfc822")
    parts = [b"Content-Type: application/json\r\n\r\n" + b'{"threadId": "t1"}', b"Content-Type: message/rfc822\r\n\r\n" + mail]
    body = b"".join(b"--x\r\n" + part + b"\r\n" for part in parts) + b"--x--\r\n"
    ask(google, "POST", f"/upload{MESSAGES}/send?uploadType=multipart", body, kind="multipart/related; boundary=x")
    assert [(call.body, call.media) for call in calls] == [(None, mail), ({"threadId": "t1"}, mail)]


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (f"/upload{MESSAGES}/send?uploadType=media", "text/plain"),
        (f"/upload{MESSAGES}/send", "message/rfc822"),
        (f"/upload{EVENTS}?uploadType=media", "message/rfc822"),
        (EVENTS, "message/rfc822"),
    ],
)
def test_an_upload_of_the_wrong_kind_or_place_is_refused(google: GoogleEmulator, target: str, kind: str) -> None:
    assert ask(google, "POST", target, b"Subject: Hi\r\n\r\n", kind=kind).status == 400
    assert len(google.complaints) == 1


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ({"emailAdress": "me@home.example"}, 'Unknown name "emailAdress"'),
        ({"messagesTotal": "3"}, "body.messagesTotal is not an integer"),
        ({"historyId": 3}, "body.historyId is not a string"),
        ({"historyId": None}, "body.historyId is null"),
        (None, "body is null"),
    ],
)
def test_an_own_answer_that_breaks_the_schema_is_complained_of(answer: Any, wrong: str) -> None:
    with GoogleEmulator(handlers={"gmail.users.getProfile": lambda call: answer}) as google:
        google.account("me@home.example")
        assert ask(google, "GET", "/gmail/v1/users/me/profile").status == 500
    assert wrong in google.complaints[0]


def test_a_handler_that_breaks_is_complained_of() -> None:
    def broken(call: Call) -> dict[str, Any]:
        raise KeyError(call.method)

    with GoogleEmulator(handlers={"gmail.users.getProfile": broken}) as google:
        google.account("me@home.example")
        assert ask(google, "GET", "/gmail/v1/users/me/profile").status == 500
        assert ask(google, "GET", "/gmail/v1/users/me/labels").status == 501
    assert ["KeyError" in complaint for complaint in google.complaints] == [True, False]


def test_a_refusal_that_a_careful_caller_meets_is_no_complaint() -> None:
    def refusing(call: Call) -> dict[str, Any]:
        raise ApiError(int(call.params["id"]), "notFound" if call.params["id"] == "404" else "failedPrecondition", "No.")

    with GoogleEmulator(handlers={"gmail.users.messages.get": refusing}) as google:
        google.account("me@home.example")
        assert [ask(google, "GET", f"{MESSAGES}/{status}").reason for status in (404, 400)] == ["notFound", "failedPrecondition"]
    assert google.complaints == []


def test_each_api_tells_its_errors_in_its_own_way() -> None:
    def nobody(call: Call) -> dict[str, Any]:
        raise ApiError(404, "notFound", "Not here.")

    handlers = dict.fromkeys(["gmail.users.messages.get", "calendar.events.get", "people.people.get"], nobody)
    entry = {"message": "Not here.", "domain": "global", "reason": "notFound"}
    common = {"code": 404, "message": "Not here."}
    with GoogleEmulator(handlers=handlers) as google:
        google.account("me@home.example")
        assert ask(google, "GET", f"{MESSAGES}/1").json["error"] == {**common, "errors": [entry], "status": "NOT_FOUND"}
        assert ask(google, "GET", f"{EVENTS}/1").json["error"] == {**common, "errors": [entry]}
        assert ask(google, "GET", "/v1/people/c1").json["error"] == {**common, "status": "NOT_FOUND"}


def test_a_mask_leaves_what_was_asked_for() -> None:
    part = {"headers": [{"name": "A", "value": "b"}], "parts": [{"filename": "x", "body": {"size": 1, "data": "eA"}}]}
    answer = {"id": "1", "snippet": "Hi", "labelIds": ["INBOX"], "payload": {**part, "mimeType": "text/plain"}}
    with GoogleEmulator(handlers={"gmail.users.messages.get": lambda call: answer}) as google:
        gmail = service(google, "gmail", google.account("me@home.example")).users().messages()

        def masked(fields: str) -> Any:
            return gmail.get(userId="me", id="1", fields=fields).execute()

        assert masked("id,labelIds") == {"id": "1", "labelIds": ["INBOX"]}
        assert masked("payload/headers/name") == {"payload": {"headers": [{"name": "A"}]}}
        wanted = {"payload": {"headers": part["headers"], "parts": [{"filename": "x", "body": {"size": 1}}]}}
        assert masked("payload(headers,parts(filename,body/size))") == wanted
        assert masked("payload/parts/body/size,payload/headers") == {
            "payload": {"headers": part["headers"], "parts": [{"body": {"size": 1}}]}
        }
        assert masked("*") == answer
    assert google.complaints == []


def test_another_persons_mailbox_is_refused(google: GoogleEmulator, calls: list[Call]) -> None:
    assert ask(google, "GET", "/gmail/v1/users/me%40home.example/messages").status == 200
    assert ask(google, "GET", "/gmail/v1/users/you%40home.example/messages").status == 403


def test_requests_are_told_in_their_order(google: GoogleEmulator) -> None:
    ask(google, "GET", MESSAGES)
    ask(google, "GET", f"{MESSAGES}?no=1")
    seen = [(one.method, one.path, one.user, one.api, one.status) for one in google.requests]
    common = ("GET", MESSAGES, "me@home.example", "gmail.users.messages.list")
    assert seen == [(*common, 200), (*common, 400)]
