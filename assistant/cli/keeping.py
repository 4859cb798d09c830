"""`assistant keep`, and the same beside a chat."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from assistant.bootstrap import keeping_terms, open_assistant, settings_for
from assistant.cli.text import counted
from assistant.facade import Assistant
from assistant.running.keeping import Kept, Terms
from storage.errors import StorageError

log = logging.getLogger(__name__)


async def keep(home: Path | None, *, json: bool) -> int:
    terms = keeping_terms(settings_for(home))
    async with open_assistant(home, recover=False) as a:
        kept = await a.keep()
        await a.database.compact()
    print(kept.model_dump_json(indent=2) if json else "\n".join(_told(kept, terms)))
    return 0


def _told(kept: Kept, terms: Terms) -> tuple[str, ...]:
    return (
        f"Texts of mails, {_after(terms, 'mails')}: removed from {counted(kept.textless, 'task')} and previews.",
        f"Events of tasks, {_after(terms, 'events')}: {counted(kept.events, 'event')} removed.",
        f"Records of tasks, {_after(terms, 'snapshots')}: {counted(kept.thinned, 'task')} thinned to what the list needs.",
        f"Runs of schedules, {_after(terms, 'runs')}: {counted(kept.runs, 'run')} removed.",
    )


def _after(terms: Terms, what: str) -> str:
    kept = getattr(terms, what)
    return f"kept {counted(kept.days, 'day')}" if kept else "kept for ever"


@asynccontextmanager
async def kept_meanwhile(a: Assistant) -> AsyncIterator[None]:
    """Keeps house beside what else is done, once; it is left where it is when that ends."""
    keeping = asyncio.create_task(_quietly(a))
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])


async def _quietly(a: Assistant) -> None:
    try:
        await a.keep()
    except StorageError as error:
        log.info("What has ended is not made smaller now: %s", error)
