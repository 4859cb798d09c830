"""Conversations over HTTP: proposing, approving, looking through them, and what was asked wrongly."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from doubles.service import Running, serving

from assistant.service.callers import SCOPES
from storage import calls, users
from storage.tables import OWNER

LATE = "Email Anna Kowalski that I will be late tomorrow"


@pytest.fixture
async def service(tmp_path: Any) -> AsyncIterator[Running]:
    async with serving(tmp_path) as service:
        yield service


@pytest.fixture
async def client(service: Running) -> httpx2.AsyncClient:
    return await service.bearer(scopes=SCOPES)


async def got(client: httpx2.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def posted(client: httpx2.AsyncClient, path: str, body: Any = None) -> Any:
    answer = await client.post(path, json=body)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def said(client: httpx2.AsyncClient, text: str, conversation: str = "") -> Any:
    conversation = conversation or (await posted(client, "/api/conversations"))["id"]
    return await posted(client, f"/api/conversations/{conversation}/messages", {"text": text})


async def test_a_conversation_is_listed_by_what_was_said_first_in_it(client: httpx2.AsyncClient):
    turn = await said(client, LATE)
    await said(client, "What is the next event?", turn["conversation"])
    (listed,) = (await got(client, "/api/conversations"))["items"]
    assert listed["id"] == turn["conversation"] and listed["title"] == LATE
    assert listed["open_previews"] == 1 and not listed["running"]


async def test_one_in_which_nothing_was_said_is_not_listed(client: httpx2.AsyncClient):
    begun = await posted(client, "/api/conversations")
    assert (await got(client, "/api/conversations"))["items"] == []
    assert (await got(client, f"/api/conversations/{begun['id']}/messages"))["items"] == []


async def test_conversations_are_found_by_words_that_were_said_in_them(client: httpx2.AsyncClient):
    await said(client, "How many mails are unread?")
    turn = await said(client, LATE)
    found = (await got(client, "/api/conversations?q=kowalski"))["items"]
    assert [one["id"] for one in found] == [turn["conversation"]]
    assert (await got(client, "/api/conversations?q=100%25"))["items"] == []


async def test_conversations_come_in_pages_the_last_talked_in_first(client: httpx2.AsyncClient):
    made = [(await said(client, f"hello {number}"))["conversation"] for number in range(5)]
    await said(client, "hello again", made[0])
    seen, path = [], "/api/conversations?limit=2"
    while path:
        page = await got(client, path)
        seen += [one["id"] for one in page["items"]]
        path = f"/api/conversations?limit=2&before={page['next']}" if page["next"] else ""
    assert seen == [made[0], made[4], made[3], made[2], made[1]]


async def test_each_flow_is_told_with_the_message_that_it_ended_with(client: httpx2.AsyncClient):
    turn = await said(client, LATE)
    first, last = (await got(client, f"/api/conversations/{turn['conversation']}/messages"))["items"]
    assert (first["role"], first["turn"]) == ("user", None)
    assert last["turn"] == turn and turn["previews"]


async def test_a_flow_that_asked_is_told_with_its_last_message_alone(client: httpx2.AsyncClient):
    turn = await said(client, "Send a mail to David saying hello")
    assert turn["question"]
    (asked,) = (await got(client, "/api/questions"))["items"]
    assert asked["question"] == turn["question"]
    choice = turn["question"]["choices"][0]
    await posted(client, f"/api/questions/{asked['question']['id']}/answer", {"words": choice["id"]})
    page = await got(client, f"/api/conversations/{turn['conversation']}/messages")
    assert [bool(one["turn"]) for one in page["items"]] == [False, False, False, True]
    earlier = await got(client, f"/api/conversations/{turn['conversation']}/messages?limit=2&before={page['items'][2]['id']}")
    assert [bool(one["turn"]) for one in earlier["items"]] == [False, False]


async def test_messages_come_in_pages_the_newest_page_first(client: httpx2.AsyncClient):
    turn = await said(client, "hello")
    await said(client, "hello again", turn["conversation"])
    path = f"/api/conversations/{turn['conversation']}/messages"
    late = await got(client, f"{path}?limit=3")
    early = await got(client, f"{path}?limit=3&before={late['next']}")
    everything = await got(client, path)
    assert early["items"] + late["items"] == everything["items"] and early["next"] is None


async def test_an_approval_sent_again_is_answered_with_what_came_of_it(client: httpx2.AsyncClient):
    (preview,) = (await said(client, LATE))["previews"]
    path, body = f"/api/previews/{preview['id']}/approve", {"fingerprint": preview["fingerprint"]}
    first, again = await posted(client, path, body), await posted(client, path, body)
    assert first == again and len(first["outcomes"]) == 1
    assert (await got(client, f"/api/previews/{preview['id']}"))["status"] == "approved"


async def test_an_approval_of_something_else_is_refused(client: httpx2.AsyncClient):
    (preview,) = (await said(client, LATE))["previews"]
    path = f"/api/previews/{preview['id']}/approve"
    assert (await client.post(path, json={"fingerprint": "v1:other"})).status_code == 409
    await posted(client, path, {"fingerprint": preview["fingerprint"]})
    assert (await client.post(path, json={"fingerprint": "v1:other"})).status_code == 409


async def test_an_edited_preview_takes_the_place_of_the_first(client: httpx2.AsyncClient):
    (preview,) = (await said(client, LATE))["previews"]
    action = preview["items"][0]["action"] | {"subject": "Edited"}
    body = {"fingerprint": preview["fingerprint"], "actions": [action]}
    (edited,) = (await posted(client, f"/api/previews/{preview['id']}/revise", body))["previews"]
    assert edited["items"][0]["action"]["subject"] == "Edited" and edited["fingerprint"] != preview["fingerprint"]
    assert [one["id"] for one in (await got(client, "/api/previews"))["items"]] == [edited["id"]]
    late = await client.post(f"/api/previews/{edited['id']}/revise", json=body)
    assert late.status_code == 409, "of a preview that has changed since"


async def test_a_cancelled_preview_can_not_be_approved(client: httpx2.AsyncClient):
    (preview,) = (await said(client, LATE))["previews"]
    await posted(client, f"/api/previews/{preview['id']}/cancel")
    answer = await client.post(f"/api/previews/{preview['id']}/approve", json={"fingerprint": preview["fingerprint"]})
    assert answer.status_code == 409 and "cancelled" in answer.json()["detail"]


async def test_a_flow_is_not_cancelled_as_a_preview_nor_the_other_way_round(client: httpx2.AsyncClient):
    turn = await said(client, LATE)
    preview = turn["previews"][0]["id"]
    assert (await client.post(f"/api/flows/{preview}/cancel")).status_code == 404
    assert (await client.post(f"/api/previews/{turn['flow']}/cancel")).status_code == 404


async def test_what_a_flow_did_is_undone_and_told_in_the_journal(client: httpx2.AsyncClient):
    turn = await said(client, "Mark the newest mail as read")
    assert turn["undoable"], turn
    await posted(client, f"/api/flows/{turn['flow']}/undo")
    (story,) = (await got(client, f"/api/audit?target={turn['flow']}"))["items"]
    assert story["result"] == "done" and any(line["text"].startswith("Taken back") for line in story["lines"])
    verified = await got(client, "/api/audit/verify")
    assert verified["wrong"] == "" and verified["count"] > 0


async def test_the_steps_of_a_flow_are_numbered(client: httpx2.AsyncClient):
    turn = await said(client, LATE)
    steps = (await got(client, f"/api/flows/{turn['flow']}/events"))["items"]
    assert [one["seq"] for one in steps] == list(range(1, len(steps) + 1))
    assert (await got(client, f"/api/flows/{turn['flow']}/events?after=3"))["items"] == steps[3:]


DRAFT = {"kind": "save_draft", "account": "sample", "to": [{"email": "anna.kowalski@northwind.example"}], "subject": "s"}


async def test_what_is_chosen_on_the_page_is_told_and_approved_as_the_persons_own(service: Running):
    page = await service.sign_in()
    begun = (await posted(page, "/api/conversations"))["id"]
    await posted(page, f"/api/conversations/{begun}/actions", {"actions": [DRAFT], "says": ["save a draft"]})
    (story,) = (await got(page, "/api/audit"))["items"]
    assert story["lines"][0]["text"] == "You chose it: “save a draft”."
    assert [outcome["status"] for outcome in (await said(page, "yes", begun))["outcomes"]] == ["done"]


async def test_what_a_program_proposes_is_told_as_its_doing_and_no_bare_yes_approves_it(
    service: Running, client: httpx2.AsyncClient
):
    page = await service.sign_in()
    begun = (await posted(page, "/api/conversations"))["id"]
    await posted(client, f"/api/conversations/{begun}/actions", {"actions": [DRAFT], "says": ["save a draft"]})
    (story,) = (await got(page, "/api/audit"))["items"]
    assert story["lines"][0]["text"] == "Another program proposed it: “save a draft”."
    asked = await said(page, "yes", begun)
    assert asked["outcomes"] == [] and asked["question"]["text"] == "Another program proposed this; do you approve it?"


async def test_what_waits_to_go_out_is_withdrawn(client: httpx2.AsyncClient):
    begun = (await posted(client, "/api/conversations"))["id"]
    mail = {"kind": "send_mail", "account": "sample", "to": [{"email": "anna.kowalski@northwind.example"}], "subject": "s"}
    body = {"actions": [mail | {"body": "b", "send_at": "2199-01-01T08:00:00Z"}]}
    (preview,) = (await posted(client, f"/api/conversations/{begun}/actions", body))["previews"]
    await posted(client, f"/api/previews/{preview['id']}/approve", {"fingerprint": preview["fingerprint"]})
    (held,) = (await got(client, "/api/outbox"))["items"]
    assert held["status"] == "held"
    (taken,) = (await posted(client, f"/api/outbox/{held['key']}/withdraw"))["items"]
    assert taken["status"] == "taken_back" and (await got(client, "/api/outbox"))["items"] == []


async def test_a_conversation_is_forgotten_only_when_that_is_really_meant(client: httpx2.AsyncClient):
    turn = await said(client, "hello")
    path = f"/api/conversations/{turn['conversation']}"
    told = (await client.delete(path)).json()
    assert told["messages"] == 2 and len((await got(client, "/api/conversations"))["items"]) == 1
    await client.delete(f"{path}?really=true")
    assert (await got(client, "/api/conversations"))["items"] == []
    assert (await client.get(f"{path}/messages")).status_code == 404


async def test_two_approvals_at_once_do_it_once_and_are_answered_alike(client: httpx2.AsyncClient):
    (preview,) = (await said(client, LATE))["previews"]
    path, body = f"/api/previews/{preview['id']}/approve", {"fingerprint": preview["fingerprint"]}
    turns = await asyncio.gather(*(posted(client, path, body) for _ in range(3)))
    assert turns[0] == turns[1] == turns[2] and [one["status"] for one in turns[0]["outcomes"]] == ["done"]
    (story,) = (await got(client, f"/api/audit?target={preview['id']}"))["items"]
    assert story["result"] == "done" and len(story["deeds"]) == 1


async def test_the_journal_says_what_was_done_and_who_approved_it(client: httpx2.AsyncClient):
    (preview,) = (await said(client, LATE))["previews"]
    await posted(client, f"/api/previews/{preview['id']}/approve", {"fingerprint": preview["fingerprint"]})
    (story,) = (await got(client, "/api/audit"))["items"]
    assert story["words"] == LATE and story["says"] == preview["items"][0]["says"]
    assert story["approval"] == "Approved by you, naming its fingerprint."


async def test_the_usage_of_models_is_told_by_day_and_model(service: Running, client: httpx2.AsyncClient):
    at = service.household.clock()
    call = {"at": at, "flow_id": "", "role": "master", "model": "small", "prompt": 10, "cached": 0, "completion": 5}
    more = {"cost": 0.01, "seconds": 1.0, "trouble": "", "estimated": False}
    for user in (OWNER, "somebody"):
        if user != OWNER:
            await service.household.database.write(lambda s: users.add(s, "somebody", name="Else", at=at))
        for _ in range(2):
            await service.household.database.write(lambda s, user=user: calls.add(s, call | more, user_id=user))
    (line,) = (await got(client, "/api/usage?days=2"))["items"]
    assert (line["model"], line["calls"], line["prompt"], line["completion"], line["cost"]) == ("small", 2, 20, 10, 0.02)
