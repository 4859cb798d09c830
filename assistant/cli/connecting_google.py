"""Connecting an account at Google from a terminal."""

import asyncio
from pathlib import Path

from assistant.cli.connecting import kept_in
from assistant.cli.failures import of_the_disk
from assistant.cli.signing_in import allowed
from assistant.connecting import google
from assistant.connecting.kept import Kept, check_provider
from assistant.errors import AssistantError, UserError
from integrations.common.loopback import Loopback
from integrations.google import oauth
from integrations.google.oauth import Client

NO_CLIENT = "Give the JSON of your OAuth client with --client FILE; docs/google.md tells, click by click, how to get it."


async def add_google(home: Path | None, name: str, file: Path | None, *, browser: bool) -> int:
    """`file` holds the OAuth client; without one it is that of another account."""
    check_provider(google.KIND)
    async with kept_in(home) as kept:
        try:
            await _add(kept, name, file, browser=browser)
        except asyncio.CancelledError:
            print("\nEnded; nothing was connected.")
            raise
        except oauth.NotConnected as nothing:
            raise AssistantError(str(nothing)) from nothing
    return 0


async def _add(kept: Kept, name: str, file: Path | None, *, browser: bool) -> None:
    try:
        connecting = await google.begin(kept, name, _client_in(file) if file else None)
    except google.NoClient as none:
        raise UserError(NO_CLIENT) from none
    secret = await _consented(connecting, browser=browser)
    print("Allowed. Asking Google whose account it is …", flush=True)
    connected = await connecting.finish(secret)
    print(f"Connected {name} ({connected.address}){' again' if connected.again else ''}. It may:")
    for words in connected.may:
        print(f"  {words}")
    for trouble in connected.troubles:
        print(f"Not everything can be used yet. {trouble}")


def _client_in(file: Path) -> Client:
    try:
        return oauth.client_in(file.expanduser())
    except OSError as gone:
        raise UserError(of_the_disk(gone)) from gone
    except ValueError as other:
        raise UserError(
            f"{file} is not the file of an OAuth client of the type Desktop app; download it as JSON from your project at Google."
        ) from other


async def _consented(connecting: google.Connecting, *, browser: bool) -> str:
    try:
        async with Loopback() as loopback:
            consent = connecting.consent(loopback.uri, loopback.state)
            return await consent.exchange(await allowed(consent.address, loopback, browser=browser))
    except OSError as closed:
        raise UserError(f"This machine gives no port for Google's answer ({closed.strerror or closed}).") from closed
