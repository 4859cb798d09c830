"""Connecting a Microsoft account over HTTP, through the caller's own browser against the emulator."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import pytest
from doubles.graph import GraphEmulator
from doubles.service import Running, serving

from integrations.common.certificates import usual

ME = "me@home.example"


@pytest.fixture
def graph() -> Iterator[GraphEmulator]:
    with GraphEmulator() as graph:
        graph.account(ME, name="Eva Klein")
        yield graph
        assert graph.complaints == []


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    async with serving(tmp_path / "home") as service:
        yield service


@pytest.fixture
async def me(service: Running) -> httpx2.AsyncClient:
    return await service.sign_in()


def wanted(graph: GraphEmulator) -> dict[str, object]:
    return {"name": "microsoft", "client": graph.client}


async def test_an_account_is_connected_in_a_browser_at_localhost(me, graph, service):
    here = service.url.replace("127.0.0.1", "localhost")
    graph.authorisation.redirects.add(f"{here}/api/accounts/microsoft/answer")
    headers = {"host": here.removeprefix("http://"), "origin": here}
    asked = await me.post("/api/accounts/microsoft", json=wanted(graph), headers=headers)
    assert asked.status_code == 200, asked.text
    async with httpx2.AsyncClient(timeout=30, verify=usual()) as browser:
        answer = (await browser.get(asked.json()["address"])).headers["location"]
    back = await me.get(answer.replace("localhost", "127.0.0.1"))
    attempt = back.headers["location"].partition("?attempt=")[2]
    came = (await me.get(f"/api/accounts/attempts/{attempt}")).json()
    assert came == {"kind": "microsoft", "name": "microsoft", "connected": True, "says": [f"Connected microsoft ({ME})."]}


async def test_at_an_address_in_numbers_it_is_told_which_one_to_use(me, graph, service):
    refused = await me.post("/api/accounts/microsoft", json=wanted(graph))
    assert refused.status_code == 400 and "open this page as http://localhost:" in refused.json()["detail"]


async def test_without_a_registration_it_is_told_where_one_comes_from(me):
    refused = await me.post("/api/accounts/microsoft", json={"name": "microsoft"})
    assert refused.status_code == 400 and "docs/microsoft.md" in refused.json()["detail"]
