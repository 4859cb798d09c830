"""Connecting an account from a terminal where a provider is asked for it in a browser."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.cli.connecting import kept_in
from assistant.cli.signing_in import allowed
from assistant.connecting.browser import Asking, Connecting
from assistant.connecting.kept import Kept
from assistant.errors import AssistantError, UserError
from integrations.common.loopback import Loopback
from integrations.common.signing_in import NotConnected


async def add(home: Path | None, work: Callable[[Kept], Awaitable[None]]) -> int:
    async with kept_in(home) as kept:
        try:
            await work(kept)
        except asyncio.CancelledError:
            print("\nEnded; nothing was connected.")
            raise
        except NotConnected as nothing:
            raise AssistantError(str(nothing)) from nothing
    return 0


async def consented(connecting: Asking, loopback: Loopback, provider: str, *, browser: bool) -> str:
    """What the account signs in with."""
    try:
        async with loopback:
            consent = await connecting.consent(loopback.uri, loopback.state)
            return await consent.exchange(await allowed(consent.address, loopback, browser=browser))
    except OSError as closed:
        raise UserError(f"This machine gives no port for {provider}'s answer ({closed.strerror or closed}).") from closed


async def finish(connecting: Connecting, secret: str, provider: str) -> None:
    print(f"Allowed. Asking {provider} whose account it is …", flush=True)
    connected = await connecting.finish(secret)
    print(f"Connected {connected.name} ({connected.address}){' again' if connected.again else ''}. It may:")
    for words in connected.may:
        print(f"  {words}")
    for trouble in connected.troubles:
        print(f"Not everything can be used yet. {trouble}")
