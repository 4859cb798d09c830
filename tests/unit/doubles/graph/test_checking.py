"""Bodies are held to the models of the SDK: their names, their types, how they are written, and of which type they say they are."""

from typing import Any

import pytest
from doubles.graph.calls import GraphError
from doubles.graph.checking import request_body, response_body
from doubles.graph.schema import model

MODELS = "msgraph.generated.models"
EVENT = f"{MODELS}.event.Event"
ATTACHMENT = f"{MODELS}.attachment.Attachment"
MESSAGE = f"{MODELS}.message.Message"
MEETING = "msgraph.generated.users.item.find_meeting_times.find_meeting_times_post_request_body.FindMeetingTimesPostRequestBody"
SCHEDULE = "msgraph.generated.users.item.calendar.get_schedule.get_schedule_post_request_body.GetSchedulePostRequestBody"
FILE = "#microsoft.graph.fileAttachment"
NOON = {"dateTime": "2026-03-01T12:00:00", "timeZone": "UTC"}
DAILY = {
    "pattern": {"type": "daily", "interval": 1},
    "range": {"type": "numbered", "startDate": "2026-03-01", "numberOfOccurrences": 3},
}


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (EVENT, {"subject": "Lunch", "start": NOON, "end": NOON, "recurrence": DAILY, "showAs": "busy", "transactionId": "k"}),
        (EVENT, {"attendees": [{"emailAddress": {"address": "a@b.example"}, "type": "required"}], "recurrence": None}),
        (EVENT, {"calendar@odata.bind": "x"}),
        (ATTACHMENT, {"@odata.type": FILE, "name": "a.txt", "contentBytes": "aGk=", "contentId": "1"}),
        (MEETING, {"meetingDuration": "PT1H30M", "minimumAttendeePercentage": 50.5, "maxCandidates": 3}),
        (SCHEDULE, {"Schedules": ["a@b.example"], "StartTime": NOON, "EndTime": NOON, "AvailabilityViewInterval": 30}),
        (MESSAGE, {"flag": {"flagStatus": "flagged"}, "receivedDateTime": "2026-03-01T12:00:00.1234567Z", "isRead": True}),
    ],
)
def test_what_the_model_knows_is_taken(name: str, body: dict[str, Any]) -> None:
    request_body(model(name), body)
    assert response_body(model(name), body) == ""


@pytest.mark.parametrize(
    ("name", "body", "wrong"),
    [
        (EVENT, {"title": "Lunch"}, "'title'"),
        (EVENT, {"start": {"dateTime": "2026-03-01T12:00:00", "zone": "UTC"}}, "'zone'"),
        (EVENT, {"start": "2026-03-01T12:00:00"}, "start is not an object"),
        (EVENT, {"showAs": "Busy"}, "is none of"),
        (EVENT, {"isAllDay": 1}, "is no bool"),
        (EVENT, {"reminderMinutesBeforeStart": True}, "is no int"),
        (EVENT, {"recurrence": {**DAILY, "range": {"type": "noEnd", "startDate": "1 March"}}}, "is not written as date"),
        (EVENT, {"recurrence": {**DAILY, "pattern": {"type": "daily", "firstDayOfWeek": "someday"}}}, "is none of"),
        (EVENT, {"attendees": [{"address": "a@b.example"}]}, "'address'"),
        (ATTACHMENT, {"name": "a.txt", "contentBytes": "aGk="}, "'contentBytes'"),
        (ATTACHMENT, {"@odata.type": FILE, "contentBytes": "no base64!"}, "is not base64"),
        (MEETING, {"meetingDuration": "1:30:00"}, "is not written as timedelta"),
        (SCHEDULE, {"schedules": ["a@b.example"]}, "'schedules'"),
        (SCHEDULE, {"Schedules": [{"address": "a@b.example"}]}, "is no str"),
        (MESSAGE, {"receivedDateTime": "2026-03-01T12:00:00"}, "is not written as datetime"),
        (MESSAGE, {"toRecipients": None, "categories": "Red"}, "is not a list"),
        (MESSAGE, [], "is not an object"),
    ],
)
def test_what_the_model_does_not_know_is_refused(name: str, body: Any, wrong: str) -> None:
    with pytest.raises(GraphError) as refused:
        request_body(model(name), body)
    assert wrong in refused.value.message


def test_each_item_of_a_listing_is_checked() -> None:
    listing = {"@odata.context": "x", "value": [{"subject": "a"}, {"topic": "b"}]}
    assert "'topic'" in response_body(model(MESSAGE), listing)
