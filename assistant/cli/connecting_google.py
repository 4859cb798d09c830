"""Connecting an account at Google from a terminal."""

from pathlib import Path

from assistant.cli.connecting_by_consent import add, consented, finish
from assistant.cli.failures import of_the_disk
from assistant.connecting import google
from assistant.connecting.consented import NoClient
from assistant.connecting.kept import Kept, check_provider
from assistant.errors import UserError
from integrations.common.loopback import Loopback
from integrations.google import oauth
from integrations.google.oauth import Client

GOOGLE = "Google"
NO_CLIENT = "Give the JSON of your OAuth client with --client FILE; docs/google.md tells, click by click, how to get it."


async def add_google(home: Path | None, name: str, file: Path | None, *, browser: bool) -> int:
    """`file` holds the OAuth client; without one it is that of another account."""
    check_provider(google.KIND)
    return await add(home, lambda kept: _add(kept, name, file, browser=browser))


async def _add(kept: Kept, name: str, file: Path | None, *, browser: bool) -> None:
    try:
        connecting = await google.begin(kept, name, _client_in(file) if file else None)
    except NoClient as none:
        raise UserError(NO_CLIENT) from none
    await finish(connecting, await consented(connecting, Loopback(), GOOGLE, browser=browser), GOOGLE)


def _client_in(file: Path) -> Client:
    try:
        return oauth.client_in(file.expanduser())
    except OSError as gone:
        raise UserError(of_the_disk(gone)) from gone
    except ValueError as other:
        raise UserError(
            f"{file} is not the file of an OAuth client of the type Desktop app; download it as JSON from your project at Google."
        ) from other
