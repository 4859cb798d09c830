"""How accounts stand, and disconnecting them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assistant.connecting.browser import SIGNS_IN, signing_in
from assistant.connecting.kept import Kept
from assistant.connecting.signing import SignIn
from assistant.errors import FlowError, Unknown, UserError
from integrations.registry import AccountConfig
from storage import accounts, outbox, secrets
from storage.errors import StorageError
from storage.session import Session
from storage.tables import StoredAccount

WAITS = ("held", "pending", "started")


async def sign_ins(kept: Kept, configs: Sequence[AccountConfig]) -> Mapping[str, SignIn]:
    """Of each account that signs in somewhere."""
    found = {}
    for config in configs:
        if config.kind in SIGNS_IN and (kind := signing_in(config.kind)):
            found[config.name] = await kind.sign_in(kept, config.name)
    return found


async def remove(kept: Kept, name: str) -> str:
    """What came of it, as a sentence. Raises FlowError while writes through it have not gone out."""
    account = await kept.account(name)
    if account is None:
        raise Unknown(f"There is no account called {name}.")
    permission = await _permission(kept, account)

    def work(s: Session) -> None:
        _check_idle(s, name, kept.user)
        accounts.remove(s, name, user_id=kept.user)
        secrets.remove(s, name, user_id=kept.user)

    await kept.database.write(work)
    return f"Disconnected {name}. {await permission.take_back()}"


class Permission(NamedTuple):
    """What an account signs in with, in hand even when it is stored no more; `why` it is not known."""

    account: str
    kind: str
    secret: str | None
    why: str = ""

    async def take_back(self) -> str:
        """What came of it, as a sentence."""
        kind = signing_in(self.kind)
        return await kind.end(self.secret, self.why) if kind else "Its folders were left as they are."


async def permissions(kept: Kept) -> tuple[Permission, ...]:
    """Those that a provider has given."""
    return tuple([await _permission(kept, account) for account in await kept.accounts() if account.kind in SIGNS_IN])


async def take_back(given: Sequence[Permission]) -> tuple[str, ...]:
    """What came of each, as a sentence; for accounts that are not stored any more."""
    return tuple([f"{one.account}: {await one.take_back()}" for one in given])


async def _permission(kept: Kept, account: StoredAccount) -> Permission:
    try:
        return Permission(account.name, account.kind, await kept.secret(account.name))
    except (StorageError, UserError) as unread:
        return Permission(account.name, account.kind, None, str(unread))


def _check_idle(s: Session, name: str, user: str) -> None:
    waiting = [row for row in outbox.unfinished(s) if row.user_id == user and row.account == name and row.status in WAITS]
    if waiting:
        what = "One write is" if len(waiting) == 1 else f"{len(waiting)} writes are"
        raise FlowError(f"{what} still to go out through {name}; wait until that is done, or take it back first.")
