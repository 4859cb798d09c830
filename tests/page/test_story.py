"""From the first run to an undo, on a desk and on a phone: what a person does with the assistant in a browser."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles.browser import PHONE, WIDE, Window, window
from doubles.service import serving
from playwright.async_api import Browser, Locator, Page, expect

from assistant.service.entering import links
from integrations.types import EventQuery
from storage.tables import OWNER

pytestmark = pytest.mark.asyncio(loop_scope="session")
ASKED = "schedule a call with eve@outside.example tomorrow from 15:00 to 16:00"
ZONE = "Europe/Berlin"


async def say(page: Page, words: str) -> None:
    await page.get_by_label("Message to the assistant").fill(words)
    await page.get_by_role("button", name="Send", exact=True).click()


@pytest.mark.parametrize(("name", "device"), [("desk", WIDE), ("phone", PHONE)])
async def test_from_the_first_run_to_an_undo(browser: Browser, tmp_path: Path, name: str, device: dict[str, Any]) -> None:
    async with serving(tmp_path, zone=ZONE) as service, window(browser, service.url, name, **device) as w:
        page = w.page
        secret = await links.make(service.household.database, OWNER, datetime.now(UTC))
        await page.goto(links.link(service.url, secret))
        await page.get_by_label("What shall I call you?").fill("Eva")
        await expect(page).not_to_have_url(re.compile("token"))
        await w.shot("first-run")
        await page.get_by_label("Choose a password").fill("correct horse battery")
        await page.get_by_role("button", name="Begin").click()
        await expect(page.get_by_label("Message to the assistant")).to_be_visible()
        await w.shot("welcome")

        await say(page, "summarise my unread mail")
        reply = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="The assistant")).last
        await expect(reply.locator(".said-text")).to_be_visible()
        await reply.locator("summary").click()
        await expect(reply.locator(".steps-list li").nth(3)).to_be_visible()
        await w.shot("asked")

        await say(page, ASKED)
        card = page.locator("[data-preview][data-status=open]")
        await expect(card.get_by_text("High risk")).to_be_visible()
        await expect(card.get_by_text("eve@outside.example").first).to_be_visible()
        await w.shot("preview")
        assert await w.unreadable() == []

        await card.get_by_role("button", name="Edit").click()
        await card.get_by_role("button", name=re.compile("Remove .*eve@outside.example")).click()
        await card.get_by_label("Invited", exact=True).fill("finn@outside.example")
        if name == "desk":
            await page.keyboard.press("Enter")
        await w.shot("editing")
        await card.get_by_role("button", name="Save changes").click()
        await expect(card.get_by_role("heading", name="finn@outside.example")).to_be_visible()
        await expect(card).to_have_count(1)
        await w.shot("edited")

        await approve(w, card)
        receipt = page.locator(".receipt").last
        await expect(receipt.get_by_text("Done")).to_be_visible()
        await w.shot("receipt")
        assert await w.unreadable() == []

        await receipt.get_by_role("button", name="Undo").click()
        await expect(card.get_by_role("heading", name=re.compile("take back", re.IGNORECASE))).to_be_visible()
        await w.shot("undoing")
        await approve(w, card)
        await expect(page.locator(".receipt").last.get_by_text(re.compile("take back", re.IGNORECASE))).to_be_visible()
        await w.shot("undone")
        assistant = await service.household.of(OWNER)
        found = await assistant.look(EventQuery(start=now(), end=now() + timedelta(days=3), people=("finn@outside.example",)))
        assert found.items == ()


async def approve(w: Window, card: Locator) -> None:
    """With the second act that something of weight asks for."""
    await card.get_by_role("button", name="Approve", exact=True).click()
    final = card.locator("[data-act=confirm]")
    await expect(final).to_be_disabled()
    await w.shot("second-act")
    await card.get_by_role("checkbox").check()
    await final.click()


def now() -> datetime:
    return datetime.now(UTC)
