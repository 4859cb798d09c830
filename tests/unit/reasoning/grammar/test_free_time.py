"""How questions for free time are read: times with holes, wishes, and busy times that the message tells."""

from datetime import timedelta

import pytest

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.dates import say
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reading.text.nonexistent import no_such_time

HALF = timedelta(minutes=30)


def call_of(text: str, setting: Setting) -> Call:
    reading = read(text, setting)
    assert reading.call is not None and reading.certain, (text, reading)
    return reading.call


def time_of(text: str, setting: Setting) -> str:
    call = call_of(text, setting)
    spec = call.time or call.select.when
    return say(spec, setting.now) if spec else ""


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("find an hour on Thursday or Monday", "Thu 19 Nov 2026 and Mon 23 Nov 2026"),
        ("find a free hour next week, not before 11", "Mon 23 Nov 2026 to Sun 29 Nov 2026, 11:00 to 24:00 each day"),
        ("find an hour next week in the mornings", "Mon 23 Nov 2026 to Sun 29 Nov 2026, 06:00 to 12:00 each day"),
        ("find a slot next week except Tuesday", "Mon 23 Nov 2026 and Wed 25 Nov 2026 to Sun 29 Nov 2026"),
        ("when am I free next week, but not on Monday?", "Tue 24 Nov 2026 to Sun 29 Nov 2026"),
        ("find a free hour tomorrow, not during lunch", "Thu 19 Nov 2026, 00:00 to 12:00 and Thu 19 Nov 2026, 13:00 to 24:00"),
        ("find a free hour tomorrow but keep lunch free", "Thu 19 Nov 2026, 00:00 to 12:00 and Thu 19 Nov 2026, 13:00 to 24:00"),
    ],
)
def test_free_time_is_looked_for_where_it_may_be(text: str, time: str, setting: Setting) -> None:
    assert call_of(text, setting).operation == "event.slots"
    assert time_of(text, setting) == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("what's on tomorrow and on Monday?", "Thu 19 Nov 2026 and Mon 23 Nov 2026"),
        ("mails from Monday and Friday", "Mon 16 Nov 2026 and Fri 13 Nov 2026"),
        ("cancel my meetings on Friday and Tuesday", "Fri 20 Nov 2026 and Tue 24 Nov 2026"),
    ],
)
def test_all_days_of_a_list_are_meant_whatever_is_done(text: str, time: str, setting: Setting) -> None:
    assert sorted(time_of(text, setting).split(" and ")) == sorted(time.split(" and "))


def test_a_recurrence_leaves_out_its_exception(setting: Setting) -> None:
    call = call_of("schedule a standup every weekday at 9 except Wednesday", setting)
    assert call.time is not None and call.time.rrule == "FREQ=WEEKLY;BYDAY=MO,TU,TH,FR"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("first free hour after lunch", 60),
        ("find me two free hours on Thursday", 120),
        ("find 45 free minutes tomorrow", 45),
        ("find a 30 minute gap on Thursday", 30),
    ],
)
def test_a_free_length_asks_for_free_time(text: str, length: int, setting: Setting) -> None:
    call = call_of(text, setting)
    assert call.operation == "event.slots"
    assert call.duration == timedelta(minutes=length)


def test_a_buffer_is_no_length(setting: Setting) -> None:
    for text in ("find an hour tomorrow with 15 minutes between meetings", "find an hour tomorrow with a 15 minute buffer"):
        call = call_of(text, setting)
        assert (call.duration, call.gap) == (timedelta(hours=1), timedelta(minutes=15))


def test_a_preference_is_no_condition(setting: Setting) -> None:
    call = call_of("find an hour with Tom next week, preferably in the afternoon", setting)
    assert time_of("find an hour with Tom next week, preferably in the afternoon", setting) == "Mon 23 Nov 2026 to Sun 29 Nov 2026"
    assert call.prefer is not None and say(call.prefer, setting.now) == "12:00 to 18:00"
    assert [person.text for person in call.to] == ["Tom"]


