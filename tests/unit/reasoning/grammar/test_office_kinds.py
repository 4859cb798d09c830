"""Requests about several mails and events at once: lengths that select, labels, edges, times that a condition shares."""

from datetime import timedelta

import pytest

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.grammar import read


def call(text: str, setting: Setting) -> Call:
    found = read(text, setting).call
    assert found is not None
    return found


def steps(message: str, setting: Setting) -> list[str]:
    return [step.instruction for step in analyse(Request(text=message, setting=setting)).plan.steps]


@pytest.mark.parametrize(
    "said", ["that are 45 minutes long", "that last 45 minutes", "lasting only 45 minutes", "which take exactly 45 minutes"]
)
def test_a_length_selects_among_several_events(said: str, setting: Setting) -> None:
    length = timedelta(minutes=45)
    assert call(f"cancel my meetings on Friday {said}", setting).select.lasting == (length, length)


def test_a_new_event_lasts_as_long_as_is_said(setting: Setting) -> None:
    made = call("schedule a meeting with Tom lasting 45 minutes tomorrow at 9", setting)
    assert (made.duration, made.select.lasting) == (timedelta(minutes=45), None)


def test_the_day_after_keeps_the_day_that_says_which_events(setting: Setting) -> None:
    moved = call("move all my meetings on Friday to the day after, same times", setting)
    assert moved.select.when is not None
    assert moved.shift == timedelta(days=1)


def test_beside_an_event_a_day_says_which_event(setting: Setting) -> None:
    made = call("book half an hour with Tom on Friday right after my meeting with Anna", setting)
    assert made.beside is not None and made.beside.when is not None
    assert made.time is None


@pytest.mark.parametrize("said", ["starting as soon as the review ends", "starting when the review is over"])
def test_an_event_begins_where_another_ends(said: str, setting: Setting) -> None:
    made = call(f"book half an hour with Tom on Friday {said}", setting)
    assert (made.side, made.beside.words if made.beside else ()) == ("after", ("review",))


@pytest.mark.parametrize(
    "said", ["let Tom know, subject 'Away', body 'Back soon'", "let Tom know by email, title 'Away', text 'Back soon'"]
)
def test_labels_behind_know_say_what_is_what(said: str, setting: Setting) -> None:
    sent = call(said, setting)
    assert (sent.subject, sent.body) == ("Away", "Back soon")


def test_the_first_mail_that_somebody_sent_is_not_the_last(setting: Setting) -> None:
    assert call("what was the very first mail Tom sent me?", setting).select.order == "first"
    assert call("what was the latest mail Tom sent me?", setting).select.order == "last"


@pytest.mark.parametrize("said", ["mentions 'lease'", "has 'lease' in its subject", "contains the word lease"])
def test_what_one_mail_holds_is_looked_at_when_it_is_chosen(said: str, setting: Setting) -> None:
    asked = call(f"check whether the last mail from Tom {said}", setting)
    assert asked.operation == "mail.check"
    assert asked.fits is not None


def test_a_free_hour_is_a_place_in_the_calendar(setting: Setting) -> None:
    moved = call("move the dentist to the first free hour on Monday", setting)
    assert (moved.slot, moved.location) == ("first", "")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Move the dentist to Friday at 10, only if nothing else is booked that day", "Friday 20 November"),
        ("When the review on Friday is over I need half an hour with Tom", "right after the review on Friday"),
        ("If I'm meeting both Anna and Tom on Friday, cancel the dentist", "meeting Anna on Friday"),
        ("If I'm meeting both Anna and Tom on Friday, cancel the dentist", "meeting Tom on Friday"),
        ("Book a call with Tom on Friday at 3, or on Monday at the same time if that clashes with something", "Monday at 15:00"),
        ("Forward Anna's last mail to Tom and delete the original", "Delete Anna's last mail"),
        ("If the subject of the last mail from Tom contains 'lease', delete it", "has 'lease' in its subject"),
    ],
)
def test_what_a_message_points_at_is_said_in_full(message: str, said: str, setting: Setting) -> None:
    assert any(said in step for step in steps(message, setting))
