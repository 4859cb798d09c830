"""Several users of one service: who may invite whom, and what is left of one who goes."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
import pytest_asyncio
from doubles.service import Running, serving

from assistant.service.listening import Listening
from storage import users
from storage.tables import OWNER

pytestmark = pytest.mark.asyncio(loop_scope="module")

PASSWORD = "four quiet green lamps"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    async with serving(tmp_path_factory.mktemp("home")) as service:
        await service.household.database.write(lambda s: users.rename(s, "Eva"))
        yield service


def token_of(link: str) -> str:
    return urlsplit(link).fragment.partition("token=")[2]


async def invited(service: Running, name: str) -> tuple[str, str]:
    """The new user's id, and the link."""
    made = await (await service.sign_in()).post("/api/users", json={"name": name})
    assert made.status_code == 201, made.text
    return made.json()["user"]["id"], made.json()["link"]


async def enter(service: Running, link: str) -> httpx2.AsyncClient:
    client = service.client()
    entered = await client.post("/api/first-run", json={"token": token_of(link), "password": PASSWORD})
    assert entered.status_code == 200, entered.text
    client.headers["X-CSRF-Token"] = entered.json()["csrf"]
    return client


async def test_whoever_is_invited_enters_with_the_link_and_has_an_assistant_of_their_own(service: Running):
    user, link = await invited(service, "Tom")
    assert link.startswith(f"{service.url}/#/enter?token=")
    tom = await enter(service, link)
    me = (await tom.get("/api/me")).json()
    assert me["user"] == {"id": user, "name": "Tom", "role": "member"} and me["sample"]
    again = await service.client().post("/api/sign-in", json={"name": "tom", "password": PASSWORD})
    assert again.status_code == 200


async def test_only_the_owner_manages_users(service: Running):
    user, link = await invited(service, "Ida")
    ida = await enter(service, link)
    for method, path in (("GET", ""), ("POST", ""), ("DELETE", f"/{user}"), ("POST", "/owner/invite"), ("PUT", f"/{user}")):
        given = {"name": "Ben"} if path == "" else {"disabled": True}
        assert (await ida.request(method, f"/api/users{path}", json=given)).status_code == 403


async def test_not_even_a_token_of_the_owner_does(service: Running):
    program = await service.bearer(scopes=("read", "propose", "approve", "manage"))
    assert (await program.get("/api/users")).status_code == 403


async def test_a_name_is_given_once(service: Running):
    await invited(service, "Nora")
    owner = await service.sign_in()
    assert (await owner.post("/api/users", json={"name": "NORA"})).status_code == 409
    assert (await owner.post("/api/users", json={"name": " "})).status_code == 422
    assert (await owner.post("/api/users", json={"name": "No\u202era"})).status_code == 422


async def test_nobody_takes_another_users_name_by_a_link_which_stays_good(service: Running):
    _, link = await invited(service, "Ole")
    taken = {"token": token_of(link), "name": "eva", "password": PASSWORD}
    assert (await service.client().post("/api/first-run", json=taken)).status_code == 409
    assert (await enter(service, link)) is not None


async def test_one_who_is_kept_out_is_out_at_once_and_may_come_back(service: Running):
    user, link = await invited(service, "Ria")
    ria, owner = await enter(service, link), await service.sign_in()
    assert (await owner.put(f"/api/users/{user}", json={"disabled": True})).json()["disabled"]
    assert (await ria.get("/api/me")).status_code == 401
    given = {"name": "Ria", "password": PASSWORD}
    assert (await service.client().post("/api/sign-in", json=given)).status_code == 401
    await owner.put(f"/api/users/{user}", json={"disabled": False})
    assert (await service.client().post("/api/sign-in", json=given)).status_code == 200


async def test_one_who_is_removed_is_gone(service: Running):
    user, link = await invited(service, "Pia")
    pia, owner = await enter(service, link), await service.sign_in()
    assert (await owner.delete(f"/api/users/{user}")).status_code == 200
    assert (await pia.get("/api/me")).status_code == 401
    assert user not in {one["id"] for one in (await owner.get("/api/users")).json()["items"]}
    assert (await owner.delete(f"/api/users/{user}")).status_code == 404


async def test_the_owner_stays(service: Running):
    owner = await service.sign_in()
    assert (await owner.delete(f"/api/users/{OWNER}")).status_code == 400
    assert (await owner.put(f"/api/users/{OWNER}", json={"disabled": True})).status_code == 400


async def test_keys_of_another_user_are_as_if_they_were_not_there(service: Running):
    _, link = await invited(service, "Kim")
    kim, owner = await enter(service, link), await service.sign_in()
    made = (await owner.post("/api/tokens", json={"name": "phone", "scopes": ["read"]})).json()["token"]["id"]
    session = next(one["id"] for one in (await owner.get("/api/sessions")).json()["items"] if one["current"])
    for path in (f"/api/tokens/{made}", f"/api/sessions/{session}"):
        foreign, absent = await kim.delete(path), await kim.delete(f"{path.rpartition('/')[0]}/nothing")
        assert foreign.status_code == absent.status_code == 404 and foreign.content == absent.content
    assert (await owner.get("/api/me")).status_code == 200


@pytest.mark.parametrize("behind_proxy", [False, True])
async def test_what_a_proxy_says_counts_only_where_there_is_one(tmp_path: Path, behind_proxy: bool):
    listening = Listening(host="127.0.0.1", port=0, behind_proxy=behind_proxy)
    async with serving(tmp_path, listening=listening) as service:
        origin = {"Origin": service.url.replace("http:", "https:"), "X-Forwarded-Proto": "https"}
        sent = await service.client().post("/api/sign-in", json={"name": "x", "password": "y"}, headers=origin)
        assert sent.status_code == (401 if behind_proxy else 403)