@pytest.mark.parametrize(
    ("text", "number"), [("my next free slot", 1), ("three 30-minute slots next week", 3), ("first free hour", 1)]
)
def test_as_many_as_were_asked_for(text: str, number: int, setting: Setting) -> None:
    assert (call_of(text, setting).select.order, call_of(text, setting).select.number) == ("first", number)


# --- busy times told in the message


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (
            "Tom can't from 9 to 10 and Eva is busy after 4. When could we meet for half an hour tomorrow between 9 and 5?",
            "Thu 19 Nov 2026, 10:00 to 16:00",
        ),
        (
            "Tom is busy on Thursday from 9 to 10, 12 to 1, Friday after 2. Find an hour on Thursday or Friday "
            "between 9:00 and 17:00",
            "Thu 19 Nov 2026, 10:00 to 12:00 and Thu 19 Nov 2026, 13:00 to 17:00 and Fri 20 Nov 2026, 09:00 to 14:00",
        ),
        (
            "Eva is out on Thursday. Tom's calendar is wide open. Find an hour for both on Thursday or Friday between 9 and 5",
            "Fri 20 Nov 2026, 09:00 to 17:00",
        ),
        (
            "I'm in meetings until 11 and Tom would rather not meet after 3, when can we meet tomorrow between 9 and "
            "5 for an hour?",
            "Thu 19 Nov 2026, 11:00 to 15:00",
        ),
    ],
)
def test_told_busy_times_are_kept_out_of(text: str, time: str, setting: Setting) -> None:
    call = call_of(text, setting)
    assert call.operation == "event.slots"
    assert time_of(text, setting) == time


def test_who_was_told_about_is_said_and_not_looked_up(setting: Setting) -> None:
    call = call_of("Tom is busy after 3, when can I meet Tom for an hour tomorrow?", setting)
    assert (call.to, call.about) == ((), "Tom")


def test_nothing_is_offered_where_told_times_leave_nothing(setting: Setting) -> None:
    assert read("Tom is out on Thursday. When can we meet on Thursday for an hour?", setting).call is None


@pytest.mark.parametrize(
    "text",
    [
        "is Tom busy tomorrow?",
        "email Tom that I'm busy after 3 and ask when we can meet for an hour tomorrow",
        "if Tom is busy on Friday, find an hour on Monday",
    ],
)
def test_other_messages_about_busy_people_are_read_as_ever(text: str, setting: Setting) -> None:
    call = read(text, setting).call
    assert call is None or not (call.operation == "event.slots" and call.about)


# --- what the calendar doesn't have


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("meet Tom on 31 April at 3pm", "There is no 31 April: April has 30 days."),
        ("meet Tom on Friday 26 November", "26 November 2026 is a Thursday, not a Friday."),
        ("meet Tom on Thursday 26 November", ""),
        ('email Tom saying "31 April is no day"', ""),
        ("email Tom saying that 31 April is no day", ""),
    ],
)
def test_a_day_that_does_not_exist_is_said(text: str, words: str, setting: Setting) -> None:
    assert no_such_time(text, setting) == words
    assert not words or read(text, setting).call is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("check whether I'm free at 3 for the budget review", ("budget", "review")),
        ("is Tom free on Friday at 10 for my dentist appointment", ("dentist",)),
        ("am I free on Friday at 3 for the whole afternoon", ()),
        ("am I free on Friday at 12 for lunch", ()),
    ],
)
def test_an_event_for_which_a_time_should_be_free_is_a_selection(text: str, words: tuple[str, ...], setting: Setting) -> None:
    call = call_of(text, setting)
    assert (call.operation, call.select.words) == ("event.free", words)


@pytest.mark.parametrize(
    ("text", "guess"),
    [
        ("book painting on Saturday at 3 for an hour or two", "the shorter of “an hour or two”"),
        ("book painting on Saturday 7:30", "“on Saturday 7:30” is 07:30"),
        ("block Saturday ten to eleven for painting", "“ten to eleven” is 10:00-11:00"),
    ],
)
def test_what_a_new_event_leaves_open_of_its_time_is_assumed_aloud(text: str, guess: str, setting: Setting) -> None:
    assert guess in read(text, setting).guesses
