"""Debian's Chromium, driven from outside, and everything that a page must never do, noted while it is driven."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from doubles.service import Running
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request, async_playwright, expect

from storage.tables import OWNER

PATIENCE = 20_000
"""Milliseconds, of a machine that has much else to do."""
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --disable-dev-shm-usage"
).split()
SCREENSHOTS = Path(os.environ.get("ASSISTANT_SCREENSHOTS") or Path(__file__).parents[1] / "page" / "screenshots")
AXE = Path(__file__).parents[1] / "page" / "node_modules" / "axe-core" / "axe.min.js"
WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
LISTENS = """
document.addEventListener("securitypolicyviolation", (event) =>
  window.__violated(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`));
"""

BUSY = "() => [...document.querySelectorAll('main .spinner, main [aria-busy=true]')].every((one) => !one.checkVisibility())"


def chromium() -> str:
    """Where it is; empty where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or ""


@dataclass
class Window:
    """A browser's context with one page. `troubles` are what it must never come to."""

    page: Page
    url: str
    name: str
    troubles: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """Parts of what the browser itself writes to the console for an answer that the test wants to be a refusal."""
    also: list[str] = field(default_factory=list)
    """Beginnings of addresses elsewhere to which the test lets it go."""
    _shots: int = 0

    async def enter(self, service: Running, user: str = OWNER) -> None:
        """As somebody who has signed in, at the chat."""
        await self.page.context.add_cookies([{"name": service.cookie, "value": await service.session(user), "url": self.url}])
        await self.page.goto(f"{self.url}/")
        await expect(self.page.get_by_label("Message to the assistant")).to_be_visible()

    async def go(self, path: str) -> None:
        await self.page.goto(f"{self.url}/#{path}")

    async def shot(self, step: str) -> None:
        self._shots += 1
        await self.page.screenshot(path=SCREENSHOTS / f"{self.name}-{self._shots:02}-{step}.png", animations="disabled")

    async def unreadable(self) -> list[str]:
        """What axe-core finds to be a serious or critical barrier."""
        if not await self.page.evaluate("Boolean(window.axe)"):
            await self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = await self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{one['id']} ({one['impact']}): {node['html'][:200]} {node.get('failureSummary', '')}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"][:3]
        ]

    async def settled(self) -> None:
        """Nothing is loaded any more; the streams of events stay open."""
        await self.page.wait_for_function(BUSY, timeout=PATIENCE)

    def listen(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "") if message.location else ""
        said = f"console {message.type}: {message.text} {where}"
        if message.type in ("error", "warning") and not any(part in said for part in self.expected):
            self.troubles.append(said)

    async def _dialog(self, dialog: Dialog) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.url + "/", *self.also)):
            self.troubles.append(f"request to another place: {request.url}")


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def window(browser: Browser, url: str, name: str, **options: Any) -> AsyncIterator[Window]:
    """With a context of its own. Fails at its end where anything happened that must not."""
    context: BrowserContext = await browser.new_context(locale="en-GB", timezone_id="Europe/Berlin", **options)
    context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    one = Window(await context.new_page(), url, name)
    try:
        await context.expose_binding("__violated", lambda source, words: one.troubles.append(f"policy: {words}"))
        await context.add_init_script(LISTENS)
        one.listen()
        yield one
        assert not one.troubles, "\n".join(one.troubles)
    except BaseException:
        await one.shot("failed")
        raise
    finally:
        await context.close()
