"""Where a user wants results sent beside the conversation: by mail to themselves, or to a service by its Apprise address."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from assistant.errors import Unknown, UserError
from assistant.scheduling.delivery import notifying
from integrations.types import Value
from storage import targets
from storage.database import Database
from storage.sealing import Seal
from storage.tables import StoredTarget

MAIL = "mail"
"""The target that everybody has: the user's own address."""
RESERVED = frozenset({MAIL, "e-mail", "email", "chat", "conversation", "me"})
LONGEST_NAME = 40
LONGEST_ADDRESS = 2000
LOCKED = "can't be used, since its address was sealed with another key: remove it, and add it again"
TEST_TITLE = "A test from your assistant"
TEST = "This arrived, so results can be sent here."


class Target(Value):
    """`says` is what may be shown of its address, which holds a secret."""

    name: str
    says: str
    created: datetime


@dataclass(frozen=True)
class Targets:
    """Of one user. An address is set by a person who may manage the account; whoever owns the service may have it lead to servers
    in its network, this machine not excepted."""

    database: Database
    seal: Seal
    clock: Callable[[], datetime]
    user: str
    longest: float = notifying.LONGEST

    async def list(self) -> tuple[Target, ...]:
        """By name, without "mail", which is always there."""
        return tuple(_shown(row) for row in await self.database.read(lambda s: targets.all_of(s, user_id=self.user)))

    async def add(self, name: str, url: str, *, anywhere: bool = True) -> Target:
        """Raises UserError where the name is taken or the address can't be used, not `anywhere`: also where it names a server; the
        address is never repeated in it."""
        name = _checked(name)
        if len(url) > LONGEST_ADDRESS:
            raise UserError(notifying.UNUSABLE)
        says = await asyncio.to_thread(notifying.check, url, anywhere=anywhere)
        sealed = await asyncio.to_thread(self.seal.close, url.strip())
        row = StoredTarget(user_id=self.user, name=name, sealed=sealed, says=says, created=self.clock())
        if not await self.database.write(lambda s: targets.add(s, row)):
            raise UserError(f"There is a target called {name} already; choose another name, or remove that one.")
        return _shown(row)

    async def remove(self, name: str) -> None:
        """Raises Unknown, and UserError where a schedule uses it."""
        row = await self.named(name)
        if used := await self.database.read(lambda s: targets.used_by(s, row.name, user_id=self.user)):
            raise UserError(f"The results of {_listed(used)} are sent to {row.name}; change that first.")
        await self.database.write(lambda s: targets.remove(s, row.name, user_id=self.user))

    async def try_(self, name: str) -> str:
        """Sends a note there now: one sentence why it did not arrive, or may not have; empty where it did. Raises Unknown."""
        row = await self.named(name)
        sent = await self.send(row.name, TEST_TITLE, TEST)
        return "" if sent.status == "done" else f"{row.name} {sent.error}."

    async def check(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """As they are called; Raises Unknown for one that is not there."""
        return tuple([MAIL if name.casefold() == MAIL else (await self.named(name)).name for name in names])

    async def named(self, name: str) -> StoredTarget:
        row = await self.database.read(lambda s: targets.get(s, name.strip(), user_id=self.user))
        if row is None:
            raise Unknown(f"There is no target called {name.strip()}; add it first, or use mail.")
        return row

    async def send(self, name: str, title: str, body: str, link: str = "") -> notifying.Sent:
        """One attempt. Never raises."""
        try:
            row = await self.named(name)
            address = await asyncio.to_thread(self.seal.open, row.sealed)
        except Unknown:
            return notifying.Sent("failed", "is not among your targets any more")
        except OSError:
            address = None
        if address is None:
            return notifying.Sent("failed", LOCKED)
        return await notifying.send(address, title, body, link=link, longest=self.longest)


def _checked(name: str) -> str:
    name = name.strip()
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise UserError(f"Give the target a name of 1 to {LONGEST_NAME} letters, such as phone.")
    if name.casefold() in RESERVED:
        raise UserError(f"The name {name} has a meaning of its own; choose another, such as phone.")
    return name


def _shown(row: StoredTarget) -> Target:
    return Target(name=row.name, says=row.says, created=row.created)


def _listed(names: tuple[str, ...]) -> str:
    quoted = [f"“{name}”" for name in names]
    return " and ".join(filter(None, (", ".join(quoted[:-1]), *quoted[-1:])))
