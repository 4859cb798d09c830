"""Under which names the service answers, and from which pages it takes orders."""

import httpx2
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from assistant.service.hosts import Hosts

OURS = "http://localhost:8765"


async def inner(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("in")(scope, receive, send)


def client(public_url: str = "", *names: str, server: tuple[str, int] = ("127.0.0.1", 8765), url: str = OURS) -> httpx2.AsyncClient:
    hosts = Hosts(inner, frozenset(names), public_url)

    async def reached(scope: Scope, receive: Receive, send: Send) -> None:
        await hosts({**scope, "server": server}, receive, send)

    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=reached), base_url=url)


async def status(host: str, public_url: str = "", *names: str, server: tuple[str, int] = ("127.0.0.1", 8765)) -> int:
    async with client(public_url, *names, server=server) as c:
        return (await c.get("/", headers={"Host": host})).status_code


@pytest.mark.parametrize("host", ["localhost", "localhost:8765", "LOCALHOST:1", "127.0.0.1:8765", "[::1]:8765"])
async def test_names_of_this_machine_are_ours(host: str):
    assert await status(host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "[",
        "localhost:port",
        "10.0.0.9",
    ],
)
async def test_a_foreign_name_is_refused(host: str):
    assert await status(host) == 421


async def test_the_public_address_and_the_bound_name_are_ours():
    assert await status("mine.example", "https://mine.example") == 200
    assert await status("box.lan:8765", "", "box.lan") == 200


async def test_an_address_in_numbers_is_ours_where_it_is_the_one_that_was_reached():
    assert await status("192.168.1.5:8765", server=("192.168.1.5", 8765)) == 200
    assert await status("192.168.1.6:8765", server=("192.168.1.5", 8765)) == 421


async def post(public_url: str = "", **headers: str) -> int:
    async with client(public_url) as c:
        return (await c.post("/", headers={name.replace("_", "-"): value for name, value in headers.items()})).status_code


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": OURS},
        {"Origin": OURS, "Sec_Fetch_Site": "same-origin"},
        {"Origin": "null", "Sec_Fetch_Site": "same-origin"},
        {"Sec_Fetch_Site": "none"},
    ],
)
async def test_a_page_of_ours_gives_orders(headers: dict[str, str]):
    assert await post(**headers) == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "https://localhost:8765"},
        {"Origin": "http://localhost:3000"},
        {"Origin": "null"},
        {"Origin": "http://localhost:8765.evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Origin": OURS, "Sec_Fetch_Site": "cross-site"},
        {"Origin": "http://[", "Sec_Fetch_Site": "same-origin"},
    ],
)
async def test_a_page_of_another_site_gives_none(headers: dict[str, str]):
    assert await post(**headers) == 403


async def test_behind_a_proxy_the_page_is_at_the_public_address():
    assert await post("https://mine.example", Host="mine.example", Origin="https://mine.example") == 200
    assert await post("https://mine.example", Host="mine.example", Origin="https://mine.example:444") == 403


async def look(site: str, mode: str, to: str) -> int:
    async with client() as c:
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": to}
        return (await c.get("/api/mails?words=divorce", headers=headers)).status_code


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_page_of_another_site_or_port_does_not_even_learn_how_long_an_answer_takes(site: str):
    assert await look(site, "no-cors", "empty") == 403  # fetch
    assert await look(site, "no-cors", "script") == 403
    assert await look(site, "cors", "empty") == 403  # EventSource
    assert await look(site, "navigate", "iframe") == 403


async def test_a_link_of_another_site_leads_here():
    assert await look("cross-site", "navigate", "document") == 200
    assert await look("same-origin", "cors", "empty") == await look("none", "navigate", "document") == 200


async def test_a_token_needs_no_origin_since_no_browser_sends_it_by_itself():
    assert await post(Origin="http://evil.example", Authorization="Bearer x") == 200


async def test_what_browsers_may_send_by_themselves_excuses_nothing():
    assert await post(Origin="http://evil.example", Authorization="Basic eDp5") == 403
