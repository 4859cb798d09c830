"""Everything that matters can be done with the keyboard alone."""

import pytest
from doubles.browser import WIDE, Window, window
from doubles.service import Running
from playwright.async_api import Browser, expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def focused(w: Window) -> str:
    """What the focus is on, as it is called."""
    said: str = await w.page.evaluate(
        "() => { const at = document.activeElement; return at.getAttribute('aria-label') || at.innerText || at.tagName; }"
    )
    return said.strip()


async def tab_to(w: Window, name: str, *, most: int = 60) -> None:
    for _ in range(most):
        if (await focused(w)).startswith(name):
            assert await w.page.evaluate("document.activeElement.matches(':focus-visible')"), (
                f"nobody sees that {name} has the focus"
            )
            return
        await w.page.keyboard.press("Tab")
    raise AssertionError(f"{name} is not reached by Tab")


async def test_a_mail_is_asked_for_and_approved_without_a_mouse(browser: Browser, service: Running) -> None:
    async with window(browser, service.url, "keys", **WIDE) as w:
        keyboard = w.page.keyboard
        await w.enter(service)
        await tab_to(w, "Message to the assistant")
        await keyboard.type(
            'send an email to eve@outside.example with the subject "Plans" saying "I will pay the invoice of 1,200 euros."'
        )
        await keyboard.press("Enter")
        card = w.page.locator("[data-preview][data-status=open]")
        await expect(card.get_by_text("High risk")).to_be_visible()
        await tab_back_to(w, "Approve")
        await keyboard.press("Enter")
        await expect(card.get_by_text("Read once more what will happen")).to_be_focused()
        await keyboard.press("Tab")
        await keyboard.press("Space")
        await keyboard.press("Tab")
        assert await focused(w) == "Send it"
        await w.shot("second-act")
        await keyboard.press("Enter")
        await expect(w.page.locator(".receipt").last.get_by_text("Done")).to_be_visible()
        await w.shot("receipt")


async def tab_back_to(w: Window, name: str, *, most: int = 30) -> None:
    for _ in range(most):
        if await focused(w) == name:
            return
        await w.page.keyboard.press("Shift+Tab")
    raise AssertionError(f"{name} is not reached by Shift+Tab")


async def test_a_link_before_everything_else_leads_past_the_navigation(browser: Browser, service: Running) -> None:
    async with window(browser, service.url, "skip", **WIDE) as w:
        await w.enter(service)
        await w.go("/activity")
        await expect(w.page.get_by_role("heading", name="Activity", level=1)).to_be_focused()
        await tab_back_to(w, "Skip to the content")
        await w.page.keyboard.press("Enter")
        await expect(w.page.locator("main")).to_be_focused()


async def test_a_refused_sign_in_is_said_and_the_place_to_mend_it_has_the_focus(browser: Browser, service: Running) -> None:
    async with window(browser, service.url, "refused", **WIDE) as w:
        w.expected.append("/api/sign-in")
        await w.page.goto(f"{service.url}/")
        await w.page.get_by_label("Name").fill("Nobody")
        await w.page.get_by_label("Password", exact=True).fill("not the password")
        await w.page.keyboard.press("Enter")
        await expect(w.page.get_by_role("alert").filter(has_text="password")).to_be_visible()
        await expect(w.page.get_by_label("Password", exact=True)).to_be_focused()
        await w.shot("told")
        assert await w.unreadable() == []
