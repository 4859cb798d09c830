"""Accounts that somebody has allowed at a provider: storing one, and how it stands."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from assistant.connecting.kept import LOCKED, Kept, Locked, check_name, check_provider, taken
from assistant.connecting.signing import SignIn
from assistant.errors import UserError
from integrations.registry import reconnect
from integrations.types import Address
from storage import accounts, secrets
from storage.errors import StorageError
from storage.session import Session
from storage.tables import StoredAccount

C = TypeVar("C")


class NoClient(UserError):
    """No registration with the provider was given, and none is known."""


class Allowed(NamedTuple):
    """What a provider's consent has given: `secret` is what the account signs in with."""

    owner: Address
    secret: str
    settings: Mapping[str, str]


async def former_of(kept: Kept, kind: str, name: str) -> StoredAccount | None:
    """The account of that name, to be connected again. Raises UserError where it can't be connected, StorageError."""
    check_provider(kind)
    check_name(name)
    former = await kept.account(name)
    if former and former.kind != kind:
        raise taken(name)
    await kept.sealed("")  # whoever has no usable key shall not be troubled with a browser
    return former


async def known_client(kept: Kept, kind: str, name: str, client_of: Callable[[str], C | None]) -> C | None:
    """That of the account itself, or of another one; `client_of` reads it from a secret."""
    for account in sorted(await kept.accounts(), key=lambda account: account.name != name):
        try:
            secret = await kept.secret(account.name) if account.kind == kind else None
        except Locked:
            continue
        if secret and (client := client_of(secret)):
            return client
    return None


Alike = Callable[[Mapping[str, str], Mapping[str, str]], bool]


async def store(kept: Kept, kind: str, name: str, allowed: Allowed, alike: Alike = lambda one, other: True) -> None:
    """Raises UserError where this name is another account's, or this address is one's with settings that are `alike`."""
    sealed = await kept.sealed(allowed.secret)
    await kept.database.write_synced(lambda s: _put(s, kept, kind, name, allowed, sealed, alike))


def _put(s: Session, kept: Kept, kind: str, name: str, allowed: Allowed, sealed: str, alike: Alike) -> None:
    now, user, owner, settings = kept.clock(), kept.user, allowed.owner, dict(allowed.settings)
    stored = accounts.list(s, user_id=user)
    former = next((account for account in stored if account.name == name), None)
    others = [account for account in stored if account.kind == kind and alike(account.settings, settings)]
    _check_owner(kind, name, owner, former, others)
    if former:
        accounts.change(s, name, owner=owner.name or former.owner, settings=settings, user_id=user)
    else:
        accounts.add(s, name=name, kind=kind, address=owner.email, owner=owner.name, settings=settings, at=now, user_id=user)
    secrets.put(s, name, sealed, now, user_id=user)


def _check_owner(kind: str, name: str, owner: Address, former: StoredAccount | None, others: Sequence[StoredAccount]) -> None:
    if former and former.kind != kind:
        raise taken(name)
    if former and former.address != owner.email:
        raise UserError(
            f"{name} is the account of {former.address}, but you signed in as {owner.email}; choose another name for that one."
        )
    twin = next((other.name for other in others if other.address == owner.email and other.name != name), None)
    if twin:
        raise UserError(f"{owner.email} is connected already, as {twin}; to connect it again, use that name.")


async def sign_in(
    kept: Kept,
    kind: str,
    name: str,
    granted: Callable[[str | None], Sequence[str] | None],
    words: Mapping[str, str],
    *,
    provider: str = "",
) -> SignIn:
    """`granted` are the scopes of a secret, None where it signs in no more; `words` say what each allows; `provider` is its name,
    where that is not its kind's."""
    try:
        check_provider(kind)
        scopes = granted(await kept.secret(name))
    except Locked:
        return SignIn("connect again", why=LOCKED, helps=f"put the right key back, or {reconnect(kind, name)}")
    except (UserError, StorageError) as unread:
        return SignIn("can't be used", why=str(unread))
    if scopes is None:
        why = f"It is not signed in at {provider or kind.capitalize()} any more"
        return SignIn("connect again", why=why, helps=reconnect(kind, name))
    return SignIn(scopes=tuple(scopes), may=tuple(words.get(scope, scope) for scope in scopes))
