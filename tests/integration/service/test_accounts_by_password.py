"""Accounts at mail servers over HTTP: found, signed in at, and told of; who may reach which servers."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from doubles.naming import naming
from doubles.service import Running, serving
from servers import Servers, User

from storage import users

ANNA = "anna@home.example"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    async with serving(tmp_path / "home") as service:
        yield service


@pytest.fixture
async def owner(service: Running) -> httpx2.AsyncClient:
    return await service.sign_in()


@pytest.fixture
async def bert(service: Running) -> httpx2.AsyncClient:
    """Who is not the owner."""
    at = service.household.clock()
    await service.household.database.write(lambda s: users.add(s, "bert", name="Bert", at=at))
    return await service.sign_in("bert")


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user(ANNA, name="Anna Berg")


def wanted(anna: User, **more: Any) -> dict[str, Any]:
    return {"name": "mail", "address": f"Anna Berg <{ANNA}>", "servers": anna.settings, "password": anna.password, **more}


async def names(me: httpx2.AsyncClient) -> list[str]:
    return [one["name"] for one in (await me.get("/api/accounts")).json()["items"]]


async def test_an_account_is_connected_and_used_at_once(owner, anna):
    anna.mailbox.append(b"From: Ben <ben@home.example>\r\nTo: anna@home.example\r\nSubject: Plans\r\n\r\nHello\r\n")
    came = (await owner.post("/api/accounts/imap", json=wanted(anna))).json()
    assert came["connected"] and came["says"] == f"Connected mail ({ANNA})."
    assert {one["which"]: one["works"] for one in came["servers"]} == dict.fromkeys(anna.settings, True)
    (account,) = (await owner.get("/api/accounts")).json()["items"]
    assert (account["kind"], account["state"], account["owner"]) == ("imap", "connected", "Anna Berg")
    assert f"send mail at {anna.settings['smtp']}" in account["may"]
    conversation = (await owner.post("/api/conversations", json={})).json()["id"]
    turn = await owner.post(f"/api/conversations/{conversation}/messages", json={"text": "what is in my inbox?"})
    assert "Plans" in turn.json()["reply"]


async def test_a_wrong_password_is_told_and_stores_nothing(owner, anna):
    asked = await owner.post("/api/accounts/imap", json=wanted(anna, password="wrong"))
    came = asked.json()
    assert asked.status_code == 200 and not came["connected"] and "wrong" not in asked.text
    assert "does not take this password" in came["servers"][0]["says"]
    assert await names(owner) == ["sample"]


async def test_where_all_servers_are_left_out_it_says_so(owner, anna):
    came = (await owner.post("/api/accounts/imap", json=wanted(anna, servers={}))).json()
    assert not came["connected"] and came["says"].startswith("All servers are left out")


async def test_it_is_disconnected(owner, anna):
    await owner.post("/api/accounts/imap", json=wanted(anna))
    says = (await owner.delete("/api/accounts/mail")).json()["says"]
    assert says.startswith("Disconnected mail. Its password was deleted here")
    assert await names(owner) == ["sample"]


async def test_an_address_leads_to_its_servers(owner):
    found = (await owner.post("/api/accounts/imap/servers", json={"name": "mail", "address": "anna@fastmail.com"})).json()
    assert found["service"] == "Fastmail" and "app password" in found["password"]
    assert found["servers"]["smtp"] == "smtps://smtp.fastmail.com" and found["elsewhere"] == []


async def test_servers_of_another_domain_are_told_as_such(owner, monkeypatch):
    async with naming({("home.example", "MX"): ["10 in1-smtp.messagingengine.com."]}) as dns:
        monkeypatch.setattr("assistant.connecting.imap.Names", lambda: dns)
        found = (await owner.post("/api/accounts/imap/servers", json={"address": ANNA})).json()
    assert "imap.fastmail.com" in found["elsewhere"]


async def test_the_servers_of_an_account_are_those_that_it_has(owner, anna):
    await owner.post("/api/accounts/imap", json=wanted(anna))
    assert (await owner.post("/api/accounts/imap/servers", json={"name": "mail"})).json()["servers"] == anna.settings


@pytest.mark.parametrize(
    "server",
    [
        "imaps://127.0.0.1:{port}",
        "imaps://localhost:993",
        "imaps://localhost:22",
        "imaps://[::1]:993",
        "imaps://[::ffff:127.0.0.1]:993",
        "imaps://10.0.0.1",
        "imaps://192.168.1.1",
        "imaps://169.254.169.254",
        "imaps://100.64.0.1",
        "imaps://[fe80::1]",
        "imaps://[fd00::1]",
        "imaps://[64:ff9b::7f00:1]",
        "imaps://0.0.0.0",
        "imaps://2130706433",
        "imaps://127.1",
        "imaps://8.8.8.8:22",
        "imap://127.0.0.1:{port}",
    ],
)
async def test_who_is_not_the_owner_reaches_nothing_of_the_machines_own_network(bert, anna, servers, server):
    before = len(servers.imap.lines)
    named = {"imap": server.format(port=servers.imap.port)}
    came = (await bert.post("/api/accounts/imap", json=wanted(anna, servers=named))).json()
    assert not came["connected"]
    assert "not a server on the internet" in came["servers"][0]["says"]
    assert len(servers.imap.lines) == before


async def test_a_calendar_server_of_the_machines_own_network_neither(bert, anna, servers):
    before = len(servers.dav.requests)
    for url in (anna.settings["caldav"], anna.secure_settings["caldav"]):
        came = (await bert.post("/api/accounts/imap", json=wanted(anna, servers={"caldav": url}))).json()
        assert "not a server on the internet" in came["servers"][0]["says"]
    assert len(servers.dav.requests) == before


async def test_nor_is_it_looked_for_there(bert, servers, anna, monkeypatch):
    port = int(anna.secure_settings["caldav"].rstrip("/").rpartition(":")[2])
    before = len(servers.dav.requests)
    async with naming({("_caldavs._tcp.home.example", "SRV"): [f"0 1 {port} localhost.", "0 1 443 localhost."]}) as dns:
        monkeypatch.setattr("assistant.connecting.imap.Names", lambda: dns)
        found = (await bert.post("/api/accounts/imap/servers", json={"address": ANNA})).json()
    assert "caldav" not in found["servers"] and len(servers.dav.requests) == before


async def test_nor_when_a_name_leads_there_once_the_account_is_connected(bert, anna, servers, monkeypatch):
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("integrations.standards.dialling.of_the_internet", lambda address: True)
        elsewhere.setattr("integrations.standards.dialling.ORDINARY_PORTS", range(2**16))
        assert (await bert.post("/api/accounts/imap", json=wanted(anna))).json()["connected"]
    before = len(servers.imap.lines), len(servers.dav.requests), len(servers.smtp.commands)
    conversation = (await bert.post("/api/conversations", json={})).json()["id"]
    for question in ("what is in my inbox?", "what is on my calendar tomorrow?", "what is Ben's phone number?"):
        turn = await bert.post(f"/api/conversations/{conversation}/messages", json={"text": question})
        assert "not a server on the internet" in turn.text
    assert before == (len(servers.imap.lines), len(servers.dav.requests), len(servers.smtp.commands))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"address": "nobody"}, "not a mail address"),
        ({"address": ""}, "Give your mail address"),
        ({"password": ""}, "an empty one is none"),
        ({"password": "a\r\nb"}, "That is no password"),
        ({"servers": {"imap": "imap://mail.example.org"}}, "without encryption"),
        ({"servers": {"imap": "gopher://mail.example.org"}}, "not the address of a server"),
        ({"servers": {"smtp": "imaps://mail.example.org"}}, "not the address of a server"),
        ({"name": "sample\n"}, ""),
    ],
)
async def test_what_cannot_be_meant_is_refused(owner, anna, changed, says):
    asked = await owner.post("/api/accounts/imap", json=wanted(anna, servers={}) | changed)
    assert asked.status_code in (200, 400) and says in asked.text
    assert await names(owner) == ["sample"]


async def test_a_kind_of_server_that_there_is_not_is_refused(owner, anna):
    assert (await owner.post("/api/accounts/imap", json=wanted(anna, servers={"pop3": "x"}))).status_code == 422


async def test_the_password_of_a_body_that_is_not_valid_is_not_repeated(owner):
    asked = await owner.post("/api/accounts/imap", json={"name": 7, "address": ANNA, "servers": {}, "password": "hush"})
    assert asked.status_code == 422 and "hush" not in asked.text
