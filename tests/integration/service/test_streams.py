"""Talking and following over HTTP: what is under way runs on, and who comes back has missed nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from doubles.cluster import until
from doubles.events import Event, events_of
from doubles.service import Running, serving
from doubles.thoughtful import Thoughtful

from assistant.facade import Assistant, Said
from assistant.service.routes import messages
from storage import users
from storage.tables import OWNER

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOMORROW = "what's on my calendar tomorrow?"
MAIL = "send a mail to zoe@example.org saying I'll be ten minutes late"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    async with serving(tmp_path_factory.mktemp("service") / "home", zone="Europe/Berlin") as service:
        yield service


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def me(service: Running) -> httpx2.AsyncClient:
    return await service.sign_in()


@pytest_asyncio.fixture(loop_scope="module")
async def here(me: httpx2.AsyncClient) -> str:
    """The address of a new conversation."""
    return f"/api/conversations/{(await me.post('/api/conversations')).json()['id']}"


@pytest_asyncio.fixture(loop_scope="module")
async def assistant(service: Running) -> Assistant:
    return await service.household.of(OWNER)


async def heard(client: httpx2.AsyncClient, here: str, cursor: str = "", until: str = "caught_up", most: int = 0) -> list[Event]:
    """What a browser hears before it goes: up to an event of that name, or so many."""
    events: list[Event] = []
    async with client.stream("GET", f"{here}/events", headers={"Last-Event-ID": cursor} if cursor else {}) as response:
        async for event in events_of(response):
            events.append(event)
            if event.name == until or len(events) == most:
                return events
    return events


async def say(client: httpx2.AsyncClient, here: str, text: str, **headers: str) -> httpx2.Response:
    return await client.post(f"{here}/messages", json={"text": text}, headers=headers)


async def begun(assistant: Assistant, conversation: str) -> None:
    """Returns when something was said there."""
    async for followed in assistant.follow(conversation):
        if isinstance(followed.item, Said):
            return


async def follower(service: Running, here: str) -> None:
    """Returns when somebody follows the conversation."""

    async def follows() -> bool:
        return bool(service.app.state.streams.of(OWNER, here.rpartition("/")[2]))

    await until(follows)


def names(events: list[Event]) -> list[str]:
    return [event.name for event in events]


async def test_a_message_is_answered_with_its_turn(me, here):
    turn = (await say(me, here, TOMORROW)).json()
    assert turn["status"] == "done" and "Events, " in turn["reply"]


async def test_a_message_can_be_followed_in_its_own_answer(me, here):
    await say(me, here, "what is Tom's phone number?")
    events = []
    headers = {"Accept": "text/event-stream"}
    async with me.stream("POST", f"{here}/messages", json={"text": MAIL}, headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        events = [event async for event in events_of(response)]
    assert events[0].name == "message" and events[0].data["text"] == MAIL
    assert names(events)[-2:] == ["message", "turn"] and set(names(events)[1:-2]) == {"step"}
    assert events[-1].data["previews"][0]["items"][0]["recipients"][0]["address"]["email"] == "zoe@example.org"


async def test_its_answer_is_the_same_when_following_begins_late(me, here, assistant, monkeypatch):
    follow = messages._follow

    async def late(*given: Any) -> None:
        await begun(assistant, here.rpartition("/")[2])
        await follow(*given)

    monkeypatch.setattr(messages, "_follow", late)
    async with me.stream("POST", f"{here}/messages", json={"text": MAIL}, headers={"Accept": "text/event-stream"}) as response:
        events = [event async for event in events_of(response)]
    assert names(events)[0] == "message" and names(events)[-1] == "turn" and "caught_up" not in names(events)


async def test_a_reload_in_the_middle_of_a_stream_loses_nothing_and_doubles_nothing(me, here):
    """The page is loaded anew after each of the first events, and goes on from the last that it got."""
    saying = asyncio.create_task(say(me, here, MAIL))
    events: list[Event] = []
    while "turn" not in names(events):
        cursor = events[-1].id if events else ""
        events += [event for event in await heard(me, here, cursor, until="turn", most=2) if event.name != "caught_up"]
    flow = (await saying).json()["flow"]
    whole = [event for event in await heard(me, here) if event.name != "caught_up"]
    assert [(e.name, e.data.get("seq"), e.data.get("id")) for e in events] == [
        (e.name, e.data.get("seq"), e.data.get("id")) for e in whole
    ]
    stored = (await me.get(f"/api/flows/{flow}/events")).json()["items"]
    assert [event.data for event in events if event.name == "step"] == stored


async def test_what_is_said_runs_on_when_its_sender_goes(service, here, assistant):
    impatient = await service.sign_in()
    sending = asyncio.create_task(say(impatient, here, TOMORROW))
    following = asyncio.create_task(heard(await service.sign_in(), here, until="turn"))
    await begun(assistant, here.rpartition("/")[2])
    sending.cancel()
    await impatient.aclose()
    assert (await following)[-1].data["status"] == "done"


async def test_an_answer_is_not_waited_for_by_whoever_asks_so(me, here):
    following = asyncio.create_task(heard(me, here, until="turn"))
    accepted = await say(me, here, TOMORROW, Prefer="respond-async")
    assert accepted.status_code == 202 and accepted.json()["conversation"] == here.rpartition("/")[2]
    assert (await following)[-1].data["status"] == "done"


async def test_a_message_that_is_sent_again_is_said_once(me, here):
    first, second = await asyncio.gather(*(say(me, here, TOMORROW, **{"Idempotency-Key": "k1"}) for _ in range(2)))
    third = await say(me, here, TOMORROW, **{"Idempotency-Key": "k1"})
    assert first.json()["flow"] == second.json()["flow"] == third.json()["flow"]
    assert len((await me.get(f"{here}/messages")).json()["items"]) == 2


async def test_another_message_under_the_same_key_is_refused(me, here):
    await say(me, here, TOMORROW, **{"Idempotency-Key": "k2"})
    assert (await say(me, here, "hello", **{"Idempotency-Key": "k2"})).status_code == 422


async def test_the_same_words_with_less_right_are_another_message(service, me, here):
    program = await service.bearer(scopes=("read", "propose"))
    await say(me, here, TOMORROW, **{"Idempotency-Key": "k3"})
    assert (await say(program, here, TOMORROW, **{"Idempotency-Key": "k3"})).status_code == 422


async def test_keys_of_one_user_are_nothing_to_another(service, me, here):
    await service.household.database.write(lambda s: users.add(s, "tom", name="Tom", at=service.household.clock()))
    tom = await service.sign_in("tom")
    toms = f"/api/conversations/{(await tom.post('/api/conversations')).json()['id']}"
    mine = await say(me, here, TOMORROW, **{"Idempotency-Key": "k4"})
    other = await say(tom, toms, TOMORROW, **{"Idempotency-Key": "k4"})
    assert other.status_code == 200 and other.json()["flow"] != mine.json()["flow"]


async def test_two_tabs_hear_the_same(me, here):
    tabs = [asyncio.create_task(heard(me, here, until="turn")) for _ in range(2)]
    await say(me, here, TOMORROW)
    one, other = [[(e.name, e.data.get("seq")) for e in await tab if e.name != "caught_up"] for tab in tabs]
    assert one == other


async def test_what_goes_wrong_meanwhile_is_told_to_whoever_follows(service, me, here, monkeypatch):
    async def fails(*_: object, **__: object) -> None:
        await asyncio.sleep(0)
        raise RuntimeError("secret")

    monkeypatch.setattr(Assistant, "say", fails)
    following = asyncio.create_task(heard(me, here, until="problem"))
    await follower(service, here)
    assert (await say(me, here, TOMORROW, Prefer="respond-async")).status_code == 202
    problem = (await following)[-1]
    assert problem.data["status"] == 500 and "secret" not in problem.data["detail"] and not problem.id


async def test_words_from_a_token_that_may_not_approve_mandate_nothing(service, here):
    program = await service.bearer(scopes=("read", "propose"))
    turn = (await say(program, here, "flag the last mail from Anna")).json()
    assert turn["previews"] and not turn["outcomes"]
    assert (await say(program, here, "yes")).json()["outcomes"] == []


async def test_a_token_that_may_not_approve_does_not_answer_which_preview_is_meant(service, me, here, assistant):
    for text in (MAIL, MAIL.replace("zoe", "max"), "ok"):
        turn = (await say(me, here, text)).json()
    program = await service.bearer(scopes=("read", "propose"))
    answer = await program.post(f"/api/questions/{turn['question']['id']}/answer", json={"words": "1"})
    assert answer.status_code == 409
    assert len(await assistant.open_previews(here.rpartition("/")[2])) == 2


async def test_changes_in_the_words_of_a_program_mandate_nothing(service, me, here):
    (preview,) = (await say(me, here, MAIL)).json()["previews"]
    program = await service.bearer(scopes=("read", "propose"))
    body = {"words": "flag the last mail from Anna", "fingerprint": preview["fingerprint"]}
    turn = (await program.post(f"/api/previews/{preview['id']}/revise", json=body)).json()
    assert turn["outcomes"] == []


@pytest.mark.parametrize("address", ["/api/conversations/nowhere/messages", "/api/conversations/nowhere/events"])
async def test_a_conversation_that_is_not_there_is_not_found(me, address):
    answer = await (me.post(address, json={"text": "hi"}) if address.endswith("messages") else me.get(address))
    assert answer.status_code == 404


async def test_hints_tell_of_all_conversations(me, here):
    async with me.stream("GET", "/api/live") as response:
        events = events_of(response)
        counts = (await anext(events)).data
        await say(me, here, MAIL)
        changed: set[str] = set()
        async for event in events:  # a conversation of another test may still be at work
            if event.name == "changed":
                changed.add(event.data["conversation"])
            if event.name == "counts" and here.rpartition("/")[2] in changed:
                break
    assert event.data["previews"] > counts["previews"]


async def test_the_counts_follow_what_is_withdrawn_although_nothing_is_said_of_it(me, here, monkeypatch):
    monkeypatch.setattr("assistant.running.following.LOOK", 0.01)
    account = (await me.get("/api/accounts")).json()["items"][0]["name"]
    mail = {"kind": "send_mail", "account": account, "to": [{"email": "zoe@example.org"}], "subject": "s", "body": "b"}
    proposed = await me.post(f"{here}/actions", json={"actions": [mail | {"send_at": "2150-01-01T09:00:00Z"}]})
    (preview,) = proposed.json()["previews"]
    approved = await me.post(f"/api/previews/{preview['id']}/approve", json={"fingerprint": preview["fingerprint"]})
    (held,) = approved.json()["outcomes"]
    async with me.stream("GET", "/api/live") as response:
        events = events_of(response)
        before = (await anext(events)).data["outgoing"]
        assert (await me.post(f"/api/outbox/{held['key']}/withdraw", json={})).status_code == 200
        async for event in events:
            if event.name == "counts" and event.data["outgoing"] == before - 1:
                break


async def test_the_counts_tell_when_a_schedule_is_changed_although_nothing_is_said(service, me, monkeypatch):
    monkeypatch.setattr("assistant.running.following.LOOK", 0.01)
    wanted = {"task": {"kind": "remind", "text": "stretch"}, "rule": {"kind": "cron", "expression": "0 9 * * *"}}
    schedule = f"/api/schedules/{(await me.post('/api/schedules', json=wanted)).json()['id']}"
    async with me.stream("GET", "/api/live") as response:
        marks = (event.data["schedules"] async for event in events_of(response) if event.name == "counts")
        seen = [await anext(marks)]
        for change in ("pause", "resume"):
            assert (await me.post(f"{schedule}/{change}")).status_code == 200
            seen.append(await anext(marks))
    assert seen[0] != seen[1] != seen[2]


async def test_a_stream_is_kept_alive_and_ends_for_whoever_may_not_listen_any_more(service, here, monkeypatch):
    monkeypatch.setattr("assistant.service.live.PING", 0.02)
    client = await service.sign_in()
    async with client.stream("GET", f"{here}/events") as response:
        lines = response.aiter_lines()
        async for line in lines:
            if line == ": ping":
                break
        await client.post("/api/sign-out", json={})
        assert [line async for line in lines if line.startswith("event")] == []


async def test_a_second_message_interrupts_the_first_which_can_be_resumed(tmp_path: Path):
    thinking = Thoughtful()
    async with serving(tmp_path / "home", zone="Europe/Berlin", reasoner=thinking) as service:
        me = await service.sign_in()
        here = f"/api/conversations/{(await me.post('/api/conversations')).json()['id']}"
        first = asyncio.create_task(say(me, here, "what needs my attention?"))
        await thinking.asked.wait()
        second = asyncio.create_task(say(me, here, TOMORROW))
        interrupted = (await first).json()
        assert interrupted["status"] == "suspended"
        thinking.may_answer.set()
        assert (await second).json()["status"] == "done"
        assert (await me.post(f"/api/flows/{interrupted['flow']}/resume")).json()["status"] == "done"


async def test_what_is_under_way_when_the_service_ends_goes_on_at_the_next_start(tmp_path: Path):
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        me = await service.sign_in()
        here = f"/api/conversations/{(await me.post('/api/conversations')).json()['id']}"
        following = asyncio.create_task(heard(me, here, until="step"))
        await say(me, here, "what needs my attention?", Prefer="respond-async")
        events = await following
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        me = await service.sign_in()
        events += await heard(me, here, events[-1].id, until="turn")
        assert events[-1].data["status"] == "done"
        whole = await heard(me, here)
        steps = [(e.data["seq"], e.data["text"]) for e in events if e.name == "step"]
        assert steps == [(e.data["seq"], e.data["text"]) for e in whole if e.name == "step"]


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_message_that_is_sent_again_after_a_restart_is_said_once(tmp_path: Path, accept: str):
    headers = {"Idempotency-Key": "k", "Accept": accept}
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        me = await service.sign_in()
        here = f"/api/conversations/{(await me.post('/api/conversations')).json()['id']}"
        first = (await say(me, here, "flag the last mail from Anna", **{"Idempotency-Key": "k"})).json()
        assert first["outcomes"]
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        me = await service.sign_in()
        for _ in range(2):
            assert first["flow"] in (await say(me, here, "flag the last mail from Anna", **headers)).text
        said = (await me.get(f"{here}/messages")).json()["items"]
        assert [one["role"] for one in said] == ["user", "assistant"]


async def test_what_goes_on_after_a_restart_is_waited_for_by_whoever_sends_it_again(tmp_path: Path):
    key = {"Idempotency-Key": "k"}
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        me = await service.sign_in()
        here = f"/api/conversations/{(await me.post('/api/conversations')).json()['id']}"
        sending = asyncio.create_task(say(me, here, "what needs my attention?", **key))
        await heard(me, here, until="step")
    await asyncio.wait([sending])
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        me = await service.sign_in()
        turn = (await say(me, here, "what needs my attention?", **key)).json()
        assert turn["status"] == "done" and turn["reply"]
        said = (await me.get(f"{here}/messages")).json()["items"]
        assert [one["role"] for one in said] == ["user", "assistant"]


async def test_an_answer_that_is_sent_again_after_a_restart_is_given_once(tmp_path: Path):
    """It is no flow of its own: the one that asked went on with it."""
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        me = await service.sign_in()
        here = f"/api/conversations/{(await me.post('/api/conversations')).json()['id']}"
        for text in (MAIL, MAIL.replace("zoe", "max"), "ok"):
            asked = (await say(me, here, text)).json()
        assert asked["question"]
        first = (await say(me, here, "1", **{"Idempotency-Key": "k"})).json()
        assert first["outcomes"]
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        me = await service.sign_in()
        again = (await say(me, here, "1", **{"Idempotency-Key": "k"})).json()
        assert again["flow"] == first["flow"]
        assert len((await me.get(f"{here}/messages")).json()["items"]) == 8
