"""The times of a clause put together."""

from collections.abc import Sequence
from datetime import timedelta

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.reading.frames import Timed


def merged(times: Sequence[Timed]) -> TimeSpec | None:
    """One time out of several mentions: a date and a time of day belong together."""
    from assistant.reasoning.offline.dates import merge

    specs = [timed.spec for timed in times if timed.spec.kind != "duration"]
    if not specs:
        return None
    repeats = [spec for spec in specs if spec.kind == "repeat"]
    if len(repeats) > 1:
        fullest = max(repeats, key=lambda spec: (spec.has_time, len(spec.rrule)))
        specs = [spec for spec in specs if spec.kind != "repeat" or spec is fullest]
    whole = specs[0]
    for spec in specs[1:]:
        if whole.kind == "repeat" or (whole.has_date and not spec.has_date):
            whole = merge(whole, spec)
        elif spec.has_date and not whole.has_date:
            whole = merge(spec, whole)
        elif whole.stop is not None and whole.stop == spec.start and not (whole.has_time or spec.has_time):
            whole = whole.model_copy(update={"kind": "range", "text": f"{whole.text} and {spec.text}", "stop": spec.stop})
    return whole


def duration_of(times: Sequence[Timed]) -> timedelta | None:
    return next((timed.spec.duration for timed in times if timed.spec.kind == "duration"), None)
