"""Stretches of time."""

from collections.abc import Iterable
from datetime import datetime

Span = tuple[datetime, datetime]


def joined(times: Iterable[Span], start: datetime, end: datetime) -> tuple[Span, ...]:
    """Within [start, end), in order; what overlaps or touches becomes one."""
    found: list[Span] = []
    for begins, ends in sorted((max(low, start), min(high, end)) for low, high in times):
        if begins >= ends:
            continue
        if found and begins <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], ends))
        else:
            found.append((begins, ends))
    return tuple(found)
