"""Having somebody allow something in a browser, on this machine or on another one."""

import asyncio
import os
import sys
import time
import webbrowser
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from assistant.cli.text import console
from assistant.errors import AssistantError
from integrations.common.loopback import Loopback

WAIT = 300.0
"""Seconds that somebody has for it."""
A_LINE = 65_536
CANT_BE_TYPED_AT = (OSError, ValueError, NotImplementedError)
"""What a closed standard input raises, one that is a file, and the event loop of Windows; then the browser alone is awaited."""
OF_THE_TERMINAL = ("w3m", "lynx", "links", "links2", "elinks", "www-browser")
"""Browsers that need no screen."""
IF_NOT_OPENED = "Your browser was told to. If it does not, or runs on another machine: end with Ctrl-C, and add --no-browser."
IF_ELSEWHERE = (
    "If the browser runs on another machine, it can't show the last page. Then copy the address of that page, paste it here and "
    "press Enter."
)
NOT_THAT = "That is not the address of the last page of this sign-in; it begins with {} and holds code="
GIVEN_UP = "Nothing came back from the browser within {} minutes, so nothing was connected; run the command again."


async def allowed(address: str, loopback: Loopback, *, browser: bool) -> str:
    """The address that the browser was sent to in the end. With `browser` one is opened, where there is one."""
    out = console()
    out.print("Open this address in a browser:")
    print(f"\n{address}\n", flush=True)  # in one line, to be copied whole
    if browser and await _open(address):
        out.print(IF_NOT_OPENED)
        return await _patiently(loopback.answer(), out)
    out.print(IF_ELSEWHERE)
    return await _patiently(_first(loopback.answer(), pasted(loopback)), None)


async def _open(address: str) -> bool:
    """Not one that would take over the terminal."""
    graphical = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    named = Path(os.environ.get("BROWSER", "").partition(" ")[0]).stem
    return (named not in OF_THE_TERMINAL if named else graphical) and await asyncio.to_thread(webbrowser.open, address)


async def _patiently(answer: Awaitable[str], out: Console | None) -> str:
    """On `out` it is shown how much time is left."""
    showing = asyncio.create_task(_count_down(out)) if out and out.is_terminal else None
    try:
        return await asyncio.wait_for(answer, WAIT)
    except TimeoutError as over:
        raise AssistantError(GIVEN_UP.format(f"{WAIT / 60:.0f}")) from over
    finally:
        if showing:
            showing.cancel()
            await asyncio.wait([showing])


async def _count_down(out: Console) -> None:
    until = time.monotonic() + WAIT
    with out.status("") as shown:
        while True:
            left = max(0, round(until - time.monotonic()))
            shown.update(f"Waiting until you have allowed it there; {left // 60}:{left % 60:02} left …")
            await asyncio.sleep(1)


async def _first(*answers: Awaitable[str]) -> str:
    tasks = [asyncio.ensure_future(answer) for answer in answers]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in tasks:
            task.cancel()


async def pasted(loopback: Loopback) -> str:
    """The next line typed that is an answer; for ever awaited where nothing can be typed."""
    loop, lines, keyboard = asyncio.get_running_loop(), asyncio.Queue[str](), -1
    with suppress(*CANT_BE_TYPED_AT):
        keyboard = sys.stdin.fileno()
        loop.add_reader(keyboard, _read, keyboard, lines)
    try:
        while not loopback.is_answer(line := (await lines.get()).strip()):
            if line:
                print(NOT_THAT.format(loopback.uri.rpartition(":")[0]), flush=True)
        return line
    finally:
        with suppress(*CANT_BE_TYPED_AT):
            loop.remove_reader(keyboard)


def _read(keyboard: int, lines: "asyncio.Queue[str]") -> None:
    typed = os.read(keyboard, A_LINE)
    if not typed:
        asyncio.get_running_loop().remove_reader(keyboard)
    for line in typed.decode(errors="replace").splitlines():
        lines.put_nowait(line)
