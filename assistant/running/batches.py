"""Long work on the database in short transactions, so that nothing else waits for long."""

from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from storage.database import Database
from storage.session import Session

K = TypeVar("K")
T = TypeVar("T")
BATCH = 50
"""Rows in one transaction."""


async def batches(database: Database, first: K, read: Callable[[Session, K], tuple[K, list[T]]]) -> AsyncIterator[list[T]]:
    """`read` gets the id to go on behind, at first `first`, and gives the last id that it saw, at the end the one it got."""
    after = first
    while True:
        last, batch = await _read(database, read, after)
        if last == after:
            return
        if batch:
            yield batch
        after = last


async def write_batches(
    database: Database,
    first: K,
    read: Callable[[Session, K], tuple[K, list[T]]],
    write: Callable[[Session, list[T]], int],
) -> int:
    """The sum of what `write` came to, for each batch in a transaction of its own."""
    done = 0
    async for batch in batches(database, first, read):
        done += await write_batch(database, batch, write)
    return done


async def write_batch(database: Database, batch: list[T], write: Callable[[Session, list[T]], int]) -> int:
    return await database.write(lambda s: write(s, batch))


async def _read(database: Database, read: Callable[[Session, K], tuple[K, list[T]]], after: K) -> tuple[K, list[T]]:
    return await database.read(lambda s: read(s, after))
