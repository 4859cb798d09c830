"""Getting and listing events."""

from datetime import datetime, timedelta
from typing import Any

from doubles.graph.calendar.rendering import resource
from doubles.graph.calendar.state import Calendar, Found
from doubles.graph.calendar.times import instant, moment
from doubles.graph.calls import Call, GraphError
from doubles.graph.odata import Asked, asked, order_filtered
from doubles.graph.paging import listed

LONGEST = timedelta(days=1825)
LARGEST_PAGE = 1000
SELECTED_ONLY = ("originalStart", "cancelledOccurrences")
"""Told only when $select names it."""


def found_by(call: Call) -> Found:
    """The event that the path names. GraphError where there is none."""
    return call.world.calendars(call.user.email).found(call.path["event"], call.path.get("calendar"))


def calendar_of(call: Call) -> Calendar:
    return call.world.calendars(call.user.email).calendar(call.path.get("calendar"))


def context(call: Call, *, one: bool = False) -> str:
    place = f"/calendars('{call.path['calendar']}')" if "calendar" in call.path else ""
    return f"users('{call.user.id}'){place}/{'events/$entity' if one else 'events'}"


def told(found: Found, call: Call) -> dict[str, Any]:
    """The one event, as it was asked for."""
    wanted = asked(call)
    item = resource(found, call, exceptions=True)
    shown = wanted.shown(_listed(item, wanted))
    return {"@odata.context": f"{call.world.url}/v1.0/$metadata#{context(call, one=True)}"} | shown


def get(call: Call) -> dict[str, Any]:
    return told(found_by(call), call)


def list_events(call: Call) -> dict[str, Any]:
    """Single events and series; their instances are told elsewhere."""
    calendar = calendar_of(call)
    return _page(call, [Found(calendar, entry, id) for id, entry in calendar.entries.items()], context(call))


def view(call: Call) -> dict[str, Any]:
    """Single events, and the instances of series."""
    low, high = _window(call)
    return _page(call, list(calendar_of(call).between(low, high)), f"{context(call).removesuffix('events')}calendarView")


def instances(call: Call) -> dict[str, Any]:
    series = found_by(call)
    if not series.entry.recurrence or series.day:
        raise GraphError(400, "ErrorInvalidRequest", "Your request can't be completed. The event is not a series master.")
    low, high = _window(call)
    found = [one for one in series.calendar.between(low, high) if one.entry is series.entry]
    return _page(call, found, f"{context(call)}('{series.id}')/instances")


def _window(call: Call) -> tuple[datetime, datetime]:
    low, high = (instant(call.query.get(name), name) for name in ("startDateTime", "endDateTime"))
    if high < low:
        raise GraphError(400, "ErrorInvalidParameter", "The end of the time window is before its start.")
    if high - low > LONGEST:
        message = "The range between the start and end dates is greater than the allowed range. Maximum number of days: 1825"
        raise GraphError(400, "ErrorInvalidRequest", f"Your request can't be completed. {message}")
    return low, high


def _page(call: Call, found: list[Found], named: str) -> dict[str, Any]:
    """In the order of their starts unless another is asked for: nothing is said of it by the real one."""
    wanted = asked(call)
    order_filtered(wanted)
    _refuse_search(call)
    ordered = sorted(((one, one.event) for one in found), key=lambda pair: (moment(pair[1]["start"]), pair[0].id))
    items = [_listed(resource(one, call, event), wanted) for one, event in ordered]
    return listed(call, items, default_top=10, most=LARGEST_PAGE, context=named, wanted=wanted)


def _listed(item: dict[str, Any], wanted: Asked) -> dict[str, Any]:
    return {name: it for name, it in item.items() if name not in SELECTED_ONLY or name in wanted.select}


def _refuse_search(call: Call) -> None:
    if "$search" in call.query:
        raise GraphError(400, "BadRequest", "This operation doesn't support $search.")
