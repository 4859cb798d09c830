"""Changes of the event that was made last, said like changes of a proposal: "half past, sorry", "the place is …"."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.reasoning.base import Request
from assistant.reasoning.calls import Call, Selection
from assistant.reasoning.offline.planning.talk.amendments import amendments
from assistant.reasoning.offline.planning.talk.coming import change_of
from assistant.reasoning.offline.planning.talk.retiming import day
from assistant.reasoning.offline.reading.clauses.changes import UPDATES
from assistant.reasoning.offline.reading.grammar import parse
from integrations.types import Event

MADE = frozenset({*UPDATES, "event.create"}) - {"event.invite", "event.uninvite"}
MINUTE = timedelta(minutes=1)
ORDER = ("revise.location", "revise.time", "revise.duration", "revise.title")
"""In this order the changes can be joined to one request."""


def of_made(request: Request) -> str:
    """The message as one change of that event, in whole words; empty where it is about anything else."""
    event = _made(request)
    if event is None or request.text.rstrip().endswith("?") or _names_its_own(request):
        return ""
    changes = [change_of(text, request.setting) for text in amendments(request, event.start)]
    known = [call for call in changes if call is not None]
    operations = [call.operation for call in known]
    if len(known) < len(changes) or len(set(operations)) < len(known) or not set(operations) <= set(ORDER):
        return ""
    said = _in_words(sorted(known, key=lambda call: ORDER.index(call.operation)), event, request)
    found = parse(said, request.setting).call if said else None
    return said if found is not None and found.select == Selection(refs=("shown",)) and found.operation in UPDATES else ""


def _made(request: Request) -> Event | None:
    """The one event that the last request made or changed."""
    if request.proposal or request.since or not request.last or not request.shown:
        return None
    before, events = parse(request.last, request.setting).call, request.shown[0].data.events
    return events[0] if before is not None and before.operation in MADE and len(events) == 1 else None


def _names_its_own(request: Request) -> bool:
    """Whether the message is a request for itself, or says which event it is about."""
    call = parse(request.text, request.setting).call
    return call is not None and not (call.operation in UPDATES and call.select == Selection())


def _in_words(changes: Sequence[Call], event: Event, request: Request) -> str:
    clauses: list[str] = []
    for call in changes:
        it = "it" if clauses else "the event {shown}"
        clauses += _clauses(call, it, event, request)
    return " and ".join(clauses)


def _clauses(call: Call, it: str, event: Event, request: Request) -> list[str]:
    if call.operation == "revise.location":
        return [f"change the location of {it} to {call.location}"]
    if call.operation == "revise.title":
        return [f'rename {it} to "{call.title}"']
    if call.operation == "revise.time" and call.shift is not None:
        return [f"move {it} {_minutes(abs(call.shift))} minutes {'later' if call.shift > timedelta() else 'earlier'}"]
    moved = [f"move {it} to {when}"] if (when := _when(call, event, request)) else []
    length = call.duration or (timedelta(seconds=call.factor * (event.end - event.start).seconds) if call.factor else None)
    if call.operation == "revise.time" and not moved:
        return ["nothing"]
    it = "it" if moved else it
    if length is None and call.shift is not None:
        return [f"make {it} {_minutes(abs(call.shift))} minutes {'longer' if call.shift > timedelta() else 'shorter'}"]
    return [*moved, *([f"make {it} {_minutes(length)} minutes long"] if length else [])]


def _when(call: Call, event: Event, request: Request) -> str:
    """The new time with its day, which is the event's own where only an hour is said."""
    spec, zone = call.time, request.setting.zone
    if spec is None or spec.start is None or spec.windows or spec.kind not in ("point", "range"):
        return ""
    start = spec.start.astimezone(zone)
    on: datetime = start if spec.has_date else event.start.astimezone(zone)
    if not spec.has_time:
        return day(on)
    until = f" to {spec.stop.astimezone(zone):%H:%M}" if spec.kind == "range" and spec.stop else ""
    return f"{day(on)} {f'from {start:%H:%M}{until}' if until else f'at {start:%H:%M}'}"


def _minutes(length: timedelta) -> int:
    return round(length / MINUTE)
