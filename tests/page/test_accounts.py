"""Accounts, connected and disconnected through the browser."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from doubles.browser import PHONE, WIDE, Window, window
from doubles.google import GoogleEmulator
from doubles.graph import GraphEmulator
from doubles.naming import naming
from doubles.service import Running
from playwright.async_api import Browser, Locator, Page, Route, expect
from servers import Servers, User

pytestmark = pytest.mark.asyncio(loop_scope="session")

ME = "me@home.example"


@pytest_asyncio.fixture(loop_scope="session")
async def w(browser: Browser, service: Running, request: pytest.FixtureRequest) -> AsyncIterator[Window]:
    async with window(browser, service.url, request.node.name.removeprefix("test_")[:40], **WIDE) as w:
        await w.enter(service)
        yield w


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleEmulator]:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the emulator speaks plain HTTP
    with GoogleEmulator() as google:
        google.account(ME, name="Eva Klein")
        yield google


@pytest.fixture
def graph() -> Iterator[GraphEmulator]:
    with GraphEmulator() as graph:
        graph.account(ME, name="Eva Klein")
        yield graph


async def sure(page: Page, yes: str) -> None:
    await page.get_by_role("dialog").get_by_role("button", name=yes, exact=True).click()


async def connect(w: Window, google: GoogleEmulator, tmp_path: Path) -> None:
    """Presses all the buttons up to Google, which sends the browser back."""
    file = tmp_path / "client.json"
    file.write_text(json.dumps(google.client))
    await w.go("/accounts")
    await w.page.get_by_role("button", name="Connect Google").click()
    await w.page.get_by_label("The client's file").set_input_files(file)
    await w.shot("dialog")
    await w.page.get_by_role("button", name="Go on to Google").click()
    await expect(w.page.locator("main [role=status] .note").first).to_be_visible()
    assert w.page.url == f"{w.url}/#/accounts"
    w.troubles[:] = [trouble for trouble in w.troubles if f"another place: {google.url}/" not in trouble]


async def test_google_is_connected_and_disconnected(w, google, tmp_path):
    await connect(w, google, tmp_path)
    await expect(w.page.get_by_text(f"Connected google ({ME}).")).to_be_visible()
    await expect(w.page.get_by_role("article")).to_contain_text("Eva Klein <me@home.example>")
    await w.shot("connected")
    await w.page.reload()
    await expect(w.page.get_by_role("article")).to_contain_text("connected")
    await expect(w.page.get_by_text(f"Connected google ({ME}).")).to_have_count(0)
    await w.page.get_by_role("button", name="Disconnect").click()
    await w.shot("disconnecting")
    await sure(w.page, "Disconnect")
    await expect(w.page.get_by_text("Disconnected google. The permission at Google was taken back.")).to_be_visible()
    await expect(w.page.get_by_role("article")).to_contain_text("for trying out")


async def test_a_denial_is_told(w, google, tmp_path):
    google.authorisation.consent.deny = True
    await connect(w, google, tmp_path)
    await expect(w.page.get_by_text("You did not allow it at Google, so nothing was connected.")).to_be_visible()


@pytest_asyncio.fixture(loop_scope="session")
async def at_localhost(browser: Browser, service: Running, request: pytest.FixtureRequest) -> AsyncIterator[Window]:
    """Microsoft sends nobody back to an address in numbers."""
    here = service.url.replace("127.0.0.1", "localhost")
    async with window(browser, here, request.node.name.removeprefix("test_")[:40], **WIDE) as w:
        await w.enter(service)
        yield w


async def ask_microsoft(w: Window, graph: GraphEmulator) -> None:
    """The form asks for the ID of a real registration alone: where the emulated one is goes along unseen."""

    async def told_where(route: Route) -> None:
        asked = route.request.post_data_json if route.request.method == "POST" else None
        await route.continue_(post_data={**asked, "client": {**asked["client"], "endpoint": graph.url}} if asked else None)

    graph.authorisation.redirects.add(f"{w.url}/api/accounts/microsoft/answer")
    w.also.append(f"{graph.url}/")
    await w.page.route("**/api/accounts/microsoft", told_where)
    await w.go("/accounts")
    await w.page.get_by_role("button", name="Connect Microsoft").click()


async def test_microsoft_is_connected_by_the_id_of_a_registration(at_localhost, graph):
    w = at_localhost
    await ask_microsoft(w, graph)
    id = w.page.get_by_label("Application (client) ID")
    await id.fill("not an ID")
    await w.shot("dialog")
    w.expected.append("400")
    await w.page.get_by_role("button", name="Go on to Microsoft").click()
    await expect(id).to_have_attribute("aria-invalid", "true")
    await id.fill(graph.client["client_id"])
    await w.page.get_by_role("button", name="Go on to Microsoft").click()
    await expect(w.page.get_by_text(f"Connected microsoft ({ME}).")).to_be_visible()
    await expect(w.page.get_by_role("article")).to_contain_text("Eva Klein <me@home.example>")
    await w.shot("connected")
    await w.page.get_by_role("button", name="Disconnect").click()
    await sure(w.page, "Disconnect")
    await expect(w.page.get_by_text("Disconnected microsoft.")).to_be_visible()
    assert graph.complaints == []


async def test_at_an_address_in_numbers_the_page_tells_which_one_to_use(w, graph):
    await ask_microsoft(w, graph)
    await w.page.get_by_label("Application (client) ID").fill(graph.client["client_id"])
    w.expected.append("400")
    await w.page.get_by_role("button", name="Go on to Microsoft").click()
    await expect(w.page.get_by_role("dialog")).to_contain_text("open this page as http://localhost:")


async def test_folders_are_connected(w, tmp_path):
    await w.go("/accounts")
    await w.page.get_by_role("button", name="Connect folders").click()
    dialog = w.page.get_by_role("dialog")
    await dialog.get_by_label("Your own mail address").fill("Eva Klein <eva@x.example>")
    await dialog.get_by_label("Mail: folder").fill(str(tmp_path / "mail"))
    w.expected.append("400")
    await dialog.get_by_role("button", name="Connect").click()
    await expect(dialog).to_contain_text("There is no folder")
    await dialog.get_by_label("Make folders").check()
    await dialog.get_by_role("button", name="Connect").click()
    await expect(w.page.get_by_role("article")).to_contain_text("Eva Klein <eva@x.example>")


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example", name="Anna Berg")


@pytest_asyncio.fixture(loop_scope="session")
async def dns(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """That knows of a service behind home.example."""
    async with naming({("home.example", "MX"): ["10 in1-smtp.messagingengine.com."]}) as names:
        monkeypatch.setattr("assistant.connecting.imap.Names", lambda: names)
        yield


async def ask_for_servers(w: Window) -> Locator:
    await w.go("/accounts")
    await w.page.get_by_role("button", name="Connect mail").click()
    dialog = w.page.get_by_role("dialog")
    await dialog.get_by_label("Your mail address").fill("Anna Berg <anna@home.example>")
    await w.shot("address")
    await w.page.keyboard.press("Enter")
    return dialog


async def name_servers(dialog: Locator, anna: User) -> None:
    if not await dialog.get_by_label("Sending mail").is_visible():
        await dialog.locator("summary").click()
    for label, which in (("Mail", "imap"), ("Sending mail", "smtp"), ("Calendars", "caldav"), ("Contacts", "carddav")):
        await dialog.get_by_label(label, exact=True).fill(anna.settings[which])


async def test_mail_is_connected_by_a_password(w, anna, dns):
    dialog = await ask_for_servers(w)
    await expect(dialog).to_contain_text("is at Fastmail")
    await expect(dialog.get_by_label("Password", exact=True)).to_be_visible()
    await w.shot("found")
    await dialog.get_by_label("Password", exact=True).fill("wrong")
    await dialog.get_by_role("button", name="Connect").click()
    await expect(dialog).to_contain_text("Say first whether the password may go there.")
    await name_servers(dialog, anna)
    await dialog.get_by_role("button", name="Connect").click()
    await expect(dialog).to_contain_text("does not take this password")
    await w.shot("refused")
    await dialog.get_by_label("Password", exact=True).fill(anna.password)
    await w.page.keyboard.press("Enter")
    await expect(w.page.get_by_text("Connected mail (anna@home.example).")).to_be_visible()
    await expect(w.page.get_by_role("article").filter(has_text="Anna Berg <anna@home.example>")).to_be_visible()
    await expect(w.page.locator("main [role=status]")).to_contain_text("1 calendar")
    await w.shot("connected")
    await w.page.get_by_role("button", name="Connect again").click()
    await expect(dialog.get_by_label("Your mail address")).to_have_value("anna@home.example")
    await dialog.get_by_role("button", name="Find its servers").click()
    await dialog.get_by_label("Password", exact=True).fill(anna.password)
    await w.page.keyboard.press("Enter")
    await expect(w.page.get_by_text("Connected mail (anna@home.example) again.")).to_be_visible()
    connected = w.page.get_by_role("article").filter(has_text="Anna Berg <anna@home.example>")
    await connected.get_by_role("button", name="Disconnect").click()
    await sure(w.page, "Disconnect")
    await expect(w.page.get_by_text("Its password was deleted here")).to_be_visible()


async def test_mail_is_connected_on_a_phone(browser, service, anna, dns):
    async with window(browser, service.url, "mail_is_connected_on_a_phone", **PHONE) as w:
        await w.enter(service)
        dialog = await ask_for_servers(w)
        await expect(dialog.get_by_label("Password", exact=True)).to_be_visible()
        await w.shot("found")
        await dialog.locator("summary").click()
        await w.shot("servers")


async def test_an_address_that_is_none_is_said_so_at_its_field(w):
    await w.go("/accounts")
    await w.page.get_by_role("button", name="Connect mail").click()
    own = w.page.get_by_label("Your mail address")
    await own.fill("nobody")
    w.expected.append("400")
    await w.page.keyboard.press("Enter")
    await expect(own).to_have_attribute("aria-invalid", "true")
    await expect(w.page.get_by_role("dialog")).to_contain_text("not a mail address")
