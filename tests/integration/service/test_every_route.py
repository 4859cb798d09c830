"""Every route asks who is there, and with which right; what belongs to somebody else is not there."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from doubles.routes import Offered, every_route
from doubles.service import Running, Threaded, serving_in_a_thread

from assistant.service import doors, routes
from assistant.service.app import ROUTERS
from assistant.service.callers import SCOPES, Scope
from assistant.service.entering import secrets
from assistant.timetable.rules import Cron, Remind
from integrations.actions import SendMail
from integrations.common.certificates import usual
from integrations.types import Address
from storage import accounts, passkeys, sessions, tokens, users
from storage.session import Session
from storage.tables import OWNER

PUBLIC = {
    "GET /api/health",
    "GET /api/ready",
    "GET /api/entrance",
    "POST /api/sign-in",
    "POST /api/sign-in/passkey/options",
    "POST /api/sign-in/passkey",
    "POST /api/first-run",
    "GET /openapi.json",
    "GET /",
    "GET /page/{name}",
}
"""Whoever asks may have these: they let people in, show that the service is there, or hold nothing of anybody."""


ROUTES = every_route()
GUARDED = [route for route in ROUTES if str(route) not in PUBLIC]
NOT_THEIRS = ("/api/users/", "/v1/models/")
"""Users are the owner's to manage, and everybody's models are the same."""
NAMING = [route for route in GUARDED if "{" in route.path and not route.path.startswith(NOT_THEIRS)]
MANAGING_USERS = [route for route in GUARDED if route.path.startswith("/api/users")]


Theirs = dict[str, str]
"""The id of something that belongs to another user, by the part of a path in front of it."""


async def made_for_another(running: Running) -> Theirs:
    household = running.household
    await household.database.write(lambda s: users.add(s, "bert", name="Bert", at=household.clock()))
    bert = await household.of("bert")
    asked = await bert.say("berts", "Send a mail to David")
    assert asked.question is not None
    proposed = await bert.say("berts", "Email Anna Kowalski that I will be late tomorrow")
    later = SendMail(
        account="sample",
        to=(Address(email="anna.kowalski@northwind.example"),),
        subject="Later",
        body="Later.",
        send_at=bert.clock() + timedelta(days=1),
    )
    (held,) = (await bert.propose("later", [later])).previews
    (outcome,) = (await bert.approve(held.id, held.fingerprint)).outcomes
    assert outcome.status == "held"
    schedule = await bert.schedules.add("Bert's", Remind(text="water the plants"), Cron(expression="0 8 * * *"))
    await bert.targets.add("berts", "json://127.0.0.1:9/")
    assert (await bert.say("noted", "remember that I prefer tea")).status == "done"
    await running.token("bert")
    await running.session("bert")
    at = household.clock()
    folders = {"mail": "/nowhere"}

    def stored(s: Session) -> tuple[str, str]:
        accounts.add(s, name="berts", kind="local", address="b@b.example", settings=folders, at=at, user_id="bert")
        passkeys.add(s, "berts-key", user_id="bert", name="a key", public_key="", at=at)
        return tokens.list(s, "bert")[0].id, sessions.list(s, "bert")[0].id

    token, session = await household.database.write(stored)
    return {
        "conversations": "berts",
        "flows": proposed.flow,
        "previews": proposed.previews[0].id,
        "questions": asked.question.id,
        "outbox": outcome.key,
        "tokens": token,
        "sessions": session,
        "passkeys": "berts-key",
        "accounts": "berts",
        "mails": "berts",
        "calendar": "berts",
        "schedules": schedule.id,
        "targets": "berts",
        "notes": "1",
    }


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Threaded]:
    with serving_in_a_thread(tmp_path_factory.mktemp("home")) as service:
        yield service


@pytest.fixture(scope="module")
def theirs(service: Threaded) -> Theirs:
    found: Theirs = service.do(made_for_another(service.running))
    return found


@pytest.fixture(scope="module")
def client(service: Threaded) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=service.url, timeout=30, verify=usual()) as client:
        yield client


@pytest.fixture(scope="module")
def narrow(service: Threaded) -> dict[Scope, str]:
    """For each right a token that has all the others."""
    return {scope: service.token(scopes=[one for one in SCOPES if one != scope]) for scope in SCOPES}


async def ended_tokens(running: Running) -> list[str]:
    """One that was revoked, and one that has expired."""
    revoked, expired = await running.token(scopes=SCOPES), secrets.fresh(secrets.TOKEN)
    at = running.household.clock()

    def work(s: Session) -> None:
        (token,) = (one for one in tokens.list(s, OWNER) if one.digest == secrets.digest(revoked))
        assert tokens.remove(s, token.id, user_id=OWNER)
        tokens.add(s, "expired", digest=secrets.digest(expired), user_id=OWNER, name="old", scopes=SCOPES, at=at, expires=at)

    await running.household.database.write(work)
    return [revoked, expired]


@pytest.fixture(scope="module")
def ended(service: Threaded) -> list[str]:
    found: list[str] = service.do(ended_tokens(service.running))
    return found


def in_session(service: Threaded, user: str) -> dict[str, str]:
    """The headers of a browser in which this user has signed in."""
    name, secret = service.cookie(user)
    return {"Cookie": f"{name}={secret}", "X-CSRF-Token": secrets.csrf(secret)}


def by_token(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def ask(client: httpx2.Client, route: Offered, headers: dict[str, str], id: str = "unknown") -> httpx2.Response:
    """With a body that would be valid; `id` stands in for all that the path leaves open."""
    path = re.sub(r"{[^}]*}", id, route.path)
    body = None if route.method in ("GET", "DELETE") else BODIES.get(str(route), {})
    with client.stream(route.method, path, headers=headers, json=body) as answer:
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            answer.read()
        return answer


@pytest.fixture(scope="module")
def owner(service: Threaded) -> dict[str, str]:
    return in_session(service, OWNER)


SEND = {"kind": "send_mail", "account": "sample", "to": [{"email": "a@b.example"}], "subject": "s", "body": "b"}
BODIES: dict[str, Any] = {
    "POST /api/conversations/{id}/messages": {"text": "hello"},
    "POST /api/conversations/{id}/actions": {"actions": [SEND]},
    "POST /api/previews/{id}/approve": {"fingerprint": "v1:0"},
    "POST /api/previews/{id}/revise": {"fingerprint": "v1:0", "words": "at 4 pm"},
    "POST /api/questions/{id}/answer": {"words": "David Chen"},
    "POST /api/accounts/{kind}": {"name": "mine"},
    "POST /api/accounts/imap/servers": {"address": "nobody"},
    "POST /api/accounts/imap": {"address": "nobody", "servers": {}, "password": "x"},
    "POST /api/schedules": {"words": "every day at 8 brief me"},
    "POST /api/schedules/read": {"words": "every day at 8 brief me"},
    "POST /api/targets": {"name": "phone", "address": "json://127.0.0.1:9/"},
    "POST /api/users": {"name": "Carla"},
    "PUT /api/users/{id}": {"disabled": True},
}


def test_every_route_of_the_document_is_known_here_and_the_other_way_round(client: httpx2.Client):
    paths = client.get("/openapi.json").json()["paths"]
    documented = {f"{method.upper()} {path}" for path, operations in paths.items() for method in operations}
    here = {str(route) for route in ROUTES}
    assert documented <= here
    assert {name for name in here if name.startswith("GET /api") or " /api" in name} - documented == set()


def test_what_is_public_is_there():
    assert len(ROUTES) > 50
    assert {str(route) for route in ROUTES} >= PUBLIC


@pytest.mark.parametrize("route", GUARDED, ids=str)
def test_it_asks_for_a_right(route: Offered):
    assert route.scopes


@pytest.mark.parametrize("route", GUARDED, ids=str)
def test_it_refuses_whoever_presents_nothing_or_what_is_not_valid(route: Offered, ended: list[str], client: httpx2.Client):
    answers = [ask(client, route, by_token(token)) for token in ("", f"{secrets.TOKEN}forged", *ended)]
    assert [answer.status_code for answer in answers] == [401] * 4
    kind = "application/json" if route.path.startswith("/v1/") else "application/problem+json"  # OpenAI's errors are its own
    assert {answer.headers["content-type"] for answer in answers} == {kind}


@pytest.mark.parametrize("route", GUARDED, ids=str)
def test_it_refuses_a_token_without_its_rights(route: Offered, narrow: dict[Scope, str], client: httpx2.Client):
    for scope in route.scopes:
        assert ask(client, route, by_token(narrow[scope])).status_code == 403, scope


THOUGHT_ABOUT = [route for route in GUARDED if route.path.endswith(("/messages", "/answer", "/revise", "/resume", "/completions"))]
SET_UP = [route for route in GUARDED if route.path.startswith("/api/schedules") and "manage" in route.scopes]


@pytest.mark.parametrize("route", [one for one in THOUGHT_ABOUT if one.method == "POST" and one not in SET_UP], ids=str)
def test_to_ask_for_what_it_may_not_read_a_token_may_not_either(route: Offered, service: Threaded, client: httpx2.Client):
    answer = ask(client, route, by_token(service.token(scopes=["propose", "approve"])))
    assert answer.status_code == 403 and "may propose but not read" in answer.text


@pytest.mark.parametrize("route", SET_UP, ids=str)
def test_what_runs_by_itself_tells_what_it_read_so_that_managing_alone_is_not_enough(
    route: Offered, service: Threaded, client: httpx2.Client
):
    answer = ask(client, route, by_token(service.token(scopes=["manage"])))
    assert answer.status_code == 403 and "may manage but not read" in answer.text


@pytest.mark.parametrize("route", NAMING, ids=str)
def test_what_is_somebody_elses_is_not_there(route: Offered, theirs: Theirs, owner: dict[str, str], client: httpx2.Client):
    collection = route.path.split("/")[2]
    if collection not in theirs:
        pytest.fail(f"Say in this test what stands for {route.path} that belongs to another user.")
    foreign, unknown = (ask(client, route, owner, id) for id in (theirs[collection], "unknown"))
    assert (foreign.status_code, unknown.status_code) == (404, 404), foreign.text
    assert foreign.text.replace(theirs[collection], "unknown") == unknown.text


@pytest.mark.parametrize("route", MANAGING_USERS, ids=str)
def test_only_the_owner_manages_users(route: Offered, service: Threaded, theirs: Theirs, client: httpx2.Client):
    assert ask(client, route, in_session(service, "bert"), OWNER).status_code == 403


def test_no_room_is_left_out():
    rooms = [f"{house.__name__}.{one.name}" for house in (routes, doors) for one in pkgutil.iter_modules(house.__path__)]
    routers = [router for name in rooms if (router := getattr(importlib.import_module(name), "router", None)) is not None]
    assert len(routers) == len(ROUTERS) and all(router in ROUTERS for router in routers)


def test_the_document_names_and_explains_every_operation_once(client: httpx2.Client):
    document = client.get("/openapi.json").json()
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(set(names)) == len(names) and all(operation["tags"] for operation in operations)
    assert all(operation["description"].partition("Needs the right")[0] for operation in operations)
    explained = [tag["name"] for tag in document["tags"]]
    assert {tag for operation in operations for tag in operation["tags"]} == set(explained)
    assert [name for name in document["components"]["schemas"] if "__" in name] == [], "Two types have the same name."


def test_the_document_tells_who_is_let_in(client: httpx2.Client):
    document = client.get("/openapi.json").json()
    assert set(document["components"]["securitySchemes"]) == {"session", "token"}
    for route in ROUTES:
        operation = document["paths"].get(str(route).partition(" ")[2], {}).get(route.method.lower())
        if operation is not None:
            assert bool(operation.get("security")) == bool(route.scopes), route
            assert "default" in operation["responses"], route


def test_where_the_document_asks_for_a_session_no_token_is_enough(client: httpx2.Client, service: Threaded):
    paths, token = client.get("/openapi.json").json()["paths"], service.token(scopes=SCOPES)
    security = {
        str(route): paths.get(str(route).partition(" ")[2], {}).get(route.method.lower(), {}).get("security") for route in ROUTES
    }
    personal = [route for route in ROUTES if security[str(route)] == [{"session": []}]]
    assert len(personal) > 5
    for route in personal:
        answer = ask(client, route, by_token(token))
        assert answer.status_code == 403 and "not a token" in answer.text, route
