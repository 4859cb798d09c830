"""What was asked to be remembered, over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from doubles.service import Running, serving

from storage import users


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        await service.household.database.write(lambda s: users.add(s, "bert", name="Bert", at=service.household.clock()))
        yield service


@pytest.fixture
async def me(service: Running) -> httpx2.AsyncClient:
    return await service.sign_in()


async def say(client: httpx2.AsyncClient, text: str) -> str:
    conversation = (await client.post("/api/conversations", json={})).json()["id"]
    answer = await client.post(f"/api/conversations/{conversation}/messages", json={"text": text})
    assert answer.status_code == 200, answer.text
    return answer.text


async def texts(client: httpx2.AsyncClient) -> list[str]:
    return [note["text"] for note in (await client.get("/api/notes")).json()["items"]]


async def test_notes_are_told_with_where_they_were_said_and_forgotten(me):
    await say(me, "remember that I drink tea")
    (note,) = (await me.get("/api/notes")).json()["items"]
    assert (note["number"], note["text"], note["said"]) == (1, "I drink tea", "remember that I drink tea")
    assert note["conversation"] and note["at"]
    assert (await me.delete("/api/notes/1")).json()["text"] == "I drink tea"
    assert (await me.delete("/api/notes/1")).status_code == 404
    assert (await me.delete("/api/notes/one")).status_code == 404
    assert await texts(me) == []


async def test_all_are_forgotten_at_once(me):
    for text in ("I drink tea", "Tom is my boss"):
        await say(me, f"remember that {text}")
    assert (await me.delete("/api/notes")).json() == {"forgotten": 2}
    assert await texts(me) == []


async def test_everybody_has_notes_of_their_own(service, me):
    bert = await service.household.of("bert")
    await bert.say("c", "remember that I drink coffee")
    await say(me, "remember that I drink tea")
    assert await texts(me) == ["I drink tea"]
    await me.delete("/api/notes")
    assert [note.text for note in await bert.notes.list()] == ["I drink coffee"]


@pytest.mark.parametrize(("scopes", "kept"), [(("read", "propose"), []), (("read", "propose", "approve"), ["I drink tea"])])
async def test_a_program_makes_notes_only_where_its_words_count_as_the_users(service, scopes, kept):
    program = service.client(Authorization=f"Bearer {await service.token(scopes=scopes)}")
    await say(program, "remember that I drink tea")
    assert await texts(program) == kept
    assert (await program.delete("/api/notes/1")).status_code == 403


async def test_a_chat_client_makes_none(service, me):
    token = await service.token(scopes=("read", "propose", "approve"))
    program = service.client(Authorization=f"Bearer {token}")
    asked = {"model": "assistant", "messages": [{"role": "user", "content": "remember that I drink tea"}]}
    assert (await program.post("/v1/chat/completions", json=asked)).status_code == 200
    assert await texts(me) == []
