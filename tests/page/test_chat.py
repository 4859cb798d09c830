"""The chat in a browser: what was typed is never lost, and what was said is there to the first word."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from doubles.browser import WIDE, window
from doubles.service import Running, serving
from doubles.thoughtful import Thoughtful
from playwright.async_api import Browser, Locator, Page, Route, expect

from storage.tables import OWNER

pytestmark = pytest.mark.asyncio(loop_scope="session")
MESSAGES = 45
"""More than one page of messages, with their answers."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def talked(service: Running) -> Running:
    assistant = await service.household.of(OWNER)
    for number in range(MESSAGES):
        await assistant.say("long", f"what is {number} plus one?")
    await assistant.say("short", "email David")
    return service


@pytest_asyncio.fixture(loop_scope="session")
async def thinking(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Running, Thoughtful]]:
    thoughtful = Thoughtful()
    async with serving(tmp_path_factory.mktemp("home"), reasoner=thoughtful) as running:
        yield running, thoughtful
        thoughtful.may_answer.set()


def field(page: Page) -> Locator:
    return page.get_by_label("Message to the assistant")


def own(page: Page) -> Locator:
    return page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="You said"))


def answers(page: Page) -> Locator:
    return page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="The assistant")).locator(".said-text")


async def test_older_messages_come_as_one_goes_up(browser: Browser, talked: Running) -> None:
    async with window(browser, talked.url, "older", **WIDE) as w:
        await w.enter(talked)
        await w.go("/c/long")
        await expect(own(w.page).last).to_contain_text(f"what is {MESSAGES - 1} plus one?")
        while await own(w.page).count() < MESSAGES:
            seen = await own(w.page).count()
            await w.page.get_by_role("button", name="Earlier messages").focus()
            await own(w.page).first.scroll_into_view_if_needed()
            await expect(own(w.page)).not_to_have_count(seen)
        said = [await one.inner_text() for one in await own(w.page).locator(".said-text").all()]
        assert said == [f"what is {number} plus one?" for number in range(MESSAGES)]


async def test_what_was_not_sent_waits_in_its_conversation(browser: Browser, talked: Running) -> None:
    async with window(browser, talked.url, "drafts", **WIDE) as w:
        await w.enter(talked)
        await w.go("/c/short")
        await field(w.page).fill("half a sent")
        await w.go("/c/long")
        await expect(field(w.page)).to_have_value("")
        await w.page.go_back()
        await expect(field(w.page)).to_have_value("half a sent")


async def test_a_conversation_is_found_by_its_words(browser: Browser, talked: Running) -> None:
    async with window(browser, talked.url, "search", **WIDE) as w:
        await w.enter(talked)
        talks = w.page.get_by_role("region", name="Conversations").get_by_role("link")
        await expect(talks).to_have_count(2)
        await w.page.get_by_role("searchbox").fill("7 plus")
        await expect(talks).to_have_count(1)
        await talks.click()
        await expect(own(w.page).last).to_contain_text("plus one")


async def test_what_could_not_be_sent_is_sent_once(browser: Browser, talked: Running) -> None:
    async with window(browser, talked.url, "unsent", **WIDE) as w:
        w.expected.append("net::ERR_")
        await w.enter(talked)
        await w.go("/c/short")
        await expect(own(w.page)).to_have_count(1)
        keys: list[str] = []

        async def arrives_unanswered(route: Route) -> None:
            keys.append(route.request.headers["idempotency-key"])
            if len(keys) == 1:
                await route.fetch()
                await route.abort()
            else:
                await route.continue_()

        await w.page.route("**/messages", arrives_unanswered)
        await field(w.page).fill("what is Anna's phone number?")
        await w.page.keyboard.press("Enter")
        await expect(answers(w.page).filter(has_text="+49 30 23125 141")).to_be_visible()
        await w.page.reload()
        await expect(answers(w.page).filter(has_text="+49 30 23125 141")).to_have_count(1)
        await expect(own(w.page).filter(has_text="Anna's phone")).to_have_count(1)
        assert len(set(keys)) == 1


async def test_a_task_that_is_stopped_can_be_gone_on_with(browser: Browser, thinking: tuple[Running, Thoughtful]) -> None:
    service, thoughtful = thinking
    async with window(browser, service.url, "stopped", **WIDE) as w:
        await w.enter(service)
        await field(w.page).fill("how many unread mails do I have?")
        await w.page.keyboard.press("Enter")
        await thoughtful.asked.wait()
        await w.page.get_by_role("button", name="Stop").click()
        await expect(w.page.get_by_text("Paused")).to_be_visible()
        await w.page.reload()
        thoughtful.may_answer.set()
        await w.page.get_by_role("button", name="Go on").click()
        await expect(answers(w.page)).to_contain_text("Unread mails")
        await expect(w.page.get_by_role("button", name="Go on")).to_have_count(0)
