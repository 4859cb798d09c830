"""The queue between those who take requests and the workers: DBOS, on the PostgreSQL database of the flows.

A workflow of DBOS is one flow's way to its next rest, and no more: it ends where a person must decide. DBOS runs a workflow at
least once, so the lease in our own table decides who runs the flow, and the outbox what is written.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from assistant.errors import UserError
from storage.errors import StorageError

NAME, QUEUE, WORKFLOW = "assistant", "flows", "run_flow"
VERSION = "1"
"""Of what a workflow is given. It is set, since DBOS hands a workflow only to workers of its own version, which it takes from the
code otherwise."""
LOOK = 0.1
"""Seconds between two looks of a worker at the queue."""
ENDING = 2
"""Seconds for workflows whose flows have come to rest to note that."""
MISSING = "For several machines install what they need: pip install 'personal-assistant[cluster]'."


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong with DBOS is one sentence, and none of its own log."""
    log = logging.getLogger("dbos")
    log.setLevel(logging.CRITICAL)
    try:
        yield
    except Exception as error:
        why = str(error).partition("\n")[0]
        raise StorageError(f"The queue in the database can't be used ({type(error).__name__}: {why}).") from error
    finally:
        log.setLevel(logging.WARNING)


class FlowQueue:
    """Implements `assistant.running.cluster.Queue`."""

    def __init__(self, url: str) -> None:
        try:
            from dbos import DBOSClient
        except ImportError as missing:
            raise UserError(MISSING) from missing
        with _told():
            self._client = DBOSClient(system_database_url=url)

    async def put(self, flow: str, mark: str) -> None:
        options: Any = {"queue_name": QUEUE, "workflow_name": WORKFLOW, "workflow_id": f"{flow}-{mark}"}
        await self._client.enqueue_async(options, flow)

    async def close(self) -> None:
        await asyncio.to_thread(self._client.destroy)


class Consumer:
    """`run` is awaited for each flow that comes, `at_once` at a time."""

    def __init__(self, url: str, slot: str, at_once: int, run: Callable[[str], Awaitable[str]]) -> None:
        self._url, self._slot, self._at_once, self._run = url, slot, at_once, run

    async def start(self) -> None:
        """Call in the loop in which flows are to run."""
        try:
            from dbos import DBOS
        except ImportError as missing:
            raise UserError(MISSING) from missing

        @DBOS.workflow(name=WORKFLOW)
        async def run_flow(flow: str) -> str:
            return await self._run(flow)

        with _told():
            # The slot is the same after a restart, so that DBOS finds again what it had begun under it.
            DBOS(
                config={
                    "name": NAME,
                    "system_database_url": self._url,
                    "executor_id": self._slot,
                    "application_version": VERSION,
                    "log_level": "WARNING",
                }
            )
            DBOS.launch()
            await DBOS.register_queue_async(
                QUEUE, worker_concurrency=self._at_once, polling_interval_sec=LOOK, on_conflict="always_update"
            )

    async def stop(self) -> None:
        from dbos import DBOS

        threads, loop = ThreadPoolExecutor(), asyncio.get_running_loop()
        await loop.run_in_executor(threads, lambda: DBOS.destroy(workflow_completion_timeout_sec=ENDING))
        loop.set_default_executor(threads)  # DBOS had put its own there, and has shut it down
