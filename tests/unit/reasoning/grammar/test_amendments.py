"""Messages about one thing that is proposed or was made last, taken apart into its changes."""

from datetime import datetime, timedelta

import pytest

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.planning.talk.amendments import amendments
from assistant.reasoning.offline.planning.talk.coming import change_of, with_people
from assistant.reasoning.offline.planning.talk.made import of_made
from assistant.reasoning.offline.reading.entities import mark
from assistant.values import Data, Shown
from integrations.types import Event


def parts(message: str, setting: Setting, *, hour: int = 11) -> list[str]:
    start = datetime(2026, 11, 23, hour, tzinfo=setting.zone)
    return amendments(Request(text=message, setting=setting), start)


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("actually in Room 1, and call it Debrief", ["in Room 1", "and call it Debrief"]),
        ("noon, half an hour", ["noon", "half an hour"]),
        ("call it Bread and butter", ["call it Bread and butter"]),
        ("half past, sorry", ["at 11:30"]),
        ("quarter to, I mean", ["at 10:45"]),
        ("without Tom, he's away then", ["without Tom"]),
        ("make it 3 pm because of the school run", ["make it 3 pm"]),
        ("Anna is on a trip, so start at two", ["start at two"]),
    ],
)
def test_a_message_falls_into_its_changes_without_what_is_told_beside_them(
    message: str, changes: list[str], setting: Setting
) -> None:
    assert parts(message, setting) == changes


@pytest.mark.parametrize(
    ("message", "operation", "field", "value"),
    [
        ("the venue will be the Old Mill", "revise.location", "location", "Old Mill"),
        ("put it in Room 2", "revise.location", "location", "Room 2"),
        ("we'll meet at Cafe Linde", "revise.location", "location", "Cafe Linde"),
        ("it's about the windows", "revise.title", "title", "Windows"),
        ("topic: the windows", "revise.title", "title", "Windows"),
        ("twice as long", "revise.duration", "factor", 2.0),
        ("half the time", "revise.duration", "factor", 0.5),
    ],
)
def test_place_topic_and_length_are_changed_in_many_words(
    message: str, operation: str, field: str, value: object, setting: Setting
) -> None:
    call = change_of(message, setting)
    assert call is not None
    assert (call.operation, getattr(call, field)) == (operation, value)


@pytest.mark.parametrize("message", ["in his place", "in her stead"])
def test_in_somebodys_place_is_no_place(message: str, setting: Setting) -> None:
    call = change_of(message, setting)
    assert call is None or call.operation != "revise.location"


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("he can come after all", "add Tom"),
        ("and have Anna come in his place", "add Anna"),
        ("Tom is joining again", "add Tom"),
        ("she asked about lunch", "she asked about lunch"),
    ],
)
def test_whoever_was_left_out_last_comes_back_or_is_replaced(message: str, meant: str, setting: Setting) -> None:
    request = Request(text=message, setting=setting, history=("user: without Tom, he's away", "assistant: …"))
    assert with_people(request) == meant


def test_whoever_is_said_not_to_come_is_replaced(setting: Setting) -> None:
    request = Request(text="Tom can't make it, have Anna come instead of him", setting=setting)
    assert with_people(request) == "Anna instead of Tom"


def made(message: str, setting: Setting, **more: object) -> str:
    start = datetime(2026, 11, 20, 17, tzinfo=setting.zone)
    event = Event(account="a", calendar="c", id="1", etag="", uid="1", title="Tax", start=start, end=start + timedelta(minutes=30))
    shown = (Shown(text="x", data=Data(kind="events", events=(event,))),)
    return of_made(Request(text=message, setting=setting, last='put "Tax" in my calendar on Friday at 17:00', shown=shown))


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        ("half past, sorry", "move the event {shown} to 20 November 2026 at 17:30"),
        ("6 pm, an hour", "move the event {shown} to 20 November 2026 at 18:00 and make it 60 minutes long"),
        ("double the length", "make the event {shown} 60 minutes long"),
        ("the venue is the town hall", "change the location of the event {shown} to town hall"),
    ],
)
def test_what_was_made_last_is_changed_like_a_proposal(message: str, whole: str, setting: Setting) -> None:
    assert made(message, setting) == whole


@pytest.mark.parametrize("message", ["tomorrow at 9?", "move the dentist to 9", "thanks", "mails from Tom", "without Tom"])
def test_what_is_about_something_else_changes_nothing_that_was_made(message: str, setting: Setting) -> None:
    assert made(message, setting) == ""


@pytest.mark.parametrize("text", ["move the Friday one to Monday", "cancel the 3 pm one", "that Monday morning one"])
def test_one_behind_a_day_is_no_hour(text: str, setting: Setting) -> None:
    assert [item.low for item in mark(text, setting) if item.low == "one"] == ["one"]


@pytest.mark.parametrize(
    "message",
    ["put in something called Form on the day before it is due", "enter Rent in my calendar on the day the invoice has to be paid"],
)
def test_a_day_known_by_what_happens_then_is_not_guessed(message: str, setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting))
    assert not analysis.plan.steps
    assert "which day" in analysis.say
