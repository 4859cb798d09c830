"""Passkeys, from registering one to signing in with it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
import pytest_asyncio
from doubles.authenticator import Authenticator, Json, changed
from doubles.service import Running, serving
from webauthn.helpers import bytes_to_base64url

from assistant.service.entering import links
from assistant.service.entering.secrets import csrf
from storage import passkeys, users
from storage.tables import OWNER

pytestmark = pytest.mark.asyncio(loop_scope="module")

PUBLIC = "https://assistant.example.org"


class Clock:
    now = datetime(2026, 11, 18, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory, clock: Clock) -> AsyncIterator[Running]:
    async with serving(tmp_path_factory.mktemp("home"), clock=clock, public_url=PUBLIC) as service:
        service.url = service.url.replace("127.0.0.1", "localhost")
        yield service


@pytest_asyncio.fixture(loop_scope="module")
async def service(opened: Running, clock: Clock) -> AsyncIterator[Running]:
    clock.now += timedelta(hours=2)
    yield opened
    for key in await opened.household.database.read(lambda s: passkeys.list(s, OWNER)):
        await opened.household.database.write(lambda s, key=key: passkeys.remove(s, key.id, user_id=OWNER))


@pytest.fixture
def authenticator(service: Running) -> Authenticator:
    return Authenticator(service.url)


async def register(client: httpx2.AsyncClient, authenticator: Authenticator, **headers: str) -> httpx2.Response:
    asked = await client.post("/api/passkeys/options", headers=headers)
    assert asked.status_code == 200, asked.text
    given = {"name": "My phone", "credential": authenticator.create(asked.json())}
    return await client.post("/api/passkeys", json=given, headers=headers)


async def options(client: httpx2.AsyncClient) -> Json:
    asked: Json = (await client.post("/api/sign-in/passkey/options")).json()
    return asked


async def sign_in(client: httpx2.AsyncClient, credential: Json) -> int:
    return (await client.post("/api/sign-in/passkey", json={"credential": credential})).status_code


async def is_in(client: httpx2.AsyncClient) -> bool:
    return (await client.get("/api/me")).status_code == 200


@pytest_asyncio.fixture(loop_scope="module")
async def registered(service: Running, authenticator: Authenticator) -> Authenticator:
    """One that the owner has registered a passkey with."""
    client = await service.sign_in()
    assert (await register(client, authenticator)).status_code == 201
    return authenticator


async def test_a_passkey_signs_in_without_a_name(service: Running, registered: Authenticator):
    client = service.client()
    assert (await client.get("/api/entrance")).json()["passkeys"]
    asked = await options(client)
    assert asked["userVerification"] == "required" and not asked["allowCredentials"]
    assert await sign_in(client, registered.get(asked)) == 200
    assert await is_in(client)


async def test_it_is_listed_with_when_it_was_used(service: Running, registered: Authenticator, clock: Clock):
    owner, client = await service.sign_in(), service.client()
    [found] = (await owner.get("/api/passkeys")).json()["items"]
    assert found["name"] == "My phone" and found["used"] is None
    await sign_in(client, registered.get(await options(client)))
    [found] = (await owner.get("/api/passkeys")).json()["items"]
    assert datetime.fromisoformat(found["used"]) == clock.now


async def test_it_is_asked_for_as_one_that_names_its_holder(service: Running):
    asked = (await (await service.sign_in()).post("/api/passkeys/options")).json()
    assert asked["authenticatorSelection"]["residentKey"] == asked["authenticatorSelection"]["userVerification"] == "required"
    assert asked["rp"]["id"] == "localhost"


async def test_one_that_is_registered_is_not_registered_again(service: Running, registered: Authenticator):
    client = await service.sign_in()
    asked = (await client.post("/api/passkeys/options")).json()
    assert [one["id"] for one in asked["excludeCredentials"]] == [bytes_to_base64url(registered.keys[0].id)]


async def test_an_answer_is_taken_once(service: Running, registered: Authenticator):
    client = service.client()
    credential = registered.get(await options(client))
    assert await sign_in(client, credential) == 200
    assert await sign_in(service.client(), credential) == 400


async def test_and_within_five_minutes(service: Running, registered: Authenticator, clock: Clock):
    client = service.client()
    asked = await options(client)
    clock.now += timedelta(minutes=5)
    assert await sign_in(client, registered.get(asked)) == 400


async def test_a_question_that_was_never_asked_is_not_answered(service: Running, registered: Authenticator):
    client = service.client()
    asked = {**await options(client), "challenge": "A" * 75}
    assert await sign_in(client, registered.get(asked)) == 400


async def test_the_question_for_registering_is_not_one_for_signing_in(service: Running, registered: Authenticator):
    owner = await service.sign_in()
    asked = (await owner.post("/api/passkeys/options")).json()
    assert await sign_in(service.client(), registered.get({"rpId": "localhost", "challenge": asked["challenge"]})) == 400


async def test_nobody_else_answers_the_question_of_a_session(service: Running, authenticator: Authenticator):
    one, other = await service.sign_in(), await service.sign_in()
    asked = (await one.post("/api/passkeys/options")).json()
    given = {"name": "key", "credential": authenticator.create(asked)}
    assert (await other.post("/api/passkeys", json=given)).status_code == 400


@pytest.mark.parametrize("part", ["signature", "authenticatorData"])
async def test_a_signature_that_does_not_fit_is_refused(service: Running, registered: Authenticator, part: str):
    client = service.client()
    assert await sign_in(client, changed(registered.get(await options(client)), part)) == 401
    assert not await is_in(client)


async def test_a_page_of_another_site_can_not_use_it(service: Running, registered: Authenticator):
    client = service.client()
    registered.origin = "http://localhost.evil.example"
    assert await sign_in(client, registered.get(await options(client))) == 401


async def test_it_must_have_asked_for_a_pin_or_a_finger(service: Running, registered: Authenticator):
    client = service.client()
    registered.verifies = False
    assert await sign_in(client, registered.get(await options(client))) == 401


async def test_a_copy_that_counts_from_before_is_refused(service: Running, registered: Authenticator):
    client = service.client()
    assert await sign_in(client, registered.get(await options(client))) == 200
    registered.keys[0].count = 0
    assert await sign_in(client, registered.get(await options(client))) == 401


async def test_an_unknown_one_is_refused_like_a_wrong_one(service: Running, registered: Authenticator):
    stranger, client = Authenticator(service.url), service.client()
    stranger.create({"rp": {"id": "localhost"}, "user": {"id": "b3duZXI"}, "challenge": ""})
    assert await sign_in(client, stranger.get(await options(client))) == 401


async def test_one_that_was_removed_signs_nobody_in(service: Running, registered: Authenticator):
    owner, client = await service.sign_in(), service.client()
    await register(owner, Authenticator(service.url))
    removed = bytes_to_base64url(registered.keys[0].id)
    assert (await owner.delete(f"/api/passkeys/{removed}")).status_code == 200
    assert await sign_in(client, registered.get(await options(client))) == 401


async def test_the_only_way_in_is_not_removed(service: Running, registered: Authenticator):
    owner = await service.sign_in()
    [found] = (await owner.get("/api/passkeys")).json()["items"]
    assert (await owner.delete(f"/api/passkeys/{found['id']}")).status_code == 409
    await service.household.database.write(lambda s: users.set_password(s, "a hash"))
    assert (await owner.delete(f"/api/passkeys/{found['id']}")).status_code == 200
    await service.household.database.write(lambda s: users.set_password(s, ""))


@pytest.mark.parametrize(
    "credential", [{}, {"response": 1}, {"response": {"clientDataJSON": "e30"}}, {"response": {"clientDataJSON": "é"}}]
)
async def test_what_is_no_credential_is_refused(service: Running, credential: Json):
    owner = await service.sign_in()
    assert await sign_in(service.client(), credential) == 400
    assert (await owner.post("/api/passkeys", json={"name": "key", "credential": credential})).status_code == 400


async def test_under_an_address_in_numbers_none_is_offered(service: Running, registered: Authenticator):
    client = service.client()
    client.base_url = service.url.replace("localhost", "127.0.0.1")
    assert not (await client.get("/api/entrance")).json()["passkeys"]
    told = await client.post("/api/sign-in/passkey/options")
    assert told.status_code == 400 and "localhost" in told.json()["detail"]


async def test_behind_a_proxy_it_belongs_to_the_public_address(service: Running):
    secret, authenticator = await service.session(), Authenticator(PUBLIC)
    there = {"Host": "assistant.example.org", "Cookie": f"__Host-assistant_session={secret}", "X-CSRF-Token": csrf(secret)}
    assert (await register(service.client(), authenticator, **there)).status_code == 201
    assert authenticator.keys[0].rp_id == "assistant.example.org"


async def test_a_link_lets_the_owner_in_to_register_one_instead_of_a_password(service: Running, authenticator: Authenticator):
    client = service.client()
    token = await links.make(service.household.database, OWNER, service.household.clock())
    entered = await client.post("/api/first-run", json={"token": token, "name": "Eva"})
    client.headers["X-CSRF-Token"] = entered.json()["csrf"]
    assert (await client.get("/api/entrance")).json()["first_run"]
    assert (await register(client, authenticator)).status_code == 201
    assert not (await client.get("/api/entrance")).json()["first_run"]
