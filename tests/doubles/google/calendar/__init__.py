"""The emulated Calendar API. Somebody else's side: `world.calendars`."""

from doubles.google.calendar import freebusy, lists, reading, writing
from doubles.google.calendar.invitations import Notice
from doubles.google.calendar.state import Calendar, Calendars
from doubles.google.calls import Handler

__all__ = ["HANDLERS", "Calendar", "Calendars", "Notice"]

HANDLERS: dict[str, Handler] = {
    "calendar.calendarList.list": lists.list_calendars,
    "calendar.calendarList.get": lists.get_calendar_entry,
    "calendar.calendars.get": lists.get_calendar,
    "calendar.calendars.insert": lists.insert_calendar,
    "calendar.settings.get": lists.get_setting,
    "calendar.settings.list": lists.list_settings,
    "calendar.freebusy.query": freebusy.query,
    "calendar.events.list": reading.list_,
    "calendar.events.get": reading.get,
    "calendar.events.instances": reading.instances,
    "calendar.events.insert": writing.insert,
    "calendar.events.import": writing.import_,
    "calendar.events.patch": writing.patch,
    "calendar.events.update": writing.update,
    "calendar.events.delete": writing.delete,
    "calendar.events.move": writing.move,
}
