"""Passwords, hashed by argon2 in threads of which only a few run at a time."""

import asyncio
import secrets
import unicodedata
from base64 import b64encode
from collections.abc import Callable
from typing import Annotated, TypeVar

from argon2.profiles import RFC_9106_LOW_MEMORY as COSTS
from pwdlib import PasswordHash
from pydantic import Field

from assistant.service.problems import Problem

SHORTEST, LONGEST = 10, 1_000
"""Characters."""
AT_ONCE, WAITING = 2, 20
"""A hash takes 64 MB for the tenth of a second."""
Password = Annotated[str, Field(max_length=4_000)]
"""As it is sent; `check_new` tells more of a new one."""
T = TypeVar("T")


def check_new(password: str) -> None:
    """Raises Problem with what to do better."""
    if len(password) < SHORTEST:
        raise Problem(422, f"Please take at least {SHORTEST} characters; a few words in a row are easy to remember.")
    if len(password) > LONGEST:
        raise Problem(422, f"Please take at most {LONGEST} characters.")


class Passwords:
    """Must be made where an event loop runs."""

    def __init__(self) -> None:
        self._hash = PasswordHash.recommended()
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def hashed(self, password: str) -> str:
        return await self._in_turn(lambda: self._hash.hash(_normal(password)))

    async def fits(self, password: str, hashed: str) -> bool:
        """Where there is no hash it takes as long to say no."""
        fitting = await self._in_turn(lambda: self._hash.verify(_normal(password), hashed or nobodys()))
        return fitting and bool(hashed)

    async def _in_turn(self, work: Callable[[], T]) -> T:
        if self._waiting >= WAITING:
            raise Problem(429, "Too many are signing in at this moment; try again in a few seconds.", headers={"Retry-After": "5"})
        self._waiting += 1
        try:
            async with self._slots:
                return await asyncio.to_thread(work)
        finally:
            self._waiting -= 1


def nobodys() -> str:
    """As costly to look at as a hash of ours, and of no password."""
    salt, hashed = (b64encode(secrets.token_bytes(size)).decode().rstrip("=") for size in (COSTS.salt_len, COSTS.hash_len))
    return f"$argon2id$v={COSTS.version}$m={COSTS.memory_cost},t={COSTS.time_cost},p={COSTS.parallelism}${salt}${hashed}"


def _normal(password: str) -> str:
    """The same characters, however the keyboard composed them."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "replace").decode("utf-8")
