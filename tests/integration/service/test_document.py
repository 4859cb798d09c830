"""The OpenAPI document against the service: whatever is sent, it answers as the document says, and never fails."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
import schemathesis
from doubles.routes import Offered, application, every_route
from doubles.service import Running, Threaded, serving_in_a_thread
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from assistant.service.callers import SCOPES
from assistant.timetable.rules import Cron, Remind
from integrations.actions import SendMail
from integrations.types import Address, MailQuery

EXAMPLES = 5
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
LEFT_OUT = {"POST /api/accounts/local", "POST /api/accounts/imap", "POST /api/accounts/imap/servers"}
"""They make folders wherever they are told to, and look for servers all over the internet."""
LASTING = {"DELETE /api/conversations/{id}", "DELETE /api/schedules/{id}"}
"""It would take away what the others are tried on."""

PATHS = application().openapi()["paths"]
ROUTES = [
    route for route in every_route() if str(route).partition(" ")[2] in PATHS and not route.is_stream and str(route) not in LEFT_OUT
]


@pytest.fixture(autouse=True)
def pools_without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The HTTP library that comes with caldav takes urllib3's place; schemathesis counts the keys of urllib3's pools."""
    with suppress(ImportError):
        monkeypatch.setattr(import_module("urllib3.util.traffic_police").TrafficPolice, "keys", lambda _: (), raising=False)


def operation_of(route: Offered) -> dict[str, Any]:
    method, _, path = str(route).partition(" ")
    found: dict[str, Any] = PATHS[path][method.lower()]
    return found


TAKING = [route for route in ROUTES if operation_of(route).get("parameters") or "requestBody" in operation_of(route)]
THERE = ("conversations", "flows", "previews", "questions", "outbox", "mails", "schedules")
"""Of these there is something that a path can name."""
NAMING = [r for r in ROUTES if "{" in r.path and r.path.split("/")[2] in THERE and str(r) not in LASTING]


async def something_of_each(running: Running) -> dict[str, str]:
    """The ids of things that are there, by the part of a path in front of them."""
    owner = await running.household.of("owner")
    asked = await owner.say("here", "Send a mail to David")
    assert asked.question is not None
    proposed = await owner.say("here", "Email Anna Kowalski that I will be late tomorrow")
    anna = Address(email="anna.kowalski@northwind.example")
    later = SendMail(account="sample", to=(anna,), subject="s", body="b", send_at=owner.clock() + timedelta(days=1))
    (held,) = (await owner.propose("later", [later])).previews
    (outcome,) = (await owner.approve(held.id, held.fingerprint)).outcomes
    schedule = await owner.schedules.add("Plants", Remind(text="water the plants"), Cron(expression="0 8 * * *"))
    mails = await owner.readers.mail.search(MailQuery(limit=1))
    return {
        "conversations": "here",
        "flows": proposed.flow,
        "previews": proposed.previews[0].id,
        "questions": asked.question.id,
        "outbox": outcome.key,
        "mails": mails.items[0].id,
        "schedules": schedule.id,
    }


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Threaded]:
    with serving_in_a_thread(tmp_path_factory.mktemp("home")) as service:
        yield service


@pytest.fixture(scope="module")
def headers(service: Threaded) -> dict[str, str]:
    return {"Authorization": f"Bearer {service.token(scopes=SCOPES)}"}


@pytest.fixture(scope="module")
def schema(service: Threaded) -> Any:
    return schemathesis.openapi.from_url(f"{service.url}/openapi.json")


@pytest.fixture(scope="module")
def there(service: Threaded) -> dict[str, str]:
    found: dict[str, str] = service.do(something_of_each(service.running))
    return found


def try_out(schema: Any, route: Offered, headers: dict[str, str], mode: GenerationMode, **given_as: Any) -> None:
    method, _, path = str(route).partition(" ")

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[path][method].as_strategy(generation_mode=mode, **given_as))
    def holds(case: Any) -> None:
        case.call_and_validate(headers=headers, checks=CHECKS)

    holds()


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_what_is_valid_is_answered_as_the_document_says(route: Offered, schema: Any, headers: dict[str, str]):
    try_out(schema, route, headers, GenerationMode.POSITIVE)


@pytest.mark.parametrize("route", TAKING, ids=str)
def test_what_is_not_valid_is_refused_as_the_document_says(route: Offered, schema: Any, headers: dict[str, str]):
    try_out(schema, route, headers, GenerationMode.NEGATIVE)


@pytest.mark.parametrize("route", NAMING, ids=str)
def test_about_what_is_there_it_answers_as_the_document_says(
    route: Offered, schema: Any, headers: dict[str, str], there: dict[str, str]
):
    known = there[route.path.split("/")[2]]
    try_out(schema, route, headers, GenerationMode.POSITIVE, path_parameters={"id": known, "key": known, "account": "sample"})
