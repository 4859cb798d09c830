"""Connecting a Microsoft account by command: consent in a browser or with a code, what is kept of it, and its end."""

import asyncio
import json
import time
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from doubles.graph import GraphEmulator

from assistant import open_assistant
from assistant.bootstrap import open_database, seal_of, settings_for
from assistant.cli import connecting, signing_in
from assistant.cli.connecting_microsoft import add_microsoft
from assistant.cli.doctor import doctor
from assistant.errors import AssistantError, UserError
from integrations.common.certificates import usual
from integrations.errors import IntegrationError, InvalidResponse, Unavailable
from integrations.microsoft.scopes import SCOPES
from integrations.registry import EXTRAS, Extra
from storage.sealing import KEY_FILE, Seal
from storage.secrets import Vault

ME, ALSO_ME = "me@home.example", "me@work.example"
INBOX = "what is in my inbox?"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def graph() -> Iterator[GraphEmulator]:
    with GraphEmulator() as graph:
        graph.account(ME, name="Eva Klein")
        graph.authorisation.devices.interval = 0
        yield graph
        assert graph.complaints == []


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were opened in the browser, which follows wherever it is sent."""
    addresses: list[str] = []

    def open(address: str) -> bool:
        addresses.append(address)
        page = httpx2.get(address, follow_redirects=True, verify=usual())
        assert page.status_code == 200 and "close this window" in page.text
        return True

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("BROWSER", raising=False)
    monkeypatch.setattr(webbrowser, "open", open)
    return addresses


@pytest.fixture
def connect(home: Path, graph: GraphEmulator, visited: list[str]) -> Callable[..., Any]:
    """Without `told` the registration is one that is known already."""

    async def connected(name: str = "microsoft", *, told: dict[str, str] = graph.client, device: bool = False) -> int:
        return await add_microsoft(home, name, told, device=device)

    return connected


@pytest.fixture
def listed(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[], Any]:
    async def accounts() -> list[dict[str, Any]]:
        capsys.readouterr()
        await connecting.list_accounts(home, json=True)
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
        return found

    return accounts


async def kept(home: Path, account: str = "microsoft") -> str:
    """Its secret, as another process would read it."""
    settings = settings_for(home)
    database = open_database(settings)
    try:
        return await Vault(database, seal_of(settings), lambda: pytest.fail("nothing is written")).load(account) or ""
    finally:
        await database.close()


def stored(home: Path) -> bytes:
    """All that lies on disk but the key."""
    return b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file() and file.name != KEY_FILE)


async def nothing_connected(listed: Callable[[], Any]) -> bool:
    return [a["name"] for a in await listed()] == ["sample"]


def deliver(graph: GraphEmulator) -> None:
    from doubles.graph.mail.putting import deliver

    mail = b"From: Anna <anna@x.example>\r\nTo: me@home.example\r\nSubject: Plans\r\n\r\nHello\r\n"
    deliver(graph.world.mail(ME), mail, "inbox", seen=False, flagged=False)


# --- connecting in a browser


async def test_an_account_is_connected_by_its_consent_alone(connect, listed, capsys):
    assert await connect() == 0
    told = capsys.readouterr().out
    assert f"Connected microsoft ({ME})" in told and "read, write and file your mail" in told
    (account,) = await listed()
    assert (account["name"], account["address"], account["owner"]) == ("microsoft", ME, "Eva Klein")
    assert (account["state"], account["scopes"]) == ("connected", list(SCOPES))


async def test_the_address_asks_for_little_and_only_the_asker_can_use_the_answer(connect, visited):
    await connect()
    asked = {name: values[0] for name, values in parse_qs(urlsplit(visited[0]).query).items()}
    assert set(asked["scope"].split()) == {*SCOPES, "openid", "profile", "offline_access"}
    assert asked["code_challenge_method"] == "S256" and len(asked["state"]) > 30 and asked["prompt"] == "select_account"
    assert urlsplit(asked["redirect_uri"]).hostname == "localhost"


async def test_no_token_is_shown_or_lies_open_on_disk(home, graph, connect, capsys, caplog):
    caplog.set_level("DEBUG")
    await connect()
    shown = capsys.readouterr()
    user = graph.account(ME)
    for secret in (user.token, user.refresh_token):
        assert secret not in shown.out + shown.err + caplog.text and secret.encode() not in stored(home)


async def test_the_assistant_reads_the_mail_of_a_connected_account(home, graph, connect):
    deliver(graph)
    await connect()
    async with open_assistant(home) as a:
        assert "Plans" in (await a.say("c", INBOX)).said


async def test_the_client_id_is_needed_once_only(graph, connect, listed):
    await connect()
    graph.account(ALSO_ME)
    graph.authorisation.consent.email = ALSO_ME
    await connect("work", told={})
    assert [(a["name"], a["address"]) for a in await listed()] == [("microsoft", ME), ("work", ALSO_ME)]


async def test_connecting_again_renews_the_sign_in_and_expects_the_same_person(home, graph, connect, visited):
    await connect()
    graph.revoke(graph.account(ME))
    await connect(told={})
    assert graph.account(ME).refresh_token in await kept(home)
    assert parse_qs(urlsplit(visited[1]).query)["login_hint"] == [ME]


async def test_a_personal_account_is_connected_and_known_as_one(home, graph, connect, listed):
    graph.account("eva@outlook.example", name="Eva", kind="personal")
    graph.authorisation.consent.email = "eva@outlook.example"
    await connect()
    (account,) = await listed()
    assert (account["address"], account["settings"]["personal"]) == ("eva@outlook.example", "yes")


async def test_a_registration_for_one_organisation_signs_in_there(graph, connect, visited):
    tenant = "8b1c6a37-0a6e-4d0b-8c0e-6a1f4c1d2e3f"
    registration = {"client_id": graph.client["client_id"], "endpoint": graph.url, "tenant": tenant}
    await connect(told=registration)
    assert urlsplit(visited[0]).path.startswith(f"/{tenant}/")


async def test_a_web_registration_proves_itself_by_its_secret(graph, connect, home):
    graph.authorisation.public, graph.authorisation.client_secret = False, "proof"
    await connect(told={**graph.client, "client_secret": "proof"})
    graph.expire(graph.account(ME))
    async with open_assistant(home) as a:
        assert "no mails" in (await a.say("c", INBOX)).said


async def test_what_cannot_be_used_yet_is_told_at_once(graph, connect, capsys):
    graph.fail("not_found", on="GET /me/mailFolders/{folder}")
    assert await connect() == 0
    assert "Not everything can be used yet." in capsys.readouterr().out


# --- not connecting


async def test_a_denial_is_one_sentence(graph, connect, listed):
    graph.authorisation.consent.deny = True
    with pytest.raises(AssistantError, match="You did not allow it at Microsoft, so nothing was connected"):
        await connect()
    assert await nothing_connected(listed)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("AADSTS65001", "nobody has allowed it in your organisation yet"),
        ("AADSTS90094", "lets only an administrator allow programs"),
        ("AADSTS50105", "ask its administrator to assign you"),
        ("AADSTS53003", "forbids this way of signing in"),
    ],
)
async def test_what_an_organisation_forbids_is_one_sentence_with_its_code(graph, connect, listed, code, says):
    graph.authorisation.refusing = f"{code}: some words of Microsoft's"
    with pytest.raises(AssistantError, match=rf"\({code}\): .*{says}"):
        await connect()
    assert await nothing_connected(listed)


async def test_a_permission_that_was_not_given_is_named(graph, connect, listed):
    graph.authorisation.consent.only = SCOPES.keys() - {"Mail.Send"}
    with pytest.raises(AssistantError, match="did not allow the assistant to send mail that you approved; sign in once more"):
        await connect()
    assert await nothing_connected(listed)


async def test_an_answer_of_another_state_is_no_answer(graph, connect, monkeypatch):
    follow = webbrowser.open
    others = ("?code=1&state=other", "?code=1", "?error=access_denied&state=other", "?error=x", "?code=1&state=%ff")

    def open(address: str) -> bool:
        back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
        assert [httpx2.get(f"{back}/{other}", verify=usual()).status_code for other in others] == [404] * len(others)
        return follow(address)

    monkeypatch.setattr(webbrowser, "open", open)
    assert await connect() == 0
    assert [seen.api for seen in graph.requests].count("oauth.token") == 1


async def test_nobody_is_awaited_for_ever(connect, listed, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    monkeypatch.setattr(signing_in, "WAIT", 0.01)
    with pytest.raises(AssistantError, match="Nothing came back from the browser"):
        await connect()
    assert await nothing_connected(listed)


@pytest.mark.parametrize("fault", ["server_error", "drop_before", "garbage"])
@pytest.mark.parametrize("on", ["oauth.token", "oauth.discovery"])
async def test_a_microsoft_that_is_in_trouble_is_told(graph, connect, listed, fault, on):
    graph.fail(fault, on=on, times=9)
    with pytest.raises((Unavailable, InvalidResponse)):
        await connect()
    assert await nothing_connected(listed)


async def test_a_registration_without_public_client_flows_is_told_with_what_helps(graph, connect, listed):
    graph.authorisation.public = False
    with pytest.raises(AssistantError, match="allows no public client flows; set that to Yes under Authentication"):
        await connect()
    assert await nothing_connected(listed)


async def test_a_new_sign_in_that_microsoft_does_not_take_is_told_without_going_in_circles(graph, connect, listed):
    graph.fail("unauthorized", on="GET /me", times=9)
    with pytest.raises(AssistantError, match="does not take the sign-in that it has just given; wait a minute"):
        await connect()
    assert await nothing_connected(listed)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"client_id": "x"}, r"not the Application \(client\) ID .*docs/microsoft\.md"),
        ({"tenant": "common"}, r"Give the Application \(client\) ID of the registration as well"),
        ({"client_id": "11111111-2222-3333-4444-555555555555", "tenant": "a/b"}, r"not a Directory \(tenant\) ID"),
    ],
)
async def test_what_is_no_client_id_or_tenant_is_refused(connect, visited, told, says):
    with pytest.raises(UserError, match=says):
        await connect(told=told)
    assert not visited


async def test_without_a_client_id_it_is_told_where_one_comes_from(connect, visited):
    with pytest.raises(UserError, match=r"--client-id ID; docs/microsoft\.md"):
        await connect(told={})
    assert not visited


async def test_one_address_is_one_account(connect, listed):
    await connect()
    with pytest.raises(UserError, match=f"{ME} is connected already, as microsoft; to connect it again, use that name"):
        await connect("work")
    assert [a["name"] for a in await listed()] == ["microsoft"]


async def test_one_name_stays_with_its_address(graph, connect, listed):
    await connect()
    graph.account(ALSO_ME)
    graph.authorisation.consent.email = ALSO_ME
    with pytest.raises(UserError, match=f"microsoft is the account of {ME}, but you signed in as {ALSO_ME}"):
        await connect()
    assert [a["address"] for a in await listed()] == [ME]


# --- with a code, at any machine


async def waiting(graph: GraphEmulator, connect: Callable[..., Any]) -> tuple[asyncio.Task[int], str]:
    """Until a code is shown; the code."""
    before = len(graph.authorisation.devices.begun)
    adding = asyncio.create_task(connect(device=True))

    def wait() -> None:
        while len(graph.authorisation.devices.begun) == before and not adding.done():
            time.sleep(0.01)

    await asyncio.to_thread(wait)
    if adding.done():
        await adding  # it has failed
    return adding, graph.authorisation.devices.begun[-1]


@pytest.fixture
def by_code(graph: GraphEmulator, connect: Callable[..., Any]) -> Callable[[Callable[[str], None]], Any]:
    """Connects with a code; the person does with it what is given, as soon as it is asked for."""

    async def connected(do: Callable[[str], None]) -> None:
        adding, code = await waiting(graph, connect)
        do(code)
        await adding

    return connected


async def test_a_code_connects_without_a_browser_on_this_machine(graph, by_code, visited, listed, capsys):
    await by_code(lambda code: graph.authorisation.approve(code, ME))
    told = capsys.readouterr().out
    assert "https://microsoft.com/devicelogin" in told and graph.authorisation.devices.begun == [] and not visited
    assert [(a["name"], a["address"]) for a in await listed()] == [("microsoft", ME)]


async def test_a_code_that_was_declined_or_not_used_in_time_connects_nothing(graph, by_code, listed):
    with pytest.raises(AssistantError, match="You did not allow it at Microsoft, so nothing was connected"):
        await by_code(graph.authorisation.decline)
    with pytest.raises(AssistantError, match="The code was not used in time"):
        await by_code(graph.authorisation.lapse)
    assert await nothing_connected(listed)


async def test_trouble_while_somebody_types_the_code_is_waited_over(graph, by_code, listed):
    graph.fail("unavailable", on="oauth.token")
    await by_code(lambda code: graph.authorisation.approve(code, ME))
    assert [a["address"] for a in await listed()] == [ME]


async def test_whoever_ends_the_waiting_hears_that_nothing_was_connected(graph, connect, listed, capsys):
    graph.authorisation.devices.interval = 3600
    adding, _ = await waiting(graph, connect)
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    assert capsys.readouterr().out.endswith("Ended; nothing was connected.\n") and await nothing_connected(listed)


async def test_an_organisation_that_allows_no_codes_is_told(graph, connect, listed):
    graph.authorisation.public = False
    with pytest.raises(AssistantError, match="allows no public client flows"):
        await connect(device=True)
    assert await nothing_connected(listed)


# --- afterwards


async def test_a_token_that_has_expired_is_refreshed_and_saved_at_once(home, graph, connect):
    await connect()
    before = await kept(home)
    graph.expire(graph.account(ME))
    async with open_assistant(home) as a:
        assert "no mails" in (await a.say("c", INBOX)).said
        assert graph.account(ME).token in await kept(home) and graph.account(ME).token not in before


async def test_a_revoked_permission_is_told_with_the_command_that_helps(home, graph, connect, listed, capsys):
    await connect()
    graph.revoke(graph.account(ME))
    async with open_assistant(home) as a:
        said = (await a.say("c", INBOX)).said
        assert said.count("assistant accounts add microsoft --name microsoft") == 1
        assert [account["state"] for account in await listed()] == ["connect again"]
    await connecting.list_accounts(home, json=False)
    assert "It is not signed in at Microsoft any more; connect it again" in capsys.readouterr().out


async def test_the_doctor_tells_of_an_account_that_signs_in_no_more(home, graph, connect, capsys):
    await connect()
    graph.revoke(graph.account(ME))
    async with open_assistant(home) as a:
        await a.say("c", INBOX)
    capsys.readouterr()
    assert await doctor(home, json=True) == 1
    checks = {check["what"]: check for check in json.loads(capsys.readouterr().out)}
    assert checks["sign-in of microsoft"]["good"] is False


async def test_another_key_asks_to_connect_again(home, connect, listed):
    await connect()
    key = settings_for(home).home / KEY_FILE
    key.unlink()
    Seal(key).close("")
    (account,) = await listed()
    assert account["state"] == "connect again" and "assistant accounts add microsoft" in account["trouble"]


@pytest.mark.parametrize(("kind", "where"), [("work", "myapps.microsoft.com"), ("personal", "account.live.com/consent/Manage")])
async def test_removing_deletes_the_sign_in_and_tells_where_the_permission_is_taken_back(
    home, graph, connect, listed, capsys, kind, where
):
    graph.account("eva@x.example", kind=kind)
    graph.authorisation.consent.email = "eva@x.example"
    await connect()
    assert await connecting.remove(home, "microsoft") == 0
    told = capsys.readouterr().out
    assert "Disconnected microsoft. Only you yourself can take the permission back" in told and where in told
    assert await nothing_connected(listed) and not await kept(home)


async def test_without_the_packages_it_is_told_what_to_install(connect, monkeypatch):
    monkeypatch.setitem(EXTRAS, "microsoft", Extra("microsoft", "not_there"))
    with pytest.raises((UserError, IntegrationError), match=r"pip install -e '\.\[microsoft\]'"):
        await connect()
