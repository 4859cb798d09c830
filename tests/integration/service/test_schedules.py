"""Schedules, briefings and targets over HTTP."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx2
import pytest
from doubles.service import Threaded, serving_in_a_thread

from assistant.service.callers import SCOPES
from assistant.service.entering import secrets
from integrations.common.certificates import usual
from storage import users

NOW = datetime(2026, 11, 22, 20, 0, tzinfo=ZoneInfo("Europe/Berlin"))
WORDS = "every weekday at 8 summarise my inbox and my day"
WEEKDAYS = {"kind": "cron", "expression": "0 8 * * 1-5"}
MORNING = {"kind": "briefing", "parts": ["inbox", "day"]}
CALL = {"kind": "remind", "text": "call the dentist"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Threaded]:
    with serving_in_a_thread(tmp_path_factory.mktemp("home"), clock=lambda: NOW.astimezone(UTC), zone="Europe/Berlin") as service:
        yield service


@pytest.fixture(scope="module")
def person(service: Threaded) -> Iterator[httpx2.Client]:
    name, secret = service.cookie()
    headers = {"Cookie": f"{name}={secret}", "X-CSRF-Token": secrets.csrf(secret)}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=30, verify=usual()) as client:
        yield client


@pytest.fixture(scope="module")
def program(service: Threaded) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {service.token(scopes=SCOPES)}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=30, verify=usual()) as client:
        yield client


@pytest.fixture(scope="module")
def member(service: Threaded) -> Iterator[httpx2.Client]:
    service.do(service.running.household.database.write(lambda s: users.add(s, "carla", name="Carla", at=NOW)))
    headers = {"Authorization": f"Bearer {service.token('carla', scopes=SCOPES)}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=30, verify=usual()) as client:
        yield client


def told(answer: httpx2.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def refused(answer: httpx2.Response, status: int) -> str:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return str(told(answer, status)["detail"])


def added(client: httpx2.Client, **wanted: Any) -> Any:
    return told(client.post("/api/schedules", json={"task": CALL, "rule": WEEKDAYS, **wanted}), 201)


# --- what was understood


def test_words_are_read_without_adding_anything(person: httpx2.Client):
    before = told(person.get("/api/schedules"))
    read = told(person.post("/api/schedules/read", json={"words": WORDS}))
    assert (read["does"], read["words"], read["trouble"]) == ("briefing on your inbox and your day", "every weekday at 08:00", "")
    assert read["task"] == MORNING and read["rule"] == WEEKDAYS
    assert read["next"] == ["2026-11-23T08:00:00+01:00", "2026-11-24T08:00:00+01:00", "2026-11-25T08:00:00+01:00"]
    assert told(person.get("/api/schedules")) == before


def test_what_was_put_together_is_read_as_well(person: httpx2.Client):
    once = {"kind": "once", "at": "2026-11-27T09:00:00"}
    read = told(person.post("/api/schedules/read", json={"task": CALL, "rule": once, "zone": "America/New_York"}))
    assert (read["name"], read["next"]) == ("call the dentist", ["2026-11-27T09:00:00-05:00"])


@pytest.mark.parametrize(
    ("wanted", "trouble"),
    [
        ({"task": CALL, "rule": {"kind": "once", "at": "2026-11-20T09:00:00"}}, "over"),
        ({"task": CALL, "rule": {"kind": "cron", "expression": "70 8 * * *"}}, "minute is wrong"),
        ({"task": CALL, "rule": WEEKDAYS, "targets": ["pager"]}, "no target called pager"),
    ],
)
def test_what_could_not_be_added_is_said_before_it_is(person: httpx2.Client, wanted: dict[str, Any], trouble: str):
    assert trouble in told(person.post("/api/schedules/read", json=wanted))["trouble"]
    assert refused(person.post("/api/schedules", json=wanted), 400)


def test_words_that_lack_something_are_answered_with_what_to_say(person: httpx2.Client):
    assert "When" in refused(person.post("/api/schedules", json={"words": "remind me to call Anna"}), 400)
    assert "such as" in refused(person.post("/api/schedules", json={"words": "hello"}), 400)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"words": WORDS, "task": CALL, "rule": WEEKDAYS},
        {"task": CALL},
        {"task": {"kind": "remind", "text": " "}, "rule": WEEKDAYS},
        {"task": {"kind": "remind", "text": "a\x00b"}, "rule": WEEKDAYS},
        {"task": {"kind": "briefing", "parts": []}, "rule": WEEKDAYS},
        {"task": {"kind": "shell", "text": "rm"}, "rule": WEEKDAYS},
        {"task": CALL, "rule": {"kind": "cron", "expression": "0 " * 400}},
        {"task": CALL, "rule": {"kind": "once", "at": "9999-12-31T23:59:59"}},
        {"task": CALL, "rule": {"kind": "once", "at": "2026-11-27T09:00:00+01:00"}},
        {"task": CALL, "rule": WEEKDAYS, "name": "a\nb"},
    ],
)
def test_what_is_not_valid_is_refused(person: httpx2.Client, body: dict[str, Any]):
    refused(person.post("/api/schedules", json=body), 422)


def test_a_zone_that_is_none_is_refused(person: httpx2.Client):
    assert "Mars" in refused(person.post("/api/schedules", json={"task": CALL, "rule": WEEKDAYS, "zone": "Mars/Base"}), 400)


# --- adding, changing, removing


def test_it_is_added_in_words_listed_and_removed(person: httpx2.Client):
    made = told(person.post("/api/schedules", json={"words": WORDS}), 201)
    assert (made["name"], made["words"], made["by_program"], made["last"]) == (
        "Morning briefing",
        "every weekday at 08:00",
        False,
        None,
    )
    assert datetime.fromisoformat(made["next"]) == datetime(2026, 11, 23, 8, tzinfo=NOW.tzinfo)
    assert told(person.get(f"/api/schedules/{made['id']}")) == made
    assert made in told(person.get("/api/schedules"))["items"]
    told(person.delete(f"/api/schedules/{made['id']}"))
    refused(person.get(f"/api/schedules/{made['id']}"), 404)


def test_a_repeated_request_adds_it_once(person: httpx2.Client):
    key = {"Idempotency-Key": "once-only"}
    body = {"task": CALL, "rule": WEEKDAYS, "name": "Once only"}
    first, second = (told(person.post("/api/schedules", json=body, headers=key), 201) for _ in range(2))
    assert first == second
    names = [one["name"] for one in told(person.get("/api/schedules"))["items"]]
    assert [name for name in names if name.startswith("Once only")] == ["Once only"]


def test_what_a_program_adds_is_marked_as_its_own(program: httpx2.Client):
    assert added(program, name="By a program")["by_program"]


@pytest.mark.parametrize("scopes", [("read", "propose"), ("read", "propose", "approve")])
def test_who_may_not_manage_may_not_add(service: Threaded, scopes: tuple[Any, ...]):
    headers = {"Authorization": f"Bearer {service.token(scopes=scopes)}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=30, verify=usual()) as client:
        assert "manage" in refused(client.post("/api/schedules", json={"words": WORDS}), 403)
        assert told(client.get("/api/schedules"))


def test_it_is_changed_unless_somebody_else_has_changed_it(person: httpx2.Client):
    made = added(person, name="To change")
    path = f"/api/schedules/{made['id']}"
    later = {"kind": "cron", "expression": "30 9 * * *"}
    changed = told(person.patch(path, json={"version": made["version"], "rule": later, "name": "Changed"}))
    assert (changed["name"], changed["words"], changed["task"]) == ("Changed", "every day at 09:30", CALL)
    assert refused(person.patch(path, json={"version": made["version"], "name": "Too late"}), 409)


def test_it_is_paused_and_goes_on(person: httpx2.Client):
    path = f"/api/schedules/{added(person, name='To pause')['id']}"
    paused = told(person.post(f"{path}/pause"))
    assert paused["paused"] and paused["next"] is None
    assert told(person.post(f"{path}/resume"))["paused"] is None


# --- runs


def test_a_run_at_once_is_told_with_its_end_and_kept(person: httpx2.Client):
    made = added(person, name="To run")
    slot = told(person.post(f"/api/schedules/{made['id']}/run"))
    assert (slot["status"], slot["schedule"]) == ("done", made["id"]) and "call the dentist" in slot["result"]
    assert told(person.get(f"/api/schedules/{made['id']}/slots"))["items"] == [slot]
    assert told(person.get(f"/api/schedules/{made['id']}"))["last"] == slot
    said = told(person.get(f"/api/conversations/{made['conversation']}/messages"))["items"]
    assert [one["role"] for one in said] == ["schedule", "assistant"]
    assert said[-1]["turn"]["slot"] == f"{made['id']}/{slot['slot']}" and said[-1]["turn"]["briefing"] is None


def test_a_briefing_comes_with_the_turn_and_without_what_only_the_next_builds_on(person: httpx2.Client):
    made = added(person, name="Briefing", task=MORNING)
    told(person.post(f"/api/schedules/{made['id']}/run"))
    turn = told(person.get(f"/api/conversations/{made['conversation']}/messages"))["items"][-1]["turn"]
    assert turn["briefing"]["parts"] == ["inbox", "day"] and turn["briefing"]["sections"]
    assert not turn["briefing"].keys() & {"coverage", "weighed"}


def test_a_briefing_is_given_at_once(person: httpx2.Client):
    morning, week = told(person.get("/api/briefing")), told(person.get("/api/briefing?parts=week"))
    assert morning["parts"] == ["inbox", "day"] and week["parts"] == ["week"]
    kinds = {section["kind"] for section in morning["sections"]}
    assert {"answer", "phishing", "agenda"} <= kinds and not {"answer", "phishing"} & {one["kind"] for one in week["sections"]}
    assert [one["account"] for one in morning["looked"]] == ["sample"]
    refused(person.get("/api/briefing?parts=everything"), 422)


def test_an_event_of_a_briefing_is_looked_up_by_its_place(person: httpx2.Client):
    morning = told(person.get("/api/briefing?parts=week"))
    events = [line["event"] for section in morning["sections"] for line in section["lines"] if line["event"]]
    assert events
    for event in events:
        path = f"/api/calendar/{event['account']}/{event['calendar']}/{event['id']}"
        found = told(person.get(path, params={"recurrence": event["recurrence"]} if event["recurrence"] else {}))
        assert (found["title"], found["start"]) == (event["title"], event["start"])
    refused(person.get("/api/calendar/sample/calendar/unknown"), 404)


# --- targets


def test_a_target_is_added_listed_without_its_address_tried_and_removed(person: httpx2.Client):
    address = "json://127.0.0.1:9/a-secret-path"
    made = told(person.post("/api/targets", json={"name": "phone", "address": address}), 201)
    assert made["name"] == "phone"
    listed = person.get("/api/targets")
    assert told(listed)["items"] == [made] and "a-secret-path" not in listed.text
    tried = told(person.post("/api/targets/phone/try"))
    assert not tried["arrived"] and tried["says"] and "a-secret-path" not in tried["says"]
    kept = added(person, name="Sends there", targets=["Phone"])
    assert kept["targets"] == ["phone"]
    assert "Sends there" in refused(person.delete("/api/targets/phone"), 400)
    told(person.delete(f"/api/schedules/{kept['id']}"))
    told(person.delete("/api/targets/phone"))
    assert told(person.get("/api/targets"))["items"] == []


@pytest.mark.parametrize("address", ["no address", "nothing://x", "javascript:alert(1)"])
def test_an_address_that_can_not_be_used_is_refused_without_repeating_it(person: httpx2.Client, address: str):
    said = refused(person.post("/api/targets", json={"name": "bad", "address": address}), 400)
    assert address not in said


@pytest.mark.parametrize("address", ["json://127.0.0.1:9/x", "ntfy://intranet/topic", "mailto://u:p@gmail.com?smtp=10.0.0.1"])
def test_a_member_sends_the_service_to_no_server(member: httpx2.Client, address: str):
    assert "only the owner" in refused(member.post("/api/targets", json={"name": "inside", "address": address}), 400)


@pytest.mark.parametrize("address", ["ntfy://some-topic", "tgram://123456789:abcdefg_hijklmnop/lead2gold/"])
def test_a_member_has_results_sent_to_services_at_their_makers(member: httpx2.Client, address: str):
    told(member.post("/api/targets", json={"name": "phone", "address": address}), 201)
    told(member.delete("/api/targets/phone"))


# --- whose they are


def test_everybody_has_schedules_and_targets_of_their_own(person: httpx2.Client, member: httpx2.Client):
    mine = added(person, name="Mine")
    assert told(member.get("/api/schedules"))["items"] == told(member.get("/api/targets"))["items"] == []
    refused(member.post(f"/api/schedules/{mine['id']}/run"), 404)
    same = {"Idempotency-Key": "shared"}
    first = told(person.post("/api/schedules", json={"task": CALL, "rule": WEEKDAYS}, headers=same), 201)
    second = told(member.post("/api/schedules", json={"task": CALL, "rule": WEEKDAYS}, headers=same), 201)
    assert first["id"] != second["id"]
