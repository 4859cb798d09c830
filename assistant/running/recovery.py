"""What a crash left behind: running flows become suspended, begun writes are settled by asking the provider."""

from collections.abc import Callable
from datetime import datetime

from sqlmodel import Session

from assistant.errors import FlowError
from assistant.pipeline.execute import Executor
from assistant.running.journal import FlowJournal
from assistant.values import Outcome
from storage import flows, outbox
from storage.database import Database


async def recover(
    database: Database, journal: FlowJournal, executor: Executor, clock: Callable[[], datetime], *, alone: bool
) -> tuple[Outcome, ...]:
    """`alone`: no other process has this home open, so leases need not run out first."""
    if alone:
        left = await database.read(lambda s: flows.list(s, statuses=("running",), limit=1000))

        def release(session: Session) -> None:
            for head in left:
                flows.release(session, head.id, head.owner or "")

        await database.write(release)
    for head in await database.read(lambda s: flows.expired(s, clock())):
        try:
            state = await journal.take(head.id)
        except FlowError:
            continue
        state = journal.tell(state, "7.5", f"The program ended in the middle; saved: {state.about}")
        await journal.save(state.but(status="suspended"))
    if not alone:
        return ()
    return await executor.recover(await database.read(outbox.unfinished))
