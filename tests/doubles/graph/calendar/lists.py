"""The calendars themselves."""

import base64
from typing import Any

from doubles.graph.calendar.reading import calendar_of
from doubles.graph.calendar.state import Calendar
from doubles.graph.calls import Call
from doubles.graph.odata import asked
from doubles.graph.paging import listed


def list_calendars(call: Call) -> dict[str, Any]:
    found = list(call.world.calendars(call.user.email).all.values())
    return listed(call, [_resource(one) for one in found], default_top=10, most=1000, context=f"users('{call.user.id}')/calendars")


def get_calendar(call: Call) -> dict[str, Any]:
    context = f"{call.world.url}/v1.0/$metadata#users('{call.user.id}')/calendars/$entity"
    return {"@odata.context": context} | asked(call).shown(_resource(calendar_of(call)))


def _resource(calendar: Calendar) -> dict[str, Any]:
    own = calendar.owner == calendar.mailbox.email
    change_key = base64.b64encode(calendar.id[36:60].encode()).decode()
    return {
        "@odata.etag": f'W/"{change_key}"',
        "id": calendar.id,
        "name": calendar.name,
        "color": calendar.color,
        "hexColor": "",
        "isDefaultCalendar": calendar.is_default,
        "changeKey": change_key,
        "canShare": own and not calendar.mailbox.personal,
        "canViewPrivateItems": own,
        "canEdit": calendar.can_edit,
        "allowedOnlineMeetingProviders": [] if calendar.mailbox.personal else ["teamsForBusiness"],
        "defaultOnlineMeetingProvider": "unknown" if calendar.mailbox.personal else "teamsForBusiness",
        "isTallyingResponses": calendar.is_default,
        "isRemovable": not calendar.is_default,
        "owner": {"name": calendar.owner_name, "address": calendar.owner},
    }
