"""Who enters the service, and how: over real HTTP, with the clock in the test's hand."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import httpx2
import pytest
import pytest_asyncio
from doubles.service import Running, serving

from assistant.service.entering import links, secrets
from assistant.service.entering.sessions import LASTS
from assistant.service.entering.throttle import PAIR
from storage import invitations, sessions, tokens, users
from storage.session import Session
from storage.tables import OWNER

pytestmark = pytest.mark.asyncio(loop_scope="module")

PASSWORD = "four quiet green lamps"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 18, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Running, Clock]]:
    clock = Clock()
    async with serving(tmp_path_factory.mktemp("home"), clock=clock) as service:
        yield service, clock


@pytest_asyncio.fixture(loop_scope="module")
async def service(opened: tuple[Running, Clock]) -> AsyncIterator[Running]:
    """As on the first day, for each test."""
    service, clock = opened
    clock.pass_(hours=2)  # what was guessed before is forgotten
    yield service
    await service.household.database.write(_as_at_first)
    for client in service.clients:
        await client.aclose()
    service.clients.clear()


@pytest.fixture
def clock(opened: tuple[Running, Clock]) -> Clock:
    return opened[1]


def _as_at_first(s: Session) -> None:
    users.rename(s, "")
    users.set_password(s, "")
    users.disable(s, None, user_id=OWNER)
    sessions.remove_all(s, OWNER)
    invitations.remove_all(s, OWNER)
    for token in tokens.list(s, OWNER):
        tokens.remove(s, token.id, user_id=OWNER)


async def link_of(service: Running, user: str = OWNER) -> str:
    return await links.make(service.household.database, user, service.household.clock())


async def first_run(service: Running, name: str = "Eva", password: str | None = PASSWORD) -> httpx2.AsyncClient:
    """The owner, who has just used the link that the service printed."""
    client = service.client()
    given = {"token": await link_of(service), "name": name, "password": password}
    entered = await client.post("/api/first-run", json=given)
    assert entered.status_code == 200, entered.text
    client.headers["X-CSRF-Token"] = entered.json()["csrf"]
    return client


async def sign_in(service: Running, password: str = PASSWORD, name: str = "Eva") -> httpx2.Response:
    return await service.client().post("/api/sign-in", json={"name": name, "password": password})


async def is_in(client: httpx2.AsyncClient) -> bool:
    return (await client.get("/api/me")).status_code == 200


# The first time


async def test_at_first_the_owner_enters_with_the_link_and_chooses_name_and_password(service: Running):
    assert (await service.client().get("/api/entrance")).json()["first_run"]
    owner = await first_run(service)
    me = (await owner.get("/api/me")).json()
    assert me["user"] == {"id": "owner", "name": "Eva", "role": "owner"}
    assert (await owner.get("/api/entrance")).json()["signed_in"]
    assert not (await service.client().get("/api/entrance")).json()["signed_in"]
    assert set(me["scopes"]) == {"read", "propose", "approve", "manage"}
    assert not (await service.client().get("/api/entrance")).json()["first_run"]


async def test_a_link_works_once(service: Running):
    given = {"token": await link_of(service), "name": "Eva", "password": PASSWORD}
    assert (await service.client().post("/api/first-run", json=given)).status_code == 200
    again = await service.client().post("/api/first-run", json={**given, "password": "another long one"})
    assert again.status_code == 403
    assert (await sign_in(service)).status_code == 200


async def test_a_link_ends_by_itself(service: Running, clock: Clock):
    token = await link_of(service)
    clock.pass_(seconds=links.LASTS.total_seconds() + 1)
    given = {"token": token, "name": "Eva", "password": PASSWORD}
    assert (await service.client().post("/api/first-run", json=given)).status_code == 403


async def test_a_newer_link_takes_the_place_of_an_earlier_one(service: Running):
    earlier = await link_of(service)
    await link_of(service)
    given = {"token": earlier, "name": "Eva", "password": PASSWORD}
    assert (await service.client().post("/api/first-run", json=given)).status_code == 403


@pytest.mark.parametrize(("password", "words"), [("short", "at least 10 characters"), ("x" * 1001, "at most 1000")])
async def test_a_password_that_will_not_do_is_told_kindly_and_the_link_stays_good(service: Running, password: str, words: str):
    given = {"token": await link_of(service), "name": "Eva", "password": password}
    told = await service.client().post("/api/first-run", json=given)
    assert told.status_code == 422 and words in told.json()["detail"]
    assert (await service.client().post("/api/first-run", json={**given, "password": PASSWORD})).status_code == 200


async def test_the_first_link_needs_a_name(service: Running):
    given = {"token": await link_of(service), "password": PASSWORD}
    assert (await service.client().post("/api/first-run", json=given)).status_code == 422
    assert (await service.client().post("/api/first-run", json={**given, "name": "Eva"})).status_code == 200


async def test_a_link_for_a_lost_password_sets_another_and_ends_all_sessions(service: Running):
    before = await first_run(service)
    given = {"token": await link_of(service), "password": "three loud red lamps"}
    assert (await service.client().post("/api/first-run", json=given)).status_code == 200
    assert not await is_in(before)
    assert (await sign_in(service)).status_code == 401
    assert (await sign_in(service, "three loud red lamps")).status_code == 200


# Signing in and out


async def test_with_name_and_password_a_session_begins(service: Running):
    await first_run(service)
    client = service.client()
    entered = await client.post("/api/sign-in", json={"name": " eva ", "password": PASSWORD})
    assert entered.status_code == 200 and await is_in(client)
    cookie = entered.headers["set-cookie"]
    port = urlsplit(service.url).port
    assert cookie.startswith(f"assistant_session_{port}=")  # not that of another service on this machine
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Path=/" in cookie


async def test_a_wrong_name_and_a_wrong_password_are_told_alike(service: Running):
    await first_run(service)
    name, password = await sign_in(service, name="Nobody"), await sign_in(service, "not this one here")
    assert name.status_code == password.status_code == 401
    assert name.content == password.content


async def test_a_name_is_the_same_however_the_keyboard_composed_it(service: Running):
    await first_run(service, name="Zo\u00eb Li")
    assert (await sign_in(service, name="Zoe\u0308  li")).status_code == 200


async def test_a_name_that_is_not_there_costs_the_same_work(service: Running, monkeypatch: pytest.MonkeyPatch):
    await first_run(service)
    hashes = []
    passwords = service.service.entrance.passwords._hash
    verify = passwords.verify
    monkeypatch.setattr(passwords, "verify", lambda given, hashed: hashes.append(hashed.split("$")[1:4]) or verify(given, hashed))
    await sign_in(service, "not this one here")
    await sign_in(service, name="Nobody")
    assert len(hashes) == 2 and hashes[0] == hashes[1]


async def test_whoever_has_no_password_does_not_enter_with_an_empty_one(service: Running):
    assert (await sign_in(service, "", name="")).status_code == 401
    assert (await sign_in(service, "", name="owner")).status_code == 401


async def test_a_password_is_the_same_however_the_keyboard_composes_it(service: Running):
    await first_run(service, password="ein schönes Wort")
    assert (await sign_in(service, "ein scho\u0308nes Wort")).status_code == 200


async def test_guessing_is_slowed_down_and_told_for_how_long(service: Running, clock: Clock):
    await first_run(service)
    for _ in range(PAIR.free):
        assert (await sign_in(service, "not this one here")).status_code == 401
    slowed = await sign_in(service)
    assert slowed.status_code == 429 and slowed.headers["Retry-After"] == "1"
    clock.pass_(seconds=1)
    assert (await sign_in(service)).status_code == 200


async def test_signing_in_gives_a_new_session_whatever_the_browser_came_with(service: Running):
    await first_run(service)
    cookie = service.cookie
    fixed = service.client()
    fixed.cookies.set(cookie, "chosen by somebody else")
    await fixed.post("/api/sign-in", json={"name": "Eva", "password": PASSWORD})
    stranger = service.client()
    stranger.cookies.set(cookie, "chosen by somebody else")
    assert not await is_in(stranger)


async def test_signing_in_again_ends_the_session_before(service: Running):
    owner = await first_run(service)
    cookie = service.cookie
    before = owner.cookies[cookie]
    await owner.post("/api/sign-in", json={"name": "Eva", "password": PASSWORD})
    assert owner.cookies[cookie] != before
    stale = service.client()
    stale.cookies.set(cookie, before)
    assert not await is_in(stale)


async def test_signing_out_ends_the_session_and_takes_the_cookie(service: Running):
    owner = await first_run(service)
    secret = owner.cookies[service.cookie]
    assert (await owner.post("/api/sign-out")).status_code == 200
    assert not owner.cookies
    kept = service.client()
    kept.cookies.set(service.cookie, secret)
    assert not await is_in(kept)


async def test_signing_out_everywhere_ends_all_sessions(service: Running):
    owner = await first_run(service)
    other = await service.sign_in()
    await owner.post("/api/sign-out", json={"everywhere": True})
    assert not await is_in(other)


# Sessions


async def test_a_session_lasts_thirty_days_after_its_last_use(service: Running, clock: Clock):
    client = await service.sign_in()
    for _ in range(3):
        clock.pass_(days=29)
        assert await is_in(client)
    clock.pass_(seconds=LASTS.total_seconds() + 1)
    assert not await is_in(client)


async def test_its_use_is_noted_at_most_once_a_minute(service: Running, clock: Clock):
    client, began = await service.sign_in(), clock.now

    async def seen() -> datetime:
        return (await service.household.database.read(lambda s: sessions.list(s, OWNER)))[0].seen

    clock.pass_(seconds=59)
    await is_in(client)
    assert await seen() == began
    clock.pass_(seconds=1)
    await is_in(client)
    assert await seen() == clock.now


async def test_sessions_are_listed_with_the_browsers_words_and_ended_one_by_one(service: Running):
    owner, other = await service.sign_in(), await service.sign_in()
    found = (await owner.get("/api/sessions")).json()["items"]
    assert [one["agent"] for one in found] == ["a test"] * 2 and sum(one["current"] for one in found) == 1
    foreign = next(one["id"] for one in found if not one["current"])
    assert (await owner.delete(f"/api/sessions/{foreign}")).status_code == 200
    assert not await is_in(other) and await is_in(owner)
    assert (await owner.delete(f"/api/sessions/{foreign}")).status_code == 404


async def test_all_others_are_ended_at_once(service: Running):
    owner, other = await service.sign_in(), await service.sign_in()
    await owner.delete("/api/sessions")
    assert await is_in(owner) and not await is_in(other)


async def test_nobody_who_is_disabled_enters(service: Running, clock: Clock):
    owner, program = await first_run(service), await service.bearer()
    await service.household.database.write(lambda s: users.disable(s, clock.now, user_id=OWNER))
    assert not await is_in(owner) and not await is_in(program)
    assert (await sign_in(service)).status_code == 401


# Orders under a session


@pytest.mark.parametrize("header", [None, "", "wrong"])
async def test_an_order_under_a_session_needs_the_word_that_only_our_page_knows(service: Running, header: str | None):
    client = await service.sign_in()
    del client.headers["X-CSRF-Token"]
    refused = await client.delete("/api/sessions", headers={} if header is None else {"X-CSRF-Token": header})
    assert refused.status_code == 403
    assert await is_in(client)


async def test_the_word_of_another_session_does_not_do(service: Running):
    client, other = await service.sign_in(), await service.sign_in()
    assert (await client.delete("/api/sessions", headers={"X-CSRF-Token": other.headers["X-CSRF-Token"]})).status_code == 403


async def test_a_page_of_another_site_gives_no_orders_even_with_the_word(service: Running):
    client = await service.sign_in()
    assert (await client.delete("/api/sessions", headers={"Origin": "http://evil.example"})).status_code == 403
    assert (await client.delete("/api/sessions", headers={"Sec-Fetch-Site": "cross-site"})).status_code == 403
    assert (await client.delete("/api/sessions", headers={"Origin": service.url})).status_code == 200


async def test_a_page_of_another_site_can_not_sign_a_visitor_in(service: Running):
    await first_run(service)
    given = {"name": "Eva", "password": PASSWORD}
    sent = await service.client().post("/api/sign-in", json=given, headers={"Origin": "http://evil.example"})
    assert sent.status_code == 403 and "set-cookie" not in sent.headers


async def test_a_cookie_beside_a_token_that_is_none_does_not_count(service: Running):
    client = await service.sign_in()
    assert (await client.get("/api/me", headers={"Authorization": "Bearer nothing"})).status_code == 401
    assert (await client.get("/api/me", headers={"Authorization": "Basic eDp5"})).status_code == 401


async def test_under_a_foreign_name_nothing_is_told(service: Running):
    client = await service.sign_in()
    assert (await client.get("/api/me", headers={"Host": "evil.example"})).status_code == 421


# Tokens


async def test_a_token_is_shown_once_and_does_what_it_was_given(service: Running):
    owner = await service.sign_in()
    made = await owner.post("/api/tokens", json={"name": "phone", "scopes": ["read", "propose"]})
    assert made.status_code == 201
    program = service.client(Authorization=f"Bearer {made.json()['secret']}")
    me = (await program.get("/api/me")).json()
    assert set(me["scopes"]) == {"read", "propose"} and me["csrf"] == ""
    assert made.json()["secret"] not in (await owner.get("/api/tokens")).text
    assert (await program.get("/api/tokens")).status_code == 403


async def test_a_revoked_token_is_none(service: Running):
    owner = await service.sign_in()
    made = (await owner.post("/api/tokens", json={"name": "phone", "scopes": ["read"]})).json()
    assert (await owner.delete(f"/api/tokens/{made['token']['id']}")).status_code == 200
    assert not await is_in(service.client(Authorization=f"Bearer {made['secret']}"))
    assert (await owner.delete(f"/api/tokens/{made['token']['id']}")).status_code == 404


async def test_a_token_may_end_by_itself(service: Running, clock: Clock):
    owner = await service.sign_in()
    made = (await owner.post("/api/tokens", json={"name": "phone", "scopes": ["read"], "days": 1})).json()
    program = service.client(Authorization=f"Bearer {made['secret']}")
    assert await is_in(program)
    clock.pass_(days=1)
    assert not await is_in(program)


async def test_its_use_is_noted_at_most_once_a_minute_too(service: Running, clock: Clock):
    program = await service.bearer()

    async def used() -> datetime | None:
        return (await service.household.database.read(lambda s: tokens.list(s, OWNER)))[0].used

    assert await used() is None
    await is_in(program)
    first = clock.now
    clock.pass_(seconds=59)
    await is_in(program)
    assert await used() == first


async def test_a_token_makes_no_other_which_would_outlive_it(service: Running):
    program = await service.bearer(scopes=("read", "manage"))
    assert (await program.post("/api/tokens", json={"name": "same", "scopes": ["read"]})).status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "given"),
    [
        ("POST", "/api/password", {"new": "a long new password"}),
        ("POST", "/api/passkeys/options", None),
        ("POST", "/api/passkeys", {"name": "key", "credential": {}}),
        ("DELETE", "/api/passkeys/x", None),
        ("POST", "/api/users", {"name": "Tom"}),
        ("POST", "/api/users/owner/invite", None),
    ],
)
async def test_a_token_changes_nothing_that_one_signs_in_with(
    service: Running, method: str, path: str, given: dict[str, str] | None
):
    program = await service.bearer(scopes=("read", "propose", "approve", "manage"))
    assert (await program.request(method, path, json=given)).status_code == 403


# The password


async def test_a_new_password_needs_the_old_one_and_ends_the_other_sessions(service: Running):
    owner = await first_run(service)
    other = await service.sign_in()
    new = "three loud red lamps"
    assert (await owner.post("/api/password", json={"old": "not this one here", "new": new})).status_code == 403
    assert (await owner.post("/api/password", json={"old": PASSWORD, "new": "short"})).status_code == 422
    assert (await owner.post("/api/password", json={"old": PASSWORD, "new": new})).status_code == 200
    assert await is_in(owner) and not await is_in(other)
    assert (await sign_in(service)).status_code == 401
    assert (await sign_in(service, new)).status_code == 200


# What every answer carries


@pytest.mark.parametrize("path", ["/api/me", "/api/nothing", "/api/entrance", "/nothing/at/all", "/api/health"])
async def test_every_answer_carries_what_keeps_a_page_safe(service: Running, path: str):
    headers = (await service.client().get(path)).headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "require-trusted-types-for 'script'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "server" not in headers
    if path.startswith("/api"):
        assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("headers", "size", "status"), [({"Host": "evil.example"}, 0, 421), ({"Origin": "null"}, 0, 403), ({}, 1_000_001, 413)]
)
async def test_so_does_a_refusal(service: Running, headers: dict[str, str], size: int, status: int):
    refused = await service.client().post("/api/sign-in", headers=headers, content=b" " * size)
    assert refused.status_code == status
    assert "default-src 'none'" in refused.headers["Content-Security-Policy"]
    assert refused.headers["Content-Type"] == "application/problem+json"


# What is never written down


async def test_neither_passwords_nor_secrets_stand_anywhere(
    service: Running, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    caplog.set_level("DEBUG")
    link = await link_of(service)
    owner = service.client()
    given = {"token": link, "name": "Eva", "password": "canary-one-1234"}
    owner.headers["X-CSRF-Token"] = (await owner.post("/api/first-run", json=given)).json()["csrf"]
    wrong = await sign_in(service, "canary-two-1234")
    broken = await service.client().post("/api/sign-in", json={"name": "Eva", "password": ["canary-three-1234"]})
    short = await service.client().post("/api/first-run", json={"token": link, "password": "canary-4"})
    await owner.post("/api/password", json={"old": "canary-one-1234", "new": "canary-five-1234"})
    token = (await owner.post("/api/tokens", json={"name": "phone", "scopes": ["read"]})).json()["secret"]
    session = owner.cookies[service.cookie]
    await service.client(Authorization=f"Bearer {token}").get("/api/me")
    noted = [record for record in caplog.records if not record.name.startswith("http")]  # of the client's own
    told = (
        "".join(record.getMessage() + (record.exc_text or "") for record in noted)
        + "".join(capfd.readouterr())
        + wrong.text
        + broken.text
        + short.text
    )
    kept = b"".join(path.read_bytes() for path in service.household.home.rglob("*") if path.is_file())
    for secret in ("canary-", link, token, session, secrets.csrf(session)):
        assert secret not in told and secret.encode() not in kept
