"""Connecting an account at Google, and ending that."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from assistant.bootstrap import open_database, seal_of, settings_for
from assistant.cli.connecting import SignIn, check_provider, taken
from assistant.cli.failures import of_the_disk
from assistant.cli.signing_in import allowed
from assistant.errors import AssistantError, UserError
from integrations.common.loopback import Loopback
from integrations.errors import IntegrationError
from integrations.google import oauth
from integrations.google.oauth import Client, Consent
from integrations.registry import reconnect
from integrations.types import Address
from storage import accounts, secrets
from storage.database import Database
from storage.errors import StorageError
from storage.sealing import Seal
from storage.secrets import Vault
from storage.session import Session
from storage.tables import StoredAccount

KIND = "google"
LOCKED = "The key does not open its sign-in"
NO_CLIENT = "Give the JSON of your OAuth client with --client FILE; docs/google.md tells, click by click, how to get it."


class Kept(NamedTuple):
    """Where accounts and what they sign in with are stored."""

    database: Database
    seal: Seal
    vault: Vault


@asynccontextmanager
async def _kept(home: Path | None) -> AsyncIterator[Kept]:
    settings = settings_for(home)
    database, seal = open_database(settings), seal_of(settings)
    try:
        yield Kept(database, seal, Vault(database, seal, lambda: datetime.now(UTC)))
    finally:
        await database.close()


async def add_google(home: Path | None, name: str, file: Path | None, *, browser: bool) -> int:
    """`file` holds the OAuth client; without one it is that of another account."""
    check_provider(KIND)
    async with _kept(home) as kept:
        try:
            await _add(kept, name, file, browser=browser)
        except asyncio.CancelledError:
            print("\nEnded; nothing was connected.")
            raise
        except oauth.NotConnected as nothing:
            raise AssistantError(str(nothing)) from nothing
    return 0


async def _add(kept: Kept, name: str, file: Path | None, *, browser: bool) -> None:
    former = await kept.database.read(lambda s: accounts.get(s, name))
    if former and former.kind != KIND:
        raise taken(name)
    client = _client_in(file) if file else await _known_client(kept, name)
    await asyncio.to_thread(kept.seal.close, "")  # whoever has no usable key shall not be troubled with a browser
    secret = await _consented(client, former.address if former else "", browser=browser)
    print("Allowed. Asking Google whose account it is …", flush=True)
    found = await oauth.look(secret, name, client.endpoint)
    sealed = await asyncio.to_thread(kept.seal.close, secret)
    settings = {"endpoint": client.endpoint} if client.endpoint else {}
    await kept.database.write_synced(lambda s: _put(s, name, found.owner, settings, sealed))
    print(f"Connected {name} ({found.owner.email}){' again' if former else ''}. It may:")
    for words in oauth.SCOPES.values():
        print(f"  {words}")
    for trouble in found.troubles:
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


async def _known_client(kept: Kept, name: str) -> Client:
    """That of the account itself, or of another one."""
    stored = await kept.database.read(accounts.list)
    for account in sorted(stored, key=lambda account: account.name != name):
        secret = await kept.vault.load(account.name) if account.kind == KIND else None
        if secret and (client := oauth.client_of(secret)):
            return client
    raise UserError(NO_CLIENT)


async def _consented(client: Client, hint: str, *, browser: bool) -> str:
    try:
        async with Loopback() as loopback:
            consent = Consent(client, loopback.uri, loopback.state, hint)
            return await consent.exchange(await allowed(consent.address, loopback, browser=browser))
    except OSError as closed:
        raise UserError(f"This machine gives no port for Google's answer ({closed.strerror or closed}).") from closed


def _put(s: Session, name: str, owner: Address, settings: dict[str, str], sealed: str) -> None:
    now, stored = datetime.now(UTC), accounts.list(s)
    former = next((account for account in stored if account.name == name), None)
    _check_owner(name, owner, former, [a for a in stored if a.kind == KIND])
    if former:
        accounts.change(s, name, owner=owner.name or former.owner, settings=settings)
    else:
        accounts.add(s, name=name, kind=KIND, address=owner.email, owner=owner.name, settings=settings, at=now)
    secrets.put(s, name, sealed, now)


def _check_owner(name: str, owner: Address, former: StoredAccount | None, others: list[StoredAccount]) -> None:
    if former and former.kind != KIND:
        raise taken(name)
    if former and former.address != owner.email:
        raise UserError(
            f"{name} is the account of {former.address}, but you signed in as {owner.email}; choose another --name for that one."
        )
    twin = next((other.name for other in others if other.address == owner.email and other.name != name), None)
    if twin:
        raise UserError(
            f"{owner.email} is connected already, as {twin}; to connect it again: assistant accounts add google --name {twin}"
        )


async def sign_ins(home: Path | None) -> dict[str, SignIn]:
    """Of each account at Google."""
    async with _kept(home) as kept:
        stored = await kept.database.read(accounts.list)
        return {account.name: await _sign_in(kept, account.name) for account in stored if account.kind == KIND}


async def _sign_in(kept: Kept, name: str) -> SignIn:
    try:
        scopes = oauth.granted(await _opened(kept, name))
    except Locked:
        return SignIn("connect again", trouble=f"{LOCKED}; put the right key back, or {reconnect(KIND, name)}")
    except (UserError, StorageError) as unread:
        return SignIn("can't be used", trouble=str(unread))
    if scopes is None:
        return SignIn("connect again", trouble=f"It is not signed in at Google any more; {reconnect(KIND, name)}")
    return SignIn(scopes=scopes)


class Locked(UserError):
    """What an account signs in with is there, but sealed with another key."""


async def _opened(kept: Kept, name: str) -> str | None:
    """None where there is nothing. Raises UserError, StorageError where it can't be told."""
    check_provider(KIND)
    sealed = await kept.database.read(lambda s: secrets.get(s, name))
    try:
        secret = await asyncio.to_thread(kept.seal.open, sealed) if sealed else None
    except OSError as unread:
        raise UserError(of_the_disk(unread)) from unread
    if sealed and secret is None:
        raise Locked(f"{LOCKED}.")
    return secret


async def revoke(home: Path | None, name: str) -> str:
    """Has Google end the permission; what came of it, as a sentence."""
    by_hand = f"take the permission back yourself at {oauth.PERMISSIONS}."
    try:
        async with _kept(home) as kept:
            secret = await _opened(kept, name)
        if not oauth.granted(secret):
            return f"It was not signed in any more; if Google still lists this program, {by_hand}"
        await oauth.revoke(secret or "")
    except (IntegrationError, StorageError, UserError) as failed:
        return f"The permission at Google could not be taken back: {str(failed).rstrip('.')}. Please {by_hand}"
    return "The permission at Google was taken back."
