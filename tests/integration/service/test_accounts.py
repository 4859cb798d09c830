"""Accounts over HTTP: folders, Google through the caller's own browser against the emulator, and disconnecting."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import httpx2
import pytest
from doubles.google import GoogleEmulator
from doubles.service import Running, serving

from assistant.cli import letting_in
from assistant.connecting.kept import Kept
from assistant.facade import Assistant
from assistant.service.connecting import ELSEWHERE, LIVES
from assistant.service.entering import secrets
from assistant.service.entering.sessions import cookie
from integrations.actions import SendMail
from integrations.common.certificates import usual
from integrations.google.oauth import SCOPES
from integrations.types import Address
from risk.preview import Preview
from storage import accounts, users
from storage import secrets as stored_secrets
from storage.sealing import KEY_FILE
from storage.session import Session

ME, ALSO_ME = "me@home.example", "me@work.example"
MAIL = "https://www.googleapis.com/auth/gmail.modify"


class Clock:
    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleEmulator]:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the emulator speaks plain HTTP
    with GoogleEmulator() as google:
        google.account(ME, name="Eva Klein")
        yield google
        assert google.complaints == []


@pytest.fixture
async def service(tmp_path: Path, clock: Clock) -> AsyncIterator[Running]:
    async with serving(tmp_path / "home", clock=clock) as service:
        yield service


@pytest.fixture
async def me(service: Running) -> httpx2.AsyncClient:
    return await service.sign_in()


@asynccontextmanager
async def elsewhere() -> AsyncIterator[httpx2.AsyncClient]:
    """The browser at another site."""
    async with httpx2.AsyncClient(timeout=30, verify=usual()) as browser:
        yield browser


async def address(me: httpx2.AsyncClient, client: Any = None, name: str = "google") -> str:
    asked = await me.post("/api/accounts/google", json={"name": name, **({"client": client} if client else {})})
    assert asked.status_code == 200, asked.text
    return str(asked.json()["address"])


async def consented(me: httpx2.AsyncClient, client: Any = None, name: str = "google") -> str:
    """Where Google sends the browser back to."""
    wanted = await address(me, client, name)
    async with elsewhere() as browser:
        return str((await browser.get(wanted)).headers["location"])


async def came(me: httpx2.AsyncClient, answer: str) -> dict[str, Any]:
    """What the page shows once the browser has come back."""
    back = await me.get(answer)
    assert back.status_code == 303
    path, _, attempt = back.headers["location"].partition("?attempt=")
    assert path == "/#/accounts"
    told: dict[str, Any] = (await me.get(f"/api/accounts/attempts/{attempt}")).json()
    return told


async def connect(me: httpx2.AsyncClient, client: Any = None, name: str = "google") -> dict[str, Any]:
    return await came(me, await consented(me, client, name))


async def listed(me: httpx2.AsyncClient) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await me.get("/api/accounts")).json()["items"]
    return items


async def names(me: httpx2.AsyncClient) -> list[str]:
    return [one["name"] for one in await listed(me)]


# --- connecting


async def test_an_account_is_connected_in_the_browser_and_used_at_once(me, google):
    google.world.mail(ME).deliver(b"From: Anna <anna@x.example>\r\nTo: me@home.example\r\nSubject: Plans\r\n\r\nHello\r\n")
    assert await names(me) == ["sample"]
    told = await connect(me, google.client)
    assert told == {"kind": "google", "name": "google", "connected": True, "says": [f"Connected google ({ME})."]}
    (account,) = await listed(me)
    assert (account["address"], account["state"], account["may"]) == (ME, "connected", list(SCOPES.values()))
    assert not account["sample"]
    conversation = (await me.post("/api/conversations", json={})).json()["id"]
    turn = await me.post(f"/api/conversations/{conversation}/messages", json={"text": "what is in my inbox?"})
    assert "Plans" in turn.json()["reply"]


async def test_google_sends_the_browser_back_to_the_address_that_is_used(me, google, service):
    asked = parse_qs(urlsplit(await address(me, google.client)).query)
    assert asked["redirect_uri"] == [f"{service.url}/api/accounts/google/answer"]
    assert asked["code_challenge_method"] == ["S256"] and len(asked["state"][0]) > 30


async def test_the_client_is_needed_once_only(me, google):
    await connect(me, google.client)
    google.account(ALSO_ME)
    google.authorisation.consent.email = ALSO_ME
    assert (await connect(me, name="work"))["connected"]
    assert await names(me) == ["google", "work"]


async def test_connecting_again_says_so_and_expects_the_same_person(me, google):
    await connect(me, google.client)
    google.revoke(google.account(ME))
    wanted = await address(me)
    assert parse_qs(urlsplit(wanted).query)["login_hint"] == [ME]
    assert (await connect(me))["says"] == [f"Connected google ({ME}) again."]


async def test_a_sign_in_that_ended_is_listed(me, google, service):
    await connect(me, google.client)
    (service.household.home / KEY_FILE).unlink()
    (account,) = await listed(me)
    assert account["state"] == "connect again" and "does not open its sign-in" in account["trouble"]


async def test_an_api_that_is_not_enabled_is_told(me, google):
    google.fail("not_enabled", on="people.people.connections.list")
    says = (await connect(me, google.client))["says"]
    assert says[1].startswith("Not everything can be used yet. The People API is not enabled")


# --- not connecting


async def not_connected(me: httpx2.AsyncClient, google: GoogleEmulator) -> str:
    told = await connect(me, google.client)
    assert not told["connected"] and await names(me) == ["sample"]
    return str(told["says"][0])


async def test_a_denial_is_one_sentence(me, google):
    google.authorisation.consent.deny = True
    assert await not_connected(me, google) == "You did not allow it at Google, so nothing was connected."


async def test_a_box_left_unticked_is_named(me, google):
    google.authorisation.consent.only = SCOPES.keys() - {MAIL}
    assert "You did not allow the assistant to read, write, send and file your mail" in await not_connected(me, google)


async def test_a_client_that_google_does_not_know_is_told(me, google):
    client = google.client
    google.authorisation.client_secret = "replaced"
    assert "does not know this OAuth client" in (await connect(me, client))["says"][0]
    assert await names(me) == ["sample"]


@pytest.mark.parametrize("fault", ["server_error", "drop_before", "garbage"])
async def test_a_google_that_is_in_trouble_is_told(me, google, fault):
    google.fail(fault, on="oauth.token", times=9)
    assert "Google" in await not_connected(me, google)


async def test_one_address_is_one_account(me, google):
    await connect(me, google.client)
    told = await connect(me, name="work")
    assert not told["connected"] and f"{ME} is connected already, as google" in told["says"][0]


async def test_one_name_stays_with_its_address(me, google):
    await connect(me, google.client)
    google.account(ALSO_ME)
    google.authorisation.consent.email = ALSO_ME
    told = await connect(me)
    assert told["says"][0].startswith(f"google is the account of {ME}, but you signed in as {ALSO_ME}")


async def test_what_is_no_client_is_refused(me, google):
    for told in ({}, {"installed": {}}, {"installed": 1}, {"web": {"client_id": "x"}}, {"other": {}}):
        refused = await me.post("/api/accounts/google", json={"name": "google", "client": told})
        assert refused.status_code == 400 and "not the file of an OAuth client" in refused.json()["detail"], told


async def test_without_a_client_it_is_told_where_one_comes_from(me, google):
    refused = await me.post("/api/accounts/google", json={"name": "google"})
    assert refused.status_code == 400 and "docs/google.md" in refused.json()["detail"]


async def test_an_account_needs_a_name(me, google):
    for name in ("", "  ", "a\nb", "x" * 61):
        refused = await me.post("/api/accounts/google", json={"name": name, "client": google.client})
        assert refused.status_code == 400 and "Give the account a name" in refused.json()["detail"], name


async def test_a_kind_that_nobody_signs_in_to_is_not_found(me):
    assert (await me.post("/api/accounts/nowhere", json={"name": "x"})).status_code == 404
    assert (await me.get("/api/accounts/nowhere/answer?state=x&code=y")).status_code == 404


# --- an answer that is none


def other_state(answer: str, state: str) -> str:
    parts = urlsplit(answer)
    told = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return urlunsplit(parts._replace(query=urlencode({**told, "state": state})))


def exchanges(google: GoogleEmulator) -> int:
    return [seen.api for seen in google.requests].count("oauth.token")


async def test_a_forged_answer_is_none_and_the_true_one_still_counts(me, google):
    answer = await consented(me, google.client)
    for forged in (other_state(answer, "forged"), other_state(answer, "é"), answer.partition("?")[0]):
        told = await came(me, forged)
        assert told["says"] == [ELSEWHERE] and not told["connected"] and exchanges(google) == 0
    assert (await came(me, answer))["connected"]


async def test_an_answer_counts_once(me, google):
    answer = await consented(me, google.client)
    assert (await came(me, answer))["connected"]
    told = await came(me, answer)
    assert told["says"] == [ELSEWHERE] and exchanges(google) == 1


async def test_the_answer_of_another_session_is_none(service, me, google):
    answer = await consented(me, google.client)
    other = await service.sign_in()
    assert (await came(other, answer))["says"] == [ELSEWHERE] and exchanges(google) == 0
    assert (await came(me, answer))["connected"]


async def test_the_answer_of_another_user_is_none(service, me, google, clock):
    await service.household.database.write(lambda s: users.add(s, "tom", name="Tom", at=clock()))
    tom = await service.sign_in("tom")
    answer = await consented(me, google.client)
    assert (await came(tom, answer))["says"] == [ELSEWHERE] and exchanges(google) == 0
    assert await names(tom) == ["sample"]


async def test_nobody_who_has_not_signed_in_brings_an_answer(service, me, google):
    answer = await consented(me, google.client)
    assert (await service.client().get(answer)).status_code == 401
    assert exchanges(google) == 0


async def test_an_answer_comes_too_late_after_ten_minutes(me, google, clock):
    answer = await consented(me, google.client)
    clock.ahead = LIVES
    assert (await came(me, answer))["says"] == [ELSEWHERE] and exchanges(google) == 0


async def test_what_came_of_it_is_told_to_the_session_that_did_it(service, me, google):
    attempt = (await me.get(await consented(me, google.client))).headers["location"].partition("=")[2]
    other = await service.sign_in()
    assert (await other.get(f"/api/accounts/attempts/{attempt}")).status_code == 404


async def test_a_token_connects_nothing(service, google):
    program = await service.bearer(scopes=("read", "manage"))
    refused = await program.post("/api/accounts/google", json={"name": "google", "client": google.client})
    assert refused.status_code == 400 and "browser" in refused.json()["detail"]


async def test_a_member_may_not_send_the_service_to_other_servers_than_googles(service, google, clock):
    await service.household.database.write(lambda s: users.add(s, "tom", name="Tom", at=clock()))
    tom = await service.sign_in("tom")
    refused = await tom.post("/api/accounts/google", json={"name": "google", "client": google.client})
    assert refused.status_code == 400 and "only the owner" in refused.json()["detail"]


async def behind_tls(service: Running) -> httpx2.AsyncClient:
    """A browser at the public address, of which a proxy tells."""
    secret, public = await service.session(), "assistant.example"
    ours = {"Host": public, "Origin": f"https://{public}", "Cookie": f"{cookie(secure=True)}={secret}"}
    return service.client(**ours, **{"X-CSRF-Token": secrets.csrf(secret)})


async def test_at_a_public_address_a_client_of_a_web_application_is_needed(tmp_path, google):
    async with serving(tmp_path / "home", public_url="https://assistant.example") as service:
        me = await behind_tls(service)
        refused = await me.post("/api/accounts/google", json={"name": "google", "client": google.client})
        back = "https://assistant.example/api/accounts/google/answer"
        assert refused.status_code == 400 and f"of the type Web application at Google, with {back}" in refused.json()["detail"]
        web = {"web": google.client["installed"]}
        asked = await me.post("/api/accounts/google", json={"name": "google", "client": web})
        assert parse_qs(urlsplit(asked.json()["address"]).query)["redirect_uri"] == [back]


# --- folders


async def test_the_owner_connects_folders(me, tmp_path):
    folders = {"mail": str(tmp_path / "mail"), "contacts": str(tmp_path / "people")}
    wanted = {"name": "home", "address": "Eva Klein <eva@x.example>", **folders}
    refused = await me.post("/api/accounts/local", json=wanted)
    assert refused.status_code == 400 and f"There is no folder {tmp_path / 'mail'} for mail" in refused.json()["detail"]
    made = await me.post("/api/accounts/local", json={**wanted, "create": True})
    assert made.status_code == 200 and made.json()["address"] == "eva@x.example"
    (account,) = await listed(me)
    assert account["may"] == [f"mail in {folders['mail']}", f"contacts in {folders['contacts']}"]
    again = await me.post("/api/accounts/local", json=wanted)
    assert again.status_code == 400 and "There is an account called home already" in again.json()["detail"]


async def test_no_folder_at_all_is_refused(me):
    refused = await me.post("/api/accounts/local", json={"name": "home", "address": "eva@x.example"})
    assert refused.status_code == 400 and "Give at least one folder" in refused.json()["detail"]


async def test_a_member_connects_no_folders_of_the_machine(service, tmp_path, clock):
    await service.household.database.write(lambda s: users.add(s, "tom", name="Tom", at=clock()))
    tom = await service.sign_in("tom")
    refused = await tom.post("/api/accounts/local", json={"address": "t@x.example", "mail": str(tmp_path), "create": True})
    assert refused.status_code == 403


# --- disconnecting


async def test_disconnecting_takes_the_permission_back_and_tells_it(me, google):
    await connect(me, google.client)
    told = await me.delete("/api/accounts/google")
    assert told.json()["says"] == "Disconnected google. The permission at Google was taken back."
    assert await names(me) == ["sample"] and "oauth.revoke" in [seen.api for seen in google.requests]


async def test_a_permission_that_could_not_be_taken_back_is_told(me, google):
    await connect(me, google.client)
    google.fail("server_error", on="oauth.revoke", times=9)
    says = (await me.delete("/api/accounts/google")).json()["says"]
    assert "could not be taken back" in says and "https://myaccount.google.com/connections" in says
    assert await names(me) == ["sample"]


async def moved(service: Running, clock: Clock, name: str = "Tom") -> str:
    """The owner's account becomes another user's, since only the owner may connect one at the emulator."""

    def work(s: Session) -> None:
        users.add(s, "tom", name=name, at=clock())
        (account,) = accounts.list(s)
        accounts.add(s, **account.model_dump(include={"name", "kind", "address", "owner", "settings"}), at=clock(), user_id="tom")
        stored_secrets.put(s, account.name, stored_secrets.get(s, account.name) or "", clock(), user_id="tom")
        accounts.remove(s, account.name)
        stored_secrets.remove(s, account.name)

    await service.household.database.write(work)
    return "tom"


async def test_removing_a_user_takes_their_permissions_back_and_tells_it(service, me, google, clock):
    await connect(me, google.client)
    tom = await moved(service, clock)
    gone = (await me.delete(f"/api/users/{tom}")).json()
    assert gone == {"removed": True, "says": ["google: The permission at Google was taken back."]}
    assert "oauth.revoke" in [seen.api for seen in google.requests]


async def test_a_user_is_removed_though_a_permission_can_not_be_taken_back_which_is_told(service, me, google, clock):
    await connect(me, google.client)
    tom = await moved(service, clock)
    google.fail("server_error", on="oauth.revoke", times=9)
    (says,) = (await me.delete(f"/api/users/{tom}")).json()["says"]
    assert "could not be taken back" in says and "https://myaccount.google.com/connections" in says
    assert tom not in [one["id"] for one in (await me.get("/api/users")).json()["items"]]


async def test_so_does_removing_one_by_command(service, me, google, clock, capsys):
    await connect(me, google.client)
    tom = await moved(service, clock)
    await letting_in.remove_user(service.household.home, tom, really=True, json=False)
    assert "google: The permission at Google was taken back." in capsys.readouterr().out


async def to_go_out_tomorrow(service: Running) -> tuple[Assistant, Preview]:
    assistant = await service.household.of("owner")
    tomorrow = assistant.clock() + timedelta(days=1)
    mail = SendMail(account="google", to=(Address(email="anna@x.example"),), subject="Hi", body="Hello", send_at=tomorrow)
    (preview,) = (await assistant.propose("c", [mail])).previews
    return assistant, preview


async def test_an_account_through_which_something_is_still_to_go_out_stays(service, me, google):
    await connect(me, google.client)
    assistant, preview = await to_go_out_tomorrow(service)
    await assistant.approve(preview.id, preview.fingerprint)
    refused = await me.delete("/api/accounts/google")
    assert refused.status_code == 409 and "One write is still to go out through google" in refused.json()["detail"]
    assert await names(me) == ["google"]
    (waiting,) = await assistant.outbox()
    await assistant.withdraw(waiting.key)
    assert (await me.delete("/api/accounts/google")).status_code == 200


async def test_so_does_one_through_which_something_is_approved_meanwhile(service, me, google, monkeypatch):
    await connect(me, google.client)
    assistant, preview = await to_go_out_tomorrow(service)
    read = Kept.secret

    async def approving(kept: Kept, name: str) -> str | None:
        await assistant.approve(preview.id, preview.fingerprint, again=True)
        return await read(kept, name)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Kept, "secret", approving)
        assert (await me.delete("/api/accounts/google")).status_code == 409
    assert await names(me) == ["google"]
    assert "oauth.revoke" not in [seen.api for seen in google.requests]


async def test_what_is_not_there_or_somebody_elses_is_not_found(service, me, google, clock):
    await connect(me, google.client)
    await service.household.database.write(lambda s: users.add(s, "tom", name="Tom", at=clock()))
    tom = await service.sign_in("tom")
    absent, foreign = await tom.delete("/api/accounts/nothing"), await tom.delete("/api/accounts/google")
    assert absent.status_code == foreign.status_code == 404
    assert absent.json()["detail"].replace("nothing", "google") == foreign.json()["detail"]
    assert await names(me) == ["google"]


async def test_a_mail_is_held_for_the_undo_window_that_its_user_has_set(service, me, google, clock):
    await connect(me, google.client)
    await me.put("/api/settings", json={"undo_window": 77})
    assistant, before = await service.household.of("owner"), clock()
    mail = SendMail(account="google", to=(Address(email="anna@x.example"),), subject="Hi", body="Hello")
    (preview,) = (await assistant.propose("c", [mail])).previews
    (outcome,) = (await assistant.approve(preview.id, preview.fingerprint)).outcomes
    assert outcome.status == "held" and outcome.goes_out and outcome.goes_out - before >= timedelta(seconds=77)
