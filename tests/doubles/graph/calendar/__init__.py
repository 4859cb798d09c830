"""The emulated calendars of Outlook. Somebody else's side: `world.calendars`."""

from doubles.graph.calendar import answering, lists, meeting_times, reading, schedules, writing
from doubles.graph.calendar.invitations import Notice
from doubles.graph.calendar.state import Calendar, Calendars
from doubles.graph.calls import Handler

__all__ = ["ANSWERS", "HANDLERS", "MODELS", "Calendar", "Calendars", "Notice"]

PLACES = ("/me", "/me/calendar", "/me/calendars/{calendar}")
"""Where events are found; without the id of a calendar they are those of the default one."""
ACTIONS: dict[str, tuple[Handler, str]] = {
    "accept": (answering.answer("accepted"), "accept.accept_post_request_body.AcceptPostRequestBody"),
    "tentativelyAccept": (
        answering.answer("tentativelyAccepted"),
        "tentatively_accept.tentatively_accept_post_request_body.TentativelyAcceptPostRequestBody",
    ),
    "decline": (answering.answer("declined"), "decline.decline_post_request_body.DeclinePostRequestBody"),
    "cancel": (answering.cancel, "cancel.cancel_post_request_body.CancelPostRequestBody"),
}
EVENT = "msgraph.generated.models.event.Event"
CALENDAR = "msgraph.generated.models.calendar.Calendar"
BODIES = "msgraph.generated.users.item"
SCHEDULE_BODY = f"{BODIES}.calendar.get_schedule.get_schedule_post_request_body.GetSchedulePostRequestBody"
TIMES_BODY = f"{BODIES}.find_meeting_times.find_meeting_times_post_request_body.FindMeetingTimesPostRequestBody"

HANDLERS: dict[str, Handler] = {
    "GET /me/calendars": lists.list_calendars,
    "GET /me/calendar": lists.get_calendar,
    "GET /me/calendars/{calendar}": lists.get_calendar,
    "POST /me/calendar/getSchedule": schedules.get_schedule,
    "POST /me/findMeetingTimes": meeting_times.find,
}
MODELS: dict[str, str] = {"POST /me/calendar/getSchedule": SCHEDULE_BODY, "POST /me/findMeetingTimes": TIMES_BODY}
ANSWERS: dict[str, str] = {
    "GET /me/calendars": CALENDAR,
    "GET /me/calendar": CALENDAR,
    "GET /me/calendars/{calendar}": CALENDAR,
    "POST /me/calendar/getSchedule": "msgraph.generated.models.schedule_information.ScheduleInformation",
    "POST /me/findMeetingTimes": "msgraph.generated.models.meeting_time_suggestions_result.MeetingTimeSuggestionsResult",
}


def _add(place: str) -> None:
    """Events as they are found at this place."""
    one = f"{place}/events/{{event}}"
    shown: dict[str, Handler] = {
        f"GET {place}/events": reading.list_events,
        f"GET {place}/calendarView": reading.view,
        f"POST {place}/events": writing.post,
        f"GET {one}": reading.get,
        f"PATCH {one}": writing.patch,
        f"GET {one}/instances": reading.instances,
    }
    HANDLERS.update(shown | {f"DELETE {one}": writing.delete})
    ANSWERS.update(dict.fromkeys(shown, EVENT))
    MODELS.update({f"POST {place}/events": EVENT, f"PATCH {one}": EVENT})
    for action, (handler, body) in ACTIONS.items():
        HANDLERS[f"POST {one}/{action}"] = handler
        MODELS[f"POST {one}/{action}"] = f"{BODIES}.events.item.{body}"


for place in PLACES:
    _add(place)
