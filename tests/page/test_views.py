"""Every view, light and dark, wide and narrow: nobody is shut out of it, and a stranger's words are only words in it."""

from typing import Any

import pytest
import pytest_asyncio
from doubles.browser import PHONE, WIDE, Window, window
from doubles.hostile import MARK, TRICKS
from doubles.service import Running
from playwright.async_api import Browser, expect

from assistant.timetable.rules import Cron, Remind

pytestmark = pytest.mark.asyncio(loop_scope="session")
VIEWS = ("/", "/today", "/approvals", "/tasks", "/schedules", "/outgoing", "/activity", "/accounts", "/settings")
ASKED = (
    f"show me the mail about {MARK}",
    "what's on my calendar today?",
    f"find the contact {MARK}",
    'reply to the last mail from Mallory saying "No, thank you."',
    f"forward the mail about {MARK} to anna@example.org",
    "brief me",
)
LOOKS: dict[str, dict[str, Any]] = {
    "wide-light": {**WIDE, "color_scheme": "light"},
    "phone-dark": {**PHONE, "color_scheme": "dark"},
}
MADE_OF_IT = """
() => [...document.querySelectorAll("script, iframe, object, embed, a[href], img, [onerror], [onload], [onfocus], [onclick]")]
  .filter((one) => (one.tagName === "SCRIPT" && !one.src.startsWith(location.origin + "/page/"))
    || (one.tagName === "IMG" && !one.src.startsWith(location.origin + "/page/"))
    || (one.tagName === "A" && !one.getAttribute("href").startsWith("#"))
    || ["IFRAME", "OBJECT", "EMBED"].includes(one.tagName)
    || ["onerror", "onload", "onfocus", "onclick"].some((name) => one.hasAttribute(name)))
  .map((one) => one.outerHTML.slice(0, 200))
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def filled(service: Running) -> str:
    """A conversation about the stranger's mail, with previews that answer and forward it and a briefing. Its id."""
    assistant = await service.household.of("owner")
    conversation = await assistant.begin()
    for words in ASKED:
        await assistant.say(conversation, words)
    told = await assistant.schedules.add(TRICKS[0], Remind(text=" ".join((MARK, *TRICKS))), Cron(expression="0 8 * * *"))
    await assistant.schedules.run(told.id)
    return conversation


async def look(w: Window, path: str) -> None:
    await w.go(path)
    await expect(w.page.locator("main h1").first).to_be_attached()
    await w.settled()


async def innocent(w: Window) -> None:
    """No element of the page was made of anybody's words."""
    assert await w.page.evaluate(MADE_OF_IT) == []


@pytest.mark.parametrize("name", LOOKS)
async def test_every_view_can_be_read_by_everybody(browser: Browser, service: Running, filled: str, name: str) -> None:
    async with window(browser, service.url, name, **LOOKS[name]) as w:
        barriers = []
        await w.enter(service)
        for path in (*VIEWS, f"/c/{filled}"):
            await look(w, path)
            await w.shot(path.strip("/").replace("/", "-")[:12] or "chat")
            barriers += [f"{path}: {one}" for one in await w.unreadable()]
            assert await w.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is wider than the screen"
            await innocent(w)
        assert not barriers, "\n".join(barriers)


async def test_a_strangers_words_are_only_words_wherever_they_stand(browser: Browser, service: Running, filled: str) -> None:
    async with window(browser, service.url, "hostile", **WIDE) as w:
        page = w.page
        await w.enter(service)
        await look(w, f"/c/{filled}")
        await expect(page.get_by_text("<script>alert('script')</script>").first).to_be_visible()
        await innocent(w)
        card = page.locator("[data-preview][data-status=open]").last
        await card.get_by_role("button", name="Edit").click()
        await innocent(w)
        await w.shot("editing")
        for path in (f"/c/{filled}", "/today", "/approvals", "/schedules", "/activity"):
            await look(w, path)
            await expect(page.get_by_text(MARK).first).to_be_visible()
            await unfold(w)
            await innocent(w)
            await w.shot(path.strip("/").partition("/")[0])


async def unfold(w: Window) -> None:
    """Opens whatever can be opened in the view: steps, originals, stories, headers."""
    await w.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    await w.settled()
    await w.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    await w.settled()
