"""Whether the audit journal is whole, and tells of every write what became of it."""

from collections import defaultdict
from collections.abc import Sequence

from assistant.facade import Assistant
from storage import audit
from storage.tables import OutboxRow

ENDS = {"done": ("done",), "failed": ("failed", "withdrawn"), "unknown": ("unknown",)}
"""What is noted last of a row, by its status."""
ALL = 1_000_000


async def unnoted(a: Assistant, rows: Sequence[OutboxRow]) -> list[str]:
    """A sentence for everything that is missing, or too much."""
    whole = await a.verify_audit()
    wrong = [f"The journal is not whole: {whole.wrong}"] if whole.wrong else []
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for entry in await a.database.read(lambda s: audit.page(s, most=ALL)):
        kinds[entry.key].append(entry.kind)
    for row in rows:
        told = kinds[row.key]
        ends = ENDS.get(row.status, ())
        begun = "started" in told or row.status == "failed"
        if ends and not (begun and told[-1:] and told[-1] in ends and told.count(told[-1]) == 1):
            wrong.append(f"The journal tells of {row.key} ({row.status}) only: {', '.join(told) or 'nothing'}.")
    return wrong
