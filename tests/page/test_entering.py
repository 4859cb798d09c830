"""Coming in through the page: the first time, with a password, and with a passkey that Chromium's own authenticator holds."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from doubles.browser import Window, window
from doubles.service import Running, serving
from playwright.async_api import Browser, expect

from assistant.service.entering import links
from assistant.service.listening import Listening
from storage.tables import OWNER

pytestmark = pytest.mark.asyncio(loop_scope="session")

ELSEWHERE = "Asia/Tokyo"
PASSWORD = "four quiet green lamps"
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest_asyncio.fixture(loop_scope="session")
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    """Under a name, since browsers know no passkeys for an address in numbers."""
    async with serving(tmp_path, listening=Listening(host="localhost", port=0), zone=ELSEWHERE) as service:
        yield service


@pytest_asyncio.fixture(loop_scope="session")
async def w(browser: Browser, service: Running, request: pytest.FixtureRequest) -> AsyncIterator[Window]:
    async with window(browser, service.url, request.node.name.removeprefix("test_")[:40]) as w:
        yield w


async def open_link(w: Window, service: Running) -> None:
    secret = await links.make(service.household.database, OWNER, service.household.clock())
    await w.page.goto(links.link(service.url, secret))
    await w.page.get_by_label("What shall I call you?").fill("Eva")


async def is_in(w: Window) -> None:
    await expect(w.page.get_by_label("Message to the assistant")).to_be_visible()


async def signed_out(w: Window) -> None:
    await w.page.context.clear_cookies()
    await w.page.goto(f"{w.url}/")
    await w.page.reload()
    await expect(w.page.get_by_role("heading", name="Sign in")).to_be_visible()


async def test_the_link_leads_to_a_password_with_which_one_comes_back(w: Window, service: Running):
    await open_link(w, service)
    assert "token" not in w.page.url
    await w.page.get_by_label("Choose a password", exact=True).fill(PASSWORD)
    assert not await w.unreadable()
    await w.page.get_by_role("button", name="Begin").click()
    await is_in(w)
    await expect(w.page.get_by_text(f"Times are those of {ELSEWHERE}")).to_be_visible()  # whoever is new finds out why
    await signed_out(w)
    await w.page.get_by_label("Name").fill("Eva")
    await w.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await w.shot("sign-in")
    assert not await w.unreadable()
    await w.page.get_by_role("button", name="Sign in", exact=True).click()
    await is_in(w)


async def test_a_passkey_takes_the_place_of_a_password(w: Window, service: Running):
    devtools = await w.page.context.new_cdp_session(w.page)
    await devtools.send("WebAuthn.enable")
    await devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    await open_link(w, service)
    await w.page.get_by_role("button", name="Use a passkey instead").click()
    await is_in(w)
    await signed_out(w)
    await w.page.get_by_role("button", name="Sign in with a passkey").click()
    await is_in(w)


async def test_a_wrong_password_is_told_on_the_page(w: Window, service: Running):
    w.expected.append("401")
    await open_link(w, service)
    await w.page.get_by_label("Choose a password", exact=True).fill(PASSWORD)
    await w.page.get_by_role("button", name="Begin").click()
    await is_in(w)
    await signed_out(w)
    await w.page.get_by_label("Name").fill("Eva")
    await w.page.get_by_label("Password", exact=True).fill("not this one here")
    await w.page.get_by_role("button", name="Sign in", exact=True).click()
    await expect(w.page.get_by_text("The name or the password is not right.")).to_be_visible()
