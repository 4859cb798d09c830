"""Reading over HTTP: the day at a glance, mails, events, people, and how the service itself is."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx2
import pytest
from doubles.service import Threaded, serving_in_a_thread
from prometheus_client.parser import text_string_to_metric_families

from assistant.service.callers import SCOPES
from integrations.common.certificates import usual
from integrations.errors import Unavailable
from storage.errors import StorageError

NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Threaded]:
    with serving_in_a_thread(tmp_path_factory.mktemp("home"), clock=lambda: NOW, zone="Europe/Berlin") as service:
        yield service


@pytest.fixture(scope="module")
def client(service: Threaded) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {service.token(scopes=SCOPES)}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=30, verify=usual()) as client:
        yield client


def got(client: httpx2.Client, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_today_holds_the_days_events_in_order_and_nothing_of_other_days(client: httpx2.Client):
    today = got(client, "/api/today")
    assert (today["date"], today["zone"], today["day_starts"], today["day_ends"]) == (
        "2026-11-18",
        "Europe/Berlin",
        "09:00:00",
        "18:00:00",
    )
    starts = [event["start"] for event in today["events"]]
    assert starts and starts == sorted(starts) and all(start.startswith("2026-11-18") for start in starts)
    tomorrow = got(client, "/api/today?date=2026-11-19")
    assert tomorrow["date"] == "2026-11-19" and tomorrow["events"] != today["events"]


def test_events_that_overlap_are_told_as_pairs(client: httpx2.Client):
    days = [got(client, f"/api/today?date=2026-11-{day}") for day in range(16, 28)]
    pairs = [(day, pair) for day in days for pair in day["clashes"]]
    assert pairs
    for day, pair in pairs:
        first, second = sorted((e for e in day["events"] if e["id"] in pair), key=lambda event: event["start"])
        assert second["start"] < first["end"]


def test_what_asks_for_attention_is_told_with_its_reasons(client: httpx2.Client):
    today = got(client, "/api/today")
    assert 0 < len(today["mails"]) <= 10 and today["unread"] > 0
    for one in today["mails"]:
        assert one["reasons"] and one["why"] == "; ".join(one["reasons"])
    assert all(event["my_answer"] == "needs-action" for event in today["invitations"])


def test_an_account_out_of_reach_does_not_hide_the_rest_of_the_day(client: httpx2.Client, monkeypatch: pytest.MonkeyPatch):
    async def out_of_reach(self: object, query: object) -> None:
        raise Unavailable("The calendar can't be reached.")

    monkeypatch.setattr("integrations.local.calendar.LocalCalendarReader.events", out_of_reach)
    today = got(client, "/api/today")
    assert today["events"] == [] and today["mails"]
    assert today["skipped"] == ["The calendar can't be reached."]
    assert client.get("/api/calendar?start=2026-11-18T00:00:00Z&end=2026-11-19T00:00:00Z").status_code == 503


def test_mails_come_in_pages_without_their_texts(client: httpx2.Client):
    first = got(client, "/api/mails?limit=3")
    second = got(client, f"/api/mails?limit=3&cursor={first['next']}")
    ids = [mail["id"] for page in (first, second) for mail in page["items"]]
    assert len(set(ids)) == 6 and first["total"] == second["total"] > 6
    assert not any(mail["body"] for mail in first["items"])


def test_mails_are_chosen_by_words_sender_and_folder(client: httpx2.Client):
    everything = got(client, "/api/mails?limit=200")["items"]
    sender = everything[0]["sender"]["email"]
    assert {mail["sender"]["email"] for mail in got(client, f"/api/mails?sender={sender}")["items"]} == {sender}
    assert {mail["folder"] for mail in got(client, "/api/mails?folder=Sent")["items"]} == {"Sent"}
    assert all(mail["unread"] for mail in got(client, "/api/mails?unread=true")["items"])
    subject = everything[0]["subject"]
    found = client.get("/api/mails", params={"words": f'"{subject}"'}).json()["items"]
    assert everything[0]["id"] in [mail["id"] for mail in found]


def test_a_mail_is_read_alone_or_with_its_thread(client: httpx2.Client):
    listed = got(client, "/api/mails?limit=200")["items"]
    several = next(mail for mail in listed if mail["in_reply_to"])
    mail = got(client, f"/api/mails/sample/{several['id']}")
    assert mail["body"] and mail["subject"] == several["subject"]
    thread = got(client, f"/api/mails/sample/{several['id']}/thread")["items"]
    assert len(thread) > 1 and mail in thread
    assert [one["date"] for one in thread] == sorted(one["date"] for one in thread)


def test_people_are_found_by_part_of_a_name(client: httpx2.Client):
    (anna,) = [one for one in got(client, "/api/contacts?name=kowal")["items"] if one["emails"]]
    assert anna["name"] == "Anna Kowalski"


def test_health_and_readiness_need_nobody(service: Threaded):
    with httpx2.Client(base_url=service.url, timeout=30, verify=usual()) as stranger:
        assert [got(stranger, f"/api/{name}") for name in ("health", "ready")] == [{"status": "ok"}] * 2


def test_it_is_not_ready_while_the_database_does_not_answer(service: Threaded, monkeypatch: pytest.MonkeyPatch):
    async def away(self: object, work: object) -> None:
        raise StorageError("the file /secret/place is gone")

    monkeypatch.setattr("storage.database.Database.read", away)
    with httpx2.Client(base_url=service.url, timeout=30, verify=usual()) as stranger:
        answer = stranger.get("/api/ready")
    assert answer.status_code == 503 and "secret" not in answer.text


def test_metrics_count_requests_by_route_and_what_is_stored(service: Threaded, client: httpx2.Client):
    begun = client.post("/api/conversations").json()["id"]
    text = "Email Anna Kowalski that I will be late tomorrow"
    client.post(f"/api/conversations/{begun}/messages", json={"text": text})
    client.get("/api/previews/unknown")
    with httpx2.Client(base_url=service.url, timeout=30, verify=usual()) as stranger:
        stranger.post("/api/sign-in", json={"name": "owner", "password": "wrong"})
    told = client.get("/metrics")
    assert told.headers["content-type"].startswith("text/plain")
    found = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(told.text)
        for sample in family.samples
    }
    unknown = (("method", "GET"), ("route", "/api/previews/{id}"), ("status", "404"))
    assert found["assistant_requests_total", unknown] == 1
    assert found["assistant_flows", (("status", "done"),)] >= 1
    assert found["assistant_previews", (("level", "medium"), ("status", "open"))] == 1
    assert found["assistant_open_streams", ()] == 0
    assert found["assistant_sign_in_failures_total", ()] == 1
    assert found["process_resident_memory_bytes", ()] > 0
