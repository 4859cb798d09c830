"""A page that is loaded again in the middle of an answer has lost nothing, and shows nothing twice."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from doubles.browser import WIDE, window
from doubles.service import Running, serving
from doubles.thoughtful import Thoughtful
from playwright.async_api import Browser, Locator, Page, expect

pytestmark = pytest.mark.asyncio(loop_scope="session")
WORDS = "how many unread mails do I have?"


@pytest.fixture(scope="module")
def thoughtful() -> Thoughtful:
    return Thoughtful()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def slow(tmp_path_factory: pytest.TempPathFactory, thoughtful: Thoughtful) -> AsyncIterator[Running]:
    home: Path = tmp_path_factory.mktemp("home")
    async with serving(home, zone="Europe/Berlin", reasoner=thoughtful) as running:
        yield running
        thoughtful.may_answer.set()


def answers(page: Page) -> Locator:
    return page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="The assistant"))


async def test_an_answer_goes_on_where_the_page_was_loaded_again(browser: Browser, slow: Running, thoughtful: Thoughtful) -> None:
    async with window(browser, slow.url, "reload", **WIDE) as w:
        page = w.page
        await w.enter(slow)
        await page.get_by_label("Message to the assistant").fill(WORDS)
        await page.keyboard.press("Enter")
        await thoughtful.asked.wait()
        steps = answers(page).last.locator(".steps-list li")
        await answers(page).last.locator("summary").click()
        await expect(steps.nth(3)).to_be_visible()
        before = [await one.inner_text() for one in await steps.all()]
        await page.get_by_label("Message to the assistant").fill("half a sent")
        await w.shot("before")

        await page.reload()
        await expect(page.get_by_label("Message to the assistant")).to_have_value("half a sent")
        await answers(page).last.locator("summary").click()
        await expect(steps).to_have_count(len(before))
        assert [await one.inner_text() for one in await steps.all()] == before
        await w.shot("after")

        thoughtful.may_answer.set()
        await expect(answers(page).last.locator(".said-text")).to_contain_text("Unread mails")
        await expect(answers(page)).to_have_count(1)
        await expect(page.get_by_text(WORDS)).to_have_count(3)  # the heading, the list of conversations, and what was said
        told = [await one.inner_text() for one in await steps.all()]
        assert told[: len(before)] == before and len(set(told)) == len(told)
        await w.shot("answered")

        await page.reload()
        await expect(answers(page)).to_have_count(1)
        await expect(answers(page).last.locator(".said-text")).to_contain_text("Unread mails")
